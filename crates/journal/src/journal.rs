//! The writer of one run's journal.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use crate::canonical::canonical_json;
use crate::digest::Digest;
use crate::error::JournalError;
use crate::files;
use crate::limits::{CHECKPOINT_RECORDS_MAX, JOURNAL_BYTES_MAX, KIND_BYTES_MAX, RECORD_BYTES_MAX};
use crate::receipt::Receipt;
use crate::record::{Draft, FORMAT, KIND_CHECKPOINT, KIND_HEADER, KIND_SEALED, VERSION, is_reserved};
use crate::run_id::RunId;
use crate::sign::{SigningKey, checkpoint_message, seal_message};

/// The one writer of one run's journal.
///
/// Invariant: after any error nothing more is written. A record whose fate is unknown is never followed by another, and
/// without a receipt there is no permit; `after_any_error_every_later_append_is_refused` fails otherwise.
///
/// Nothing can follow the seal, because sealing takes the journal:
/// ```compile_fail,E0382
/// fn after(journal: clicket_journal::Journal) {
///     let mut journal = journal;
///     let _ = journal.seal(0, "done");
///     let _ = journal.append(0, "late", &());
/// }
/// ```
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    run: RunId,
    records: u64,
    bytes: u64,
    head: Digest,
    health: Health,
    key: Option<SigningKey>,
    /// How many records there were after the last signature.
    signed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Health {
    Sound,
    Broken,
}

/// When a record must be on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durable {
    /// Before anything else happens.
    Now,
    /// With the next one that must be.
    Later,
}

/// How far a journal is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reached {
    pub(crate) records: u64,
    pub(crate) bytes: u64,
    pub(crate) head: Digest,
}

impl Default for Reached {
    fn default() -> Self {
        Reached { records: 0, bytes: 0, head: Digest::NONE }
    }
}

/// What a journal ended as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The file.
    pub path: PathBuf,
    /// How many records it holds, header and seal included: the number of its lines.
    pub records: u64,
    /// Digest of the seal, and so of everything before it.
    pub digest: Digest,
}

impl Journal {
    /// Makes the journal of `run` in `folder` (made if missing, for its owner alone), locks it, and writes the header.
    ///
    /// Fails when a journal of this name exists, when another process holds it, or when it can't be written; then
    /// nothing is left behind.
    /// Nothing in it is signed.
    pub fn create(folder: &Path, run: &RunId) -> Result<Journal, JournalError> {
        Journal::create_with(folder, run, None)
    }

    /// As [`Journal::create`], and signs checkpoints and the seal with `key`, whose public half the header names.
    pub fn create_signed(folder: &Path, run: &RunId, key: SigningKey) -> Result<Journal, JournalError> {
        Journal::create_with(folder, run, Some(key))
    }

    fn create_with(folder: &Path, run: &RunId, key: Option<SigningKey>) -> Result<Journal, JournalError> {
        files::make_folder(folder)?;
        let path = files::journal_path(folder, run);
        let file = files::create_new(&path)?;
        let started =
            Journal::start(file, path.clone(), *run, key).and_then(|journal| files::sync_folder(folder).map(|()| journal));
        if started.is_err() {
            files::discard(&path);
        }
        started
    }

    fn start(file: File, path: PathBuf, run: RunId, key: Option<SigningKey>) -> Result<Journal, JournalError> {
        files::lock(&file, &path)?;
        let mut journal = Journal::resume(file, path, run, Reached::default(), key);
        journal.write_header()?;
        Ok(journal)
    }

    pub(crate) fn write_header(&mut self) -> Result<Receipt, JournalError> {
        let mut header = json!({"format": FORMAT, "run": self.run, "version": VERSION});
        if let (Some(key), Some(members)) = (&self.key, header.as_object_mut()) {
            members.insert("key".into(), json!(key.public()));
        }
        self.write(self.run.started_unix_ms(), KIND_HEADER, &header)
    }

    /// Goes on with a journal that was read from `file`, whose lock is held and which ends after a whole record.
    pub(crate) fn resume(file: File, path: PathBuf, run: RunId, reached: Reached, key: Option<SigningKey>) -> Journal {
        let Reached { records, bytes, head } = reached;
        Journal { file, path, run, records, bytes, head, health: Health::Sound, key, signed: records }
    }

    /// Appends one record, waits until it is on disk, and returns its receipt.
    ///
    /// `at_unix_ms` is the instant in milliseconds since 1970 in UTC; `kind` is a short lower-case word, none of
    /// `journal`, `sealed`, `torn` or `checkpoint`; `body` is at most [`RECORD_BYTES_MAX`] bytes of JSON. A
    /// floating-point number that isn't finite becomes `null`, as serde_json has it. After any error the journal is
    /// broken and each later append is refused.
    pub fn append<T: Serialize>(&mut self, at_unix_ms: u64, kind: &'static str, body: &T) -> Result<Receipt, JournalError> {
        if let Err(error) = check_kind(kind) {
            self.health = Health::Broken;
            return Err(error);
        }
        self.write(at_unix_ms, kind, body)
    }

    /// Appends one record on which nothing rests: it gives no receipt, and it is on disk once the next record that gives one
    /// is. Bounds and errors as for [`Journal::append`].
    pub fn note<T: Serialize>(&mut self, at_unix_ms: u64, kind: &'static str, body: &T) -> Result<(), JournalError> {
        if let Err(error) = check_kind(kind) {
            self.health = Health::Broken;
            return Err(error);
        }
        self.write_record(at_unix_ms, kind, body, Durable::Later).map(drop)
    }

    /// Writes the last record, with the `reason` the run ended and the count of records, signed when there is a key, and
    /// closes the file.
    pub fn seal(mut self, at_unix_ms: u64, reason: &str) -> Result<Sealed, JournalError> {
        let records = self.records + 1;
        let mut body = json!({"reason": reason, "records": records});
        if let (Some(key), Some(members)) = (&self.key, body.as_object_mut()) {
            let message = seal_message(&self.run, records, &self.head, at_unix_ms, reason);
            members.insert("signature".into(), json!(key.sign(&message)));
        }
        let digest = self.put(at_unix_ms, KIND_SEALED, &body, Durable::Now)?;
        Ok(Sealed { path: self.path, records, digest })
    }

    /// A keyed digest that may be written although `parts` hold a secret; see [`SigningKey::mark`]. Nothing without a key.
    pub fn mark(&self, parts: &[&[u8]]) -> Option<Digest> {
        self.key.as_ref().map(|key| key.mark(parts))
    }

    /// The run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many records are written, the header included.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Digest of the last record.
    pub fn head(&self) -> Digest {
        self.head
    }

    pub(crate) fn write<T: Serialize>(&mut self, at_unix_ms: u64, kind: &'static str, body: &T) -> Result<Receipt, JournalError> {
        let digest = self.write_record(at_unix_ms, kind, body, Durable::Now)?;
        Ok(Receipt::new(self.run, self.records.saturating_sub(1), kind, digest))
    }

    /// Writes a record, after a checkpoint when one is due: what is signed then stands before anything that rests on it.
    fn write_record<T: Serialize>(
        &mut self,
        at_unix_ms: u64,
        kind: &'static str,
        body: &T,
        durable: Durable,
    ) -> Result<Digest, JournalError> {
        if self.health == Health::Sound && self.records >= self.signed.saturating_add(CHECKPOINT_RECORDS_MAX) {
            self.write_checkpoint(at_unix_ms)?;
        }
        self.put(at_unix_ms, kind, body, durable)
    }

    fn write_checkpoint(&mut self, at_unix_ms: u64) -> Result<(), JournalError> {
        let Some(key) = &self.key else { return Ok(()) };
        let signature = key.sign(&checkpoint_message(&self.run, self.records, &self.head));
        let body = json!({"head": self.head, "records": self.records, "signature": signature});
        self.signed = self.records;
        self.put(at_unix_ms, KIND_CHECKPOINT, &body, Durable::Later)?;
        Ok(())
    }

    /// The one way to the file. The journal counts as broken until the record is known to be written (and on disk, if it
    /// gives a receipt), so that no early return can leave it open.
    fn put<T: Serialize>(
        &mut self,
        at_unix_ms: u64,
        kind: &'static str,
        body: &T,
        durable: Durable,
    ) -> Result<Digest, JournalError> {
        if self.health == Health::Broken {
            return Err(JournalError::Broken { path: self.path.clone() });
        }
        self.health = Health::Broken;
        let body = bounded_body(kind, body)?;
        let draft = Draft { at_unix_ms, body: &body, kind, prev: self.head, seq: self.records };
        let (digest, mut line) = draft.line();
        line.push('\n');
        self.write_line(line.as_bytes(), durable)?;
        self.records += 1;
        self.head = digest;
        self.health = Health::Sound;
        Ok(digest)
    }

    fn write_line(&mut self, line: &[u8], durable: Durable) -> Result<(), JournalError> {
        self.check_untouched()?;
        let bytes = self.bytes.saturating_add(line.len() as u64);
        if bytes > JOURNAL_BYTES_MAX {
            return Err(JournalError::JournalTooLarge { path: self.path.clone(), bytes_max: JOURNAL_BYTES_MAX });
        }
        let written = self.file.write_all(line);
        let written = match durable {
            Durable::Now => written.and_then(|()| self.file.sync_data()),
            Durable::Later => written,
        };
        written.map_err(|source| JournalError::writing("write the journal", &self.path, source))?;
        self.bytes = bytes;
        Ok(())
    }

    /// A lock is advice only. A file that someone removed, cut or wrote to would make a receipt that proves nothing.
    fn check_untouched(&self) -> Result<(), JournalError> {
        let about = self.file.metadata().map_err(|source| JournalError::writing("look at the journal", &self.path, source))?;
        if about.len() == self.bytes && about.nlink() > 0 {
            Ok(())
        } else {
            Err(JournalError::Changed { path: self.path.clone() })
        }
    }
}

fn check_kind(kind: &'static str) -> Result<(), JournalError> {
    let is_word = kind.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-'));
    if kind.is_empty() || kind.len() > KIND_BYTES_MAX || !is_word || is_reserved(kind) {
        return Err(JournalError::BadKind { kind });
    }
    Ok(())
}

/// Writes a body as canonical JSON of at most [`RECORD_BYTES_MAX`] bytes.
///
/// It goes through text and back, so that what is recorded is what a reader will see, and a body that is nested too deep
/// to be read back is refused here.
fn bounded_body<T: Serialize>(kind: &'static str, body: &T) -> Result<String, JournalError> {
    let mut text = BoundedText::default();
    serde_json::to_writer(&mut text, body).map_err(|source| JournalError::NotJson { kind, source })?;
    check_length(text.bytes)?;
    // One level is added, because the record around the body takes one of the levels a reader allows.
    text.kept.insert(0, b'[');
    text.kept.push(b']');
    let [value]: [Value; 1] = serde_json::from_slice(&text.kept).map_err(|source| JournalError::NotJson { kind, source })?;
    let canonical = canonical_json(&value);
    check_length(canonical.len() as u64)?;
    Ok(canonical)
}

fn check_length(bytes: u64) -> Result<(), JournalError> {
    if bytes > RECORD_BYTES_MAX {
        return Err(JournalError::RecordTooLarge { bytes, bytes_max: RECORD_BYTES_MAX });
    }
    Ok(())
}

/// Counts all it is given and keeps no more than a record may hold.
#[derive(Default)]
struct BoundedText {
    kept: Vec<u8>,
    bytes: u64,
}

impl Write for BoundedText {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.bytes = self.bytes.saturating_add(text.len() as u64);
        if self.bytes <= RECORD_BYTES_MAX {
            self.kept.extend_from_slice(text);
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;

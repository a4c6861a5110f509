//! Seals a journal whose writer was cut off, and keeps the bytes of the record it was writing.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::digest::Digest;
use crate::error::JournalError;
use crate::files;
use crate::finding::{Severity, What};
use crate::journal::{Journal, Reached, Sealed};
use crate::limits::{LINE_BYTES_MAX, TORN_PIECES_MAX};
use crate::read::{ReadJournal, Tail, read_open};
use crate::record::{KIND_SEALED, KIND_TORN};
use crate::run_id::RunId;
use crate::sign::SigningKey;
use crate::verify::verify;

/// How a journal that was cut off was sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornSeal {
    /// The journal as it is now.
    pub sealed: Sealed,
    /// What was torn off and is kept beside it; empty when the writer was cut off between two records.
    pub pieces: Vec<TornPiece>,
}

/// Bytes of an unfinished record, kept in a file beside the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornPiece {
    /// The file, named `RUN.torn`.
    pub path: PathBuf,
    /// How many bytes it holds.
    pub bytes: u64,
    /// Their digest.
    pub digest: Digest,
}

/// Seals the journal at `path`, whose writer is gone. The bytes of an unfinished record are moved to `RUN.torn` beside
/// it and named, with length and digest, in a record of kind `torn` before the seal.
///
/// Refuses while a writer holds the journal, when it is sealed, and when anything but its tail is wrong. It can be
/// repeated after being cut off itself at any point: bytes are written to their new place before they leave the old one.
///
/// The seal is not signed: with a public key, the journal still counts as one whose end nobody vouches for.
pub fn seal_torn(path: &Path, at_unix_ms: u64) -> Result<TornSeal, JournalError> {
    seal_torn_by(path, at_unix_ms, None)
}

/// As [`seal_torn`], and signs the seal: whoever holds `key` vouches for what was left when it was sealed.
pub fn seal_torn_with(path: &Path, at_unix_ms: u64, key: SigningKey) -> Result<TornSeal, JournalError> {
    seal_torn_by(path, at_unix_ms, Some(key))
}

fn seal_torn_by(path: &Path, at_unix_ms: u64, key: Option<SigningKey>) -> Result<TornSeal, JournalError> {
    let file = files::open_to_append(path)?;
    files::lock(&file, path)?;
    let run = run_to_seal(path)?;
    let (journal, whole_bytes) = read_open(&file, path)?;
    check_end(&journal, path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    if let Tail::Torn { bytes } = journal.tail {
        let torn = torn_bytes(&file, path, whole_bytes, bytes)?;
        keep(folder, &run, &torn)?;
        file.set_len(whole_bytes)
            .and_then(|()| file.sync_all())
            .map_err(|source| JournalError::writing("cut the torn tail from the journal", path, source))?;
    }
    let pieces = unrecorded_pieces(folder, &run, &journal)?;
    let sealed = write_seal(writer_at(file, path, run, &journal, whole_bytes, key)?, at_unix_ms, &pieces)?;
    Ok(TornSeal { sealed, pieces })
}

/// The run to seal, when nothing but the tail is wrong. A file whose header was never finished is known by its name.
fn run_to_seal(path: &Path) -> Result<RunId, JournalError> {
    let damaged = || JournalError::Damaged { path: path.to_path_buf() };
    let verification = verify(path)?;
    let only_torn = verification
        .findings
        .iter()
        .all(|finding| finding.severity == Severity::Notice || matches!(finding.what, What::TornTail { .. } | What::Empty));
    let named = || path.file_stem()?.to_str()?.parse().ok();
    let run = verification.run.or_else(named);
    if only_torn && verification.findings_left_out == 0 { run.ok_or_else(damaged) } else { Err(damaged()) }
}

/// Bytes after a seal are not a torn record of this run, and nothing is written after a seal.
fn check_end(journal: &ReadJournal, path: &Path) -> Result<(), JournalError> {
    let ends_in_seal = journal.records.last().is_some_and(|last| last.kind == KIND_SEALED);
    let path = path.to_path_buf();
    match (journal.tail, ends_in_seal) {
        (Tail::Sealed, _) => Err(JournalError::AlreadySealed { path }),
        (Tail::Torn { .. }, true) => Err(JournalError::Damaged { path }),
        (Tail::Torn { .. } | Tail::Open, _) => Ok(()),
    }
}

fn torn_bytes(file: &File, path: &Path, whole_bytes: u64, bytes: u64) -> Result<Vec<u8>, JournalError> {
    if bytes > LINE_BYTES_MAX {
        return Err(JournalError::Damaged { path: path.to_path_buf() });
    }
    let mut torn = vec![0; usize::try_from(bytes).unwrap_or_default()];
    file.read_exact_at(&mut torn, whole_bytes).map_err(|source| JournalError::reading(path, source))?;
    Ok(torn)
}

fn piece_path(folder: &Path, run: &RunId, number: u32) -> PathBuf {
    match number {
        1 => folder.join(format!("{run}.torn")),
        more => folder.join(format!("{run}.{more}.torn")),
    }
}

/// Writes `torn` to the first free name, or finds it there from an earlier try.
fn keep(folder: &Path, run: &RunId, torn: &[u8]) -> Result<(), JournalError> {
    for number in 1..=TORN_PIECES_MAX {
        let path = piece_path(folder, run, number);
        match files::create_new(&path) {
            Ok(mut file) => {
                let written = file.write_all(torn).and_then(|()| file.sync_all());
                written.map_err(|source| JournalError::writing("keep the torn tail", &path, source))?;
                return files::sync_folder(folder);
            }
            Err(JournalError::Exists { .. }) if read_piece(&path)? == torn => return Ok(()),
            Err(JournalError::Exists { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(JournalError::Exists { path: piece_path(folder, run, TORN_PIECES_MAX) })
}

fn read_piece(path: &Path) -> Result<Vec<u8>, JournalError> {
    let mut kept = Vec::new();
    let file = files::open_to_read(path)?;
    file.take(LINE_BYTES_MAX).read_to_end(&mut kept).map_err(|source| JournalError::reading(path, source))?;
    Ok(kept)
}

/// The pieces beside the journal that no `torn` record in it names yet.
fn unrecorded_pieces(folder: &Path, run: &RunId, journal: &ReadJournal) -> Result<Vec<TornPiece>, JournalError> {
    let torn_records = journal.records.iter().filter(|record| record.kind == KIND_TORN);
    let recorded: HashSet<&str> = torn_records
        .filter_map(|record| record.body.get("pieces").and_then(Value::as_array))
        .flatten()
        .filter_map(|piece| piece.get("file").and_then(Value::as_str))
        .collect();
    let mut pieces = Vec::new();
    for path in (1..=TORN_PIECES_MAX).map(|number| piece_path(folder, run, number)) {
        if path.exists() && !recorded.contains(file_name(&path).as_str()) {
            let kept = read_piece(&path)?;
            pieces.push(TornPiece { bytes: kept.len() as u64, digest: Digest::of(&kept), path });
        }
    }
    Ok(pieces)
}

fn writer_at(
    file: File,
    path: &Path,
    run: RunId,
    journal: &ReadJournal,
    whole_bytes: u64,
    key: Option<SigningKey>,
) -> Result<Journal, JournalError> {
    let head = journal.records.last().map_or(Digest::NONE, |last| last.digest);
    let records = journal.records.len() as u64;
    // Another key than the one the header names would prove nothing.
    let named = journal.records.first().map(|header| header.body.get("key").and_then(Value::as_str));
    let key = key.filter(|key| named.is_none_or(|named| named == Some(key.public().to_string().as_str())));
    let mut writer = Journal::resume(file, path.to_path_buf(), run, Reached { records, bytes: whole_bytes, head }, key);
    if records == 0 {
        writer.write_header()?;
    }
    Ok(writer)
}

fn write_seal(mut writer: Journal, at_unix_ms: u64, pieces: &[TornPiece]) -> Result<Sealed, JournalError> {
    let named: Vec<Value> = pieces
        .iter()
        .map(|piece| json!({"bytes": piece.bytes, "digest": piece.digest, "file": file_name(&piece.path)}))
        .collect();
    writer.write(at_unix_ms, KIND_TORN, &json!({"pieces": named}))?;
    writer.seal(at_unix_ms, "cut off")
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
#[path = "torn_tests.rs"]
mod tests;

//! Checks a journal against itself, line by line, and goes on after what is wrong.

use std::path::Path;

use serde_json::Value;

use crate::digest::Digest;
use crate::error::JournalError;
use crate::files;
use crate::finding::{Finding, Severity, What};
use crate::limits::{CHECKPOINT_RECORDS_MAX, FINDINGS_MAX};
use crate::lines::{Lines, Piece};
use crate::pairs::Pairs;
use crate::record::{FORMAT, KIND_CHECKPOINT, KIND_HEADER, KIND_SEALED, KIND_TORN, LineFault, Record, VERSION, read_line};
use crate::run_id::RunId;
use crate::sign::{PublicKey, checkpoint_message, seal_message};

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The run named by the header, when there is a readable one.
    pub run: Option<RunId>,
    /// How many lines have the shape of a record.
    pub records: u64,
    /// The digest that the last of them states; to be compared with one kept elsewhere.
    pub head: Digest,
    /// The key that the signatures were held against: the given one, else the one the header names.
    pub key: Option<PublicKey>,
    /// How many records, from the first, a signature that holds covers.
    pub signed_records: u64,
    /// What was found, at most [`FINDINGS_MAX`].
    pub findings: Vec<Finding>,
    /// How many more findings of severity [`Severity::Broken`] there were.
    pub findings_left_out: u64,
}

impl Verification {
    /// Whether the journal is whole: nothing found but notices.
    ///
    /// A missing seal is a notice, because a run that goes on has none. So whole records cut from the end don't show
    /// here; comparing `head` and `records` with a receipt or checkpoint kept elsewhere shows them.
    pub fn holds(&self) -> bool {
        self.findings_left_out == 0 && self.findings.iter().all(|finding| finding.severity == Severity::Notice)
    }
}

/// Verifies the journal at `path`. Fails only when the file can't be read; everything wrong inside it is a finding.
///
/// The file is streamed: memory is bounded by one line, the list of findings, and some hundred bytes for each intent.
///
/// Signatures are held against the key that the header names. That shows a change by anyone who doesn't have the private
/// half, but not a journal that was made anew as a whole with another key; [`verify_with`] does.
pub fn verify(path: &Path) -> Result<Verification, JournalError> {
    verify_by(path, None)
}

/// Verifies the journal at `path` with the public key of the machine that wrote it, and so without trusting the file in
/// anything.
///
/// What can't be seen, even so: that whole records are missing after the last signature of a journal without a seal, which
/// looks like a run that was killed there (the findings name the records that no signature covers, at most
/// [`CHECKPOINT_RECORDS_MAX`] and the record of the cut-off); that whole journals are missing; and what somebody wrote who has the private half.
pub fn verify_with(path: &Path, key: &PublicKey) -> Result<Verification, JournalError> {
    verify_by(path, Some(*key))
}

fn verify_by(path: &Path, given: Option<PublicKey>) -> Result<Verification, JournalError> {
    let unreadable = |source| JournalError::reading(path, source);
    let mut lines = Lines::new(files::open_to_read(path)?);
    let mut walk = Walk { given, ..Walk::default() };
    while let Some(piece) = lines.next_piece().map_err(unreadable)? {
        walk.take(piece);
    }
    let named_for = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
    Ok(walk.finish(named_for))
}

/// The state of a verification between two lines.
#[derive(Default)]
struct Walk {
    run: Option<RunId>,
    /// The key that signatures must be of, whatever the header says.
    given: Option<PublicKey>,
    /// The key that they are held against.
    key: Option<PublicKey>,
    /// Records from the first that a signature which holds covers.
    signed: u64,
    records: u64,
    before: Option<Before>,
    /// The line before wasn't readable, so how the next one follows from it can't be judged twice.
    gap: bool,
    ending: Ending,
    pairs: Pairs,
    findings: Vec<Finding>,
    findings_left_out: u64,
}

/// What the next record is compared with.
struct Before {
    seq: u64,
    at_unix_ms: u64,
    digest: Digest,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Ending {
    #[default]
    Open,
    CutOff,
    Sealed,
    CutOffAndSealed,
}

impl Walk {
    fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Whole { line, text } => match read_line(&text) {
                Ok(read) => {
                    if let Some(fault) = read.fault {
                        self.found(Finding::broken(line, What::Line(fault)));
                    }
                    self.take_record(line, read.record);
                }
                Err(fault) => self.take_unreadable(line, fault),
            },
            Piece::TooLong { line } => self.take_unreadable(line, LineFault::TooLong),
            Piece::Torn { line, bytes, .. } => self.found(Finding::broken(line, What::TornTail { bytes })),
        }
    }

    fn take_unreadable(&mut self, line: u64, fault: LineFault) {
        self.found(Finding::broken(line, What::Line(fault)));
        self.gap = true;
    }

    fn take_record(&mut self, line: u64, record: Record) {
        self.check_place(line, &record);
        self.check_header(line, &record);
        self.check_ending(line, &record);
        self.check_signature(line, &record);
        if let Some(finding) = self.pairs.take(line, &record) {
            self.found(finding);
        }
        self.records += 1;
        self.gap = false;
        self.before = Some(Before { seq: record.seq, at_unix_ms: record.at_unix_ms, digest: record.digest });
    }

    /// Whether the record follows from the one before it. One cause gives one finding: the chain is judged only where
    /// the count is right.
    fn check_place(&mut self, line: u64, record: &Record) {
        let seq = record.seq;
        let Some(before) = &self.before else {
            if !self.gap {
                self.check_first(line, record);
            }
            return;
        };
        let (expected, earlier_by_ms) = (before.seq.saturating_add(1), before.at_unix_ms.saturating_sub(record.at_unix_ms));
        let what = if seq == before.seq && record.digest == before.digest {
            Some(What::Repeated { seq })
        } else if seq < expected {
            Some(What::OutOfPlace { seq })
        } else if self.gap {
            None
        } else if seq > expected {
            Some(What::Missing { first: expected, last: seq - 1 })
        } else if record.prev != before.digest {
            Some(What::ChainBroken { seq })
        } else {
            None
        };
        if let Some(what) = what {
            self.found(Finding::broken(line, what));
        } else if earlier_by_ms > 0 {
            self.found(Finding::notice(line, What::ClockWentBack { seq, by_ms: earlier_by_ms }));
        }
    }

    fn check_first(&mut self, line: u64, record: &Record) {
        if record.seq > 0 {
            self.found(Finding::broken(line, What::Missing { first: 0, last: record.seq - 1 }));
        } else if record.prev != Digest::NONE {
            self.found(Finding::broken(line, What::ChainBroken { seq: 0 }));
        }
    }

    fn check_header(&mut self, line: u64, record: &Record) {
        let is_first = self.before.is_none() && !self.gap;
        match (is_first, record.kind == KIND_HEADER) {
            (true, true) => {
                self.run = run_of(&record.body);
                if self.run.is_none() {
                    self.found(Finding::broken(line, What::HeaderUnknown));
                }
                self.take_key(line, &record.body);
            }
            (true, false) => self.found(Finding::broken(line, What::HeaderMissing)),
            (false, true) => self.found(Finding::broken(line, What::HeaderMisplaced)),
            (false, false) => {}
        }
    }

    /// Takes the key that signatures are held against: what was given goes before what the file says of itself.
    fn take_key(&mut self, line: u64, header: &Value) {
        let named: Option<PublicKey> = header.get("key").and_then(Value::as_str).and_then(|key| key.parse().ok());
        self.key = self.given.or(named);
        match (self.given, named) {
            (Some(_), None) => self.found(Finding::broken(line, What::NotSigned)),
            (Some(given), Some(named)) if given != named => self.found(Finding::broken(line, What::OtherKey { named })),
            (Some(_) | None, _) => {}
        }
    }

    /// Holds the signature of a checkpoint or seal against what stands before it.
    fn check_signature(&mut self, line: u64, record: &Record) {
        let (Some(key), Some(run)) = (self.key, self.run) else { return };
        let seq = record.seq;
        let text = |name: &str| record.body.get(name).and_then(Value::as_str).unwrap_or_default();
        let (message, covered) = match record.kind.as_str() {
            KIND_CHECKPOINT => (checkpoint_message(&run, seq, &record.prev), seq),
            KIND_SEALED if text("signature").is_empty() && self.ending == Ending::CutOffAndSealed => return,
            KIND_SEALED => {
                let records = seq.saturating_add(1);
                (seal_message(&run, records, &record.prev, record.at_unix_ms, text("reason")), records)
            }
            _ => return,
        };
        if key.signed(&message, text("signature")) {
            self.signed = covered;
        } else {
            let what = What::SignatureWrong { seq, first: self.signed.min(seq) };
            self.found(Finding::broken(line, what));
        }
    }

    /// Says which records at the end no signature covers. More than the writer leaves uncovered means that one was taken out.
    fn check_covered(&mut self) {
        let Some(last) = self.before.as_ref().map(|before| before.seq) else { return };
        let uncovered = last.saturating_add(1).saturating_sub(self.signed);
        if self.key.is_none() || uncovered == 0 {
            return;
        }
        let (first, what_is_cut_off) = (self.signed, 2);
        if uncovered > CHECKPOINT_RECORDS_MAX + what_is_cut_off {
            self.found(Finding { severity: Severity::Broken, line: None, what: What::CheckpointMissing { first, last } });
        } else {
            self.found(Finding { severity: Severity::Notice, line: None, what: What::Uncovered { first, last } });
        }
    }

    fn check_ending(&mut self, line: u64, record: &Record) {
        if matches!(self.ending, Ending::Sealed | Ending::CutOffAndSealed) {
            self.found(Finding::broken(line, What::AfterSeal { seq: record.seq }));
        }
        match record.kind.as_str() {
            KIND_TORN => {
                self.found(Finding::notice(line, What::CutOff));
                self.ending = Ending::CutOff;
            }
            KIND_SEALED => {
                // Counted by its own number, so that lines missing before it are found once and not twice.
                let counted = record.seq.saturating_add(1);
                if record.body.get("records").and_then(Value::as_u64) != Some(counted) {
                    self.found(Finding::broken(line, What::SealCount { counted }));
                }
                let cut_off = matches!(self.ending, Ending::CutOff | Ending::CutOffAndSealed);
                self.ending = if cut_off { Ending::CutOffAndSealed } else { Ending::Sealed };
            }
            _ => {}
        }
    }

    fn finish(mut self, named_for: Option<RunId>) -> Verification {
        // A run that ended in order settled every intent; one that was cut off could not.
        let severity = if self.ending == Ending::Sealed { Severity::Broken } else { Severity::Notice };
        for finding in std::mem::take(&mut self.pairs).open(severity) {
            self.found(finding);
        }
        if self.records == 0 {
            self.found(Finding { severity: Severity::Broken, line: None, what: What::Empty });
        } else if matches!(self.ending, Ending::Open | Ending::CutOff) {
            self.found(Finding { severity: Severity::Notice, line: None, what: What::NoSeal });
        }
        self.check_covered();
        if let Some(run) = self.run.filter(|run| named_for.is_some_and(|named| named != *run)) {
            self.found(Finding::broken(1, What::NamedForAnotherRun { run }));
        }
        Verification {
            run: self.run,
            records: self.records,
            key: self.key,
            signed_records: self.signed,
            head: self.before.map_or(Digest::NONE, |before| before.digest),
            findings: self.findings,
            findings_left_out: self.findings_left_out,
        }
    }

    fn found(&mut self, finding: Finding) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(finding);
        } else if finding.severity == Severity::Broken {
            self.findings_left_out += 1;
        }
    }
}

fn run_of(header: &Value) -> Option<RunId> {
    let known = header.get("format")?.as_str()? == FORMAT && header.get("version")?.as_u64()? == VERSION;
    let run = header.get("run")?.as_str()?.parse().ok()?;
    known.then_some(run)
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;

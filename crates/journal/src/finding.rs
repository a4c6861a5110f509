//! What a verifier found, in sentences.

use std::fmt;

use crate::limits::QUOTE_CHARS_MAX;
use crate::record::LineFault;
use crate::run_id::RunId;
use crate::sign::PublicKey;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the record is still whole.
    Notice,
    /// The journal isn't what its writer wrote, or the writer broke a promise.
    Broken,
}

/// One thing found by [`verify`](crate::verify). Shown, it is one sentence that is safe to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The line of the file it is about, from 1, where it is about one.
    pub line: Option<u64>,
    /// What was found.
    pub what: What,
}

/// What was found. Texts from the file are cut and quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The file holds no record.
    Empty,
    /// The line isn't a sound record.
    Line(LineFault),
    /// The first record isn't the header.
    HeaderMissing,
    /// A header stands where none belongs.
    HeaderMisplaced,
    /// The header is of a format or version this program doesn't know.
    HeaderUnknown,
    /// The file is named for another run than the header says.
    NamedForAnotherRun {
        /// The run in the header.
        run: RunId,
    },
    /// Records are missing.
    Missing {
        /// First missing record.
        first: u64,
        /// Last missing record.
        last: u64,
    },
    /// The record stands twice.
    Repeated {
        /// The record.
        seq: u64,
    },
    /// The record stands after one that came later.
    OutOfPlace {
        /// The record.
        seq: u64,
    },
    /// The record doesn't follow from the one before it.
    ChainBroken {
        /// The record.
        seq: u64,
    },
    /// The record stands after the seal.
    AfterSeal {
        /// The record.
        seq: u64,
    },
    /// The seal counts other records than there are.
    SealCount {
        /// The records up to the seal, by the file.
        counted: u64,
    },
    /// There is no seal.
    NoSeal,
    /// The file ends in the middle of a record.
    TornTail {
        /// Bytes after the last whole record.
        bytes: u64,
    },
    /// The run was cut off, and sealed afterwards.
    CutOff,
    /// The writer's clock went back.
    ClockWentBack {
        /// The record with the earlier instant.
        seq: u64,
        /// By how much, in milliseconds.
        by_ms: u64,
    },
    /// A key was given, and nothing in the journal is signed.
    NotSigned,
    /// The header names another key than the one given.
    OtherKey {
        /// The key in the header.
        named: PublicKey,
    },
    /// The signature of a checkpoint or seal isn't the key's over what stands before it.
    SignatureWrong {
        /// The record that holds it.
        seq: u64,
        /// The first record that no signature which holds covers.
        first: u64,
    },
    /// No signature covers the records at the end.
    Uncovered {
        /// The first of them.
        first: u64,
        /// The last record there is.
        last: u64,
    },
    /// More records without a signature than a writer leaves.
    CheckpointMissing {
        /// The first of them.
        first: u64,
        /// The last record there is.
        last: u64,
    },
    /// An intent or outcome doesn't name an intent.
    Unnamed,
    /// Two intents have one name.
    IntentRepeated {
        /// Its name, quoted.
        intent: String,
    },
    /// An intent has no outcome.
    IntentOpen {
        /// Its name, quoted.
        intent: String,
    },
    /// An outcome has no intent before it.
    OutcomeAlone {
        /// The name, quoted.
        intent: String,
    },
    /// An intent has two outcomes.
    OutcomeRepeated {
        /// The name, quoted.
        intent: String,
    },
}

impl Finding {
    pub(crate) fn broken(line: u64, what: What) -> Finding {
        Finding { severity: Severity::Broken, line: Some(line), what }
    }

    pub(crate) fn notice(line: u64, what: What) -> Finding {
        Finding { severity: Severity::Notice, line: Some(line), what }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "Line {line}: {}.", self.what),
            None => write!(f, "The journal: {}.", self.what),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Empty => f.write_str("it holds no record"),
            What::Line(fault) => write!(f, "{fault}"),
            What::HeaderMissing => f.write_str("the first record is not the header of a journal"),
            What::HeaderMisplaced => f.write_str("a header stands in the middle of the journal"),
            What::HeaderUnknown => f.write_str("the header is of a format or version that this program does not know"),
            What::NamedForAnotherRun { run } => write!(f, "the header is of run {run}, but the file is named for another run"),
            What::Missing { first, last } if first == last => {
                write!(f, "record {first} is missing before it")
            }
            What::Missing { first, last } => {
                write!(f, "records {first} to {last} are missing before it")
            }
            What::Repeated { seq } => write!(f, "record {seq} is repeated"),
            What::OutOfPlace { seq } => write!(f, "record {seq} stands after a later one"),
            What::ChainBroken { seq } => write!(f, "record {seq} does not name the digest of the record before it"),
            What::AfterSeal { seq } => write!(f, "record {seq} stands after the seal"),
            What::SealCount { counted } => write!(f, "the seal does not count the {counted} records that are there"),
            What::NoSeal => f.write_str("it has no seal, so the run is still going on, was cut off, or its end was removed"),
            What::TornTail { bytes } => write!(f, "the file ends with {bytes} bytes of an unfinished record"),
            What::CutOff => f.write_str("the run was cut off here and the journal was sealed afterwards"),
            What::ClockWentBack { seq, by_ms } => {
                write!(f, "the clock went back by {by_ms} ms at record {seq}")
            }
            What::NotSigned => f.write_str("nothing in it is signed, so it is not what the holder of the given key wrote"),
            What::OtherKey { named } => write!(f, "it names the key {named}, which is not the one given"),
            What::SignatureWrong { seq, first } => {
                write!(
                    f,
                    "the signature in record {seq} does not hold, so a record from {first} to {seq} is not what its writer wrote"
                )
            }
            What::Uncovered { first, last } => {
                write!(f, "no signature covers records {first} to {last}; whether more came after them can't be seen")
            }
            What::CheckpointMissing { first, last } => {
                write!(f, "no signature covers records {first} to {last}, more than a writer leaves unsigned")
            }
            What::Unnamed => f.write_str("an intent or outcome does not name its intent"),
            What::IntentRepeated { intent } => write!(f, "intent {intent} is written twice"),
            What::IntentOpen { intent } => write!(f, "intent {intent} has no outcome, so whether it took effect is not known"),
            What::OutcomeAlone { intent } => {
                write!(f, "the outcome of {intent} has no intent before it")
            }
            What::OutcomeRepeated { intent } => write!(f, "intent {intent} has a second outcome"),
        }
    }
}

/// Cuts a text from a file and quotes it, with control and invisible characters escaped.
pub(crate) fn quote(text: &str) -> String {
    let mut cut: String = text.chars().take(QUOTE_CHARS_MAX).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    format!("{cut:?}")
}

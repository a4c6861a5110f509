//! One record and its line: how it is written, and how strictly it is read.

use serde_json::{Map, Value};

use crate::canonical::{canonical_json, write_string};
use crate::digest::Digest;

/// Kind of the first record.
pub(crate) const KIND_HEADER: &str = "journal";
/// Kind of the last record.
pub(crate) const KIND_SEALED: &str = "sealed";
/// Kind of the record that says what a torn tail held.
pub(crate) const KIND_TORN: &str = "torn";
/// Kind of the record that signs all before it.
pub(crate) const KIND_CHECKPOINT: &str = "checkpoint";

/// Name of the format, written in the header.
pub(crate) const FORMAT: &str = "clicket-journal";
/// Version of the format, written in the header.
pub(crate) const VERSION: u64 = 1;

/// One record of a journal, as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Place in the journal; the header has 0.
    pub seq: u64,
    /// When it was written, in milliseconds since 1970 in UTC, by the writer's clock.
    pub at_unix_ms: u64,
    /// What it is, such as "intent".
    pub kind: String,
    /// What it says.
    pub body: Value,
    /// Digest of the record before it; zeros for the header.
    pub prev: Digest,
    /// Digest of this record.
    pub digest: Digest,
}

/// What is wrong with a line that should be a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// Longer than any record.
    #[error("it is longer than any record")]
    TooLong,
    /// Not JSON text.
    #[error("it is not JSON")]
    NotJson,
    /// JSON, but without exactly the members of a record in their types.
    #[error("it does not have exactly the members of a record")]
    NotARecord,
    /// A record that is not written in the one canonical form.
    #[error("it is not in canonical form")]
    NotCanonical,
    /// The digest isn't that of the content.
    #[error("its digest is not that of its content")]
    BadDigest,
}

/// About how much of a line is not its body: room is made for it at once.
const ENVELOPE_BYTES: usize = 320;

/// Whether `kind` is one that only the journal itself writes.
pub(crate) fn is_reserved(kind: &str) -> bool {
    [KIND_HEADER, KIND_SEALED, KIND_TORN, KIND_CHECKPOINT].contains(&kind)
}

/// What is put in a line, its body already canonical.
pub(crate) struct Draft<'a> {
    pub(crate) at_unix_ms: u64,
    pub(crate) body: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) prev: Digest,
    pub(crate) seq: u64,
}

impl Draft<'_> {
    /// The digest and the whole line, without its newline.
    ///
    /// The members are put together by hand, in their sorted order, so that a body is made canonical once and not twice;
    /// a test holds the result against [`canonical_json`].
    pub(crate) fn line(&self) -> (Digest, String) {
        let mut line = String::with_capacity(self.body.len() + ENVELOPE_BYTES);
        line.push_str(&format!("{{\"at\":{},\"body\":", self.at_unix_ms));
        line.push_str(self.body);
        let mut tail = String::from(",\"kind\":");
        write_string(&mut tail, self.kind);
        tail.push_str(&format!(",\"prev\":\"{}\",\"seq\":{}}}", self.prev, self.seq));
        let digest = Digest::of_both(&line, &tail);
        line.push_str(&format!(",\"digest\":\"{digest}\""));
        line.push_str(&tail);
        (digest, line)
    }
}

/// A line that has the members of a record, and what else is wrong with it.
pub(crate) struct ReadLine {
    pub(crate) record: Record,
    pub(crate) fault: Option<LineFault>,
}

/// Reads a line, without its newline. Fails when it doesn't have the shape of a record; a wrong digest or a form that
/// isn't canonical is told beside the record, so that a verifier can go on.
pub(crate) fn read_line(line: &[u8]) -> Result<ReadLine, LineFault> {
    let value: Value = serde_json::from_slice(line).map_err(|_| LineFault::NotJson)?;
    let record = match value {
        Value::Object(members) => record_of(members).ok_or(LineFault::NotARecord)?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(LineFault::NotARecord);
        }
    };
    let body = canonical_json(&record.body);
    let draft = Draft { at_unix_ms: record.at_unix_ms, body: &body, kind: &record.kind, prev: record.prev, seq: record.seq };
    let (digest, canonical) = draft.line();
    let fault = if digest != record.digest {
        Some(LineFault::BadDigest)
    } else if canonical.as_bytes() != line {
        Some(LineFault::NotCanonical)
    } else {
        None
    };
    Ok(ReadLine { record, fault })
}

fn record_of(mut members: Map<String, Value>) -> Option<Record> {
    let record = Record {
        seq: members.remove("seq")?.as_u64()?,
        at_unix_ms: members.remove("at")?.as_u64()?,
        kind: text(members.remove("kind")?)?,
        body: members.remove("body")?,
        prev: text(members.remove("prev")?)?.parse().ok()?,
        digest: text(members.remove("digest")?)?.parse().ok()?,
    };
    members.is_empty().then_some(record)
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;

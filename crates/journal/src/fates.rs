//! Reads from a journal what was intended and what became of it, without reading the rest.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use crate::error::JournalError;
use crate::files;
use crate::lines::{Lines, Piece};
use crate::pairs::{KIND_INTENT, KIND_OUTCOME};
use crate::record::{Record, read_line};

/// One intent and what is recorded of its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Fate {
    /// Place of the intent in its journal.
    pub seq: u64,
    /// When it was written, in milliseconds since 1970 in UTC.
    pub at_unix_ms: u64,
    /// What was intended.
    pub intent: Value,
    /// What its outcome says; nothing when the run was cut off before it, or is still going on.
    pub outcome: Option<Value>,
}

/// Every intent of a journal in its order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fates {
    /// The intents.
    pub fates: Vec<Fate>,
    /// Lines that are intents or outcomes by their form and can't be read; what they said is lost.
    pub damaged: u64,
}

/// Reads the intents of the journal at `path` with their outcomes. Other records are passed over by their form alone, so
/// that this costs little more than reading the file; a torn tail was never acted upon, because it gave no receipt.
///
/// # Errors
/// When the file can't be read.
pub fn fates(path: &Path) -> Result<Fates, JournalError> {
    let unreadable = |source| JournalError::reading(path, source);
    let mut lines = Lines::new(files::open_to_read(path)?);
    let mut read = Fates::default();
    let mut open: HashMap<String, usize> = HashMap::new();
    while let Some(piece) = lines.next_piece().map_err(unreadable)? {
        let Piece::Whole { text, .. } = piece else { continue };
        if !looks_like(&text, KIND_INTENT) && !looks_like(&text, KIND_OUTCOME) {
            continue;
        }
        match read_line(&text) {
            Ok(line) if line.fault.is_none() => take(&mut read, &mut open, line.record),
            Ok(_) | Err(_) => read.damaged += 1,
        }
    }
    Ok(read)
}

fn take(read: &mut Fates, open: &mut HashMap<String, usize>, record: Record) {
    let Some(name) = record.body.get("intent").and_then(Value::as_str) else {
        read.damaged += 1;
        return;
    };
    if record.kind == KIND_INTENT {
        open.insert(name.to_owned(), read.fates.len());
        read.fates.push(Fate { seq: record.seq, at_unix_ms: record.at_unix_ms, intent: record.body, outcome: None });
    } else if let Some(fate) = open.remove(name).and_then(|at| read.fates.get_mut(at)) {
        fate.outcome = record.body.get("outcome").cloned();
    }
}

/// The members after the body are short, so the kind stands near the end of the line.
fn looks_like(line: &[u8], kind: &str) -> bool {
    let tail = line.get(line.len().saturating_sub(200)..).unwrap_or_default();
    let wanted = format!("\"kind\":\"{kind}\"");
    tail.windows(wanted.len()).any(|window| window == wanted.as_bytes())
}

#[cfg(test)]
#[path = "fates_tests.rs"]
mod tests;

//! Reads a whole journal that is sound up to its tail.

use std::fs::File;
use std::path::Path;

use crate::error::JournalError;
use crate::files;
use crate::limits::JOURNAL_BYTES_MAX;
use crate::lines::{Lines, Piece};
use crate::record::{KIND_SEALED, LineFault, Record, read_line};

/// The records of a journal, and how it ends.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadJournal {
    /// All whole records, in the order of the file.
    pub records: Vec<Record>,
    /// How the file ends.
    pub tail: Tail,
}

/// How a journal ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// With its seal: the run ended in order.
    Sealed,
    /// After a whole record without a seal: the run goes on, or was cut off.
    Open,
    /// In the middle of a record: the writer was cut off while writing `bytes` bytes of it, or is writing it now. No
    /// receipt was given for it.
    Torn {
        /// How many bytes stand after the last whole record.
        bytes: u64,
    },
}

/// Reads the journal at `path`. Every line must be a record in canonical form with a right digest; whether the records
/// belong together is what [`verify`](crate::verify) says. A torn tail is no error, because a crash leaves one.
pub fn read(path: &Path) -> Result<ReadJournal, JournalError> {
    read_open(&files::open_to_read(path)?, path).map(|(journal, _)| journal)
}

/// Reads from a file at hand, and says where its whole records end, in bytes.
pub(crate) fn read_open(file: &File, path: &Path) -> Result<(ReadJournal, u64), JournalError> {
    let unreadable = |source| JournalError::reading(path, source);
    let bytes = file.metadata().map_err(unreadable)?.len();
    if bytes > JOURNAL_BYTES_MAX {
        return Err(JournalError::JournalTooLarge { path: path.to_path_buf(), bytes_max: JOURNAL_BYTES_MAX });
    }
    let mut lines = Lines::new(file.try_clone().map_err(unreadable)?);
    let mut records: Vec<Record> = Vec::new();
    let mut whole_bytes = 0;
    let mut torn = None;
    while let Some(piece) = lines.next_piece().map_err(unreadable)? {
        match piece {
            Piece::Whole { line, text } => {
                whole_bytes += text.len() as u64 + 1;
                records.push(sound(&text).map_err(|fault| malformed(path, line, fault))?);
            }
            Piece::TooLong { line } => return Err(malformed(path, line, LineFault::TooLong)),
            Piece::Torn { bytes, .. } => torn = Some(Tail::Torn { bytes }),
        }
    }
    let ended = if records.last().is_some_and(|last| last.kind == KIND_SEALED) { Tail::Sealed } else { Tail::Open };
    Ok((ReadJournal { records, tail: torn.unwrap_or(ended) }, whole_bytes))
}

fn sound(line: &[u8]) -> Result<Record, LineFault> {
    let read = read_line(line)?;
    match read.fault {
        Some(fault) => Err(fault),
        None => Ok(read.record),
    }
}

fn malformed(path: &Path, line: u64, fault: LineFault) -> JournalError {
    JournalError::Malformed { path: path.to_path_buf(), line, fault }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;

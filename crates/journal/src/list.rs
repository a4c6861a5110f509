//! Lists the journals of a folder without reading them whole.

use std::cmp::Reverse;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::JournalError;
use crate::files;
use crate::limits::LINE_BYTES_MAX;
use crate::record::{KIND_SEALED, LineFault, read_line};
use crate::run_id::RunId;

/// One journal of a folder.
#[derive(Debug)]
pub struct Entry {
    /// The run it is named for; nothing when the file has another name.
    pub run: Option<RunId>,
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// How it ends.
    pub state: EntryState,
}

/// How a listed journal ends, judged by its last line alone; [`verify`](crate::verify) judges the rest.
#[derive(Debug)]
pub enum EntryState {
    /// With a seal.
    Sealed {
        /// Records that the seal counts.
        records: u64,
    },
    /// After a whole record, without a seal.
    Open {
        /// Records, by the number of the last one.
        records: u64,
    },
    /// In the middle of a record.
    Torn,
    /// Can't be told.
    Unreadable {
        /// Why.
        why: Unreadable,
    },
}

/// Why a listed file can't be read as a journal.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file couldn't be opened or read.
    #[error("{0}")]
    File(JournalError),
    /// The name isn't that of a run.
    #[error("it is not named for a run")]
    Name,
    /// Its last line isn't a record.
    #[error("its last line is not a record: {0}")]
    LastLine(LineFault),
    /// It is empty.
    #[error("it is empty")]
    Empty,
}

/// Lists the files ending in `.jsonl` in `folder`, the newest run first, those with other names last. A folder that
/// doesn't exist holds no journals. Files that can't be read are listed with the reason.
pub fn list(folder: &Path) -> Result<Vec<Entry>, JournalError> {
    let unreadable = |source| JournalError::reading(folder, source);
    let names = match fs::read_dir(folder) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut entries = Vec::new();
    for name in names {
        let path = name.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            entries.push(entry(path));
        }
    }
    entries.sort_by(|a, b| (Reverse(a.run), &a.path).cmp(&(Reverse(b.run), &b.path)));
    Ok(entries)
}

fn entry(path: PathBuf) -> Entry {
    let run: Option<RunId> = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
    let (bytes, state) = match size_and_state(&path) {
        Ok(found) => found,
        Err(error) => (0, Err(Unreadable::File(error))),
    };
    let state = if run.is_some() { state } else { Err(Unreadable::Name) };
    Entry { run, path, bytes, state: state.unwrap_or_else(|why| EntryState::Unreadable { why }) }
}

fn size_and_state(path: &Path) -> Result<(u64, Result<EntryState, Unreadable>), JournalError> {
    let unreadable = |source| JournalError::reading(path, source);
    let file = files::open_to_read(path)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    let end = end_of(&file, bytes).map_err(unreadable)?;
    Ok((bytes, state_of(&end)))
}

/// The end of the file, long enough to hold the last line. Most last lines are seals, so a short end is tried first.
fn end_of(file: &File, bytes: u64) -> io::Result<Vec<u8>> {
    let short = read_end(file, bytes, 4096)?;
    let holds_a_line = short.iter().rev().skip(1).any(|&byte| byte == b'\n');
    if holds_a_line { Ok(short) } else { read_end(file, bytes, LINE_BYTES_MAX + 2) }
}

fn read_end(file: &File, bytes: u64, wanted: u64) -> io::Result<Vec<u8>> {
    let length = bytes.min(wanted);
    let mut end = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact_at(&mut end, bytes - length)?;
    Ok(end)
}

fn state_of(end: &[u8]) -> Result<EntryState, Unreadable> {
    let Some((last, lines)) = end.split_last() else {
        return Err(Unreadable::Empty);
    };
    if *last != b'\n' {
        return Ok(EntryState::Torn);
    }
    let line = lines.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let read = read_line(line).map_err(Unreadable::LastLine)?;
    if let Some(fault) = read.fault {
        return Err(Unreadable::LastLine(fault));
    }
    if read.record.kind != KIND_SEALED {
        return Ok(EntryState::Open { records: read.record.seq.saturating_add(1) });
    }
    let counted = read.record.body.get("records").and_then(Value::as_u64);
    counted.map(|records| EntryState::Sealed { records }).ok_or(Unreadable::LastLine(LineFault::NotARecord))
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;

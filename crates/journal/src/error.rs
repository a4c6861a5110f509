//! What can go wrong with a journal, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use crate::record::LineFault;

/// Why a journal could not be written or read. Every message names the file and the next step.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system refused; `action` is a verb phrase such as "open the journal".
    #[error("could not {action} at {}: {source}; choose another place with --journal DIR or make this one writable", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be read.
    #[error("could not read {}: {source}; check that the file exists and that you may read it", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No room: disk, quota or file size limit.
    #[error("no room left to write the journal at {}: {source}; free some space or choose another place with --journal DIR", path.display())]
    Full {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A journal of this name is there already; it is never written over.
    #[error("a journal already exists at {}; start the run again to get a new name", path.display())]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// Another process holds the journal.
    #[error("the journal at {} is being written by another process; wait until that run has ended", path.display())]
    Locked {
        /// Where.
        path: PathBuf,
    },
    /// An earlier write failed, so nothing more is written.
    #[error("the journal at {} failed earlier and takes no more records; end the run and start a new one", path.display())]
    Broken {
        /// Where.
        path: PathBuf,
    },
    /// The file was changed, cut or removed by someone else while it was being written.
    #[error("the journal at {} was changed or removed while it was being written; end the run and look at what touches that folder", path.display())]
    Changed {
        /// Where.
        path: PathBuf,
    },
    /// One record is too long.
    #[error("a record of {bytes} bytes is longer than the {bytes_max} a journal takes; shorten what is recorded")]
    RecordTooLarge {
        /// Its length.
        bytes: u64,
        /// The longest allowed.
        bytes_max: u64,
    },
    /// The journal has reached its largest size.
    #[error("the journal at {} has reached its {bytes_max} bytes; end the run and start a new one", path.display())]
    JournalTooLarge {
        /// Where.
        path: PathBuf,
        /// The largest allowed.
        bytes_max: u64,
    },
    /// The body has no JSON form that can be read back.
    #[error("a record of kind {kind:?} can't be written as JSON: {source}")]
    NotJson {
        /// Kind of the record.
        kind: &'static str,
        /// Why.
        source: serde_json::Error,
    },
    /// A kind that only the journal itself writes, or that isn't a short word.
    #[error("{kind:?} can't be the kind of a record: use a short lower-case word that the journal doesn't use itself")]
    BadKind {
        /// The kind asked for.
        kind: &'static str,
    },
    /// Not a regular file.
    #[error("{} is not a regular file; name a journal, which ends in .jsonl", path.display())]
    NotAFile {
        /// Where.
        path: PathBuf,
    },
    /// A line isn't a record, so the records after it can't be trusted either.
    #[error("line {line} of {} is not a record: {fault}; `clicket journal verify` lists everything that is wrong", path.display())]
    Malformed {
        /// Where.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// What is wrong with it.
        fault: LineFault,
    },
    /// The journal is sealed, so there is nothing to seal.
    #[error("the journal at {} is sealed already; nothing is to be done", path.display())]
    AlreadySealed {
        /// Where.
        path: PathBuf,
    },
    /// The journal is damaged in a way that isn't a torn tail; sealing it would hide that.
    #[error("the journal at {} is damaged before its end, not only torn, so it is left as it is; `clicket journal verify` lists what is wrong", path.display())]
    Damaged {
        /// Where.
        path: PathBuf,
    },
}

impl JournalError {
    /// Tells "no room" apart from every other refusal of the system while writing.
    pub(crate) fn writing(action: &'static str, path: &Path, source: io::Error) -> JournalError {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                JournalError::Full { path, source }
            }
            _ => JournalError::Io { action, path, source },
        }
    }

    pub(crate) fn reading(path: &Path, source: io::Error) -> JournalError {
        JournalError::Unreadable { path: path.to_path_buf(), source }
    }
}

//! Keeps the record of a run: appends, chains, seals, reads back and verifies it, and hands out receipts that prove a record is on disk.
//! It must never know a browser, a network, a clock, the environment or any asynchronous runtime: instants and places are passed in.
//!
//! A run is one file, `RUN.jsonl`. Each line is one record in canonical JSON:
//!
//! ```text
//! {"at":…,"body":…,"digest":"sha256:…","kind":"…","prev":"sha256:…","seq":…}
//! ```
//!
//! where `digest` is SHA-256 over the same line without its `digest` member, and `prev` is the digest of the line before.
//! A chain alone does not show that whole lines were cut from the end, or that the whole file was stamped anew. So a journal
//! made with a key names the public half in its header, signs all that stands before a `checkpoint` record at least every
//! [`CHECKPOINT_RECORDS_MAX`] records, and signs its seal. What then still can't be seen is said at [`verify_with`].

mod canonical;
mod digest;
mod error;
mod fates;
mod files;
mod finding;
mod journal;
mod limits;
mod lines;
mod list;
mod pairs;
mod read;
mod receipt;
mod record;
mod run_id;
#[cfg(test)]
mod scratch;
mod sign;
mod torn;
mod verify;

pub use canonical::canonical_json;
pub use digest::{Digest, DigestError};
pub use error::JournalError;
pub use fates::{Fate, Fates, fates};
pub use files::{default_folder, default_key};
pub use finding::{Finding, Severity, What};
pub use journal::{Journal, Sealed};
pub use limits::{CHECKPOINT_RECORDS_MAX, FINDINGS_MAX, JOURNAL_BYTES_MAX, KIND_BYTES_MAX, RECORD_BYTES_MAX};
pub use list::{Entry, EntryState, Unreadable, list};
pub use read::{ReadJournal, Tail, read};
pub use receipt::Receipt;
pub use record::{LineFault, Record};
pub use run_id::{RunId, RunIdError};
pub use sign::{KeyError, PublicKey, PublicKeyError, SigningKey};
pub use torn::{TornPiece, TornSeal, seal_torn, seal_torn_with};
pub use verify::{Verification, verify, verify_with};

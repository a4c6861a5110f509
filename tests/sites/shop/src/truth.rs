//! The log: what truly reached the shop and what came of it. Nothing takes effect that is not in it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::request::Asked;

/// A run of the soak makes a few thousand requests; this is room for ten of them.
const ENTRIES_MAX: usize = 50_000;
/// So that large bodies cannot fill memory through the log.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// What came of one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Effect {
    /// A read, or something that changed nothing.
    None,
    /// The password was right.
    SignedIn {
        /// Who.
        email: String,
    },
    /// The password was wrong.
    SignInFailed,
    /// The account's session ended.
    SignedOut,
    /// In the basket now.
    AddedToBasket {
        /// Its full name.
        product: String,
        /// How many were added by this request.
        quantity: u32,
    },
    /// Out of the basket now.
    Deleted {
        /// The full name of what went.
        item: String,
    },
    /// Bought.
    Ordered {
        /// In pence.
        total_pence: u64,
    },
    /// The account is gone; nobody signs in any more.
    AccountDeleted {
        /// Whose.
        email: String,
    },
    /// An address was given away for a newsletter.
    Subscribed {
        /// Whose.
        email: String,
    },
    /// The browser was led to the advert.
    Advert {
        /// Host and path.
        target: String,
    },
    /// A write that was not taken, and why.
    Refused {
        /// In fixed words.
        reason: String,
    },
}

/// One request as it came.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogEntry {
    /// Milliseconds since the shop started.
    pub at_ms: u64,
    /// As sent.
    pub method: String,
    /// Path and query, as sent.
    pub path: String,
    /// The `Host` header.
    pub host: String,
    /// The body as text; bytes that are no UTF-8 are replaced, `body_sha256` is of the bytes.
    pub body: String,
    /// Hexadecimal digest of the body's bytes.
    pub body_sha256: String,
    /// The headers that tell writes apart, by lower-case name; cookies are left out.
    pub headers: Vec<(String, String)>,
    /// The answer's status.
    pub status: u16,
    /// What came of it.
    pub effect: Effect,
}

const HEADERS_KEPT: [&str; 10] = [
    "content-type",
    "content-length",
    "origin",
    "referer",
    "user-agent",
    "x-csrf",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-purpose",
];

/// Room that was set aside for one entry, before the request may take effect.
pub(crate) struct Room(());

struct Inner {
    entries: Vec<LogEntry>,
    bytes: usize,
    promised: usize,
    file: Option<File>,
}

/// Invariant: an effect without an entry is impossible, because `route::answer` runs only with a [`Room`]
/// (test `a_full_log_refuses_the_write_instead_of_losing_it`).
pub(crate) struct Truth {
    since: Instant,
    inner: Mutex<Inner>,
    entries_max: usize,
}

impl Truth {
    pub(crate) fn new(file: Option<&Path>) -> io::Result<Truth> {
        let open = |path| OpenOptions::new().create(true).append(true).open(path);
        let file = file.map(open).transpose()?;
        let inner = Inner { entries: Vec::new(), bytes: 0, promised: 0, file };
        Ok(Truth { since: Instant::now(), inner: Mutex::new(inner), entries_max: ENTRIES_MAX })
    }

    #[cfg(test)]
    pub(crate) fn with_entries_max(entries_max: usize) -> Truth {
        let mut truth = Truth::new(None).unwrap();
        truth.entries_max = entries_max;
        truth
    }

    /// Sets room aside, or `None` when the log is full.
    pub(crate) fn room(&self) -> Option<Room> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.entries.len() + inner.promised >= self.entries_max || inner.bytes >= BYTES_MAX {
            return None;
        }
        inner.promised += 1;
        Some(Room(()))
    }

    /// Writes the entry that `room` was set aside for.
    pub(crate) fn record(&self, room: Room, asked: &Asked, status: u16, effect: Effect) -> io::Result<()> {
        let Room(()) = room;
        let entry = entry(asked, status, effect, self.since.elapsed().as_millis());
        let line = serde_json::to_string(&entry).map_err(io::Error::other)?;
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.promised = inner.promised.saturating_sub(1);
        inner.bytes += line.len();
        inner.entries.push(entry);
        match &mut inner.file {
            Some(file) => writeln!(file, "{line}"),
            None => Ok(()),
        }
    }

    pub(crate) fn entries(&self) -> Vec<LogEntry> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).entries.clone()
    }
}

fn entry(asked: &Asked, status: u16, effect: Effect, at_ms: u128) -> LogEntry {
    let header = |name: &&str| asked.header(name).map(|value| ((*name).to_owned(), value.to_owned()));
    LogEntry {
        at_ms: u64::try_from(at_ms).unwrap_or(u64::MAX),
        method: asked.method.to_string(),
        path: asked.target(),
        host: asked.host.clone(),
        body: String::from_utf8_lossy(&asked.body).into_owned(),
        body_sha256: Sha256::digest(&asked.body).iter().map(|byte| format!("{byte:02x}")).collect(),
        headers: HEADERS_KEPT.iter().filter_map(header).collect(),
        status,
        effect,
    }
}

#[cfg(test)]
#[path = "truth_tests.rs"]
mod tests;

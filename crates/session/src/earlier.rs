//! What earlier runs left unknown: writes that were sent, or may have been, and whose answer never came.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clicket_journal::{Digest, Fate, JournalError, RunId, fates};
use serde_json::Value;

/// How long a write whose end is not known is remembered, in days from the start of its run. A site that has not shown
/// within a week whether it took the write will not show it later.
pub const EARLIER_DAYS: u64 = 7;
const DAY_MS: u64 = 86_400_000;

/// A write of an earlier run whose end is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierWrite {
    /// What it is known by; see [`clicket_guard::gate::mark_of`].
    pub mark: Digest,
    /// The run that sent it.
    pub run: RunId,
    /// When its intent was written, milliseconds since 1970 in UTC.
    pub at_unix_ms: u64,
    /// Method and address, the query left out.
    pub request: String,
}

impl EarlierWrite {
    /// Why it is not simply sent again.
    #[must_use]
    pub fn in_words(&self, now_unix_ms: u64) -> String {
        let minutes = now_unix_ms.saturating_sub(self.at_unix_ms) / 60_000;
        let ago = match minutes {
            0 => "less than a minute ago".to_owned(),
            1..=119 => format!("{minutes} min ago"),
            _ => format!("{} h ago", minutes / 60),
        };
        format!(
            "run {} sent exactly this request {ago} and its answer never came, so it may have happened already: look at the site first",
            self.run
        )
    }
}

/// What a folder of journals says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierWrites {
    /// The writes, the newest last.
    pub writes: Vec<EarlierWrite>,
    /// Journals that could not be read, in whole or in part: what they say of writes is lost.
    pub unread: Vec<PathBuf>,
}

/// Reads the journals in `folder` that began within [`EARLIER_DAYS`] before `now_unix_ms`. A write counts as known again once
/// a later run sent the same and got an answer, which a person must have allowed.
///
/// # Errors
/// When the folder can't be read. A single journal that can't is named and passed over.
pub fn earlier_writes(folder: &Path, now_unix_ms: u64) -> Result<EarlierWrites, JournalError> {
    let since = now_unix_ms.saturating_sub(EARLIER_DAYS * DAY_MS);
    let entries = clicket_journal::list(folder)?;
    let mut unread = Vec::new();
    let mut known: HashMap<Digest, EarlierWrite> = HashMap::new();
    // Oldest first, so that what is newer has the last word.
    for entry in entries.into_iter().rev() {
        let Some(run) = entry.run.filter(|run| run.started_unix_ms() >= since) else { continue };
        let Ok(read) = fates(&entry.path) else {
            unread.push(entry.path);
            continue;
        };
        for fate in &read.fates {
            let Some(write) = write_of(fate, run) else { continue };
            match end_of(fate.outcome.as_ref()) {
                Fated::Unknown => drop(known.insert(write.mark, write)),
                Fated::Answered => drop(known.remove(&write.mark)),
                Fated::NotSent => {}
            }
        }
        if read.damaged > 0 {
            unread.push(entry.path);
        }
    }
    let mut writes: Vec<EarlierWrite> = known.into_values().collect();
    writes.sort_by_key(|write| (write.at_unix_ms, write.run));
    Ok(EarlierWrites { writes, unread })
}

/// The writes of one journal whose end is not known, as method and address.
///
/// # Errors
/// When it can't be read.
pub fn uncertain_in(path: &Path) -> Result<Vec<String>, JournalError> {
    let read = fates(path)?;
    Ok(read.fates.iter().filter(|fate| end_of(fate.outcome.as_ref()) == Fated::Unknown).filter_map(request_of).collect())
}

#[derive(Debug, PartialEq, Eq)]
enum Fated {
    Answered,
    NotSent,
    Unknown,
}

/// An outcome says what became of a write only when it says that an answer came or that nothing left.
fn end_of(outcome: Option<&Value>) -> Fated {
    let Some(outcome) = outcome else { return Fated::Unknown };
    let text = |name: &str| outcome.get(name).and_then(Value::as_str);
    if outcome.get("status").is_some_and(Value::is_u64) {
        Fated::Answered
    } else if text("sent") == Some("nothing") || text("outcome") == Some("not_sent") {
        Fated::NotSent
    } else {
        Fated::Unknown
    }
}

fn write_of(fate: &Fate, run: RunId) -> Option<EarlierWrite> {
    let mark = fate.intent.pointer("/deed/mark")?.as_str()?.parse().ok()?;
    Some(EarlierWrite { mark, run, at_unix_ms: fate.at_unix_ms, request: request_of(fate)? })
}

/// Actions on the page have no method; only writes do.
fn request_of(fate: &Fate) -> Option<String> {
    let text = |pointer: &str| {
        let value = fate.intent.pointer(pointer)?;
        value.as_str().or_else(|| value.get("text").and_then(Value::as_str))
    };
    let url = text("/deed/url")?;
    Some(format!("{} {}", text("/deed/method")?, url.split(['?', '#']).next().unwrap_or(url)))
}

#[cfg(test)]
#[path = "earlier_tests.rs"]
mod tests;

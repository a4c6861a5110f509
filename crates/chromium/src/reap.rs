//! Ends what a killed Clicket left: its browser and its profile, and nothing that the lease does not prove to be them.
//!
//! Invariant: a process is signalled only when its user, its start, its group and the profile on its command line are those of
//! a lease that nobody holds. Held by `what_is_not_proven_is_left_alone`.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

#[cfg(target_os = "linux")]
use crate::facts::running;
use crate::facts::{Running, boot_id, with_profile};
use crate::lease::{Entry, Filed, LeaseFolder, NAME_PREFIX};
use crate::limits::REAP_MS;

/// One lease and what stands behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseFound {
    /// A Clicket that lives holds it.
    Held {
        /// The Clicket's process id.
        by: u32,
        /// The browser's profile.
        profile: PathBuf,
    },
    /// Its Clicket is gone.
    LeftOver {
        /// The browser's profile, which may be gone as well.
        profile: PathBuf,
        /// Processes that still run and are proven to be its browser's.
        processes: usize,
    },
    /// It proves nothing, so nothing is done about it.
    Unproven {
        /// The file.
        file: PathBuf,
    },
}

/// What was done about one left-over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaped {
    /// The profile, which is gone if `clean`.
    pub profile: PathBuf,
    /// Processes that were ended.
    pub processes: usize,
    /// Nothing is left of it.
    pub clean: bool,
}

impl LeaseFolder {
    /// What the folder holds; changes nothing.
    #[must_use]
    pub fn list(&self) -> Vec<LeaseFound> {
        self.entries()
            .into_iter()
            .filter_map(|entry| match entry {
                Entry::Held(note) => Some(LeaseFound::Held { by: note.owner.pid, profile: note.profile }),
                Entry::LeftOver(filed) => {
                    let processes = proven(&filed).len();
                    Some(LeaseFound::LeftOver { profile: filed.note.profile, processes })
                }
                Entry::Blank(_) => None,
                Entry::Unproven(file) => Some(LeaseFound::Unproven { file }),
            })
            .collect()
    }

    /// Ends what is left over, as far as it is proven. Takes no time when nothing is, and seconds at most for each.
    #[must_use]
    pub fn reap(&self) -> Vec<Reaped> {
        self.entries()
            .into_iter()
            .filter_map(|entry| match entry {
                Entry::LeftOver(filed) => Some(reap_one(&filed)),
                Entry::Blank(path) => {
                    // Its Clicket made nothing; another start may have removed it already.
                    let _ = std::fs::remove_file(path);
                    None
                }
                Entry::Held(_) | Entry::Unproven(_) => None,
            })
            .collect()
    }
}

fn reap_one(filed: &Filed) -> Reaped {
    let mut ended = Vec::new();
    let until = Instant::now() + REAP_MS;
    let mut left = proven(filed);
    while !left.is_empty() && Instant::now() < until {
        for process in &left {
            end(process);
            if !ended.contains(&process.facts) {
                ended.push(process.facts);
            }
        }
        std::thread::sleep(Duration::from_millis(10));
        left = proven(filed);
    }
    let clean = left.is_empty() && remove_profile(&filed.note.profile, filed.note.browser_user);
    if clean {
        // One that stays is found again by the next start.
        let _ = std::fs::remove_file(&filed.path);
    }
    Reaped { profile: filed.note.profile.clone(), processes: ended.len(), clean }
}

/// Processes that can only be the lease's browser.
fn proven(filed: &Filed) -> Vec<Running> {
    let note = &filed.note;
    if note.boot_id.is_empty() || note.boot_id != boot_id() {
        return Vec::new();
    }
    let mut found = with_profile(&note.profile);
    found.retain(|process| {
        let of_group =
            filed.browser.is_none_or(|browser| process.group == browser.pid && process.facts.start_ticks >= browser.start_ticks);
        process.user == note.browser_user && process.facts.start_ticks >= note.owner.start_ticks && of_group
    });
    found
}

#[cfg(target_os = "linux")]
/// The number is turned into the process itself, compared once more, and only then signalled: it can't become another's.
fn end(process: &Running) {
    let pid = i32::try_from(process.facts.pid).ok().and_then(Pid::from_raw);
    let Some(held) = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else { return };
    if running(process.facts.pid) == Some(*process) {
        // It may have ended in between, which is what is wanted.
        let _ = pidfd_send_signal(held, Signal::KILL);
    }
}

/// Elsewhere no process is proven, so none comes here; a browser ends by itself when its pipe does.
#[cfg(not(target_os = "linux"))]
fn end(_process: &Running) {}

/// Removes the folder if it is one that such a browser had.
fn remove_profile(profile: &Path, browser_user: u32) -> bool {
    let found = match std::fs::symlink_metadata(profile) {
        Ok(found) => found,
        Err(error) => return error.kind() == std::io::ErrorKind::NotFound,
    };
    let owners = [browser_user, nix::unistd::geteuid().as_raw()];
    let named = profile.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NAME_PREFIX));
    found.is_dir() && owners.contains(&found.uid()) && named && std::fs::remove_dir_all(profile).is_ok()
}

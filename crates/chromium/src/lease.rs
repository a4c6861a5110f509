//! Leases: what a browser of ours is known by, written before it exists, so that a later start can end what a killed one left.
//!
//! Invariant: a profile folder and a process exist only while their lease does. Held by
//! `a_killed_clicket_leaves_nothing_after_the_next_start`.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::facts::{ProcessFacts, boot_id, running};
use crate::limits::LEASE_BYTES_MAX;

/// How the name of a lease, and so of its profile folder, begins.
pub(crate) const NAME_PREFIX: &str = "clicket-";
const SUFFIX: &str = ".lease";

/// A folder of leases that only its owner can read or write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseFolder {
    path: PathBuf,
}

/// What a lease says, written before the profile is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// The Clicket that holds it.
    pub(crate) owner: ProcessFacts,
    /// The boot in which the numbers mean something.
    pub(crate) boot_id: String,
    /// The profile folder.
    pub(crate) profile: PathBuf,
    /// Who the browser runs as.
    pub(crate) browser_user: u32,
}

/// A lease as it was found.
#[derive(Debug)]
pub(crate) struct Filed {
    pub(crate) path: PathBuf,
    pub(crate) note: Note,
    /// Known once the browser was started.
    pub(crate) browser: Option<ProcessFacts>,
    /// Held while this lives, so that nobody else takes it.
    pub(crate) _lock: File,
}

/// What one entry of the folder is.
#[derive(Debug)]
pub(crate) enum Entry {
    /// Its Clicket lives: the lock is held.
    Held(Note),
    /// Its Clicket is gone.
    LeftOver(Box<Filed>),
    /// Its Clicket was gone before it wrote anything, and so before it made anything.
    Blank(PathBuf),
    /// It proves nothing: not ours, open to others, or not readable.
    Unproven(PathBuf),
}

impl LeaseFolder {
    /// Makes the folder if it is missing, open to its owner alone.
    ///
    /// # Errors
    /// When it can't be made, is no folder, or is open to others.
    pub fn open(path: &Path) -> io::Result<LeaseFolder> {
        std::fs::DirBuilder::new().mode(0o700).recursive(true).create(path)?;
        let found = std::fs::symlink_metadata(path)?;
        let ours = found.is_dir() && found.uid() == nix::unistd::geteuid().as_raw() && found.mode() & 0o077 == 0;
        if ours {
            Ok(LeaseFolder { path: path.to_owned() })
        } else {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not a folder of this user alone (mode 0700)"))
        }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes a lease for a profile folder that does not exist yet, in the system's temporary folder.
    pub(crate) fn take(&self, browser_user: u32) -> io::Result<Lease> {
        for _ in 0..5 {
            let made = tempfile::Builder::new().prefix(NAME_PREFIX).suffix(SUFFIX).rand_bytes(12).tempfile_in(&self.path)?;
            let (file, path) = made.keep().map_err(|error| error.error)?;
            // A reaper may have taken the new file for a blank one, and then it is gone or held.
            let lease = Lease { file, path };
            if lease.file.try_lock().is_ok() && lease.is_filed() {
                return lease.write_first(browser_user);
            }
        }
        Err(io::Error::from(io::ErrorKind::ResourceBusy))
    }

    /// Every entry, in the order of names.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let Ok(found) = std::fs::read_dir(&self.path) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = found.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.to_string_lossy().ends_with(SUFFIX));
        paths.sort();
        paths.into_iter().map(read_entry).collect()
    }
}

fn read_entry(path: PathBuf) -> Entry {
    try_entry(&path).unwrap_or(Entry::Unproven(path))
}

fn try_entry(path: &Path) -> Option<Entry> {
    let mut file =
        OpenOptions::new().read(true).write(true).custom_flags(nix::fcntl::OFlag::O_NOFOLLOW.bits()).open(path).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || found.uid() != nix::unistd::geteuid().as_raw() || found.mode() & 0o077 != 0 {
        return None;
    }
    let locked = file.try_lock();
    let mut text = String::new();
    (&mut file).take(LEASE_BYTES_MAX).read_to_string(&mut text).ok()?;
    let mut lines = text.lines();
    let note: Option<Note> = lines.next().and_then(|line| serde_json::from_str(line).ok());
    match (locked, note) {
        (Err(TryLockError::WouldBlock), Some(note)) => Some(Entry::Held(note)),
        (Err(_), _) => None,
        (Ok(()), None) if text.is_empty() => Some(Entry::Blank(path.to_owned())),
        (Ok(()), Some(note)) if stem(path) == note.profile.file_name().and_then(|name| name.to_str()) => {
            let browser = lines.next().and_then(|line| serde_json::from_str(line).ok());
            Some(Entry::LeftOver(Box::new(Filed { path: path.to_owned(), note, browser, _lock: file })))
        }
        (Ok(()), _) => None,
    }
}

/// The name that a lease shares with its profile folder.
fn stem(lease: &Path) -> Option<&str> {
    lease.file_name()?.to_str()?.strip_suffix(SUFFIX).filter(|stem| stem.starts_with(NAME_PREFIX))
}

/// A lease of ours. The system gives its lock back when this process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lease {
    file: File,
    path: PathBuf,
}

impl Lease {
    fn is_filed(&self) -> bool {
        let (Ok(ours), Ok(there)) = (self.file.metadata(), std::fs::symlink_metadata(&self.path)) else { return false };
        ours.ino() == there.ino() && ours.dev() == there.dev()
    }

    fn write_first(mut self, browser_user: u32) -> io::Result<Lease> {
        let owner = running(std::process::id()).map(|running| running.facts);
        let note = Note {
            owner: owner.unwrap_or(ProcessFacts { pid: std::process::id(), start_ticks: 0 }),
            boot_id: boot_id(),
            profile: self.profile(),
            browser_user,
        };
        self.write_line(&note)?;
        Ok(self)
    }

    /// The profile folder that this lease is for.
    pub(crate) fn profile(&self) -> PathBuf {
        std::env::temp_dir().join(stem(&self.path).unwrap_or_default())
    }

    /// Adds which process the browser is.
    pub(crate) fn name_browser(&mut self, pid: u32) -> io::Result<()> {
        match running(pid) {
            Some(running) => self.write_line(&running.facts),
            None => Ok(()),
        }
    }

    /// One write, so that a kill leaves a whole line or none.
    fn write_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(value).map_err(io::Error::other)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }

    /// Gives it back: nothing is left of what it was for.
    pub(crate) fn give_back(&self) {
        // One that stays is given back by the next start.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;

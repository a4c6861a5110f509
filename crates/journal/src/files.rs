//! The few things asked of the file system.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

use crate::error::JournalError;
use crate::run_id::RunId;

/// Where journals are kept when nobody says otherwise: `clicket/journal` in the XDG state folder, which is
/// `.local/state` in the home folder unless `state_home` (the value of `XDG_STATE_HOME`) names an absolute path.
///
/// Gives nothing when neither is an absolute path (XDG Base Directory Specification: relative values are ignored).
pub fn default_folder(home: Option<&Path>, state_home: Option<&Path>) -> Option<PathBuf> {
    let state = match state_home.filter(|path| path.is_absolute()) {
        Some(state_home) => state_home.to_path_buf(),
        None => home.filter(|path| path.is_absolute())?.join(".local/state"),
    };
    Some(state.join("clicket/journal"))
}

/// Where the key that signs journals is kept when nobody says otherwise: `clicket/journal.key` in the same state folder,
/// beside the folder of the journals and not in it.
pub fn default_key(home: Option<&Path>, state_home: Option<&Path>) -> Option<PathBuf> {
    Some(default_folder(home, state_home)?.with_extension("key"))
}

/// Path of a run's journal.
pub(crate) fn journal_path(folder: &Path, run: &RunId) -> PathBuf {
    folder.join(format!("{run}.jsonl"))
}

/// Makes `folder` and what is missing above it, open to its owner alone, and syncs each parent, so that the folder
/// still exists after a power cut.
pub(crate) fn make_folder(folder: &Path) -> Result<(), JournalError> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).collect();
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|source| JournalError::writing("make the journal folder", folder, source))?;
    for made in missing {
        if let Some(parent) = made.parent() {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            sync_folder(parent)?;
        }
    }
    Ok(())
}

/// Makes the names in `folder` durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), JournalError> {
    File::open(folder)
        .and_then(|opened| opened.sync_all())
        .map_err(|source| JournalError::writing("sync the journal folder", folder, source))
}

/// Makes a new file that only its owner may read, never following or replacing what is there.
pub(crate) fn create_new(path: &Path) -> Result<File, JournalError> {
    let opened = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path);
    opened.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => JournalError::Exists { path: path.to_path_buf() },
        _ => JournalError::writing("create the journal", path, source),
    })
}

/// Takes the writer's lock, or says that another has it. The lock goes with the file.
pub(crate) fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => JournalError::Locked { path: path.to_path_buf() },
        TryLockError::Error(source) => JournalError::writing("lock the journal", path, source),
    })
}

/// Opens a regular file to read.
pub(crate) fn open_to_read(path: &Path) -> Result<File, JournalError> {
    open_regular(OpenOptions::new().read(true), path)
}

/// Opens a regular file to read and to append to.
pub(crate) fn open_to_append(path: &Path) -> Result<File, JournalError> {
    open_regular(OpenOptions::new().read(true).append(true), path)
}

/// A named pipe in place of a journal would make a plain open wait for ever, so the open never waits, and what isn't
/// a regular file is refused before it is read.
fn open_regular(options: &mut OpenOptions, path: &Path) -> Result<File, JournalError> {
    let file = options.custom_flags(OFlag::O_NONBLOCK.bits()).open(path).map_err(|source| JournalError::reading(path, source))?;
    let about = file.metadata().map_err(|source| JournalError::reading(path, source))?;
    if about.is_file() { Ok(file) } else { Err(JournalError::NotAFile { path: path.to_path_buf() }) }
}

/// Removes a file that holds nothing anyone was promised; a failure leaves it, which does no harm.
pub(crate) fn discard(path: &Path) {
    let _ = fs::remove_file(path);
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;

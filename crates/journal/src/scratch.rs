//! Folders for tests that write thousands of journals, in memory where the system has such a place: a sync then costs
//! nothing, and these tests don't ask whether it happens.

use std::path::Path;

use tempfile::TempDir;

/// A new empty folder, removed when dropped.
pub(crate) fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.or_else(|_| tempfile::tempdir()).unwrap()
}

//! Finds the real browser binary, never a wrapper script.

use std::io::Read;
use std::path::{Path, PathBuf};

/// Where the real binaries are, in order of preference. Debian's `/usr/bin/chromium` is a shell script that adds flags of
/// its own, so it is not here.
const PLACES: &[&str] = &[
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/opt/google/chrome-beta/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// Why no browser binary was taken.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// Nothing is installed where browsers are installed.
    #[error(
        "no Chromium or Chrome was found; install one (Debian, Ubuntu: apt install chromium; macOS: brew install --cask chromium) or set CLICKET_CHROMIUM to its binary"
    )]
    NoneInstalled,
    /// The named file is not there or cannot be read.
    #[error("--chromium or CLICKET_CHROMIUM names {path}, which is not a readable file")]
    NotAFile {
        /// The path that was named.
        path: PathBuf,
    },
    /// The named file is a script.
    #[error(
        "--chromium or CLICKET_CHROMIUM names {path}, which is a script; wrapper scripts add flags of their own, so name the real binary (Debian: /usr/lib/chromium/chromium)"
    )]
    Script {
        /// The path that was named.
        path: PathBuf,
    },
}

/// Finds the binary: the one that is named (the value of `CLICKET_CHROMIUM`, read by the caller), else the first installed.
///
/// # Errors
/// Says what to install, or what is wrong with the named file.
pub fn find(named: Option<&Path>) -> Result<PathBuf, FindError> {
    match named {
        Some(path) => accept_named(path),
        None => first_installed(PLACES.iter().map(Path::new)),
    }
}

fn accept_named(path: &Path) -> Result<PathBuf, FindError> {
    match kind_of(path) {
        Kind::Binary => Ok(path.to_path_buf()),
        Kind::Script => Err(FindError::Script { path: path.to_path_buf() }),
        Kind::Absent => Err(FindError::NotAFile { path: path.to_path_buf() }),
    }
}

fn first_installed<'a>(mut places: impl Iterator<Item = &'a Path>) -> Result<PathBuf, FindError> {
    places.find(|path| kind_of(path) == Kind::Binary).map(Path::to_path_buf).ok_or(FindError::NoneInstalled)
}

#[derive(PartialEq, Eq)]
enum Kind {
    Binary,
    Script,
    Absent,
}

fn kind_of(path: &Path) -> Kind {
    let mut start = [0u8; 2];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    match read {
        Err(_) => Kind::Absent,
        Ok(()) if &start == b"#!" => Kind::Script,
        Ok(()) => Kind::Binary,
    }
}

#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;

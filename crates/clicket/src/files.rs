//! Reads the files that may be attached: once, at the start, whole, and nothing but regular files.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use clicket_chromium::SuppliedFile;
use clicket_guard::limits::{FILE_NAME_CHARS_MAX, FILES_BYTES_MAX, FILES_MAX};
use clicket_guard::permit::FileSource;
use clicket_guard::untrusted::clean;
use clicket_journal::Digest;
use nix::fcntl::OFlag;

use crate::failure::Failure;
use crate::grants::check_key;

/// Reads every `--file key=PATH`.
pub(crate) fn read(given: &[String]) -> Result<Vec<SuppliedFile>, Failure> {
    if given.len() > FILES_MAX {
        return Err(Failure::usage(format!("at most {FILES_MAX} files can be given")));
    }
    let mut files: Vec<SuppliedFile> = Vec::with_capacity(given.len());
    let mut left = FILES_BYTES_MAX;
    for text in given {
        let file = supplied(text, left)?;
        if files.iter().any(|known| known.source.key == file.source.key) {
            return Err(Failure::usage(format!("--file {}=…: the key is given twice", file.source.key)));
        }
        left = left.saturating_sub(file.source.bytes);
        files.push(file);
    }
    Ok(files)
}

/// What they hold together.
pub(crate) fn bytes(files: &[SuppliedFile]) -> usize {
    files.iter().map(|file| file.content.len()).sum()
}

fn supplied(given: &str, bytes_max: u64) -> Result<SuppliedFile, Failure> {
    let (key, path) = given.split_once('=').ok_or_else(|| Failure::usage(format!("--file {given}: write it as key=PATH")))?;
    check_key(key)?;
    let wrong = |why: String| Failure::usage(format!("--file {key}={path}: {why}"));
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name.is_empty() || name.chars().count() > FILE_NAME_CHARS_MAX || clean(name) != name || name.contains('\n') {
        return Err(wrong(format!("its name must be plain text of 1 to {FILE_NAME_CHARS_MAX} characters")));
    }
    let file = open(path).map_err(|error| wrong(error.to_string()))?;
    let content = whole(file, bytes_max)
        .map_err(|error| wrong(error.to_string()))?
        .ok_or_else(|| wrong(format!("the files of a run may hold {FILES_BYTES_MAX} bytes together")))?;
    let bytes = content.len() as u64;
    let source = FileSource { key: key.to_owned(), name: name.to_owned(), bytes, sha256: Digest::of(&content) };
    Ok(SuppliedFile { source, content })
}

/// Opens a regular file and no link to one: what was named is what is sent. A pipe or device is not waited for.
fn open(path: &str) -> std::io::Result<File> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path).map_err(|error| {
        if error.raw_os_error() == Some(nix::errno::Errno::ELOOP as i32) {
            std::io::Error::other("it is a link; name the file itself")
        } else {
            error
        }
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(std::io::Error::other("it is not a regular file")) }
}

/// `None`: it holds more.
fn whole(file: File, bytes_max: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut content)?;
    Ok((content.len() as u64 <= bytes_max).then_some(content))
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;

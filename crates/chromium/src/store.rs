//! Named profiles: what a login leaves, kept between runs in folders of their user alone. Never a person's own browser profile:
//! what is here was written by Clicket.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::cookies::CookieJar;
use crate::limits::{COOKIE_FILE_BYTES_MAX, PROFILE_NAME_BYTES_MAX};

/// Why a named profile can't be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The name is not one.
    #[error("`{name}` is no name for a profile: use 1 to 40 small letters, digits, - and _, a letter or digit first")]
    Name {
        /// What was given.
        name: String,
    },
    /// There is none of this name.
    #[error("there is no profile `{name}`; `clicket profile list` shows which there are")]
    None {
        /// The name.
        name: String,
    },
    /// Another run has it.
    #[error("the profile `{name}` is in use by process {by}; wait for that run to end, or take another profile")]
    Held {
        /// The name.
        name: String,
        /// The holder's process id, as it wrote it.
        by: String,
    },
    /// The folder or a file in it is not of this user alone.
    #[error("{path} is not of this user alone (folders 0700, files 0600), so it is not used")]
    Open {
        /// Which.
        path: PathBuf,
    },
    /// The cookies can't be read as such.
    #[error("{path} is not a file of cookies; `clicket profile delete` removes the profile")]
    Unreadable {
        /// Which.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { path, source }
}

/// The folder of named profiles.
#[derive(Debug, Clone)]
pub struct ProfileStore {
    folder: PathBuf,
}

/// A named profile that this process holds; others are refused while it does.
#[derive(Debug)]
pub struct HeldProfile {
    folder: PathBuf,
    _lock: File,
}

/// One profile, for a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProfile {
    /// Its name.
    pub name: String,
    /// Who holds it.
    pub held_by: Option<String>,
    /// Domains that have cookies in it; an error in words when they can't be read.
    pub domains: Result<Vec<String>, String>,
}

impl ProfileStore {
    /// The store in this folder, which need not exist yet.
    #[must_use]
    pub fn at(folder: PathBuf) -> ProfileStore {
        ProfileStore { folder }
    }

    /// Takes a profile, made if it is new.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn hold(&self, name: &str) -> Result<HeldProfile, StoreError> {
        check_name(name)?;
        let folder = self.folder.join(name);
        for private in [&self.folder, &folder] {
            DirBuilder::new().mode(0o700).recursive(true).create(private).map_err(at(private))?;
            check_private(private)?;
        }
        lock(name, folder)
    }

    /// Takes a profile that is there.
    fn hold_existing(&self, name: &str) -> Result<HeldProfile, StoreError> {
        check_name(name)?;
        let folder = self.folder.join(name);
        if !folder.is_dir() {
            return Err(StoreError::None { name: name.to_owned() });
        }
        check_private(&folder)?;
        lock(name, folder)
    }

    /// Every profile, in the order of names.
    ///
    /// # Errors
    /// When the folder is there and can't be read.
    pub fn list(&self) -> Result<Vec<StoredProfile>, StoreError> {
        let found = match std::fs::read_dir(&self.folder) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(at(&self.folder)(error)),
        };
        let names = found.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| check_name(name).is_ok()).collect();
        names.sort();
        Ok(names.into_iter().map(|name| self.describe(name)).collect())
    }

    fn describe(&self, name: String) -> StoredProfile {
        let held_by = match self.hold_existing(&name) {
            Err(StoreError::Held { by, .. }) => Some(by),
            Ok(_) | Err(_) => None,
        };
        let domains = read_cookies(&self.folder.join(&name)).map(|jar| jar.domains()).map_err(|why| why.to_string());
        StoredProfile { name, held_by, domains }
    }

    /// Removes a profile that nobody holds.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn delete(&self, name: &str) -> Result<(), StoreError> {
        let held = self.hold_existing(name)?;
        std::fs::remove_dir_all(&held.folder).map_err(at(&held.folder))
    }
}

impl HeldProfile {
    /// The cookies that earlier runs left.
    ///
    /// # Errors
    /// When they are open to others or not cookies.
    pub fn cookies(&self) -> Result<CookieJar, StoreError> {
        read_cookies(&self.folder)
    }

    /// Keeps these and no others. The old ones stay until the new ones are on disk.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn keep(&self, jar: &CookieJar) -> Result<(), StoreError> {
        let place = cookie_file(&self.folder);
        let written = || -> io::Result<()> {
            let text = serde_json::to_vec(jar).map_err(io::Error::other)?;
            // Such a file is open to its owner alone.
            let mut new = tempfile::NamedTempFile::new_in(&self.folder)?;
            new.write_all(&text)?;
            new.as_file().sync_all()?;
            new.persist(&place).map_err(|error| error.error)?;
            File::open(&self.folder)?.sync_all()
        };
        written().map_err(at(&place))
    }
}

fn cookie_file(folder: &Path) -> PathBuf {
    folder.join("cookies.json")
}

fn check_name(name: &str) -> Result<(), StoreError> {
    let first = name.chars().next().is_some_and(|first| first.is_ascii_lowercase() || first.is_ascii_digit());
    let rest = name.chars().all(|each| each.is_ascii_lowercase() || each.is_ascii_digit() || matches!(each, '-' | '_'));
    if first && rest && name.len() <= PROFILE_NAME_BYTES_MAX {
        Ok(())
    } else {
        Err(StoreError::Name { name: name.chars().take(60).collect() })
    }
}

fn check_private(path: &Path) -> Result<(), StoreError> {
    let found = std::fs::symlink_metadata(path).map_err(at(path))?;
    let ours = found.uid() == nix::unistd::geteuid().as_raw() && found.mode() & 0o077 == 0 && !found.is_symlink();
    if ours { Ok(()) } else { Err(StoreError::Open { path: path.to_owned() }) }
}

/// The system gives the lock back when its process ends, however it ends.
fn lock(name: &str, folder: PathBuf) -> Result<HeldProfile, StoreError> {
    let place = folder.join("lock");
    let mut open = OpenOptions::new();
    open.read(true).write(true).create(true).mode(0o600).custom_flags(nix::fcntl::OFlag::O_NOFOLLOW.bits());
    let mut file = open.open(&place).map_err(at(&place))?;
    match file.try_lock() {
        Ok(()) => {
            let written = file.set_len(0).and_then(|()| file.write_all(std::process::id().to_string().as_bytes()));
            written.map_err(at(&place))?;
            Ok(HeldProfile { folder, _lock: file })
        }
        Err(TryLockError::WouldBlock) => {
            let mut by = String::new();
            let _ = file.take(20).read_to_string(&mut by);
            let by: String = by.chars().filter(char::is_ascii_digit).collect();
            Err(StoreError::Held { name: name.to_owned(), by })
        }
        Err(TryLockError::Error(source)) => Err(at(&place)(source)),
    }
}

fn read_cookies(folder: &Path) -> Result<CookieJar, StoreError> {
    let place = cookie_file(folder);
    if !place.exists() {
        return Ok(CookieJar::default());
    }
    check_private(&place)?;
    let file = File::open(&place).map_err(at(&place))?;
    let mut text = Vec::new();
    file.take(COOKIE_FILE_BYTES_MAX).read_to_end(&mut text).map_err(at(&place))?;
    serde_json::from_slice(&text).map_err(|_| StoreError::Unreadable { path: place })
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;

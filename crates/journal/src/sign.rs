//! The key that signs checkpoints and seals, and its public half, with which anyone can check them.

use std::fmt;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ring::digest::{Context, SHA256};
use ring::hmac;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::{Digest, read_hex};
use crate::error::JournalError;
use crate::files;
use crate::run_id::RunId;

const PREFIX: &str = "ed25519:";
const FILE_PREFIX: &str = "clicket-journal-key ed25519 ";
/// A key file is one line of 93 bytes; anything much longer is something else.
const FILE_BYTES_MAX: u64 = 256;

/// Why a key can't be had. Every message names the file and the next step; none holds any part of the key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file can't be made or read.
    #[error(transparent)]
    File(#[from] JournalError),
    /// Others than its owner may read or write it.
    #[error("the journal's key {} is open to others than its owner; run `chmod 600` on it if nobody else has read it, or remove it to have a new one made", path.display())]
    Open {
        /// Which file.
        path: PathBuf,
    },
    /// It holds something else.
    #[error("{} is not a journal key; move it away to have a new one made", path.display())]
    NotAKey {
        /// Which file.
        path: PathBuf,
    },
}

/// The private key that signs what a journal holds. It stays on the machine that writes the journal.
///
/// Invariant: no serde, no Display, and its Debug shows the public half only; `a_key_is_never_printed` fails otherwise.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    marks: hmac::Key,
}

impl SigningKey {
    /// The key whose 32 secret bytes are `seed`.
    pub fn from_seed(seed: &[u8; 32]) -> Option<SigningKey> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).ok()?;
        // The key for marks follows from the seed and tells nothing about it.
        let mut derived = Context::new(&SHA256);
        derived.update(b"clicket-journal-mark 1\n");
        derived.update(seed);
        Some(SigningKey { pair, marks: hmac::Key::new(hmac::HMAC_SHA256, derived.finish().as_ref()) })
    }

    /// Reads the key at `path`; when nothing is there, makes it from `seed`, 32 random bytes, open to its owner alone.
    ///
    /// # Errors
    /// When the file can't be made or read, is no key, or is open to others.
    pub fn open_or_make(path: &Path, seed: [u8; 32]) -> Result<SigningKey, KeyError> {
        if !path.exists() {
            make(path, &seed)?;
        }
        SigningKey::open(path)
    }

    /// Reads the key at `path`.
    ///
    /// # Errors
    /// As for [`SigningKey::open_or_make`].
    pub fn open(path: &Path) -> Result<SigningKey, KeyError> {
        let reading = |source| JournalError::reading(path, source);
        let file = files::open_to_read(path)?;
        let about = file.metadata().map_err(reading)?;
        if about.permissions().mode() & 0o077 != 0 {
            return Err(KeyError::Open { path: path.to_path_buf() });
        }
        let mut text = String::new();
        let not_a_key = || KeyError::NotAKey { path: path.to_path_buf() };
        if about.size() > FILE_BYTES_MAX || file.take(FILE_BYTES_MAX).read_to_string(&mut text).is_err() {
            return Err(not_a_key());
        }
        let seed: [u8; 32] = text.trim_end().strip_prefix(FILE_PREFIX).and_then(read_hex).ok_or_else(not_a_key)?;
        SigningKey::from_seed(&seed).ok_or_else(not_a_key)
    }

    /// Its public half.
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        for (to, from) in bytes.iter_mut().zip(self.pair.public_key().as_ref()) {
            *to = *from;
        }
        PublicKey(bytes)
    }

    /// A keyed digest of `parts`: equal for equal parts, and of no use to anyone without the key, so that it may stand in a
    /// record even when a part holds a secret.
    pub fn mark(&self, parts: &[&[u8]]) -> Digest {
        let mut context = hmac::Context::with_key(&self.marks);
        for part in parts {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part);
        }
        let mut bytes = [0; 32];
        for (to, from) in bytes.iter_mut().zip(context.sign().as_ref()) {
            *to = *from;
        }
        Digest::from_bytes(bytes)
    }

    pub(crate) fn sign(&self, message: &str) -> String {
        hex(self.pair.sign(message.as_bytes()).as_ref())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey(public {})", self.public())
    }
}

/// Writes the key beside its place first and links it there, so that of two processes that make one the second finds
/// the first one's, and no half-written key is ever read.
fn make(path: &Path, seed: &[u8; 32]) -> Result<(), JournalError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    files::make_folder(folder)?;
    let name = Digest::of(seed).to_string().chars().skip(7).take(16).collect::<String>();
    let draft = folder.join(format!(".key-{name}"));
    let mut file = files::create_new(&draft)?;
    let written = file.write_all(format!("{FILE_PREFIX}{}\n", hex(seed)).as_bytes()).and_then(|()| file.sync_all());
    let linked = written.and_then(|()| match fs::hard_link(&draft, path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    });
    files::discard(&draft);
    linked.map_err(|source| JournalError::writing("make the journal's key", path, source))?;
    files::sync_folder(folder)
}

/// The public half of a journal's key, shown as `ed25519:` and 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

/// A text that isn't a public key in its one accepted form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a public key is \"ed25519:\" and 64 lower-case hexadecimal digits, as `clicket journal key` prints it")]
pub struct PublicKeyError;

impl PublicKey {
    /// Whether `signature`, 128 hexadecimal digits, is this key's over `message`.
    pub(crate) fn signed(&self, message: &str, signature: &str) -> bool {
        let Some(signature) = read_hex::<64>(signature) else { return false };
        UnparsedPublicKey::new(&ED25519, &self.0).verify(message.as_bytes(), &signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", hex(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl FromStr for PublicKey {
    type Err = PublicKeyError;

    fn from_str(text: &str) -> Result<PublicKey, PublicKeyError> {
        text.strip_prefix(PREFIX).and_then(read_hex).map(PublicKey).ok_or(PublicKeyError)
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PublicKey, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What a checkpoint's signature is over: the run, how many records stand before it, and the digest of the last of them.
pub(crate) fn checkpoint_message(run: &RunId, records: u64, head: &Digest) -> String {
    format!("clicket-journal-checkpoint 1\n{run}\n{records}\n{head}\n")
}

/// What a seal's signature is over: the run, how many records there are with the seal, the digest of the last one before
/// it, its instant and its reason.
pub(crate) fn seal_message(run: &RunId, records: u64, head: &Digest, at_unix_ms: u64, reason: &str) -> String {
    format!("clicket-journal-seal 1\n{run}\n{records}\n{head}\n{at_unix_ms}\n{reason}\n")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "sign_tests.rs"]
mod tests;

//! Files: an answer that a browser would save is taken here, when a permit names it, and the browser never sees a byte of it.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use clicket_guard::download::FileFacts;
use clicket_guard::permit::DownloadPermit;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::edge::EdgeEvent;
use crate::limits::within;
use crate::record::FailKind;
use crate::shared::Shared;
use crate::unpack::{Packing, Unpacking};

/// First bytes that the type is read from.
const SNIFFED_BYTES: usize = 8 * 1024;
/// Pieces on their way from the network to the disk.
const PIECES_MAX: usize = 8;
/// What packing may add to a file of the largest size, so that packed bytes of which nothing comes out end as well.
const PACKING_BYTES: u64 = 1024 * 1024;
/// Numbers tried when a name is taken.
const SAME_NAMES_MAX: u32 = 1_000;

/// The operator's folder for files.
///
/// Invariant: a file gets its name only when it is whole, never in place of another, and a symbolic link is never followed to it
/// (`a_file_is_never_written_over_or_through_a_link`).
#[derive(Debug, Clone)]
pub struct DownloadFolder {
    path: PathBuf,
    bytes_max: u64,
}

impl DownloadFolder {
    /// Opens the folder, or makes it for its owner alone. `bytes_max` bounds one file.
    ///
    /// # Errors
    /// When it can't be made, or is a symbolic link or no folder.
    pub fn open(path: &Path, bytes_max: u64) -> io::Result<Self> {
        match std::fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is a link or no folder")),
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => DirBuilder::new().mode(0o700).create(path)?,
            Err(other) => return Err(other),
        }
        Ok(Self { path: std::fs::canonicalize(path)?, bytes_max })
    }

    /// Whether a file of this size may be taken.
    pub(crate) const fn takes(&self, bytes: u64) -> bool {
        bytes <= self.bytes_max
    }
}

/// A file that was taken: its receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFile {
    /// Its name in the folder.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The type that the site says it has.
    pub declared: String,
    /// The type that its first bytes say it has, where they say one.
    pub looks_like: Option<String>,
    /// SHA-256 of its bytes, hexadecimal.
    pub sha256: String,
}

/// Why an offered file was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRefusal {
    /// No folder was given for files.
    NoFolder,
    /// The policy refuses it.
    Policy,
    /// A person refused it.
    Person,
    /// It needed a person and there is none.
    Unattended,
    /// The same address was downloaded in this run.
    Again,
    /// The run has all the files it may have.
    TooMany,
    /// The run ends.
    RunEnds,
    /// The permit was for another file.
    Mismatch,
    /// No answer came in time, or nobody listens.
    Unanswered,
    /// It is compressed in a way that is not read here.
    Encoding,
    /// The site says that it is larger than may be.
    TooBig,
}

/// A file that waits for its verdict. Dropped without an answer, it is refused.
///
/// Invariant: it is taken only by [`OfferedFile::take`], which spends a permit that names it
/// (`without_a_permit_no_byte_of_a_file_is_written`).
pub struct OfferedFile {
    id: u64,
    facts: FileFacts,
    answer: oneshot::Sender<Result<(), FileRefusal>>,
}

impl OfferedFile {
    /// The record's number.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// What is known of it.
    #[must_use]
    pub const fn facts(&self) -> &FileFacts {
        &self.facts
    }

    /// Has it taken into the folder. False when the permit names another file, or nobody waits any more.
    #[must_use]
    pub fn take(self, permit: DownloadPermit) -> bool {
        if !permit.names(&self.facts) {
            self.refuse(FileRefusal::Mismatch);
            return false;
        }
        self.answer.send(Ok(())).is_ok()
    }

    /// Leaves it.
    pub fn refuse(self, why: FileRefusal) {
        // If nobody waits any more, it is left already.
        let _ = self.answer.send(Err(why));
    }
}

impl std::fmt::Debug for OfferedFile {
    /// The address may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OfferedFile").field("id", &self.id).field("name", &self.facts.name).finish_non_exhaustive()
    }
}

/// Asks the session whether a file may be taken.
pub(crate) async fn ask(shared: &Shared, id: u64, facts: FileFacts) -> Result<(), FileRefusal> {
    let _place = shared.tally.hold_place(shared.limits.held_max).ok_or(FileRefusal::TooMany)?;
    let room = within(shared.limits.event_room_ms, shared.events.reserve()).await;
    let room = room.and_then(Result::ok).ok_or(FileRefusal::Unanswered)?;
    let (answer, answered) = oneshot::channel();
    room.send(EdgeEvent::Offered(Box::new(OfferedFile { id, facts, answer })));
    match within(shared.limits.hold_wait_ms, answered).await {
        Some(Ok(said)) => said,
        Some(Err(_)) | None => Err(FileRefusal::Unanswered),
    }
}

enum Piece {
    Data(Bytes),
    /// The body ended where it should.
    End,
}

/// Streams a body into the folder. What is cut short leaves nothing behind.
pub(crate) async fn take(
    shared: &Shared,
    folder: &DownloadFolder,
    mut body: Incoming,
    packing: Packing,
    facts: &FileFacts,
) -> Result<SavedFile, FailKind> {
    let (pieces, arriving) = mpsc::channel(PIECES_MAX);
    let packed_bytes_max = folder.bytes_max.saturating_add(PACKING_BYTES);
    let (folder, facts) = (folder.clone(), facts.clone());
    let writing = tokio::task::spawn_blocking(move || write_file(&folder, &facts, packing, arriving));
    let brought = bring(shared, &mut body, packed_bytes_max, pieces).await;
    // A disk that hangs holds a thread up and not the run.
    let written = within(shared.limits.response_idle_ms, writing).await;
    brought?;
    written.and_then(Result::ok).unwrap_or(Err(FailKind::NotSaved))
}

async fn bring(shared: &Shared, body: &mut Incoming, bytes_max: u64, pieces: mpsc::Sender<Piece>) -> Result<(), FailKind> {
    let limits = &shared.limits;
    let mut bytes = 0_u64;
    let whole = Instant::now() + Duration::from_millis(limits.response_whole_ms);
    loop {
        let idle = Instant::now() + Duration::from_millis(limits.response_idle_ms);
        let frame = match timeout_at(idle.min(whole), body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(_))) => return Err(FailKind::ConnectionLost),
            Ok(None) => break,
            Err(_) if Instant::now() >= whole => return Err(FailKind::WholeTimeout),
            Err(_) => return Err(FailKind::IdleTimeout),
        };
        let Ok(data) = frame.into_data() else { continue };
        bytes = bytes.saturating_add(data.len() as u64);
        if bytes > bytes_max {
            return Err(FailKind::TooBig);
        }
        if !shared.tally.takes_bytes(data.len() as u64, limits) {
            return Err(FailKind::RunBytes);
        }
        if pieces.send(Piece::Data(data)).await.is_err() {
            // The writer gave up; it says why.
            return Ok(());
        }
    }
    let _ = pieces.send(Piece::End).await;
    Ok(())
}

/// Runs on a thread of its own, where waiting for a disk is allowed.
fn write_file(
    folder: &DownloadFolder,
    facts: &FileFacts,
    packing: Packing,
    mut arriving: mpsc::Receiver<Piece>,
) -> Result<SavedFile, FailKind> {
    let unsaved = |_| FailKind::NotSaved;
    // Made for its owner alone, under a name that nobody can guess; removed when dropped.
    let file = tempfile::Builder::new()
        .prefix(".clicket-")
        .suffix(".part")
        .permissions(std::fs::Permissions::from_mode(0o600))
        .tempfile_in(&folder.path)
        .map_err(unsaved)?;
    let sink = Sink {
        file: file.as_file().try_clone().map_err(unsaved)?,
        hash: Sha256::new(),
        first: Vec::new(),
        bytes: 0,
        bytes_max: folder.bytes_max,
    };
    let mut unpacking = Unpacking::begin(packing, sink).map_err(unsaved)?;
    loop {
        match arriving.blocking_recv() {
            Some(Piece::Data(data)) => unpacking.write_all(&data).map_err(kind_of)?,
            Some(Piece::End) => break,
            None => return Err(FailKind::ConnectionLost),
        }
    }
    let sink = unpacking.end().map_err(kind_of)?;
    file.as_file().sync_all().map_err(unsaved)?;
    let name = keep(file, &folder.path, &facts.name)?;
    Ok(SavedFile {
        name,
        bytes: sink.bytes,
        declared: facts.declared.clone(),
        looks_like: infer::get(&sink.first).map(|kind| kind.mime_type().to_owned()),
        sha256: sink.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
    })
}

/// Gives the whole file its name, never in place of another: `a.pdf`, `a (2).pdf`, and so on.
fn keep(mut file: NamedTempFile, folder: &Path, name: &str) -> Result<String, FailKind> {
    let (stem, ending) = match name.rfind('.').filter(|dot| *dot > 0) {
        Some(dot) => name.split_at(dot),
        None => (name, ""),
    };
    for number in 1..=SAME_NAMES_MAX {
        let candidate = if number == 1 { name.to_owned() } else { format!("{stem} ({number}){ending}") };
        match file.persist_noclobber(folder.join(&candidate)) {
            Ok(_) => {
                // The name is on disk when the receipt is.
                File::open(folder).and_then(|folder| folder.sync_all()).map_err(|_| FailKind::NotSaved)?;
                return Ok(candidate);
            }
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => file = taken.file,
            Err(_) => return Err(FailKind::NotSaved),
        }
    }
    Err(FailKind::NotSaved)
}

/// The cap was reached: told apart from a disk that is full.
#[derive(Debug, thiserror::Error)]
#[error("the file is larger than may be")]
struct TooBig;

fn kind_of(error: io::Error) -> FailKind {
    match error.get_ref() {
        Some(inner) if inner.is::<TooBig>() => FailKind::TooBig,
        Some(_) | None
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
            ) =>
        {
            FailKind::Protocol
        }
        Some(_) | None => FailKind::NotSaved,
    }
}

/// Counts, hashes and writes what was unpacked; the cap is on these bytes, so that a bomb stops at it.
struct Sink {
    file: File,
    hash: Sha256,
    first: Vec<u8>,
    bytes: u64,
    bytes_max: u64,
}

impl Write for Sink {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let bytes = self.bytes.saturating_add(data.len() as u64);
        if bytes > self.bytes_max {
            return Err(io::Error::other(TooBig));
        }
        self.file.write_all(data)?;
        self.hash.update(data);
        let wanted = SNIFFED_BYTES.saturating_sub(self.first.len()).min(data.len());
        self.first.extend_from_slice(data.get(..wanted).unwrap_or_default());
        self.bytes = bytes;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

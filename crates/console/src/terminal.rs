//! The controlling terminal, opened by its own name: whoever owns this process's pipes can neither read nor answer it.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::termios::{FlushArg, tcflush};
use nix::unistd::{getpgrp, tcgetpgrp};

use crate::limits::{LINE_BYTES_MAX, LOOK_UP_EVERY, WIDTH_COLUMNS_MAX, WIDTH_COLUMNS_MIN};

/// There is no terminal to ask on.
#[derive(Debug, thiserror::Error)]
#[error("no terminal to ask on: {source}; start it from a terminal, or let the policy decide without asking")]
pub struct NoTerminal {
    source: io::Error,
}

/// Why nothing was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The time was over.
    Deadline,
    /// The terminal belongs to another job now; reading would stop this process.
    Background,
    /// The terminal hung up, failed, or its input ended.
    Gone,
    /// The asker no longer waits.
    GivenUp,
}

/// How long to go on, and who may call it off.
pub(crate) struct Patience<'a> {
    pub(crate) deadline: Instant,
    pub(crate) given_up: &'a AtomicBool,
}

/// The controlling terminal.
///
/// Invariant: opened anew and without blocking, so that no read or write can outlive its deadline and no other
/// program's use of the terminal is changed.
pub(crate) struct Terminal {
    file: File,
}

impl Terminal {
    pub(crate) fn open() -> Result<Self, NoTerminal> {
        let flags = OFlag::O_NOCTTY | OFlag::O_NONBLOCK;
        let opened = OpenOptions::new().read(true).write(true).custom_flags(flags.bits()).open("/dev/tty");
        opened.map(|file| Self { file }).map_err(|source| NoTerminal { source })
    }

    /// Keeps the calling thread from being stopped when the terminal goes to another job; its reads fail instead.
    pub(crate) fn never_be_stopped() -> Result<(), Silence> {
        let mut stops = SigSet::empty();
        stops.add(Signal::SIGTTIN);
        stops.add(Signal::SIGTTOU);
        stops.thread_block().map_err(|_| Silence::Gone)
    }

    /// Whether this process's job is the one the terminal listens to.
    pub(crate) fn is_ours(&self) -> bool {
        tcgetpgrp(&self.file).is_ok_and(|front| front == getpgrp())
    }

    /// Columns to write in.
    pub(crate) fn width(&self) -> usize {
        let columns = terminal_size::terminal_size_of(&self.file).map_or(80, |(width, _)| usize::from(width.0));
        columns.clamp(WIDTH_COLUMNS_MIN, WIDTH_COLUMNS_MAX)
    }

    /// Throws away what was typed so far.
    pub(crate) fn forget_input(&self) -> Result<(), Silence> {
        if !self.is_ours() {
            return Err(Silence::Background);
        }
        tcflush(&self.file, FlushArg::TCIFLUSH).map_err(|_| Silence::Gone)
    }

    pub(crate) fn say(&self, text: &str, patience: &Patience<'_>) -> Result<(), Silence> {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            self.wait_for(PollFlags::POLLOUT, patience)?;
            match (&self.file).write(rest) {
                Ok(0) => return Err(Silence::Gone),
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if may_try_again(&error) => {}
                Err(_) => return Err(Silence::Gone),
            }
        }
        Ok(())
    }

    /// One typed line without its end. A line that is too long comes back empty, because it is no answer.
    pub(crate) fn hear(&self, patience: &Patience<'_>) -> Result<String, Silence> {
        let mut line = Vec::new();
        loop {
            self.wait_for(PollFlags::POLLIN, patience)?;
            let mut chunk = [0u8; LINE_BYTES_MAX];
            match (&self.file).read(&mut chunk) {
                Ok(0) => return Err(Silence::Gone),
                Ok(read) => line.extend_from_slice(chunk.get(..read).unwrap_or_default()),
                Err(error) if may_try_again(&error) => {}
                Err(_) => return Err(Silence::Gone),
            }
            let end = line.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            match end {
                _ if line.len() > LINE_BYTES_MAX => return Ok(String::new()),
                Some(end) => return Ok(String::from_utf8_lossy(line.get(..end).unwrap_or_default()).into_owned()),
                None => {}
            }
        }
    }

    /// Waits in short turns, so that a lost terminal or a lost asker is noticed.
    fn wait_for(&self, wanted: PollFlags, patience: &Patience<'_>) -> Result<(), Silence> {
        loop {
            if patience.given_up.load(Ordering::Relaxed) {
                return Err(Silence::GivenUp);
            }
            if !self.is_ours() {
                return Err(Silence::Background);
            }
            let left = patience.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Silence::Deadline);
            }
            if self.is_ready(wanted, left.min(LOOK_UP_EVERY))? {
                return Ok(());
            }
        }
    }

    fn is_ready(&self, wanted: PollFlags, turn: Duration) -> Result<bool, Silence> {
        let mut watched = [PollFd::new(self.file.as_fd(), wanted)];
        // Rounded up to a millisecond, or the last turn before a deadline would spin.
        let turn = PollTimeout::try_from(turn.max(Duration::from_millis(1))).map_err(|_| Silence::Gone)?;
        match poll(&mut watched, turn) {
            Ok(0) | Err(Errno::EINTR) => Ok(false),
            Ok(_) if watched[0].revents().is_some_and(|seen| seen.intersects(wanted)) => Ok(true),
            Ok(_) | Err(_) => Err(Silence::Gone),
        }
    }
}

fn may_try_again(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

//! The browser's process group: started with almost nothing, killed whole.
//!
//! Invariant: when a [`ProcessGroup`] is gone, so are its processes and its profile. Held by
//! `closing_leaves_no_process_and_no_profile` and `a_dropped_browser_leaves_no_process_and_no_profile`.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use command_fds::{CommandFdExt, FdMapping};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncReadExt;

use crate::limits::{REAP_MS, STDERR_BYTES_MAX};
use crate::profile::Profile;

/// The user and group that the browser runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunAs {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// Our ends of the two pipes.
pub(crate) struct Pipes {
    /// What the browser writes.
    pub(crate) from_browser: OwnedFd,
    /// What the browser reads.
    pub(crate) to_browser: OwnedFd,
}

/// Prepares a command for the browser or what becomes it: a process group of its own, no output but errors, DevTools on 3
/// and 4, and the browser's user.
pub(crate) fn with_pipes(command: &mut Command, run_as: Option<RunAs>) -> io::Result<Pipes> {
    let (browser_reads, we_write) = io::pipe()?;
    let (we_read, browser_writes) = io::pipe()?;
    command.stdout(Stdio::null()).stderr(Stdio::piped()).current_dir("/").process_group(0);
    if let Some(run_as) = run_as {
        command.uid(run_as.uid).gid(run_as.gid);
    }
    let mappings = vec![
        FdMapping { parent_fd: browser_reads.into(), child_fd: 3 },
        FdMapping { parent_fd: browser_writes.into(), child_fd: 4 },
    ];
    command.fd_mappings(mappings).map_err(io::Error::other)?;
    Ok(Pipes { from_browser: we_read.into(), to_browser: we_write.into() })
}

/// The started browser with everything that must go when it goes.
pub(crate) struct ProcessGroup {
    child: Child,
    profile: Profile,
    stderr: StderrTail,
    ended: bool,
}

/// What is known when the group has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) reaped: bool,
    pub(crate) profile_removed: bool,
}

impl ProcessGroup {
    /// Takes charge of a browser that was started with [`with_pipes`].
    pub(crate) fn adopt(mut child: Child, mut profile: Profile) -> ProcessGroup {
        profile.name_browser(child.id());
        let stderr = StderrTail::follow(child.stderr.take());
        ProcessGroup { child, profile, stderr, ended: false }
    }

    /// The process id of the browser, which is the id of its group.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The profile folder.
    pub(crate) fn profile(&self) -> &Path {
        self.profile.path()
    }

    /// The last lines of the browser's error output.
    pub(crate) fn stderr_tail(&self) -> String {
        self.stderr.text()
    }

    /// Asks the group to end.
    pub(crate) fn terminate(&self) {
        self.signal(Signal::SIGTERM);
    }

    /// Kills the group, reaps the browser and removes the profile. Blocks for some milliseconds.
    ///
    /// The signal goes out before the leader is reaped: until then nobody else can have its number.
    pub(crate) fn end(&mut self) -> Ended {
        if !self.ended {
            self.signal(Signal::SIGKILL);
            self.ended = true;
        }
        let reaped = self.reap();
        Ended { reaped, profile_removed: self.profile.remove() }
    }

    fn signal(&self, signal: Signal) {
        if let Ok(group) = i32::try_from(self.child.id())
            && !self.ended
        {
            // The group may have died by itself; that is what is wanted.
            let _ = killpg(Pid::from_raw(group), signal);
        }
    }

    fn reap(&mut self) -> bool {
        let until = Instant::now() + REAP_MS;
        while Instant::now() < until {
            match self.child.try_wait() {
                Ok(Some(_)) => return true,
                Ok(None) => std::thread::sleep(Duration::from_millis(3)),
                Err(_) => return false,
            }
        }
        false
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.end();
    }
}

/// Follows the error output and keeps its end; it must be read on, or the browser would block on a full pipe.
#[derive(Clone)]
struct StderrTail {
    kept: Arc<Mutex<VecDeque<u8>>>,
}

impl StderrTail {
    fn follow(stderr: Option<std::process::ChildStderr>) -> StderrTail {
        let tail = StderrTail { kept: Arc::default() };
        if let Some(stderr) = stderr {
            tokio::spawn(tail.clone().read_on(File::from(OwnedFd::from(stderr))));
        }
        tail
    }

    async fn read_on(self, stderr: File) {
        let Ok(mut from) = tokio::net::unix::pipe::Receiver::from_file(stderr) else { return };
        let mut chunk = [0u8; 2_048];
        while let Ok(read @ 1..) = from.read(&mut chunk).await {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(&chunk[..read]);
            let above = kept.len().saturating_sub(STDERR_BYTES_MAX);
            kept.drain(..above);
        }
    }

    fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

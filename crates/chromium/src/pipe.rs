//! Messages over a pipe: NUL ends each one.

use std::os::fd::OwnedFd;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::mpsc;

use crate::errors::GoneWhy;

/// Cuts a byte stream into messages; holds at most one unfinished message below the cap.
pub(crate) struct Framer {
    unfinished: Vec<u8>,
    bytes_max: usize,
}

/// A message grew above the cap.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Framer {
    pub(crate) fn new(bytes_max: usize) -> Framer {
        Framer { unfinished: Vec::new(), bytes_max }
    }

    /// Takes bytes and hands on every message that they finish, without its NUL.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8])) -> Result<(), TooLarge> {
        while let Some(end) = bytes.iter().position(|byte| *byte == 0) {
            if self.unfinished.len().saturating_add(end) > self.bytes_max {
                return Err(TooLarge);
            }
            if self.unfinished.is_empty() {
                each(&bytes[..end]);
            } else {
                self.unfinished.extend_from_slice(&bytes[..end]);
                each(&self.unfinished);
                self.unfinished = Vec::new();
            }
            bytes = &bytes[end + 1..];
        }
        if self.unfinished.len().saturating_add(bytes.len()) > self.bytes_max {
            return Err(TooLarge);
        }
        self.unfinished.extend_from_slice(bytes);
        Ok(())
    }
}

/// Reads messages until the pipe ends, and says why it ended.
pub(crate) async fn read_messages(from: OwnedFd, bytes_max: usize, mut each: impl FnMut(&[u8])) -> GoneWhy {
    let Ok(mut from) = Receiver::from_owned_fd(from) else { return GoneWhy::PipeFailed };
    let mut framer = Framer::new(bytes_max);
    let mut chunk = vec![0u8; 64 * 1024];
    loop {
        match from.read(&mut chunk).await {
            Ok(0) => return GoneWhy::Exited,
            Ok(read) => {
                if framer.push(&chunk[..read], &mut each).is_err() {
                    return GoneWhy::MessageTooLarge;
                }
            }
            Err(_) => return GoneWhy::PipeFailed,
        }
    }
}

/// Writes queued messages until the queue or the pipe ends.
pub(crate) async fn write_messages(to: OwnedFd, mut queue: mpsc::Receiver<Vec<u8>>) {
    let Ok(mut to) = Sender::from_owned_fd(to) else { return };
    while let Some(mut message) = queue.recv().await {
        message.push(0);
        if to.write_all(&message).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
#[path = "pipe_tests.rs"]
mod tests;

//! The way into a namespace for those who are not root: our own binary, started anew with one thread, makes the namespace, hands
//! its sockets out over its standard input, and becomes the browser when it is told how.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::limits::{INNER_ANSWER_MS, INNER_ORDER_BYTES_MAX};
use crate::namespace::{DeadPort, Inside};
use crate::process::{Pipes, RunAs, with_pipes};
use crate::quarters::Order;
use crate::unshare;

/// The only argument of the inner process.
const WORD: &str = "__browser-namespace";

/// What is said when the sockets come along.
const HERE: u8 = b'+';

/// An inner process that waits to become the browser. Dropping it ends it.
pub(crate) struct Waiting {
    child: Option<Child>,
    pipes: Option<Pipes>,
    talk: UnixStream,
}

impl Waiting {
    /// Starts our own binary as the browser's user and takes the sockets that it made.
    pub(crate) fn start(run_as: Option<RunAs>) -> Result<(Waiting, Inside), String> {
        let begun = |error: io::Error| format!("the process that enters it could not be started: {error}");
        let (talk, theirs) = UnixStream::pair().map_err(begun)?;
        // The file that is running, even if another has taken its place or its folder is closed to the browser's user.
        let mut command = Command::new("/proc/self/exe");
        command.arg(WORD).env_clear().stdin(Stdio::from(OwnedFd::from(theirs)));
        let pipes = with_pipes(&mut command, run_as).map_err(begun)?;
        let child = command.spawn().map_err(begun)?;
        // The command holds the other end of the pair; the talk must end with the child alone.
        drop(command);
        talk.set_read_timeout(Some(INNER_ANSWER_MS)).map_err(begun)?;
        let waiting = Waiting { child: Some(child), pipes: Some(pipes), talk };
        let inside = receive(&waiting.talk)?;
        Ok((waiting, inside))
    }

    /// Makes the browser of it.
    pub(crate) fn become_browser(mut self, order: &Order) -> io::Result<(Child, Pipes)> {
        let text = serde_json::to_vec(order).map_err(io::Error::other)?;
        self.talk.write_all(&text)?;
        self.talk.shutdown(std::net::Shutdown::Write)?;
        let taken = self.child.take().zip(self.pipes.take());
        taken.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn receive(talk: &UnixStream) -> Result<Inside, String> {
    let mut said = [0u8; 512];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(talk, &mut [IoSliceMut::new(&mut said)], &mut control, RecvFlags::CMSG_CLOEXEC)
        .map_err(|error| format!("the process that enters it did not answer: {error}"))?;
    let said = said.get(..got.bytes).unwrap_or_default();
    if said.first() != Some(&HERE) {
        let why = String::from_utf8_lossy(said);
        return Err(if why.is_empty() { "the process that enters it ended".to_owned() } else { why.into_owned() });
    }
    let sockets: Vec<OwnedFd> = control
        .drain()
        .filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
            _ => None,
        })
        .flatten()
        .collect();
    let broken = || "the process that enters it did not hand its sockets out".to_owned();
    let [listener, held] = <[OwnedFd; 2]>::try_from(sockets).map_err(|_| broken())?;
    let address = |socket: &OwnedFd| -> Option<SocketAddr> { rustix::net::getsockname(socket).ok()?.try_into().ok() };
    let dead = DeadPort { address: address(&held).ok_or_else(broken)?, held };
    Ok(Inside { listener: TcpListener::from(listener), dead })
}

/// Plays the inner process if this process was started as one.
pub(crate) fn enter_if_asked() -> Option<std::process::ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|first| first != WORD) || arguments.next().is_some() {
        return None;
    }
    let stdin = io::stdin();
    // When it works out, this process is the browser and does not come back.
    let _ = serve(stdin.as_fd());
    Some(std::process::ExitCode::FAILURE)
}

fn serve(talk: BorrowedFd<'_>) -> io::Result<()> {
    // Held until the browser is there: the edge has its own copies.
    let inside = match unshare::enter_as_anybody() {
        Ok(inside) => inside,
        Err(why) => return say(talk, why.to_string().as_bytes(), &[]),
    };
    say(talk, &[HERE], &[inside.listener.as_fd(), inside.dead.held.as_fd()])?;
    let mut text = Vec::new();
    let from = std::fs::File::from(talk.try_clone_to_owned()?);
    from.take(INNER_ORDER_BYTES_MAX).read_to_end(&mut text)?;
    let order: Order = serde_json::from_slice(&text)?;
    let mut command = Command::new(order.binary);
    command.args(order.arguments).env_clear().envs(order.environment);
    command.stdin(Stdio::null()).current_dir("/");
    Err(command.exec())
}

fn say(talk: BorrowedFd<'_>, text: &[u8], sockets: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !sockets.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(sockets));
    }
    sendmsg(talk, &[IoSlice::new(text)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

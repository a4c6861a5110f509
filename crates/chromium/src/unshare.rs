//! The system calls by which a thread or a process enters an empty network namespace. Linux only.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener};

use nix::sched::CloneFlags;
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};

use crate::namespace::{DeadPort, Inside};

/// A step that the system did not let us take.
#[derive(Debug)]
pub(crate) struct Denied {
    step: &'static str,
    source: io::Error,
}

impl std::fmt::Display for Denied {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}", self.step, self.source)
    }
}

fn denied<E: Into<io::Error>>(step: &'static str) -> impl FnOnce(E) -> Denied {
    move |source| Denied { step, source: source.into() }
}

/// Moves the calling thread, which must have the right to it, into a new network namespace.
pub(crate) fn enter_as_root() -> Result<Inside, Denied> {
    nix::sched::unshare(CloneFlags::CLONE_NEWNET).map_err(denied("a network namespace was refused"))?;
    furnish()
}

/// Moves the calling process, which must have one thread, into a new user and network namespace. It keeps its user and
/// group and gets no other.
pub(crate) fn enter_as_anybody() -> Result<Inside, Denied> {
    let (user, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
    let both = CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET;
    nix::sched::unshare(both).map_err(denied("a user and network namespace was refused"))?;
    let map = denied("its user could not be named");
    let written = std::fs::write("/proc/self/setgroups", "deny")
        .and_then(|()| std::fs::write("/proc/self/uid_map", format!("{user} {user} 1")))
        .and_then(|()| std::fs::write("/proc/self/gid_map", format!("{group} {group} 1")));
    written.map_err(map)?;
    furnish()
}

fn furnish() -> Result<Inside, Denied> {
    loopback_up().map_err(denied("its loopback could not be brought up"))?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(denied("no port could be had in it"))?;
    let dead = DeadPort::take().map_err(denied("no port could be had in it"))?;
    Ok(Inside { listener, dead })
}

/// Loopback's index in every network namespace.
const LOOPBACK: i32 = 1;

/// One rtnetlink request, `RTM_NEWLINK` with the flag `IFF_UP` for loopback, and its answer; see rtnetlink(7).
fn loopback_up() -> io::Result<()> {
    const RTM_NEWLINK: u16 = 16;
    const REQUEST_WITH_ANSWER: u16 = 1 | 4;
    const IFF_UP: u32 = 1;
    let mut request = Vec::with_capacity(32);
    request.extend_from_slice(&32u32.to_ne_bytes());
    request.extend_from_slice(&RTM_NEWLINK.to_ne_bytes());
    request.extend_from_slice(&REQUEST_WITH_ANSWER.to_ne_bytes());
    // Sequence and sender, then family, padding and device type: all of them zero.
    request.extend_from_slice(&[0; 12]);
    request.extend_from_slice(&LOOPBACK.to_ne_bytes());
    request.extend_from_slice(&IFF_UP.to_ne_bytes());
    request.extend_from_slice(&IFF_UP.to_ne_bytes());
    let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkRoute)?;
    let mut kernel = File::from(socket);
    kernel.write_all(&request)?;
    let mut answer = [0u8; 1_024];
    let read = kernel.read(&mut answer)?;
    match answer.get(16..20).and_then(|code| code.try_into().ok()).map(i32::from_ne_bytes) {
        Some(0) if read >= 20 => Ok(()),
        Some(code) if read >= 20 => Err(io::Error::from_raw_os_error(code.saturating_neg())),
        _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
    }
}

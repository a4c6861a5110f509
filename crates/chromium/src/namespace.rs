//! A network of the browser's own: an empty network namespace in which only loopback exists and only the edge listens.
//!
//! Invariant: what is [`Inside`] was made after the namespace was entered, so its listener is reachable from nowhere else.
//! Held by `the_browser_sees_no_network_but_the_edge`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};

use nix::sched::CloneFlags;
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};
use tokio::net::TcpSocket;

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

/// The two sockets of a namespace that somebody outside holds.
pub(crate) struct Inside {
    /// Where the browser finds the edge.
    pub(crate) listener: TcpListener,
    /// A port on which nobody listens.
    pub(crate) dead: DeadPort,
}

/// A port that is bound and never listened on: connections to it are refused, and nobody else can take it.
pub(crate) struct DeadPort {
    pub(crate) address: SocketAddr,
    pub(crate) held: OwnedFd,
}

impl DeadPort {
    /// Takes one in the network of the calling thread.
    pub(crate) fn take() -> io::Result<DeadPort> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        Ok(DeadPort { address: socket.local_addr()?, held: socket.as_fd().try_clone_to_owned()? })
    }
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

/// Says what of a process's network leads anywhere but to loopback, by the kernel's own tables.
///
/// # Errors
/// Names the interface or route, or the table that can't be read.
pub(crate) fn check_empty(process: u32) -> Result<(), String> {
    let read = |name: &str| {
        std::fs::read_to_string(format!("/proc/{process}/net/{name}")).map_err(|error| format!("/proc/…/net/{name}: {error}"))
    };
    for line in read("dev")?.lines().skip(2) {
        let interface = line.split(':').next().unwrap_or_default().trim();
        if interface != "lo" {
            return Err(format!("it sees the interface {interface}"));
        }
    }
    if let Some(route) = read("route")?.lines().nth(1) {
        return Err(format!("it has a route: {route}"));
    }
    // Without IPv6 there is no such table.
    for line in read("ipv6_route").unwrap_or_default().lines() {
        if line.split_whitespace().next_back() != Some("lo") {
            return Err(format!("it has a route: {line}"));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "namespace_tests.rs"]
mod tests;

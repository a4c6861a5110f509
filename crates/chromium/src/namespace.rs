//! A network of the browser's own: an empty network namespace in which only loopback exists and only the edge listens.
//!
//! Invariant: what is [`Inside`] was made after the namespace was entered, so its listener is reachable from nowhere else.
//! Held by `the_browser_sees_no_network_but_the_edge`.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};

use tokio::net::TcpSocket;

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

#[cfg(all(test, target_os = "linux"))]
#[path = "namespace_tests.rs"]
mod tests;

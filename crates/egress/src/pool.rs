//! Connections to origins that wait for the next read. A connection stays with the address it was judged for, and serves its own
//! origin alone, whatever other names its certificate holds.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use clicket_guard::web::Origin;
use http_body_util::Full;
use hyper::client::conn::http1;

use crate::limits::{EdgeLimits, within};
use crate::line::{Line, Seat};
use crate::shared::lock;

/// How long a kept connection may take to be ready again after its last answer was read.
const READY_MS: u64 = 50;

/// Origins of which it is remembered that they want HTTP/1.1.
const OLD_SPEAKERS_MAX: usize = 256;

/// The right to put one request to an origin.
pub(crate) enum OpenConnection {
    /// A connection of its own, over HTTP/1.1.
    Own(OwnConnection),
    /// A place on a connection over HTTP/2.
    Seat(Seat),
}

/// One open connection over HTTP/1.1.
pub(crate) struct OwnConnection {
    pub(crate) sender: http1::SendRequest<Full<Bytes>>,
    pub(crate) address: IpAddr,
}

impl OpenConnection {
    pub(crate) fn address(&self) -> IpAddr {
        match self {
            Self::Own(own) => own.address,
            Self::Seat(seat) => seat.address(),
        }
    }

    /// Has nothing further sent on it.
    pub(crate) fn retire(&self) {
        match self {
            // It ends when it is dropped.
            Self::Own(_) => {}
            Self::Seat(seat) => seat.retire(),
        }
    }
}

struct Waiting {
    connection: OwnConnection,
    since: Instant,
}

/// The connections that wait or are shared, by origin.
#[derive(Default)]
pub(crate) struct Pool {
    waiting: Mutex<HashMap<Origin, Vec<Waiting>>>,
    lines: Mutex<HashMap<Origin, Vec<Arc<Line>>>>,
    old_speakers: Mutex<HashSet<Origin>>,
}

impl Pool {
    pub(crate) async fn take(&self, origin: &Origin, limits: &EdgeLimits) -> Option<OpenConnection> {
        if let Some(seat) = self.seat(origin, limits) {
            return Some(OpenConnection::Seat(seat));
        }
        loop {
            let mut waiting = self.pop(origin)?;
            let fresh = waiting.since.elapsed() < Duration::from_millis(limits.idle_connection_ms);
            let sender = &mut waiting.connection.sender;
            if fresh && !sender.is_closed() && matches!(within(READY_MS, sender.ready()).await, Some(Ok(()))) {
                return Some(OpenConnection::Own(waiting.connection));
            }
        }
    }

    /// Keeps a connection whose answer was read to its end.
    pub(crate) fn put(&self, origin: &Origin, connection: OpenConnection, limits: &EdgeLimits) {
        match connection {
            OpenConnection::Own(own) => self.wait(origin, own, limits),
            OpenConnection::Seat(seat) => {
                let line = seat.line();
                drop(seat);
                let mut lines = lock(&self.lines);
                prune(&mut lines, limits);
                // The line of a write, which began alone.
                if lines.len() < limits.idle_connections_max {
                    let known = lines.entry(origin.clone()).or_default();
                    if known.is_empty() {
                        known.push(line);
                    }
                }
            }
        }
    }

    /// A place on a new line, or on one that somebody else opened to the same origin meanwhile.
    pub(crate) fn join(&self, origin: &Origin, new: &Arc<Line>, limits: &EdgeLimits) -> Option<Seat> {
        if let Some(seat) = self.seat(origin, limits) {
            return Some(seat);
        }
        let mut lines = lock(&self.lines);
        prune(&mut lines, limits);
        if lines.values().map(Vec::len).sum::<usize>() < limits.idle_connections_max {
            lines.entry(origin.clone()).or_default().push(Arc::clone(new));
        }
        new.seat(limits)
    }

    /// Whether the origin said that it wants HTTP/1.1.
    pub(crate) fn is_old_speaker(&self, origin: &Origin) -> bool {
        lock(&self.old_speakers).contains(origin)
    }

    pub(crate) fn remember_old_speaker(&self, origin: &Origin) {
        let mut known = lock(&self.old_speakers);
        if known.len() < OLD_SPEAKERS_MAX {
            known.insert(origin.clone());
        }
    }

    fn seat(&self, origin: &Origin, limits: &EdgeLimits) -> Option<Seat> {
        lock(&self.lines).get(origin)?.iter().find_map(|line| line.seat(limits))
    }

    fn wait(&self, origin: &Origin, connection: OwnConnection, limits: &EdgeLimits) {
        if connection.sender.is_closed() {
            return;
        }
        let mut waiting = lock(&self.waiting);
        let keep = Duration::from_millis(limits.idle_connection_ms);
        waiting.retain(|_, list| {
            list.retain(|one| one.since.elapsed() < keep);
            !list.is_empty()
        });
        if waiting.values().map(Vec::len).sum::<usize>() < limits.idle_connections_max {
            waiting.entry(origin.clone()).or_default().push(Waiting { connection, since: Instant::now() });
        }
    }

    fn pop(&self, origin: &Origin) -> Option<Waiting> {
        lock(&self.waiting).get_mut(origin)?.pop()
    }
}

fn prune(lines: &mut HashMap<Origin, Vec<Arc<Line>>>, limits: &EdgeLimits) {
    lines.retain(|_, list| {
        list.retain(|line| line.is_live(limits));
        !list.is_empty()
    });
}

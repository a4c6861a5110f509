//! What the edge says about what stays open: sockets and blind tunnels. Each has a record of its opening among the requests, and one
//! here of its end.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Instant;

use clicket_guard::socket::Sends;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::OwnedPermit;

use crate::edge::EdgeEvent;
use crate::shared::{Shared, lock};

/// A socket and what went over it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketRecord {
    /// The record's number of the request that opened it.
    pub id: u64,
    /// Its address, in the spelling of requests (`https` for `wss`), cut at a stated length.
    pub url: String,
    /// What the page might send.
    pub sends: Sends,
    /// What went over it.
    #[serde(flatten)]
    pub counts: SocketCounts,
    /// How long it was open, milliseconds.
    pub open_ms: u64,
    /// How it ended.
    pub ended: SocketEnd,
}

/// What went over a socket. Messages count when they are whole; frames and bytes are the frames' own, heads included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketCounts {
    /// Frames from the page that left.
    pub frames_sent: u64,
    /// Bytes of them.
    pub bytes_sent: u64,
    /// Messages from the page that left.
    pub messages_sent: u64,
    /// Those of them that do more than listen, as far as can be told.
    pub writes_sent: u64,
    /// Messages that would have done more than listen and did not leave.
    pub writes_refused: u64,
    /// Frames that came.
    pub frames_received: u64,
    /// Bytes of them.
    pub bytes_received: u64,
    /// Messages that came.
    pub messages_received: u64,
}

/// How a socket ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SocketEnd {
    /// The page left.
    ByPage,
    /// The origin left.
    ByOrigin,
    /// The edge closed.
    EdgeClosed,
    /// The page sent more than listening, which was not granted.
    WriteRefused,
    /// What came is no frame, or none that may come.
    Malformed,
    /// Too many frames.
    Frames,
    /// Too many frames at once.
    Rate,
    /// Too many bytes.
    Bytes,
    /// One message was too large.
    MessageBytes,
    /// It was open too long.
    Lifetime,
    /// The run has had all the bytes it may have.
    RunBytes,
    /// One side did not take what was sent to it.
    Stalled,
}

/// A blind tunnel and how much went through it. What it was is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TunnelRecord {
    /// The record's number of its opening.
    pub id: u64,
    /// Where it led.
    pub origin: String,
    /// Bytes that left.
    pub bytes_sent: u64,
    /// Bytes that came.
    pub bytes_received: u64,
    /// How long it was open, milliseconds.
    pub open_ms: u64,
    /// How it ended.
    pub ended: TunnelEnd,
}

/// How a blind tunnel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TunnelEnd {
    /// One of the two sides left.
    Left,
    /// The edge closed.
    EdgeClosed,
    /// Tunnels were cut: what follows is inspected.
    Cut,
    /// Too many bytes.
    Bytes,
    /// The run has had all the bytes it may have.
    RunBytes,
    /// It was open too long.
    Lifetime,
    /// Nothing went through it for too long.
    Idle,
}

/// A record of an end, sent when it is dropped: whatever ends the task, the end is told.
///
/// Invariant: its place in the channel is reserved before anything is opened.
pub(crate) struct Ending<R: Ends> {
    pub(crate) record: Mutex<R>,
    room: Mutex<Option<OwnedPermit<EdgeEvent>>>,
    opened: Instant,
}

/// A record that knows how long it was open and how it is told.
pub(crate) trait Ends: Clone {
    fn lasted(&mut self, ms: u64);
    fn told(self) -> EdgeEvent;
}

impl Ends for SocketRecord {
    fn lasted(&mut self, ms: u64) {
        self.open_ms = ms;
    }

    fn told(self) -> EdgeEvent {
        EdgeEvent::Socket(Box::new(self))
    }
}

impl Ends for TunnelRecord {
    fn lasted(&mut self, ms: u64) {
        self.open_ms = ms;
    }

    fn told(self) -> EdgeEvent {
        EdgeEvent::Tunnel(Box::new(self))
    }
}

impl<R: Ends> Ending<R> {
    pub(crate) fn of(record: R, room: OwnedPermit<EdgeEvent>) -> Self {
        Self { record: Mutex::new(record), room: Mutex::new(Some(room)), opened: Instant::now() }
    }
}

impl<R: Ends> Drop for Ending<R> {
    fn drop(&mut self) {
        let mut record = lock(&self.record).clone();
        record.lasted(u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX));
        if let Some(room) = lock(&self.room).take() {
            room.send(record.told());
        }
    }
}

/// Reserves the place for a record of an end; none: the session makes no room.
pub(crate) async fn room_for_ending(shared: &Arc<Shared>) -> Option<OwnedPermit<EdgeEvent>> {
    crate::limits::within(shared.limits.event_room_ms, shared.events.clone().reserve_owned()).await?.ok()
}

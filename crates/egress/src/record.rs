//! What the edge says about each request: one record, whatever became of it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use clicket_guard::effect::RequestFacts;
use clicket_guard::reach::{Passage, ReachReason, Relation};
use clicket_guard::wall::Wall;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::OwnedPermit;

use crate::download::{FileRefusal, SavedFile};
use crate::edge::EdgeEvent;
use crate::hold::HoldRefusal;
use crate::judge::Stop;
use crate::limits::RECORD_URL_CHARS_MAX;
use crate::shared::Tally;

/// One request and what became of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RequestRecord {
    /// Counts up from 1 within a run.
    pub id: u64,
    /// When it came, in milliseconds since the edge opened.
    pub at_ms: u64,
    /// The method.
    pub method: String,
    /// The address, cut at a stated length.
    pub url: String,
    /// What the browser says the answer is for (`Sec-Fetch-Dest`), or the empty string.
    pub destination: String,
    /// How the address is related to the run.
    pub relation: Relation,
    /// What the rules said; none when the edge refused before they were asked.
    pub passage: Option<Passage>,
    /// What became of it.
    pub outcome: Outcome,
    /// The rule of names or addresses that refused it, in words with its source.
    pub detail: Option<String>,
    /// The origin's status, when it answered.
    pub status: Option<u16>,
    /// How much of the request the origin may have got.
    pub sent: Sent,
    /// Bytes of the request's body.
    pub request_bytes: u64,
    /// Bytes of the response's body that went to the browser.
    pub response_bytes: u64,
    /// Why the response's body ended early.
    pub cut: Option<FailKind>,
    /// The file that the answer became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved: Option<SavedFile>,
    /// Why the answer, a file, was not taken; the page stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<FileRefusal>,
    /// The wall against automated browsers that the answer is, for a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<Wall>,
    /// Where a redirect points. The browser's next request is judged by itself.
    pub redirect_to: Option<String>,
    /// The address that was dialled, after it was judged.
    pub address: Option<IpAddr>,
    /// From the request to the last byte of its answer.
    pub duration_ms: u64,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "why")]
pub enum Outcome {
    /// It passed, and the origin answered.
    Passed,
    /// It was not sent.
    Refused(RefuseReason),
    /// It was held, a permit named it, and the origin answered.
    HeldReleased,
    /// It was held and not sent.
    HeldRefused(HoldRefusal),
    /// It went through a tunnel that the operator exempted from inspection: what was said in it is not known.
    Tunnelled,
    /// It passed or was released, and no answer came; [`RequestRecord::sent`] says whether it may have been acted on.
    Failed(FailKind),
}

/// Why the edge did not send a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by", content = "reason")]
pub enum RefuseReason {
    /// The rules of reach.
    Reach(ReachReason),
    /// The name is one that is never looked up.
    Name,
    /// An address behind the name is one that is never dialled.
    Address,
    /// The server name of the handshake is not the tunnel's host.
    ServerName,
    /// The `Host` header is not the tunnel's host.
    Host,
    /// The tunnel does not carry TLS.
    NotTls,
    /// The request target is not one that belongs here.
    Target,
    /// A GET, HEAD or OPTIONS request with a body.
    BodyOnRead,
    /// Too many requests at once or in all.
    Rate,
    /// The run has had all the bytes it may have.
    RunBytes,
}

/// How much of a request the origin may have got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sent {
    /// Not a byte.
    Nothing,
    /// Perhaps all of it: the connection broke or the wait ended before an answer.
    Unknown,
    /// All of it: the origin answered.
    Whole,
}

/// Why no answer, or no whole answer, came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailKind {
    /// The name has no address.
    NameNotFound,
    /// The resolver failed or gave no answer in time.
    NameUnresolved,
    /// No address accepted a connection.
    Unreachable,
    /// No address accepted a connection in time.
    ConnectTimeout,
    /// The origin's certificate is past its date.
    CertificateExpired,
    /// The origin's certificate is not yet valid.
    CertificateNotYetValid,
    /// The origin's certificate is signed by nobody who is trusted.
    CertificateUntrusted,
    /// The origin's certificate is for another name.
    CertificateWrongName,
    /// The origin's certificate is bad in another way.
    CertificateBad,
    /// The origin lets nobody in who shows no certificate, and none is ever shown.
    CertificateRequired,
    /// The handshake with the origin failed.
    Tls,
    /// The handshake with the origin took too long.
    TlsTimeout,
    /// The response head took too long.
    HeadTimeout,
    /// The response body paused too long.
    IdleTimeout,
    /// The response took too long as a whole.
    WholeTimeout,
    /// The response body is larger than may be.
    TooBig,
    /// The run has had all the bytes it may have.
    RunBytes,
    /// The origin does not speak HTTP as it must, or broke the answer off.
    Protocol,
    /// The connection to the origin broke.
    ConnectionLost,
    /// The browser gave up.
    BrowserLeft,
    /// The file could not be written where it belongs.
    NotSaved,
}

/// Sums over a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Requests that passed and were answered.
    pub passed: u64,
    /// Requests that were not sent, held ones aside.
    pub refused: u64,
    /// Held requests that were released and answered.
    pub held_released: u64,
    /// Held requests that were not sent.
    pub held_refused: u64,
    /// Requests without an answer.
    pub failed: u64,
    /// Requests waiting for a verdict now.
    pub held_now: u64,
    /// Bytes of response bodies.
    pub response_bytes: u64,
    /// Connections or requests without the credential.
    pub unauthenticated: u64,
    /// Connections to origins that were dialled.
    pub dialled: u64,
    /// Blind tunnels that were opened.
    #[serde(default)]
    pub tunnelled: u64,
}

/// A record being written. Dropped before it is settled, it says that the browser left.
///
/// Invariant: its place in the channel is reserved before the request goes anywhere, so that no request is without a record
/// (`a_request_without_room_for_its_record_is_not_sent`).
pub(crate) struct Draft {
    pub(crate) record: RequestRecord,
    room: Option<OwnedPermit<EdgeEvent>>,
    tally: Arc<Tally>,
    started: Instant,
}

impl Draft {
    pub(crate) fn open(tally: Arc<Tally>, room: OwnedPermit<EdgeEvent>, facts: &RequestFacts, relation: Relation) -> Self {
        let record = RequestRecord {
            id: tally.next_id(),
            at_ms: tally.now_ms(),
            method: cut(&facts.method),
            url: cut(&facts.url),
            destination: cut(facts.dest.as_deref().unwrap_or_default()),
            relation,
            passage: None,
            outcome: Outcome::Failed(FailKind::BrowserLeft),
            detail: None,
            status: None,
            sent: Sent::Nothing,
            request_bytes: 0,
            response_bytes: 0,
            cut: None,
            saved: None,
            left: None,
            wall: None,
            redirect_to: None,
            address: None,
            duration_ms: 0,
        };
        tally.enter();
        Self { record, room: Some(room), tally, started: Instant::now() }
    }

    pub(crate) fn settle(&mut self, outcome: Outcome) {
        self.record.outcome = outcome;
    }

    pub(crate) fn redirect_to(&mut self, location: &str) {
        self.record.redirect_to = Some(cut(location));
    }

    pub(crate) fn stop(&mut self, stop: Stop) {
        match stop {
            Stop::Refused(reason, detail) => {
                self.record.detail = detail;
                self.record.outcome = Outcome::Refused(reason);
            }
            Stop::Failed(kind) => self.record.outcome = Outcome::Failed(kind),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.record.duration_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.tally.leave(&self.record);
        if let Some(room) = self.room.take() {
            room.send(EdgeEvent::Recorded(Box::new(self.record.clone())));
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(RECORD_URL_CHARS_MAX).collect()
}

//! What stays open beside requests, sockets and blind tunnels: named in the step line, kept for the report, written in the record.

use std::collections::BTreeSet;

use clicket_egress::{Outcome, RefuseReason, RequestRecord, SocketEnd, SocketRecord, TunnelRecord};
use clicket_guard::observation::{Control, Observation};
use clicket_guard::reach::{Passage, ReachReason};
use clicket_guard::socket;
use clicket_guard::web::Origin;
use serde::Serialize;
use serde_json::json;

use crate::edge_desk::EdgeDesk;

/// Receipts kept for the report; a page that opens more is told by the record alone.
const RECEIPTS_MAX: usize = 200;
/// Sockets named once each; a page that tries more is told by the requests alone.
const NAMED_MAX: usize = 50;

/// What does not hold for what goes through a blind tunnel.
pub const NOT_ENFORCED: [&str; 4] = [
    "writes in it are neither held nor seen",
    "requests in it are not judged one by one",
    "files from it are not taken",
    "secrets in it are not looked for",
];

/// The ground that is joined to a judgement of an act whose page or control is behind a blind tunnel.
const UNSEEN: &str = "its connection is not inspected (--dangerously-tunnel): what it sends is neither held nor seen";

/// A socket, when it ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SocketReceipt {
    /// What went over it.
    #[serde(flatten)]
    pub record: SocketRecord,
    /// The address as a script writes it, without its query.
    pub shown: String,
}

/// A blind tunnel, when it ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TunnelReceipt {
    /// How much went through it.
    #[serde(flatten)]
    pub record: TunnelRecord,
    /// What does not hold for it.
    pub not_enforced: [&'static str; 4],
}

/// Sockets and tunnels of a run.
#[derive(Default)]
pub(crate) struct Roads {
    /// What happened since the last step line.
    fresh: Vec<String>,
    named: BTreeSet<String>,
    pub(crate) sockets: Vec<SocketReceipt>,
    pub(crate) tunnels: Vec<TunnelReceipt>,
}

impl Roads {
    /// What happened since the last call, for the step line.
    pub(crate) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.fresh)
    }

    /// Names something once.
    fn name(&mut self, said: &str) -> bool {
        let new = self.named.len() < NAMED_MAX && self.named.insert(said.to_owned());
        if new {
            self.fresh.push(said.to_owned());
        }
        new
    }
}

impl EdgeDesk {
    /// Takes notice of a request that was to become a socket, or of a tunnel.
    pub(crate) fn note_road(&mut self, record: &RequestRecord) {
        match (record.outcome, record.passage) {
            (Outcome::Refused(RefuseReason::Reach(ReachReason::Socket)), _) => {
                let shown = self.shown_socket(&record.url);
                let Some(origin) = origin_of(&record.url).map(|origin| socket::spelled(&origin)) else { return };
                if self.roads.name(&format!("a socket to {shown} was refused (--socket {origin} lets it listen)")) {
                    let add = format!(
                        "no socket is granted to its origin; add --socket {origin}, or [[socket]] with origin = \"{origin}\" to the policy"
                    );
                    self.stopped(&shown, &add);
                }
            }
            (Outcome::Passed, Some(Passage::Socket(_))) if record.status == Some(101) => {
                let shown = self.shown_socket(&record.url);
                self.roads.name(&format!("a socket to {shown} opened"));
            }
            (Outcome::Tunnelled, _) => {
                let origin = origin_of(&record.url).unwrap_or_default();
                self.roads.name(&format!("a blind tunnel to {origin}: {}", NOT_ENFORCED[0]));
            }
            (Outcome::Passed | Outcome::Refused(_) | Outcome::HeldReleased | Outcome::HeldRefused(_) | Outcome::Failed(_), _) => {
            }
        }
    }

    /// Keeps what went over a socket that ended.
    pub(crate) fn note_socket(&mut self, mut record: SocketRecord) {
        let shown = self.shown_socket(&record.url);
        if record.counts.writes_sent > 0 {
            self.origins.note_written(&record.url);
        }
        if record.ended == SocketEnd::WriteRefused {
            let origin = origin_of(&record.url).map(|origin| socket::spelled(&origin)).unwrap_or_default();
            let why = format!(
                "the page sent more over it than listening, so it was closed and that was not sent; --dangerously-socket-sends {origin} lets it send"
            );
            self.roads.name(&format!("the socket to {shown} was closed: the page sent more than listening"));
            self.stopped(&shown, &why);
        }
        record.url = self.scrub.scrub(&record.url).into_owned();
        let written = self.note("socket", &record);
        self.keep_fault(written);
        if self.roads.sockets.len() < RECEIPTS_MAX {
            self.roads.sockets.push(SocketReceipt { record, shown });
        }
    }

    /// Keeps how much went through a blind tunnel that ended.
    pub(crate) fn note_tunnel(&mut self, record: TunnelRecord) {
        let written = self.note("tunnel", &json!({"tunnel": record, "not_enforced": NOT_ENFORCED}));
        self.keep_fault(written);
        if self.roads.tunnels.len() < RECEIPTS_MAX {
            self.roads.tunnels.push(TunnelReceipt { record, not_enforced: NOT_ENFORCED });
        }
    }

    fn shown_socket(&self, url: &str) -> String {
        let shown = self.shown("", url);
        socket::spelled(shown.trim_start())
    }
}

fn origin_of(url: &str) -> Option<String> {
    url::Url::parse(url).ok().map(|url| url.origin().ascii_serialization())
}

/// The ground to join to a judgement when the page that is acted on, or what the control leads to, is behind a blind tunnel.
pub(crate) fn unseen(tunnelled: &[Origin], seen: &Observation, control: Option<&Control>) -> Option<String> {
    let leads = control.into_iter().flat_map(|control| {
        let form = control.form.as_ref().map(|form| form.action.as_str());
        [Some(control.frame_origin.as_str()), Some(control.href.as_str()), form].into_iter().flatten()
    });
    let mut addresses = leads.chain([seen.url.as_str()]).filter_map(|text| url::Url::parse(text).ok());
    addresses.any(|url| Origin::of(&url).is_some_and(|origin| tunnelled.contains(&origin))).then(|| UNSEEN.to_owned())
}

#[cfg(test)]
#[path = "roads_tests.rs"]
mod tests;

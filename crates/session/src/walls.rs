//! A site that does not let the browser in: known by the answer to a page, by a challenge that is all there is, or by a handshake.

use clicket_egress::{FailKind, Outcome, RequestRecord};
use clicket_guard::observation::Observation;
use clicket_guard::wall::{self, Wall};

use crate::edge_desk::EdgeDesk;
use crate::reasons::why_failed;
use crate::report::{End, HandBack};

/// A page with more controls, or more text, has something else to offer than its challenge.
const CONTROLS_MAX: usize = 3;
const TEXT_CHARS_MAX: usize = 700;

impl EdgeDesk {
    /// Takes notice of what a record says about the page: the last answer counts.
    pub(crate) fn note_wall(&mut self, record: &RequestRecord) {
        if let Some(challenge) = wall::by_script(&record.url) {
            self.challenge = Some(challenge);
        }
        if record.destination != "document" {
            return;
        }
        let shown = self.shown(&record.method, &record.url);
        match (record.outcome, record.status) {
            (Outcome::Passed | Outcome::HeldReleased, Some(status)) => {
                self.challenge = None;
                // A form that is answered so may only say that a password was wrong.
                let form = record.outcome == Outcome::HeldReleased;
                self.blocked = record
                    .wall
                    .filter(|wall| !(form && *wall == Wall::Status))
                    .map(|wall| format!("{shown} was answered {status} with {}", wall.in_words()));
            }
            (Outcome::Failed(kind), _) if is_refused_handshake(kind) => {
                self.blocked = Some(format!("{shown}: {}", why_failed(kind)));
            }
            (
                Outcome::Passed
                | Outcome::HeldReleased
                | Outcome::Tunnelled
                | Outcome::Failed(_)
                | Outcome::Refused(_)
                | Outcome::HeldRefused(_),
                _,
            ) => {}
        }
    }

    /// The end of the run if the page that is seen is a wall.
    pub(crate) fn wall(&self, seen: Option<&Observation>) -> Option<End> {
        let bare = seen
            .is_some_and(|seen| seen.controls.len() <= CONTROLS_MAX && seen.text.for_model().chars().count() <= TEXT_CHARS_MAX);
        let challenge = self.challenge.filter(|_| bare).map(|wall| format!("the site shows {}", wall.in_words()));
        let said = self.blocked.clone().or(challenge)?;
        Some(End::HandedBack {
            reason: HandBack::BlockedBySite(said),
            next: "Open the address in a browser of your own to see what it asks for. Clicket does not pretend to be a person."
                .into(),
        })
    }
}

/// The certificate is bad, or the handshake failed, as it does when a site wants a certificate of the client's; neither is clicked away.
fn is_refused_handshake(kind: FailKind) -> bool {
    match kind {
        FailKind::CertificateExpired
        | FailKind::CertificateNotYetValid
        | FailKind::CertificateUntrusted
        | FailKind::CertificateWrongName
        | FailKind::CertificateBad
        | FailKind::CertificateRequired
        | FailKind::Tls => true,
        FailKind::NameNotFound
        | FailKind::NameUnresolved
        | FailKind::Unreachable
        | FailKind::ConnectTimeout
        | FailKind::TlsTimeout
        | FailKind::HeadTimeout
        | FailKind::IdleTimeout
        | FailKind::WholeTimeout
        | FailKind::TooBig
        | FailKind::RunBytes
        | FailKind::Protocol
        | FailKind::ConnectionLost
        | FailKind::BrowserLeft
        | FailKind::NotSaved => false,
    }
}

//! Takes one deed through the gate; a person is asked when policy says so.

use std::time::{Duration, Instant};

use clicket_guard::approval::{Answered, Attendance};
use clicket_guard::gate::{self, Act, Admission, Refusal};
use clicket_guard::permit::ActPermit;
use clicket_guard::policy::Judgement;

use crate::clock::millis;
use crate::config::SessionError;
use crate::edge_desk::EdgeDesk;
use crate::live::Live;

/// What came of asking for leave.
#[allow(clippy::large_enum_variant, reason = "one is made a step and matched at once; a box would only move it")]
#[derive(Debug)]
pub(crate) enum Leave {
    /// Go ahead, once.
    Given(ActPermit),
    /// No.
    Refused(Refusal),
    /// Somebody would have to say yes, and nobody answered.
    Nobody,
}

impl EdgeDesk {
    /// Takes an act through the gate, and its ticket to a person for `wait` at most.
    pub(crate) async fn leave_for(&mut self, act: Act, judgement: Judgement, wait: Duration) -> Result<Leave, SessionError> {
        let now = self.now();
        let (ticket, pending) = match gate::admit(&mut self.journal, now, act, judgement)? {
            Admission::Permit(permit) => return Ok(Leave::Given(permit)),
            Admission::Refused(refusal) => return Ok(Leave::Refused(refusal)),
            Admission::Ask(ticket, pending) => (ticket, pending),
        };
        if self.approver.attendance() == Attendance::Attended {
            self.watch.see(&Live::Asking(ticket.words()));
        }
        let approver = std::sync::Arc::clone(&self.approver);
        let asked = Instant::now();
        let answered = self.watching(approver.ask(ticket, wait)).await;
        self.person_ms += millis(asked.elapsed());
        let Answered::By(approval) = answered else { return Ok(Leave::Nobody) };
        let now = self.now();
        Ok(match gate::answer(&mut self.journal, now, pending, approval)? {
            Admission::Permit(permit) => Leave::Given(permit),
            Admission::Refused(refusal) => Leave::Refused(refusal),
            // The gate never asks twice about one deed.
            Admission::Ask(..) => Leave::Nobody,
        })
    }
}

//! The desk at which nobody sits.

use std::time::Duration;

use clicket_guard::approval::{Answered, Approver, Asking, Attendance, Ticket};

/// A desk without a person: it says so, and every ticket put on it comes back unanswered at once.
#[derive(Clone, Copy, Debug)]
pub struct Unattended;

impl Approver for Unattended {
    fn attendance(&self) -> Attendance {
        Attendance::Unattended
    }

    fn ask(&self, _ticket: Ticket, _wait: Duration) -> Asking<'_> {
        Box::pin(std::future::ready(Answered::Nobody))
    }
}

#[cfg(test)]
#[path = "unattended_tests.rs"]
mod tests;

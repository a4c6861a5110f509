//! Which origins a run read from and wrote to.

use std::collections::BTreeSet;

use clicket_egress::{Outcome, RequestRecord, Sent};

/// Origins by what was done with them. A page that reaches for more than the bound is told by its requests alone.
#[derive(Default)]
pub(crate) struct Origins {
    pub(crate) read: BTreeSet<String>,
    pub(crate) written: BTreeSet<String>,
}

impl Origins {
    const MAX: usize = 1_000;

    pub(crate) fn take(&mut self, record: &RequestRecord) {
        let set = match record.outcome {
            Outcome::Passed => &mut self.read,
            Outcome::HeldReleased => &mut self.written,
            // It was released if anything of it may have left.
            Outcome::Failed(_) if record.method != "GET" && record.sent != Sent::Nothing => &mut self.written,
            Outcome::Refused(_) | Outcome::HeldRefused(_) | Outcome::Failed(_) => return,
        };
        if let Ok(url) = url::Url::parse(&record.url)
            && set.len() < Self::MAX
        {
            set.insert(url.origin().ascii_serialization());
        }
    }
}

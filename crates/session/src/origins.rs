//! Which origins a run read from and wrote to.

use std::collections::BTreeSet;

use clicket_egress::{Outcome, RequestRecord, Sent};

/// Origins by what was done with them. A page that reaches for more than the bound is told by its requests alone.
#[derive(Default)]
pub(crate) struct Origins {
    pub(crate) read: BTreeSet<String>,
    pub(crate) written: BTreeSet<String>,
    /// Behind blind tunnels, where reads and writes can't be told apart.
    pub(crate) tunnelled: BTreeSet<String>,
}

impl Origins {
    const MAX: usize = 1_000;

    pub(crate) fn take(&mut self, record: &RequestRecord) {
        let set = match record.outcome {
            Outcome::Passed => &mut self.read,
            Outcome::HeldReleased => &mut self.written,
            Outcome::Tunnelled => &mut self.tunnelled,
            // It was released if anything of it may have left.
            Outcome::Failed(_) if record.method != "GET" && record.sent != Sent::Nothing => &mut self.written,
            Outcome::Refused(_) | Outcome::HeldRefused(_) | Outcome::Failed(_) => return,
        };
        insert(set, &record.url);
    }

    /// Something was sent there by another way than a request.
    pub(crate) fn note_written(&mut self, url: &str) {
        insert(&mut self.written, url);
    }
}

fn insert(set: &mut BTreeSet<String>, url: &str) {
    if let Ok(url) = url::Url::parse(url)
        && set.len() < Origins::MAX
    {
        set.insert(url.origin().ascii_serialization());
    }
}

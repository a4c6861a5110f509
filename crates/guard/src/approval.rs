//! Tickets and approvals: a person is shown one deed in our words and answers it once.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use clicket_journal::Digest;
use serde::Serialize;

/// A point in time, passed in by the session: the judge has no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Moment {
    /// Milliseconds since the Unix epoch, for the record.
    pub unix_ms: u64,
    /// Milliseconds on a clock that only goes forward, for expiry.
    pub steady_ms: u64,
}

/// How an approval came about, and so what it proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The agent's client says that a person accepted.
    ClientAttested,
    /// Someone at this machine's own terminal or desk page acted.
    DeskObserved,
}

/// What a person answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Let it happen once.
    AllowOnce,
    /// Let it happen, and the like of it for the rest of the run, where the ticket says that this can be.
    AllowAndRemember,
    /// Don't.
    Refuse,
    /// Don't, and end the run.
    Stop,
}

/// The power to answer tickets as a desk. Minted once in the binary's `main` and moved into the desk.
pub struct DeskKey(());

impl DeskKey {
    /// Mints the key. Only `crates/clicket/src/main.rs` and its wiring may call this (see `clippy.toml`).
    #[must_use]
    pub fn mint() -> Self {
        Self(())
    }
}

impl fmt::Debug for DeskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeskKey")
    }
}

/// One question to a person: what would be done, bound to a digest of all of it.
///
/// Invariant: made only by the gate; answering consumes it.
///
/// ```compile_fail
/// fn twice(ticket: clicket_guard::approval::Ticket, key: &clicket_guard::approval::DeskKey) {
///     let first = ticket.answer(key, clicket_guard::approval::Decision::AllowOnce);
///     let second = ticket.answer(key, clicket_guard::approval::Decision::AllowOnce);
/// }
/// ```
#[derive(Debug, Serialize)]
pub struct Ticket {
    pub(crate) number: String,
    pub(crate) digest: Digest,
    pub(crate) words: Words,
    pub(crate) expires_steady_ms: u64,
}

/// What the person reads; every page string in it is quoted and escaped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Words {
    /// One sentence: what would happen.
    pub title: String,
    /// Facts, as label and text.
    pub facts: Vec<(String, String)>,
    /// Why a person is asked.
    pub because: Vec<String>,
    /// What [`Decision::AllowAndRemember`] would allow for the rest of the run; none where each is asked about.
    pub remember: Option<String>,
}

impl Ticket {
    /// Its number in the journal.
    #[must_use]
    pub fn number(&self) -> &str {
        &self.number
    }

    /// What the person reads.
    #[must_use]
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// Digest of all that is bound.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Answers it as a desk.
    #[must_use]
    pub fn answer(self, _key: &DeskKey, decision: Decision) -> Approval {
        Approval { digest: self.digest, decision, level: Level::DeskObserved }
    }

    /// Answers it as an agent's client says; never more than [`Level::ClientAttested`].
    #[must_use]
    pub fn answer_client_attested(self, decision: Decision) -> Approval {
        Approval { digest: self.digest, decision, level: Level::ClientAttested }
    }
}

/// A person's answer to one ticket.
///
/// ```compile_fail
/// let forged = clicket_guard::approval::Approval { digest: todo!(), decision: todo!(), level: todo!() };
/// ```
#[derive(Debug, Serialize)]
pub struct Approval {
    pub(crate) digest: Digest,
    pub(crate) decision: Decision,
    pub(crate) level: Level,
}

impl Approval {
    /// What was answered.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }
}

/// What came back from asking.
#[derive(Debug)]
pub enum Answered {
    /// Somebody answered.
    By(Approval),
    /// Nobody is there, or nobody answered in time.
    Nobody,
}

/// Whether somebody can be asked at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attendance {
    /// A person can answer.
    Attended,
    /// Nobody can.
    Unattended,
}

/// The future of an answer.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Answered> + Send + 'a>>;

/// A desk: puts tickets before a person. Implemented by `console`.
pub trait Approver: Send + Sync {
    /// Whether somebody can be asked at all.
    fn attendance(&self) -> Attendance;
    /// Asks, for at most `wait`.
    fn ask(&self, ticket: Ticket, wait: Duration) -> Asking<'_>;
}

//! How a run ended, and what each step was.

use clicket_chromium::Confinement;
use clicket_egress::SavedFile;
use clicket_guard::outcome::Outcome;
use serde::Serialize;

use crate::roads::{SocketReceipt, TunnelReceipt};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum End {
    /// Every expectation was false before and is true now.
    Verified {
        /// What holds.
        because: Vec<String>,
    },
    /// The model says that the goal is reached, and nothing proves it.
    Unverified {
        /// What is missing.
        because: String,
    },
    /// A write was sent and its answer never came; it must not be repeated blindly.
    Uncertain {
        /// Which.
        request: String,
    },
    /// A person must go on.
    HandedBack {
        /// Why.
        reason: HandBack,
        /// What to do next.
        next: String,
    },
    /// The operator stopped it.
    Interrupted {
        /// The write, if there is one, that was sent and was not answered by then.
        #[serde(skip_serializing_if = "Option::is_none")]
        unanswered: Option<String>,
    },
}

/// Why a run was handed back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason", content = "detail")]
pub enum HandBack {
    /// Out of steps, time or money.
    Budget(String),
    /// Policy refused.
    Refused(String),
    /// Nobody was there to answer, or the answer was no.
    NeedsAPerson(String),
    /// The model was not sure enough.
    LowConfidence(String),
    /// The model found nothing that helps.
    Blocked(String),
    /// The site did not let the browser in.
    BlockedBySite(String),
    /// The page kept changing or not reacting.
    NoProgress(String),
    /// The model's answers could not be read.
    Unreadable(String),
}

impl HandBack {
    /// In one sentence.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Budget(detail) => format!("out of budget: {detail}"),
            Self::Refused(detail) => format!("refused: {detail}"),
            Self::NeedsAPerson(detail) => format!("needs a person: {detail}"),
            Self::LowConfidence(detail) => format!("not sure enough: {detail}"),
            Self::Blocked(detail) => format!("blocked: {detail}"),
            Self::BlockedBySite(detail) => format!("blocked by the site: {detail}"),
            Self::NoProgress(detail) => format!("no progress: {detail}"),
            Self::Unreadable(detail) => format!("the model can't be followed: {detail}"),
        }
    }
}

impl End {
    /// The exit code that goes with it.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Verified { .. } => 0,
            Self::HandedBack { .. } => 3,
            Self::Unverified { .. } => 4,
            Self::Uncertain { .. } => 5,
            Self::Interrupted { .. } => 130,
        }
    }

    /// Why, in one sentence.
    #[must_use]
    pub fn because(&self) -> String {
        match self {
            Self::Verified { because } => because.join("; "),
            Self::Unverified { because } => because.clone(),
            Self::Uncertain { request } => format!("{request} was sent and not answered"),
            Self::HandedBack { reason, .. } => reason.in_words(),
            Self::Interrupted { .. } => "it was stopped".into(),
        }
    }

    /// Its one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Verified { .. } => "verified",
            Self::HandedBack { .. } => "handed_back",
            Self::Unverified { .. } => "unverified",
            Self::Uncertain { .. } => "uncertain",
            Self::Interrupted { .. } => "interrupted",
        }
    }
}

/// How many requests there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Passed and were answered.
    pub passed: u64,
    /// Writes that a permit released.
    pub released: u64,
    /// Did not go out, or were not answered.
    pub stopped: u64,
    /// Telemetry, which is refused without a word.
    pub telemetry: u64,
}

impl Tally {
    /// What came since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            passed: self.passed - before.passed,
            released: self.released - before.released,
            stopped: self.stopped - before.stopped,
            telemetry: self.telemetry - before.telemetry,
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepReport {
    /// From 1.
    pub number: u32,
    /// Public form of the page's address.
    pub url: String,
    /// Controls seen and offered entries.
    pub seen: (u64, u64),
    /// What was chosen, in words.
    pub chosen: String,
    /// With which confidence.
    pub confidence: f64,
    /// By what it was allowed.
    pub allowed_by: String,
    /// What came of it.
    pub outcome: Option<Outcome>,
    /// The same in words.
    pub happened: String,
    /// Requests during the step.
    pub requests: Tally,
    /// Whole time of the step, milliseconds.
    pub wall_ms: u64,
    /// Time the model took.
    pub model_ms: u64,
    /// Time spent waiting for the page's network.
    pub network_ms: u64,
    /// Length of the settle window, which is waited out on purpose.
    pub settle_ms: u64,
    /// Time a person took to answer.
    pub person_ms: u64,
    /// Of Clicket's own time: looking at the page, twice when expectations are held against it.
    pub look_ms: u64,
    /// Of Clicket's own time: the input and its read-back.
    pub perform_ms: u64,
    /// Sockets and blind tunnels that were refused, opened or closed since the last step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roads: Vec<String>,
}

impl StepReport {
    /// What Clicket itself took: wall time less model, network, settle window and person.
    #[must_use]
    pub fn own_ms(&self) -> u64 {
        self.wall_ms.saturating_sub(self.model_ms + self.network_ms + self.settle_ms + self.person_ms)
    }
}

/// A file that was taken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Downloaded {
    /// Its receipt.
    #[serde(flatten)]
    pub file: SavedFile,
    /// Public form of where it came from.
    pub source: String,
}

/// The whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// Name of the run in the journal.
    pub run: String,
    /// How it ended.
    #[serde(flatten)]
    pub end: End,
    /// Public form of the last address.
    pub url: String,
    /// What decided.
    pub model: String,
    /// Each step.
    pub steps: Vec<StepReport>,
    /// Files that were taken.
    pub downloads: Vec<Downloaded>,
    /// Sockets that were open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sockets: Vec<SocketReceipt>,
    /// Blind tunnels that were open, with what did not hold for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tunnels: Vec<TunnelReceipt>,
    /// Requests of the whole run.
    pub requests: Tally,
    /// Money spent on the model, US dollars.
    pub usd: f64,
    /// Whole time, milliseconds.
    pub wall_ms: u64,
    /// Where the journal is.
    pub journal: std::path::PathBuf,
    /// Head of the journal when it was sealed.
    pub journal_head: String,
    /// Seams the operator opened.
    pub seams: Vec<String>,
    /// What kept the browser to its one road out.
    pub confinement: Confinement,
    /// Why the named profile was left as it was before the run, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_kept: Option<String>,
    /// Picture of the last page, as PNG, with secret fields painted over; or why there is none.
    #[serde(skip)]
    pub picture: Result<Vec<u8>, String>,
}

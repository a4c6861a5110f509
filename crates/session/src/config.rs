//! What a run is asked to do, and within what limits.

use std::time::Duration;

use clicket_guard::permit::FileSource;
use clicket_guard::policy::Policy;
use clicket_guard::secret::{ScrubberFault, Secret};
use clicket_guard::web::{Origin, WebUrl};

use crate::earlier::EarlierWrite;
use crate::expect::Expectation;

/// One run.
#[derive(Debug)]
pub struct RunConfig {
    /// Where it starts.
    pub start: WebUrl,
    /// What is wanted, in the operator's words.
    pub goal: String,
    /// Values that may be typed and shown to the model.
    pub values: Vec<Supplied>,
    /// Values that may be typed and shown to nobody.
    pub secrets: Vec<Secret>,
    /// Files that may be attached; their content is with the browser.
    pub files: Vec<FileSource>,
    /// What must be false before and true after.
    pub expectations: Vec<Expectation>,
    /// The operator's policy, with every `--allow` in it.
    pub policy: Policy,
    /// The model named in each request.
    pub model_id: String,
    /// Limits.
    pub budgets: Budgets,
    /// Writes of earlier runs whose end is not known; none of them is repeated without a person.
    pub earlier: Vec<EarlierWrite>,
    /// Origins whose connections are not inspected; each act on one of them says so.
    pub tunnelled: Vec<Origin>,
    /// Seams the operator opened, as printed; journaled with the run.
    pub seams: Vec<String>,
}

/// A value under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supplied {
    /// Its key, shown to the model.
    pub key: String,
    /// Its text, shown to the model.
    pub text: String,
}

/// Limits of a run. All hold inside a step as well as between steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budgets {
    /// Steps.
    pub steps: u32,
    /// Wall time, milliseconds.
    pub time_ms: u64,
    /// Money for the model, in US dollars.
    pub usd: f64,
    /// One decision, milliseconds.
    pub decide_ms: u64,
    /// One person's answer, milliseconds.
    pub approval_wait_ms: u64,
    /// One wait for the page to settle, milliseconds.
    pub settle_cap_ms: u64,
}

impl Default for Budgets {
    fn default() -> Self {
        Self { steps: 25, time_ms: 300_000, usd: 0.25, decide_ms: 20_000, approval_wait_ms: 110_000, settle_cap_ms: 15_000 }
    }
}

impl Budgets {
    /// The whole time budget.
    #[must_use]
    pub fn time(&self) -> Duration {
        Duration::from_millis(self.time_ms)
    }
}

impl SessionError {
    /// Its one word, for logs: its message can hold what a page or a server said.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Journal(_) => "journal",
            Self::Browser(_) => "browser",
            Self::PageLost(_) => "page",
            Self::Open { .. } => "open",
            Self::Redirected { .. } => "redirected",
            Self::Model(_) => "model",
            Self::Scrub(_) => "scrub",
            Self::Stopped => "stopped",
        }
    }
}

/// Why a run could not go on; each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The record can't be written, so nothing may be done.
    #[error("the journal can't be written, so nothing more was done: {0}")]
    Journal(#[from] clicket_journal::JournalError),
    /// The browser failed.
    #[error("the browser failed: {0}")]
    Browser(String),
    /// The page froze or crashed; the browser itself is well.
    #[error("the page can't be used: {0}")]
    PageLost(String),
    /// The first page could not be opened.
    #[error("{url} could not be opened: {why}")]
    Open {
        /// The start address.
        url: String,
        /// Why, and what to do.
        why: String,
    },
    /// In guard mode, the first page leads to another address, which nobody allowed.
    #[error("the page redirects to {to}; open that address if it is the one you mean")]
    Redirected {
        /// Public form of the other address.
        to: String,
    },
    /// The model can't be asked.
    #[error("{0}")]
    Model(String),
    /// The operator stopped it, or its time ran out.
    #[error("stopped before the page was seen")]
    Stopped,
    /// Secrets can't be scrubbed.
    #[error(transparent)]
    Scrub(#[from] ScrubberFault),
}

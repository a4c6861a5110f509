//! What came of an action: a closed list, so that every reader names every case.

use serde::{Deserialize, Serialize};

use crate::untrusted::PageText;

/// What came of one action on the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome", deny_unknown_fields)]
pub enum Outcome {
    /// The input reached its control, and the read-back agrees.
    Done {
        /// What was read back.
        read_back: ReadBack,
    },
    /// The control no longer means what was offered; nothing was done.
    Stale {
        /// Which part differs.
        part: String,
    },
    /// It changed after the pointer or a key had reached it; what was left of the input, the click above all, was stopped.
    Stopped {
        /// Which part differs.
        part: String,
    },
    /// Something lies over it; nothing was done.
    Covered {
        /// What lies there.
        by: PageText,
    },
    /// The element or its document is gone; nothing was done.
    Gone,
    /// The input was sent and the page did not take it, or the read-back differs.
    NotTaken {
        /// What was seen.
        why: String,
    },
    /// A secret is not for this origin or field; nothing was typed.
    SecretRefused {
        /// Why.
        why: String,
    },
    /// The page drew a native dialog, which was dismissed.
    DialogDismissed {
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        kind: String,
        /// What it said.
        text: PageText,
    },
    /// The page drew a native dialog, which was accepted by a permit of its own; the act went on.
    DialogAccepted {
        /// `confirm`, `prompt` or `beforeunload`.
        kind: String,
        /// What it said.
        text: PageText,
    },
    /// A deadline passed; whether the input arrived is not known.
    TimedOut {
        /// What was being done.
        doing: String,
    },
    /// The browser failed; whether the input arrived is not known.
    Failed {
        /// What it said.
        why: String,
    },
}

/// What a field or toggle holds after the action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadBack {
    /// Nothing to read.
    None,
    /// It holds what was asked.
    Holds,
    /// It holds what was asked in the page's own format.
    Reformatted,
}

impl Outcome {
    /// True when the input reached its control.
    #[must_use]
    pub fn reached_the_page(&self) -> bool {
        match self {
            Self::Done { .. }
            | Self::Stopped { .. }
            | Self::NotTaken { .. }
            | Self::DialogDismissed { .. }
            | Self::DialogAccepted { .. }
            | Self::TimedOut { .. }
            | Self::Failed { .. } => true,
            Self::Stale { .. } | Self::Covered { .. } | Self::Gone | Self::SecretRefused { .. } => false,
        }
    }
}

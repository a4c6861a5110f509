//! Native dialogs of a page: held open while they are judged, and accepted only by exactly what they say.

use clicket_journal::Digest;
use serde::{Deserialize, Serialize};

use crate::untrusted::PageText;

/// What kind of dialog a page opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialogKind {
    /// `alert()`.
    Alert,
    /// `confirm()`; dismissed means "cancel".
    Confirm,
    /// `prompt()`; dismissed means "cancel".
    Prompt,
    /// "Leave this page?"; dismissed means that the page stays.
    BeforeUnload,
    /// A kind that this version does not know.
    Unknown,
}

impl DialogKind {
    /// Reads the browser's word for it.
    #[must_use]
    pub fn read(kind: &str) -> Self {
        match kind {
            "alert" => Self::Alert,
            "confirm" => Self::Confirm,
            "prompt" => Self::Prompt,
            "beforeunload" => Self::BeforeUnload,
            _ => Self::Unknown,
        }
    }

    /// Its name as an outcome carries it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Alert => "alert",
            Self::Confirm => "confirm",
            Self::Prompt => "prompt",
            Self::BeforeUnload => "beforeunload",
            Self::Unknown => "unknown",
        }
    }

    /// True for one that asks something: an alert only tells, and what is not known is not accepted.
    #[must_use]
    pub fn asks(self) -> bool {
        match self {
            Self::Confirm | Self::Prompt | Self::BeforeUnload => true,
            Self::Alert | Self::Unknown => false,
        }
    }
}

/// One dialog that is open now.
///
/// Invariant: `exact` covers every character and the very instance, so that a permit for one dialog accepts no other, be its
/// text the same (`a_permit_for_one_dialog_does_not_accept_the_next` in chromium).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialog {
    /// Which kind.
    pub kind: DialogKind,
    /// What it says, whole.
    pub text: PageText,
    /// What a prompt has in its field; accepting sends it.
    pub prefilled: PageText,
    /// Digest of the exact texts and of which dialog it is.
    pub exact: Digest,
}

#[cfg(test)]
#[path = "dialog_tests.rs"]
mod tests;

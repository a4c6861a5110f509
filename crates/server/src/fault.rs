//! One shape for everything that goes wrong: `{code, error, retryable, next}`, in fixed words.

use rmcp::model::CallToolResult;
use serde_json::{Value, json};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident => $text:literal, $retry:ident,)*) => {
        /// What went wrong, as the agent reads it. Codes of the original server keep their meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// As it is written.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Whether the same call can work later.
            #[must_use]
            pub const fn is_retryable(self) -> bool {
                match self { $(Self::$name => retry!($retry),)* }
            }

            /// Every code, for tables and tests.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }
    };
}

macro_rules! retry {
    (later) => {
        true
    };
    (never) => {
        false
    };
}

codes! {
    /// The arguments are not what the tool's schema says.
    InvalidArguments => "INVALID_ARGUMENTS", never,
    /// There is no such tool.
    UnknownTool => "UNKNOWN_TOOL", never,
    /// No such token, or it was used.
    InvalidToken => "INVALID_TOKEN", never,
    /// The token was good and its time is over.
    ExpiredToken => "EXPIRED_TOKEN", never,
    /// What was shown is not there any more as it was shown.
    StalePreview => "STALE_PREVIEW", never,
    /// The server is ending.
    Closed => "CLOSED", never,
    /// The address is not one that may be opened.
    UrlRejected => "URL_REJECTED", never,
    /// The name has no address, or none that may be dialled.
    OpenFailed => "OPEN_FAILED", later,
    /// The page leads to another address.
    RedirectBlocked => "REDIRECT_BLOCKED", never,
    /// Too many pages are open.
    CapacityExceeded => "CAPACITY_EXCEEDED", later,
    /// The goal is empty or too long.
    InvalidGoal => "INVALID_GOAL", never,
    /// A person said no.
    ApprovalRefused => "APPROVAL_REFUSED", never,
    /// Nobody answered in time.
    ApprovalUnanswered => "APPROVAL_UNANSWERED", later,
    /// This client has no way to ask a person.
    ApprovalUnavailable => "APPROVAL_UNAVAILABLE", never,
    /// The policy refuses it, whoever says yes.
    PolicyRefused => "POLICY_REFUSED", never,
    /// The browser can't be started.
    BrowserUnavailable => "BROWSER_UNAVAILABLE", later,
    /// The model gave no answer that can be followed.
    ModelFailed => "MODEL_FAILED", later,
    /// The call was cancelled.
    Cancelled => "CANCELLED", later,
    /// The record can't be written, so nothing may be done.
    JournalFailed => "JOURNAL_FAILED", never,
    /// Anything else.
    OperationFailed => "OPERATION_FAILED", later,
}

/// Why a call gave no result. Both texts are fixed words: nothing of a page, a value or an address is in them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {error}", code.text())]
pub struct Fault {
    /// What kind.
    pub code: Code,
    /// What went wrong.
    pub error: String,
    /// What to do about it.
    pub next: &'static str,
}

impl Fault {
    /// A fault in fixed words.
    #[must_use]
    pub fn new(code: Code, error: impl Into<String>, next: &'static str) -> Self {
        Self { code, error: error.into(), next }
    }

    pub(crate) fn json(&self) -> Value {
        json!({"code": self.code.text(), "error": self.error, "retryable": self.code.is_retryable(), "next": self.next})
    }

    pub(crate) fn result(&self) -> CallToolResult {
        CallToolResult::structured_error(self.json())
    }
}

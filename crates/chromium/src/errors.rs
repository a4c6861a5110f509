//! What can go wrong with the browser, one enum a question.

use std::path::PathBuf;

use crate::find::FindError;
use crate::flags::MissingInvariant;

/// Why one command to the browser has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// No answer within the deadline; the page may be frozen.
    #[error("the browser did not answer {method} within {deadline_ms} ms")]
    TimedOut {
        /// The command.
        method: &'static str,
        /// The deadline it had.
        deadline_ms: u64,
    },
    /// The browser answered with an error.
    #[error("the browser refused {method}: {message}")]
    Refused {
        /// The command.
        method: &'static str,
        /// The browser's words, cut at 300 bytes. They can hold page text: never show them unescaped.
        message: String,
    },
    /// The answer did not have the documented shape.
    #[error("the browser's answer to {method} is not understood")]
    Unreadable {
        /// The command.
        method: &'static str,
    },
    /// The page's process died.
    #[error("the page crashed")]
    Crashed,
    /// The browser is gone, or the pipe to it broke.
    #[error("the browser is gone: {why}")]
    Gone {
        /// What ended it.
        why: GoneWhy,
    },
    /// Too many commands wait already.
    #[error("too many commands wait for the browser")]
    Crowded,
}

/// What ended the connection to the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GoneWhy {
    /// It closed its end of the pipe, which it does when it exits.
    #[error("it exited")]
    Exited,
    /// The pipe failed.
    #[error("its pipe failed")]
    PipeFailed,
    /// It sent a message above the size cap.
    #[error("it sent a message above the size cap")]
    MessageTooLarge,
    /// We closed it.
    #[error("it was closed")]
    Closed,
}

/// Why no browser was started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// No binary was found.
    #[error(transparent)]
    Find(#[from] FindError),
    /// A launch invariant is missing from the command line or the profile.
    #[error(transparent)]
    Invariant(#[from] MissingInvariant),
    /// The user that the browser should run as does not exist.
    #[error("there is no user `{name}` to run the browser as; make one: useradd --system --no-create-home {name}")]
    NoUser {
        /// The name that was asked for.
        name: String,
    },
    /// Chromium refuses to run as root with its sandbox.
    #[error("Chromium does not run as root with its sandbox on; name a user for it to run as")]
    RootNeedsUser,
    /// Only root can start the browser as another user.
    #[error("only root can run the browser as user `{name}`; run as that user instead")]
    NotRoot {
        /// The name that was asked for.
        name: String,
    },
    /// The profile folder could not be made.
    #[error("could not make the browser's profile in {path}: {source}")]
    Profile {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no port for the browser to be reached by.
    #[error("no place could be made for the browser: {source}")]
    Quarters {
        /// What the system said.
        source: std::io::Error,
    },
    /// A network namespace was required.
    #[error("no network namespace could be had, and --require-namespace says not to start without: {why}")]
    NoNamespace {
        /// Why.
        why: String,
    },
    /// The browser's network namespace is not empty.
    #[error("the browser is not started: its network namespace is not empty: {why}")]
    NotAlone {
        /// What is in it.
        why: String,
    },
    /// The process could not be started.
    #[error("could not start {binary}: {source}")]
    Spawn {
        /// The binary.
        binary: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The browser started and did not come up.
    #[error("the browser did not come up ({step}): {source}{}", said(.stderr))]
    NotUp {
        /// The step that failed.
        step: &'static str,
        /// Why.
        source: CallError,
        /// The end of its error output.
        stderr: String,
    },
    /// The edge did not take the proxy credential, or did not answer the seed page.
    #[error("the browser could not reach its proxy with its credential: {why}")]
    ProxyNotReached {
        /// The network error.
        why: String,
    },
}

fn said(stderr: &str) -> String {
    // Without a message bus the browser complains of it all the time; that is never the reason.
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty() && !line.contains(":ERROR:dbus/"));
    last.map(|line| format!("; it said: {line}")).unwrap_or_default()
}

/// Why a look at the page, or a question to it, has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// The browser did not answer, or is gone, or the page crashed or is frozen.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The document went away while it was looked at, or none was made in time.
    #[error("the page has no readable document")]
    NoDocument,
    /// The script in the page failed.
    #[error("the script that looks at the page failed")]
    ScriptFailed,
    /// The page's answer is above the cap.
    #[error("the page's answer of {bytes} bytes is above the cap")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The page's answer did not have the agreed shape.
    #[error("the page's answer is not understood")]
    Unreadable,
}

//! Outcomes in words: for people, for logs, and without secrets.

use clicket_guard::outcome::Outcome;

/// Its one word, for logs, which take nothing that a page said.
pub(crate) fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done { .. } => "done",
        Outcome::Stale { .. } => "stale",
        Outcome::Stopped { .. } => "stopped",
        Outcome::Covered { .. } => "covered",
        Outcome::Gone => "gone",
        Outcome::NotTaken { .. } => "not_taken",
        Outcome::SecretRefused { .. } => "secret_refused",
        Outcome::DialogDismissed { .. } => "dialog_dismissed",
        Outcome::DialogAccepted { .. } => "dialog_accepted",
        Outcome::TimedOut { .. } => "timed_out",
        Outcome::Failed { .. } => "failed",
    }
}

pub(crate) fn in_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done { .. } => "done".into(),
        Outcome::Stale { part } => format!("stale: its {part} changed after it was seen; nothing was done"),
        Outcome::Stopped { part } => {
            format!("stale: its {part} changed while the pointer was on it; it was pressed down on, and the click was stopped")
        }
        Outcome::Covered { by } => format!("covered by {}; nothing was done", by.for_person()),
        Outcome::Gone => "gone: it is no longer on the page; nothing was done".into(),
        Outcome::NotTaken { why } => format!("the page did not take it: {why}"),
        Outcome::SecretRefused { why } => format!("not typed: {why}"),
        Outcome::DialogDismissed { kind, text } => {
            let hint = if matches!(kind.as_str(), "confirm" | "prompt") { "; --accept-dialog TEXT says yes to it" } else { "" };
            format!("the page opened a {kind} saying {}; it was dismissed{hint}", text.for_person())
        }
        Outcome::DialogAccepted { kind, text } => {
            format!("done; the page's {kind} saying {} was allowed and accepted", text.for_person())
        }
        Outcome::TimedOut { doing } => format!("timed out while {doing}"),
        Outcome::Failed { why } => format!("failed: {why}"),
    }
}

/// Error texts of the browser can hold addresses with secrets in them.
pub(crate) fn scrubbed(outcome: Outcome, scrub: &clicket_guard::secret::Scrubber) -> Outcome {
    let clean = |text: String| scrub.scrub(&text).into_owned();
    match outcome {
        Outcome::NotTaken { why } => Outcome::NotTaken { why: clean(why) },
        Outcome::Failed { why } => Outcome::Failed { why: clean(why) },
        Outcome::SecretRefused { why } => Outcome::SecretRefused { why: clean(why) },
        Outcome::TimedOut { doing } => Outcome::TimedOut { doing: clean(doing) },
        same @ (Outcome::Done { .. }
        | Outcome::Stale { .. }
        | Outcome::Stopped { .. }
        | Outcome::Covered { .. }
        | Outcome::Gone
        | Outcome::DialogDismissed { .. }
        | Outcome::DialogAccepted { .. }) => same,
    }
}

//! Native dialogs: dismissed at once, never accepted unseen, reported.

use serde_json::json;

use crate::limits::DIALOGS_IN_A_ROW_MAX;
use crate::state::{BrowserEvent, Reply, State, cut};
use crate::wire::DialogOpening;

/// What kind of dialog a page opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    fn read(kind: &str) -> DialogKind {
        match kind {
            "alert" => DialogKind::Alert,
            "confirm" => DialogKind::Confirm,
            "prompt" => DialogKind::Prompt,
            "beforeunload" => DialogKind::BeforeUnload,
            _ => DialogKind::Unknown,
        }
    }

    /// Its name as an outcome carries it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            DialogKind::Alert => "alert",
            DialogKind::Confirm => "confirm",
            DialogKind::Prompt => "prompt",
            DialogKind::BeforeUnload => "beforeunload",
            DialogKind::Unknown => "unknown",
        }
    }
}

/// Dismisses a dialog, and ends the script when it opens one after another.
pub(crate) fn dismiss(state: &mut State, session: &str, opening: &DialogOpening) -> Vec<Reply> {
    state.dialogs_in_a_row = state.dialogs_in_a_row.saturating_add(1);
    let (kind, text) = (DialogKind::read(&opening.kind), cut(&opening.message));
    state.first_dialog.get_or_insert_with(|| (kind, text.clone()));
    state.push(BrowserEvent::Dialog { kind, text });
    let mut replies = vec![Reply::to(session, "Page.handleJavaScriptDialog", json!({ "accept": false }))];
    if state.dialogs_in_a_row > DIALOGS_IN_A_ROW_MAX {
        replies.push(Reply::to(session, "Runtime.terminateExecution", json!({})));
    }
    replies
}

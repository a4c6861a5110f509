//! Native dialogs. One that only tells, or comes when nobody acts, is dismissed at once. One that asks something while an act is
//! under way is held open, with the page's script standing still, until its answer comes, its time is over, or anything else is
//! asked of the page; all but a permit that names exactly this dialog dismisses it.

use std::time::Duration;

use clicket_guard::dialog::{Dialog, DialogKind};
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::{ActPermit, Action};
use clicket_guard::secret::Scrubber;
use clicket_guard::untrusted::PageText;
use clicket_journal::{Digest, canonical_json};
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::browser::Browser;
use crate::errors::CallError;
use crate::limits::{
    CALL_MS, DIALOG_HELD_MS, DIALOG_TEXT_CHARS_MAX, DIALOGS_HELD_MAX, DIALOGS_IN_A_ROW_MAX, EVENT_TEXT_BYTES_MAX,
};
use crate::perform::done;
use crate::state::{BrowserEvent, Reply, State, cut};
use crate::wire::DialogOpening;

/// Whether a dialog that opens now is kept open for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holding {
    /// Nothing is under way; it is dismissed at once.
    No,
    /// An act is under way and nobody is there to ask; it is dismissed at once.
    Nobody,
    /// An act is under way and somebody is there to ask.
    Yes,
}

/// A dialog that is open now. The texts are the page's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeldDialog {
    session: String,
    /// Which of all dialogs of this browser.
    number: u64,
    kind: DialogKind,
    text: String,
    prefilled: String,
}

impl HeldDialog {
    fn seen(&self, scrub: &Scrubber) -> Dialog {
        let exact = json!({ "number": self.number, "kind": self.kind, "text": self.text, "prefilled": self.prefilled });
        Dialog {
            kind: self.kind,
            text: PageText::read(&self.text, DIALOG_TEXT_CHARS_MAX, scrub),
            prefilled: PageText::read(&self.prefilled, DIALOG_TEXT_CHARS_MAX, scrub),
            exact: Digest::of(canonical_json(&exact).as_bytes()),
        }
    }
}

/// A question of the page's that waits. Dropping it dismisses the dialog.
#[derive(Debug)]
pub struct DialogAsked {
    /// What is open.
    pub dialog: Dialog,
    answer: oneshot::Sender<(ActPermit, oneshot::Sender<Outcome>)>,
}

impl DialogAsked {
    /// Says yes, with a permit for exactly this dialog; what came of it is told. A sender that is gone means that the dialog was
    /// gone first.
    pub fn accept(self, permit: ActPermit) -> oneshot::Receiver<Outcome> {
        let (told, outcome) = oneshot::channel();
        // A dialog that nobody waits for any more was dismissed.
        drop(self.answer.send((permit, told)));
        outcome
    }
}

/// A dialog opens: it is held, or dismissed at once, and the script that opens one after another is ended.
pub(crate) fn open(state: &mut State, session: &str, opening: &DialogOpening) -> Vec<Reply> {
    state.dialogs_in_a_row = state.dialogs_in_a_row.saturating_add(1);
    state.dialogs = state.dialogs.saturating_add(1);
    let kind = DialogKind::read(&opening.kind);
    // Of a longer one a person would see a part only.
    let whole = [&opening.message, &opening.default_prompt]
        .iter()
        .all(|text| text.len() <= EVENT_TEXT_BYTES_MAX && text.chars().count() <= DIALOG_TEXT_CHARS_MAX);
    let few = state.dialogs_in_a_row <= DIALOGS_HELD_MAX;
    if state.holding == Holding::Yes && state.held.is_none() && kind.asks() && whole && few {
        state.held = Some(HeldDialog {
            session: session.to_owned(),
            number: state.dialogs,
            kind,
            text: opening.message.clone(),
            prefilled: opening.default_prompt.clone(),
        });
        return Vec::new();
    }
    let mut replies = vec![dismissed(state, session, kind, &opening.message)];
    if state.dialogs_in_a_row > DIALOGS_IN_A_ROW_MAX {
        replies.push(Reply::to(session, "Runtime.terminateExecution", json!({})));
    }
    replies
}

/// The browser says that a dialog is closed, or its page is gone.
pub(crate) fn closed(state: &mut State, session: &str) {
    if state.held.as_ref().is_some_and(|held| held.session == session) {
        state.held = None;
    }
}

fn dismissed(state: &mut State, session: &str, kind: DialogKind, text: &str) -> Reply {
    let text = cut(text);
    state.first_dialog.get_or_insert_with(|| (kind, text.clone()));
    state.push(BrowserEvent::Dialog { kind, text });
    Reply::to(session, "Page.handleJavaScriptDialog", json!({ "accept": false }))
}

impl Browser {
    /// From now on dialogs that ask something during an act or its settling are held open and asked about here, one at a time,
    /// for at most two minutes each. Until this is called, and while nothing is done, every dialog is dismissed at once.
    pub fn ask_about_dialogs(&mut self) -> mpsc::Receiver<DialogAsked> {
        let (asks, asked) = mpsc::channel(1);
        self.dialogs = Some(asks);
        asked
    }

    pub(crate) fn hold_dialogs(&self) {
        let holding = if self.dialogs.is_some() { Holding::Yes } else { Holding::Nobody };
        self.router.state().holding = holding;
    }

    /// Nothing is under way any more: an open dialog is dismissed, later ones at once.
    pub(crate) fn let_dialogs_go(&self) {
        let reply = {
            let mut state = self.router.state();
            state.holding = Holding::No;
            let held = state.held.take();
            held.map(|held| dismissed(&mut state, &held.session, held.kind, &held.text))
        };
        self.post(reply);
    }

    fn post(&self, reply: Option<Reply>) {
        if let Some(reply) = reply {
            self.connection.post(reply.session.as_deref(), reply.method, reply.params);
        }
    }

    /// Returns when a dialog is held open.
    pub(crate) async fn dialog_held(&self) -> HeldDialog {
        loop {
            if let Some(held) = self.router.wait_for(DIALOG_HELD_MS, |state| state.held.clone()).await {
                return held;
            }
        }
    }

    /// Runs `work` and answers dialogs that open meanwhile. While one is open, `work` stands still and so do its deadlines.
    pub(crate) async fn beside_dialogs<T>(&self, work: impl Future<Output = T> + Send) -> T {
        tokio::pin!(work);
        loop {
            let held = tokio::select! {
                biased;
                out = &mut work => return out,
                held = self.dialog_held() => held,
            };
            self.answer_dialog(&held).await;
        }
    }

    /// Asks about a dialog and does as it is told; every doubt dismisses it.
    pub(crate) async fn answer_dialog(&self, held: &HeldDialog) {
        let dialog = held.seen(&self.scrub);
        let answered = {
            let _standing = self.connection.stand_still();
            self.ask(held, dialog.clone()).await
        };
        let Some((permit, told)) = answered else {
            self.dismiss(held);
            return;
        };
        let outcome = match permit.action() {
            Action::AcceptDialog { dialog: named } if *named == dialog => self.accept(held).await,
            _ => Outcome::Stale { part: "dialog".to_owned() },
        };
        if outcome != done() {
            self.dismiss(held);
        }
        // Whoever asked may have gone; the page was told all the same.
        drop(told.send(outcome));
    }

    async fn ask(&self, held: &HeldDialog, dialog: Dialog) -> Option<(ActPermit, oneshot::Sender<Outcome>)> {
        let (answer, answered) = oneshot::channel();
        self.dialogs.as_ref()?.try_send(DialogAsked { dialog, answer }).ok()?;
        let number = held.number;
        let gone = self.router.wait_for(DIALOG_HELD_MS, |state| {
            let here = state.held.as_ref().is_some_and(|held| held.number == number);
            (!here).then_some(())
        });
        tokio::select! {
            answered = tokio::time::timeout(DIALOG_HELD_MS, answered) => answered.ok()?.ok(),
            _ = gone => None,
        }
    }

    fn take_held(&self, held: &HeldDialog) -> bool {
        let mut state = self.router.state();
        let here = state.held.as_ref() == Some(held);
        if here {
            state.held = None;
        }
        here
    }

    async fn accept(&self, held: &HeldDialog) -> Outcome {
        if !self.take_held(held) {
            return Outcome::Gone;
        }
        let mut yes = json!({ "accept": true });
        if held.kind == DialogKind::Prompt {
            yes["promptText"] = json!(held.prefilled);
        }
        let call = self.connection.call::<IgnoredAny>(Some(&held.session), "Page.handleJavaScriptDialog", yes, CALL_MS);
        match call.await {
            Ok(_) => {
                self.router.state().accepted_dialog = Some((held.kind, held.text.clone()));
                done()
            }
            Err(CallError::Refused { .. }) => Outcome::Gone,
            Err(error) => crate::perform::call_failed("accepting the dialog", error),
        }
    }

    fn dismiss(&self, held: &HeldDialog) {
        if self.take_held(held) {
            let reply = dismissed(&mut self.router.state(), &held.session, held.kind, &held.text);
            self.post(Some(reply));
        }
    }
}

/// Time that calls stand still because a dialog is open.
#[derive(Default)]
pub(crate) struct Stillness {
    so_far: Duration,
    since: Option<tokio::time::Instant>,
}

impl Stillness {
    pub(crate) fn begin(&mut self) {
        self.since.get_or_insert_with(tokio::time::Instant::now);
    }

    pub(crate) fn end(&mut self) {
        if let Some(since) = self.since.take() {
            self.so_far += since.elapsed();
        }
    }

    pub(crate) fn whole(&self) -> Duration {
        self.so_far + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

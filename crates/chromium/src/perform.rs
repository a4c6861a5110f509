//! Spends a permit: the only door through which the page is touched.
//!
//! Invariant: every input to the page is made below [`Browser::perform`], which takes an [`ActPermit`] by value. Held by the
//! privacy of the connection, and by the permit's own proofs in guard.

use std::sync::PoisonError;

use clicket_guard::outcome::{Outcome, ReadBack};
use clicket_guard::permit::{ActPermit, Action, Bound, Direction};
use clicket_guard::secret::{Scrubber, Secret};
use clicket_guard::untrusted::PageText;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::errors::{CallError, PageError};
use crate::frames::Path;
use crate::limits::{CALL_MS, COVER_CHARS_MAX, DIALOG_CHARS_MAX, HELD_BACK_MS, UNFREEZE_MS, WAIT_STEP_MS};
use crate::observe::Remembered;
use crate::raw::{RawPlace, RawPoint};
use crate::state::State;
use crate::world::{ARM, Argument, DISARM, PageFunction, SCROLL};

/// An act that ended early, with what came of it.
pub(crate) type Acted<T> = Result<T, Outcome>;

/// A control of the last look, in the document of that look.
pub(crate) struct Held {
    /// The key that the script in its document knows it by.
    pub(crate) key: u64,
    pub(crate) control: Remembered,
}

/// Where a control can be pressed, and where the frame that it is in stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sight {
    pub(crate) aim: Aim,
    pub(crate) place: Option<RawPlace>,
}

/// Where to press, in CSS pixels of the top viewport.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Aim {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// Which input the page's latch lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Latch {
    Press,
    Type,
    Choose,
    Enter,
    Key,
}

impl Latch {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Latch::Press => "press",
            Latch::Type => "type",
            Latch::Choose => "choose",
            Latch::Enter => "enter",
            Latch::Key => "key",
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Armed {
    pub(crate) ok: bool,
    pub(crate) why: String,
    pub(crate) detail: String,
    pub(crate) points: Vec<RawPoint>,
}

/// What the page's latch says afterwards.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Disarmed {
    cancelled: Option<Mismatch>,
    landed: bool,
    /// The page was told of the beginning of the input: it may have taken the focus, or opened something.
    begun: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Mismatch {
    why: String,
    detail: String,
}

impl Browser {
    /// Does what the permit names, once, and says what came of it. Never waits for a load: that is [`Browser::settle`].
    ///
    /// The control is compared with what was offered before the input and again by listeners that see the input's own
    /// events first; on any difference nothing is done and the outcome says which part differs.
    pub async fn perform(&mut self, permit: ActPermit, secrets: &[Secret]) -> Outcome {
        self.ahead = None;
        self.navigations_before = Some(self.router.state().navigations);
        if let Action::LookAt { from } = permit.action() {
            self.part = self.router.state().world.clone().map(|world| (world, from.0));
        }
        *self.last_input.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        self.let_dialogs_go();
        self.router.state().forget_dialogs();
        self.hold_dialogs();
        let asked_before = self.asked_anywhere();
        let acted_on =
            permit.action().bound().and_then(|bound| self.memory.get(&bound.handle)).map(|control| control.world.clone());
        if let Some(world) = &acted_on {
            self.others_are_shielded = self.shield(world).await;
        }
        let acted = self.beside_dialogs(self.act(permit.action(), secrets)).await;
        let outcome = acted.unwrap_or_else(|early| early);
        if let Some(world) = &acted_on {
            self.unshield(world);
        }
        // Ending what runs would end a navigation that is under way, too.
        if matches!(outcome, Outcome::TimedOut { .. }) && self.asked_anywhere() == asked_before {
            self.unfreeze(acted_on.map_or_else(|| self.session.clone(), |world| world.session)).await;
        }
        self.with_dialog(outcome, secrets)
    }

    fn asked_anywhere(&self) -> u64 {
        let state = self.router.state();
        state.navigations_asked.saturating_add(state.foreign.asked_anywhere())
    }

    async fn act(&self, action: &Action, secrets: &[Secret]) -> Acted<Outcome> {
        match action {
            Action::Press { control } => self.press(&self.held(control)?, secrets).await,
            Action::Fill { control, value } => self.fill(&self.held(control)?, value, secrets).await,
            Action::Choose { control, option, label } => self.choose(&self.held(control)?, *option, label, secrets).await,
            Action::Toggle { control, to } => self.toggle(&self.held(control)?, *to, secrets).await,
            Action::Enter { control } => self.enter(&self.held(control)?, secrets).await,
            Action::Key { control, key } => self.widget_key(&self.held(control)?, *key, secrets).await,
            Action::Hover { control } => self.point_at(&self.held(control)?, secrets).await,
            Action::Attach { control, file } => self.attach(&self.held(control)?, file, secrets).await,
            // Spent where the dialog is answered; by itself it has nothing to say yes to.
            Action::AcceptDialog { .. } => Err(Outcome::Gone),
            // It takes the browser itself, so it was done before anything was sent.
            Action::LookAt { .. } => Ok(done()),
            Action::Scroll(direction) => self.scroll(*direction).await,
            Action::Wait => {
                tokio::time::sleep(WAIT_STEP_MS).await;
                Ok(done())
            }
            Action::Back => self.back().await,
            Action::Navigate { url } => self.navigate(url).await,
        }
    }

    /// The control as it was last seen; a permit for anything else is stale.
    fn held(&self, bound: &Bound) -> Acted<Held> {
        let control = self.memory.get(&bound.handle).filter(|control| control.meaning == bound.meaning);
        let control = control.ok_or_else(|| Outcome::Stale { part: "observation".to_owned() })?;
        Ok(Held { key: control.key, control: control.clone() })
    }

    /// Sets the latch: compares the meaning, brings the control into view and finds a point that hits it.
    pub(crate) async fn arm(&self, held: &Held, latch: Latch, secrets: &[Secret]) -> Acted<Sight> {
        if !held.control.path.is_empty() {
            return self.arm_in_frame(held, latch, secrets).await;
        }
        let arguments = [json!(held.key), held.control.bound.clone(), json!(latch.word())];
        let armed: Armed = self.in_document(held, ARM, arguments).await.map_err(|error| before_input("aiming", error))?;
        match armed.points.first().filter(|point| armed.ok && point.is_finite()) {
            Some(point) => Ok(Sight { aim: Aim { x: point.x, y: point.y }, place: None }),
            None => Err(refusal(&armed.why, &armed.detail, secrets)),
        }
    }

    /// What the frame's document must be told of where it stands, once nothing lies over the control; nothing for the page's
    /// own document, which sees for itself.
    pub(crate) async fn place_for(&self, held: &Held, latch: Latch, secrets: &[Secret]) -> Acted<Option<RawPlace>> {
        if held.control.path.is_empty() { Ok(None) } else { Ok(self.arm(held, latch, secrets).await?.place) }
    }

    /// Takes the latch off and says what it saw. `None`: a navigation began, and nothing more can be asked of the document.
    ///
    /// From the start of a navigation until it ends the browser holds back what is sent to the page, and the edge may hold
    /// its request for minutes. The latch then comes off when the document can be spoken to again, if it stays.
    pub(crate) async fn disarm(&self, held: &Held, asked_before: u64, doing: &str) -> Acted<Option<Disarmed>> {
        let disarmed = self.unless_navigating(held, asked_before, self.in_document(held, DISARM, [])).await;
        match disarmed {
            None => Ok(None),
            Some(Ok(disarmed)) => Ok(Some(disarmed)),
            Some(Err(PageError::NoDocument)) if self.navigations_asked(held) > asked_before => Ok(None),
            Some(Err(PageError::NoDocument)) => Err(Outcome::Failed { why: "the document went away under the input".to_owned() }),
            Some(Err(error)) => Err(after_input(doing, &error)),
        }
    }

    /// Navigations of the page, and of the frames that the control is in, that were asked for.
    pub(crate) fn navigations_asked(&self, held: &Held) -> u64 {
        asked(&self.router.state(), &held.control.path)
    }

    /// Waits for an answer of the page, but not while a navigation that began meanwhile holds it back.
    pub(crate) async fn unless_navigating<T>(
        &self,
        held: &Held,
        asked_before: u64,
        answer: impl Future<Output = T> + Send,
    ) -> Option<T> {
        let since = std::sync::OnceLock::new();
        let held_back = async {
            let began = |state: &State| (asked(state, &held.control.path) > asked_before).then_some(());
            if self.router.wait_for(CALL_MS, began).await.is_none() {
                std::future::pending::<()>().await;
            }
            let _ = since.set(tokio::time::Instant::now());
            tokio::time::sleep(HELD_BACK_MS).await;
        };
        let answer = tokio::select! {
            biased;
            answer = answer => Some(answer),
            () = held_back => None,
        };
        // The page is silent because its network is: the wait is counted there.
        if let Some(since) = since.get() {
            let waited = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.waited_on_navigation_ms.fetch_add(waited, std::sync::atomic::Ordering::Relaxed);
        }
        answer
    }

    /// Calls the page's script in the document of the last look, never in a later one.
    pub(crate) async fn in_document<T: serde::de::DeserializeOwned>(
        &self,
        held: &Held,
        function: PageFunction,
        arguments: impl IntoIterator<Item = Value> + Send,
    ) -> Result<T, PageError> {
        let arguments = arguments.into_iter().map(Argument::Plain).collect();
        self.page_function_in(&held.control.world, function, arguments, CALL_MS).await
    }

    async fn scroll(&self, direction: Direction) -> Acted<Outcome> {
        let down = matches!(direction, Direction::Down);
        let moved: Result<f64, PageError> = self.page_function(SCROLL, [json!(down)], CALL_MS).await;
        match moved {
            Ok(moved) if moved.abs() >= 1.0 => Ok(done()),
            Ok(_) => Ok(Outcome::NotTaken { why: "there is nothing more in that direction".to_owned() }),
            Err(error) => Err(before_input("scrolling", error)),
        }
    }

    /// Ends a script that runs without end, so that the page can be spoken to again.
    pub(crate) async fn unfreeze(&self, session: String) {
        let session = Some(session.as_str());
        let ending = self.connection.call::<serde::de::IgnoredAny>(session, "Runtime.terminateExecution", json!({}), UNFREEZE_MS);
        if ending.await.is_err() {
            self.connection.post(session, "Page.stopLoading", json!({}));
        }
    }

    /// A dialog that was dismissed meanwhile is what the caller must hear of, unless nothing was done at all.
    fn with_dialog(&self, outcome: Outcome, secrets: &[Secret]) -> Outcome {
        let (dismissed, accepted) = {
            let state = self.router.state();
            (state.first_dialog.clone(), state.accepted_dialog.clone())
        };
        match (dismissed, accepted) {
            (None, Some((kind, text))) if matches!(outcome, Outcome::Done { .. }) => {
                Outcome::DialogAccepted { kind: kind.word().to_owned(), text: page_text(&text, DIALOG_CHARS_MAX, secrets) }
            }
            (Some((kind, text)), _) if outcome.reached_the_page() => {
                Outcome::DialogDismissed { kind: kind.word().to_owned(), text: page_text(&text, DIALOG_CHARS_MAX, secrets) }
            }
            (_, _) => outcome,
        }
    }
}

fn asked(state: &State, path: &Path) -> u64 {
    path.iter().fold(state.navigations_asked, |sum, step| sum.saturating_add(state.foreign.asked(&step.frame)))
}

/// Something lies over the control.
pub(crate) fn covered(by: &str, secrets: &[Secret]) -> Outcome {
    Outcome::Covered { by: page_text(by, COVER_CHARS_MAX, secrets) }
}

/// What the latch saw, as an outcome; `None` when the input landed and nothing was cancelled.
pub(crate) fn judged(disarmed: &Disarmed, secrets: &[Secret]) -> Option<Outcome> {
    match &disarmed.cancelled {
        Some(_) if disarmed.landed => Some(not_taken("it changed while it was used")),
        Some(mismatch) if disarmed.begun && mismatch.why == "stale" => Some(Outcome::Stopped { part: part_of(&mismatch.detail) }),
        Some(mismatch) => Some(refusal(&mismatch.why, &mismatch.detail, secrets)),
        None if disarmed.landed => None,
        None => Some(not_taken("the input did not reach it")),
    }
}

/// The page script's reason as an outcome in which nothing was done.
pub(crate) fn refusal(why: &str, detail: &str, secrets: &[Secret]) -> Outcome {
    match why {
        "gone" => Outcome::Gone,
        "stale" => Outcome::Stale { part: part_of(detail) },
        "hidden" => Outcome::Stale { part: "visibility".to_owned() },
        "disabled" => Outcome::Stale { part: "disabled".to_owned() },
        "covered" => covered(detail, secrets),
        "focus" => not_taken("the focus went elsewhere"),
        "kind" => not_taken("it is not that kind of control"),
        "value" => not_taken("the field does not accept this value"),
        _ => not_taken("the page's script gave no known reason"),
    }
}

/// The page's script names a part of the meaning; whatever else it says is no word of ours.
fn part_of(detail: &str) -> String {
    detail.chars().filter(char::is_ascii_alphanumeric).take(32).collect()
}

/// Page text without known secrets; if they cannot be taken out, nothing of it is kept.
fn page_text(raw: &str, chars_max: usize, secrets: &[Secret]) -> PageText {
    Scrubber::of(secrets).map(|scrub| PageText::read(raw, chars_max, &scrub)).unwrap_or_default()
}

pub(crate) fn done() -> Outcome {
    Outcome::Done { read_back: ReadBack::None }
}

pub(crate) fn not_taken(why: &str) -> Outcome {
    Outcome::NotTaken { why: why.to_owned() }
}

/// An error before any input was sent.
pub(crate) fn before_input(doing: &str, error: PageError) -> Outcome {
    match error {
        PageError::NoDocument => Outcome::Gone,
        other => after_input(doing, &other),
    }
}

/// An error when the input may have arrived.
pub(crate) fn after_input(doing: &str, error: &PageError) -> Outcome {
    match error {
        PageError::Call(CallError::TimedOut { .. }) => Outcome::TimedOut { doing: doing.to_owned() },
        // The browser's own words may hold text of the page.
        PageError::Call(CallError::Refused { method, .. }) => Outcome::Failed { why: format!("the browser refused {method}") },
        other => Outcome::Failed { why: other.to_string() },
    }
}

/// The same for a command to the browser.
pub(crate) fn call_failed(doing: &str, error: CallError) -> Outcome {
    after_input(doing, &PageError::Call(error))
}

#[cfg(test)]
#[path = "perform_tests.rs"]
mod tests;

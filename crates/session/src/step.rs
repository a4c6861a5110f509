//! One step: observe, offer, ask, read, judge, admit, perform, settle.

use std::time::{Duration, Instant};

use clicket_chromium::{CallError, PageError};
use clicket_guard::choice::{Choice, Pick};
use clicket_guard::gate::{Act, Refusal};
use clicket_guard::observation::Observation;
use clicket_guard::offer::{Entry, EntryId, History, Offer, control_of};
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::{ActPermit, Action};
use clicket_guard::policy::{Judgement, Verdict};
use clicket_guard::risk::{self, ActionClass};
use clicket_guard::web::Origin;
use clicket_guard::words;
use serde_json::json;

use crate::admit::Leave;
use crate::clock::millis;
use crate::config::SessionError;
use crate::dialogs::UnderWay;
use crate::edge_desk::Causes;
use crate::facts::{Effect, Past, effect_between};
use crate::live::Live;
use crate::outcomes::{in_words, outcome_name, scrubbed};
use crate::report::{End, HandBack, StepReport, Tally};
use crate::roads;
use crate::run::Runner;

/// Refusals by a person after which the run is given back.
const REFUSALS_MAX: u32 = 3;

/// What the last part of a step adds to its report.
struct Timing {
    started: Instant,
    model_ms: u64,
    look_ms: u64,
    perform_ms: u64,
    person_before_ms: u64,
    counts: Tally,
}

/// What was waited for while the page settled.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waited {
    network_ms: u64,
    window_ms: u64,
}

impl Waited {
    pub(crate) fn add(&mut self, later: Waited) {
        self.network_ms += later.network_ms;
        self.window_ms += later.window_ms;
    }
}

impl Runner {
    /// Opens the start page; the operator's own address, so no model chose it.
    pub(crate) async fn open(&mut self) -> Result<Option<End>, SessionError> {
        let url = self.config.start.as_str().to_owned();
        let entry = Entry {
            id: EntryId::of_start(),
            operation: clicket_guard::offer::Operation::Press,
            action: Action::Navigate { url: url.clone() },
        };
        let judgement = self.desk.policy.judge_action(ActionClass::Navigate, 1.0, self.desk.approver.attendance());
        let permit = match self.admit(&Observation::default(), &entry, judgement).await? {
            Ok(permit) => permit,
            Err(end) => return Ok(Some(end.unwrap_or_else(not_opened))),
        };
        let words = format!("Open {}", clicket_guard::untrusted::PageText::plain(&url).for_person());
        self.dialogs.begin(UnderWay {
            words,
            class: ActionClass::Navigate,
            confidence: 1.0,
            observation: Observation::default().digest(),
            url: url.clone(),
        });
        let outcome = self.perform(permit, format!("Open {url}")).await?;
        if let Outcome::Failed { why } | Outcome::NotTaken { why } = &outcome {
            self.desk.drain();
            let why = self.desk.why_no_document().unwrap_or_else(|| why.clone());
            return Err(SessionError::Open { url: self.config.start.public_form().to_owned(), why });
        }
        self.settle().await?;
        let opened = self.desk.write_requests()?;
        self.desk.opened.extend(opened);
        if let Some(end) = self.desk.wall(None) {
            return Ok(Some(end));
        }
        if let Some(held) = self.already_true().await? {
            return Ok(Some(End::Unverified {
                because: format!("{held}: that was true before the first step, so it can't prove anything; nothing was done"),
            }));
        }
        Ok(None)
    }

    /// Takes one step; `Some` when it was the last.
    pub(crate) async fn step(&mut self, number: u32) -> Result<Option<End>, SessionError> {
        let started = Instant::now();
        let timing = Timing {
            started,
            model_ms: 0,
            look_ms: 0,
            perform_ms: 0,
            person_before_ms: self.desk.person_ms,
            counts: self.desk.counts,
        };
        let seen = self.observe().await?;
        self.note_effect(&seen);
        if let Some(end) = self.look_for_the_end(Some(&seen)).await? {
            return Ok(Some(end));
        }
        if let Some(end) = self.desk.wall(Some(&seen)) {
            return Ok(Some(end));
        }
        let look_ms = millis(started.elapsed());
        if let Some(end) = self.out_of_budget() {
            return Ok(Some(end));
        }
        let history = if self.pages > 0 { History::HasEarlier } else { History::First };
        let offer = Offer::make(&seen, &self.values, history, (self.nonce)());
        let decided = match self.decide(&seen, &offer).await? {
            Ok(decided) => decided,
            Err(end) => return Ok(Some(end)),
        };
        let timing = Timing { model_ms: decided.model_ms, look_ms, ..timing };
        self.act(number, seen, &offer, decided.choice, timing).await
    }

    pub(crate) async fn observe(&mut self) -> Result<Observation, SessionError> {
        let scrub = self.desk.scrub.clone();
        let first = self.desk.watching(self.browser.observe(&scrub)).await;
        let seen = match first {
            Ok(seen) => seen,
            // The document may just have been replaced: settle and look once more.
            Err(_) => {
                self.settle().await?;
                self.desk.watching(self.browser.observe(&scrub)).await.map_err(page_failed)?
            }
        };
        self.check_journal()?;
        Ok(seen)
    }

    fn note_effect(&mut self, seen: &Observation) {
        if let (Some(last), Some(before)) = (self.past.last_mut(), &self.before)
            && last.effect == Effect::Nothing
        {
            last.effect = effect_between(before, seen);
            if last.effect == Effect::PageChanged {
                self.pages += 1;
            }
        }
        self.before = Some(seen.clone());
    }

    async fn act(
        &mut self,
        number: u32,
        seen: Observation,
        offer: &Offer,
        choice: Choice,
        timing: Timing,
    ) -> Result<Option<End>, SessionError> {
        let entry = match choice.pick() {
            Pick::Act(entry) => entry.clone(),
            Pick::Done => return self.claim_done(&seen, choice.confidence()).await,
            Pick::Blocked => {
                return Ok(Some(End::HandedBack {
                    reason: HandBack::Blocked(self.nothing_helps(&seen)),
                    next: "Name each step in the goal (\"Sign in, search for X, add X to the basket\"), or go on from the picture of the last page.".into(),
                }));
            }
        };
        let class = risk::of_action(&seen, &entry.action);
        let mut judgement = self.judge(&seen, &entry, class, choice.confidence());
        let chosen = sentence(&seen, &entry);
        if self.distrusted.contains(&chosen) {
            judgement.tighten(Verdict::Ask, "what it would send changed while it was being pressed before".into());
        }
        if let Some(ground) = roads::unseen(&self.config.tunnelled, &seen, control_of(&seen, &entry)) {
            // It makes nothing stricter: the operator gave the promise up by name. But no receipt is without it.
            judgement.tighten(Verdict::Allow, ground);
        }
        let grounds = judgement.reasons().join("; ");
        let mut past = Past::of(&seen, &entry);
        let permit = match self.admit(&seen, &entry, judgement).await? {
            Ok(permit) => permit,
            Err(end) => {
                past.effect = Effect::Refused;
                self.past.push(past);
                let report =
                    self.report(number, &seen, offer, (chosen, choice.confidence(), grounds), None, &Waited::default(), &timing);
                self.finish_step(report)?;
                return Ok(end);
            }
        };
        self.dialogs.begin(UnderWay {
            words: chosen.clone(),
            class,
            confidence: choice.confidence(),
            observation: seen.digest(),
            url: seen.url.clone(),
        });
        self.desk.acting_form = control_of(&seen, &entry).and_then(|control| control.form.clone());
        let began = Instant::now();
        let outcome = self.perform(permit, chosen.clone()).await?;
        let timing = Timing { perform_ms: millis(began.elapsed()), ..timing };
        if matches!(&outcome, Outcome::Stale { part } | Outcome::Stopped { part } if part == "carried") {
            // The words stayed and what is sent changed: from here on the words prove nothing.
            self.distrusted.insert(chosen.clone());
        }
        past.effect = match &outcome {
            Outcome::Done { .. }
            | Outcome::Stopped { .. }
            | Outcome::DialogDismissed { .. }
            | Outcome::DialogAccepted { .. }
            | Outcome::TimedOut { .. } => Effect::Nothing,
            Outcome::Stale { .. } | Outcome::Covered { .. } | Outcome::Gone => Effect::Stale,
            Outcome::NotTaken { .. } | Outcome::SecretRefused { .. } | Outcome::Failed { .. } => Effect::Failed,
        };
        self.past.push(past);
        let mut settled = self.settle().await?;
        let followed = self.follow_window(&seen, &entry, choice.confidence(), &mut settled).await?;
        self.desk.acting = None;
        self.desk.acting_form = None;
        let mut report =
            self.report(number, &seen, offer, (chosen, choice.confidence(), grounds), Some(outcome), &settled, &timing);
        if let Some(followed) = followed {
            report.happened.push_str("; ");
            report.happened.push_str(&followed);
        }
        self.finish_step(report)?;
        Ok(None)
    }

    /// The policy's word on an offered act; rules that name uploads exactly speak of the acts that lead there, too.
    fn judge(&self, seen: &Observation, entry: &Entry, class: ActionClass, confidence: f64) -> Judgement {
        let (policy, attendance) = (&self.desk.policy, self.desk.approver.attendance());
        let control = control_of(seen, entry);
        match &entry.action {
            Action::Attach { .. } => {
                let there = control.map(|control| control.frame_origin.as_str()).filter(|origin| !origin.is_empty());
                let origin = url::Url::parse(there.unwrap_or(&seen.url)).ok().and_then(|url| Origin::of(&url));
                policy.judge_attach(origin.as_ref(), confidence, attendance)
            }
            _ if class == ActionClass::Upload => {
                policy.judge_submit_of_files(control.and_then(|control| control.form.as_ref()), confidence, attendance)
            }
            _ => policy.judge_action(class, confidence, attendance),
        }
    }

    /// Takes an entry through the gate; a person is asked when policy says so. Without a permit it says how the run ends;
    /// nothing: it goes on with another step.
    pub(crate) async fn admit(
        &mut self,
        seen: &Observation,
        entry: &Entry,
        judgement: Judgement,
    ) -> Result<Result<ActPermit, Option<End>>, SessionError> {
        let control_words = control_of(seen, entry).map(clicket_guard::observation::Control::in_words).unwrap_or_default();
        let page_words = clicket_guard::untrusted::PageText::plain(&seen.url).for_person();
        let act = Act { entry: entry.clone(), observation: seen.digest(), control_words, page_words };
        let (class, grounds) = (judgement.class(), judgement.reasons().join("; "));
        let wait = Duration::from_millis(self.config.budgets.approval_wait_ms);
        Ok(match self.desk.leave_for(act, judgement, wait).await? {
            Leave::Given(permit) => Ok(permit),
            Leave::Refused(refusal) => Err(self.refused(class, &refusal)),
            Leave::Nobody => Err(Some(nobody_there(class, grounds))),
        })
    }

    /// How a run ends that was refused something; nothing: it goes on.
    pub(crate) fn refused(&mut self, class: ActionClass, refusal: &Refusal) -> Option<End> {
        let next = match class {
            ActionClass::Download => "Give a folder with --downloads DIR if files may be taken.",
            _ => "Nothing was done. Change the policy, or do this step yourself.",
        };
        let hand_back = |detail: String| Some(End::HandedBack { reason: HandBack::Refused(detail), next: next.into() });
        match refusal {
            Refusal::Policy { reasons } => hand_back(format!("{}: {}", class.in_words(), reasons.join("; "))),
            Refusal::PersonStopped => {
                // Whatever was being asked about, the next look ends the run.
                self.dialogs.stopped = true;
                hand_back("a person ended the run".into())
            }
            Refusal::Person => {
                self.refusals += 1;
                if self.refusals >= REFUSALS_MAX { hand_back(format!("a person refused {REFUSALS_MAX} steps")) } else { None }
            }
            Refusal::OtherTicket | Refusal::Expired | Refusal::LevelTooLow => None,
        }
    }

    /// Spends a permit and writes its outcome.
    pub(crate) async fn perform(&mut self, permit: ActPermit, words: String) -> Result<Outcome, SessionError> {
        let intent = permit.intent().to_owned();
        self.desk.begin(&intent, words, causes(permit.action()));
        let Self { browser, desk, dialogs, config, .. } = self;
        let outcome = dialogs.beside(desk, browser.perform(permit, &config.secrets)).await?;
        let outcome = scrubbed(outcome, &self.desk.scrub);
        self.desk.finish(&intent, &serde_json::to_value(&outcome).unwrap_or_default())?;
        self.check_journal()?;
        Ok(outcome)
    }

    /// Waits until the page and the edge are quiet; waits on while a person is being asked about a request.
    pub(crate) async fn settle(&mut self) -> Result<Waited, SessionError> {
        let cap = self.config.budgets.settle_cap_ms;
        let mut waited = Waited::default();
        loop {
            let Self { browser, traffic, desk, dialogs, .. } = self;
            let settled = dialogs.beside(desk, browser.settle(traffic, cap)).await?.map_err(page_failed)?;
            waited.network_ms += settled.waited_network_ms;
            waited.window_ms += settled.window_ms;
            desk.drain();
            self.check_journal()?;
            if !self.desk.is_asking() && !self.desk.is_taking() {
                return Ok(waited);
            }
            self.desk.finish_asking().await;
            self.desk.finish_taking().await;
        }
    }

    pub(crate) fn check_journal(&mut self) -> Result<(), SessionError> {
        match self.desk.fault.take() {
            Some(fault) => Err(SessionError::Journal(fault)),
            None => Ok(()),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn report(
        &self,
        number: u32,
        seen: &Observation,
        offer: &Offer,
        (chosen, confidence, allowed_by): (String, f64, String),
        outcome: Option<Outcome>,
        settled: &Waited,
        timing: &Timing,
    ) -> StepReport {
        let happened = outcome.as_ref().map_or_else(|| "not done".into(), in_words);
        StepReport {
            number,
            url: public_form(&seen.url),
            seen: (seen.controls.len() as u64 + seen.omitted, offer.entries().len() as u64),
            chosen,
            confidence,
            allowed_by,
            outcome,
            happened,
            requests: self.desk.counts.since(timing.counts),
            wall_ms: millis(timing.started.elapsed()),
            model_ms: timing.model_ms,
            network_ms: settled.network_ms,
            settle_ms: settled.window_ms,
            person_ms: self.desk.person_ms - timing.person_before_ms,
            look_ms: timing.look_ms,
            perform_ms: timing.perform_ms,
            roads: Vec::new(),
        }
    }

    fn finish_step(&mut self, mut report: StepReport) -> Result<(), SessionError> {
        report.roads = self.desk.roads.take();
        let requests = self.desk.take_requests();
        let step = json!({"requests": requests, "number": report.number, "wall_ms": report.wall_ms, "model_ms": report.model_ms, "network_ms": report.network_ms,
            "settle_ms": report.settle_ms, "person_ms": report.person_ms, "look_ms": report.look_ms, "perform_ms": report.perform_ms, "own_ms": report.own_ms(), "roads": report.roads});
        self.desk.note("step", &step)?;
        let outcome = report.outcome.as_ref().map_or("not_done", outcome_name);
        let (own_ms, wall_ms) = (report.own_ms(), report.wall_ms);
        tracing::info!(
            number = report.number,
            outcome,
            confidence = report.confidence,
            wall_ms,
            own_ms,
            model_ms = report.model_ms,
            "step"
        );
        self.desk.watch.see(&Live::Step(&report));
        self.steps.push(report);
        Ok(())
    }
}

/// Opening, scrolling and waiting ask the page for nothing; a write that comes then is its own.
fn causes(action: &Action) -> Causes {
    match action {
        Action::Press { .. }
        | Action::Fill { .. }
        | Action::Choose { .. }
        | Action::Toggle { .. }
        | Action::Enter { .. }
        | Action::Key { .. }
        | Action::Hover { .. }
        | Action::Attach { .. }
        | Action::AcceptDialog { .. } => Causes::Writes,
        Action::LookAt { .. } | Action::Scroll(_) | Action::Wait | Action::Back | Action::Navigate { .. } => Causes::Nothing,
    }
}

fn sentence(seen: &Observation, entry: &Entry) -> String {
    let control = control_of(seen, entry).map(clicket_guard::observation::Control::in_words).unwrap_or_default();
    words::sentence(&entry.action, &control)
}

pub(crate) fn public_form(url: &str) -> String {
    clicket_guard::web::WebUrl::read(url).map(|url| url.public_form().to_owned()).unwrap_or_default()
}

fn not_opened() -> End {
    End::HandedBack {
        reason: HandBack::Refused("a person did not let the first page be opened".into()),
        next: "Nothing was done. Run it again to be asked again.".into(),
    }
}

fn nobody_there(class: ActionClass, grounds: String) -> End {
    let low = grounds.contains("confidence");
    let reason =
        if low { HandBack::LowConfidence(grounds) } else { HandBack::NeedsAPerson(format!("{}: {grounds}", class.in_words())) };
    let next = if low {
        "Say the next step in the goal more exactly, or run it at a terminal to be asked."
    } else {
        "Run it at a terminal to be asked, or do this step yourself."
    };
    End::HandedBack { reason, next: next.into() }
}

/// A page that does not answer is not a browser that is broken.
pub(crate) fn page_failed(error: impl Into<PageError>) -> SessionError {
    match error.into() {
        PageError::Call(error @ (CallError::TimedOut { .. } | CallError::Crashed)) => SessionError::PageLost(error.to_string()),
        error => SessionError::Browser(error.to_string()),
    }
}

//! One step: observe, offer, ask, read, judge, admit, perform, settle.

use std::time::{Duration, Instant};

use clicket_chromium::{BrowserEvent, CallError, PageError};
use clicket_guard::choice::{self, Choice, Named, Pick};
use clicket_guard::gate::{Act, Refusal};
use clicket_guard::observation::Observation;
use clicket_guard::offer::{Entry, EntryId, History, Offer, control_of};
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::{ActPermit, Action};
use clicket_guard::policy::{Judgement, Verdict};
use clicket_guard::risk::{self, ActionClass};
use clicket_guard::web::Origin;
use clicket_guard::words;
use clicket_systemone::{CheckedChoice, Request, Response, read_choice};
use serde_json::json;

use crate::admit::Leave;
use crate::ask::{NONE, history_of, offer_request, state_of, target_question};
use crate::clock::millis;
use crate::config::SessionError;
use crate::dialogs::UnderWay;
use crate::edge_desk::Causes;
use crate::expect::Evidence;
use crate::facts::{Effect, Past, effect_between};
use crate::live::Live;
use crate::report::{End, HandBack, StepReport, Tally};
use crate::run::Runner;

/// Steps in a row without a visible effect after which a person had better look.
const IDLE_STEPS_MAX: usize = 4;
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

/// All that is needed to judge a decision again, as it is written.
#[derive(serde::Serialize)]
struct Decision<'a> {
    observation: &'a Observation,
    offer: &'a Offer,
    request: &'a Request,
    response: &'a Response,
    choice: serde_json::Value,
}

/// What a decision gives.
struct Decided {
    choice: Choice,
    model_ms: u64,
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
            Err(end) => return Ok(Some(end)),
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

    /// Ends the run if something at the edge ended it, or if all that is expected holds.
    pub(crate) async fn look_for_the_end(&mut self, seen: Option<&Observation>) -> Result<Option<End>, SessionError> {
        self.check_journal()?;
        self.look_for_made_files();
        if let Some(end) = self.desk.trouble.take() {
            return Ok(Some(end));
        }
        if self.dialogs.stopped {
            return Ok(Some(self.refused(ActionClass::Dialog, &Refusal::PersonStopped)));
        }
        // The look that was just taken says no most of the time; a yes is always read off the page afresh.
        if seen.is_some_and(|seen| self.plainly_missing(seen)) {
            return Ok(None);
        }
        if !self.past.is_empty() && !self.config.expectations.is_empty() && self.missing().await?.is_empty() {
            // A page can say that it is done before its write is answered.
            if self.desk.is_sending() {
                let cap = Duration::from_millis(self.config.budgets.settle_cap_ms);
                drop(tokio::time::timeout(cap, self.desk.finish_sending()).await);
                self.check_journal()?;
                if let Some(end) = self.desk.trouble.take() {
                    return Ok(Some(end));
                }
                if !self.missing().await?.is_empty() {
                    return Ok(None);
                }
            }
            let because = self.config.expectations.iter().map(crate::expect::Expectation::in_words).collect();
            return Ok(Some(End::Verified { because }));
        }
        Ok(None)
    }

    /// Expectations that do not hold now.
    async fn missing(&mut self) -> Result<Vec<String>, SessionError> {
        let text = self.desk.watching(self.browser.visible_text()).await.map_err(page_failed)?;
        let url = self.browser.url();
        let files = self.desk.file_names();
        let evidence = Evidence { url: &url, text: &text, answered: &self.desk.answered, files: &files };
        Ok(self
            .config
            .expectations
            .iter()
            .filter(|expected| !expected.holds(&evidence))
            .map(crate::expect::Expectation::in_words)
            .collect())
    }

    /// True when a look whose text was not cut already shows that something expected does not hold.
    fn plainly_missing(&self, seen: &Observation) -> bool {
        let text = seen.text.for_model();
        let whole = text.chars().count() + 100 < clicket_guard::limits::PAGE_TEXT_CHARS_MAX;
        let url = self.browser.url();
        let files = self.desk.file_names();
        let evidence = Evidence { url: &url, text, answered: &self.desk.answered, files: &files };
        whole && self.config.expectations.iter().any(|expected| !expected.holds(&evidence))
    }

    async fn already_true(&mut self) -> Result<Option<String>, SessionError> {
        let missing = self.missing().await?;
        Ok(self.config.expectations.iter().map(crate::expect::Expectation::in_words).find(|expected| !missing.contains(expected)))
    }

    fn out_of_budget(&self) -> Option<End> {
        let spent = self.usd >= self.config.budgets.usd && self.usd > 0.0;
        let idle = self
            .past
            .iter()
            .rev()
            .take_while(|past| past.effect != Effect::PageChanged && past.effect != Effect::Changed)
            .count();
        let (reason, next) = if spent {
            (HandBack::Budget(format!("the money budget of ${} is used up", self.config.budgets.usd)), "Give more with --money.")
        } else if idle >= IDLE_STEPS_MAX {
            (
                HandBack::NoProgress(format!("{idle} steps in a row changed nothing{}", self.desk.own_refused_in_words())),
                "Look at the picture of the last page; say the next step in the goal.",
            )
        } else {
            return None;
        };
        Some(End::HandedBack { reason, next: next.into() })
    }

    /// Asks the model, twice at most when its answer can't be read.
    async fn decide(&mut self, seen: &Observation, offer: &Offer) -> Result<Result<Decided, End>, SessionError> {
        let goal = self.desk.scrub.scrub(&self.config.goal).into_owned();
        let state = state_of(&goal, seen, &self.values, &history_of(&self.past));
        let model = self.config.model_id.clone();
        let request = offer_request(&model, state, seen, offer);
        let mut said = String::new();
        for _ in 0..2 {
            let Some(reserved) = self.reserve(&request) else {
                return Ok(Err(End::HandedBack {
                    reason: HandBack::Budget(format!(
                        "the next call to the model may cost more than is left of ${}",
                        self.config.budgets.usd
                    )),
                    next: "Give more with --money, or use the built-in model.".into(),
                }));
            };
            let asked = Instant::now();
            let deadline = Duration::from_millis(self.config.budgets.decide_ms);
            let decider = std::sync::Arc::clone(&self.decider);
            let response = self
                .desk
                .watching(decider.decide(&request, deadline))
                .await
                .map_err(|error| SessionError::Model(error.to_string()))?;
            let model_ms = millis(asked.elapsed());
            self.pay(reserved, response.usage);
            let read = read_answer(&request, &response, offer);
            self.write_decision(seen, offer, &request, &response, &read)?;
            match read {
                Ok(choice) => return Ok(Ok(Decided { choice, model_ms })),
                Err(why) => said = why,
            }
        }
        Ok(Err(End::HandedBack {
            reason: HandBack::Unreadable(said),
            next: "The model answered something that was not offered; try another with --model.".into(),
        }))
    }

    /// All that is needed to judge this decision again: what was seen, offered, asked, answered and read.
    fn write_decision(
        &mut self,
        seen: &Observation,
        offer: &Offer,
        request: &Request,
        response: &Response,
        read: &Result<Choice, String>,
    ) -> Result<(), SessionError> {
        let chosen = match read {
            Ok(choice) => match choice.pick() {
                Pick::Act(entry) => json!({"entry": entry.id, "confidence": choice.confidence()}),
                Pick::Done => json!({"done": true, "confidence": choice.confidence()}),
                Pick::Blocked => json!({"blocked": true, "confidence": choice.confidence()}),
            },
            Err(why) => json!({"unreadable": why}),
        };
        Ok(self.desk.note("decision", &Decision { observation: seen, offer, request, response, choice: chosen })?)
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
            Pick::Done => {
                let end = self.claim_done(&seen, choice.confidence()).await?;
                return Ok(Some(end).filter(|end| !is_go_on(end)));
            }
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
        let grounds = judgement.reasons().join("; ");
        let mut past = Past::of(&seen, &entry);
        let (permit, ended) = match self.admit(&seen, &entry, judgement).await? {
            Ok(permit) => (Some(permit), None),
            Err(end) => (None, Some(end)),
        };
        let Some(permit) = permit else {
            past.effect = Effect::Refused;
            self.past.push(past);
            let report =
                self.report(number, &seen, offer, (chosen, choice.confidence(), grounds), None, &Waited::default(), &timing);
            self.finish_step(report)?;
            return Ok(ended.filter(|end| !is_go_on(end)));
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
        if matches!(&outcome, Outcome::Stale { part } if part == "carried") {
            // The words stayed and what is sent changed: from here on the words prove nothing.
            self.distrusted.insert(chosen.clone());
        }
        past.effect = match &outcome {
            Outcome::Done { .. }
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

    /// A file that a page makes by itself never passes the edge, so the browser refuses it and the run says so.
    fn look_for_made_files(&mut self) {
        for event in self.browser.events() {
            if let BrowserEvent::Download { url } = event
                && (url.starts_with("blob:") || url.starts_with("data:"))
            {
                self.desk.hand_back(
                    HandBack::Refused(
                        "a file that was made in the page was refused: only files that a site sends are taken".into(),
                    ),
                    "Take this file in a browser of your own.".into(),
                );
            }
        }
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

    fn nothing_helps(&self, seen: &Observation) -> String {
        let mut said = format!("nothing offered on {} helps towards the goal", self.desk.scrub.scrub(&public_form(&seen.url)));
        if let Some(failed) = &self.desk.failed_write {
            said.push_str(&format!("; {failed}"));
        }
        said.push_str(&self.desk.own_refused_in_words());
        said
    }

    /// The model says that the goal is reached: only the expectations can bear it out.
    async fn claim_done(&mut self, seen: &Observation, confidence: f64) -> Result<End, SessionError> {
        let judgement = self.desk.policy.judge_action(ActionClass::Finish, confidence, self.desk.approver.attendance());
        let missing = self.missing().await?;
        self.desk.note("finish", &json!({"confidence": confidence, "judgement": judgement, "missing": missing}))?;
        self.desk.watch.see(&Live::Claimed { missing: &missing });
        if self.config.expectations.is_empty() {
            return Ok(if judgement.verdict() == Verdict::Allow {
                End::Unverified { because: "the model says that the goal is reached; give --expect-text, --expect-url or --expect-request to have it proved".into() }
            } else {
                End::HandedBack {
                    reason: HandBack::LowConfidence(judgement.reasons().join("; ")),
                    next: "Look at the picture of the last page.".into(),
                }
            });
        }
        let claims = self.past.iter().filter(|past| past.is_done_claim()).count();
        self.past.push(Past::of_done(seen));
        if claims >= 1 {
            return Ok(End::Unverified {
                because: format!("the model says that the goal is reached, but not yet: {}", missing.join("; ")),
            });
        }
        Ok(go_on())
    }

    /// Takes an entry through the gate; a person is asked when policy says so.
    pub(crate) async fn admit(
        &mut self,
        seen: &Observation,
        entry: &Entry,
        judgement: Judgement,
    ) -> Result<Result<ActPermit, End>, SessionError> {
        let control_words = control_of(seen, entry).map(clicket_guard::observation::Control::in_words).unwrap_or_default();
        let page_words = clicket_guard::untrusted::PageText::plain(&seen.url).for_person();
        let act = Act { entry: entry.clone(), observation: seen.digest(), control_words, page_words };
        let (class, grounds) = (judgement.class(), judgement.reasons().join("; "));
        let wait = Duration::from_millis(self.config.budgets.approval_wait_ms);
        Ok(match self.desk.leave_for(act, judgement, wait).await? {
            Leave::Given(permit) => Ok(permit),
            Leave::Refused(refusal) => Err(self.refused(class, &refusal)),
            Leave::Nobody => Err(nobody_there(class, grounds)),
        })
    }

    fn refused(&mut self, class: ActionClass, refusal: &Refusal) -> End {
        let next = match class {
            ActionClass::Download => "Give a folder with --downloads DIR if files may be taken.",
            _ => "Nothing was done. Change the policy, or do this step yourself.",
        };
        let hand_back = |detail: String| End::HandedBack { reason: HandBack::Refused(detail), next: next.into() };
        match refusal {
            Refusal::Policy { reasons } => hand_back(format!("{}: {}", class.in_words(), reasons.join("; "))),
            Refusal::PersonStopped => hand_back("a person ended the run".into()),
            Refusal::Person => {
                self.refusals += 1;
                if self.refusals >= REFUSALS_MAX { hand_back(format!("a person refused {REFUSALS_MAX} steps")) } else { go_on() }
            }
            Refusal::OtherTicket | Refusal::Expired | Refusal::LevelTooLow => go_on(),
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
            let Self { browser, edge, desk, dialogs, .. } = self;
            let mut traffic = edge.in_flight();
            let settled = dialogs.beside(desk, browser.settle(&mut traffic, cap)).await?.map_err(page_failed)?;
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

    fn check_journal(&mut self) -> Result<(), SessionError> {
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
        }
    }

    fn finish_step(&mut self, report: StepReport) -> Result<(), SessionError> {
        let requests = self.desk.take_requests();
        let step = json!({"requests": requests, "number": report.number, "wall_ms": report.wall_ms, "model_ms": report.model_ms, "network_ms": report.network_ms,
            "settle_ms": report.settle_ms, "person_ms": report.person_ms, "look_ms": report.look_ms, "perform_ms": report.perform_ms, "own_ms": report.own_ms()});
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
        | Action::Hover { .. }
        | Action::Attach { .. }
        | Action::AcceptDialog { .. } => Causes::Writes,
        Action::Scroll(_) | Action::Wait | Action::Back | Action::Navigate { .. } => Causes::Nothing,
    }
}

/// Reads the operation, then only the target that belongs to it.
fn read_answer(request: &Request, response: &Response, offer: &Offer) -> Result<Choice, String> {
    clicket_systemone::checks::check_envelope(response).map_err(|fault| fault.to_string())?;
    let operation = read_choice(request, response, "operation").map_err(|fault| fault.to_string())?;
    let aimed = offer.operations().into_iter().find(|offered| offered.name() == operation.choice && offered.has_target());
    let target: Option<CheckedChoice> = match aimed {
        None => None,
        Some(aimed) => Some(read_choice(request, response, &target_question(aimed)).map_err(|fault| fault.to_string())?),
    };
    if target.as_ref().is_some_and(|target| target.choice == NONE) {
        return Err(format!("the model chose {} and none of its targets", operation.choice));
    }
    let named = Named {
        operation: &operation.choice,
        operation_confidence: operation.confidence,
        target: target.as_ref().map(|target| (target.choice.as_str(), target.confidence)),
    };
    choice::read(offer, &named).map_err(|unreadable| unreadable.to_string())
}

fn sentence(seen: &Observation, entry: &Entry) -> String {
    let control = control_of(seen, entry).map(clicket_guard::observation::Control::in_words).unwrap_or_default();
    words::sentence(&entry.action, &control)
}

fn public_form(url: &str) -> String {
    clicket_guard::web::WebUrl::read(url).map(|url| url.public_form().to_owned()).unwrap_or_default()
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

/// Its one word, for logs, which take nothing that a page said.
fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done { .. } => "done",
        Outcome::Stale { .. } => "stale",
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
fn scrubbed(outcome: Outcome, scrub: &clicket_guard::secret::Scrubber) -> Outcome {
    let clean = |text: String| scrub.scrub(&text).into_owned();
    match outcome {
        Outcome::NotTaken { why } => Outcome::NotTaken { why: clean(why) },
        Outcome::Failed { why } => Outcome::Failed { why: clean(why) },
        Outcome::SecretRefused { why } => Outcome::SecretRefused { why: clean(why) },
        Outcome::TimedOut { doing } => Outcome::TimedOut { doing: clean(doing) },
        same @ (Outcome::Done { .. }
        | Outcome::Stale { .. }
        | Outcome::Covered { .. }
        | Outcome::Gone
        | Outcome::DialogDismissed { .. }
        | Outcome::DialogAccepted { .. }) => same,
    }
}

/// A marker for "not the end"; never leaves this file.
fn go_on() -> End {
    End::HandedBack { reason: HandBack::NoProgress(String::new()), next: String::new() }
}

fn is_go_on(end: &End) -> bool {
    matches!(end, End::HandedBack { reason: HandBack::NoProgress(said), .. } if said.is_empty())
}

/// A page that does not answer is not a browser that is broken.
fn page_failed(error: impl Into<PageError>) -> SessionError {
    match error.into() {
        PageError::Call(error @ (CallError::TimedOut { .. } | CallError::Crashed)) => SessionError::PageLost(error.to_string()),
        error => SessionError::Browser(error.to_string()),
    }
}

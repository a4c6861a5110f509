//! What comes from the edge: records are kept, held requests are judged, asked about, released or refused.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use clicket_egress::{EdgeEvent, FileRefusal, HeldRequest, HoldRefusal, OfferedFile, Outcome, RefuseReason, RequestRecord, Sent};
use clicket_guard::approval::{Answered, Approver, Attendance, Moment};
use clicket_guard::download::Download;
use clicket_guard::effect::RequestImage;
use clicket_guard::follows;
use clicket_guard::gate::{self, Admission, After, Effect, Pending, Refusal};
use clicket_guard::observation::FormFacts;
use clicket_guard::permit::EffectPermit;
use clicket_guard::policy::{Held, Policy, Verdict};
use clicket_guard::reach::{Relation, WriteClass};
use clicket_guard::risk::ActionClass;
use clicket_guard::secret::Scrubber;
use clicket_guard::shape::{Remembered, Shape};
use clicket_guard::traffic::{self, Cause};
use clicket_guard::wall::Wall;
use clicket_journal::{Journal, JournalError};
use serde_json::json;
use tokio::sync::mpsc;

use crate::clock::Clock;
use crate::earlier::EarlierWrite;
use crate::live::{Live, Watch};
use crate::origins::Origins;
use crate::reasons::{Loggable, allow_hint, allow_option};
use crate::report::{Downloaded, End, HandBack, Tally};
use crate::roads::Roads;

/// Requests kept as evidence; a page that makes more has no business with an expectation.
const EVIDENCE_MAX: usize = 10_000;
/// Requests that wait for a person at once; the rest are refused.
const WAITING_MAX: usize = 16;

/// Pages opened in one step that are told apart from the one before.
const OPENED_MAX: usize = 20;
/// Shapes of the page's own writes that are known again.
const OWN_SHAPES_MAX: usize = 50;
/// Shapes that a person may allow in one run.
const REMEMBERED_MAX: usize = 50;
/// Refused writes of the page's own that are named.
const OWN_REFUSED_MAX: usize = 50;

pub(crate) type AskingEffect = std::pin::Pin<Box<dyn Future<Output = Answered> + Send>>;

/// The session's side of the edge.
pub(crate) struct EdgeDesk {
    events: mpsc::Receiver<EdgeEvent>,
    pub(crate) journal: Journal,
    pub(crate) policy: Policy,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) watch: Arc<dyn Watch>,
    pub(crate) scrub: Scrubber,
    pub(crate) clock: Clock,
    wait: Duration,
    asking: Option<(Asked, AskingEffect, u64)>,
    waiting: VecDeque<Waiting>,
    /// Intents without an outcome yet, by what they were for.
    open: Vec<(String, OpenIntent)>,
    /// The action being performed or settled, for writes that follow it.
    pub(crate) acting: Option<After>,
    /// Whether that action can be what asked for a write.
    causes: Causes,
    /// Pages opened since that action began.
    opened_since: Vec<String>,
    /// Shapes of writes that a person allowed for this run.
    remembered: Vec<Remembered>,
    /// Shapes of what the page sent by itself.
    own_shapes: Vec<Shape>,
    /// Why the last page did not let the browser in, if it did not.
    pub(crate) blocked: Option<String>,
    /// The challenge whose script the last page loads.
    pub(crate) challenge: Option<Wall>,
    /// Files that were taken.
    pub(crate) downloads: Vec<Downloaded>,
    /// Addresses of files that were taken or are being taken.
    pub(crate) asked_for: BTreeSet<String>,
    /// Writes of the page's own that were refused, as shown; the like of them is refused without a further word.
    own_refused: BTreeSet<String>,
    /// The form that the action submits, as it was when it was offered.
    pub(crate) acting_form: Option<FormFacts>,
    /// Answered requests: method and address.
    pub(crate) answered: Vec<(String, String)>,
    /// Requests so far.
    pub(crate) counts: Tally,
    fresh: Vec<RequestRecord>,
    /// Requests of the first page, kept for a look.
    pub(crate) opened: Vec<RequestRecord>,
    /// The last write that the site did not accept.
    pub(crate) failed_write: Option<String>,
    /// Why the run can't go on, if it can't.
    pub(crate) trouble: Option<End>,
    /// A write that may have been acted on and was not answered; nothing that comes later makes that known.
    unanswered: Option<String>,
    /// The journal failed; nothing more may be done.
    pub(crate) fault: Option<JournalError>,
    /// Time that people took, milliseconds.
    pub(crate) person_ms: u64,
    /// Origins that answered a read, and those that were written to.
    pub(crate) origins: Origins,
    /// Sockets and blind tunnels.
    pub(crate) roads: Roads,
    /// Writes of earlier runs whose end is not known.
    earlier: Vec<EarlierWrite>,
}

/// What a person is being asked about.
pub(crate) enum Asked {
    Write(Box<HeldRequest>, Pending<Effect>),
    File(Box<OfferedFile>, Pending<Download>),
}

/// What waits until the person has answered about another thing.
enum Waiting {
    Write(Box<HeldRequest>),
    File(Box<OfferedFile>),
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum OpenIntent {
    Act,
    Request { id: u64, shown: String, weight: Weight },
    File { id: u64 },
}

/// Whether it matters that a request was sent and not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// It only asked.
    Read,
    /// It may have been acted on.
    Write,
}

/// Whether a write of the page's own came while an action was under way, which could have asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeats {
    No,
    DuringAction,
}

/// What an action asks of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Causes {
    /// Whatever its control does.
    Writes,
    /// Nothing: the page was only opened, scrolled or waited for.
    Nothing,
}

pub(crate) struct DeskParts {
    pub(crate) events: mpsc::Receiver<EdgeEvent>,
    pub(crate) journal: Journal,
    pub(crate) policy: Policy,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) watch: Arc<dyn Watch>,
    pub(crate) scrub: Scrubber,
    pub(crate) earlier: Vec<EarlierWrite>,
    pub(crate) clock: Clock,
    pub(crate) wait: Duration,
}

impl EdgeDesk {
    pub(crate) fn new(parts: DeskParts) -> Self {
        let DeskParts { events, journal, policy, approver, watch, scrub, earlier, clock, wait } = parts;
        Self {
            events,
            journal,
            policy,
            approver,
            watch,
            scrub,
            clock,
            wait,
            asking: None,
            waiting: VecDeque::new(),
            open: Vec::new(),
            acting: None,
            causes: Causes::Nothing,
            opened_since: Vec::new(),
            remembered: Vec::new(),
            own_shapes: Vec::new(),
            blocked: None,
            challenge: None,
            downloads: Vec::new(),
            asked_for: BTreeSet::new(),
            own_refused: BTreeSet::new(),
            acting_form: None,
            answered: Vec::new(),
            counts: Tally::default(),
            fresh: Vec::new(),
            opened: Vec::new(),
            failed_write: None,
            trouble: None,
            unanswered: None,
            fault: None,
            person_ms: 0,
            origins: Origins::default(),
            roads: Roads::default(),
            earlier,
        }
    }

    /// Runs `work` while the edge is attended to.
    pub(crate) async fn watching<F: Future>(&mut self, work: F) -> F::Output {
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                out = &mut work => return out,
                () = self.turn() => {}
            }
        }
    }

    /// True while a person is being asked about a request.
    pub(crate) fn is_asking(&self) -> bool {
        self.asking.is_some()
    }

    /// Waits until nobody is being asked.
    pub(crate) async fn finish_asking(&mut self) {
        while self.is_asking() {
            self.turn().await;
        }
    }

    /// True while a released write has no answer.
    pub(crate) fn is_sending(&self) -> bool {
        self.open.iter().any(|(_, kind)| matches!(kind, OpenIntent::Request { .. } | OpenIntent::File { .. }))
    }

    /// Waits until every released write is answered or given up.
    pub(crate) async fn finish_sending(&mut self) {
        while self.is_sending() {
            self.turn().await;
        }
    }

    /// Takes what has arrived and does not wait for more.
    pub(crate) fn drain(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            self.arrive(event);
        }
    }

    /// How long a person is waited for.
    pub(crate) fn wait(&self) -> Duration {
        self.wait
    }

    /// What the present action asks of the page.
    pub(crate) fn causes(&self) -> Causes {
        self.causes
    }

    /// Notes that an intent has no outcome yet.
    pub(crate) fn open_intent(&mut self, intent: String, kind: OpenIntent) {
        self.open.push((intent, kind));
    }

    /// Takes the open intent of a file, whose record has come.
    pub(crate) fn close_file(&mut self, record: u64) -> Option<String> {
        let at = self.open.iter().position(|(_, kind)| matches!(kind, OpenIntent::File { id } if *id == record))?;
        Some(self.open.swap_remove(at).0)
    }

    /// Puts a question before the person.
    pub(crate) fn ask_about(&mut self, asked: Asked, answer: AskingEffect) {
        self.asking = Some((asked, answer, self.clock.elapsed_ms()));
    }

    /// True while a file is being taken.
    pub(crate) fn is_taking(&self) -> bool {
        self.open.iter().any(|(_, kind)| matches!(kind, OpenIntent::File { .. }))
    }

    /// Waits until every file is whole or given up; the edge's deadlines and the run's own bound it.
    pub(crate) async fn finish_taking(&mut self) {
        while self.is_taking() {
            self.turn().await;
        }
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Records of requests that are not written yet.
    pub(crate) fn fresh(&self) -> &[RequestRecord] {
        &self.fresh
    }

    /// Notes that an action's intent is written and its outcome is not.
    pub(crate) fn begin(&mut self, intent: &str, words: String, causes: Causes) {
        self.causes = causes;
        self.opened_since.clear();
        self.open.push((intent.to_owned(), OpenIntent::Act));
        self.acting = Some(After { intent: intent.to_owned(), words });
    }

    /// Writes an action's outcome.
    pub(crate) fn finish(&mut self, intent: &str, outcome: &serde_json::Value) -> Result<(), JournalError> {
        self.open.retain(|(open, _)| open != intent);
        self.append("outcome", &json!({"intent": intent, "outcome": outcome}))
    }

    /// Writes a record and waits until it is on disk.
    pub(crate) fn append(&mut self, kind: &'static str, body: &serde_json::Value) -> Result<(), JournalError> {
        let at = self.now().unix_ms;
        self.journal.append(at, kind, body).map(drop)
    }

    /// Writes a record that tells and on which nothing rests; it is on disk with the next intent, outcome or end.
    pub(crate) fn note<T: serde::Serialize>(&mut self, kind: &'static str, body: &T) -> Result<(), JournalError> {
        let at = self.now().unix_ms;
        self.journal.note(at, kind, body)
    }

    /// Writes the records of requests since the last call.
    pub(crate) fn write_requests(&mut self) -> Result<Vec<RequestRecord>, JournalError> {
        let fresh = std::mem::take(&mut self.fresh);
        if !fresh.is_empty() {
            let records: Vec<serde_json::Value> = fresh.iter().map(|record| self.scrubbed(record)).collect();
            self.note("requests", &json!({"requests": records}))?;
        }
        Ok(fresh)
    }

    /// Records of requests since the last call, as they are written.
    pub(crate) fn take_requests(&mut self) -> Vec<serde_json::Value> {
        std::mem::take(&mut self.fresh).iter().map(|record| self.scrubbed(record)).collect()
    }

    /// Closes intents that have no outcome: what came of them is not known. Gives the write, if there is one, that was sent and
    /// was not answered, now or earlier.
    pub(crate) fn close_open(&mut self, why: &str) -> Result<Option<String>, JournalError> {
        for (intent, kind) in std::mem::take(&mut self.open) {
            self.append("outcome", &json!({"intent": intent, "outcome": {"outcome": "unknown", "why": why}}))?;
            if let OpenIntent::Request { shown, .. } = kind {
                self.unanswered.get_or_insert(shown);
            }
        }
        Ok(self.unanswered.take())
    }

    async fn turn(&mut self) {
        let Some((_, answer, _)) = &mut self.asking else {
            match self.events.recv().await {
                Some(event) => self.arrive(event),
                None => std::future::pending().await,
            }
            return;
        };
        tokio::select! {
            answered = answer => self.answer(answered),
            Some(event) = self.events.recv() => self.arrive(event),
        }
    }

    fn arrive(&mut self, event: EdgeEvent) {
        match event {
            EdgeEvent::Recorded(record) => self.record(*record),
            EdgeEvent::Held(held) if self.asking.is_none() => self.judge(held),
            EdgeEvent::Held(held) if self.waiting.len() < WAITING_MAX => self.waiting.push_back(Waiting::Write(held)),
            EdgeEvent::Held(held) => held.refuse(HoldRefusal::TooManyHeld),
            EdgeEvent::Offered(file) if self.asking.is_none() => self.judge_file(file),
            EdgeEvent::Offered(file) if self.waiting.len() < WAITING_MAX => self.waiting.push_back(Waiting::File(file)),
            EdgeEvent::Offered(file) => file.refuse(FileRefusal::TooMany),
            EdgeEvent::Socket(socket) => self.note_socket(*socket),
            EdgeEvent::Tunnel(tunnel) => self.note_tunnel(*tunnel),
        }
    }

    /// Where the run read and where it wrote, for its record.
    pub(crate) fn origins(&self) -> serde_json::Value {
        json!({"read": self.origins.read, "written": self.origins.written, "tunnelled": self.origins.tunnelled})
    }

    fn record(&mut self, record: RequestRecord) {
        self.origins.take(&record);
        let weight = self.open.iter().find_map(|(_, kind)| match kind {
            OpenIntent::Request { id, weight, .. } if *id == record.id => Some(*weight),
            OpenIntent::Request { .. } | OpenIntent::File { .. } | OpenIntent::Act => None,
        });
        match record.outcome {
            Outcome::Passed | Outcome::Tunnelled => self.counts.passed += 1,
            Outcome::HeldReleased if weight == Some(Weight::Read) => self.counts.passed += 1,
            Outcome::HeldReleased => self.counts.released += 1,
            Outcome::HeldRefused(HoldRefusal::Telemetry) => self.counts.telemetry += 1,
            Outcome::Refused(RefuseReason::Reach(reason)) if reason.is_telemetry() => self.counts.telemetry += 1,
            Outcome::Refused(_) | Outcome::HeldRefused(_) | Outcome::Failed(_) => self.counts.stopped += 1,
        }
        if record.method != "GET" && record.status.is_some_and(|status| status >= 400) {
            self.failed_write =
                record.status.map(|status| format!("{} was answered {status}", self.shown(&record.method, &record.url)));
        }
        // Evidence is a whole answer from where the run may go; a picture from anywhere proves nothing.
        let whole = record.cut.is_none() && record.left.is_none() && record.relation != Relation::ThirdParty;
        let good = whole && record.status.is_some_and(|status| (200..400).contains(&status));
        if good && self.answered.len() < EVIDENCE_MAX {
            self.answered.push((record.method.clone(), record.url.clone()));
        }
        let is_page = record.saved.is_none() && record.left.is_none();
        let opened = record.destination == "document" && record.status.is_some() && is_page;
        if opened && self.opened_since.len() < OPENED_MAX {
            self.opened_since.push(record.url.clone());
        }
        if let Some(at) =
            self.open.iter().position(|(_, kind)| matches!(kind, OpenIntent::Request { id, .. } if *id == record.id))
        {
            let (intent, _) = self.open.swap_remove(at);
            let outcome = json!({"status": record.status, "sent": record.sent, "request": record.outcome});
            let written = self.append("outcome", &json!({"intent": intent, "outcome": outcome}));
            self.keep_fault(written);
            if weight == Some(Weight::Write) && record.status.is_none() && record.sent != Sent::Nothing {
                let request = self.shown(&record.method, &record.url);
                self.unanswered.get_or_insert_with(|| request.clone());
                self.trouble = Some(End::Uncertain { request });
            }
        }
        self.note_wall(&record);
        self.note_road(&record);
        self.note_file(&record);
        self.fresh.push(record);
    }

    /// Telemetry is refused without a question unless a rule names it: nobody misses its answer.
    fn judge(&mut self, held: Box<HeldRequest>) {
        let image = held.image().clone();
        if self.trouble.is_some() || self.fault.is_some() {
            held.refuse(HoldRefusal::Policy);
            return;
        }
        if traffic::is_telemetry(held.class(), held.facts()) && !self.policy.is_named(&image) {
            held.refuse(HoldRefusal::Telemetry);
            return;
        }
        let shown = self.shown(&image.method, &image.url);
        let attendance = self.approver.attendance();
        let (cause, repeats) = self.cause_of(&image, held.class());
        let quietly = repeats == Repeats::No || attendance == Attendance::Unattended;
        if cause == Cause::Page && quietly && self.own_refused.contains(&shown) {
            held.refuse(HoldRefusal::Policy);
            return;
        }
        let mut judgement = self.policy.judge_held(&Held { image: &image, cause, remembered: &self.remembered, attendance });
        // A rule allows what the operator meant by it: the form as it was seen, not what the page made of it on the way.
        let stray = self.acting_form.as_ref().filter(|_| judgement.class() != ActionClass::Observe);
        if let Some(field) = stray.and_then(|form| follows::strays_from(form, &image)) {
            let ground = format!("its field {field} holds another value than the form that was pressed");
            judgement.tighten(Verdict::Ask, ground);
        }
        if let Some(earlier) = self.earlier_like(&image).filter(|_| judgement.class() != ActionClass::Observe) {
            // Whatever any rule says: what may have happened already is not done again without a person.
            let nobody = attendance == Attendance::Unattended;
            judgement.tighten(if nobody { Verdict::Refuse } else { Verdict::Ask }, earlier.in_words(self.now().unix_ms));
        }
        let class = judgement.class();
        tracing::info!(request = ?Loggable(&shown), class = class.name(), verdict = judgement.verdict().name(), "held");
        let grounds = judgement.reasons().join("; ");
        let after = self.acting.clone().filter(|_| cause == Cause::Action);
        let effect = Effect { image, after, scrub: self.scrub.clone() };
        let now = self.now();
        match gate::admit_effect(&mut self.journal, now, effect, judgement) {
            Ok(Admission::Permit(permit)) => self.release(held, permit, (&shown, &grounds), class),
            Ok(Admission::Ask(ticket, pending)) => {
                if attendance == Attendance::Attended {
                    self.watch.see(&Live::Asking(ticket.words()));
                }
                let approver = Arc::clone(&self.approver);
                let wait = self.wait;
                let answer = Box::pin(async move { approver.ask(ticket, wait).await });
                self.asking = Some((Asked::Write(held, pending), answer, self.clock.elapsed_ms()));
            }
            Ok(Admission::Refused(refusal)) => self.refuse(held, &shown, &refusal, class),
            Err(error) => {
                held.refuse(HoldRefusal::RunEnds);
                self.fault = Some(error);
            }
        }
    }

    fn earlier_like(&self, image: &RequestImage) -> Option<&EarlierWrite> {
        let mark = if self.earlier.is_empty() { None } else { gate::mark_of(&self.journal, image) };
        self.earlier.iter().find(|earlier| Some(earlier.mark) == mark)
    }

    /// Who asked for a write. The like of what the page sends by itself is the page's own even while an action is under way:
    /// heartbeats don't wait.
    fn cause_of(&mut self, image: &RequestImage, class: WriteClass) -> (Cause, Repeats) {
        let acting = self.acting.is_some() && self.causes == Causes::Writes;
        // A page that posts on at once, as a sign-in at another origin does, is still on the way that the action took.
        let sender = image.header("referer").filter(|_| class != WriteClass::Navigation);
        let cause = traffic::cause_of(acting, sender, &self.opened_since);
        let Some(shape) = Shape::of(image) else { return (cause, Repeats::No) };
        match cause {
            Cause::Action if self.own_shapes.contains(&shape) => (Cause::Page, Repeats::DuringAction),
            Cause::Action => (Cause::Action, Repeats::No),
            Cause::Page => {
                if self.own_shapes.len() < OWN_SHAPES_MAX && !self.own_shapes.contains(&shape) {
                    self.own_shapes.push(shape);
                }
                (Cause::Page, Repeats::No)
            }
        }
    }

    fn answer(&mut self, answered: Answered) {
        let Some((asked, _, since)) = self.asking.take() else { return };
        self.person_ms += self.clock.elapsed_ms().saturating_sub(since);
        match asked {
            Asked::Write(held, pending) => self.answer_write(held, pending, answered),
            Asked::File(file, pending) => self.answer_file(*file, pending, answered),
        }
        // What is settled without a question asks nobody, so the next in line has its turn at once.
        while self.asking.is_none()
            && let Some(next) = self.waiting.pop_front()
        {
            match next {
                Waiting::Write(held) => self.judge(held),
                Waiting::File(file) => self.judge_file(file),
            }
        }
    }

    fn answer_write(&mut self, held: Box<HeldRequest>, pending: Pending<Effect>, answered: Answered) {
        let shown = self.shown(&held.image().method, &held.image().url);
        let class = pending.class();
        match answered {
            Answered::Nobody if class == ActionClass::BackgroundWrite => {
                self.refuse_own(held, &shown, "nobody answered", HoldRefusal::Unattended);
            }
            Answered::Nobody => {
                held.refuse(HoldRefusal::Unattended);
                self.stopped(&shown, "nobody was there to allow it");
                let hint = allow_hint(&shown);
                let why = pending.reasons().join("; ");
                self.hand_back(
                    HandBack::NeedsAPerson(format!("{shown} was held and nobody was there to allow it ({why})")),
                    hint,
                );
            }
            Answered::By(approval) => {
                let now = self.now();
                match gate::answer_effect(&mut self.journal, now, pending, approval) {
                    Ok(Admission::Permit(permit)) => {
                        if let Some(shape) = permit.remembered().filter(|_| self.remembered.len() < REMEMBERED_MAX) {
                            self.remembered.push(shape.clone());
                        }
                        self.release(held, permit, (&shown, "a person at the terminal"), class);
                    }
                    Ok(Admission::Refused(refusal)) => self.refuse(held, &shown, &refusal, class),
                    // The gate never asks twice about one deed.
                    Ok(Admission::Ask(..)) => held.refuse(HoldRefusal::Policy),
                    Err(error) => {
                        held.refuse(HoldRefusal::RunEnds);
                        self.fault = Some(error);
                    }
                }
            }
        }
    }

    fn release(&mut self, held: Box<HeldRequest>, permit: EffectPermit, (shown, by): (&str, &str), class: ActionClass) {
        let (id, intent) = (held.id(), permit.intent().to_owned());
        tracing::info!(request = ?Loggable(shown), %intent, "released");
        let weight = if class == ActionClass::Observe { Weight::Read } else { Weight::Write };
        self.open.push((intent.clone(), OpenIntent::Request { id, shown: shown.to_owned(), weight }));
        match held.release(permit) {
            // What becomes of it comes as its record.
            Ok(_) if weight == Weight::Read => {}
            Ok(_) => self.watch.see(&Live::Released { request: shown, by }),
            Err(_) => {
                self.open.retain(|(open, _)| *open != intent);
                let written = self.append("outcome", &json!({"intent": intent, "outcome": {"outcome": "not_sent", "why": "the browser gave up or the request is another"}}));
                self.keep_fault(written);
            }
        }
    }

    /// A write of the page's own that is not sent does not end the run: whoever works on the page did not ask for it.
    fn refuse_own(&mut self, held: Box<HeldRequest>, shown: &str, why: &str, refusal: HoldRefusal) {
        held.refuse(refusal);
        if self.own_refused.len() < OWN_REFUSED_MAX && self.own_refused.insert(shown.to_owned()) {
            self.stopped(shown, &format!("the page sent it by itself; {why}"));
        }
    }

    /// What of the page's own was refused, for a run that did not get on, with what to add.
    pub(crate) fn own_refused_in_words(&self) -> String {
        let Some(first) = self.own_refused.first() else { return String::new() };
        let more = match self.own_refused.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let add = allow_option(first).map(|add| format!(" ({add} lets it)")).unwrap_or_default();
        format!("; {first}{more}, which the page sent by itself, was not let out{add}")
    }

    fn refuse(&mut self, held: Box<HeldRequest>, shown: &str, refusal: &Refusal, class: ActionClass) {
        let why = match refusal {
            Refusal::Policy { reasons } => reasons.join("; "),
            Refusal::Person => "a person refused it".into(),
            Refusal::PersonStopped => "a person stopped the run here".into(),
            Refusal::OtherTicket => "the approval was for something else".into(),
            Refusal::Expired => "the approval came too late".into(),
            Refusal::LevelTooLow => "the approval proves too little for this kind of request".into(),
        };
        let said = match refusal {
            Refusal::Person | Refusal::PersonStopped => HoldRefusal::Person,
            Refusal::Policy { .. } | Refusal::OtherTicket | Refusal::Expired | Refusal::LevelTooLow => HoldRefusal::Policy,
        };
        if class == ActionClass::BackgroundWrite && *refusal != Refusal::PersonStopped {
            self.refuse_own(held, shown, &why, said);
            return;
        }
        held.refuse(said);
        self.stopped(shown, &why);
        let reason = HandBack::Refused(format!("{shown}: {why}"));
        let before = if self.counts.released == 0 {
            "Nothing was sent".to_owned()
        } else {
            format!("This request was not sent ({} before it were)", self.counts.released)
        };
        self.hand_back(
            reason,
            format!("{before}, and the page kept what was typed. Run it again to be asked again, or do this step yourself."),
        );
    }

    pub(crate) fn stopped(&self, request: &str, why: &str) {
        tracing::warn!(request = ?Loggable(request), why = ?Loggable(why), "stopped");
        self.watch.see(&Live::Stopped { request, why });
    }

    pub(crate) fn hand_back(&mut self, reason: HandBack, next: String) {
        if self.trouble.is_none() {
            self.trouble = Some(End::HandedBack { reason, next });
        }
    }

    pub(crate) fn keep_fault(&mut self, written: Result<(), JournalError>) {
        if let Err(error) = written {
            self.fault = Some(error);
        }
    }

    pub(crate) fn shown(&self, method: &str, url: &str) -> String {
        let public = url::Url::parse(url)
            .map(|mut url| {
                url.set_query(None);
                url.set_fragment(None);
                url.to_string()
            })
            .unwrap_or_default();
        format!("{method} {}", self.scrub.scrub(&public))
    }

    fn scrubbed(&self, record: &RequestRecord) -> serde_json::Value {
        let text = serde_json::to_string(record).unwrap_or_default();
        serde_json::from_str(&self.scrub.scrub(&text)).unwrap_or_else(|_| json!({"id": record.id, "unprintable": true}))
    }
}

#[cfg(test)]
#[path = "sends_tests.rs"]
mod tests;

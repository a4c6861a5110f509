//! What comes from the edge: records are kept, held requests are judged, asked about, released or refused.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use clicket_egress::{EdgeEvent, FailKind, HeldRequest, HoldRefusal, Outcome, RefuseReason, RequestRecord, Sent};
use clicket_guard::approval::{Answered, Approver, Attendance, Moment};
use clicket_guard::effect::RequestImage;
use clicket_guard::follows;
use clicket_guard::gate::{self, Admission, After, Effect, Pending, Refusal};
use clicket_guard::observation::FormFacts;
use clicket_guard::permit::EffectPermit;
use clicket_guard::policy::{Policy, Verdict};
use clicket_guard::reach::{Relation, WriteClass};
use clicket_guard::risk;
use clicket_guard::secret::Scrubber;
use clicket_journal::{Journal, JournalError};
use serde_json::json;
use tokio::sync::mpsc;

use crate::clock::Clock;
use crate::earlier::EarlierWrite;
use crate::live::{Live, Watch};
use crate::report::{End, HandBack, Tally};

/// Requests kept as evidence; a page that makes more has no business with an expectation.
const EVIDENCE_MAX: usize = 10_000;
/// Requests that wait for a person at once; the rest are refused.
const WAITING_MAX: usize = 16;

type AskingEffect = std::pin::Pin<Box<dyn Future<Output = Answered> + Send>>;

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
    asking: Option<(Box<HeldRequest>, Pending<Effect>, AskingEffect, u64)>,
    waiting: VecDeque<Box<HeldRequest>>,
    /// Intents without an outcome yet, by what they were for.
    open: Vec<(String, OpenIntent)>,
    /// The action being performed or settled, for writes that follow it.
    pub(crate) acting: Option<After>,
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
    last_document: HashMap<String, u16>,
    /// Origins that answered a read, and those that were written to.
    origins: Origins,
    /// Writes of earlier runs whose end is not known.
    earlier: Vec<EarlierWrite>,
}

/// Origins by what was done with them. A page that reaches for more than the bound is told by its requests alone.
#[derive(Default)]
struct Origins {
    read: BTreeSet<String>,
    written: BTreeSet<String>,
}

impl Origins {
    const MAX: usize = 1_000;

    fn take(&mut self, record: &RequestRecord) {
        let set = match record.outcome {
            Outcome::Passed => &mut self.read,
            Outcome::HeldReleased => &mut self.written,
            // It was released if anything of it may have left.
            Outcome::Failed(_) if record.method != "GET" && record.sent != Sent::Nothing => &mut self.written,
            Outcome::Refused(_) | Outcome::HeldRefused(_) | Outcome::Failed(_) => return,
        };
        if let Ok(url) = url::Url::parse(&record.url)
            && set.len() < Self::MAX
        {
            set.insert(url.origin().ascii_serialization());
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
enum OpenIntent {
    Act,
    Request { id: u64, shown: String },
}

/// What a page had a part in, in a log: quoted, escaped and cut, so that it can make no line of its own. Secrets are out already.
struct Loggable<'a>(&'a str);

impl std::fmt::Debug for Loggable<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cut: String = self.0.chars().take(300).collect();
        write!(f, "{cut:?}")
    }
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
            last_document: HashMap::new(),
            origins: Origins::default(),
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
        self.open.iter().any(|(_, kind)| *kind != OpenIntent::Act)
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

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Why the last document that was asked for did not come, as the edge knows it; the browser only knows that nothing came.
    pub(crate) fn why_no_document(&self) -> Option<String> {
        let record = self.fresh.iter().rev().find(|record| record.destination == "document" && record.status.is_none())?;
        match record.outcome {
            Outcome::Failed(kind) => Some(why_failed(kind).to_owned()),
            Outcome::Refused(RefuseReason::Reach(reason)) => Some(reason.words().to_owned()),
            Outcome::Refused(RefuseReason::Name) => {
                Some(format!("its name is never looked up ({})", record.detail.as_deref().unwrap_or("special use")))
            }
            Outcome::Refused(RefuseReason::Address) => {
                Some(format!("its address is never dialled ({})", record.detail.as_deref().unwrap_or("not public")))
            }
            Outcome::Refused(_) | Outcome::HeldRefused(_) | Outcome::Passed | Outcome::HeldReleased => record.detail.clone(),
        }
    }

    /// Status of the last document at this address.
    pub(crate) fn document_status(&self, url: &str) -> Option<u16> {
        self.last_document.get(url).copied()
    }

    /// Notes that an action's intent is written and its outcome is not.
    pub(crate) fn begin(&mut self, intent: &str, words: String) {
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
        let Some((_, _, answer, _)) = &mut self.asking else {
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
            EdgeEvent::Held(held) if self.waiting.len() < WAITING_MAX => self.waiting.push_back(held),
            EdgeEvent::Held(held) => held.refuse(HoldRefusal::TooManyHeld),
        }
    }

    /// Where the run read and where it wrote, for its record.
    pub(crate) fn origins(&self) -> serde_json::Value {
        json!({"read": self.origins.read, "written": self.origins.written})
    }

    fn record(&mut self, record: RequestRecord) {
        self.origins.take(&record);
        match record.outcome {
            Outcome::Passed => self.counts.passed += 1,
            Outcome::HeldReleased => self.counts.released += 1,
            Outcome::Refused(_) | Outcome::HeldRefused(_) | Outcome::Failed(_) => self.counts.stopped += 1,
        }
        if record.method != "GET" && record.status.is_some_and(|status| status >= 400) {
            self.failed_write =
                record.status.map(|status| format!("{} was answered {status}", self.shown(&record.method, &record.url)));
        }
        // Evidence is a whole answer from where the run may go; a picture from anywhere proves nothing.
        let whole = record.cut.is_none() && record.relation != Relation::ThirdParty;
        let good = whole && record.status.is_some_and(|status| (200..400).contains(&status));
        if good && self.answered.len() < EVIDENCE_MAX {
            self.answered.push((record.method.clone(), record.url.clone()));
        }
        if let ("document", Some(status)) = (record.destination.as_str(), record.status) {
            self.last_document.insert(record.url.clone(), status);
        }
        if let Some(at) =
            self.open.iter().position(|(_, kind)| matches!(kind, OpenIntent::Request { id, .. } if *id == record.id))
        {
            let (intent, _) = self.open.swap_remove(at);
            let outcome = json!({"status": record.status, "sent": record.sent, "request": record.outcome});
            let written = self.append("outcome", &json!({"intent": intent, "outcome": outcome}));
            self.keep_fault(written);
            if record.status.is_none() && record.sent != Sent::Nothing {
                let request = self.shown(&record.method, &record.url);
                self.unanswered.get_or_insert_with(|| request.clone());
                self.trouble = Some(End::Uncertain { request });
            }
        }
        self.fresh.push(record);
    }

    /// Nobody reads the answer of a beacon, so nobody misses it: it is refused without a question.
    fn judge(&mut self, held: Box<HeldRequest>) {
        if held.class() == WriteClass::Beacon || self.trouble.is_some() || self.fault.is_some() {
            held.refuse(HoldRefusal::Policy);
            return;
        }
        let image = held.image().clone();
        let class = risk::of_request(&image);
        let mut judgement = self.policy.judge_request(class, &image, self.approver.attendance());
        // A rule allows what the operator meant by it: the form as it was seen, not what the page made of it on the way.
        if let Some(field) = self.acting_form.as_ref().and_then(|form| follows::strays_from(form, &image)) {
            judgement.verdict = judgement.verdict.join(Verdict::Ask);
            judgement.reasons.push(format!("its field {field} holds another value than the form that was pressed"));
        }
        if let Some(earlier) = self.earlier_like(&image) {
            // Whatever any rule says: what may have happened already is not done again without a person.
            let nobody = self.approver.attendance() == Attendance::Unattended;
            judgement.verdict = judgement.verdict.join(if nobody { Verdict::Refuse } else { Verdict::Ask });
            judgement.reasons.push(earlier.in_words(self.now().unix_ms));
        }
        let grounds = judgement.reasons.join("; ");
        let shown = self.shown(&image.method, &image.url);
        tracing::info!(request = ?Loggable(&shown), class = class.name(), verdict = judgement.verdict.name(), "held");
        let effect = Effect { image, after: self.acting.clone(), scrub: self.scrub.clone() };
        let now = self.now();
        match gate::admit_effect(&mut self.journal, now, effect, judgement) {
            Ok(Admission::Permit(permit)) => self.release(held, permit, &shown, &grounds),
            Ok(Admission::Ask(ticket, pending)) => {
                if self.approver.attendance() == Attendance::Attended {
                    self.watch.see(&Live::Asking(ticket.words()));
                }
                let approver = Arc::clone(&self.approver);
                let wait = self.wait;
                let answer = Box::pin(async move { approver.ask(ticket, wait).await });
                self.asking = Some((held, pending, answer, self.clock.elapsed_ms()));
            }
            Ok(Admission::Refused(refusal)) => self.refuse(held, &shown, &refusal),
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

    fn answer(&mut self, answered: Answered) {
        let Some((held, pending, _, since)) = self.asking.take() else { return };
        self.person_ms += self.clock.elapsed_ms().saturating_sub(since);
        let shown = self.shown(&held.image().method, &held.image().url);
        match answered {
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
                    Ok(Admission::Permit(permit)) => self.release(held, permit, &shown, "a person at the terminal"),
                    Ok(Admission::Refused(refusal)) => self.refuse(held, &shown, &refusal),
                    // The gate never asks twice about one deed.
                    Ok(Admission::Ask(..)) => held.refuse(HoldRefusal::Policy),
                    Err(error) => {
                        held.refuse(HoldRefusal::RunEnds);
                        self.fault = Some(error);
                    }
                }
            }
        }
        // What is settled without a question asks nobody, so the next in line has its turn at once.
        while self.asking.is_none()
            && let Some(next) = self.waiting.pop_front()
        {
            self.judge(next);
        }
    }

    fn release(&mut self, held: Box<HeldRequest>, permit: EffectPermit, shown: &str, by: &str) {
        let (id, intent) = (held.id(), permit.intent().to_owned());
        tracing::info!(request = ?Loggable(shown), %intent, "released");
        self.open.push((intent.clone(), OpenIntent::Request { id, shown: shown.to_owned() }));
        match held.release(permit) {
            // What becomes of it comes as its record.
            Ok(_) => self.watch.see(&Live::Released { request: shown, by }),
            Err(_) => {
                self.open.retain(|(open, _)| *open != intent);
                let written = self.append("outcome", &json!({"intent": intent, "outcome": {"outcome": "not_sent", "why": "the browser gave up or the request is another"}}));
                self.keep_fault(written);
            }
        }
    }

    fn refuse(&mut self, held: Box<HeldRequest>, shown: &str, refusal: &Refusal) {
        let why = match refusal {
            Refusal::Policy { reasons } => reasons.join("; "),
            Refusal::Person => "a person refused it".into(),
            Refusal::PersonStopped => "a person stopped the run here".into(),
            Refusal::OtherTicket => "the approval was for something else".into(),
            Refusal::Expired => "the approval came too late".into(),
            Refusal::LevelTooLow => "the approval proves too little for this kind of request".into(),
        };
        held.refuse(match refusal {
            Refusal::Person | Refusal::PersonStopped => HoldRefusal::Person,
            Refusal::Policy { .. } | Refusal::OtherTicket | Refusal::Expired | Refusal::LevelTooLow => HoldRefusal::Policy,
        });
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

    fn stopped(&self, request: &str, why: &str) {
        tracing::warn!(request = ?Loggable(request), why = ?Loggable(why), "stopped");
        self.watch.see(&Live::Stopped { request, why });
    }

    fn hand_back(&mut self, reason: HandBack, next: String) {
        if self.trouble.is_none() {
            self.trouble = Some(End::HandedBack { reason, next });
        }
    }

    fn keep_fault(&mut self, written: Result<(), JournalError>) {
        if let Err(error) = written {
            self.fault = Some(error);
        }
    }

    fn shown(&self, method: &str, url: &str) -> String {
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

/// What went wrong on the way to a server, and what to do about it.
fn why_failed(kind: FailKind) -> &'static str {
    match kind {
        FailKind::NameNotFound => "there is no such host; check the spelling of the address",
        FailKind::NameUnresolved => "the name server gave no answer; check this machine's network and DNS",
        FailKind::Unreachable => "nothing accepts a connection there; check the address and that the server is up",
        FailKind::ConnectTimeout => "no connection was made in time; check the address and this machine's network",
        FailKind::CertificateExpired => {
            "the server's certificate has expired; its owner must renew it, and it is never clicked away"
        }
        FailKind::CertificateNotYetValid => "the server's certificate is not valid yet; check this machine's clock",
        FailKind::CertificateUntrusted => {
            "the server's certificate is signed by nobody this machine trusts; --dangerously-trust-ca FILE adds an authority"
        }
        FailKind::CertificateWrongName => "the server's certificate is for another name",
        FailKind::CertificateBad => "the server's certificate is bad",
        FailKind::Tls | FailKind::TlsTimeout => "the TLS handshake with the server failed",
        FailKind::HeadTimeout | FailKind::IdleTimeout | FailKind::WholeTimeout => {
            "the server did not answer in time; try again later"
        }
        FailKind::TooBig | FailKind::RunBytes => "the answer is larger than is taken",
        FailKind::Protocol => "the server does not speak HTTP as it must",
        FailKind::ConnectionLost => "the connection to the server broke; try again",
        FailKind::BrowserLeft => "the browser gave up waiting",
    }
}

/// What an operator would write to let this request through next time.
fn allow_hint(shown: &str) -> String {
    let path = shown.split_once(' ').and_then(|(method, url)| Some((method, url::Url::parse(url).ok()?)));
    match path {
        Some((method, url)) => format!(
            "Run it again at a terminal to be asked, or add --allow \"{method} {}\" if this write is meant to happen.",
            url.path()
        ),
        None => "Run it again at a terminal to be asked.".into(),
    }
}

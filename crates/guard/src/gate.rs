//! The gate: verdict, perhaps an approval, and the journal give a permit, a ticket or a refusal.

use clicket_journal::{Digest, Journal, JournalError, Receipt, canonical_json};
use serde::Serialize;
use serde_json::{Value, json};

use crate::approval::{Approval, Decision, Level, Moment, Ticket, Words};
use crate::download::Download;
use crate::effect::RequestImage;
use crate::limits::TICKET_LIFE_MS;
use crate::offer::Entry;
use crate::permit::{ActPermit, Action, DownloadPermit, EffectPermit, ValueSource};
use crate::policy::{Judgement, Verdict};
use crate::risk::ActionClass;
use crate::secret::Scrubber;
use crate::shape::{self, Remembered, Shape};
use crate::words;

/// What the gate gives.
#[allow(clippy::large_enum_variant, reason = "one is made a step and matched at once; a box would only move it")]
#[derive(Debug)]
pub enum Admission<P, D> {
    /// Go ahead, once.
    Permit(P),
    /// A person must answer the ticket first.
    Ask(Ticket, Pending<D>),
    /// No.
    Refused(Refusal),
}

/// Why not. A refusal is an answer, not an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "refusal")]
pub enum Refusal {
    /// Policy refuses; no approval changes it.
    Policy {
        /// Grounds.
        reasons: Vec<String>,
    },
    /// A person said no.
    Person,
    /// A person said no and ended the run.
    PersonStopped,
    /// The approval is for something else.
    OtherTicket,
    /// The approval came too late.
    Expired,
    /// The approval proves too little for this class.
    LevelTooLow,
}

/// A deed that waits for its approval. It goes back into the gate with the answer, and only once.
#[derive(Debug)]
pub struct Pending<D> {
    deed: D,
    digest: Digest,
    judgement: Judgement,
    level: Level,
    expires_steady_ms: u64,
    record: Value,
}

impl<D> Pending<D> {
    /// What kind of deed waits.
    #[must_use]
    pub fn class(&self) -> ActionClass {
        self.judgement.class()
    }

    /// Why a person is asked.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        self.judgement.reasons()
    }
}

/// An action with all that a permit binds.
#[derive(Clone, Debug)]
pub struct Act {
    /// What would be done.
    pub entry: Entry,
    /// Digest of the observation it was offered on.
    pub observation: Digest,
    /// The control in words, for the record and the person.
    pub control_words: String,
    /// Where the page is, in words.
    pub page_words: String,
}

/// The action that a held request followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct After {
    /// Its intent in the journal.
    pub intent: String,
    /// The action in words, page strings quoted.
    pub words: String,
}

/// A held request with all that a permit binds.
pub struct Effect {
    /// Exactly what would be sent.
    pub image: RequestImage,
    /// Which action it followed, if one.
    pub after: Option<After>,
    /// Takes secrets out of what is shown and recorded.
    pub scrub: Scrubber,
}

impl std::fmt::Debug for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.image.fmt(f)
    }
}

/// Admits an action.
///
/// # Errors
/// When the intent could not be written; then nothing may be done.
pub fn admit(
    journal: &mut Journal,
    now: Moment,
    act: Act,
    judgement: Judgement,
) -> Result<Admission<ActPermit, Act>, JournalError> {
    let record = json!({"action": act.entry.action, "entry": act.entry.id, "observation": act.observation, "control": act.control_words, "value_from": value_from(&act.entry.action)});
    let shown = words::of_action(&act.entry.action, &act.control_words, &act.page_words, &judgement);
    decide(journal, now, Question { deed: act, judgement, record, shown }, grant_act)
}

/// Admits a held request.
///
/// # Errors
/// As for [`admit`].
pub fn admit_effect(
    journal: &mut Journal,
    now: Moment,
    effect: Effect,
    judgement: Judgement,
) -> Result<Admission<EffectPermit, Effect>, JournalError> {
    let mut record = words::effect_record(&effect);
    if let (Some(mark), Some(members)) = (mark_of(journal, &effect.image), record.as_object_mut()) {
        members.insert("mark".into(), json!(mark));
    }
    let shown = words::of_effect(&effect, &judgement);
    decide(journal, now, Question { deed: effect, judgement, record, shown }, grant_effect)
}

/// Takes the answer to an action's ticket.
///
/// # Errors
/// As for [`admit`].
pub fn answer(
    journal: &mut Journal,
    now: Moment,
    pending: Pending<Act>,
    approval: Approval,
) -> Result<Admission<ActPermit, Act>, JournalError> {
    settle(journal, now, pending, &approval, grant_act)
}

/// Takes the answer to a held request's ticket.
///
/// # Errors
/// As for [`admit`].
pub fn answer_effect(
    journal: &mut Journal,
    now: Moment,
    pending: Pending<Effect>,
    approval: Approval,
) -> Result<Admission<EffectPermit, Effect>, JournalError> {
    let shape = Some(&pending.deed.image)
        .filter(|_| approval.decision == Decision::AllowAndRemember && shape::may_be_remembered(pending.judgement.class()))
        .and_then(Shape::of);
    Ok(match settle(journal, now, pending, &approval, grant_effect)? {
        Admission::Permit(permit) => {
            let intent = permit.intent.clone();
            Admission::Permit(EffectPermit { remembered: shape.map(|shape| Remembered { shape, intent }), ..permit })
        }
        other @ (Admission::Ask(..) | Admission::Refused(_)) => other,
    })
}

/// Admits a file that a site offers.
///
/// # Errors
/// As for [`admit`].
pub fn admit_download(
    journal: &mut Journal,
    now: Moment,
    file: Download,
    judgement: Judgement,
) -> Result<Admission<DownloadPermit, Download>, JournalError> {
    let record = words::file_record(&file);
    let shown = words::of_file(&file, &judgement);
    decide(journal, now, Question { deed: file, judgement, record, shown }, grant_download)
}

/// Takes the answer to a file's ticket.
///
/// # Errors
/// As for [`admit`].
pub fn answer_download(
    journal: &mut Journal,
    now: Moment,
    pending: Pending<Download>,
    approval: Approval,
) -> Result<Admission<DownloadPermit, Download>, JournalError> {
    settle(journal, now, pending, &approval, grant_download)
}

/// Where a typed value came from. There is no fourth place: [`ValueSource`] has no variant for text of a page, so that what one
/// origin shows can't be typed into another's field.
fn value_from(action: &Action) -> Option<&'static str> {
    match action {
        Action::Fill { value: ValueSource::Secret { .. }, .. } => Some("secret"),
        Action::Fill { value: ValueSource::Text { key: Some(_), .. }, .. } => Some("operator"),
        Action::Fill { value: ValueSource::Text { key: None, .. }, .. } => Some("goal"),
        Action::Attach { .. } => Some("operator"),
        Action::Press { .. }
        | Action::Choose { .. }
        | Action::Toggle { .. }
        | Action::Enter { .. }
        | Action::Key { .. }
        | Action::Hover { .. }
        | Action::AcceptDialog { .. }
        | Action::LookAt { .. }
        | Action::Scroll(_)
        | Action::Wait
        | Action::Back
        | Action::Navigate { .. } => None,
    }
}

/// What a later run knows this write by: a keyed digest over method, address and body, so that it may be written although
/// the body holds a secret. Headers are left out, because cookies are new in each run, and so is the boundary of a
/// multipart body. Nothing when the journal has no key.
#[must_use]
pub fn mark_of(journal: &Journal, image: &RequestImage) -> Option<Digest> {
    let body = without_boundary(image);
    journal.mark(&[image.method.as_bytes(), image.url.as_bytes(), &body])
}

fn without_boundary(image: &RequestImage) -> Vec<u8> {
    let kind = image.header("content-type").unwrap_or_default();
    let boundary = kind.split_once("boundary=").map(|(_, rest)| rest.split(';').next().unwrap_or_default().trim_matches('"'));
    let Some(boundary) = boundary.filter(|boundary| boundary.len() >= 8 && kind.starts_with("multipart/")) else {
        return image.body.clone();
    };
    let (mut kept, mut rest) = (Vec::with_capacity(image.body.len()), image.body.as_slice());
    while let Some((byte, after)) = rest.split_first() {
        rest = match rest.strip_prefix(boundary.as_bytes()) {
            Some(after) => after,
            None => {
                kept.push(*byte);
                after
            }
        };
    }
    kept
}

struct Question<D> {
    deed: D,
    judgement: Judgement,
    record: Value,
    shown: Words,
}

type Grant<D, P> = fn(D, Receipt, String) -> P;

fn decide<D, P>(
    journal: &mut Journal,
    now: Moment,
    question: Question<D>,
    grant: Grant<D, P>,
) -> Result<Admission<P, D>, JournalError> {
    let Question { deed, judgement, record, shown } = question;
    match judgement.verdict() {
        Verdict::Allow => {
            let (receipt, intent) = write_intent(journal, now, &judgement, &record, None)?;
            Ok(Admission::Permit(grant(deed, receipt, intent)))
        }
        Verdict::Ask => {
            let number = format!("t{}", journal.records());
            let expires_steady_ms = now.steady_ms.saturating_add(TICKET_LIFE_MS);
            let bound = json!({"run": journal.run(), "number": number, "record": record, "judgement": judgement, "words": shown, "expires": expires_steady_ms});
            let digest = Digest::of(canonical_json(&bound).as_bytes());
            journal.append(
                now.unix_ms,
                "ticket",
                &json!({"ticket": number, "digest": digest, "judgement": judgement, "words": shown}),
            )?;
            let ticket = Ticket { number, digest, words: shown, expires_steady_ms };
            let level = level_for(judgement.class());
            Ok(Admission::Ask(ticket, Pending { deed, digest, judgement, level, expires_steady_ms, record }))
        }
        Verdict::Refuse => {
            journal.append(now.unix_ms, "refusal", &json!({"judgement": judgement, "deed": record}))?;
            Ok(Admission::Refused(Refusal::Policy { reasons: judgement.into_reasons() }))
        }
    }
}

fn settle<D, P>(
    journal: &mut Journal,
    now: Moment,
    pending: Pending<D>,
    approval: &Approval,
    grant: Grant<D, P>,
) -> Result<Admission<P, D>, JournalError> {
    let refusal = match (pending.judgement.verdict(), approval.decision) {
        (Verdict::Refuse, _) => Some(Refusal::Policy { reasons: pending.judgement.reasons().to_vec() }),
        (Verdict::Allow | Verdict::Ask, _) if approval.digest != pending.digest => Some(Refusal::OtherTicket),
        (Verdict::Allow | Verdict::Ask, Decision::Refuse) => Some(Refusal::Person),
        (Verdict::Allow | Verdict::Ask, Decision::Stop) => Some(Refusal::PersonStopped),
        (Verdict::Allow | Verdict::Ask, Decision::AllowOnce | Decision::AllowAndRemember)
            if now.steady_ms > pending.expires_steady_ms =>
        {
            Some(Refusal::Expired)
        }
        (Verdict::Allow | Verdict::Ask, Decision::AllowOnce | Decision::AllowAndRemember) if approval.level < pending.level => {
            Some(Refusal::LevelTooLow)
        }
        (Verdict::Allow | Verdict::Ask, Decision::AllowOnce | Decision::AllowAndRemember) => None,
    };
    if let Some(refusal) = refusal {
        journal.append(
            now.unix_ms,
            "refusal",
            &json!({"judgement": pending.judgement, "deed": pending.record, "refusal": refusal, "approval": approval}),
        )?;
        return Ok(Admission::Refused(refusal));
    }
    let (receipt, intent) = write_intent(journal, now, &pending.judgement, &pending.record, Some(approval))?;
    Ok(Admission::Permit(grant(pending.deed, receipt, intent)))
}

fn write_intent(
    journal: &mut Journal,
    now: Moment,
    judgement: &Judgement,
    record: &Value,
    approval: Option<&Approval>,
) -> Result<(Receipt, String), JournalError> {
    let intent = format!("i{}", journal.records());
    let receipt = journal.append(
        now.unix_ms,
        "intent",
        &json!({"intent": intent, "deed": record, "judgement": judgement, "approval": approval}),
    )?;
    Ok((receipt, intent))
}

fn grant_act(act: Act, receipt: Receipt, intent: String) -> ActPermit {
    ActPermit { action: act.entry.action, receipt, intent }
}

fn grant_effect(effect: Effect, receipt: Receipt, intent: String) -> EffectPermit {
    EffectPermit { image: effect.image.digest(), receipt, intent, remembered: None }
}

fn grant_download(file: Download, receipt: Receipt, intent: String) -> DownloadPermit {
    DownloadPermit { facts: file.facts, receipt, intent }
}

/// What an approval must prove: what can't be undone needs a person at a desk.
fn level_for(class: ActionClass) -> Level {
    match class {
        ActionClass::Observe
        | ActionClass::Scroll
        | ActionClass::Navigate
        | ActionClass::Fill
        | ActionClass::UnknownControl
        | ActionClass::Finish => Level::ClientAttested,
        ActionClass::Publish
        | ActionClass::BackgroundWrite
        | ActionClass::Dialog
        | ActionClass::Write
        | ActionClass::Credentials
        | ActionClass::LeaveSite
        | ActionClass::Download
        | ActionClass::Upload
        | ActionClass::Destructive
        | ActionClass::Payment => Level::DeskObserved,
    }
}

/// The action inside an offered entry, for readers that need no permit.
#[must_use]
pub fn action_of(act: &Act) -> &Action {
    &act.entry.action
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;

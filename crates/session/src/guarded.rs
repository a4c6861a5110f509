//! Guard mode: a page without scripts, one link of it at a time, each one allowed by a person before it is followed.

use clicket_guard::choice::Pick;
use clicket_guard::gate::{Act, Refusal};
use clicket_guard::links;
use clicket_guard::observation::Observation;
use clicket_guard::offer::{Entry, Offer, control_of};
use clicket_guard::outcome::Outcome;
use clicket_guard::policy::Verdict;
use clicket_guard::redact::Redactor;
use clicket_guard::risk::ActionClass;
use clicket_guard::untrusted::PageText;
use clicket_guard::web::WebUrl;
use serde_json::json;

use std::time::Duration;

use crate::admit::Leave;
use crate::config::{RunConfig, SessionError};
use crate::dialogs::UnderWay;
use crate::outcomes::in_words;
use crate::reasons::redirect_of;
use crate::report::End;
use crate::run::{Parts, Runner};
use crate::step::public_form;

/// Characters of a page's text in a result.
const TEXT_CHARS_MAX: usize = 3_000;
/// Characters of a link's name in a result.
const LABEL_CHARS_MAX: usize = 160;
/// Characters of a link's description in a result.
const WORDS_CHARS_MAX: usize = 500;
/// Characters of a title in a result.
const TITLE_CHARS_MAX: usize = 200;

/// A page that is open in guard mode.
pub struct Guarded {
    runner: Runner,
    /// What leaves for an agent goes through it.
    redactor: Redactor,
    page: WebUrl,
    proposed: Option<Proposed>,
}

struct Proposed {
    entry: Entry,
    destination: WebUrl,
    confidence: f64,
}

/// What the model makes of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Proposing {
    /// It would follow this link.
    Ready(Proposal),
    /// The goal is reached here.
    Done {
        /// Of the model.
        confidence: f64,
    },
    /// No link that may be offered helps.
    Blocked {
        /// Of the model; 1 when there was nothing to choose from.
        confidence: f64,
    },
    /// It leans to this link, and not enough.
    LowConfidence {
        /// Of the model.
        confidence: f64,
        /// What it leans to, in words: a link, or that the goal is reached or can't be.
        leans_to: String,
    },
}

/// One link that the model would follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Its place among the offered links, from 0.
    pub index: usize,
    /// Its name, as text of the page: cleaned and redacted, not quoted.
    pub label: String,
    /// Role, quoted name and where it stands, for a person.
    pub words: String,
    /// Where it leads.
    pub destination: WebUrl,
    /// Of the model.
    pub confidence: f64,
}

/// What came of following a link.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// The page that was allowed is shown.
    Navigated,
    /// What was offered is not there any more as it was offered; nothing was done.
    Stale {
        /// What differs.
        what: String,
    },
    /// A person said no, or nobody was there to say yes.
    NotAllowed(NotAllowed),
    /// The site answered with a redirect, which nobody allowed; the page stands.
    Redirected {
        /// Whither, in public form.
        to: String,
    },
    /// No page came.
    NotLoaded {
        /// Why, for the operator.
        why: String,
    },
}

/// Why a link was not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAllowed {
    /// A person said no.
    Refused,
    /// Nobody can be asked, or nobody answered in time.
    Nobody,
    /// The policy refuses, whoever says yes.
    Policy,
    /// The answer came too late, or proves too little.
    Answer,
}

/// A page as it is shown in a result: text of the page, cleaned, redacted and cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Without query and fragment.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its visible text.
    pub text: String,
}

impl Guarded {
    /// Opens the start address. The edge must be one that lets one document pass at a time, and the browser one without scripts.
    ///
    /// # Errors
    /// The page could not be opened or redirects elsewhere, or a fault; everything is closed then.
    pub async fn open(parts: Parts, config: RunConfig) -> Result<Self, SessionError> {
        let page = config.start.clone();
        let redactor = Redactor::new::<&str>(&[])?;
        let mut runner = Runner::assemble(parts, config)?;
        runner.edge.allow_document(&page);
        match runner.open_guarded(&page).await {
            Ok(()) => Ok(Self { runner, redactor, page, proposed: None }),
            Err(error) => {
                // The record says why; what closing finds besides is of no use to anybody.
                drop(runner.close(Ok(End::Unverified { because: "the page was not opened".into() })).await);
                Err(error)
            }
        }
    }

    /// Where it is.
    #[must_use]
    pub fn page(&self) -> &WebUrl {
        &self.page
    }

    /// Looks at the page and asks the model for one link.
    ///
    /// # Errors
    /// A fault of journal, browser or model.
    pub async fn propose(&mut self) -> Result<Proposing, SessionError> {
        self.proposed = None;
        let seen = self.links().await?;
        let offer = Offer::of_controls(&seen, &[], (self.runner.nonce)());
        if offer.entries().is_empty() {
            return Ok(Proposing::Blocked { confidence: 1.0 });
        }
        let choice = match self.runner.decide(&seen, &offer).await? {
            Ok(decided) => decided.choice,
            Err(end) => return Err(SessionError::Model(end.because())),
        };
        let confidence = choice.confidence();
        let enough = confidence >= self.runner.desk.policy.floor(ActionClass::Navigate);
        let entry = match choice.pick() {
            Pick::Act(entry) => entry,
            Pick::Done if enough => return Ok(Proposing::Done { confidence }),
            Pick::Blocked if enough => return Ok(Proposing::Blocked { confidence }),
            Pick::Done => return Ok(low(confidence, "done")),
            Pick::Blocked => return Ok(low(confidence, "blocked")),
        };
        let control = control_of(&seen, entry);
        let words = control.map(clicket_guard::observation::Control::in_words).unwrap_or_default();
        let Some(destination) = control.and_then(|control| links::safe_link(&seen, &self.page, control).ok()) else {
            return Ok(Proposing::Blocked { confidence });
        };
        if !enough {
            return Ok(low(confidence, &words));
        }
        let index = offer.entries().iter().position(|offered| offered.id == entry.id).unwrap_or_default();
        let label = control.map(|control| if control.name.is_empty() { &control.visible_text } else { &control.name });
        let label = label.map(|label| self.redactor.text(label.for_model(), LABEL_CHARS_MAX)).unwrap_or_default();
        let words = self.redactor.text(&words, WORDS_CHARS_MAX);
        self.proposed = Some(Proposed { entry: entry.clone(), destination: destination.clone(), confidence });
        Ok(Proposing::Ready(Proposal { index, label, words, destination, confidence }))
    }

    /// Follows the proposed link: looks again, asks a person, lets that one document pass, presses the link, and compares where
    /// it led with what was allowed. A proposal is spent by this, whatever comes of it.
    ///
    /// # Errors
    /// A fault of journal or browser.
    pub async fn follow(&mut self) -> Result<Followed, SessionError> {
        let stale = |what: &str| Ok(Followed::Stale { what: what.to_owned() });
        let Some(Proposed { entry, destination, confidence }) = self.proposed.take() else { return stale("proposal") };
        let seen = self.links().await?;
        if !self.is_at(&self.page) {
            return stale("address");
        }
        let Some(control) = control_of(&seen, &entry).filter(|control| meaning_of(&entry) == Some(control.meaning)) else {
            return stale("link");
        };
        if links::safe_link(&seen, &self.page, control) != Ok(destination.clone()) {
            return stale("destination");
        }
        let words = format!("follow {} to {}", control.in_words(), destination.public_form());
        let whither = PageText::plain(destination.public_form()).for_person();
        let leave = self.leave(&seen, &entry, format!("{} to {whither}", control.in_words()), confidence).await?;
        let permit = match leave {
            Leave::Given(permit) => permit,
            Leave::Nobody => return Ok(Followed::NotAllowed(NotAllowed::Nobody)),
            Leave::Refused(refusal) => return Ok(Followed::NotAllowed(why_not(&refusal))),
        };
        self.runner.edge.allow_document(&destination);
        self.runner.dialogs.begin(UnderWay {
            words: words.clone(),
            class: ActionClass::Navigate,
            confidence,
            observation: seen.digest(),
            url: seen.url.clone(),
        });
        let outcome = self.runner.perform(permit, words).await?;
        self.runner.settle().await?;
        let requests = self.runner.desk.write_requests()?;
        if let Outcome::Stale { part } = &outcome {
            return stale(part);
        }
        if self.is_at(&destination) {
            self.page = destination;
            return Ok(Followed::Navigated);
        }
        let documents = requests.iter().rev().filter(|record| record.destination == "document");
        Ok(match documents.filter_map(redirect_of).next() {
            Some(to) => Followed::Redirected { to },
            None => Followed::NotLoaded { why: in_words(&outcome) },
        })
    }

    /// The page as a result shows it.
    ///
    /// # Errors
    /// A fault of the browser.
    pub async fn shown(&mut self) -> Result<Shown, SessionError> {
        let seen = self.runner.observe().await?;
        let redacted = |text: &PageText, chars_max: usize| self.redactor.text(text.for_model(), chars_max);
        let (title, text) = (redacted(&seen.title, TITLE_CHARS_MAX), redacted(&seen.text, TEXT_CHARS_MAX));
        Ok(Shown { url: public_form(&seen.url), title, text })
    }

    /// Closes browser and edge and seals the record. `because` is why, in fixed words.
    ///
    /// # Errors
    /// The record can't be written.
    pub async fn close(self, because: &'static str) -> Result<(), SessionError> {
        self.runner.close(Ok(End::Unverified { because: because.into() })).await.map(drop)
    }

    async fn links(&mut self) -> Result<Observation, SessionError> {
        let seen = self.runner.observe().await?;
        Ok(links::with_links_alone(&seen, &self.page))
    }

    fn is_at(&self, url: &WebUrl) -> bool {
        WebUrl::read(&self.runner.browser.url()).is_ok_and(|at| at.without_fragment() == url.without_fragment())
    }

    /// In guard mode a person is asked about every link, whatever the policy would let pass.
    async fn leave(
        &mut self,
        seen: &Observation,
        entry: &Entry,
        control_words: String,
        confidence: f64,
    ) -> Result<Leave, SessionError> {
        let attendance = self.runner.desk.approver.attendance();
        let mut judgement = self.runner.desk.policy.judge_action(ActionClass::Navigate, confidence, attendance);
        judgement.tighten(Verdict::Ask, "in guard mode a person allows each link".into());
        let page_words = PageText::plain(&seen.url).for_person();
        let act = Act { entry: entry.clone(), observation: seen.digest(), control_words, page_words };
        let wait = Duration::from_millis(self.runner.config.budgets.approval_wait_ms);
        self.runner.desk.leave_for(act, judgement, wait).await
    }
}

impl Runner {
    async fn open_guarded(&mut self, page: &WebUrl) -> Result<(), SessionError> {
        self.write_start()?;
        let opened = self.open().await;
        if let Some(to) = self.desk.redirect_of_document() {
            return Err(SessionError::Redirected { to });
        }
        let unfit = |why: String| Err(SessionError::Open { url: page.public_form().to_owned(), why });
        match opened? {
            Some(end) => unfit(end.because()),
            None => Ok(self.desk.note("guarded", &json!({"page": page.public_form()}))?),
        }
    }
}

fn low(confidence: f64, leans_to: &str) -> Proposing {
    Proposing::LowConfidence { confidence, leans_to: leans_to.to_owned() }
}

fn meaning_of(entry: &Entry) -> Option<clicket_guard::observation::Meaning> {
    entry.action.bound().map(|bound| bound.meaning)
}

fn why_not(refusal: &Refusal) -> NotAllowed {
    match refusal {
        Refusal::Policy { .. } => NotAllowed::Policy,
        Refusal::Person | Refusal::PersonStopped => NotAllowed::Refused,
        Refusal::OtherTicket | Refusal::Expired | Refusal::LevelTooLow => NotAllowed::Answer,
    }
}

//! Dialogs that an act opens: each is a deed of its own, judged by what it says and bound to exactly that.

use std::time::Duration;

use clicket_chromium::DialogAsked;
use clicket_guard::gate::{Act, Refusal};
use clicket_guard::offer::{Entry, EntryId, Operation};
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::Action;
use clicket_guard::risk::{self, ActionClass};
use clicket_guard::untrusted::PageText;
use clicket_guard::web::Origin;
use clicket_guard::words;
use clicket_journal::Digest;
use tokio::sync::{mpsc, oneshot};

use crate::admit::Leave;
use crate::config::SessionError;
use crate::edge_desk::{Causes, EdgeDesk};

/// The act that is under way, as far as what follows from it is judged by it.
#[derive(Clone, Debug)]
pub(crate) struct UnderWay {
    /// In words, page strings quoted.
    pub(crate) words: String,
    pub(crate) class: ActionClass,
    pub(crate) confidence: f64,
    /// The look it was chosen on.
    pub(crate) observation: Digest,
    /// The address of the page it was done on.
    pub(crate) url: String,
}

/// Dialogs of one run.
pub(crate) struct Dialogs {
    asked: mpsc::Receiver<DialogAsked>,
    pub(crate) under_way: Option<UnderWay>,
    wait: Duration,
    told: Vec<(String, oneshot::Receiver<Outcome>)>,
    /// A person said no to a dialog of this act; its later ones are dismissed without a question.
    refused: bool,
    /// A person ended the run at a dialog.
    pub(crate) stopped: bool,
}

impl Dialogs {
    pub(crate) fn new(asked: mpsc::Receiver<DialogAsked>, wait: Duration) -> Self {
        Self { asked, under_way: None, wait, told: Vec::new(), refused: false, stopped: false }
    }

    /// An act begins.
    pub(crate) fn begin(&mut self, under_way: UnderWay) {
        self.under_way = Some(under_way);
        self.refused = false;
    }

    /// Runs `work` on the browser while the edge is attended to and dialogs are answered.
    pub(crate) async fn beside<T>(&mut self, desk: &mut EdgeDesk, work: impl Future<Output = T>) -> Result<T, SessionError> {
        tokio::pin!(work);
        let out = loop {
            tokio::select! {
                biased;
                question = self.asked.recv() => match question {
                    Some(question) => self.answer(desk, question).await?,
                    None => break desk.watching(&mut work).await,
                },
                out = desk.watching(&mut work) => break out,
            }
        };
        self.write_outcomes(desk)?;
        Ok(out)
    }

    /// A question that is dropped is a dialog dismissed.
    async fn answer(&mut self, desk: &mut EdgeDesk, question: DialogAsked) -> Result<(), SessionError> {
        let Some(act) = self.under_way.clone().filter(|_| !self.refused && !self.stopped) else { return Ok(()) };
        let action = Action::AcceptDialog { dialog: question.dialog.clone() };
        let class = risk::of_dialog(&question.dialog, act.class);
        let origin = url::Url::parse(&act.url).ok().and_then(|url| Origin::of(&url));
        let attendance = desk.approver.attendance();
        let judgement = desk.policy.judge_dialog(class, &question.dialog, origin.as_ref(), act.confidence, attendance);
        let sentence = words::sentence(&action, "");
        let deed = Act {
            entry: Entry { id: EntryId::of_dialog(), operation: Operation::Press, action },
            observation: act.observation,
            control_words: act.words.clone(),
            page_words: PageText::read(&act.url, usize::MAX, &desk.scrub).for_person(),
        };
        match desk.leave_for(deed, judgement, self.wait).await? {
            Leave::Given(permit) => {
                let intent = permit.intent().to_owned();
                desk.begin(&intent, sentence, Causes::Writes);
                self.told.push((intent, question.accept(permit)));
            }
            Leave::Refused(Refusal::PersonStopped) => self.stopped = true,
            Leave::Refused(Refusal::Person) => self.refused = true,
            Leave::Refused(_) | Leave::Nobody => {}
        }
        Ok(())
    }

    /// What came of the dialogs that were accepted. The page went on at once, so it is known by now, but for an act given up.
    fn write_outcomes(&mut self, desk: &mut EdgeDesk) -> Result<(), SessionError> {
        for (intent, mut told) in std::mem::take(&mut self.told) {
            let outcome = told.try_recv().unwrap_or(Outcome::Gone);
            desk.finish(&intent, &serde_json::to_value(&outcome).unwrap_or_default())?;
        }
        Ok(())
    }
}

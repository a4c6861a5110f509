//! Whether a run has reached its end: by what is expected, by its budgets, by what happened at the edge, or by the model's claim.

use std::time::Duration;

use clicket_chromium::BrowserEvent;
use clicket_guard::gate::Refusal;
use clicket_guard::observation::Observation;
use clicket_guard::policy::Verdict;
use clicket_guard::risk::ActionClass;
use serde_json::json;

use crate::config::SessionError;
use crate::expect::Evidence;
use crate::facts::{Effect, Past};
use crate::live::Live;
use crate::report::{End, HandBack};
use crate::run::Runner;
use crate::step::{page_failed, public_form};

/// Steps in a row without a visible effect after which a person had better look.
const IDLE_STEPS_MAX: usize = 4;
impl Runner {
    /// Ends the run if something at the edge ended it, or if all that is expected holds.
    pub(crate) async fn look_for_the_end(&mut self, seen: Option<&Observation>) -> Result<Option<End>, SessionError> {
        self.check_journal()?;
        self.look_for_made_files();
        if let Some(end) = self.desk.trouble.take() {
            return Ok(Some(end));
        }
        if self.dialogs.stopped {
            return Ok(self.refused(ActionClass::Dialog, &Refusal::PersonStopped));
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
    pub(crate) async fn missing(&mut self) -> Result<Vec<String>, SessionError> {
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

    pub(crate) async fn already_true(&mut self) -> Result<Option<String>, SessionError> {
        let missing = self.missing().await?;
        Ok(self.config.expectations.iter().map(crate::expect::Expectation::in_words).find(|expected| !missing.contains(expected)))
    }

    pub(crate) fn out_of_budget(&self) -> Option<End> {
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

    pub(crate) fn nothing_helps(&self, seen: &Observation) -> String {
        let mut said = format!("nothing offered on {} helps towards the goal", self.desk.scrub.scrub(&public_form(&seen.url)));
        if let Some(failed) = &self.desk.failed_write {
            said.push_str(&format!("; {failed}"));
        }
        said.push_str(&self.desk.own_refused_in_words());
        said
    }

    /// The model says that the goal is reached: only the expectations can bear it out. Nothing: the run goes on.
    pub(crate) async fn claim_done(&mut self, seen: &Observation, confidence: f64) -> Result<Option<End>, SessionError> {
        let judgement = self.desk.policy.judge_action(ActionClass::Finish, confidence, self.desk.approver.attendance());
        let missing = self.missing().await?;
        self.desk.note("finish", &json!({"confidence": confidence, "judgement": judgement, "missing": missing}))?;
        self.desk.watch.see(&Live::Claimed { missing: &missing });
        if self.config.expectations.is_empty() {
            return Ok(Some(if judgement.verdict() == Verdict::Allow {
                End::Unverified { because: "the model says that the goal is reached; give --expect-text, --expect-url or --expect-request to have it proved".into() }
            } else {
                End::HandedBack {
                    reason: HandBack::LowConfidence(judgement.reasons().join("; ")),
                    next: "Look at the picture of the last page.".into(),
                }
            }));
        }
        let claims = self.past.iter().filter(|past| past.is_done_claim()).count();
        self.past.push(Past::of_done(seen));
        if claims >= 1 {
            return Ok(Some(End::Unverified {
                because: format!("the model says that the goal is reached, but not yet: {}", missing.join("; ")),
            }));
        }
        Ok(None)
    }
}

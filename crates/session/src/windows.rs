//! Windows that an act opened: the window itself never lives; where it would have gone is a navigation of the one page, judged
//! like a link there.

use clicket_guard::observation::{Control, Observation};
use clicket_guard::offer::{Entry, EntryId, Operation, control_of};
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::Action;
use clicket_guard::risk;
use clicket_guard::untrusted::PageText;

use crate::config::SessionError;
use crate::dialogs::UnderWay;
use crate::outcomes::in_words;
use crate::run::Runner;
use crate::step::Waited;

/// Why a window is not followed.
const AWAY: &str = "the page itself went on as well";
const POSTED: &str = "it was to be sent a form";
const SEVERAL: &str = "the step opened several, and none is where the link leads";

impl Runner {
    /// Goes where the last act opened a window, if that is plainly the act's own doing and allowed. Says what became of it.
    pub(crate) async fn follow_window(
        &mut self,
        seen: &Observation,
        entry: &Entry,
        confidence: f64,
        waited: &mut Waited,
    ) -> Result<Option<String>, SessionError> {
        let opened = self.browser.opened_windows();
        let control = control_of(seen, entry);
        let Some(first) = opened.first() else { return Ok(None) };
        let shown = |url: &str| PageText::read(url, 300, &self.desk.scrub).for_person();
        let url = match whither(&opened, control, without_fragment(&self.browser.url()) != without_fragment(&seen.url)) {
            Ok(url) => url.to_owned(),
            Err(why) => return Ok(Some(format!("its window for {} was closed: {why}", shown(first)))),
        };
        let shown = shown(&url);
        let class = risk::of_window(seen, &url);
        let judgement = self.desk.policy.judge_action(class, confidence, self.desk.approver.attendance());
        let grounds = judgement.reasons().join("; ");
        let action = Action::Navigate { url };
        let entry = Entry { id: EntryId::of_window(), operation: Operation::Press, action };
        let permit = match self.admit(seen, &entry, judgement).await? {
            Ok(permit) => permit,
            Err(_) => return Ok(Some(format!("its window for {shown} was closed and not followed: {grounds}"))),
        };
        // What follows is no longer the form's own.
        self.desk.acting_form = None;
        let words = format!("Open {shown}, for which a window was opened");
        self.dialogs.begin(UnderWay {
            words: words.clone(),
            class,
            confidence,
            observation: seen.digest(),
            url: seen.url.clone(),
        });
        let outcome = self.perform(permit, words).await?;
        waited.add(self.settle().await?);
        Ok(Some(match outcome {
            Outcome::Done { .. } => format!("its window for {shown} was followed"),
            other => format!("its window for {shown} was to be followed: {}", in_words(&other)),
        }))
    }
}

/// A link that opens a window often leads to `#` itself.
fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(before, _)| before)
}

/// The one address that the act meant, or why there is none.
fn whither<'a>(opened: &'a [String], control: Option<&Control>, went_on: bool) -> Result<&'a str, &'static str> {
    let href = control.map(|control| control.href.as_str()).filter(|href| !href.is_empty());
    // What a form would have sent can't be told from its address, and it isn't the same without.
    let posts = control.is_some_and(|control| control.submits && control.form.as_ref().is_some_and(|form| form.method != "get"));
    match opened {
        _ if posts => Err(POSTED),
        _ if went_on => Err(AWAY),
        [only] => Ok(only),
        several => several.iter().find(|url| Some(url.as_str()) == href).map(String::as_str).ok_or(SEVERAL),
    }
}

#[cfg(test)]
#[path = "windows_tests.rs"]
mod tests;

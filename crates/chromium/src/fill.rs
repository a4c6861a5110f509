//! Filling fields and choosing options. The only file that opens a [`Secret`].
//!
//! Text is put in by the editing command of the very document that was looked at, so that it cannot land in another one, and
//! a key that writes nothing follows for fields that look at their text on keys. Characters are sent as keys only where a
//! field says that it listens for keys or did not hold what was put in, and never those of a secret.

use clicket_guard::outcome::{Outcome, ReadBack};
use clicket_guard::permit::ValueSource;
use clicket_guard::secret::{Secret, SecretField};
use clicket_guard::web::Origin;
use serde::Deserialize;
use serde_json::json;

use crate::browser::Browser;
use crate::errors::PageError;
use crate::limits::{KEYED_CHARS_MAX, READ_BACK_CHARS_SPARE};
use crate::perform::{Acted, Held, Latch, after_input, before_input, judged, not_taken, refusal};
use crate::press::{Key, ReadState};
use crate::world::{CHOOSE, INSERT_TEXT, LET_GO, SET_VALUE, TAKE, TYPE_INTO};

/// Input types whose value has a form of its own that keys do not write well.
const SET_TYPES: &[&str] = &["date", "time", "month", "week", "datetime-local", "color", "range"];

/// Whether the characters may be sent as keys: those of a secret never are, since keys go to whatever document is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Typing {
    Keys,
    AtOnce,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Answer {
    ok: bool,
    why: String,
    detail: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Taken {
    ok: bool,
    why: String,
    detail: String,
    focus: Answer,
    inserted: Option<Answer>,
}

impl Browser {
    /// Replaces what the field holds and reads it back.
    pub(crate) async fn fill(&self, held: &Held, value: &ValueSource, secrets: &[Secret]) -> Acted<Outcome> {
        match value {
            ValueSource::Text { .. } if held.control.secret_field => {
                Ok(Outcome::SecretRefused { why: "only a secret is typed into a field that conceals it".to_owned() })
            }
            ValueSource::Text { text, .. } if SET_TYPES.contains(&held.control.input_type.as_str()) => {
                self.set_value(held, text, secrets).await
            }
            ValueSource::Text { text, .. } => self.type_text(held, text, Typing::Keys, secrets).await,
            ValueSource::Secret { key } => {
                let secret = secrets.iter().find(|secret| secret.key() == key);
                let secret =
                    secret.ok_or_else(|| Outcome::SecretRefused { why: "there is no secret of this name".to_owned() })?;
                let concealed = if held.control.secret_field { SecretField::Concealed } else { SecretField::AnyText };
                let origin = self.origin_of(held)?;
                let opened = secret.open_for(&origin, concealed);
                let text = opened.map_err(|refusal| Outcome::SecretRefused { why: refusal.to_string() })?;
                self.type_text(held, text, Typing::AtOnce, secrets).await
            }
        }
    }

    /// The origin of the document that holds the field: a child frame's as it was compared, else the one the browser
    /// committed. Whatever is put in later goes to the document of the look or nowhere, so this cannot go out of date.
    fn origin_of(&self, held: &Held) -> Acted<Origin> {
        let (present, url) = {
            let state = self.router.state();
            let way_down = held.control.path.iter().map(|step| &step.world).chain([&held.control.world]);
            let present = way_down.into_iter().all(|world| state.world.as_ref() == Some(world) || state.foreign.holds(world));
            (present, state.url.clone())
        };
        if !present {
            return Err(Outcome::Gone);
        }
        let text = if held.control.frame_origin.is_empty() { &url } else { &held.control.frame_origin };
        let origin = url::Url::parse(text).ok().and_then(|url| Origin::of(&url));
        origin.ok_or_else(|| Outcome::SecretRefused { why: "the field's document has no web origin".to_owned() })
    }

    /// Puts the text in at once, then key by key if that did not hold: few fields listen for single keys, and which do
    /// cannot be seen.
    async fn type_text(&self, held: &Held, text: &str, typing: Typing, secrets: &[Secret]) -> Acted<Outcome> {
        let text = fitted(text, &held.control.input_type);
        let can_be_keyed = typing == Typing::Keys
            && !held.control.beside_foreign_frames
            && self.others_are_shielded
            && !text.is_empty()
            && text.chars().count() <= KEYED_CHARS_MAX;
        if can_be_keyed && held.control.listens_for_keys {
            return self.type_keys(held, &text, secrets).await;
        }
        let inserted = self.type_at_once(held, &text, secrets).await;
        match inserted {
            Ok(Outcome::NotTaken { .. }) | Err(Outcome::NotTaken { .. }) if can_be_keyed => {
                self.type_keys(held, &text, secrets).await.map_err(after_a_first_try)
            }
            other => other,
        }
    }

    async fn type_at_once(&self, held: &Held, text: &str, secrets: &[Secret]) -> Acted<Outcome> {
        let before = self.navigations_asked(held);
        let place = self.place_for(held, Latch::Type, secrets).await?;
        let arguments = [json!(held.key), held.control.bound.clone(), json!(text), json!(place)];
        let taken: Taken = self.in_document(held, TYPE_INTO, arguments).await.map_err(|error| before_input("typing", error))?;
        let inserted = match taken.inserted {
            _ if !taken.ok => return Err(refusal(&taken.why, &taken.detail, secrets)),
            Some(answer) => accepted(Ok(answer), "typing", secrets),
            None => self.press_and_insert(held, text, secrets).await,
        };
        let inserted = match inserted {
            // For fields that look at their text on keys, one that writes nothing. Whatever comes of it, the latch comes off.
            Ok(()) => self.keys(&[Key::named("End", 35)]).await,
            Err(early) => Err(early),
        };
        let let_go = [json!(held.key), json!(chars_to_read(text))];
        let let_go = self.unless_navigating(held, before, self.in_document(held, LET_GO, let_go)).await;
        inserted?;
        match let_go {
            None => self.read_text_back(held, text).await,
            Some(read) => judge_text(read, text),
        }
    }

    /// Some fields take the focus only from a pointer.
    async fn press_and_insert(&self, held: &Held, text: &str, secrets: &[Secret]) -> Acted<()> {
        self.press_into(held, secrets).await?;
        let arguments = [json!(held.key), held.control.bound.clone(), json!(text)];
        accepted(self.in_document(held, INSERT_TEXT, arguments).await, "typing", secrets)
    }

    async fn type_keys(&self, held: &Held, text: &str, secrets: &[Secret]) -> Acted<Outcome> {
        let before = self.navigations_asked(held);
        if !self.take(held, Latch::Type, secrets).await? {
            self.press_into(held, secrets).await?;
        }
        let keys: Vec<Key> = text.chars().map(key_of).collect();
        self.keys(&keys).await?;
        let disarmed = self.disarm(held, before, "typing").await?;
        let disarmed = disarmed.ok_or_else(|| not_taken("the document went away while it was typed into"))?;
        match judged(&disarmed, secrets) {
            Some(outcome) => Ok(outcome),
            None => self.read_text_back(held, text).await,
        }
    }

    /// Sets the latch, focuses the field and selects what it holds; false when it does not take the focus so.
    pub(crate) async fn take(&self, held: &Held, latch: Latch, secrets: &[Secret]) -> Acted<bool> {
        let place = self.place_for(held, latch, secrets).await?;
        let arguments = [json!(held.key), held.control.bound.clone(), json!(latch.word()), json!(place)];
        let taken: Taken = self.in_document(held, TAKE, arguments).await.map_err(|error| before_input("focusing", error))?;
        if taken.ok { Ok(taken.focus.ok) } else { Err(refusal(&taken.why, &taken.detail, secrets)) }
    }

    async fn press_into(&self, held: &Held, secrets: &[Secret]) -> Acted<()> {
        let aim = self.hover(held, Latch::Type, secrets).await?;
        self.click_at(aim).await?;
        self.focus(held, "focusing").await
    }

    async fn read_text_back(&self, held: &Held, text: &str) -> Acted<Outcome> {
        judge_text(self.read_state(held, chars_to_read(text)).await, text)
    }

    async fn set_value(&self, held: &Held, text: &str, secrets: &[Secret]) -> Acted<Outcome> {
        let before = self.navigations_asked(held);
        self.arm(held, Latch::Choose, secrets).await?;
        let arguments = [json!(held.key), held.control.bound.clone(), json!(text)];
        let set: Result<Answer, PageError> = self.in_document(held, SET_VALUE, arguments).await;
        self.disarm(held, before, "setting a value").await?;
        accepted(set, "setting a value", secrets)?;
        self.read_text_back(held, text).await
    }

    /// Chooses an option of a native drop-down by position and label.
    pub(crate) async fn choose(&self, held: &Held, option: u32, label: &str, secrets: &[Secret]) -> Acted<Outcome> {
        let known = held.control.options.iter().find(|(index, _, offered)| *index == option && offered == label);
        let Some((_, exact, _)) = known else { return Ok(Outcome::Stale { part: "option".to_owned() }) };
        let before = self.navigations_asked(held);
        self.arm(held, Latch::Choose, secrets).await?;
        let arguments = [json!(held.key), held.control.bound.clone(), json!(option), json!(exact)];
        let chosen: Result<Answer, PageError> = self.in_document(held, CHOOSE, arguments).await;
        self.disarm(held, before, "choosing").await?;
        accepted(chosen, "choosing", secrets)?;
        let holds = |state: &ReadState| state.selected.iter().any(|selected| cut_label(selected) == cut_label(exact));
        self.read_back_until(held, before, holds, "the choice did not stay").await
    }
}

/// The first try may have put something in, so that it can't be said that nothing was done.
fn after_a_first_try(early: Outcome) -> Outcome {
    match early {
        Outcome::Gone | Outcome::Stale { .. } | Outcome::Covered { .. } => not_taken("it changed while it was used"),
        other => other,
    }
}

fn chars_to_read(text: &str) -> usize {
    text.chars().count().saturating_add(READ_BACK_CHARS_SPARE)
}

fn judge_text(read: Result<ReadState, PageError>, text: &str) -> Acted<Outcome> {
    match read {
        Ok(state) if state.gone => Ok(not_taken("the field went away while it was typed into")),
        Ok(state) => Ok(match compare(&state, text) {
            Some(read_back) => Outcome::Done { read_back },
            None => not_taken("the field holds something else"),
        }),
        Err(PageError::NoDocument) => Ok(not_taken("the field went away while it was typed into")),
        Err(error) => Err(after_input("reading back", &error)),
    }
}

pub(crate) fn accepted(answer: Result<Answer, PageError>, doing: &str, secrets: &[Secret]) -> Acted<()> {
    match answer {
        Ok(Answer { ok: true, .. }) => Ok(()),
        Ok(Answer { why, detail, .. }) => Err(refusal(&why, &detail, secrets)),
        Err(error) => Err(before_input(doing, error)),
    }
}

/// Labels are cut by the page's script at 200 characters; the chosen ones are not.
fn cut_label(label: &str) -> String {
    label.chars().take(199).collect()
}

/// A single-line field drops line breaks; typed as keys they would send its form.
fn fitted(text: &str, input_type: &str) -> String {
    let lines = matches!(input_type, "textarea" | "contenteditable");
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if lines { text } else { text.replace('\n', " ") }
}

fn key_of(letter: char) -> Key {
    if letter == '\n' { Key::enter() } else { Key::of(letter) }
}

/// What a field holds, against what was asked. A concealed field says only how much it holds.
fn compare(state: &ReadState, text: &str) -> Option<ReadBack> {
    let Some(value) = &state.value else {
        let chars = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        let all = state.length == chars || (state.length == 0 && state.filled != text.is_empty());
        return all.then_some(ReadBack::Holds);
    };
    let plain =
        |text: &str| -> String { text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    if value.replace("\r\n", "\n").trim_end_matches('\n') == text.trim_end_matches('\n') {
        Some(ReadBack::Holds)
    } else if !plain(text).is_empty() && plain(value) == plain(text) {
        Some(ReadBack::Reformatted)
    } else {
        None
    }
}

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;

//! What a person reads on a ticket: our sentences, with page strings only inside quotes.

use clicket_journal::Digest;
use serde_json::{Value, json};

use crate::approval::Words;
use crate::gate::Effect;
use crate::limits::SHOWN_BODY_CHARS_MAX;
use crate::permit::{Action, Direction, Switch, ValueSource};
use crate::policy::Judgement;
use crate::secret::Scrubber;
use crate::untrusted::PageText;

/// The ticket of an action. `control` and `page` are already quoted.
#[must_use]
pub fn of_action(action: &Action, control: &str, page: &str, judgement: &Judgement) -> Words {
    Words {
        title: sentence(action, control),
        facts: vec![("on".into(), page.to_owned()), ("kind".into(), judgement.class.in_words().to_owned())],
        because: judgement.reasons.clone(),
    }
}

/// One sentence for an action.
#[must_use]
pub fn sentence(action: &Action, control: &str) -> String {
    match action {
        Action::Press { .. } => format!("Press {control}"),
        Action::Fill { value: ValueSource::Text { text, .. }, .. } => format!("Type {} into {control}", quoted(text)),
        Action::Fill { value: ValueSource::Secret { key }, .. } => format!("Type the secret {key} into {control}"),
        Action::Choose { label, .. } => format!("Choose {} in {control}", quoted(label)),
        Action::Toggle { to: Switch::On, .. } => format!("Switch on {control}"),
        Action::Toggle { to: Switch::Off, .. } => format!("Switch off {control}"),
        Action::Enter { .. } => format!("Press Enter in {control}"),
        Action::Scroll(Direction::Down) => "Scroll down".into(),
        Action::Scroll(Direction::Up) => "Scroll up".into(),
        Action::Wait => "Wait for the page".into(),
        Action::Back => "Go back".into(),
        Action::Navigate { url } => format!("Open {}", quoted(url)),
    }
}

fn quoted(text: &str) -> String {
    PageText::read(text, crate::limits::VALUE_CHARS_MAX, &Scrubber::default()).for_person()
}

/// The ticket of a held request: method, address, kind of body and the body itself.
#[must_use]
pub fn of_effect(effect: &Effect, judgement: &Judgement) -> Words {
    let image = &effect.image;
    let host = url::Url::parse(&image.url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let mut facts = vec![("request".into(), format!("{} {}", image.method, effect.scrub.scrub(&image.url)))];
    if let Some(kind) = image.header("content-type") {
        facts.push(("body kind".into(), quoted(kind)));
    }
    facts.extend(body_facts(effect));
    facts.push(("kind".into(), judgement.class.in_words().to_owned()));
    Words { title: format!("Send this {} request to {host}", image.method), facts, because: judgement.reasons.clone() }
}

/// Form bodies field by field, others as text; nothing of the body stays out of sight without being counted.
fn body_facts(effect: &Effect) -> Vec<(String, String)> {
    let image = &effect.image;
    if image.body.is_empty() {
        return vec![("body".into(), "empty".into())];
    }
    let form = image.header("content-type").is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    let mut facts: Vec<(String, String)> = Vec::new();
    if form {
        let pairs = url::form_urlencoded::parse(&image.body);
        facts.extend(pairs.take(100).map(|(name, value)| {
            let shown = PageText::read(&value, crate::limits::VALUE_CHARS_MAX, &effect.scrub).for_person();
            (format!("field {}", PageText::read(&name, 100, &effect.scrub).for_person()), shown)
        }));
    } else {
        let text = String::from_utf8_lossy(&image.body);
        facts.push(("body".into(), PageText::read(&text, SHOWN_BODY_CHARS_MAX, &effect.scrub).for_person()));
    }
    facts.push(("body size".into(), format!("{} bytes, {}", image.body.len(), image.digest())));
    facts
}

/// What the journal keeps of a held request: enough to judge it again, and no secret.
#[must_use]
pub fn effect_record(effect: &Effect) -> Value {
    let image = &effect.image;
    let text = String::from_utf8_lossy(&image.body);
    json!({
        "method": image.method,
        "url": effect.scrub.scrub(&image.url),
        "content_type": image.header("content-type"),
        "body": PageText::read(&text, SHOWN_BODY_CHARS_MAX, &effect.scrub),
        "body_bytes": image.body.len(),
        // A digest of a body that holds a secret could be searched for the secret; it is left out then.
        "image": (!effect.scrub.finds(&image.body)).then(|| image.digest()),
        "body_digest": (!effect.scrub.finds(&image.body)).then(|| Digest::of(&image.body)),
        "after": effect.after,
    })
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;

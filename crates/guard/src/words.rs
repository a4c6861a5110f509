//! What a person reads on a ticket: our sentences, with page strings only inside quotes.

use clicket_journal::Digest;
use serde_json::{Value, json};

use crate::approval::Words;
use crate::dialog::{Dialog, DialogKind};
use crate::download::Download;
use crate::gate::Effect;
use crate::limits::{SHOWN_BODY_CHARS_MAX, SHOWN_FIELDS_MAX, SHOWN_TOKEN_CHARS_MAX, SHOWN_URL_CHARS_MAX, VALUE_CHARS_MAX};
use crate::permit::{Action, Direction, Switch, ValueSource};
use crate::policy::Judgement;
use crate::secret::Scrubber;
use crate::shape::{self, Shape};
use crate::untrusted::PageText;

/// The ticket of an action. `control` and `page` are already quoted.
#[must_use]
pub fn of_action(action: &Action, control: &str, page: &str, judgement: &Judgement) -> Words {
    let mut facts = vec![("on".into(), page.to_owned()), ("kind".into(), judgement.class().in_words().to_owned())];
    match action {
        Action::AcceptDialog { .. } => facts.push(("opened by".into(), control.to_owned())),
        Action::Attach { file, .. } => facts.push(("file".into(), format!("{} bytes, {}", file.bytes, file.sha256))),
        Action::Press { .. }
        | Action::Fill { .. }
        | Action::Choose { .. }
        | Action::Toggle { .. }
        | Action::Enter { .. }
        | Action::Key { .. }
        | Action::Hover { .. }
        | Action::LookAt { .. }
        | Action::Scroll(_)
        | Action::Wait
        | Action::Back
        | Action::Navigate { .. } => {}
    }
    Words { title: sentence(action, control), facts, because: judgement.reasons().to_vec(), remember: None }
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
        Action::Key { key, .. } => format!("Press the key {} in {control}", key.name()),
        Action::Hover { .. } => format!("Point at {control}"),
        Action::Attach { file, .. } => format!("Give the file {} to {control}", quoted(&file.name)),
        Action::AcceptDialog { dialog } => dialog_words(dialog),
        Action::LookAt { .. } => "Look at another part of the page".into(),
        Action::Scroll(Direction::Down) => "Scroll down".into(),
        Action::Scroll(Direction::Up) => "Scroll up".into(),
        Action::Wait => "Wait for the page".into(),
        Action::Back => "Go back".into(),
        Action::Navigate { url } => format!("Open {}", quoted(url)),
    }
}

fn dialog_words(dialog: &Dialog) -> String {
    let said = exactly(&dialog.text, dialog);
    match dialog.kind {
        DialogKind::BeforeUnload => "Leave the page although it asks whether to stay".to_owned(),
        DialogKind::Prompt => {
            format!("Say yes to the page's prompt {said} with {}", exactly(&dialog.prefilled, dialog))
        }
        DialogKind::Alert | DialogKind::Confirm | DialogKind::Unknown => {
            format!("Say yes to the page's {} {said}", dialog.kind.word())
        }
    }
}

/// In quotes; where quoting changed anything, the digest of the dialog says that this is not all.
fn exactly(text: &PageText, dialog: &Dialog) -> String {
    let shown = text.for_person();
    if shown == format!("\"{}\"", text.judged()) { shown } else { format!("{shown} ({})", dialog.exact) }
}

/// In quotes; a text that can't be shown exactly is followed by its length and digest, so that two texts never look the same.
fn quoted(text: &str) -> String {
    let shown = PageText::read(text, VALUE_CHARS_MAX, &Scrubber::default()).for_person();
    if shown == format!("\"{text}\"") || shown == format!("\"\u{2068}{text}\u{2069}\"") {
        return shown;
    }
    format!("{shown} ({} characters, {})", text.chars().count(), Digest::of(text.as_bytes()))
}

/// The ticket of a held request: method, address, kind of body and the body itself.
#[must_use]
pub fn of_effect(effect: &Effect, judgement: &Judgement) -> Words {
    let image = &effect.image;
    let host = url::Url::parse(&image.url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let method = method_words(effect);
    let mut facts = vec![("request".into(), format!("{method} {}", url_words(effect)))];
    if let Some(kind) = image.header("content-type") {
        facts.push(("body kind".into(), PageText::read(kind, SHOWN_TOKEN_CHARS_MAX, &effect.scrub).for_person()));
    }
    facts.extend(body_facts(effect));
    if let Some(after) = &effect.after {
        facts.push(("follows".into(), after.words.clone()));
    }
    facts.push(("kind".into(), judgement.class().in_words().to_owned()));
    // Two requests that differ anywhere, headers included, differ here.
    let whole = if holds_secret(effect) { "no digest, because it holds a secret".into() } else { image.digest().to_string() };
    facts.push(("whole request".into(), whole));
    let shape = Some(image).filter(|_| shape::may_be_remembered(judgement.class())).and_then(Shape::of);
    let remember = shape.map(|shape| shape.in_words(&effect.scrub));
    Words { title: format!("Send this {method} request to {host}"), facts, because: judgement.reasons().to_vec(), remember }
}

/// The ticket of a file that a site offers.
#[must_use]
pub fn of_file(file: &Download, judgement: &Judgement) -> Words {
    let shown = |text: &str, chars_max: usize| PageText::read(text, chars_max, &file.scrub).for_person();
    let size = file.facts.length.map_or_else(|| "not said".to_owned(), |bytes| format!("{bytes} bytes"));
    let mut facts = vec![
        ("from".to_owned(), shown(&file.facts.url, SHOWN_URL_CHARS_MAX)),
        ("type".to_owned(), shown(&file.facts.declared, SHOWN_TOKEN_CHARS_MAX)),
        ("size".to_owned(), size),
    ];
    if let Some(after) = &file.after {
        facts.push(("follows".into(), after.words.clone()));
    }
    let name = shown(&file.facts.name, VALUE_CHARS_MAX);
    Words { title: format!("Save the file {name}"), facts, because: judgement.reasons().to_vec(), remember: None }
}

/// What the journal keeps of an offered file.
#[must_use]
pub fn file_record(file: &Download) -> Value {
    let facts = &file.facts;
    json!({
        "file": PageText::read(&facts.name, VALUE_CHARS_MAX, &file.scrub),
        "url": file.scrub.scrub(&facts.url),
        "declared": PageText::read(&facts.declared, SHOWN_TOKEN_CHARS_MAX, &file.scrub),
        "length": facts.length,
        "after": file.after,
    })
}

/// A page may send any token as a method; only an ordinary one stands outside quotes.
fn method_words(effect: &Effect) -> String {
    let method = &effect.image.method;
    if (1..=20).contains(&method.len())
        && method.bytes().all(|byte| byte.is_ascii_uppercase())
        && !effect.scrub.finds(method.as_bytes())
    {
        return method.clone();
    }
    PageText::read(method, SHOWN_TOKEN_CHARS_MAX, &effect.scrub).for_person()
}

/// An address in the parser's own spelling is plain ASCII without spaces or quotes and may stand outside quotes.
fn url_words(effect: &Effect) -> String {
    let url = &effect.image.url;
    let plain =
        url::Url::parse(url).is_ok_and(|parsed| parsed.as_str() == url) && url.bytes().all(|byte| byte.is_ascii_graphic());
    match (plain, url.len() <= SHOWN_URL_CHARS_MAX) {
        (true, true) => effect.scrub.scrub(url).into_owned(),
        (true, false) | (false, _) => {
            let shown = PageText::read(url, SHOWN_URL_CHARS_MAX, &effect.scrub).for_person();
            format!("{shown} ({} characters)", url.chars().count())
        }
    }
}

/// A digest of what holds a secret could be searched for the secret, so none is shown or written.
fn holds_secret(effect: &Effect) -> bool {
    let image = &effect.image;
    let finds = |part: &[u8]| {
        // Any byte may be escaped, so the decoded form is looked at as well.
        let mut pairs = url::form_urlencoded::parse(part);
        effect.scrub.finds(part)
            || pairs.any(|(name, value)| effect.scrub.finds(name.as_bytes()) || effect.scrub.finds(value.as_bytes()))
    };
    let headers = image.headers.iter().flat_map(|(name, value)| [name, value]);
    headers.chain([&image.method, &image.url]).any(|text| finds(text.as_bytes())) || finds(&image.body)
}

/// Form bodies field by field, others as text; nothing of the body stays out of sight without being counted.
fn body_facts(effect: &Effect) -> Vec<(String, String)> {
    let image = &effect.image;
    if image.body.is_empty() {
        return vec![("body".into(), "empty".into())];
    }
    let form = image
        .header("content-type")
        .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded"));
    let mut facts: Vec<(String, String)> = Vec::new();
    if form {
        let mut pairs = url::form_urlencoded::parse(&image.body);
        facts.extend(pairs.by_ref().take(SHOWN_FIELDS_MAX).map(|(name, value)| {
            let shown = PageText::read(&value, VALUE_CHARS_MAX, &effect.scrub).for_person();
            (format!("field {}", PageText::read(&name, SHOWN_TOKEN_CHARS_MAX, &effect.scrub).for_person()), shown)
        }));
        let more = pairs.count();
        if more > 0 {
            facts.push(("more".into(), format!("{more} more fields, not shown")));
        }
    } else {
        let text = String::from_utf8_lossy(&image.body);
        facts.push(("body".into(), PageText::read(&text, SHOWN_BODY_CHARS_MAX, &effect.scrub).for_person()));
    }
    facts.push(("body size".into(), format!("{} bytes", image.body.len())));
    facts
}

/// What the journal keeps of a held request: enough to judge it again, and no secret.
#[must_use]
pub fn effect_record(effect: &Effect) -> Value {
    let image = &effect.image;
    let text = String::from_utf8_lossy(&image.body);
    let open = !holds_secret(effect);
    let token = |text: &str| PageText::read(text, SHOWN_TOKEN_CHARS_MAX, &effect.scrub);
    json!({
        "method": token(&image.method),
        "url": effect.scrub.scrub(&image.url),
        "content_type": image.header("content-type").map(token),
        "body": PageText::read(&text, SHOWN_BODY_CHARS_MAX, &effect.scrub),
        "body_bytes": image.body.len(),
        "image": open.then(|| image.digest()),
        "body_digest": open.then(|| Digest::of(&image.body)),
        "after": effect.after,
    })
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;

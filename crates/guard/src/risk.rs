//! Which class an action or request is of: by structure and destination first, by words second, never by the model.

mod lexicon;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::card::card_numbers;
use crate::dialog::Dialog;
use crate::effect::{METHOD_OVERRIDES, RequestImage};
use crate::observation::{Control, ControlKind, FormFacts, FormField, Observation};
use crate::permit::{Action, ValueSource, WidgetKey};
use crate::untrusted::PageText;
use crate::web::same_site;
use lexicon::{by_words, is_bare_yes};

/// The classes that policy speaks of, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionClass {
    /// Look.
    Observe,
    /// Scroll, wait.
    Scroll,
    /// Open a page on the site, go back.
    Navigate,
    /// Put plain text into a field, choose an option, switch a toggle.
    Fill,
    /// Press something whose effect is not known; its writes are judged at the edge.
    UnknownControl,
    /// Say yes to a native dialog.
    Dialog,
    /// End the run as reached.
    Finish,
    /// Press what says that it sends or publishes something; its writes are judged at the edge.
    Publish,
    /// Send data to a listed origin without an action of the run that asked for it.
    BackgroundWrite,
    /// Send data to a listed origin.
    Write,
    /// Type a secret.
    Credentials,
    /// Go to another site.
    LeaveSite,
    /// Save a file.
    Download,
    /// Send a file.
    Upload,
    /// Delete, cancel, close.
    Destructive,
    /// Spend money.
    Payment,
}

impl ActionClass {
    /// Every class.
    pub const ALL: [Self; 16] = [
        Self::Observe,
        Self::Scroll,
        Self::Navigate,
        Self::Fill,
        Self::UnknownControl,
        Self::Dialog,
        Self::Finish,
        Self::Publish,
        Self::BackgroundWrite,
        Self::Write,
        Self::Credentials,
        Self::LeaveSite,
        Self::Download,
        Self::Upload,
        Self::Destructive,
        Self::Payment,
    ];

    /// Its name in policy files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Scroll => "scroll",
            Self::Navigate => "navigate",
            Self::Fill => "fill",
            Self::UnknownControl => "unknown_control",
            Self::Dialog => "dialog",
            Self::Finish => "finish",
            Self::Publish => "publish",
            Self::BackgroundWrite => "background_write",
            Self::Write => "write",
            Self::Credentials => "credentials",
            Self::LeaveSite => "leave_site",
            Self::Download => "download",
            Self::Upload => "upload",
            Self::Destructive => "destructive",
            Self::Payment => "payment",
        }
    }

    /// What it is, in words for a person.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Observe => "look at the page",
            Self::Scroll => "scroll or wait",
            Self::Navigate => "open a page on the site",
            Self::Fill => "fill in or choose",
            Self::UnknownControl => "press a control of unknown effect",
            Self::Dialog => "say yes to a dialog of the page",
            Self::Finish => "say that the goal is reached",
            Self::Publish => "send or publish something",
            Self::BackgroundWrite => "send data to the site that no action of this run asked for",
            Self::Write => "send data to the site",
            Self::Credentials => "type a secret",
            Self::LeaveSite => "leave the site",
            Self::Download => "download a file",
            Self::Upload => "upload a file",
            Self::Destructive => "delete or cancel something",
            Self::Payment => "spend money",
        }
    }
}

/// Names under which forms say which method or deed they really mean.
pub(crate) const DEED_FIELDS: &[&str] = &["_method", "action", "op", "operation", "do", "cmd", "command", "intent", "task"];
/// Longer than any address that is read, even when each of its characters falls apart.
const WORDS_CHARS_MAX: usize = 64 * 1024;

/// The class of an action on `seen`.
#[must_use]
pub fn of_action(seen: &Observation, action: &Action) -> ActionClass {
    let control = action.bound().and_then(|bound| seen.control(bound.handle));
    match (action, control) {
        (
            Action::LookAt { .. }
            | Action::Scroll(_)
            | Action::Wait
            | Action::Hover { .. }
            | Action::Key { key: WidgetKey::Escape, .. },
            _,
        ) => ActionClass::Scroll,
        (Action::AcceptDialog { dialog }, _) => of_dialog(dialog, ActionClass::Dialog),
        (Action::Attach { .. }, _) => ActionClass::Upload,
        (Action::Back | Action::Navigate { .. }, _) => ActionClass::Navigate,
        (Action::Fill { value: ValueSource::Secret { .. }, .. }, _) => ActionClass::Credentials,
        // An arrow may choose what it comes to.
        (Action::Fill { .. } | Action::Choose { .. } | Action::Toggle { .. } | Action::Key { .. }, Some(_)) => ActionClass::Fill,
        (Action::Press { .. } | Action::Enter { .. }, Some(control)) => of_press(seen, control),
        // An action without its control can't be judged, so it is judged at its worst.
        (
            Action::Fill { .. }
            | Action::Choose { .. }
            | Action::Toggle { .. }
            | Action::Key { .. }
            | Action::Press { .. }
            | Action::Enter { .. },
            None,
        ) => ActionClass::Destructive,
    }
}

/// The class of saying yes to a dialog that an act of class `opener` opened: what the dialog says, and no milder than a deed
/// of that act that can't be undone.
#[must_use]
pub fn of_dialog(dialog: &Dialog, opener: ActionClass) -> ActionClass {
    let said = [dialog.text.judged(), dialog.prefilled.judged()].join(" . ");
    let of_opener = if opener >= ActionClass::Destructive { opener } else { ActionClass::Dialog };
    by_words(&words_of(&said)).max(of_opener).max(ActionClass::Dialog)
}

/// The class of opening `url` from `seen` in place of a window that an act opened: as for a link there.
#[must_use]
pub fn of_window(seen: &Observation, url: &str) -> ActionClass {
    of_link(seen, &Control { href: url.to_owned(), ..Control::default() })
}

fn of_press(seen: &Observation, control: &Control) -> ActionClass {
    let mut class = match control.kind {
        ControlKind::Link if !control.href.is_empty() => of_link(seen, control),
        _ => ActionClass::UnknownControl,
    };
    // A field that takes Enter is not named by what it does; its form is.
    let named = match control.kind {
        ControlKind::Field => String::new(),
        _ => words_of(&[control.name.judged(), control.visible_text.judged(), control.description.judged()].join(" . ")),
    };
    class = class.max(by_words(&named));
    if let Some(form) = control.form.as_ref().filter(|_| control.submits || control.kind == ControlKind::Field) {
        class = class.max(of_form(seen, form));
    }
    // A bare "OK" in a dialog, or a button there without a name, is what the dialog says it is.
    if control.in_dialog && is_bare_yes(&named) {
        let around = [control.section.judged(), control.heading.judged()];
        let said = seen.dialogs.iter().map(PageText::judged).chain(around).collect::<Vec<_>>().join(" . ");
        class = class.max(by_words(&words_of(&said)));
    }
    class
}

/// What submitting a form would be, by its fields and by where it goes.
fn of_form(seen: &Observation, form: &FormFacts) -> ActionClass {
    let mut class = ActionClass::Observe;
    if form.fields.iter().any(is_card_field) {
        class = class.max(ActionClass::Payment);
    }
    if form.fields.iter().any(|field| field.input_type == "file" && field.filled) {
        class = class.max(ActionClass::Upload);
    }
    // A form sent by GET is a navigation to the edge, so its destination is judged here.
    match (url::Url::parse(&seen.url), url::Url::parse(&form.action)) {
        _ if form.action.is_empty() => class,
        (Ok(here), Ok(there)) if same_site(&here, &there) => class.max(by_words(&words_of(there.path()))),
        (Ok(_), Ok(there)) if there.scheme() == "javascript" => class,
        (Ok(_) | Err(_), Ok(_) | Err(_)) => class.max(ActionClass::LeaveSite),
    }
}

fn of_link(seen: &Observation, control: &Control) -> ActionClass {
    let (Ok(here), Ok(there)) = (url::Url::parse(&seen.url), url::Url::parse(&control.href)) else {
        return ActionClass::LeaveSite;
    };
    if control.download {
        return ActionClass::Download;
    }
    match there.scheme() {
        "http" | "https" if same_site(&here, &there) => ActionClass::Navigate.max(of_address(&there)),
        "javascript" => ActionClass::UnknownControl,
        _ => ActionClass::LeaveSite,
    }
}

/// What a link on the site would do when the site lets a plain GET do it: `/item/7/delete`, `?action=remove`.
fn of_address(there: &url::Url) -> ActionClass {
    let mut class = ActionClass::Observe;
    if crate::web::risky_path_words(there.path()).is_some() {
        class = by_words(&words_of(there.path()));
    }
    // A long part is a headline, such as `how-to-delete-your-history`.
    let short = |part: &str| {
        let words = words_of(part);
        (words.split_whitespace().count() <= 3 && lexicon::destroys(&words)).then_some(ActionClass::Destructive)
    };
    let in_path = there.path().split('/').filter_map(short);
    let in_query = there.query().unwrap_or_default().split(['&', '=', ';']).filter_map(short);
    in_path.chain(in_query).fold(class, ActionClass::max)
}

/// The class of a write that would leave: by method, address words, and what the body holds.
#[must_use]
pub fn of_request(image: &RequestImage) -> ActionClass {
    let mut class = ActionClass::Write;
    let over = image.headers.iter().filter(|(name, _)| METHOD_OVERRIDES.iter().any(|known| name.eq_ignore_ascii_case(known)));
    if over.map(|(_, value)| value).chain([&image.method]).any(|method| method.trim().eq_ignore_ascii_case("delete")) {
        class = class.max(ActionClass::Destructive);
    }
    match url::Url::parse(&image.url) {
        Ok(url) => {
            let said = format!("{} . {}", url.path(), url.query().unwrap_or_default());
            class = class.max(by_words(&words_of(&said)));
            let last = url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
            if matches!(last.as_str(), "order" | "orders" | "checkout") {
                class = class.max(ActionClass::Payment);
            }
        }
        // Where it goes is not known, so it is judged at its worst.
        Err(_) => class = ActionClass::Payment,
    }
    let body = String::from_utf8_lossy(&image.body);
    class = class.max(by_words(&deeds_in(image, &body)));
    if [card_numbers(&body), card_numbers(&percent_decoded(&body))].iter().any(|found| !found.is_empty()) {
        class = class.max(ActionClass::Payment);
    }
    if image.header("content-type").is_some_and(|kind| kind.starts_with("multipart/form-data")) && body.contains("filename=\"") {
        class = class.max(ActionClass::Upload);
    }
    class
}

/// What a body says it does: the values of its deed fields, or the head of a GraphQL mutation.
fn deeds_in(image: &RequestImage, body: &str) -> String {
    let kind = image.header("content-type").unwrap_or_default().to_ascii_lowercase();
    if kind.starts_with("application/x-www-form-urlencoded") {
        let pairs = url::form_urlencoded::parse(&image.body);
        let deeds = pairs.filter(|(name, _)| DEED_FIELDS.iter().any(|deed| name.eq_ignore_ascii_case(deed)));
        return words_of(&deeds.map(|(_, value)| value).collect::<Vec<_>>().join(" . "));
    }
    match body.split_once("mutation") {
        Some((_, head)) if kind.contains("json") || kind.contains("graphql") => {
            // A GraphQL body is sent as JSON, where the line ends are escapes.
            words_of(&head.chars().take(400).collect::<String>().replace("\\n", " "))
        }
        Some(_) | None => String::new(),
    }
}

/// Whether any of the words or phrases, in lower case, stands in the text, split as words of risk are.
pub(crate) fn has_words(text: &str, list: &[&str]) -> bool {
    has_any(&words_of(text), list)
}

fn has_any(words: &str, list: &[&str]) -> bool {
    list.iter().any(|phrase| words.contains(&format!(" {phrase} ")))
}

/// Lower-case words with a space on both sides of each; camelCase, digits, punctuation and percent escapes split.
fn words_of(text: &str) -> String {
    let decoded = percent_decoded(text);
    let mut out = String::from(" ");
    let mut previous = ' ';
    let mut chars = decoded.nfkc().take(WORDS_CHARS_MAX).peekable();
    while let Some(c) = chars.next() {
        if !c.is_alphanumeric() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            if starts_a_word(previous, c, chars.peek().copied()) && !out.ends_with(' ') {
                out.push(' ');
            }
            // A dotted capital I falls apart into i and a dot.
            out.extend(c.to_lowercase().filter(|c| *c != '\u{307}'));
        }
        previous = c;
    }
    out.push(' ');
    out
}

/// `deleteAccount`, `HTTPDelete` and `Pay10` are two words each.
fn starts_a_word(previous: char, c: char, next: Option<char>) -> bool {
    let hump = c.is_uppercase() && (previous.is_lowercase() || (previous.is_uppercase() && next.is_some_and(char::is_lowercase)));
    let number = c.is_numeric() != previous.is_numeric() && previous.is_alphanumeric();
    hump || number
}

fn percent_decoded(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..5 {
        let decoded: String = percent_once(&text);
        if decoded == text {
            break;
        }
        text = decoded;
    }
    text
}

fn percent_once(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%').then(|| bytes.get(at + 1..at + 3)).flatten();
        let value = escaped.and_then(|hex| std::str::from_utf8(hex).ok()).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(value.unwrap_or(byte));
        at += if value.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn is_card_field(field: &FormField) -> bool {
    let name = words_of(field.name.judged());
    field.autocomplete.starts_with("cc-")
        || has_any(
            &name,
            &["card number", "cardnumber", "card no", "cardno", "cvv", "cvc", "cc number", "ccnumber", "ccnum", "cc num", "iban"],
        )
}

#[cfg(test)]
#[path = "risk_tests.rs"]
mod tests;

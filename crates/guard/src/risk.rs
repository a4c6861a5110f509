//! Which class an action or request is of: by structure and destination first, by words second, never by the model.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::effect::RequestImage;
use crate::observation::{Control, ControlKind, FormField, Observation};
use crate::permit::{Action, ValueSource};
use crate::web::same_site;

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
    /// End the run as reached.
    Finish,
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
    pub const ALL: [Self; 13] = [
        Self::Observe,
        Self::Scroll,
        Self::Navigate,
        Self::Fill,
        Self::UnknownControl,
        Self::Finish,
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
            Self::Finish => "finish",
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
            Self::Finish => "say that the goal is reached",
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

/// Words that destroy; matched as whole words of labels and paths.
const DESTRUCTIVE: &[&str] = &[
    "delete", "deletes", "remove", "removes", "destroy", "erase", "wipe", "purge", "deactivate", "unsubscribe", "revoke", "terminate",
    "uninstall", "discard", "reset", "cancel order", "cancel subscription", "cancel booking", "close account", "empty basket",
    "empty cart", "empty trash",
];
/// Words that spend.
const PAYMENT: &[&str] = &[
    "pay", "pays", "payment", "payments", "buy", "purchase", "place order", "order now", "confirm order", "complete order",
    "submit order", "checkout and pay", "subscribe", "donate", "transfer", "send money", "bid", "book now", "confirm booking", "withdraw",
];

/// The class of an action on `seen`.
#[must_use]
pub fn of_action(seen: &Observation, action: &Action) -> ActionClass {
    let control = action.bound().and_then(|bound| seen.control(bound.handle));
    match (action, control) {
        (Action::Scroll(_) | Action::Wait, _) => ActionClass::Scroll,
        (Action::Back | Action::Navigate { .. }, _) => ActionClass::Navigate,
        (Action::Fill { value: ValueSource::Secret { .. }, .. }, _) => ActionClass::Credentials,
        (Action::Fill { .. } | Action::Choose { .. } | Action::Toggle { .. }, Some(_)) => ActionClass::Fill,
        (Action::Press { .. } | Action::Enter { .. }, Some(control)) => of_press(seen, control),
        // An action without its control can't be judged, so it is judged at its worst.
        (Action::Fill { .. } | Action::Choose { .. } | Action::Toggle { .. } | Action::Press { .. } | Action::Enter { .. }, None) => {
            ActionClass::Destructive
        }
    }
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
        if form.fields.iter().any(is_card_field) {
            class = class.max(ActionClass::Payment);
        }
        if form.fields.iter().any(|field| field.input_type == "file" && field.filled) {
            class = class.max(ActionClass::Upload);
        }
    }
    // A bare "OK" in a dialog is what the dialog says it is.
    if control.in_dialog && is_bare_yes(&named) {
        let said = seen.dialogs.iter().map(|text| text.judged()).collect::<Vec<_>>().join(" . ");
        class = class.max(by_words(&words_of(&said)));
    }
    class
}

fn of_link(seen: &Observation, control: &Control) -> ActionClass {
    let (Ok(here), Ok(there)) = (url::Url::parse(&seen.url), url::Url::parse(&control.href)) else {
        return ActionClass::LeaveSite;
    };
    if control.download {
        return ActionClass::Download;
    }
    match there.scheme() {
        "http" | "https" if same_site(&here, &there) => {
            if crate::web::risky_path_words(there.path()).is_some() {
                ActionClass::Navigate.max(by_words(&words_of(there.path())))
            } else {
                ActionClass::Navigate
            }
        }
        "javascript" => ActionClass::UnknownControl,
        _ => ActionClass::LeaveSite,
    }
}

/// The class of a write that would leave: by method, address words, and what the body holds.
#[must_use]
pub fn of_request(image: &RequestImage) -> ActionClass {
    let mut class = ActionClass::Write;
    if image.method == "DELETE" {
        class = class.max(ActionClass::Destructive);
    }
    if let Ok(url) = url::Url::parse(&image.url) {
        let said = format!("{} . {}", url.path(), url.query().unwrap_or_default());
        class = class.max(by_words(&words_of(&said)));
        let last = url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if matches!(last, "order" | "orders" | "checkout") {
            class = class.max(ActionClass::Payment);
        }
    }
    let body = String::from_utf8_lossy(&image.body);
    if holds_card_number(&body) {
        class = class.max(ActionClass::Payment);
    }
    if image.header("content-type").is_some_and(|kind| kind.starts_with("multipart/form-data")) && body.contains("filename=\"") {
        class = class.max(ActionClass::Upload);
    }
    class
}

fn by_words(words: &str) -> ActionClass {
    let has = |list: &[&str]| list.iter().any(|phrase| words.contains(&format!(" {phrase} ")));
    if has(PAYMENT) {
        ActionClass::Payment
    } else if has(DESTRUCTIVE) {
        ActionClass::Destructive
    } else {
        ActionClass::Observe
    }
}

/// Lower-case words with a space on both sides of each; camelCase, punctuation and percent escapes split.
fn words_of(text: &str) -> String {
    let decoded = percent_decoded(text);
    let mut out = String::from(" ");
    let mut previous_lower = false;
    for c in decoded.nfkc().take(4_000) {
        if c.is_alphanumeric() {
            if c.is_uppercase() && previous_lower {
                out.push(' ');
            }
            out.extend(c.to_lowercase());
            previous_lower = c.is_lowercase();
        } else {
            if !out.ends_with(' ') {
                out.push(' ');
            }
            previous_lower = false;
        }
    }
    out.push(' ');
    out
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

fn is_bare_yes(words: &str) -> bool {
    matches!(words.trim(), "ok" | "yes" | "confirm" | "continue" | "proceed" | "accept" | "i agree" | "agree" | "sure")
}

fn is_card_field(field: &FormField) -> bool {
    let name = words_of(field.name.judged());
    field.autocomplete.starts_with("cc-")
        || ["card number", "cardnumber", "cvv", "cvc", "cc number", "iban"].iter().any(|word| name.contains(&format!(" {word} ")))
}

/// A run of 13 to 19 digits, with single spaces or dashes, that passes the Luhn check.
fn holds_card_number(body: &str) -> bool {
    let mut digits: Vec<u32> = Vec::new();
    let mut gap = false;
    for c in body.chars().chain(['x']) {
        if let Some(digit) = c.to_digit(10) {
            digits.push(digit);
            gap = false;
        } else if matches!(c, ' ' | '-' | '+') && !digits.is_empty() && !gap {
            gap = true;
        } else {
            if (13..=19).contains(&digits.len()) && luhn(&digits) {
                return true;
            }
            digits.clear();
            gap = false;
        }
    }
    false
}

fn luhn(digits: &[u32]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits.iter().rev().enumerate().map(|(i, digit)| if i % 2 == 1 { doubled(*digit) } else { *digit }).sum();
    sum % 10 == 0 && digits.iter().any(|digit| *digit != 0)
}

#[cfg(test)]
#[path = "risk_tests.rs"]
mod tests;

//! Takes out of any text what must not reach a model or an agent's result: supplied values, keys and tokens, card and account
//! numbers, addresses for mail and phone, and what addresses on the web carry besides host and path.
//!
//! It works on spans of the normalised text: every detector says where something stands, overlapping spans become one, and one
//! placeholder takes their place, so that nothing is ever partly masked. Then it looks again, so that twice is the same as once.

mod bank;
mod calling_codes;
mod links;
mod mail;
mod named;
mod normal;
mod opaque;
mod phone;
mod shapes;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::card::card_numbers;
use crate::limits::SHOWN_URL_CHARS_MAX;
use crate::secret::{Scrubber, ScrubberFault};
use named::Names;
use normal::{Layout, normal};
use shapes::Shapes;

/// What was taken out. Where spans of two kinds overlap, the first of these names the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Taken {
    /// A value that was supplied to the session.
    Value,
    /// A private key.
    Key,
    /// A token, password or session cookie.
    Token,
    /// A card number.
    Card,
    /// An IBAN.
    Iban,
    /// A national number with check digits or area rules.
    Id,
    /// A code that is good once.
    Code,
    /// A mail address.
    Email,
    /// A phone number.
    Phone,
    /// An address on the web that can't be read.
    Url,
    /// The user name and password of an address.
    UserInfo,
    /// The query and fragment of an address.
    Query,
}

impl Taken {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Value,
        Self::Key,
        Self::Token,
        Self::Card,
        Self::Iban,
        Self::Id,
        Self::Code,
        Self::Email,
        Self::Phone,
        Self::Url,
        Self::UserInfo,
        Self::Query,
    ];

    /// What stands in its place: a word for the kind, or nothing where the rest of an address is enough.
    #[must_use]
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Value => "[REDACTED_VALUE]",
            Self::Key => "[REDACTED_KEY]",
            Self::Token => "[REDACTED_TOKEN]",
            Self::Card => "[REDACTED_CARD]",
            Self::Iban => "[REDACTED_IBAN]",
            Self::Id => "[REDACTED_ID]",
            Self::Code => "[REDACTED_CODE]",
            Self::Email => "[REDACTED_EMAIL]",
            Self::Phone => "[REDACTED_PHONE]",
            Self::Url => "[REDACTED_URL]",
            Self::UserInfo | Self::Query => "",
        }
    }
}

/// Where something stands that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    start: usize,
    end: usize,
    taken: Taken,
}

impl Found {
    fn new(start: usize, end: usize, taken: Taken) -> Self {
        Self { start, end, taken }
    }
}

/// A redacted text and what was taken out of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Redacted {
    /// What is left.
    pub text: String,
    /// How many of each kind were taken out.
    pub counts: BTreeMap<Taken, usize>,
}

/// Redacts texts and addresses for one session.
#[derive(Clone, Debug)]
pub struct Redactor {
    values: Scrubber,
    /// Values so light that they count only as whole words.
    words: Scrubber,
    shapes: Shapes,
    names: Names,
}

/// A value of less weight than this would shred the text: four letters, or two ideographs.
const VALUE_WEIGHT_MIN: usize = 4;
/// A lighter value stands for itself only as a whole word.
const VALUE_WEIGHT_INSIDE_WORDS: usize = 8;
/// A text that still changes after this many looks was made to; what is left then was seen by every detector.
const LOOKS_MAX: usize = 4;

impl Redactor {
    /// A redactor that knows the values supplied to a session. They are searched as the text is: normalised, in any case, and in
    /// the encodings in which secrets are; those too short to be told from other text are left out.
    ///
    /// # Errors
    /// When the values are too long or too many for one search; nothing may be sent without it.
    pub fn new<V: AsRef<str>>(known_values: &[V]) -> Result<Self, ScrubberFault> {
        let mut values: Vec<String> = known_values.iter().map(|value| normal(value.as_ref(), Layout::OneLine)).collect();
        values.retain(|value| weight(value) >= VALUE_WEIGHT_MIN);
        let (words, values): (Vec<String>, Vec<String>) = values.into_iter().partition(|value| counts_as_a_word(value));
        let scrubber = |values: &[String]| Scrubber::of_values(values.iter().map(|value| ("", value.as_str())));
        Ok(Self { values: scrubber(&values)?, words: scrubber(&words)?, shapes: Shapes::new()?, names: Names::new()? })
    }

    /// Whether `value` is long enough to be found in other text; a redactor leaves out those that are not.
    #[must_use]
    pub fn masks(value: &str) -> bool {
        weight(&normal(value, Layout::OneLine)) >= VALUE_WEIGHT_MIN
    }

    /// Text for a model or a result: normalised, on one line, redacted, and only then cut to `chars_max` characters. A cut goes
    /// through no placeholder.
    #[must_use]
    pub fn text(&self, raw: &str, chars_max: usize) -> String {
        cut(self.redacted(raw, Layout::OneLine).text, chars_max)
    }

    /// A whole document, such as a file: lines and spaces stay.
    #[must_use]
    pub fn document(&self, raw: &str) -> Redacted {
        self.redacted(raw, Layout::Kept)
    }

    /// The public form of an address, whole or relative: without user, query and fragment, and with those parts of its path
    /// redacted that look like secrets. What can't be read, and schemes that carry their content, become a placeholder.
    #[must_use]
    pub fn url(&self, raw: &str) -> String {
        let public = links::public_form(raw).unwrap_or_else(|| Taken::Url.placeholder().to_owned());
        self.text(&public, SHOWN_URL_CHARS_MAX)
    }

    fn redacted(&self, raw: &str, layout: Layout) -> Redacted {
        let mut redacted = Redacted { text: normal(raw, layout), counts: BTreeMap::new() };
        for _ in 0..LOOKS_MAX {
            // A value may be an address, and an address hold what is no value.
            let stages: [fn(&Self, &str) -> Vec<Found>; 3] = [Self::values_in, Self::links_in, Self::rest_in];
            let taken = stages.map(|stage| self.take(&mut redacted, stage));
            if taken.into_iter().all(|taken| taken == 0) {
                break;
            }
            // A query that is gone leaves the spaces on both its sides.
            redacted.text = normal(&redacted.text, layout);
        }
        redacted
    }

    fn take(&self, redacted: &mut Redacted, stage: fn(&Self, &str) -> Vec<Found>) -> usize {
        let mut found = stage(self, &redacted.text);
        if found.is_empty() {
            return 0;
        }
        found.extend(placeholders_in(&redacted.text));
        let (mut out, mut from, mut taken) = (String::with_capacity(redacted.text.len()), 0, 0);
        for span in merged(found) {
            let stood = redacted.text.get(span.start..span.end).unwrap_or_default();
            if stood != span.taken.placeholder() {
                taken += 1;
                *redacted.counts.entry(span.taken).or_default() += 1;
            }
            out.push_str(redacted.text.get(from..span.start).unwrap_or_default());
            out.push_str(span.taken.placeholder());
            from = span.end;
        }
        out.push_str(redacted.text.get(from..).unwrap_or_default());
        redacted.text = out;
        taken
    }

    fn values_in(&self, text: &str) -> Vec<Found> {
        let words = self.words.found(text).into_iter().filter(|(start, end, _)| stands_alone(text, *start, *end));
        let values = self.values.found(text).into_iter().chain(self.values.found_at_edges(text));
        values.chain(words).map(|(start, end, _)| Found::new(start, end, Taken::Value)).collect()
    }

    fn links_in(&self, text: &str) -> Vec<Found> {
        links::links(text)
    }

    fn rest_in(&self, text: &str) -> Vec<Found> {
        let mut found = self.shapes.find(text);
        found.extend(self.names.find(text));
        found.extend(opaque::tokens(text));
        found.extend(mail::addresses(text));
        found.extend(bank::accounts(text));
        found.extend(card_numbers(text).into_iter().map(|card| Found::new(card.start, card.end, Taken::Card)));
        found.extend(phone::numbers(text));
        found
    }
}

/// Letters count once, ideographs and syllables twice.
fn weight(value: &str) -> usize {
    value.chars().map(|c| if normal::is_wide(c) { 2 } else { 1 }).sum()
}

fn counts_as_a_word(value: &str) -> bool {
    weight(value) < VALUE_WEIGHT_INSIDE_WORDS && !value.chars().any(normal::is_wide)
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).and_then(|before| before.chars().next_back());
    let after = text.get(end..).and_then(|after| after.chars().next());
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

/// Placeholders that stand in a text already: nothing in them is taken for anything else.
fn placeholders_in(text: &str) -> Vec<Found> {
    let known = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        let taken = Taken::ALL.into_iter().find(|taken| !taken.placeholder().is_empty() && rest.starts_with(taken.placeholder()));
        taken.map(|taken| Found::new(at, at + taken.placeholder().len(), taken))
    };
    text.match_indices("[REDACTED_").filter_map(|(at, _)| known(at)).collect()
}

/// Overlapping spans become one over their union, of the kind that covers it all, or else of the first kind there.
fn merged(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end), span.taken));
    let mut merged: Vec<Found> = Vec::new();
    for span in found {
        match merged.last_mut() {
            Some(last) if span.start < last.end && span.end <= last.end => {}
            Some(last) if span.start < last.end => {
                last.end = span.end;
                last.taken = last.taken.min(span.taken);
            }
            _ => merged.push(span),
        }
    }
    merged
}

/// Cuts to `chars_max` characters, before a placeholder rather than in it.
fn cut(mut text: String, chars_max: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(chars_max) {
        let split = placeholders_in(&text).into_iter().find(|span| span.start < end && end < span.end);
        text.truncate(split.map_or(end, |span| span.start));
        text.truncate(text.trim_end().len());
    }
    text
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;

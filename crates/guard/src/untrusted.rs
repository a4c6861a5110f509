//! Text that a page chose, and secrets that it must never learn more of than it needs.

use std::fmt;

use clicket_journal::Digest;
use serde::{Deserialize, Serialize};

use crate::limits::COMBINING_RUN_MAX;
use crate::secret::Scrubber;

/// Text that a page chose: data, never instruction and never protocol.
///
/// Invariant: it has no `Display`, and its `Debug` shows only its length; the three ways out are
/// [`PageText::for_model`], [`PageText::for_person`] and its serialised form for the journal.
/// `page_text_has_no_display` (a `compile_fail` test below) would fail.
///
/// ```compile_fail
/// let text = clicket_guard::untrusted::PageText::default();
/// println!("{text}");
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct PageText {
    text: String,
    whole: Option<Digest>,
}

impl PageText {
    /// Cleans `raw` (control, bidi, tag and stray zero-width characters go), takes known secrets out
    /// and cuts the rest to `chars_max` characters. A cut text keeps the digest of the whole.
    #[must_use]
    pub fn read(raw: &str, chars_max: usize, scrub: &Scrubber) -> Self {
        let cleaned = clean(raw);
        let scrubbed = scrub.scrub_edges(scrub.scrub(&cleaned));
        match scrubbed.char_indices().nth(chars_max) {
            None => Self { text: scrubbed.into_owned(), whole: None },
            Some((end, _)) => Self { whole: Some(Digest::of(scrubbed.as_bytes())), text: scrubbed[..end].to_owned() },
        }
    }

    /// Text for tests and replay that is known to hold no secret.
    #[must_use]
    pub fn plain(raw: &str) -> Self {
        Self::read(raw, usize::MAX, &Scrubber::default())
    }

    /// True when nothing is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// True when the page gave more than the bound.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.whole.is_some()
    }

    /// For a model: the cleaned text, to be placed as a JSON string value and nowhere else.
    #[must_use]
    pub fn for_model(&self) -> &str {
        &self.text
    }

    /// For a person: in quotes, one line, everything unprintable escaped, isolated when it holds
    /// right-to-left letters, so that it can't reach out of its quotes.
    #[must_use]
    pub fn for_person(&self) -> String {
        let mut shown = String::with_capacity(self.text.len() + 2);
        for c in self.text.chars() {
            match c {
                '\n' => shown.push(' '),
                '"' => shown.push('\u{201d}'),
                c if c.is_control() => shown.extend(c.escape_unicode()),
                c => shown.push(c),
            }
        }
        if self.is_cut() {
            shown.push('\u{2026}');
        }
        if shown.chars().any(is_right_to_left) { format!("\"\u{2068}{shown}\u{2069}\"") } else { format!("\"{shown}\"") }
    }

    /// Text used by the judge's own word rules, never shown.
    pub(crate) fn judged(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for PageText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PageText({} bytes)", self.text.len())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Whole(String),
    Cut { text: String, whole: Digest },
}

impl Serialize for PageText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.whole {
            None => serializer.serialize_str(&self.text),
            Some(whole) => Written::Cut { text: self.text.clone(), whole: *whole }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PageText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Whole(text) => Self { text: clean(&text), whole: None },
            Written::Cut { text, whole } => Self { text: clean(&text), whole: Some(whole) },
        })
    }
}

/// Removes what can't be seen or reorders what can: C0/C1 controls, bidi marks, tag characters
/// outside flags, variation selectors past the emoji ones, zero-width characters where the script
/// does not need them, and long runs of combining marks.
#[must_use]
pub fn clean(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut previous = ' ';
    let mut in_flag = false;
    let mut marks = 0usize;
    for c in raw.chars() {
        in_flag = match c {
            '\u{1F3F4}' => true,
            '\u{E0020}'..='\u{E007F}' => in_flag,
            _ => false,
        };
        marks = if is_combining(c) { marks + 1 } else { 0 };
        let kept = match c {
            '\n' => Some('\n'),
            c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => Some(' '),
            '\u{E0000}'..='\u{E007F}' => in_flag.then_some(c),
            '\u{200C}' | '\u{200D}' => joins(previous).then_some(c),
            '\u{FE00}'..='\u{FE0F}' => (!previous.is_ascii_alphabetic()).then_some(c),
            c if is_hidden(c) => None,
            c => (marks <= COMBINING_RUN_MAX).then_some(c),
        };
        if let Some(kept) = kept {
            out.push(kept);
            previous = kept;
        }
    }
    out
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF9}'..='\u{FFFB}' | '\u{E0100}'..='\u{E01EF}')
}

/// Joiners belong after letters of joining scripts and after emoji; after Latin they only hide.
fn joins(previous: char) -> bool {
    matches!(previous, '\u{0600}'..='\u{08FF}' | '\u{0900}'..='\u{0DFF}' | '\u{0E80}'..='\u{109F}' | '\u{1780}'..='\u{18AF}'
        | '\u{FB50}'..='\u{FEFE}' | '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{0483}'..='\u{0489}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}' | '\u{10800}'..='\u{10FFF}'
        | '\u{1E800}'..='\u{1EFFF}')
}

#[cfg(test)]
#[path = "untrusted_tests.rs"]
mod tests;

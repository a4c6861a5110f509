//! Secrets: bound to an origin and a kind of field, opened in one place, scrubbed everywhere else.

use std::borrow::Cow;
use std::fmt;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::limits::{SECRET_CHARS_MIN, VALUE_BYTES_MAX};
use crate::web::Origin;

/// The kind of field a secret may be typed into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretField {
    /// Fields whose value is never read: passwords, one-time codes, card numbers.
    Concealed,
    /// Any text field, for user names that are private.
    AnyText,
}

/// A value that no model, log, journal or screenshot may hold.
///
/// Invariant: no `Debug` of the value, no `Clone`, no serde; opened only by [`Secret::open_for`],
/// which `chromium/src/fill.rs` alone may call (see the forbidden calls in `clippy.toml`).
pub struct Secret {
    key: String,
    value: Zeroizing<String>,
    origin: Origin,
    field: SecretField,
}

/// Why a secret was not accepted or not opened.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SecretRefusal {
    /// Too short to scrub.
    #[error(
        "the secret is shorter than {SECRET_CHARS_MIN} characters, so it can't be kept out of page text; use --value if it is not secret"
    )]
    TooShort,
    /// Too long to be a field value.
    #[error("the secret is longer than {VALUE_BYTES_MAX} bytes")]
    TooLong,
    /// The page that asks is not the page it is for.
    #[error("the secret is for {bound}, and the field is on {asked}")]
    OtherOrigin {
        /// Where it may be typed.
        bound: Origin,
        /// Where it was asked for.
        asked: Origin,
    },
    /// The field would show it.
    #[error("the secret may only be typed into a field that conceals it")]
    OtherField,
}

impl Secret {
    /// Binds `value` to `origin` and `field`.
    ///
    /// # Errors
    /// When it is too short to be scrubbed or too long to be typed.
    pub fn bind(key: &str, value: String, origin: Origin, field: SecretField) -> Result<Self, SecretRefusal> {
        let value = Zeroizing::new(value);
        if value.chars().count() < SECRET_CHARS_MIN {
            return Err(SecretRefusal::TooShort);
        }
        if value.len() > VALUE_BYTES_MAX {
            return Err(SecretRefusal::TooLong);
        }
        Ok(Self { key: key.to_owned(), value, origin, field })
    }

    /// The name the model sees.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Where it may be typed.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Into what it may be typed.
    #[must_use]
    pub fn field(&self) -> SecretField {
        self.field
    }

    /// Opens the secret for a field of a document at `origin`; `concealed` says what the field does.
    ///
    /// # Errors
    /// When the origin or the kind of field is another than the one it is bound to.
    pub fn open_for(&self, origin: &Origin, concealed: SecretField) -> Result<&str, SecretRefusal> {
        if *origin != self.origin {
            return Err(SecretRefusal::OtherOrigin { bound: self.origin.clone(), asked: origin.clone() });
        }
        match (self.field, concealed) {
            (SecretField::Concealed, SecretField::AnyText) => Err(SecretRefusal::OtherField),
            (SecretField::Concealed, SecretField::Concealed) | (SecretField::AnyText, _) => Ok(&self.value),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({} for {})", self.key, self.origin)
    }
}

/// Takes known secrets out of text, in every encoding a page is likely to echo them in.
#[derive(Default, Clone)]
pub struct Scrubber {
    finder: Option<AhoCorasick>,
    /// For each pattern, the key of its secret.
    keys: Vec<String>,
    /// The same search over letters and digits alone: fields group card numbers, and pages split what they show.
    folded: Option<AhoCorasick>,
    folded_keys: Vec<String>,
    /// Keys and values, for texts that were cut in the middle of a secret.
    values: Vec<(String, Zeroizing<String>)>,
}

/// Texts shorter than the smallest cut of the page's script were not cut by it.
const CUT_CHARS_MIN: usize = 90;

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scrubber({} patterns)", self.keys.len())
    }
}

/// The patterns could not be built into one search.
#[derive(Debug, thiserror::Error)]
#[error("the secrets are too long or too many to be scrubbed; nothing was started")]
pub struct ScrubberFault;

impl Scrubber {
    /// A scrubber for `secrets`.
    ///
    /// # Errors
    /// When the search can't be built; a run must not start without it.
    pub fn of(secrets: &[Secret]) -> Result<Self, ScrubberFault> {
        Self::of_values(secrets.iter().map(|secret| (secret.key.as_str(), secret.value.as_str())))
    }

    /// A scrubber for pairs of a key and a value.
    pub(crate) fn of_values<'v>(pairs: impl Iterator<Item = (&'v str, &'v str)>) -> Result<Self, ScrubberFault> {
        let (mut keys, mut folded_keys) = (Vec::new(), Vec::new());
        let (mut patterns, mut folded) = (Vec::new(), Vec::new());
        let mut values = Vec::new();
        for (key, value) in pairs {
            for pattern in folded_encodings(value) {
                folded_keys.push(key.to_owned());
                folded.push(pattern);
            }
            for pattern in encodings(value) {
                keys.push(key.to_owned());
                patterns.push(pattern);
            }
            values.push((key.to_owned(), Zeroizing::new(value.to_owned())));
        }
        if patterns.is_empty() {
            return Ok(Self::default());
        }
        let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(patterns).map_err(|_| ScrubberFault)?;
        let folded = (!folded.is_empty()).then(|| AhoCorasick::new(folded)).transpose().map_err(|_| ScrubberFault)?;
        Ok(Self { finder: Some(finder), keys, folded, folded_keys, values })
    }

    /// Replaces every occurrence by `[secret:KEY]`; overlapping ones by one mark over their union,
    /// so that nothing is ever partly masked.
    #[must_use]
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let spans = self.found(text);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (start, end, key) in spans {
            out.push_str(text.get(from..start).unwrap_or_default());
            out.push_str(&Self::mark(key));
            from = end;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// Masks the beginning of a secret at the end of a text, and the end of one at its beginning: the page's script cuts
    /// long texts before they come here, and may cut in the middle of one.
    #[must_use]
    pub fn scrub_edges<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        if self.values.is_empty() || text.chars().count() < CUT_CHARS_MIN {
            return text;
        }
        let mut text = text;
        for (key, value) in &self.values {
            if let Some(kept) = begun_bytes(&text, value).and_then(|cut| text.get(..text.len() - cut)) {
                text = Cow::Owned(format!("{kept}{}", Self::mark(key)));
            }
            if let Some(kept) = ended_bytes(&text, value).and_then(|cut| text.get(cut..)) {
                text = Cow::Owned(format!("{}{kept}", Self::mark(key)));
            }
        }
        text
    }

    /// Where a value stands in any of its encodings, in order and without overlaps.
    pub(crate) fn found(&self, text: &str) -> Vec<Span<'_>> {
        merged(self.spans(text.as_bytes()).chain(self.folded_spans(text)).collect())
    }

    /// Where a long text begins or ends in the middle of a value.
    pub(crate) fn found_at_edges(&self, text: &str) -> Vec<Span<'_>> {
        if self.values.is_empty() || text.chars().count() < CUT_CHARS_MIN {
            return Vec::new();
        }
        let edges = self.values.iter().flat_map(|(key, value)| {
            let begun = begun_bytes(text, value).map(|cut| (text.len() - cut, text.len(), key.as_str()));
            begun.into_iter().chain(ended_bytes(text, value).map(|cut| (0, cut, key.as_str())))
        });
        merged(edges.collect())
    }

    /// What stands where a secret stood.
    #[must_use]
    pub fn mark(key: &str) -> String {
        format!("[secret:{key}]")
    }

    /// True when `bytes` hold a secret in any of its encodings.
    #[must_use]
    pub fn finds(&self, bytes: &[u8]) -> bool {
        let whole = self.finder.as_ref().is_some_and(|finder| finder.is_match(bytes));
        whole || self.folded_spans(&String::from_utf8_lossy(bytes)).next().is_some()
    }

    fn spans<'s>(&'s self, bytes: &[u8]) -> impl Iterator<Item = Span<'s>> {
        let found = self.finder.iter().flat_map(move |finder| finder.find_overlapping_iter(bytes));
        found.map(|found| (found.start(), found.end(), self.keys.get(found.pattern().as_usize()).map_or("", String::as_str)))
    }

    /// Spans of the text whose letters and digits are a secret's, whatever stands between them.
    fn folded_spans<'s>(&'s self, text: &str) -> impl Iterator<Item = Span<'s>> {
        let mut spans = Vec::new();
        if let Some(finder) = &self.folded {
            let (folded, places) = folded_with_places(text);
            for found in finder.find_overlapping_iter(&folded) {
                let ends = places.get(found.start()).zip(found.end().checked_sub(1).and_then(|last| places.get(last)));
                if let Some((first, last)) = ends {
                    spans.push((first.0, last.1, self.folded_keys.get(found.pattern().as_usize()).map_or("", String::as_str)));
                }
            }
        }
        spans.into_iter()
    }
}

/// Where a secret stands, and its key.
pub(crate) type Span<'s> = (usize, usize, &'s str);

/// How many bytes at the end of `text` are the beginning of `value`; the most there are.
fn begun_bytes(text: &str, value: &str) -> Option<usize> {
    let ends = value.char_indices().map(|(at, _)| at).filter(|at| *at >= SECRET_CHARS_MIN).rev();
    ends.into_iter().find(|at| {
        let tail = text.len().checked_sub(*at).and_then(|from| text.get(from..));
        tail.zip(value.get(..*at)).is_some_and(|(tail, piece)| tail.eq_ignore_ascii_case(piece))
    })
}

/// How many bytes at the beginning of `text` are the end of `value`; the most there are.
fn ended_bytes(text: &str, value: &str) -> Option<usize> {
    let pieces = value.char_indices().skip(1).filter_map(|(at, _)| value.get(at..));
    let piece = pieces.filter(|piece| piece.len() >= SECRET_CHARS_MIN).find(|piece| {
        let head = text.get(..piece.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(piece))
    });
    piece.map(str::len)
}

/// Overlapping spans become one.
fn merged(mut found: Vec<Span<'_>>) -> Vec<Span<'_>> {
    found.sort_unstable_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    let mut merged: Vec<Span<'_>> = Vec::new();
    for (start, end, key) in found {
        match merged.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end, key)),
        }
    }
    merged
}

/// Characters in a row that may stand between two of a secret's; more is other text.
const GAP_CHARS_MAX: usize = 3;
/// Fewer letters and digits than this are found in honest text.
const FOLDED_CHARS_MIN: usize = 6;

/// Letters and digits in lower case, and for each byte of them where its character stands. A gap that is too long or that parts
/// two strings of a record leaves a byte that no secret holds.
fn folded_with_places(text: &str) -> (Vec<u8>, Vec<(usize, usize)>) {
    let (mut folded, mut places, mut gap) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()), 0usize);
    for (at, c) in text.char_indices() {
        let place = (at, at + c.len_utf8());
        if c.is_alphanumeric() {
            gap = 0;
            for small in narrow(c).to_lowercase() {
                let mut bytes = [0u8; 4];
                for byte in small.encode_utf8(&mut bytes).bytes() {
                    folded.push(byte);
                    places.push(place);
                }
            }
            continue;
        }
        gap += 1;
        if gap == GAP_CHARS_MAX + 1 || matches!(c, '"' | '{' | '}') {
            folded.push(0);
            places.push(place);
        }
    }
    (folded, places)
}

/// The ASCII character of a full-width one.
fn narrow(c: char) -> char {
    match u32::from(c) {
        wide @ 0xFF01..=0xFF5E => char::from_u32(wide - 0xFEE0).unwrap_or(c),
        _ => c,
    }
}

/// The value, the value reversed, and its bytes in hex, each by its letters and digits alone.
fn folded_encodings(value: &str) -> Vec<Vec<u8>> {
    let hex = value.bytes().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    let fold =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).flat_map(|c| narrow(c).to_lowercase()).collect() };
    let mut all: Vec<String> = vec![fold(value), fold(&value.chars().rev().collect::<String>()), hex];
    all.retain(|folded| folded.chars().count() >= FOLDED_CHARS_MIN);
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(String::into_bytes).collect()
}

/// Raw, URL-encoded (path, form, and every byte), base64 at three alignments, hex, HTML- and JSON-escaped, reversed, and spaced.
fn encodings(value: &str) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![
        value.as_bytes().to_vec(),
        percent(value, "%20").into_bytes(),
        percent(value, "+").into_bytes(),
        value.bytes().fold(String::new(), |all, byte| format!("{all}%{byte:02x}")).into_bytes(),
        value.bytes().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}")).into_bytes(),
        value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").into_bytes(),
        value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\'', "&#39;").into_bytes(),
        serde_json::to_string(value).unwrap_or_default().trim_matches('"').as_bytes().to_vec(),
        value.chars().rev().collect::<String>().into_bytes(),
        value.chars().flat_map(|c| [c, ' ']).collect::<String>().trim_end().as_bytes().to_vec(),
    ];
    all.extend(base64_alignments(value.as_bytes()));
    all.retain(|pattern| pattern.len() >= SECRET_CHARS_MIN);
    all.sort_unstable();
    all.dedup();
    all
}

fn percent(value: &str, space: &str) -> String {
    value.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b' ' => out.push_str(space),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
        out
    })
}

/// The characters of the base64 form that depend on the secret alone, at each of the three alignments.
fn base64_alignments(value: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for shift in 0..3usize {
        let padded: Vec<u8> = std::iter::repeat_n(0u8, shift).chain(value.iter().copied()).collect();
        let first = [0usize, 2, 3][shift];
        let whole = (padded.len() * 8) / 6;
        for engine in [&base64::engine::general_purpose::STANDARD_NO_PAD, &base64::engine::general_purpose::URL_SAFE_NO_PAD] {
            let text = engine.encode(&padded);
            if let Some(core) = text.get(first..whole.min(text.len())).filter(|core| core.len() >= 6) {
                all.push(core.as_bytes().to_vec());
            }
        }
    }
    all
}

#[cfg(test)]
#[path = "secret_tests.rs"]
mod tests;

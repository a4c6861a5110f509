//! One spelling for the text and for the values searched in it.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization as _, is_nfkc_quick};

use crate::untrusted::clean;

/// What becomes of white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Each run of it is one space, and none is at the ends.
    OneLine,
    /// It stays.
    Kept,
}

/// The text without what can't be seen, in compatibility form (NFKC); superscripts and fractions stay, since `5½` is not `51/2`.
pub(super) fn normal(raw: &str, layout: Layout) -> String {
    let mut out = String::with_capacity(raw.len());
    for piece in raw.split_inclusive(['\t', '\r', '\n']) {
        let bare = piece.trim_end_matches(['\t', '\r', '\n']);
        out.push_str(&settled(bare));
        out.push_str(piece.get(bare.len()..).unwrap_or_default());
    }
    match layout {
        Layout::Kept => out,
        Layout::OneLine => one_line(&out),
    }
}

fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Composing may join what cleaning parted, and cleaning part what composing made; three rounds settle every text.
fn settled(bare: &str) -> Cow<'_, str> {
    if bare.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(bare);
    }
    let mut text = clean(bare);
    for _ in 0..3 {
        let next = clean(&composed(&text));
        if next == text {
            break;
        }
        text = next;
    }
    Cow::Owned(text)
}

fn composed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(keeps_its_form) {
        let kept = piece.chars().next_back().filter(|c| keeps_its_form(*c));
        let bare = piece.get(..piece.len() - kept.map_or(0, char::len_utf8)).unwrap_or_default();
        match is_nfkc_quick(bare.chars()) {
            unicode_normalization::IsNormalized::Yes => out.push_str(bare),
            unicode_normalization::IsNormalized::No | unicode_normalization::IsNormalized::Maybe => out.extend(bare.nfkc()),
        }
        out.extend(kept);
    }
    out
}

/// Superscript and subscript digits, ordinal marks and fractions mean something else in compatibility form.
fn keeps_its_form(c: char) -> bool {
    matches!(c, '\u{AA}' | '\u{B2}' | '\u{B3}' | '\u{B9}' | '\u{BA}' | '\u{BC}'..='\u{BE}' | '\u{2070}'..='\u{208E}' | '\u{2150}'..='\u{215F}'
        | '\u{2189}')
}

/// Ideographs, kana and Hangul, which are written without spaces.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{2FFF}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{3100}'..='\u{312F}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

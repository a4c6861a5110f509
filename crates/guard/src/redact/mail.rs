//! Mail addresses, in any script.

use super::normal::is_wide;
use super::{Found, Taken};

/// RFC 5321 section 4.5.3.1, in octets; other scripts take up to four of them for a letter.
const LOCAL_BYTES_MAX: usize = 256;
const DOMAIN_BYTES_MAX: usize = 255;

/// Endings that a file name has behind an `@`, as in `logo@2x.png`.
const FILE_ENDINGS: [&str; 14] =
    ["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "css", "js", "mjs", "ts", "json", "html"];

pub(super) fn addresses(text: &str) -> Vec<Found> {
    let plain = text.match_indices('@');
    let escaped = text.match_indices("%40").chain(text.match_indices("&#64;")).chain(text.match_indices("&commat;"));
    let address = |(at, sign): (usize, &str)| {
        let before = text.get(..at)?;
        let local = local_bytes(before)?;
        let domain = domain_bytes(text.get(at + sign.len()..)?)?;
        // `git@host:path` names a repository.
        let end = at + sign.len() + domain;
        let is_remote = before.ends_with("git") && local == 3 && text.get(end..).is_some_and(|rest| rest.starts_with(':'));
        (!is_remote).then(|| Found::new(at - local, end, Taken::Email))
    };
    plain.chain(escaped).filter_map(address).collect()
}

/// How many bytes before the sign are the local part.
fn local_bytes(before: &str) -> Option<usize> {
    if let Some(quoted) = before.strip_suffix('"') {
        let opened = quoted.char_indices().rev().take(LOCAL_BYTES_MAX / 4).find(|(_, c)| *c == '"')?;
        return (opened.0 + 1 < quoted.len()).then(|| before.len() - opened.0);
    }
    let (mut start, mut has_ascii_letter) = (before.len(), false);
    for (at, c) in before.char_indices().rev() {
        // A sentence without spaces runs into an address that is written in Latin letters.
        if !in_local(c) || before.len() - at > LOCAL_BYTES_MAX || (has_ascii_letter && is_wide(c)) {
            break;
        }
        has_ascii_letter |= c.is_ascii_alphabetic();
        start = at;
    }
    let local = before.get(start..)?.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
    (!local.is_empty()).then_some(local.len())
}

fn in_local(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-' | '\'' | '&' | '~' | '!') || is_mark(c)
}

/// Marks that Indic and Arabic letters carry, which are no letters by themselves.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !c.is_alphanumeric() && matches!(c, '\u{0300}'..='\u{1FFF}' | '\u{200C}' | '\u{200D}')
}

/// How many bytes after the sign are a domain with a top level of letters.
fn domain_bytes(after: &str) -> Option<usize> {
    let (mut end, mut last_is_ascii) = (0, false);
    for (at, c) in after.char_indices() {
        if !(c.is_alphanumeric() || matches!(c, '.' | '-') || is_mark(c))
            || at > DOMAIN_BYTES_MAX
            || (last_is_ascii && is_wide(c))
        {
            break;
        }
        last_is_ascii = c.is_ascii_alphabetic();
        end = at + c.len_utf8();
    }
    let domain = after.get(..end)?.trim_end_matches(['.', '-']);
    let (name, top) = domain.rsplit_once('.')?;
    let is_top = top.chars().count() >= 2 && (top.starts_with("xn--") || !top.chars().any(|c| c.is_ascii_digit() || c == '-'));
    let is_file = FILE_ENDINGS.iter().any(|ending| top.eq_ignore_ascii_case(ending));
    let has_name = name.chars().next().is_some_and(char::is_alphanumeric);
    (is_top && !is_file && has_name).then_some(domain.len())
}

//! Addresses in text, and an address by itself: host and path stay, what may carry secrets goes.

use url::{Position, Url};

use super::opaque::{is_guess_proof, is_opaque};
use super::{Found, Taken};
use crate::web::URL_BYTES_MAX;

/// Parts of a path after which an unguessable part is what opens the door.
const DOORS: [&str; 34] = [
    "access",
    "activate",
    "activation",
    "auth",
    "callback",
    "confirm",
    "confirmation",
    "hook",
    "hooks",
    "invitation",
    "invitations",
    "invite",
    "invites",
    "key",
    "keys",
    "login",
    "magic",
    "magic-link",
    "magic_link",
    "magiclink",
    "oauth",
    "password",
    "reset",
    "reset-password",
    "secret",
    "session",
    "share",
    "signin",
    "sso",
    "token",
    "tokens",
    "unsubscribe",
    "verify",
    "webhook",
];

/// Addresses whose whole tail is a key.
const KEYED: [&str; 7] = [
    "hooks.slack.com/services/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    ".webhook.office.com/",
    "outlook.office.com/webhook/",
    "hooks.zapier.com/hooks/catch/",
    "api.telegram.org/bot",
];

/// What goes from the addresses in `text`, and from texts that look like the tail of one.
pub(super) fn links(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, word) in words(text) {
        if word.contains(['/', '?', '#', '@']) {
            in_word(at, word, &mut found);
        }
    }
    found
}

/// The public form of one address; none where it can't be read or has no host.
pub(super) fn public_form(raw: &str) -> Option<String> {
    let raw = raw.trim();
    if raw.len() > URL_BYTES_MAX {
        return None;
    }
    match Url::parse(raw) {
        Ok(mut url) if url.has_host() => {
            // Neither fails where there is a host.
            let (_, _) = (url.set_username(""), url.set_password(None));
            Some(unescaped(&url[..Position::AfterPath]))
        }
        Ok(url) if matches!(url.scheme(), "mailto" | "tel" | "sms") => Some(url[..Position::AfterPath].to_owned()),
        Ok(url) if url.as_str() == "about:blank" => Some(url.into()),
        Err(url::ParseError::RelativeUrlWithoutBase) => raw.split(['?', '#']).next().map(without_user).map(str::to_owned),
        Ok(_) | Err(_) => None,
    }
}

/// Letters, digits and marks that needed no escape, without it (RFC 3986 section 6.2.2.2): nothing hides behind one.
fn unescaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut pieces = path.split('%');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let byte = piece.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte.filter(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(byte)) {
            Some(byte) => {
                out.push(char::from(byte));
                out.push_str(piece.get(2..).unwrap_or_default());
            }
            None => {
                out.push('%');
                out.push_str(piece);
            }
        }
    }
    out
}

/// An address without a scheme may still have a user: `//ada:pw@host/path`.
fn without_user(relative: &str) -> &str {
    let authority = relative.strip_prefix("//").map_or(0, |rest| 2 + rest.find('/').unwrap_or(rest.len()));
    let user = relative.get(..authority).and_then(|authority| authority.rfind('@'));
    user.and_then(|at| relative.get(at + 1..)).unwrap_or(relative)
}

/// Runs without white space, angle brackets and quotes, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '`')).map(move |word| {
        let begins = at;
        let after = text.get(begins + word.len()..).and_then(|rest| rest.chars().next());
        at = begins + word.len() + after.map_or(0, char::len_utf8);
        (begins, word)
    })
}

fn in_word(at: usize, word: &str, found: &mut Vec<Found>) {
    let schemes: Vec<usize> = word.match_indices("://").filter_map(|(colon, _)| scheme_start(word, colon)).collect();
    if !schemes.is_empty() {
        for (index, start) in schemes.iter().enumerate() {
            let end = schemes.get(index + 1).copied().unwrap_or(word.len());
            let cut = word.get(*start..end).is_some_and(|link| absolute(at + start, link, found));
            if cut {
                // A query runs to the end of the word, whatever addresses it holds.
                if let Some(last) = found.last_mut() {
                    last.end = at + without_closers(word, last.start - at);
                }
                break;
            }
        }
        return;
    }
    let bare = word.trim_start_matches(['(', '[', '{', ',', ';', '=']);
    let from = at + word.len() - bare.len();
    if let Some(rest) = bare.strip_prefix("//").filter(|rest| rest.starts_with(char::is_alphanumeric)) {
        after_slashes(from + 2, rest, found);
    } else if bare.starts_with('/') && bare.contains('?') {
        let path = bare.find('?').unwrap_or(bare.len());
        in_path(from, bare.get(..path).unwrap_or_default(), found);
        query(from, bare, path, found);
    } else {
        if bare.starts_with('/') {
            in_path(from, bare, found);
        }
        loose_queries(at, word, found);
    }
}

/// Where the scheme in front of `://` begins (RFC 3986 section 3.1).
fn scheme_start(word: &str, colon: usize) -> Option<usize> {
    let before = word.get(..colon)?;
    let run = before.len() - before.bytes().rev().take(32).take_while(|byte| is_scheme(*byte)).count();
    let letter = before.get(run..)?.find(|c: char| c.is_ascii_alphabetic())?;
    Some(run + letter)
}

fn is_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Judges an address with a scheme; true when its query was cut.
fn absolute(at: usize, link: &str, found: &mut Vec<Found>) -> bool {
    let scheme = link.split(':').next().unwrap_or_default();
    let rest_at = scheme.len() + 3;
    let rest = link.get(rest_at..).unwrap_or_default();
    if scheme.eq_ignore_ascii_case("otpauth") {
        found.push(Found::new(at, at + link.len(), Taken::Token));
        return false;
    }
    if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") {
        let trimmed = link.trim_end_matches(['.', ',', ';', ':', '!', ')', ']', '}']);
        // A placeholder's own bracket must stay with it.
        let whole = if trimmed.rfind('[') > trimmed.rfind(']') { link } else { trimmed };
        if whole.len() > URL_BYTES_MAX || Url::parse(whole).is_err() {
            found.push(Found::new(at, at + whole.len(), Taken::Url));
            return false;
        }
        return after_slashes(at + rest_at, rest, found);
    }
    // A password in a database's address may hold a slash, so the last sign before the query counts.
    let query_at = rest.find(['?', '#']).unwrap_or(rest.len());
    if let Some(sign) = rest.get(..query_at).and_then(|main| main.rfind('@')) {
        found.push(Found::new(at + rest_at, at + rest_at + sign + 1, Taken::UserInfo));
    }
    query(at + rest_at, rest, query_at, found)
}

/// What follows `//`: user, host, path, query, fragment.
fn after_slashes(at: usize, rest: &str, found: &mut Vec<Found>) -> bool {
    let authority = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let user = rest.get(..authority).and_then(|authority| authority.rfind('@')).map_or(0, |sign| sign + 1);
    if user > 0 {
        found.push(Found::new(at, at + user, Taken::UserInfo));
    }
    let query_at = rest.find(['?', '#']).unwrap_or(rest.len());
    let main = rest.get(..query_at).unwrap_or_default();
    let lower = main.to_ascii_lowercase();
    match KEYED.iter().find_map(|keyed| lower.find(keyed).map(|start| start + keyed.len())) {
        Some(tail) if tail < main.len() => found.push(Found::new(at + tail, at + main.len(), Taken::Token)),
        Some(_) | None => in_path(at + authority, main.get(authority..).unwrap_or_default(), found),
    }
    query(at, rest, query_at, found)
}

/// The query and fragment at `query_at` go, when there is anything in them.
fn query(at: usize, rest: &str, query_at: usize, found: &mut Vec<Found>) -> bool {
    let holds = rest.get(query_at..).is_some_and(|query| query.contains(char::is_alphanumeric));
    if holds {
        found.push(Found::new(at + query_at, at + without_closers(rest, query_at), Taken::Query));
    }
    holds
}

/// Where a query ends that began at `start`: brackets that close what was opened before it are not its own.
fn without_closers(word: &str, start: usize) -> usize {
    let query = word.get(start..).unwrap_or_default();
    let bare = query.trim_end_matches([')', ']', '}', '.', ',', ';', ':', '!', '?']);
    let tail = query.get(bare.len()..).unwrap_or_default();
    let opens = query.contains(['(', '[', '{']);
    let closer = tail.find([')', ']', '}']).filter(|_| !opens);
    start + closer.map_or(query.len(), |closer| bare.len() + closer)
}

/// Parts of a path that look like secrets go; words, numbers and slugs stay, since they tell one link from another.
fn in_path(at: usize, path: &str, found: &mut Vec<Found>) {
    let (mut begins, mut after_door) = (at, false);
    for part in path.split('/') {
        let bare = part.trim_end_matches(['.', ',', ';', ':', '!', ')', ']', '}']);
        if is_opaque(bare) || (after_door && is_guess_proof(bare)) {
            found.push(Found::new(begins, begins + bare.len(), Taken::Token));
        }
        after_door = part.len() <= 16 && DOORS.contains(&part.to_ascii_lowercase().as_str());
        begins += part.len() + 1;
    }
}

/// Queries without an address around them: `name?a=b`, `?token`. A question mark between words is none.
fn loose_queries(at: usize, word: &str, found: &mut Vec<Found>) {
    let mut from = 0;
    while let Some(mark) = word.get(from..).and_then(|rest| rest.find(['?', '#'])).map(|mark| from + mark) {
        let rest = word.get(mark + 1..).unwrap_or_default();
        let query = rest.split(|c: char| ENDS.contains(&c)).next().unwrap_or_default();
        let end = mark + 1 + query.len();
        if is_query(query) {
            found.push(Found::new(at + mark, at + end, Taken::Query));
        }
        from = end.max(mark + 1);
    }
}

/// Characters that no query holds unescaped.
const ENDS: [char; 11] = ['(', ')', '{', '}', '[', ']', '|', '^', '\\', ';', '?'];

/// A name and a value, or a piece of data alone.
fn is_query(query: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.%".contains(&byte))
    };
    match query.split_once('=') {
        Some((name, value)) => is_name(name) && !value.is_empty() && !value.starts_with(['=', '>']),
        None => {
            let data = query.trim_end_matches(|c: char| !c.is_alphanumeric());
            data.len() >= 8
                && data.bytes().any(|byte| byte.is_ascii_digit())
                && is_name(data)
                && data.bytes().any(|byte| byte.is_ascii_alphabetic())
        }
    }
}

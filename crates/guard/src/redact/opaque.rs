//! Tokens of unknown make: runs that no hand wrote and no word explains. Digests, UUIDs and their like are names of things, not
//! keys to them, and stay; so do slugs, order numbers, class names and pictures.

use super::{Found, Taken};

/// Below this, product and class names look the same.
const TOKEN_BYTES_MIN: usize = 20;
/// A longer run is data.
const TOKEN_BYTES_MAX: usize = 512;
/// A part of a path after a door may be shorter.
const DOOR_BYTES_MIN: usize = 12;
/// Fewer different characters than this carry no key.
const SIGNS_MIN: usize = 8;
/// Lengths of digests and object ids in hexadecimal.
const DIGEST_LENGTHS: [usize; 7] = [24, 32, 40, 56, 64, 96, 128];

/// Unknown tokens, JWTs and other tokens in parts.
pub(super) fn tokens(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let (mut from, bytes) = (0, text.as_bytes());
    while let Some(start) = bytes.get(from..).and_then(|rest| rest.iter().position(|byte| in_run(*byte))).map(|at| from + at) {
        let length = bytes.get(start..).map_or(0, |rest| rest.iter().take_while(|byte| in_run(**byte)).count());
        from = start + length;
        if length >= TOKEN_BYTES_MIN {
            in_whole_run(text, start, from, &mut found);
        }
    }
    found
}

/// Base64 of both alphabets, and the dot that parts tokens.
fn in_run(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.')
}

fn in_whole_run(text: &str, start: usize, end: usize, found: &mut Vec<Found>) {
    let run = text.get(start..end).unwrap_or_default();
    let before = text.get(..start).unwrap_or_default();
    if before.ends_with(";base64,") || is_integrity(run) {
        return;
    }
    let mut begins = start;
    for piece in run.split_inclusive(['.', '=']) {
        // What ends with padding, or has a plus sign in it, is one piece of base64; otherwise slashes part a path.
        let bare = piece.trim_end_matches(['.', '=']);
        if piece.len() > TOKEN_BYTES_MAX {
            // Data.
        } else if bare.contains('+') || (piece.ends_with('=') && run.ends_with('=')) {
            if is_blob(bare) {
                found.push(Found::new(begins, end_of_padding(text, begins + bare.len()), Taken::Token));
            }
        } else {
            in_path(begins, bare, found);
        }
        begins += piece.len();
    }
}

fn in_path(at: usize, path: &str, found: &mut Vec<Found>) {
    let mut begins = at;
    for part in path.split('/') {
        if is_opaque(part) {
            found.push(Found::new(begins, begins + part.len(), Taken::Token));
        }
        begins += part.len() + 1;
    }
}

fn end_of_padding(text: &str, from: usize) -> usize {
    from + text.bytes().skip(from).take(2).take_while(|byte| *byte == b'=').count()
}

/// Subresource integrity and image digests say which they are.
fn is_integrity(run: &str) -> bool {
    ["sha1-", "sha256-", "sha384-", "sha512-", "md5-"]
        .iter()
        .any(|name| run.starts_with(name) || run.contains(&format!("={name}")))
}

/// A piece of base64 as long as a key; longer ones are pictures.
fn is_blob(piece: &str) -> bool {
    let plain: String = piece.chars().filter(|c| !matches!(c, '+' | '/')).collect();
    piece.len() <= 128 && is_opaque(&plain)
}

/// Whether a run of letters, digits, dashes and underscores is a token rather than a word, a slug or an id.
pub(super) fn is_opaque(run: &str) -> bool {
    let run = run.trim_matches(['-', '_']);
    if !(TOKEN_BYTES_MIN..=TOKEN_BYTES_MAX).contains(&run.len()) || names_a_thing(run) || is_filler(run) {
        return false;
    }
    let counts = Counts::of(run);
    if counts.digits == 0 || counts.letters() == 0 || counts.other > 0 || counts.signs < SIGNS_MIN {
        return false;
    }
    let turns = counts.turns * 100;
    if counts.lower > 0 && counts.upper > 0 {
        // A camel-cased name turns once a word, a random run nearly every second character.
        turns >= run.len() * 28
    } else {
        counts.longest_part >= 16 && turns >= run.len() * 25
    }
}

/// Whether a part of an address that opens a door is too long to guess: digits and letters that are no slug.
pub(super) fn is_guess_proof(part: &str) -> bool {
    let counts = Counts::of(part);
    let mixed = counts.digits >= 2 && counts.letters() >= 2 && counts.other == 0;
    let is_id = is_uuid(part) || (part.len() >= 16 && is_hex(part));
    !is_filler(part)
        && part.len() >= DOOR_BYTES_MIN
        && (is_id || (mixed && counts.longest_part >= 10 && counts.turns * 100 >= part.len() * 20))
}

/// Whether digits, small and capital letters alternate as in no name.
pub(super) fn is_irregular(value: &str) -> bool {
    Counts::of(value).turns * 100 >= value.len() * 25
}

/// UUIDs, ULIDs and digests.
fn names_a_thing(run: &str) -> bool {
    let is_ulid =
        run.len() == 26 && run.starts_with("01") && run.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    is_ulid
        || is_uuid(run)
        || run.split(['-', '_']).filter(|part| part.len() > 12).all(|part| DIGEST_LENGTHS.contains(&part.len()) && is_hex(part))
            && has_long_part(run)
}

fn has_long_part(run: &str) -> bool {
    run.split(['-', '_']).any(|part| part.len() > 12)
}

fn is_uuid(run: &str) -> bool {
    let mut parts = run.split('-').map(|part| (part.len(), part.bytes().all(|byte| byte.is_ascii_hexdigit())));
    [8, 4, 4, 4, 12].into_iter().all(|length| parts.next() == Some((length, true))) && parts.next().is_none()
}

fn is_hex(run: &str) -> bool {
    run.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        || run.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'))
}

/// What documentation writes where a key goes.
pub(super) fn is_filler(run: &str) -> bool {
    let lower = run.to_ascii_lowercase();
    let says_so = ["example", "your", "xxxx", "placeholder", "changeme", "redacted", "dummy", "....", "****", "1234567890abcdef"];
    says_so.iter().any(|word| lower.contains(word))
}

/// What a run is made of.
#[derive(Default)]
struct Counts {
    lower: usize,
    upper: usize,
    digits: usize,
    other: usize,
    /// Changes between digits and letters, and from small to capital letters, within a part.
    turns: usize,
    longest_part: usize,
    /// Different characters.
    signs: usize,
}

impl Counts {
    fn of(run: &str) -> Self {
        let (mut counts, mut previous, mut part, mut seen) = (Self::default(), b'-', 0, 0u128);
        for byte in run.bytes() {
            match byte {
                b'a'..=b'z' => counts.lower += 1,
                b'A'..=b'Z' => counts.upper += 1,
                b'0'..=b'9' => counts.digits += 1,
                b'-' | b'_' => {}
                _ => counts.other += 1,
            }
            seen |= 1u128.checked_shl(u32::from(byte)).unwrap_or_default();
            part = if matches!(byte, b'-' | b'_') { 0 } else { part + 1 };
            counts.longest_part = counts.longest_part.max(part);
            counts.turns += usize::from(turns(previous, byte));
            previous = byte;
        }
        counts.signs = usize::try_from(seen.count_ones()).unwrap_or_default();
        counts
    }

    fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

fn turns(previous: u8, byte: u8) -> bool {
    let both = previous.is_ascii_alphanumeric() && byte.is_ascii_alphanumeric();
    both && (previous.is_ascii_digit() != byte.is_ascii_digit() || (previous.is_ascii_lowercase() && byte.is_ascii_uppercase()))
}

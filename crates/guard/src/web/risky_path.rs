//! Words in a path that mark a link as more than reading.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// The words looked for, in lower case.
pub const RISKY_WORDS: [&str; 18] = [
    "logout",
    "signout",
    "unsubscribe",
    "delete",
    "remove",
    "destroy",
    "checkout",
    "purchase",
    "payment",
    "download",
    "export",
    "oauth",
    "authorize",
    "login",
    "signin",
    "signup",
    "register",
    "confirm",
];

/// How often a path is percent-decoded; servers that decode twice exist, and one that decodes six times does not.
const DECODING_ROUNDS_MAX: usize = 5;

const MALFORMED_ESCAPE: &str = "a malformed percent-escape";
const NESTED_ESCAPES: &str = "percent-escapes nested too deep";

/// The first risky word in a path, or a phrase for a path that can't be decoded, which counts as risky.
///
/// The path is percent-decoded until nothing changes, then compatibility-normalised (NFKC), so that `%256cogout` and
/// full-width letters are read. A word counts only between the ends of the path and `/`, `_`, `-` or `.`, in any
/// letter case: `/blog/checkouts` is not risky. Only structure is judged from it; a page can name a link as it likes.
pub fn risky_path_words(path: &str) -> Option<&'static str> {
    let decoded = match decode(path) {
        Ok(decoded) => decoded,
        Err(phrase) => return Some(phrase),
    };
    let folded: String = decoded.nfkc().collect::<String>().to_lowercase();
    folded.split(['/', '_', '-', '.']).find_map(|part| RISKY_WORDS.into_iter().find(|word| *word == part))
}

fn decode(path: &str) -> Result<Cow<'_, str>, &'static str> {
    let mut text = Cow::Borrowed(path);
    for _ in 0..DECODING_ROUNDS_MAX {
        match decode_once(&text)? {
            None => return Ok(text),
            Some(decoded) => text = Cow::Owned(decoded),
        }
    }
    if text.contains('%') { Err(NESTED_ESCAPES) } else { Ok(text) }
}

/// One round; `None` when there was nothing to decode. Bytes that are no UTF-8 are malformed too.
fn decode_once(text: &str) -> Result<Option<String>, &'static str> {
    if !text.contains('%') {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).ok_or(MALFORMED_ESCAPE)?;
        // A sign would pass the number parser but is no hex digit.
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(MALFORMED_ESCAPE);
        }
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| MALFORMED_ESCAPE)?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).map(Some).map_err(|_| MALFORMED_ESCAPE)
}

#[cfg(test)]
#[path = "risky_path_tests.rs"]
mod tests;

//! Files that a site offers: which answers are files, what one may be called, and what a person reads before one is taken.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::effect::RequestFacts;
use crate::gate::After;
use crate::secret::Scrubber;
use crate::untrusted::clean;

/// Bytes of a name; file systems take 255, and a number may be added.
const NAME_BYTES_MAX: usize = 180;
/// Bytes of an ending that is kept when a name is cut.
const ENDING_BYTES_MAX: usize = 16;
/// What a file without a usable name is called.
const NAMELESS: &str = "download";

/// Names that some systems take for a device, whatever their ending.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Types that Chromium shows in the page, besides pictures, sound and film. A PDF is not among them: nobody reads its viewer here.
const SHOWN: [&str; 9] = [
    "text/html",
    "text/plain",
    "text/css",
    "text/xml",
    "text/javascript",
    "application/javascript",
    "application/json",
    "application/xml",
    "multipart/x-mixed-replace",
];

/// A file that a site offers, as far as its head tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Where it is.
    pub url: String,
    /// What it would be called, made safe.
    pub name: String,
    /// The type that the site says it has, or the empty string.
    pub declared: String,
    /// How long the site says it is, bytes.
    pub length: Option<u64>,
}

/// A file with all that a permit binds.
pub struct Download {
    /// What is known of it.
    pub facts: FileFacts,
    /// Which action it followed, if one.
    pub after: Option<After>,
    /// Takes secrets out of what is shown and recorded.
    pub scrub: Scrubber,
}

impl std::fmt::Debug for Download {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Download({})", self.facts.name)
    }
}

/// Whether a request could end as a file: a navigation, of the page or of a frame, or what `<a download>` sends.
#[must_use]
pub fn may_give_a_file(request: &RequestFacts) -> bool {
    let dest = request.dest.as_deref();
    let navigates = request.is_navigation() && matches!(dest, Some("document" | "iframe" | "frame" | "empty"));
    let asked_by_browser = request.method == "GET" && request.mode.as_deref() == Some("no-cors") && dest == Some("empty");
    navigates || asked_by_browser
}

/// Whether an answer is a file: the site says so, or it is of a type that a browser would save. An answer without a type is left
/// to the browser, which saves nothing.
#[must_use]
pub fn is_file(content_type: Option<&str>, disposition: Option<&str>) -> bool {
    let kind = |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if disposition.is_some_and(|text| kind(text) == "attachment") {
        return true;
    }
    let Some(declared) = content_type.map(kind).filter(|declared| !declared.is_empty()) else { return false };
    let media = ["image/", "audio/", "video/"].iter().any(|family| declared.starts_with(family));
    let marked_up = declared.ends_with("+xml") || declared.ends_with("+json");
    !(media || marked_up || SHOWN.contains(&declared.as_str()))
}

/// What a file is called here: the name that the site gives, or the end of the address, as one harmless file name.
#[must_use]
pub fn name_of(disposition: Option<&str>, url: &str) -> String {
    let given = disposition.and_then(given_name).map(|name| safe_name(&name));
    given.filter(|name| name != NAMELESS).unwrap_or_else(|| safe_name(&last_of(url)))
}

fn last_of(url: &str) -> String {
    let url = url::Url::parse(url).ok();
    let last = url.as_ref().and_then(|url| url.path_segments()?.next_back().map(str::to_owned)).unwrap_or_default();
    percent_decoded(&last)
}

fn percent_decoded(text: &str) -> String {
    // A plus stays a plus: this is no form.
    let escaped = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    url::form_urlencoded::parse(escaped.as_bytes()).next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}

/// The file name in a `Content-Disposition` (RFC 6266); the extended form (RFC 8187) goes before the plain one.
fn given_name(disposition: &str) -> Option<String> {
    let parameters = split_parameters(disposition);
    let value_of = |wanted: &str| {
        parameters.iter().find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim().eq_ignore_ascii_case(wanted).then(|| unquoted(value.trim()))
        })
    };
    let extended = value_of("filename*").and_then(|value| {
        let mut parts = value.splitn(3, '\'');
        let (charset, _, text) = (parts.next()?, parts.next()?, parts.next()?);
        charset.eq_ignore_ascii_case("utf-8").then(|| percent_decoded(text))
    });
    extended.or_else(|| value_of("filename"))
}

/// Splits at semicolons outside quotes.
fn split_parameters(text: &str) -> Vec<String> {
    let (mut parts, mut quoted, mut escaped) = (vec![String::new()], false, false);
    for c in text.chars() {
        match c {
            ';' if !quoted => parts.push(String::new()),
            _ => {
                quoted ^= c == '"' && !escaped;
                if let Some(last) = parts.last_mut() {
                    last.push(c);
                }
            }
        }
        escaped = quoted && c == '\\' && !escaped;
    }
    parts
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) else { return value.to_owned() };
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    out
}

/// One file name: no folder, no device, nothing that turns or hides text, no leading dot, not too long, its ending kept.
#[must_use]
pub fn safe_name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = clean(last).nfc().map(|c| if is_awkward(c) { '_' } else { c }).collect();
    let trimmed = plain.trim_matches(|c: char| c == '.' || c.is_whitespace());
    let cut = cut_to_length(trimmed);
    let stem = cut.split('.').next().unwrap_or_default().trim().to_ascii_lowercase();
    match stem.as_str() {
        "" => NAMELESS.to_owned(),
        _ if is_device(&stem) => format!("_{cut}"),
        _ => cut,
    }
}

fn is_awkward(c: char) -> bool {
    c.is_control() || matches!(c, '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*' | '~' | '$' | '`' | '\n')
}

fn is_device(stem: &str) -> bool {
    let numbered =
        |family: &str| stem.strip_prefix(family).is_some_and(|rest| rest.chars().count() == 1 && !rest.starts_with('0'));
    DEVICES.contains(&stem) || numbered("com") || numbered("lpt")
}

fn cut_to_length(name: &str) -> String {
    if name.len() <= NAME_BYTES_MAX {
        return name.to_owned();
    }
    let ending = name.rfind('.').map_or("", |dot| &name[dot..]);
    let ending = if ending.len() <= ENDING_BYTES_MAX { ending } else { "" };
    let mut stem = String::new();
    for c in name.chars() {
        if stem.len() + c.len_utf8() + ending.len() > NAME_BYTES_MAX {
            break;
        }
        stem.push(c);
    }
    format!("{}{ending}", stem.trim_end_matches(['.', ' ']))
}

#[cfg(test)]
#[path = "download_tests.rs"]
mod tests;

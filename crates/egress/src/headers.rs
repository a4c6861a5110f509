//! Which headers go on and which stay here.

use http::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Headers that are about one connection (RFC 9110 section 7.6.1), and those that the edge writes itself.
const HOP_BY_HOP: [&str; 13] = [
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "expect",
    "http2-settings",
    "alt-used",
    "content-length",
    "proxy-authorization",
    "proxy-authenticate",
    "proxy-connection",
];

/// Response headers by which an origin would have the browser talk to someone, or by another road, on its own account.
const SIDE_ROADS: [&str; 7] = [
    "alt-svc",
    "nel",
    "report-to",
    "reporting-endpoints",
    "speculation-rules",
    "content-security-policy-report-only",
    "expect-ct",
];

/// Relations of a `Link` header that make the browser fetch or connect ahead of need.
const AHEAD_OF_NEED: [&str; 4] = ["prefetch", "prerender", "preconnect", "dns-prefetch"];

/// The headers of a request as they go to the origin.
pub(crate) fn to_origin(headers: &HeaderMap) -> HeaderMap {
    copy(headers, |_| true)
}

/// The headers of a response as they go to the browser; the length is kept, the body's bytes are.
pub(crate) fn to_browser(headers: &HeaderMap) -> HeaderMap {
    let mut kept = copy(headers, |name| !SIDE_ROADS.contains(&name.as_str()) && name != header::LINK);
    if headers.get_all(header::WWW_AUTHENTICATE).iter().any(prompts) {
        // The browser would ask a person for a password that is not the site's business with Clicket.
        kept.remove(header::WWW_AUTHENTICATE);
    }
    let mut lengths = headers.get_all(header::CONTENT_LENGTH).iter();
    if let (Some(length), None) = (lengths.next(), lengths.next()) {
        kept.insert(header::CONTENT_LENGTH, length.clone());
    }
    for link in headers.get_all(header::LINK) {
        if let Some(link) = link.to_str().ok().map(without_ahead_of_need).filter(|link| !link.is_empty())
            && let Ok(value) = HeaderValue::from_str(&link)
        {
            kept.append(header::LINK, value);
        }
    }
    kept
}

/// Whether a challenge makes a browser ask for a name and password, or log in by the system's account; a script's bearer does not.
fn prompts(value: &HeaderValue) -> bool {
    let text = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
    ["basic", "digest", "ntlm", "negotiate"].iter().any(|scheme| text.split([' ', ',']).any(|word| word == *scheme))
}

fn copy(headers: &HeaderMap, keep: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let mut named: Vec<String> = Vec::new();
    for value in headers.get_all(header::CONNECTION) {
        let text = value.to_str().unwrap_or_default();
        named.extend(text.split(',').map(|name| name.trim().to_ascii_lowercase()));
    }
    let mut kept = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let text = name.as_str();
        if !HOP_BY_HOP.contains(&text) && !named.iter().any(|n| n == text) && keep(name) {
            kept.append(name.clone(), value.clone());
        }
    }
    kept
}

/// Drops the parts of a `Link` header (RFC 8288) that ask for something ahead of need.
fn without_ahead_of_need(value: &str) -> String {
    let parts = split_links(value);
    let kept: Vec<&str> = parts.into_iter().map(str::trim).filter(|part| !part.is_empty() && !is_ahead_of_need(part)).collect();
    kept.join(", ")
}

fn is_ahead_of_need(link: &str) -> bool {
    let lower = link.to_ascii_lowercase();
    // Words of the whole parameter part are looked at, so that an odd spelling drops a link rather than keeps it.
    let parameters = lower.rsplit_once('>').map_or(lower.as_str(), |(_, after)| after);
    parameters.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|word| AHEAD_OF_NEED.contains(&word))
}

/// Splits at commas that are neither inside `<...>` nor inside quotes.
fn split_links(value: &str) -> Vec<&str> {
    let (mut parts, mut start, mut in_angle, mut in_quotes) = (Vec::new(), 0, false, false);
    for (at, byte) in value.bytes().enumerate() {
        match byte {
            b'<' if !in_quotes => in_angle = true,
            b'>' if !in_quotes => in_angle = false,
            b'"' if !in_angle => in_quotes = !in_quotes,
            b',' if !in_angle && !in_quotes => {
                parts.push(value.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(value.get(start..).unwrap_or_default());
    parts
}

#[cfg(test)]
#[path = "headers_tests.rs"]
mod tests;

//! URLs, origins and sites as the rest of the house may use them: parsed once, checked, in one spelling.
//!
//! The parser is the `url` crate (WHATWG URL). What it would repair in silence is refused here instead, because two
//! programs that repair a URL differently can be made to disagree on where it leads.

mod origin;
mod risky_path;
mod site;

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use url::{Host, Position, Url};

pub use origin::{Origin, OriginHost, OriginReason, Scheme};
pub use risky_path::{RISKY_WORDS, risky_path_words};
pub use site::{Site, SiteReason, same_site};

/// The longest URL that is read, in bytes, before and after parsing. Sign-in redirects reach about eight thousand;
/// common servers stop there too.
pub const URL_BYTES_MAX: usize = 16_384;

/// Why a text is not taken as a URL. `Display` gives one clause that says what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlReason {
    /// Nothing there.
    #[error("the URL is empty")]
    Empty,
    /// Longer than [`URL_BYTES_MAX`].
    #[error("the URL is longer than {URL_BYTES_MAX} bytes")]
    TooLong,
    /// White space around the URL, which parsers cut off.
    #[error("the URL has white space around it")]
    Untrimmed,
    /// A control character, such as a tab or a new line, which parsers leave out.
    #[error("the URL has a control character in it, such as a tab or a new line")]
    ControlCharacter,
    /// A backslash before the query, which browsers read as a slash and others do not.
    #[error("the URL has a backslash in it, which browsers read as a slash")]
    Backslash,
    /// Anything but `http` and `https`.
    #[error("only http and https URLs are opened")]
    Scheme,
    /// Not exactly two slashes after the scheme.
    #[error("the URL needs exactly two slashes after its scheme")]
    Slashes,
    /// A user name, a password, or an `@` where they would be.
    #[error("the URL has a user name or password (an @ before the path), which can hide the real host")]
    UserInfo,
    /// A host that parsers rewrite; `canonical` is what they would make of it.
    #[error("the host is written in an unusual way; if you mean {canonical}, write that")]
    HostSpelling {
        /// The host in the one spelling that is accepted.
        canonical: String,
    },
    /// A port that is empty, has leading zeros, or is 0.
    #[error("the port is written in an unusual way, or is 0")]
    PortSpelling,
    /// The parser refuses it.
    #[error("the URL can't be parsed: {0}")]
    Parse(url::ParseError),
    /// Parsing the result again gives something else.
    #[error("the URL changes each time it is parsed")]
    NotFixedPoint,
}

/// A checked `http` or `https` URL.
///
/// Invariant: it has a host, no user information, at most [`URL_BYTES_MAX`] bytes, and reads back as itself; the test
/// `whatever_is_read_reads_back_as_itself` would fail. That the host is public is judged elsewhere: its name by
/// [`crate::address::refuse_name`], its addresses by [`crate::address::judge`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebUrl(Url);

impl WebUrl {
    /// Reads a URL as a program, a policy or a page writes it: with scheme and without repair.
    ///
    /// # Errors
    /// See [`UrlReason`].
    pub fn read(text: &str) -> Result<Self, UrlReason> {
        refuse_raw_text(text)?;
        let rest = after_scheme(text)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (raw_host, raw_port) = split_authority(authority)?;
        let url = Url::parse(text).map_err(UrlReason::Parse)?;
        refuse_port_spelling(raw_port)?;
        refuse_host_spelling(raw_host, url.host_str().unwrap_or_default())?;
        Self::settled(url)
    }

    /// Reads a URL as a person types it: white space around it is dropped, and a missing scheme is `https`.
    ///
    /// # Errors
    /// See [`UrlReason`].
    pub fn read_typed(text: &str) -> Result<Self, UrlReason> {
        let trimmed = text.trim();
        if trimmed.len() > URL_BYTES_MAX {
            return Err(UrlReason::TooLong);
        }
        if trimmed.is_empty() || has_scheme(trimmed) {
            return Self::read(trimmed);
        }
        Self::read(&format!("https://{trimmed}"))
    }

    /// Reads a link or a `Location` against this URL. The rules of [`WebUrl::read`] hold for what the reference
    /// itself spells.
    ///
    /// # Errors
    /// See [`UrlReason`].
    pub fn resolve(&self, reference: &str) -> Result<Self, UrlReason> {
        if !reference.is_empty() {
            refuse_raw_text(reference)?;
        }
        if reference.starts_with("//") {
            return Self::read(&format!("{}:{reference}", self.0.scheme()));
        }
        if has_scheme_name(reference) {
            return Self::read(reference);
        }
        Self::settled(self.0.join(reference).map_err(UrlReason::Parse)?)
    }

    /// The last checks, on the parsed form.
    fn settled(url: Url) -> Result<Self, UrlReason> {
        if url.as_str().len() > URL_BYTES_MAX {
            return Err(UrlReason::TooLong);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlReason::UserInfo);
        }
        if url.host().is_none() {
            return Err(UrlReason::Parse(url::ParseError::EmptyHost));
        }
        match Url::parse(url.as_str()) {
            Ok(again) if again.as_str() == url.as_str() => Ok(Self(url)),
            Ok(_) | Err(_) => Err(UrlReason::NotFixedPoint),
        }
    }

    /// The parsed URL.
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// The whole URL as text, query and fragment included; it may hold secrets.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Its origin.
    pub fn origin(&self) -> Origin {
        Origin::of_checked(self)
    }

    /// The host as text; an IPv6 address is in brackets.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The host as an IP address, when it is one.
    pub fn address(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Ipv4(ip) => Some(IpAddr::V4(ip)),
            Host::Ipv6(ip) => Some(IpAddr::V6(ip)),
            Host::Domain(_) => None,
        }
    }

    /// The site its host is under, when it is under one.
    pub fn site(&self) -> Option<Site> {
        Site::of_host(self.host())
    }

    /// The same URL without its fragment, which is never sent.
    #[must_use]
    pub fn without_fragment(&self) -> Self {
        let mut url = self.0.clone();
        url.set_fragment(None);
        Self(url)
    }

    /// Scheme, host, port and path, for records and for people; query and fragment may hold secrets.
    pub fn public_form(&self) -> &str {
        &self.0[..Position::AfterPath]
    }

    /// Whether the port is 80 or 443. Any other needs an origin that the operator listed.
    pub fn port_is_ordinary(&self) -> bool {
        matches!(self.0.port_or_known_default(), Some(80 | 443))
    }
}

/// Shows the public form only, so that no log prints a query by accident.
impl fmt::Debug for WebUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "WebUrl({})", self.public_form())
    }
}

impl TryFrom<String> for WebUrl {
    type Error = UrlReason;

    fn try_from(text: String) -> Result<Self, UrlReason> {
        Self::read(&text)
    }
}

impl From<WebUrl> for String {
    fn from(url: WebUrl) -> Self {
        url.0.into()
    }
}

/// What can be told from the characters alone, before any parser repairs them.
fn refuse_raw_text(text: &str) -> Result<(), UrlReason> {
    if text.is_empty() {
        return Err(UrlReason::Empty);
    }
    if text.len() > URL_BYTES_MAX {
        return Err(UrlReason::TooLong);
    }
    if text.trim().len() != text.len() {
        return Err(UrlReason::Untrimmed);
    }
    if text.chars().any(char::is_control) {
        return Err(UrlReason::ControlCharacter);
    }
    let before_query = text.split(['?', '#']).next().unwrap_or_default();
    if before_query.contains('\\') {
        return Err(UrlReason::Backslash);
    }
    Ok(())
}

/// The text after `http://` or `https://`, which must be there with exactly two slashes.
fn after_scheme(text: &str) -> Result<&str, UrlReason> {
    let (scheme, rest) = text.split_once(':').ok_or(UrlReason::Scheme)?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(UrlReason::Scheme);
    }
    let rest = rest.strip_prefix("//").ok_or(UrlReason::Slashes)?;
    if rest.starts_with('/') {
        return Err(UrlReason::Slashes);
    }
    Ok(rest)
}

/// Whether a typed text starts with a scheme; `shop.example:8443` has a port instead.
fn has_scheme(text: &str) -> bool {
    let Some((_, after)) = text.split_once(':') else {
        return false;
    };
    let up_to_path = after.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = !up_to_path.is_empty() && up_to_path.bytes().all(|byte| byte.is_ascii_digit());
    has_scheme_name(text) && !is_port
}

/// Whether a reference starts with a scheme name and a colon (RFC 3986 section 3.1).
fn has_scheme_name(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else {
        return false;
    };
    let mut bytes = scheme.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Host and port of an authority as they are spelled; the port without its colon.
fn split_authority(authority: &str) -> Result<(&str, Option<&str>), UrlReason> {
    if authority.contains('@') {
        return Err(UrlReason::UserInfo);
    }
    let after_brackets = authority.rfind(']').map_or(0, |bracket| bracket + 1);
    let tail = authority.get(after_brackets..).unwrap_or_default();
    match tail.find(':') {
        None => Ok((authority, None)),
        Some(colon) => {
            let (host, port) = authority.split_at(after_brackets + colon);
            Ok((host, port.get(1..)))
        }
    }
}

fn refuse_port_spelling(raw_port: Option<&str>) -> Result<(), UrlReason> {
    match raw_port {
        Some(port) if port.is_empty() || port.starts_with('0') => Err(UrlReason::PortSpelling),
        Some(_) | None => Ok(()),
    }
}

/// Refuses a host that the parser rewrote by more than letter case or by writing a label of another script as `xn--`.
fn refuse_host_spelling(raw: &str, canonical: &str) -> Result<(), UrlReason> {
    let is_plain = if raw.is_ascii() { raw.eq_ignore_ascii_case(canonical) } else { same_labels(raw, canonical) };
    if is_plain && !canonical.ends_with('.') {
        return Ok(());
    }
    let canonical = canonical.trim_end_matches('.').to_owned();
    Err(UrlReason::HostSpelling { canonical })
}

/// Whether each label in another script became an `xn--` label, and every other label stayed as it was. Full-width
/// letters, other full stops and characters that vanish fail this.
fn same_labels(raw: &str, canonical: &str) -> bool {
    let same = |(raw, canonical): (&str, &str)| {
        if raw.is_ascii() { raw.eq_ignore_ascii_case(canonical) } else { canonical.starts_with("xn--") }
    };
    raw.split('.').count() == canonical.split('.').count() && raw.split('.').zip(canonical.split('.')).all(same)
}

#[cfg(test)]
#[path = "web_tests.rs"]
mod tests;

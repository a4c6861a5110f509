//! Origins: scheme, host and port, in one spelling.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::{UrlReason, WebUrl};

/// The two schemes a page may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// In clear.
    Http,
    /// Over TLS.
    Https,
}

impl Scheme {
    /// As it is written before the colon.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port that is left out when written.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// An origin (HTML standard, "tuple origin"): what a page may be told apart by. Written `https://shop.example`, with
/// the port only when it is not the scheme's own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Origin {
    scheme: Scheme,
    host: String,
    port: u16,
}

/// The host of an origin, told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginHost<'a> {
    /// A DNS name in canonical spelling.
    Name(&'a str),
    /// A literal address.
    Address(IpAddr),
}

/// Why a text is no origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OriginReason {
    /// It is no URL either.
    #[error(transparent)]
    Url(#[from] UrlReason),
    /// It has more than an origin, or spells it differently.
    #[error("an origin is a scheme, a host and perhaps a port, with nothing after them: write {canonical}")]
    NotAlone {
        /// The origin as it should be written.
        canonical: String,
    },
}

impl Origin {
    /// Reads an origin that stands alone: no path (not even `/`), query, fragment or user information. The scheme's
    /// own port and capital letters are accepted and not kept.
    ///
    /// # Errors
    /// See [`OriginReason`].
    pub fn read(text: &str) -> Result<Self, OriginReason> {
        let origin = WebUrl::read(text)?.origin();
        let canonical = origin.to_string();
        // A default port is never part of the canonical form, so it is compared with the port written out as well.
        let with_port = format!("{}://{}:{}", origin.scheme.as_str(), origin.host, origin.port);
        let ascii_same = text.eq_ignore_ascii_case(&canonical) || text.eq_ignore_ascii_case(&with_port);
        if ascii_same { Ok(origin) } else { Err(OriginReason::NotAlone { canonical }) }
    }

    /// The origin of a URL; none when the scheme is neither `http` nor `https`.
    pub fn of(url: &Url) -> Option<Self> {
        let scheme = match url.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return None,
        };
        Some(Self { scheme, host: url.host_str()?.to_owned(), port: url.port().unwrap_or(scheme.default_port()) })
    }

    /// A checked URL always has one.
    pub(super) fn of_checked(url: &WebUrl) -> Self {
        let scheme = if url.url().scheme() == "http" { Scheme::Http } else { Scheme::Https };
        Self { scheme, host: url.host().to_owned(), port: url.url().port().unwrap_or(scheme.default_port()) }
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host in canonical spelling; an IPv6 address is in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, the scheme's own included.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The host as a name or an address.
    pub fn parsed_host(&self) -> OriginHost<'_> {
        match Host::parse(&self.host) {
            Ok(Host::Ipv4(ip)) => OriginHost::Address(IpAddr::V4(ip)),
            Ok(Host::Ipv6(ip)) => OriginHost::Address(IpAddr::V6(ip)),
            Ok(Host::Domain(_)) | Err(_) => OriginHost::Name(&self.host),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}://{}", self.scheme.as_str(), self.host)?;
        if self.port == self.scheme.default_port() { Ok(()) } else { write!(out, ":{}", self.port) }
    }
}

impl TryFrom<String> for Origin {
    type Error = OriginReason;

    fn try_from(text: String) -> Result<Self, OriginReason> {
        Self::read(&text)
    }
}

impl From<Origin> for String {
    fn from(origin: Origin) -> Self {
        origin.to_string()
    }
}

#[cfg(test)]
#[path = "origin_tests.rs"]
mod tests;

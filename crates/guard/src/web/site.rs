//! Sites: the part of a host name that one owner registered.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// A site: the registrable domain by the Public Suffix List with its private part (so each name under `github.io`
/// is a site of its own), or an IP address, or `localhost`, which are each their own site.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Site(String);

/// Why a text names no site.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SiteReason {
    /// Not a host name in canonical spelling.
    #[error("{text:?} is not a host name: write only the name, as in shop.example")]
    NotAHost {
        /// What was given, cut to a printable length.
        text: String,
    },
    /// Everyone can register below it.
    #[error("{suffix} is a public suffix, under which anyone can have a site: name the site below it")]
    PublicSuffix {
        /// The suffix.
        suffix: String,
    },
    /// A host within a site, which would allow less than it seems to, or more.
    #[error("{host} is a host within the site {site}: write {site}")]
    WithinSite {
        /// What was given.
        host: String,
        /// The site it belongs to.
        site: String,
    },
}

/// How much of a wrong text a message repeats, in characters.
const SHOWN_CHARS_MAX: usize = 80;

impl Site {
    /// Reads a site that an operator lists, such as `shop.example`.
    ///
    /// # Errors
    /// When the text is no host name, is a public suffix such as `co.uk`, or is a host below a site's name.
    pub fn read(text: &str) -> Result<Self, SiteReason> {
        if !is_canonical_host(text) {
            let text = text.chars().take(SHOWN_CHARS_MAX).collect();
            return Err(SiteReason::NotAHost { text });
        }
        match Self::of_host(text) {
            Some(site) if site.0 == text => Ok(site),
            Some(site) => Err(SiteReason::WithinSite { host: text.to_owned(), site: site.0 }),
            None => Err(SiteReason::PublicSuffix { suffix: text.to_owned() }),
        }
    }

    /// The site a host is in. None for a public suffix, a single label other than `localhost`, and what is no host.
    pub fn of_host(host: &str) -> Option<Self> {
        let host = host.strip_suffix('.').unwrap_or(host);
        match Host::parse(host).ok()? {
            Host::Ipv4(ip) => Some(Self(ip.to_string())),
            Host::Ipv6(ip) => Some(Self(format!("[{ip}]"))),
            Host::Domain(name) if name == "localhost" => Some(Self(name)),
            Host::Domain(name) if name.split('.').any(str::is_empty) => None,
            Host::Domain(name) => psl::domain_str(&name).map(|site| Self(site.to_owned())),
        }
    }

    /// Whether a host is in this site.
    pub fn contains_host(&self, host: &str) -> bool {
        Self::of_host(host).as_ref() == Some(self)
    }

    /// The site's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether the text is a host exactly as a URL parser writes it.
fn is_canonical_host(text: &str) -> bool {
    match Host::parse(text) {
        Ok(host) => host.to_string() == text && !text.split('.').any(str::is_empty),
        Err(_) => false,
    }
}

impl fmt::Display for Site {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for Site {
    type Error = SiteReason;

    fn try_from(text: String) -> Result<Self, SiteReason> {
        Self::read(&text)
    }
}

impl From<Site> for String {
    fn from(site: Site) -> Self {
        site.0
    }
}

/// Whether two URLs are in one site. Scheme and port don't count (HTML calls this "schemelessly same site"): what a
/// site's owner can reach over `https` is theirs over `http` as well, and who asks for TLS says so by an origin.
/// Two URLs without a site are never in one.
pub fn same_site(a: &Url, b: &Url) -> bool {
    let site = |url: &Url| url.host_str().and_then(Site::of_host);
    match (site(a), site(b)) {
        (Some(a), Some(b)) => a == b,
        (None, _) | (_, None) => false,
    }
}

#[cfg(test)]
#[path = "site_tests.rs"]
mod tests;

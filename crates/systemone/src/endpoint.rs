//! Where a model is asked and with which key: both checked before anything is sent.

use std::fmt;

use url::{Host, Url};

/// The vendor's base.
pub const DEFAULT_BASE: &str = "https://api.typesafe.ai";
/// The vendor's alias for its current model.
pub const DEFAULT_MODEL: &str = "jev-latest";
/// Environment variable that holds the vendor's key.
pub const KEY_VARIABLE: &str = "TYPESAFE_API_KEY";

/// Longest key taken, in bytes.
const KEY_BYTES_MAX: usize = 4096;

/// What is wrong with a base URL, a key or a model name. Messages never hold the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigFault {
    /// The base URL cannot be read.
    #[error("the model's base URL cannot be read; write it like {DEFAULT_BASE}")]
    BaseUnreadable,
    /// Neither HTTPS nor HTTP to this machine.
    #[error("the model's base URL must be https://, or http:// to this machine (127.0.0.1, [::1] or localhost)")]
    BaseNotSecure,
    /// The base URL has a user, a password, a query or a fragment.
    #[error("the model's base URL must have no user, password, query or fragment; give the key in {KEY_VARIABLE}")]
    BaseHasExtras,
    /// The key is empty.
    #[error("{KEY_VARIABLE} is empty; set it to your key, or use the built-in model")]
    KeyEmpty,
    /// The key has spaces, line breaks or letters outside ASCII.
    #[error("{KEY_VARIABLE} holds something that is no key (spaces, line breaks or letters outside ASCII); copy it again")]
    KeyUnprintable,
    /// The vendor's service is asked without a key.
    #[error("{DEFAULT_BASE} needs a key; set {KEY_VARIABLE}, or use the built-in model")]
    KeyMissing,
    /// The model's name is empty, too long or has spaces.
    #[error("the model's name must be 1 to 200 printable ASCII characters without spaces")]
    ModelName,
    /// No trusted root certificate was found on this machine.
    #[error("no trusted root certificates were found on this machine; install the package ca-certificates")]
    NoRoots,
    /// The TLS library refused its settings.
    #[error("the TLS library cannot be set up ({detail})")]
    Tls {
        /// What it said.
        detail: String,
    },
}

/// A bearer key.
///
/// Invariant: it has no Display, and Debug does not show it; test `a_key_is_never_printed`.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key as it stands in an environment variable or a file: trimmed, then printable ASCII without spaces.
    pub fn new(raw: &str) -> Result<Self, ConfigFault> {
        let key = raw.trim();
        match key {
            "" => Err(ConfigFault::KeyEmpty),
            _ if key.len() > KEY_BYTES_MAX || !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err(ConfigFault::KeyUnprintable)
            }
            _ => Ok(Self(key.to_owned())),
        }
    }

    /// The header that carries it. The only way out.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(hidden)")
    }
}

/// A checked base URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    url: Url,
}

impl Base {
    /// Takes `https://host[:port][/prefix]`, or the same with `http` when the host is this machine.
    pub fn parse(text: &str) -> Result<Self, ConfigFault> {
        let url = Url::parse(text.trim()).map_err(|_| ConfigFault::BaseUnreadable)?;
        let host = url.host().ok_or(ConfigFault::BaseUnreadable)?;
        let local = match host {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        if !(url.scheme() == "https" || url.scheme() == "http" && local) {
            return Err(ConfigFault::BaseNotSecure);
        }
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            return Err(ConfigFault::BaseHasExtras);
        }
        Ok(Self { url })
    }

    /// The vendor's own base.
    pub fn vendor() -> Result<Self, ConfigFault> {
        Self::parse(DEFAULT_BASE)
    }

    /// Whether requests to it are encrypted; if not, they stay on this machine.
    pub fn is_encrypted(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether it is the vendor's own service, which never answers without a key.
    pub fn is_vendor(&self) -> bool {
        self.url.host_str() == Some("api.typesafe.ai")
    }

    /// Host and, where it is not the scheme's own, port.
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// The base as text, without trailing slashes.
    pub fn text(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }

    /// Address of the evaluation call; a path of the base stays in front.
    pub(crate) fn evaluate_url(&self) -> String {
        format!("{}/v1/systemone", self.text())
    }
}

/// Checks a model name.
pub(crate) fn check_model_name(model: &str) -> Result<(), ConfigFault> {
    let fine = !model.is_empty() && model.len() <= 200 && model.bytes().all(|byte| byte.is_ascii_graphic());
    if fine { Ok(()) } else { Err(ConfigFault::ModelName) }
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;

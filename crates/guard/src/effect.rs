//! A request as the edge saw it: what would be sent, and what the browser says about why.

use clicket_journal::Digest;
use serde::{Deserialize, Serialize};

/// Exactly what would be sent: compared byte for byte before it leaves.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct RequestImage {
    /// Method, as sent.
    pub method: String,
    /// Absolute address.
    pub url: String,
    /// Every header that would be sent, in order.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Vec<u8>,
}

impl RequestImage {
    /// Digest over method, address, every header in order, and body; lengths keep the parts apart.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut bytes = Vec::with_capacity(self.body.len() + 1_024);
        let mut part = |data: &[u8]| {
            bytes.extend_from_slice(&(data.len() as u64).to_be_bytes());
            bytes.extend_from_slice(data);
        };
        part(self.method.as_bytes());
        part(self.url.as_bytes());
        part(&(self.headers.len() as u64).to_be_bytes());
        for (name, value) in &self.headers {
            part(name.as_bytes());
            part(value.as_bytes());
        }
        part(&self.body);
        Digest::of(&bytes)
    }

    /// The value of a header, if it is sent once.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        let first = found.next();
        if found.next().is_some() {
            return None;
        }
        first.map(|(_, value)| value.as_str())
    }
}

impl std::fmt::Debug for RequestImage {
    /// Headers and body may hold secrets; only their sizes are shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RequestImage({} with {} headers, {} body bytes)", self.method, self.headers.len(), self.body.len())
    }
}

/// What is known of a request before its body is looked at. `Sec-Fetch-*` come from the browser and
/// may only tighten a decision: behind a service worker, and on plain-HTTP hosts, they are absent or wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestFacts {
    /// Method in upper case.
    pub method: String,
    /// Absolute address.
    pub url: String,
    /// `Origin` header.
    pub origin: Option<String>,
    /// `Sec-Fetch-Dest`.
    pub dest: Option<String>,
    /// `Sec-Fetch-Mode`.
    pub mode: Option<String>,
    /// `Sec-Fetch-Site`.
    pub site: Option<String>,
    /// `Sec-Fetch-User`.
    pub user: bool,
    /// `Sec-Purpose` or `Purpose`.
    pub purpose: Option<String>,
    /// `Content-Type`, lower case.
    pub content_type: Option<String>,
    /// `Access-Control-Request-Method`, on a preflight.
    pub preflight_for: Option<String>,
    /// Asks to become another protocol.
    pub upgrade: bool,
    /// Names another method than its own, which some servers act on.
    #[serde(default)]
    pub overrides_method: bool,
}

/// Headers by which a request names another method than its own.
pub const METHOD_OVERRIDES: [&str; 3] = ["x-http-method-override", "x-http-method", "x-method-override"];

impl RequestFacts {
    /// True when the browser says that a document would be replaced by the answer.
    #[must_use]
    pub fn is_navigation(&self) -> bool {
        self.mode.as_deref() == Some("navigate")
    }
}

//! Host names that are refused before anyone resolves them.

use std::fmt;

use url::Host;

/// The longest host name in bytes, without a final dot (RFC 1035 section 2.3.4, as text).
pub const HOST_BYTES_MAX: usize = 253;
/// The longest label in bytes (RFC 1035 section 2.3.4).
pub const LABEL_BYTES_MAX: usize = 63;

/// Why a name is not resolved. `Display` gives one clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameReason {
    /// No name at all.
    Empty,
    /// Longer than [`HOST_BYTES_MAX`].
    TooLong,
    /// A label longer than [`LABEL_BYTES_MAX`].
    LabelTooLong,
    /// Two dots in a row, or one at the start.
    EmptyLabel,
    /// Not the spelling that a URL parser writes: other scripts, escapes, a disguised IPv4 address.
    NotCanonical,
    /// One label, which only a search list or a local service could resolve.
    SingleLabel,
    /// Under a name that is reserved for something other than the public DNS.
    Reserved {
        /// The reserved suffix.
        suffix: &'static str,
        /// Where it is reserved.
        source: &'static str,
    },
    /// A public name of a metadata service.
    Metadata {
        /// The name.
        name: &'static str,
    },
}

impl fmt::Display for NameReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => out.write_str("the host name is empty"),
            Self::TooLong => write!(out, "the host name is longer than {HOST_BYTES_MAX} bytes (RFC 1035)"),
            Self::LabelTooLong => {
                write!(out, "a label of the host name is longer than {LABEL_BYTES_MAX} bytes (RFC 1035)")
            }
            Self::EmptyLabel => out.write_str("the host name has an empty label (RFC 1035)"),
            Self::NotCanonical => out.write_str("the host name is not in its canonical spelling (WHATWG URL)"),
            Self::SingleLabel => out.write_str("the host name has one label, so it is not a public name (RFC 6761)"),
            Self::Reserved { suffix, source } => {
                write!(out, "names under .{suffix} are not public ({source})")
            }
            Self::Metadata { name } => write!(out, "{name} is the name of a metadata service"),
        }
    }
}

impl std::error::Error for NameReason {}

/// Suffixes outside the public DNS. `.example` is left out on purpose: it is reserved as well, but it only fails to
/// resolve, and demonstrations need a name that an operator can map.
const RESERVED: &[(&str, &str)] = &[
    ("localhost", "RFC 6761"),
    ("test", "RFC 6761"),
    ("invalid", "RFC 6761"),
    ("onion", "RFC 7686"),
    ("alt", "RFC 9476"),
    ("local", "RFC 6762"),
    // Home networks, reverse look-ups and service discovery live here; no public site does.
    ("arpa", "RFC 3172 and, for home.arpa, RFC 8375"),
    // Reserved by ICANN in 2024; metadata.google.internal and host.docker.internal are of this kind.
    ("internal", "ICANN resolution 2024.07.29.06"),
    ("home", "RFC 6762 appendix G"),
    ("lan", "RFC 6762 appendix G"),
    ("corp", "RFC 6762 appendix G"),
    ("intranet", "RFC 6762 appendix G"),
    ("private", "RFC 6762 appendix G"),
    ("mail", "ICANN name collision report 2018"),
    ("localdomain", "common default of home routers"),
    // In full kubernetes.default.svc.cluster.local, whose end .local is refused too.
    ("svc", "Kubernetes service names"),
];

/// Metadata services whose names are under public suffixes.
const METADATA_NAMES: &[&str] =
    &["metadata.platformequinix.com", "metadata.packet.net", "metadata.tencentyun.com", "metadata.cloud.ibm.com"];

/// Refuses a host name that must not even be looked up.
///
/// The host is as a URL parser writes it, with or without one final dot, in any letter case. A literal IP address
/// (IPv6 in brackets) is no name: for it the answer is `None`, and [`super::classify`] judges it.
pub fn refuse_name(host: &str) -> Option<NameReason> {
    // The length is checked before anything is copied.
    if host.len() > HOST_BYTES_MAX + 1 {
        return Some(NameReason::TooLong);
    }
    if is_literal_address(host) {
        return None;
    }
    let lower = host.to_ascii_lowercase();
    let name = lower.strip_suffix('.').unwrap_or(&lower);
    refuse_shape(name).or_else(|| refuse_reserved(name)).or_else(|| refuse_single_label(name))
}

fn is_literal_address(host: &str) -> bool {
    match Host::parse(host) {
        Ok(Host::Ipv4(ip)) => ip.to_string() == host,
        Ok(Host::Ipv6(_)) => true,
        Ok(Host::Domain(_)) | Err(_) => false,
    }
}

fn refuse_shape(name: &str) -> Option<NameReason> {
    if name.is_empty() {
        return Some(NameReason::Empty);
    }
    if name.len() > HOST_BYTES_MAX {
        return Some(NameReason::TooLong);
    }
    if name.split('.').any(str::is_empty) {
        return Some(NameReason::EmptyLabel);
    }
    if name.split('.').any(|label| label.len() > LABEL_BYTES_MAX) {
        return Some(NameReason::LabelTooLong);
    }
    // Parsing also decodes escapes, maps other scripts and reads every spelling of an IPv4 address.
    let canonical = matches!(Host::parse(name), Ok(Host::Domain(parsed)) if parsed == name);
    (!canonical || !name.bytes().all(is_name_byte)).then_some(NameReason::NotCanonical)
}

/// Letters, digits, hyphen, and the underscore, which real hosts have though RFC 952 does not.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.')
}

fn refuse_reserved(name: &str) -> Option<NameReason> {
    let metadata = METADATA_NAMES.iter().find(|known| is_under(name, known));
    let reserved = RESERVED.iter().find(|(suffix, _)| is_under(name, suffix));
    metadata
        .map(|name| NameReason::Metadata { name })
        .or_else(|| reserved.map(|(suffix, source)| NameReason::Reserved { suffix, source }))
}

/// Whether `name` is `suffix` or ends in `.suffix`.
fn is_under(name: &str, suffix: &str) -> bool {
    name.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn refuse_single_label(name: &str) -> Option<NameReason> {
    (!name.contains('.')).then_some(NameReason::SingleLabel)
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;

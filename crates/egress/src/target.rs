//! Where a tunnel or a plain request leads, in one canonical spelling.

use std::net::IpAddr;

use clicket_guard::web::{Origin, OriginHost, Scheme};

/// Reads `host` or `host:port`. `None` when it is not exactly that, or when its canonical spelling is another one: a browser
/// sends the canonical spelling, and whoever sends another hopes for two readers who disagree.
pub(crate) fn read_authority(scheme: Scheme, authority: &str) -> Option<Origin> {
    let origin = Origin::read(&format!("{}://{authority}", scheme.as_str())).ok()?;
    let same = authority == authority_of(&origin) || authority == format!("{}:{}", origin.host(), origin.port());
    same.then_some(origin)
}

/// `host`, or `host:port` when the port is not the scheme's own.
pub(crate) fn authority_of(origin: &Origin) -> String {
    if origin.port() == origin.scheme().default_port() {
        origin.host().to_owned()
    } else {
        format!("{}:{}", origin.host(), origin.port())
    }
}

/// The address, when the host is one.
pub(crate) fn address_of(origin: &Origin) -> Option<IpAddr> {
    match origin.parsed_host() {
        OriginHost::Address(ip) => Some(ip),
        OriginHost::Name(_) => None,
    }
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;

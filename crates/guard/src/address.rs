//! Which addresses may be dialled, and which host names may be looked up at all.
//!
//! The rule is an allow-list: an address passes only when it is ordinary public unicast. It stands above policy and
//! approval; the only ways past it are an [`OperatorGrant`], given at start, and metadata endpoints pass by none.

mod embedding;
mod judge;
mod name;
mod table;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub use embedding::{Embedding, Nat64Prefix, Nat64PrefixReason};
pub use judge::{ANSWER_ADDRESSES_MAX, GrantReason, HostRules, Judged, OperatorGrant, Refusal, judge, judge_override};
pub use name::{HOST_BYTES_MAX, LABEL_BYTES_MAX, NameReason, refuse_name};
pub use table::{MetadataEndpoint, SpecialBlock};

use embedding::{embedded, rfc6052_readings};
use table::{GLOBAL_UNICAST_V6, METADATA, SPECIAL_V4, SPECIAL_V6};

/// What [`classify`] says of one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressVerdict {
    /// Ordinary public unicast.
    Public,
    /// Never dialled without an operator's grant, for this reason.
    Refused(AddressReason),
}

impl AddressVerdict {
    /// Whether the address is ordinary public unicast.
    pub fn is_public(self) -> bool {
        match self {
            Self::Public => true,
            Self::Refused(_) => false,
        }
    }
}

/// Why an address is refused. `Display` gives one clause that ends with its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressReason {
    /// The address, or an IPv4 address inside it, hands out credentials or control of the machine's platform.
    Metadata(&'static MetadataEndpoint),
    /// An IPv6 address that carries an IPv4 address: a second spelling of it that some gateway would unwrap.
    Embedded(Embedding, Ipv4Addr),
    /// A block of a special-purpose registry.
    Special(&'static SpecialBlock),
    /// IPv6 outside 2000::/3, none of which is handed out as global unicast.
    NotGlobalUnicast,
}

impl AddressReason {
    /// A short fixed word for records and tests.
    pub fn code(self) -> &'static str {
        match self {
            Self::Metadata(_) => "metadata",
            Self::Embedded(_, _) => "embedded_ipv4",
            Self::Special(_) => "special_purpose",
            Self::NotGlobalUnicast => "not_global_unicast",
        }
    }
}

impl fmt::Display for AddressReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metadata(endpoint) => {
                write!(out, "it is a metadata endpoint: {} ({})", endpoint.name(), endpoint.net())
            }
            Self::Embedded(form, inner) => {
                write!(out, "it carries the IPv4 address {inner} in the {form}")
            }
            Self::Special(block) => {
                write!(out, "it is in the special-purpose block {} ({}, {})", block.net(), block.name(), block.source())
            }
            Self::NotGlobalUnicast => out.write_str("it is outside the global unicast space 2000::/3 (RFC 4291)"),
        }
    }
}

impl std::error::Error for AddressReason {}

/// Judges one address on its own, without regard to the machine it is seen from.
///
/// Every IPv6 address that carries an IPv4 address is refused whatever it carries, because who unwraps it, and where
/// it then goes, is not known here; the strictest reason found is the one given.
pub fn classify(ip: IpAddr) -> AddressVerdict {
    let reason = match ip {
        IpAddr::V4(v4) => refuse_v4(v4),
        IpAddr::V6(v6) => refuse_v6(v6),
    };
    match reason {
        Some(reason) => AddressVerdict::Refused(reason),
        None => AddressVerdict::Public,
    }
}

/// Whether an address, or any IPv4 address that can be read out of it, is a metadata or platform endpoint.
///
/// No operator seam lifts this. To miss none, an IPv6 address under any prefix is read in every layout that RFC 6052
/// gives a translator; an ordinary address meets one of those by chance about once in 2^32.
pub fn is_metadata(ip: IpAddr) -> bool {
    metadata_endpoint(ip).is_some()
}

fn metadata_endpoint(ip: IpAddr) -> Option<&'static MetadataEndpoint> {
    let named = |candidate: IpAddr| METADATA.iter().find(|endpoint| endpoint.net().contains(&candidate));
    let IpAddr::V6(v6) = ip else {
        return named(ip);
    };
    named(ip)
        .or_else(|| embedded(v6).find_map(|(_, inner)| named(IpAddr::V4(inner))))
        .or_else(|| rfc6052_readings(v6).find_map(|inner| named(IpAddr::V4(inner))))
}

fn refuse_v4(ip: Ipv4Addr) -> Option<AddressReason> {
    metadata_endpoint(IpAddr::V4(ip)).map(AddressReason::Metadata).or_else(|| special(SPECIAL_V4, IpAddr::V4(ip)))
}

fn refuse_v6(ip: Ipv6Addr) -> Option<AddressReason> {
    metadata_endpoint(IpAddr::V6(ip))
        .map(AddressReason::Metadata)
        .or_else(|| embedded(ip).next().map(|(form, inner)| AddressReason::Embedded(form, inner)))
        .or_else(|| special(SPECIAL_V6, IpAddr::V6(ip)))
        .or_else(|| (!GLOBAL_UNICAST_V6.contains(&ip)).then_some(AddressReason::NotGlobalUnicast))
}

fn special(table: &'static [SpecialBlock], ip: IpAddr) -> Option<AddressReason> {
    table.iter().find(|block| block.net().contains(&ip)).map(AddressReason::Special)
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;

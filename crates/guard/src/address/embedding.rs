//! The ways an IPv4 address hides in an IPv6 one.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use ipnet::Ipv6Net;

/// A standard layout that puts an IPv4 address inside an IPv6 address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Embedding {
    /// `::ffff:a.b.c.d`, which sockets treat as the IPv4 address itself (RFC 4291).
    Mapped,
    /// `::a.b.c.d`, deprecated (RFC 4291).
    Compatible,
    /// `::ffff:0:a.b.c.d`, for stateless translators (RFC 2765).
    Translated,
    /// `64:ff9b::a.b.c.d`, the well-known NAT64 prefix (RFC 6052).
    Nat64,
    /// `64:ff9b:1::/48`, set aside for a network's own NAT64 (RFC 8215).
    Nat64Local,
    /// `2002:ab:cd::`, tunnelled to that IPv4 address (RFC 3056).
    SixToFour,
    /// `2001:0::/32`: the relay server, in clear (RFC 4380).
    TeredoServer,
    /// `2001:0::/32`: the client, with every bit inverted (RFC 4380).
    TeredoClient,
    /// An interface identifier `0000:5efe` or `0200:5efe` under any prefix (RFC 5214).
    Isatap,
}

impl fmt::Display for Embedding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Mapped => "IPv4-mapped form (RFC 4291)",
            Self::Compatible => "IPv4-compatible form (RFC 4291)",
            Self::Translated => "IPv4-translated form (RFC 2765)",
            Self::Nat64 => "NAT64 well-known prefix (RFC 6052)",
            Self::Nat64Local => "NAT64 local-use prefix (RFC 8215)",
            Self::SixToFour => "6to4 form (RFC 3056)",
            Self::TeredoServer => "Teredo form, as its server (RFC 4380)",
            Self::TeredoClient => "Teredo form, as its client (RFC 4380)",
            Self::Isatap => "ISATAP form (RFC 5214)",
        })
    }
}

/// Every IPv4 address that a standard layout puts inside `ip`, with the layout; at most three.
pub(crate) fn embedded(ip: Ipv6Addr) -> impl Iterator<Item = (Embedding, Ipv4Addr)> {
    [by_prefix(ip), teredo_client(ip), isatap(ip)].into_iter().flatten()
}

/// The layouts told by the first bits, of which an address can have only one.
fn by_prefix(ip: Ipv6Addr) -> Option<(Embedding, Ipv4Addr)> {
    let tail = low_v4(ip);
    match ip.segments() {
        // The unspecified and the loopback address have a registry entry of their own.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0, _, _] => Some((Embedding::Compatible, tail)),
        [0, 0, 0, 0, 0, 0xffff, _, _] => Some((Embedding::Mapped, tail)),
        [0, 0, 0, 0, 0xffff, 0, _, _] => Some((Embedding::Translated, tail)),
        [0x64, 0xff9b, 0, 0, 0, 0, _, _] => Some((Embedding::Nat64, tail)),
        [0x64, 0xff9b, 1, _, _, _, _, _] => Some((Embedding::Nat64Local, tail)),
        [0x2002, high, low, _, _, _, _, _] => Some((Embedding::SixToFour, v4_of(high, low))),
        [0x2001, 0, high, low, _, _, _, _] => Some((Embedding::TeredoServer, v4_of(high, low))),
        _ => None,
    }
}

fn teredo_client(ip: Ipv6Addr) -> Option<(Embedding, Ipv4Addr)> {
    match ip.segments() {
        [0x2001, 0, _, _, _, _, high, low] => Some((Embedding::TeredoClient, v4_of(!high, !low))),
        _ => None,
    }
}

fn isatap(ip: Ipv6Addr) -> Option<(Embedding, Ipv4Addr)> {
    match ip.segments() {
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some((Embedding::Isatap, v4_of(high, low))),
        _ => None,
    }
}

/// What `ip` would mean to a translator, for each of the six prefix lengths of RFC 6052 section 2.2.
///
/// A layout applies only when its reserved bits 64 to 71 and the bits after the IPv4 address are zero, as that
/// section asks of whoever makes such an address; the last 32 bits are read whatever comes before them.
pub(crate) fn rfc6052_readings(ip: Ipv6Addr) -> impl Iterator<Item = Ipv4Addr> {
    RFC6052_PREFIX_BITS.into_iter().filter_map(move |bits| rfc6052_reading(ip, bits))
}

const RFC6052_PREFIX_BITS: [u8; 6] = [32, 40, 48, 56, 64, 96];

/// The IPv4 address behind a translator's prefix, when the bits that ought to be zero are.
fn rfc6052_reading(ip: Ipv6Addr, prefix_bits: u8) -> Option<Ipv4Addr> {
    if prefix_bits == 96 {
        return Some(low_v4(ip));
    }
    let reserved = (ip.to_bits() >> 56) & 0xff;
    let suffix = without_reserved(ip) & ((1 << suffix_bits(prefix_bits)) - 1);
    (reserved == 0 && suffix == 0).then(|| behind_prefix(ip, prefix_bits))
}

/// The 32 bits after the prefix, wherever the reserved byte falls.
fn behind_prefix(ip: Ipv6Addr, prefix_bits: u8) -> Ipv4Addr {
    if prefix_bits == 96 {
        return low_v4(ip);
    }
    let [.., a, b, c, d] = (without_reserved(ip) >> suffix_bits(prefix_bits)).to_be_bytes();
    Ipv4Addr::new(a, b, c, d)
}

/// The address without its bits 64 to 71, which RFC 6052 keeps out of the IPv4 address; 120 bits.
fn without_reserved(ip: Ipv6Addr) -> u128 {
    let bits = ip.to_bits();
    ((bits >> 64) << 56) | (bits & 0x00ff_ffff_ffff_ffff)
}

/// How many bits follow the IPv4 address in a layout of 32 to 64 prefix bits.
fn suffix_bits(prefix_bits: u8) -> u32 {
    120 - 32 - u32::from(prefix_bits)
}

fn low_v4(ip: Ipv6Addr) -> Ipv4Addr {
    let [.., high, low] = ip.segments();
    v4_of(high, low)
}

fn v4_of(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

/// The prefix under which this machine's own network translates IPv4 (RFC 6052), as found by RFC 7050 or told by the
/// operator. Addresses under it are judged by the IPv4 address they stand for as well as by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nat64Prefix(Ipv6Net);

/// Why a network is no NAT64 prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a NAT64 prefix is 32, 40, 48, 56, 64 or 96 bits long (RFC 6052), not {prefix_bits}")]
pub struct Nat64PrefixReason {
    prefix_bits: u8,
}

impl Nat64Prefix {
    /// Accepts a prefix of one of the six lengths of RFC 6052 section 2.2.
    ///
    /// # Errors
    /// When the prefix has any other length.
    pub fn new(net: Ipv6Net) -> Result<Self, Nat64PrefixReason> {
        let prefix_bits = net.prefix_len();
        if RFC6052_PREFIX_BITS.contains(&prefix_bits) { Ok(Self(net.trunc())) } else { Err(Nat64PrefixReason { prefix_bits }) }
    }

    /// The IPv4 address that `ip` stands for, when it is under this prefix; the bits that RFC 6052 asks to be zero
    /// are not looked at, so that no oddly made address goes unread.
    pub(crate) fn unwrap_v4(&self, ip: Ipv6Addr) -> Option<Ipv4Addr> {
        self.0.contains(&ip).then(|| behind_prefix(ip, self.0.prefix_len()))
    }
}

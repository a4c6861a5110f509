//! The address tables: what is not the public internet, and where machines keep their credentials.
//!
//! Taken from the IANA IPv4 and IPv6 Special-Purpose Address Registries (the IPv6 one as of 9 October 2025), which
//! are newer than the tables printed in RFC 6890, with the multicast and deprecated blocks that those registries
//! leave to other pages. A few registered blocks are globally reachable (AS112, AMT, two anycast services); they
//! serve no web pages, so refusing them costs nothing and keeps the rule one sentence long.

use std::net::{Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// One registered block of addresses that is never dialled.
#[derive(Debug, PartialEq, Eq)]
pub struct SpecialBlock {
    net: IpNet,
    name: &'static str,
    source: &'static str,
}

impl SpecialBlock {
    /// The block itself.
    pub fn net(&self) -> IpNet {
        self.net
    }

    /// What the registry calls the block.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The document that sets the block aside.
    pub fn source(&self) -> &'static str {
        self.source
    }
}

/// An address (or, for one platform, a network) that hands credentials or control to whoever reaches it.
#[derive(Debug, PartialEq, Eq)]
pub struct MetadataEndpoint {
    net: IpNet,
    name: &'static str,
}

impl MetadataEndpoint {
    /// The addresses meant; nearly always a single one.
    pub fn net(&self) -> IpNet {
        self.net
    }

    /// The platform and the service.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

const fn v4(octets: [u8; 4], prefix: u8, name: &'static str, source: &'static str) -> SpecialBlock {
    let [a, b, c, d] = octets;
    SpecialBlock { net: IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)), name, source }
}

const fn v6(groups: [u16; 8], prefix: u8, name: &'static str, source: &'static str) -> SpecialBlock {
    SpecialBlock { net: IpNet::V6(net6(groups, prefix)), name, source }
}

const fn net6(groups: [u16; 8], prefix: u8) -> Ipv6Net {
    let [a, b, c, d, e, f, g, h] = groups;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix)
}

const fn meta4(octets: [u8; 4], name: &'static str) -> MetadataEndpoint {
    let [a, b, c, d] = octets;
    MetadataEndpoint { net: IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), 32)), name }
}

const fn meta6(groups: [u16; 8], prefix: u8, name: &'static str) -> MetadataEndpoint {
    MetadataEndpoint { net: IpNet::V6(net6(groups, prefix)), name }
}

/// The only part of IPv6 space that is handed out as global unicast (RFC 4291 section 2.4 and the IANA IPv6 address
/// space registry). Everything outside it is refused before any table is read.
pub(crate) const GLOBAL_UNICAST_V6: Ipv6Net = net6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// IPv4 blocks that are refused; a block inside another comes before it, so that a reason names the narrower one.
pub(crate) static SPECIAL_V4: &[SpecialBlock] = &[
    v4([0, 0, 0, 0], 32, "unspecified address", "RFC 1122"),
    v4([0, 0, 0, 0], 8, "this network", "RFC 791"),
    v4([10, 0, 0, 0], 8, "private use", "RFC 1918"),
    v4([100, 64, 0, 0], 10, "shared address space", "RFC 6598"),
    v4([127, 0, 0, 0], 8, "loopback", "RFC 1122"),
    v4([169, 254, 0, 0], 16, "link local", "RFC 3927"),
    v4([172, 16, 0, 0], 12, "private use", "RFC 1918"),
    v4([192, 0, 0, 0], 29, "IPv4 service continuity prefix", "RFC 7335"),
    v4([192, 0, 0, 8], 32, "IPv4 dummy address", "RFC 7600"),
    v4([192, 0, 0, 9], 32, "Port Control Protocol anycast", "RFC 7723"),
    v4([192, 0, 0, 10], 32, "TURN anycast", "RFC 8155"),
    v4([192, 0, 0, 170], 31, "NAT64 discovery", "RFC 8880"),
    v4([192, 0, 0, 0], 24, "IETF protocol assignments", "RFC 6890"),
    v4([192, 0, 2, 0], 24, "documentation (TEST-NET-1)", "RFC 5737"),
    v4([192, 31, 196, 0], 24, "AS112", "RFC 7535"),
    v4([192, 52, 193, 0], 24, "AMT", "RFC 7450"),
    v4([192, 88, 99, 0], 24, "deprecated 6to4 relay anycast", "RFC 7526"),
    v4([192, 168, 0, 0], 16, "private use", "RFC 1918"),
    v4([192, 175, 48, 0], 24, "direct delegation AS112", "RFC 7534"),
    v4([198, 18, 0, 0], 15, "benchmarking", "RFC 2544"),
    v4([198, 51, 100, 0], 24, "documentation (TEST-NET-2)", "RFC 5737"),
    v4([203, 0, 113, 0], 24, "documentation (TEST-NET-3)", "RFC 5737"),
    v4([224, 0, 0, 0], 4, "multicast", "RFC 5771"),
    v4([255, 255, 255, 255], 32, "limited broadcast", "RFC 919"),
    v4([240, 0, 0, 0], 4, "reserved", "RFC 1112"),
];

/// IPv6 blocks that are refused. Those that wrap an IPv4 address are judged as embeddings first and so are absent
/// here, except that Teredo and 6to4 also lie in blocks that are.
pub(crate) static SPECIAL_V6: &[SpecialBlock] = &[
    v6([0, 0, 0, 0, 0, 0, 0, 0], 128, "unspecified address", "RFC 4291"),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback", "RFC 4291"),
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64, "discard only", "RFC 6666"),
    v6([0x100, 0, 0, 1, 0, 0, 0, 0], 64, "dummy prefix", "RFC 9780"),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 1], 128, "Port Control Protocol anycast", "RFC 7723"),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 2], 128, "TURN anycast", "RFC 8155"),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 3], 128, "DNS-SD registration anycast", "RFC 9665"),
    v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48, "benchmarking", "RFC 5180"),
    v6([0x2001, 3, 0, 0, 0, 0, 0, 0], 32, "AMT", "RFC 7450"),
    v6([0x2001, 4, 0x112, 0, 0, 0, 0, 0], 48, "AS112", "RFC 7535"),
    v6([0x2001, 0x10, 0, 0, 0, 0, 0, 0], 28, "deprecated ORCHID", "RFC 4843"),
    v6([0x2001, 0x20, 0, 0, 0, 0, 0, 0], 28, "ORCHIDv2", "RFC 7343"),
    v6([0x2001, 0x30, 0, 0, 0, 0, 0, 0], 28, "drone remote identification", "RFC 9374"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "IETF protocol assignments", "RFC 2928"),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "documentation", "RFC 3849"),
    v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48, "direct delegation AS112", "RFC 7534"),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "documentation", "RFC 9637"),
    v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16, "segment routing SIDs", "RFC 9602"),
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "unique local", "RFC 4193"),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link local", "RFC 4291"),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "deprecated site local", "RFC 3879"),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast", "RFC 4291"),
];

/// Metadata and platform endpoints, by the providers' own documentation. Two of them are in public ranges, so that
/// no range check would find them. The rest lie in blocks refused anyway; they are listed because an operator may
/// lift the refusal of a private address and must not be able to lift this one.
pub(crate) static METADATA: &[MetadataEndpoint] = &[
    meta4([169, 254, 169, 254], "cloud instance metadata (AWS, Google, Azure, Oracle and others)"),
    meta4([169, 254, 170, 2], "AWS ECS task credentials"),
    meta4([169, 254, 170, 23], "AWS EKS pod identity"),
    meta4([169, 254, 169, 253], "AWS resolver"),
    meta4([169, 254, 169, 123], "AWS time service"),
    meta4([168, 63, 129, 16], "Azure WireServer"),
    meta4([100, 100, 100, 200], "Alibaba Cloud metadata"),
    meta4([192, 0, 0, 192], "Oracle Cloud Classic metadata"),
    meta4([169, 254, 42, 42], "Scaleway metadata"),
    meta4([169, 254, 0, 23], "Tencent Cloud metadata"),
    meta4([192, 80, 8, 124], "Equinix Metal metadata"),
    meta4([100, 100, 100, 100], "Tailscale local service"),
    meta6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, "AWS instance metadata"),
    meta6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23], 128, "AWS EKS pod identity"),
    meta6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x253], 128, "AWS resolver"),
    meta6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x123], 128, "AWS time service"),
    meta6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128, "Google Cloud metadata"),
    meta6([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128, "Scaleway metadata"),
    meta6([0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 1], 128, "Akamai (Linode) metadata"),
    meta6([0xfd7a, 0x115c, 0xa1e0, 0, 0, 0, 0, 0x53], 128, "Tailscale local service"),
    meta6([0xfdaa, 0, 0, 0, 0, 0, 0, 0], 16, "Fly.io private network"),
];

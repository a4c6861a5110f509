//! Every expected verdict here is written out by hand from the registries, not taken from the tables under test.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap_or_else(|_| panic!("{text} is no address"))
}

fn verdict(ip: IpAddr) -> &'static str {
    match classify(ip) {
        AddressVerdict::Public => "public",
        AddressVerdict::Refused(reason) => reason.code(),
    }
}

/// One registered range: just before it, its ends, just after it, and the verdict expected of each.
struct Edges {
    before: Option<(&'static str, &'static str)>,
    ends: (&'static str, &'static str, &'static str),
    after: Option<(&'static str, &'static str)>,
}

const PUBLIC: &str = "public";
const SPECIAL: &str = "special_purpose";
const EMBEDDED: &str = "embedded_ipv4";
const OUTSIDE: &str = "not_global_unicast";

/// A range whose neighbours on both sides are public.
const fn lone(before: &'static str, first: &'static str, last: &'static str, after: &'static str) -> Edges {
    among((before, PUBLIC), (first, last, SPECIAL), (after, PUBLIC))
}

const fn among(
    before: (&'static str, &'static str),
    ends: (&'static str, &'static str, &'static str),
    after: (&'static str, &'static str),
) -> Edges {
    Edges { before: Some(before), ends, after: Some(after) }
}

static V4_EDGES: &[Edges] = &[
    Edges { before: None, ends: ("0.0.0.0", "0.255.255.255", SPECIAL), after: Some(("1.0.0.0", PUBLIC)) },
    lone("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
    lone("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
    lone("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
    lone("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
    lone("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
    lone("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
    among(("191.255.255.255", PUBLIC), ("192.0.0.0", "192.0.0.7", SPECIAL), ("192.0.0.8", SPECIAL)),
    among(("192.0.0.7", SPECIAL), ("192.0.0.8", "192.0.0.8", SPECIAL), ("192.0.0.9", SPECIAL)),
    among(("192.0.0.8", SPECIAL), ("192.0.0.9", "192.0.0.10", SPECIAL), ("192.0.0.11", SPECIAL)),
    among(("192.0.0.169", SPECIAL), ("192.0.0.170", "192.0.0.171", SPECIAL), ("192.0.0.172", SPECIAL)),
    lone("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
    lone("192.31.195.255", "192.31.196.0", "192.31.196.255", "192.31.197.0"),
    lone("192.52.192.255", "192.52.193.0", "192.52.193.255", "192.52.194.0"),
    lone("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
    lone("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
    lone("192.175.47.255", "192.175.48.0", "192.175.48.255", "192.175.49.0"),
    lone("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
    lone("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
    lone("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
    among(("223.255.255.255", PUBLIC), ("224.0.0.0", "239.255.255.255", SPECIAL), ("240.0.0.0", SPECIAL)),
    Edges { before: Some(("239.255.255.255", SPECIAL)), ends: ("240.0.0.0", "255.255.255.255", SPECIAL), after: None },
    Edges { before: Some(("255.255.255.254", SPECIAL)), ends: ("255.255.255.255", "255.255.255.255", SPECIAL), after: None },
];

static V6_EDGES: &[Edges] = &[
    Edges { before: None, ends: ("::", "::", SPECIAL), after: Some(("::1", SPECIAL)) },
    among(("::", SPECIAL), ("::1", "::1", SPECIAL), ("::2", EMBEDDED)),
    among(("::1", SPECIAL), ("::2", "::ffff:ffff", EMBEDDED), ("::1:0:0", OUTSIDE)),
    among(("::fffe:ffff:ffff", OUTSIDE), ("::ffff:0:0", "::ffff:ffff:ffff", EMBEDDED), ("::1:0:0:0", OUTSIDE)),
    among(("::fffe:ffff:ffff:ffff", OUTSIDE), ("::ffff:0:0:0", "::ffff:0:ffff:ffff", EMBEDDED), ("::ffff:1:0:0", OUTSIDE)),
    among(
        ("64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", OUTSIDE),
        ("64:ff9b::", "64:ff9b::ffff:ffff", EMBEDDED),
        ("64:ff9b::1:0:0", OUTSIDE),
    ),
    among(
        ("64:ff9b:0:ffff:ffff:ffff:ffff:ffff", OUTSIDE),
        ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", EMBEDDED),
        ("64:ff9b:2::", OUTSIDE),
    ),
    among(
        ("ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", OUTSIDE),
        ("100::", "100::ffff:ffff:ffff:ffff", SPECIAL),
        ("100:0:0:1::", SPECIAL),
    ),
    among(
        ("100::ffff:ffff:ffff:ffff", SPECIAL),
        ("100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff", SPECIAL),
        ("100:0:0:2::", OUTSIDE),
    ),
    // Teredo fills the start of 2001::/23.
    among(
        ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", PUBLIC),
        ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", EMBEDDED),
        ("2001:1::", SPECIAL),
    ),
    among(
        ("2001:0:ffff:ffff:ffff:ffff:ffff:ffff", EMBEDDED),
        ("2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:200::", PUBLIC),
    ),
    among(("2001:1::", SPECIAL), ("2001:1::1", "2001:1::3", SPECIAL), ("2001:1::4", SPECIAL)),
    among(
        ("2001:1:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:2:1::", SPECIAL),
    ),
    among(
        ("2001:2:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:4::", SPECIAL),
    ),
    among(
        ("2001:4:111:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:4:113::", SPECIAL),
    ),
    among(
        ("2001:f:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:20::", SPECIAL),
    ),
    among(
        ("2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:30::", SPECIAL),
    ),
    among(
        ("2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("2001:40::", SPECIAL),
    ),
    lone("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"),
    among(
        ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", PUBLIC),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", EMBEDDED),
        ("2003::", PUBLIC),
    ),
    lone("2620:4f:7fff:ffff:ffff:ffff:ffff:ffff", "2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "2620:4f:8001::"),
    lone("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"),
    among(
        ("5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", OUTSIDE),
        ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("5f01::", OUTSIDE),
    ),
    among(
        ("fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", OUTSIDE),
        ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("fe00::", OUTSIDE),
    ),
    among(
        ("fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", OUTSIDE),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("fec0::", SPECIAL),
    ),
    among(
        ("febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("ff00::", SPECIAL),
    ),
    Edges {
        before: Some(("feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL)),
        ends: ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        after: None,
    },
    // The edges of global unicast itself.
    among(
        ("1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", OUTSIDE),
        ("2000::", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", PUBLIC),
        ("2001::", EMBEDDED),
    ),
    among(
        ("3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", SPECIAL),
        ("3fff:1000::", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", PUBLIC),
        ("4000::", OUTSIDE),
    ),
];

/// The next address up, or down for -1; none past either end.
fn step(from: IpAddr, by: i8) -> Option<IpAddr> {
    let by = i128::from(by);
    match from {
        IpAddr::V4(ip) => u32::try_from(i128::from(ip.to_bits()) + by).ok().map(|bits| Ipv4Addr::from_bits(bits).into()),
        IpAddr::V6(ip) => {
            let bits = if by < 0 { ip.to_bits().checked_sub(1) } else { ip.to_bits().checked_add(1) };
            bits.map(|bits| Ipv6Addr::from_bits(bits).into())
        }
    }
}

fn check_edges(edges: &Edges) {
    let (first, last, expected) = edges.ends;
    assert_eq!(verdict(ip(first)), expected, "{first}");
    assert_eq!(verdict(ip(last)), expected, "{last}");
    // The vectors say which address comes before and after; that they do is checked too.
    assert_eq!(edges.before.map(|(before, _)| ip(before)), step(ip(first), -1), "before {first}");
    assert_eq!(edges.after.map(|(after, _)| ip(after)), step(ip(last), 1), "after {last}");
    for (neighbour, expected) in edges.before.iter().chain(&edges.after) {
        assert_eq!(verdict(ip(neighbour)), *expected, "{neighbour}");
    }
}

#[test]
fn every_ipv4_range_is_refused_from_its_first_address_to_its_last_and_no_further() {
    V4_EDGES.iter().for_each(check_edges);
}

#[test]
fn every_ipv6_range_is_refused_from_its_first_address_to_its_last_and_no_further() {
    V6_EDGES.iter().for_each(check_edges);
}

/// The refused part of IPv4 as sorted intervals, written down apart from the tables.
const V4_REFUSED: [(u32, u32); 21] = [
    (0x0000_0000, 0x00ff_ffff),
    (0x0a00_0000, 0x0aff_ffff),
    (0x6440_0000, 0x647f_ffff),
    (0x7f00_0000, 0x7fff_ffff),
    (0xa83f_8110, 0xa83f_8110),
    (0xa9fe_0000, 0xa9fe_ffff),
    (0xac10_0000, 0xac1f_ffff),
    (0xc000_0000, 0xc000_00ff),
    (0xc000_0200, 0xc000_02ff),
    (0xc01f_c400, 0xc01f_c4ff),
    (0xc034_c100, 0xc034_c1ff),
    (0xc050_087c, 0xc050_087c),
    (0xc058_6300, 0xc058_63ff),
    (0xc0a8_0000, 0xc0a8_ffff),
    (0xc0af_3000, 0xc0af_30ff),
    (0xc612_0000, 0xc613_ffff),
    (0xc633_6400, 0xc633_64ff),
    (0xcb00_7100, 0xcb00_71ff),
    (0xe000_0000, 0xefff_ffff),
    (0xf000_0000, 0xffff_fffe),
    (0xffff_ffff, 0xffff_ffff),
];

fn refused_by_intervals(bits: u32) -> bool {
    V4_REFUSED.iter().any(|(first, last)| (*first..=*last).contains(&bits))
}

fn agrees(bits: u32) {
    let ip = IpAddr::V4(Ipv4Addr::from_bits(bits));
    assert_eq!(!classify(ip).is_public(), refused_by_intervals(bits), "{ip}");
}

/// Both sides are constant between their boundaries, so agreement at every boundary of either is agreement everywhere.
#[test]
fn all_of_ipv4_agrees_with_a_list_of_intervals_written_apart() {
    let tables = SPECIAL_V4.iter().map(SpecialBlock::net).chain(METADATA.iter().map(MetadataEndpoint::net));
    let of_tables = tables.filter_map(|net| match net {
        ipnet::IpNet::V4(net) => Some((net.network().to_bits(), net.broadcast().to_bits())),
        ipnet::IpNet::V6(_) => None,
    });
    for (first, last) in V4_REFUSED.into_iter().chain(of_tables) {
        for edge in [first.saturating_sub(1), first, last, last.saturating_add(1)] {
            agrees(edge);
        }
    }
    // Should that argument ever stop to hold: a prime stride that visits every /19.
    (0..=u32::MAX).step_by(8191).for_each(agrees);
}

const INNER: [&str; 6] = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "168.63.129.16", "192.80.8.124", "93.184.216.34"];
const METADATA_INNER: [&str; 3] = ["169.254.169.254", "168.63.129.16", "192.80.8.124"];

/// Every standard form around one IPv4 address, spelled from the documents.
fn forms_around(inner: &str) -> Vec<(&'static str, IpAddr)> {
    let [a, b, c, d] = inner.parse::<Ipv4Addr>().unwrap().octets();
    let pair = format!("{a:02x}{b:02x}:{c:02x}{d:02x}");
    let inverted = format!("{:02x}{:02x}:{:02x}{:02x}", !a, !b, !c, !d);
    [
        ("mapped", format!("::ffff:{inner}")),
        ("compatible", format!("::{inner}")),
        ("translated", format!("::ffff:0:{inner}")),
        ("NAT64", format!("64:ff9b::{inner}")),
        ("NAT64 local /96", format!("64:ff9b:1::{inner}")),
        ("NAT64 local /48", format!("64:ff9b:1:{a:02x}{b:02x}:{c:02x}:{d:02x}00::")),
        ("6to4", format!("2002:{pair}::1")),
        ("6to4 with a subnet", format!("2002:{pair}:9:8:7:6:5")),
        ("Teredo server", format!("2001:0:{pair}:8000:63bf:a2a1:a4a3")),
        ("Teredo client", format!("2001:0:4136:e378:8000:63bf:{inverted}")),
        ("ISATAP, global prefix", format!("2a00:1450:4001:829:0:5efe:{pair}")),
        ("ISATAP, global prefix, unique", format!("2a00:1450:4001:829:200:5efe:{pair}")),
        ("ISATAP, link local", format!("fe80::5efe:{pair}")),
    ]
    .map(|(name, text)| (name, ip(&text)))
    .to_vec()
}

#[test]
fn every_embedding_is_refused_whatever_it_carries() {
    for inner in INNER {
        for (form, outer) in forms_around(inner) {
            let expected = if METADATA_INNER.contains(&inner) { "metadata" } else { EMBEDDED };
            assert_eq!(verdict(outer), expected, "{form} of {inner}: {outer}");
        }
    }
}

#[test]
fn a_metadata_address_is_seen_inside_every_embedding() {
    for inner in INNER {
        for (form, outer) in forms_around(inner) {
            assert_eq!(is_metadata(outer), METADATA_INNER.contains(&inner), "{form} of {inner}: {outer}");
        }
    }
}

#[test]
fn a_metadata_address_is_seen_behind_any_translators_prefix() {
    let behind = [
        "2a00:1234:a9fe:a9fe::",
        "2a00:1234:1a9:fea9:fe::",
        "2a00:1234:122:a9fe:a9:fe00::",
        "2a00:1234:122:3a9:fe:a9fe::",
        "2a00:1234:122:344:a9:fea9:fe00:0",
        "2a00:1234:122:344::a9fe:a9fe",
    ];
    for text in behind {
        assert_eq!(verdict(ip(text)), "metadata", "{text}");
    }
}

#[test]
fn every_known_metadata_endpoint_is_named_one() {
    let known = [
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "169.254.42.42",
        "169.254.0.23",
        "192.80.8.124",
        "100.100.100.100",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
        "fd00:42::42",
        "fe80::a9fe:a9fe",
        "fd00:c1::a9fe:a9fe",
        "fdaa::3",
        "fdaa:0:1::2",
        "fdaa:ffff::",
    ];
    for text in known {
        assert!(is_metadata(ip(text)), "{text}");
        assert_eq!(verdict(ip(text)), "metadata", "{text}");
    }
}

#[test]
fn the_neighbours_of_public_metadata_addresses_stay_public() {
    for text in ["168.63.129.15", "168.63.129.17", "192.80.8.123", "192.80.8.125"] {
        assert_eq!(verdict(ip(text)), PUBLIC, "{text}");
    }
}

#[test]
fn ordinary_public_addresses_pass() {
    let ordinary = [
        "1.1.1.1",
        "8.8.8.8",
        "9.9.9.9",
        "93.184.216.34",
        "151.101.1.140",
        "104.16.132.229",
        "140.82.121.4",
        "142.250.74.206",
        "13.107.42.14",
        "52.95.110.1",
        "185.199.108.153",
        "198.41.0.4",
        "199.9.14.201",
        "192.33.4.12",
        "192.5.5.241",
        "192.58.128.30",
        "193.0.14.129",
        "100.20.1.1",
        "100.128.0.1",
        "172.64.0.1",
        "172.217.16.206",
        "192.30.255.113",
        "198.35.26.96",
        "198.97.190.53",
        "203.119.1.1",
        "169.60.1.1",
        "128.31.0.62",
        "223.5.5.5",
        "2606:4700:4700::1111",
        "2001:4860:4860::8888",
        "2620:fe::fe",
        "2a00:1450:4001:829::200e",
        "2600:1901:0:38d7::",
        "2a03:2880:f12d:83:face:b00c:0:25de",
        "2001:67c:2e8:22::c100:68b",
        "2620:0:862:ed1a::1",
        "240e::1",
        "2804:14c::1",
        "2c0f:f248::1",
        "2400:cb00:2048:1::c629:d7a2",
        "2001:500:88:200::8",
        "2001:7fd::1",
        "2003:e2::1",
        "2001:200:dff:fff1:216:3eff:feb1:44d7",
        "2a04:4e42::81",
        "2620:12a:8000::1",
    ];
    for text in ordinary {
        assert_eq!(classify(ip(text)), AddressVerdict::Public, "{text}");
        assert!(!is_metadata(ip(text)), "{text}");
    }
}

#[test]
fn a_reason_names_the_narrowest_entry_and_its_source() {
    let said = ["127.0.0.1", "192.0.0.9", "255.255.255.255", "::ffff:10.0.0.1", "fd00::1", "4000::", "168.63.129.16"]
        .map(|text| match classify(ip(text)) {
            AddressVerdict::Public => panic!("{text} is public"),
            AddressVerdict::Refused(reason) => format!("{text}: {reason}"),
        })
        .join("\n");
    insta::assert_snapshot!(said, @r"
    127.0.0.1: it is in the special-purpose block 127.0.0.0/8 (loopback, RFC 1122)
    192.0.0.9: it is in the special-purpose block 192.0.0.9/32 (Port Control Protocol anycast, RFC 7723)
    255.255.255.255: it is in the special-purpose block 255.255.255.255/32 (limited broadcast, RFC 919)
    ::ffff:10.0.0.1: it carries the IPv4 address 10.0.0.1 in the IPv4-mapped form (RFC 4291)
    fd00::1: it is in the special-purpose block fc00::/7 (unique local, RFC 4193)
    4000::: it is outside the global unicast space 2000::/3 (RFC 4291)
    168.63.129.16: it is a metadata endpoint: Azure WireServer (168.63.129.16/32)
    ");
}

proptest! {
    #[test]
    fn ipv6_outside_global_unicast_is_never_public(bits in any::<u128>()) {
        let outside = bits >> 125 != 1;
        prop_assert!(!(outside && classify(Ipv6Addr::from_bits(bits).into()).is_public()));
    }

    #[test]
    fn a_metadata_address_is_never_public(bits in any::<u128>(), which in 0..3_usize) {
        let inner = METADATA_INNER[which].parse::<Ipv4Addr>().unwrap();
        let outer = Ipv6Addr::from_bits((bits & !0xffff_ffff) | u128::from(inner.to_bits()));
        prop_assert!(is_metadata(outer.into()));
        prop_assert!(!classify(outer.into()).is_public());
    }
}

//! What is not the public internet, written from the IANA registries as they are printed (special-purpose addresses, multicast,
//! reserved, the IPv6 address space) and from the two providers whose endpoints lie in public space. It shares no line with the
//! table of `guard`, which it is compared with.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4: the special-purpose registry, then multicast and what is reserved, then the endpoints in public space.
const V4: &str = "
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
    192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4
    168.63.129.16/32 192.80.8.124/32";

/// IPv6 inside 2000::/3; all outside of it is refused.
const V6: &str = "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20";

/// Intervals in order, joined where they touch.
pub(crate) fn v4() -> Vec<(u32, u32)> {
    let mut intervals: Vec<(u32, u32)> = V4
        .split_whitespace()
        .filter_map(|text| {
            let (address, bits) = text.split_once('/')?;
            let first = u32::from(address.parse::<Ipv4Addr>().ok()?);
            Some((first, first + u32::try_from((1_u64 << (32 - bits.parse::<u32>().ok()?)) - 1).ok()?))
        })
        .collect();
    intervals.sort_unstable();
    intervals
}

/// Whether an IPv6 address that carries no IPv4 one is public.
pub(crate) fn is_public_v6(ip: Ipv6Addr) -> bool {
    let bits = u128::from(ip);
    let within = |text: &str| {
        let (address, length) = text.split_once('/')?;
        let first = u128::from(address.parse::<Ipv6Addr>().ok()?);
        let shift = 128 - length.parse::<u32>().ok()?;
        Some(bits >> shift == first >> shift)
    };
    bits >> 125 == 1 && !V6.split_whitespace().any(|text| within(text) == Some(true))
}

pub(crate) fn is_public_v4(ip: Ipv4Addr, intervals: &[(u32, u32)]) -> bool {
    let bits = u32::from(ip);
    !intervals.iter().any(|(first, last)| (*first..=*last).contains(&bits))
}

/// Blocks of the registries with the addresses beside them.
pub(crate) fn edges() -> Vec<IpAddr> {
    let mut edges = Vec::new();
    for (first, last) in v4() {
        let beside = [Some(first), Some(last), first.checked_sub(1), last.checked_add(1)];
        edges.extend(beside.into_iter().flatten().map(|bits| IpAddr::V4(Ipv4Addr::from(bits))));
    }
    let outside = "::/128 ::1/128 100::/64 100:0:0:1::/64 2000::/3 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8";
    for text in V6.split_whitespace().chain(outside.split_whitespace()) {
        let Some((address, length)) = text.split_once('/') else { continue };
        let (Ok(first), Ok(length)) = (address.parse::<Ipv6Addr>(), length.parse::<u32>()) else { continue };
        let first = u128::from(first);
        let size = if length == 0 { u128::MAX } else { (1_u128 << (128 - length)) - 1 };
        let last = first | size;
        let beside = [Some(first), Some(last), first.checked_sub(1), last.checked_add(1)];
        edges.extend(beside.into_iter().flatten().map(|bits| IpAddr::V6(Ipv6Addr::from(bits))));
    }
    edges
}

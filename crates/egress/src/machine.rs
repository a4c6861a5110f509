//! What is known of the machine itself: its own addresses and its gateways, which pages may not reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use clicket_guard::address::HostRules;

/// Adds this machine's own addresses and gateways to the rules. What can't be learned is left out: the address rules stand
/// without it, and it only closes doors.
pub(crate) fn add_to(rules: &mut HostRules) {
    rules.own_addresses.extend(own_addresses());
    rules.infrastructure.extend(std::fs::read_to_string("/proc/net/route").iter().flat_map(|table| gateways_v4(table)));
    rules.infrastructure.extend(std::fs::read_to_string("/proc/net/ipv6_route").iter().flat_map(|table| gateways_v6(table)));
}

fn own_addresses() -> Vec<IpAddr> {
    let Ok(interfaces) = nix::ifaddrs::getifaddrs() else {
        return Vec::new();
    };
    let ip_of = |address: nix::sys::socket::SockaddrStorage| {
        let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
        v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip())))
    };
    interfaces.filter_map(|interface| interface.address.and_then(ip_of)).collect()
}

/// The third column of each line but the first is a gateway in hexadecimal, in the byte order of this machine (proc(5)).
fn gateways_v4(table: &str) -> Vec<IpAddr> {
    let gateway = |line: &str| u32::from_str_radix(line.split_whitespace().nth(2)?, 16).ok();
    let known = table.lines().skip(1).filter_map(gateway).filter(|raw| *raw != 0);
    known.map(|raw| IpAddr::V4(Ipv4Addr::from(raw.to_ne_bytes()))).collect()
}

/// The fifth column is the next hop, 32 hexadecimal digits.
fn gateways_v6(table: &str) -> Vec<IpAddr> {
    let gateway = |line: &str| u128::from_str_radix(line.split_whitespace().nth(4)?, 16).ok();
    table.lines().filter_map(gateway).filter(|raw| *raw != 0).map(|raw| IpAddr::V6(Ipv6Addr::from_bits(raw))).collect()
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;

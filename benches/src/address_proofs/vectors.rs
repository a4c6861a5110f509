//! Spellings and forms of addresses with their answers, generated from the documents: every way that the URL Standard reads an
//! IPv4 address, and every layout that puts one inside an IPv6 address.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use clicket_guard::address::{classify, is_metadata};
use clicket_guard::web::WebUrl;

use crate::registry;

/// Addresses that must not be reached, and some that may.
const INNER: [&str; 28] = [
    "0.0.0.0",
    "0.0.0.1",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.0.23",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.80.8.124",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.1",
    "203.0.113.7",
    "224.0.0.1",
    "255.255.255.255",
    "1.1.1.1",
    "93.184.216.34",
    "172.32.0.1",
    "168.63.129.17",
];

/// Endpoints that must be known as such in every disguise.
const METADATA: [&str; 5] = ["169.254.169.254", "169.254.170.2", "168.63.129.16", "192.80.8.124", "100.100.100.200"];

/// How many vectors there were, and those whose answer was wrong.
pub(crate) struct Checked {
    pub(crate) count: usize,
    pub(crate) wrong: Vec<String>,
}

pub(crate) fn check() -> Checked {
    let mut checked = Checked { count: 0, wrong: Vec::new() };
    let intervals = registry::v4();
    for text in INNER {
        let Ok(inner) = text.parse::<Ipv4Addr>() else { continue };
        let public = registry::is_public_v4(inner, &intervals);
        for spelling in spellings(inner) {
            checked.spelling(&spelling, inner, public);
        }
        for (form, outer) in forms(inner) {
            for spelling in spellings_v6(outer) {
                checked.form(form, &spelling, outer);
            }
            if METADATA.contains(&text) {
                checked.expect(is_metadata(IpAddr::V6(outer)), || format!("{form} around {text} is not known as metadata"));
            }
        }
    }
    for ip in registry::edges() {
        let public = match ip {
            IpAddr::V4(v4) => registry::is_public_v4(v4, &intervals),
            IpAddr::V6(v6) => registry::is_public_v6(v6),
        };
        checked.expect(classify(ip).is_public() == public, || format!("{ip} at an edge"));
    }
    checked.ordinary();
    checked
}

impl Checked {
    fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.count += 1;
        if !holds {
            self.wrong.push(what());
        }
    }

    /// However it is spelled: a browser reads this address from it, so nothing but its plain spelling is taken, and that only
    /// when it is public.
    fn spelling(&mut self, spelling: &str, inner: Ipv4Addr, public: bool) {
        let text = format!("http://{spelling}/");
        let browser = url::Url::parse(&text).ok().and_then(|url| match url.host() {
            Some(url::Host::Ipv4(ip)) => Some(ip),
            _ => None,
        });
        self.expect(browser == Some(inner), || format!("{spelling} is not read as {inner} but {browser:?}"));
        let read = WebUrl::read(&text);
        let gets_out = read.as_ref().is_ok_and(|url| url.address().is_none_or(|ip| classify(ip).is_public()));
        self.expect(gets_out == (public && spelling == inner.to_string()), || format!("{spelling}: {read:?}"));
    }

    fn form(&mut self, form: &str, spelling: &str, outer: Ipv6Addr) {
        let read = spelling.parse::<Ipv6Addr>();
        self.expect(read == Ok(outer), || format!("{spelling} is not {outer}"));
        self.expect(!classify(IpAddr::V6(outer)).is_public(), || format!("{form} {outer} passes"));
        let url = WebUrl::read(&format!("http://[{spelling}]/"));
        let gets_out = url.is_ok_and(|url| url.address().is_none_or(|ip| classify(ip).is_public()));
        self.expect(!gets_out, || format!("{form} {spelling} gets out"));
    }

    /// Ordinary addresses pass, so that the others were not refused by refusing everything.
    fn ordinary(&mut self) {
        let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..2_000 {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            let high = u128::from((dice >> 3) | 0x2000_0000_0000_0000);
            let bits = (high << 64) | u128::from(dice.rotate_left(21));
            let ip = Ipv6Addr::from(bits);
            let [_, _, _, _, a, b, ..] = ip.segments();
            // An interface identifier of ISATAP by chance is no ordinary one.
            let ordinary = registry::is_public_v6(ip) && !(b == 0x5efe && (a == 0 || a == 0x200));
            self.expect(classify(IpAddr::V6(ip)).is_public() == ordinary, || format!("{ip}"));
        }
    }
}

/// Every way to write one number of the URL Standard's IPv4 parser.
fn numbers(value: u32) -> [String; 6] {
    [
        value.to_string(),
        format!("0x{value:x}"),
        format!("0X{value:X}"),
        format!("0{value:o}"),
        format!("000{value:o}"),
        format!("0x00{value:x}"),
    ]
}

fn spellings(ip: Ipv4Addr) -> BTreeSet<String> {
    let [a, b, c, d] = ip.octets().map(u32::from);
    let parts: [&[u32]; 4] = [&[u32::from(ip)], &[a, (b << 16) | (c << 8) | d], &[a, b, (c << 8) | d], &[a, b, c, d]];
    let mut all = BTreeSet::new();
    for parts in parts {
        // All parts in one way, and the first in another than the rest.
        for first in 0..6 {
            for rest in 0..6 {
                let spelled: Vec<String> = parts
                    .iter()
                    .enumerate()
                    .filter_map(|(at, value)| numbers(*value).get(if at == 0 { first } else { rest }).cloned())
                    .collect();
                all.insert(spelled.join("."));
            }
        }
    }
    let dotted = ip.to_string();
    all.insert(format!("{dotted}."));
    all.insert(dotted.replace('.', "\u{3002}"));
    all.insert(dotted.replace('.', "%2e"));
    all.insert(dotted.chars().map(|c| c.to_digit(10).and_then(|d| char::from_u32(0xff10 + d)).unwrap_or(c)).collect());
    all.insert(dotted.chars().map(|c| format!("%{:02x}", u32::from(c))).collect());
    all
}

/// Every layout around one address, for several prefixes where the layout leaves one open.
fn forms(inner: Ipv4Addr) -> Vec<(&'static str, Ipv6Addr)> {
    let v4 = u128::from(u32::from(inner));
    let prefix = |text: &str| text.parse::<Ipv6Addr>().map(u128::from).unwrap_or_default();
    let mut forms = vec![
        ("mapped", prefix("::ffff:0:0") | v4),
        ("translated", prefix("::ffff:0:0:0") | v4),
        ("NAT64", prefix("64:ff9b::") | v4),
        ("NAT64, local, /96", prefix("64:ff9b:1:abcd::") | v4),
        // RFC 6052: behind 48 bits of prefix, round the bits 64 to 71, which stay zero.
        ("NAT64, local, /48", prefix("64:ff9b:1::") | (v4 >> 16 << 64) | ((v4 & 0xffff) << 40)),
        ("6to4", prefix("2002::") | (v4 << 80)),
        ("6to4 with a subnet", prefix("2002::1:0:0:0:1") | (v4 << 80)),
        ("Teredo server", prefix("2001::") | (v4 << 64) | 0x1234),
        ("Teredo client", prefix("2001:0:101:101::") | (v4 ^ 0xffff_ffff)),
    ];
    // The unspecified and the loopback address of IPv6 are those, and no compatible form.
    if v4 > 1 {
        forms.push(("compatible", v4));
    }
    for subnet in ["2001:4860::", "2606:4700:0:1::", "2a00:1450:4001::", "fe80::"] {
        for interface in [0x0000_5efe_u128, 0x0200_5efe] {
            forms.push(("ISATAP", prefix(subnet) | (interface << 32) | v4));
        }
    }
    forms.into_iter().map(|(name, bits)| (name, Ipv6Addr::from(bits))).collect()
}

/// The same address in the spellings of RFC 4291 section 2.2.
fn spellings_v6(ip: Ipv6Addr) -> BTreeSet<String> {
    let groups = ip.segments();
    let whole = groups.map(|group| format!("{group:x}")).join(":");
    let padded = groups.map(|group| format!("{group:04X}")).join(":");
    let [head @ .., _, _] = groups;
    let tail = Ipv4Addr::from(u32::try_from(u128::from(ip) & 0xffff_ffff).unwrap_or_default());
    let dotted = format!("{}:{tail}", head.map(|group| format!("{group:x}")).join(":"));
    BTreeSet::from([ip.to_string(), whole, padded, dotted])
}

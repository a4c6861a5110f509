use std::net::{IpAddr, SocketAddr};

use super::*;

fn ips(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn judged(texts: &[&str], rules: &HostRules) -> Result<Vec<SocketAddr>, Refusal> {
    let all = judge(&ips(texts), 443, rules)?;
    Ok(all.iter().map(Judged::socket).collect())
}

fn plain(texts: &[&str]) -> Result<Vec<SocketAddr>, Refusal> {
    judged(texts, &HostRules::default())
}

fn origin(text: &str) -> Origin {
    Origin::read(text).unwrap()
}

#[test]
fn public_answers_are_judged_in_their_order() {
    let got = plain(&["93.184.216.34", "2606:4700:4700::1111"]).unwrap();
    assert_eq!(got, ["93.184.216.34:443".parse().unwrap(), "[2606:4700:4700::1111]:443".parse().unwrap()]);
}

#[test]
fn one_bad_address_anywhere_refuses_the_whole_answer() {
    let bad = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:93.184.216.34", "fd00::1", "168.63.129.16", "0.0.0.0"];
    for bad in bad {
        for place in 0..3 {
            let mut answer = vec!["93.184.216.34", "2606:4700:4700::1111"];
            answer.insert(place, bad);
            let refusal = plain(&answer).unwrap_err();
            assert!(matches!(refusal, Refusal::Address { ip, .. } if ip == ips(&[bad])[0]), "{bad} at {place}");
        }
    }
}

#[test]
fn an_empty_answer_and_an_endless_one_are_refused() {
    assert_eq!(plain(&[]), Err(Refusal::EmptyAnswer));
    assert!(plain(&["93.184.216.34"; ANSWER_ADDRESSES_MAX]).is_ok());
    let too_many = ["93.184.216.34"; ANSWER_ADDRESSES_MAX + 1];
    assert_eq!(plain(&too_many), Err(Refusal::TooManyAddresses { got: 65 }));
}

#[test]
fn port_zero_is_refused() {
    assert_eq!(judge(&ips(&["93.184.216.34"]), 0, &HostRules::default()), Err(Refusal::PortZero));
}

#[test]
fn the_machines_own_public_address_and_its_gateway_are_refused() {
    let rules =
        HostRules { own_addresses: ips(&["93.184.216.34"]), infrastructure: ips(&["93.184.216.1"]), ..HostRules::default() };
    assert!(matches!(judged(&["93.184.216.34"], &rules), Err(Refusal::OwnAddress { .. })));
    assert!(matches!(judged(&["93.184.216.1"], &rules), Err(Refusal::Infrastructure { .. })));
    assert!(judged(&["93.184.216.35"], &rules).is_ok());
}

/// A prefix, and what 10.0.0.1 and 93.184.216.34 become under it (RFC 6052 section 2.2).
const TRANSLATED: [(&str, &str, &str); 6] = [
    ("2a00:1234::/32", "2a00:1234:a00:1::", "2a00:1234:5db8:d822::"),
    ("2a00:1234:100::/40", "2a00:1234:10a:0:1::", "2a00:1234:15d:b8d8:22::"),
    ("2a00:1234:122::/48", "2a00:1234:122:a00:0:100::", "2a00:1234:122:5db8:d8:2200::"),
    ("2a00:1234:122:300::/56", "2a00:1234:122:30a:0:1::", "2a00:1234:122:35d:b8:d822::"),
    ("2a00:1234:122:344::/64", "2a00:1234:122:344:a:0:100:0", "2a00:1234:122:344:5d:b8d8:2200:0"),
    ("2a00:1234:122:344::/96", "2a00:1234:122:344::a00:1", "2a00:1234:122:344::5db8:d822"),
];

#[test]
fn behind_the_networks_own_translator_the_inner_address_is_judged() {
    for (prefix, private, public) in TRANSLATED {
        let rules =
            HostRules { nat64_prefixes: vec![Nat64Prefix::new(prefix.parse().unwrap()).unwrap()], ..HostRules::default() };
        assert!(matches!(judged(&[private], &rules), Err(Refusal::Address { .. })), "{private}");
        assert!(judged(&[public], &rules).is_ok(), "{public}");
        // Without the prefix the same address is an ordinary one.
        assert!(plain(&[private]).is_ok(), "{private}");
    }
}

#[test]
fn the_machines_own_address_is_found_behind_its_translator() {
    let rules = HostRules {
        own_addresses: ips(&["93.184.216.34"]),
        nat64_prefixes: vec![Nat64Prefix::new("2a00:1234:122:344::/96".parse().unwrap()).unwrap()],
        ..HostRules::default()
    };
    assert!(matches!(judged(&["2a00:1234:122:344::5db8:d822"], &rules), Err(Refusal::OwnAddress { .. })));
}

#[test]
fn a_translators_prefix_has_one_of_six_lengths() {
    for bits in 0..=128_u8 {
        let net = Ipv6Addr::UNSPECIFIED;
        let made = Nat64Prefix::new(ipnet::Ipv6Net::new(net, bits).unwrap());
        assert_eq!(made.is_ok(), [32, 40, 48, 56, 64, 96].contains(&bits), "/{bits}");
    }
}

#[test]
fn a_local_origin_is_reached_on_loopback_at_its_port_and_nowhere_else() {
    let grant = OperatorGrant::local_origin(&origin("http://localhost:3000")).unwrap();
    for good in ["127.0.0.1:3000", "127.8.9.10:3000", "[::1]:3000"] {
        let target: SocketAddr = good.parse().unwrap();
        assert_eq!(judge_override(target, &grant).unwrap().socket(), target);
    }
    let bad = [
        "127.0.0.1:3001",
        "10.0.0.1:3000",
        "[::ffff:127.0.0.1]:3000",
        "169.254.169.254:3000",
        "93.184.216.34:3000",
        "0.0.0.0:3000",
        "[::]:3000",
    ];
    for bad in bad {
        assert!(judge_override(bad.parse().unwrap(), &grant).is_err(), "{bad}");
    }
}

#[test]
fn a_local_origin_given_as_an_address_is_that_address() {
    let grant = OperatorGrant::local_origin(&origin("http://127.0.0.1:3000")).unwrap();
    assert_eq!(grant.targets(), ["127.0.0.1:3000".parse().unwrap()]);
    assert!(judge_override("127.0.0.2:3000".parse().unwrap(), &grant).is_err());
    assert!(judge_override("[::1]:3000".parse().unwrap(), &grant).is_err());
}

#[test]
fn only_this_machine_can_be_a_local_origin() {
    for good in ["http://localhost", "https://app.localhost:8443", "http://127.0.0.1:1", "http://[::1]:3000"] {
        assert!(OperatorGrant::local_origin(&origin(good)).is_ok(), "{good}");
    }
    for bad in
        ["https://shop.example", "http://10.0.0.1", "http://192.168.1.1:80", "http://notlocalhost", "http://169.254.169.254"]
    {
        assert!(OperatorGrant::local_origin(&origin(bad)).is_err(), "{bad}");
    }
}

#[test]
fn a_grant_covers_the_exact_origin_or_name_and_no_other() {
    let local = OperatorGrant::local_origin(&origin("http://localhost:3000")).unwrap();
    assert!(local.covers(&origin("http://localhost:3000")));
    for other in ["https://localhost:3000", "http://localhost:3001", "http://a.localhost:3000", "http://127.0.0.1:3000"] {
        assert!(!local.covers(&origin(other)), "{other}");
    }
    let map = OperatorGrant::host_map("shop.example", "127.0.0.1:9".parse().unwrap()).unwrap();
    assert!(map.covers(&origin("https://shop.example")) && map.covers(&origin("https://shop.example:8443")));
    for other in ["https://www.shop.example", "https://shop.example.org", "https://evilshop.example"] {
        assert!(!map.covers(&origin(other)), "{other}");
    }
}

#[test]
fn a_mapped_name_is_reached_at_its_target_alone() {
    let target: SocketAddr = "127.0.0.1:8443".parse().unwrap();
    let grant = OperatorGrant::host_map("shop.example", target).unwrap();
    assert_eq!(grant.targets(), [target]);
    assert_eq!(judge_override(target, &grant).unwrap().socket(), target);
    for bad in ["127.0.0.1:8444", "127.0.0.2:8443", "93.184.216.34:8443"] {
        assert!(matches!(judge_override(bad.parse().unwrap(), &grant), Err(Refusal::OutsideGrant { .. })), "{bad}");
    }
}

#[test]
fn no_operator_seam_reaches_a_metadata_endpoint() {
    let metadata = [
        "169.254.169.254:80",
        "[::ffff:169.254.169.254]:80",
        "[64:ff9b::a9fe:a9fe]:80",
        "[2002:a9fe:a9fe::1]:80",
        "168.63.129.16:80",
        "192.80.8.124:80",
        "[fd00:ec2::254]:80",
        "100.100.100.200:80",
        "[fdaa::3]:80",
        "[fe80::a9fe:a9fe%2]:80",
    ];
    // Made past its own check, to show that the second one holds by itself.
    for text in metadata {
        let target: SocketAddr = text.parse().unwrap();
        let refused = OperatorGrant::host_map("shop.example", target);
        assert!(matches!(refused, Err(GrantReason::Metadata { .. })), "{text}");
        let forced = OperatorGrant(Grant::HostMap { name: "shop.example".to_owned(), target });
        assert!(matches!(judge_override(target, &forced), Err(Refusal::Address { .. })), "{text}");
    }
}

#[test]
fn a_mapped_name_is_a_name_in_canonical_spelling() {
    let target: SocketAddr = "127.0.0.1:8443".parse().unwrap();
    for bad in ["", "Shop.example", "shop.example.", "127.0.0.1", "0x7f.1", "[::1]", "a b", "sh%6fp.example", "bücher.example"] {
        assert!(matches!(OperatorGrant::host_map(bad, target), Err(GrantReason::BadName { .. })), "{bad}");
    }
    assert!(matches!(OperatorGrant::host_map("shop.example", "127.0.0.1:0".parse().unwrap()), Err(GrantReason::PortZero { .. })));
}

#[test]
fn a_refusal_says_what_and_why_in_one_line() {
    let grant = OperatorGrant::host_map("shop.example", "127.0.0.1:8443".parse().unwrap()).unwrap();
    let said = [
        plain(&["93.184.216.34", "10.1.2.3"]).unwrap_err().to_string(),
        plain(&[]).unwrap_err().to_string(),
        judge_override("10.0.0.1:80".parse().unwrap(), &grant).unwrap_err().to_string(),
        OperatorGrant::local_origin(&origin("https://shop.example")).unwrap_err().to_string(),
    ]
    .join("\n");
    insta::assert_snapshot!(said, @r"
    10.1.2.3 is refused: it is in the special-purpose block 10.0.0.0/8 (private use, RFC 1918)
    the name has no address
    10.0.0.1:80 is refused: the operator granted shop.example at 127.0.0.1:8443
    https://shop.example is not local: name localhost or a loopback address, or map the name to an address instead
    ");
}

use proptest::prelude::*;

use super::*;

#[test]
fn names_that_are_not_public_are_refused_before_anyone_resolves_them() {
    let refused = [
        "",
        ".",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "a.localhost",
        "intranet",
        "com",
        "router",
        "rancher-metadata",
        "instance-data",
        "metadata",
        "metadata.google.internal",
        "METADATA.GOOGLE.INTERNAL.",
        "host.docker.internal",
        "gateway.docker.internal",
        "host.containers.internal",
        "kubernetes.docker.internal",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
        "printer.local",
        "nas.lan",
        "fritz.home",
        "box.home.arpa",
        "host.test",
        "a.invalid",
        "expyuzz4wqqyqhjn.onion",
        "1.0.0.127.in-addr.arpa",
        "ipv4only.arpa",
        "dc1.corp",
        "wiki.intranet",
        "x.private",
        "localhost.localdomain",
        "x.alt",
        "mx.mail",
        "metadata.platformequinix.com",
        "metadata.packet.net",
        "metadata.tencentyun.com",
        "api.metadata.cloud.ibm.com",
        "shop..example.com",
        ".shop.example.com",
        "shop.example.com..",
        "shop.example.com/x",
        "shop example.com",
        "a@shop.example.com",
        "shop.example.com:80",
        "sh%6fp.example.com",
        "bücher.example.com",
        "xn--a.example.com",
        "2130706433",
        "0x7f.1",
        "127.1",
        "0177.0.0.1",
        "1.2.3.4.5",
        "shop.example.1",
        "１２７.0.0.1",
        "[",
        "[::1",
        "a\0.example.com",
        "a\n.example.com",
    ];
    for host in refused {
        assert!(refuse_name(host).is_some(), "{host:?}");
    }
}

#[test]
fn literal_addresses_are_left_to_the_address_rules() {
    for host in ["127.0.0.1", "93.184.216.34", "[::1]", "[2606:4700:4700::1111]"] {
        assert_eq!(refuse_name(host), None, "{host}");
    }
}

#[test]
fn lengths_are_allowed_up_to_the_standard_and_no_further() {
    let label = "a".repeat(63);
    assert_eq!(refuse_name(&format!("{label}.example.com")), None);
    assert_eq!(refuse_name(&format!("{label}a.example.com")), Some(NameReason::LabelTooLong));
    let longest = format!("{label}.{label}.{label}.{}", "b".repeat(61));
    assert_eq!(longest.len(), HOST_BYTES_MAX);
    assert_eq!(refuse_name(&longest), None);
    assert_eq!(refuse_name(&format!("{longest}.")), None);
    assert_eq!(refuse_name(&format!("{longest}b")), Some(NameReason::TooLong));
    assert_eq!(refuse_name(&"a.".repeat(1_000_000)), Some(NameReason::TooLong));
}

#[test]
fn a_reserved_word_inside_a_name_is_no_reserved_suffix() {
    let near = [
        "notlocalhost.com",
        "local.example.com",
        "internal.shop.example",
        "mylan.com",
        "test.com",
        "home.pl",
        "alt.org",
        "svc.io",
    ];
    for host in near {
        assert_eq!(refuse_name(host), None, "{host}");
    }
    assert_eq!(refuse_name("example.mylocal"), None);
}

#[test]
fn ordinary_hosts_pass() {
    for host in include_str!("../../tests/data/ordinary_hosts.txt").lines() {
        assert_eq!(refuse_name(host), None, "{host}");
        assert_eq!(refuse_name(&format!("{host}.")), None, "{host}.");
    }
}

#[test]
fn a_reason_is_one_clause() {
    let said = ["", "router", "a.home.arpa", "nas.lan", "metadata.packet.net", "a..b.com", "0x7f.1"]
        .map(|host| refuse_name(host).unwrap().to_string())
        .join("\n");
    insta::assert_snapshot!(said, @r"
    the host name is empty
    the host name has one label, so it is not a public name (RFC 6761)
    names under .arpa are not public (RFC 3172 and, for home.arpa, RFC 8375)
    names under .lan are not public (RFC 6762 appendix G)
    metadata.packet.net is the name of a metadata service
    the host name has an empty label (RFC 1035)
    the host name is not in its canonical spelling (WHATWG URL)
    ");
}

proptest! {
    #[test]
    fn no_host_makes_it_panic(host in "\\PC{0,80}") {
        let _ = refuse_name(&host);
    }

    #[test]
    fn every_name_under_a_reserved_suffix_is_refused(name in "[a-z0-9]{1,10}(\\.[a-z0-9]{1,10}){0,3}", which in 0..RESERVED.len()) {
        let (suffix, _) = RESERVED[which];
        let reserved = format!("{name}.{suffix}");
        prop_assert!(refuse_name(&reserved).is_some());
    }
}

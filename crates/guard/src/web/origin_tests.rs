use std::collections::BTreeSet;

use super::*;

fn origin(text: &str) -> Origin {
    Origin::read(text).unwrap_or_else(|reason| panic!("{text}: {reason}"))
}

#[test]
fn an_origin_is_written_in_one_way() {
    for (text, canonical) in [
        ("https://shop.example", "https://shop.example"),
        ("https://shop.example:443", "https://shop.example"),
        ("https://shop.example:80", "https://shop.example:80"),
        ("http://shop.example:80", "http://shop.example"),
        ("HTTP://Shop.Example:8080", "http://shop.example:8080"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("https://[2606:4700:4700::1111]:8443", "https://[2606:4700:4700::1111]:8443"),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
    ] {
        assert_eq!(origin(text).to_string(), canonical);
    }
}

#[test]
fn more_or_less_than_an_origin_is_refused() {
    for text in [
        "https://shop.example/",
        "https://shop.example/cart",
        "https://shop.example?x",
        "https://shop.example#x",
        "https://u@shop.example",
        "shop.example",
        "https://",
        "*",
        "null",
        "",
        "https://*.shop.example/",
        "https://shop.example:0443",
        "https://shop.example.",
        "wss://shop.example",
        "https://shop.example, https://b.example",
        "https://bücher.example",
    ] {
        assert!(Origin::read(text).is_err(), "{text}");
    }
}

#[test]
fn a_refused_origin_is_shown_as_it_should_be_written() {
    let reason = Origin::read("https://bücher.example/x?y=secret").unwrap_err();
    insta::assert_snapshot!(reason, @"an origin is a scheme, a host and perhaps a port, with nothing after them: write https://xn--bcher-kva.example");
}

#[test]
fn scheme_host_and_port_all_tell_origins_apart() {
    let texts = [
        "https://shop.example",
        "http://shop.example",
        "https://shop.example:8443",
        "https://www.shop.example",
        "https://shop.example.org",
        "https://evilshop.example",
    ];
    let all: BTreeSet<Origin> = texts.iter().map(|text| origin(text)).collect();
    assert_eq!(all.len(), texts.len());
}

#[test]
fn the_origin_of_a_url_is_the_same_as_its_own_text() {
    let url = Url::parse("https://shop.example:443/cart?x#y").unwrap();
    assert_eq!(Origin::of(&url), Some(origin("https://shop.example")));
    assert_eq!(WebUrl::read("https://shop.example/cart").unwrap().origin(), origin("https://shop.example"));
    for opaque in ["data:,x", "file:///x", "about:blank", "blob:https://shop.example/1", "ws://shop.example/"] {
        assert_eq!(Origin::of(&Url::parse(opaque).unwrap()), None, "{opaque}");
    }
}

#[test]
fn an_origin_survives_a_record_and_a_wrong_one_does_not_come_from_it() {
    let json = serde_json::to_string(&origin("http://localhost:3000")).unwrap();
    assert_eq!(json, "\"http://localhost:3000\"");
    assert_eq!(serde_json::from_str::<Origin>(&json).unwrap(), origin("http://localhost:3000"));
    assert!(serde_json::from_str::<Origin>("\"https://shop.example/x\"").is_err());
}

#[test]
fn the_host_of_an_origin_is_a_name_or_an_address() {
    assert_eq!(origin("https://shop.example").parsed_host(), OriginHost::Name("shop.example"));
    assert_eq!(origin("http://127.0.0.1").parsed_host(), OriginHost::Address([127, 0, 0, 1].into()));
    assert_eq!(origin("http://[::1]").parsed_host(), OriginHost::Address("::1".parse().unwrap()));
}

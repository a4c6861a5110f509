use std::net::IpAddr;

use proptest::prelude::*;

use super::*;
use crate::address::{classify, is_metadata, refuse_name};

fn read(text: &str) -> Result<WebUrl, UrlReason> {
    WebUrl::read(text)
}

fn ok(text: &str) -> WebUrl {
    read(text).unwrap_or_else(|reason| panic!("{text}: {reason}"))
}

/// Hosts that a browser takes to loopback, the unspecified address or a metadata service.
const DISGUISED: [&str; 78] = [
    // 127.0.0.1: the plain form, then decimal, octal, hexadecimal, mixed and short forms.
    "127.0.0.1",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0X7F000001",
    "0x7f.0x0.0x0.0x1",
    "0177.0.0.1",
    "0177.0000.0000.0001",
    "0x7f.1",
    "127.1",
    "127.0.1",
    "0177.1",
    "127.0.0.01",
    "127.0.0.0x1",
    "127.0x0.0.1",
    "0x7f.0.1",
    "127.0.0.1.",
    "127.1.",
    "2130706433.",
    "00000000000000000177.0.0.1",
    "0x0000007f.0.0.1",
    "127.65535",
    "127.16777215",
    "127.255.255.254",
    // 0.0.0.0
    "0",
    "0.",
    "0x",
    "0x0",
    "00",
    "0.0",
    "0.0.0",
    "0.0.0.0",
    "0x.0x.0x.0x",
    "0.0.0.0.",
    // The metadata service
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "025177524776",
    "0xa9.0xfe.0xa9.0xfe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "169.16689662",
    "0xa9.254.0251.254",
    "169.254.169.254.",
    "168.63.129.16",
    "2822734096",
    "100.100.100.200",
    "1684301000",
    // Other scripts, other full stops, characters that vanish, escapes
    "１２７.０.０.１",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "127．0．0．1",
    "127｡0｡0｡1",
    "１２７。０。０。１",
    "0ｘ7f.1",
    "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
    "127\u{ad}.0.0.1",
    "127\u{200b}.0.0.1",
    "127\u{2060}.0.0.1",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "%30",
    "169.254.169.25%34",
    "１６９.２５４.１６９.２５４",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "LOCALHOST",
    "local\u{ad}host",
    "localhost.",
    "%6cocalhost",
    // IPv6
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::169.254.169.254]",
    "[2002:7f00:1::]",
    "[fd00:ec2::254]",
];

/// Whether something that is neither refused as a name nor as an address is left.
fn gets_out(host: &str, address: Option<IpAddr>) -> bool {
    match address {
        Some(ip) => classify(ip).is_public(),
        None => refuse_name(host).is_none(),
    }
}

#[test]
fn no_spelling_of_a_forbidden_host_gets_through() {
    for host in DISGUISED {
        for text in [format!("http://{host}/"), format!("https://{host}:443/latest?x#y"), format!("HTTP://{host}")] {
            let through = read(&text).is_ok_and(|url| gets_out(url.host(), url.address()));
            assert!(!through, "{text}");
        }
    }
}

#[test]
fn even_repaired_by_a_browser_no_spelling_gets_through() {
    for host in DISGUISED {
        let repaired = Url::parse(&format!("http://{host}/")).unwrap_or_else(|_| panic!("{host} is no host"));
        let again = ok(repaired.as_str().replace("localhost./", "localhost/").as_str());
        assert!(!gets_out(again.host(), again.address()), "{host}");
    }
}

#[test]
fn a_disguised_host_is_refused_with_the_host_it_stands_for() {
    for (host, canonical) in [
        ("0x7f.1", "127.0.0.1"),
        ("127。0。0。1", "127.0.0.1"),
        ("2852039166", "169.254.169.254"),
        ("[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
        ("%73hop.example", "shop.example"),
        ("shop.example.", "shop.example"),
        ("sh\u{ad}op.example", "shop.example"),
        ("ｓｈｏｐ.example", "shop.example"),
        ("shop。example", "shop.example"),
    ] {
        let expected = UrlReason::HostSpelling { canonical: canonical.to_owned() };
        assert_eq!(read(&format!("https://{host}/")), Err(expected), "{host}");
    }
}

#[test]
fn what_two_parsers_could_read_differently_is_refused() {
    use UrlReason::*;
    let ambiguous: &[(&str, UrlReason)] = &[
        ("", Empty),
        (" https://shop.example/", Untrimmed),
        ("https://shop.example/ ", Untrimmed),
        ("https://shop.example/\u{a0}", Untrimmed),
        ("https://shop.example/\n", Untrimmed),
        ("\u{1}https://shop.example/", ControlCharacter),
        ("ht\ttps://shop.example/", ControlCharacter),
        ("https://sh\nop.example/", ControlCharacter),
        ("https://shop.example/a\r\nb", ControlCharacter),
        ("https://shop.example/\u{0}", ControlCharacter),
        ("https:\\\\shop.example\\", Backslash),
        ("https://shop.example\\@evil.example/", Backslash),
        ("https://evil.example\\.shop.example/", Backslash),
        ("https://shop.example/a\\b", Backslash),
        ("/\\evil.example", Backslash),
        ("https:shop.example", Slashes),
        ("https:/shop.example", Slashes),
        ("https:///shop.example", Slashes),
        ("https:////shop.example", Slashes),
        ("shop.example", Scheme),
        ("//shop.example/", Scheme),
        ("/cart", Scheme),
        ("ftp://shop.example/", Scheme),
        ("file:///etc/passwd", Scheme),
        ("javascript:alert(1)", Scheme),
        ("data:text/html,x", Scheme),
        ("blob:https://shop.example/1", Scheme),
        ("view-source:https://shop.example/", Scheme),
        ("ws://shop.example/", Scheme),
        ("httpss://shop.example/", Scheme),
        ("http s://shop.example/", Scheme),
        ("https://user@shop.example/", UserInfo),
        ("https://user:pass@shop.example/", UserInfo),
        ("https://@shop.example/", UserInfo),
        ("https://:@shop.example/", UserInfo),
        ("https://shop.example@evil.example/", UserInfo),
        ("https://a@b@shop.example/", UserInfo),
        ("https://shop.example:443@evil.example", UserInfo),
        ("https://shop.example:/", PortSpelling),
        ("https://shop.example:0443/", PortSpelling),
        ("https://shop.example:0/", PortSpelling),
        ("https://[::1]:/", PortSpelling),
        ("https://shop.example:65536/", Parse(url::ParseError::InvalidPort)),
        ("https://shop.example:44a3/", Parse(url::ParseError::InvalidPort)),
        ("https://shop.example:-1/", Parse(url::ParseError::InvalidPort)),
        ("https://", Parse(url::ParseError::EmptyHost)),
        ("https://?q", Parse(url::ParseError::EmptyHost)),
        ("https://:443/", Parse(url::ParseError::EmptyHost)),
    ];
    for (text, reason) in ambiguous {
        assert_eq!(read(text).as_ref(), Err(reason), "{text:?}");
    }
}

#[test]
fn hosts_that_are_no_hosts_are_refused() {
    let wrong = [
        "https://sh op.example/",
        "https://shop.example|evil.example/",
        "https://[::1/",
        "https://::1/",
        "https://[fe80::1%25eth0]/",
        "https://256.0.0.1/",
        "https://1.2.3.4.5/",
        "https://4294967296/",
        "https://0x100000000/",
        "https://shop.example%00/",
        "https://shop.example%2fevil/",
        "https://xn--a.example/",
        "https://<shop>.example/",
        "https://[shop.example]/",
        "https://a^b.example/",
        "https://shop.09/",
    ];
    for text in wrong {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn ordinary_urls_are_read_as_they_are() {
    let ordinary = [
        "https://shop.example/",
        "http://shop.example/",
        "https://shop.example:8443/cart?item=1&item=2#top",
        "https://shop.example/a%20b/c%2Fd;v=1,2/@user/~me/(x)",
        "https://shop.example/?next=https://other.example/@x&p=C:\\dir",
        "https://shop.example/#/route\\x@y",
        "https://my_bucket.s3.amazonaws.com/",
        "https://xn--bcher-kva.example/",
        "https://93.184.216.34/",
        "https://[2606:4700:4700::1111]/",
        "https://[2606:4700:4700::1111]:8443/x",
        "https://a--b.example/",
        "https://shop.example/?a=b?c=d",
    ];
    for text in ordinary {
        assert_eq!(ok(text).as_str(), text);
    }
    for host in include_str!("../tests/data/ordinary_hosts.txt").lines() {
        let text = format!("https://{host}/path?query=1");
        let url = ok(&text);
        assert_eq!(url.as_str(), text);
        assert!(gets_out(url.host(), url.address()), "{host}");
    }
}

#[test]
fn names_in_other_scripts_are_read_and_written_as_xn() {
    assert_eq!(ok("https://bücher.example/").host(), "xn--bcher-kva.example");
    assert_eq!(ok("https://Bücher.Example/").host(), "xn--bcher-kva.example");
    assert_eq!(ok("https://食狮.公司.cn/").host(), "xn--85x722f.xn--55qx5d.cn");
    // A look-alike is another name, and shows as one.
    assert_eq!(ok("https://аррӏе.com/").host(), "xn--80ak6aa92e.com");
}

#[test]
fn capital_letters_and_a_default_port_are_not_kept() {
    assert_eq!(ok("HTTPS://Shop.Example:443").as_str(), "https://shop.example/");
}

#[test]
fn length_is_capped_before_and_after_parsing() {
    let just = format!("https://shop.example/{}", "a".repeat(URL_BYTES_MAX - 21));
    assert_eq!(just.len(), URL_BYTES_MAX);
    assert_eq!(ok(&just).as_str().len(), URL_BYTES_MAX);
    assert_eq!(read(&format!("{just}a")), Err(UrlReason::TooLong));
    // Each of these characters is escaped to six bytes.
    assert_eq!(read(&format!("https://shop.example/{}", "ü".repeat(4000))), Err(UrlReason::TooLong));
}

#[test]
fn a_person_may_leave_out_the_scheme() {
    for (typed, url) in [
        ("shop.example", "https://shop.example/"),
        ("  shop.example/cart?x=1 \n", "https://shop.example/cart?x=1"),
        ("shop.example:8443", "https://shop.example:8443/"),
        ("localhost:3000/a:b", "https://localhost:3000/a:b"),
        ("http://shop.example", "http://shop.example/"),
        ("Shop.Example", "https://shop.example/"),
        ("[2606:4700:4700::1111]:8443", "https://[2606:4700:4700::1111]:8443/"),
        ("shop.example/?u=http://a.example/", "https://shop.example/?u=http://a.example/"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
    ] {
        assert_eq!(WebUrl::read_typed(typed).map(|url| url.as_str().to_owned()).as_deref(), Ok(url), "{typed}");
    }
    for wrong in [
        "",
        "  ",
        "javascript:alert(1)",
        "mailto:a@shop.example",
        "user@shop.example",
        "//shop.example",
        "file:/etc",
        "a b",
        "/cart",
    ] {
        assert!(WebUrl::read_typed(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_reference_is_resolved_and_held_to_the_same_rules() {
    let base = ok("https://shop.example/list/page?x=1#top");
    for (reference, url) in [
        ("", "https://shop.example/list/page?x=1"),
        ("#end", "https://shop.example/list/page?x=1#end"),
        ("?y=2", "https://shop.example/list/page?y=2"),
        ("item", "https://shop.example/list/item"),
        ("../cart", "https://shop.example/cart"),
        ("/a:b", "https://shop.example/a:b"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example", "http://other.example/"),
    ] {
        assert_eq!(base.resolve(reference).map(|url| url.as_str().to_owned()).as_deref(), Ok(url), "{reference}");
    }
    for wrong in [
        "javascript:alert(1)",
        "data:,x",
        "//u@other.example/",
        "/\\other.example",
        "\\\\other.example",
        "///other.example",
        "https:other.example",
        "//0x7f.1/",
        "\t//other.example",
        "/a\nb",
        "//other.example:0/",
        "//other.example./",
    ] {
        assert!(base.resolve(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn the_public_form_has_neither_query_nor_fragment() {
    let url = ok("https://shop.example:8443/reset/a?token=s3cret#s3cret");
    assert_eq!(url.public_form(), "https://shop.example:8443/reset/a");
    assert_eq!(format!("{url:?}"), "WebUrl(https://shop.example:8443/reset/a)");
    assert_eq!(url.without_fragment().as_str(), "https://shop.example:8443/reset/a?token=s3cret");
}

#[test]
fn only_ports_80_and_443_are_ordinary() {
    for (text, ordinary) in [
        ("https://shop.example/", true),
        ("http://shop.example/", true),
        ("http://shop.example:443/", true),
        ("https://shop.example:8443/", false),
        ("http://shop.example:22/", false),
        ("http://shop.example:6379/", false),
    ] {
        assert_eq!(ok(text).port_is_ordinary(), ordinary, "{text}");
    }
}

#[test]
fn a_url_from_a_record_is_checked_again() {
    let url = ok("https://shop.example/cart?x=1");
    let json = serde_json::to_string(&url).unwrap();
    assert_eq!(json, "\"https://shop.example/cart?x=1\"");
    assert_eq!(serde_json::from_str::<WebUrl>(&json).unwrap(), url);
    assert!(serde_json::from_str::<WebUrl>("\"https://u@shop.example/\"").is_err());
}

#[test]
fn a_reason_says_what_to_change() {
    let said = [
        "https://0x7f.1/",
        "https://a@b.example/",
        "ftp://b.example",
        "https:b.example",
        "https://b.example\\x",
        "https://b.example:01/",
    ]
    .map(|text| read(text).unwrap_err().to_string())
    .join("\n");
    insta::assert_snapshot!(said, @r"
    the host is written in an unusual way; if you mean 127.0.0.1, write that
    the URL has a user name or password (an @ before the path), which can hide the real host
    only http and https URLs are opened
    the URL needs exactly two slashes after its scheme
    the URL has a backslash in it, which browsers read as a slash
    the port is written in an unusual way, or is 0
    ");
}

proptest! {
    #[test]
    fn whatever_is_read_reads_back_as_itself(text in "https?://[a-z0-9.:@\\[\\]%/?#\\\\ü。-]{0,40}") {
        if let Ok(url) = WebUrl::read(&text) {
            prop_assert_eq!(WebUrl::read(url.as_str()), Ok(url.clone()));
            prop_assert_eq!(Origin::read(&url.origin().to_string()), Ok(url.origin()));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}", reference in "\\PC{0,60}") {
        let _ = WebUrl::read(&text);
        let _ = WebUrl::read(&format!("https://{text}"));
        let _ = WebUrl::read_typed(&text);
        let base = ok("https://shop.example/a/b");
        if let Ok(url) = base.resolve(&reference) {
            prop_assert_eq!(WebUrl::read(url.as_str()), Ok(url.clone()));
        }
    }

    #[test]
    fn every_number_for_an_address_is_refused_unless_it_is_dotted(bits in any::<u32>()) {
        for text in [format!("http://{bits}/"), format!("http://{bits:#x}/"), format!("http://0{bits:o}/")] {
            prop_assert!(WebUrl::read(&text).is_err());
        }
        let dotted = std::net::Ipv4Addr::from_bits(bits);
        let url = ok(&format!("http://{dotted}/"));
        prop_assert_eq!(url.address(), Some(IpAddr::V4(dotted)));
        prop_assert!(!(is_metadata(dotted.into()) && classify(dotted.into()).is_public()));
    }
}

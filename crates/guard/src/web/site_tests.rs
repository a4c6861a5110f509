use proptest::prelude::*;

use super::*;

fn site(host: &str) -> Option<String> {
    Site::of_host(host).map(|site| site.to_string())
}

#[test]
fn a_site_is_the_registrable_domain() {
    for (host, expected) in [
        ("shop.example", "shop.example"),
        ("www.shop.example", "shop.example"),
        ("a.b.c.shop.example", "shop.example"),
        ("www.bbc.co.uk", "bbc.co.uk"),
        ("WWW.BBC.CO.UK.", "bbc.co.uk"),
        ("user.github.io", "user.github.io"),
        ("x.user.github.io", "user.github.io"),
        ("bücher.de", "xn--bcher-kva.de"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("93.184.216.34", "93.184.216.34"),
        ("[2606:4700:4700::1111]", "[2606:4700:4700::1111]"),
    ] {
        assert_eq!(site(host).as_deref(), Some(expected), "{host}");
    }
}

#[test]
fn a_public_suffix_and_what_is_no_host_have_no_site() {
    for host in [
        "co.uk",
        "com",
        "example",
        "github.io",
        "s3.amazonaws.com",
        "",
        ".",
        "a..example",
        ".shop.example",
        "intranet",
        "a b",
        "shop.example/x",
    ] {
        assert_eq!(site(host), None, "{host}");
    }
}

#[test]
fn an_operator_can_list_a_site_and_nothing_wider_or_narrower() {
    for good in ["shop.example", "bbc.co.uk", "user.github.io", "localhost", "127.0.0.1", "[::1]"] {
        assert_eq!(Site::read(good).map(|site| site.to_string()).as_deref(), Ok(good));
    }
    let said =
        ["co.uk", "github.io", "www.shop.example", "Shop.example", "https://shop.example", "*.shop.example", "shop.example.", ""]
            .map(|text| Site::read(text).map_or_else(|reason| reason.to_string(), |site| format!("accepted {site}")))
            .join("\n");
    insta::assert_snapshot!(said, @r#"
    co.uk is a public suffix, under which anyone can have a site: name the site below it
    github.io is a public suffix, under which anyone can have a site: name the site below it
    www.shop.example is a host within the site shop.example: write shop.example
    "Shop.example" is not a host name: write only the name, as in shop.example
    "https://shop.example" is not a host name: write only the name, as in shop.example
    *.shop.example is a host within the site shop.example: write shop.example
    "shop.example." is not a host name: write only the name, as in shop.example
    "" is not a host name: write only the name, as in shop.example
    "#);
}

#[test]
fn same_site_needs_the_same_registrable_domain() {
    let same = |a: &str, b: &str| same_site(&Url::parse(a).unwrap(), &Url::parse(b).unwrap());
    assert!(same("https://shop.example/", "https://www.shop.example/x"));
    assert!(same("https://shop.example/", "http://shop.example:8080/"));
    assert!(same("http://127.0.0.1/", "http://127.0.0.1:3000/"));
    for (a, b) in [
        ("https://shop.example/", "https://evilshop.example/"),
        ("https://shop.example/", "https://shop.example.evil.test/"),
        ("https://a.co.uk/", "https://b.co.uk/"),
        ("https://co.uk/", "https://co.uk/"),
        ("https://a.github.io/", "https://b.github.io/"),
        ("http://127.0.0.1/", "http://127.0.0.2/"),
        ("data:,x", "data:,x"),
    ] {
        assert!(!same(a, b), "{a} {b}");
    }
}

#[test]
fn a_site_contains_its_hosts_and_no_look_alike() {
    let site = Site::read("shop.example").unwrap();
    assert!(site.contains_host("shop.example") && site.contains_host("a.b.shop.example"));
    for other in ["evilshop.example", "shop.example.evil.com", "example", "shop.example.org", "shop-example"] {
        assert!(!site.contains_host(other), "{other}");
    }
}

proptest! {
    #[test]
    fn no_host_makes_it_panic_and_a_site_is_its_own_site(host in "\\PC{0,60}") {
        if let Some(site) = Site::of_host(&host) {
            prop_assert_eq!(Site::of_host(site.as_str()), Some(site.clone()));
            prop_assert_eq!(Site::read(site.as_str()), Ok(site.clone()));
        }
        let _ = Site::read(&host);
    }
}

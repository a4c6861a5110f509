use clicket_guard::web::Scheme;

use super::{address_of, read_authority};

#[test]
fn only_the_canonical_spelling_of_an_authority_is_read() {
    for good in
        ["shop.example:443", "shop.example", "shop.example:8443", "127.0.0.1:443", "[::1]:443", "xn--bcher-kva.example:443"]
    {
        assert!(read_authority(Scheme::Https, good).is_some(), "{good}");
    }
    for bad in [
        "",
        ":443",
        "SHOP.example:443",
        "shop.example:0443",
        "shop.example:",
        "shop.example:99999",
        "u@shop.example:443",
        "shop.example:443/x",
        "shop.example:443?x",
        "shop.example:443#x",
        "0x7f.1:443",
        "2130706433:443",
        "shop%2eexample:443",
        "shop.example\\@evil.example:443",
        "b\u{fc}cher.example:443",
        "[::0001]:443",
        "shop.example:80:443",
    ] {
        assert!(read_authority(Scheme::Https, bad).is_none(), "{bad}");
    }
}

#[test]
fn an_address_host_is_told_from_a_name() {
    let of = |text| address_of(&read_authority(Scheme::Https, text).expect(text));
    assert!(of("127.0.0.1:443").is_some());
    assert!(of("[::1]:443").is_some());
    assert!(of("shop.example:443").is_none());
}

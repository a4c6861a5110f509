use super::*;

fn secret(value: &str) -> Secret {
    Secret::bind("password", value.to_owned(), Origin::read("https://shop.example").unwrap(), SecretField::Concealed).unwrap()
}

#[test]
fn a_secret_is_scrubbed_in_every_encoding() {
    let value = "p4ss/W&rd <\"x\"> é!";
    let scrubber = Scrubber::of(&[secret(value)]).unwrap();
    let engine = base64::engine::general_purpose::STANDARD;
    let url_engine = base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let form: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let mut echoes = vec![
        value.to_owned(),
        value.to_uppercase().replace('É', "é"),
        form,
        value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;"),
        serde_json::to_string(value).unwrap(),
        value.chars().rev().collect(),
        value.bytes().fold(String::new(), |hex, b| format!("{hex}{b:02X}")),
    ];
    for prefix in ["", "a", "ab", "abc"] {
        echoes.push(engine.encode(format!("{prefix}{value}&more")));
        echoes.push(url_engine.encode(format!("{prefix}{value}")));
    }
    for echo in echoes {
        let page = format!("before {echo} after");
        assert!(scrubber.finds(page.as_bytes()), "{echo}");
        let scrubbed = scrubber.scrub(&page);
        assert!(scrubbed.contains("[secret:password]"), "{echo} -> {scrubbed}");
        assert!(!scrubber.finds(scrubbed.as_bytes()));
    }
}

#[test]
fn scrubbing_is_idempotent_and_never_partial() {
    let both = Scrubber::of(&[secret("abcdef"), secret("defghi")]).unwrap();
    let once = both.scrub("x abcdefghi y").into_owned();
    assert_eq!(once, "x [secret:password] y");
    assert_eq!(both.scrub(&once), once);
}

#[test]
fn a_secret_that_a_field_grouped_or_a_page_split_is_scrubbed() {
    let card = Scrubber::of(&[secret("4111111111111111")]).unwrap();
    for shown in ["4111 1111 1111 1111", "4111-1111-1111-1111", "4111\u{a0}1111\u{a0}1111\u{a0}1111", "\u{ff14}1111111 1111 1111"]
    {
        assert_eq!(card.scrub(&format!("Card {shown}.")), "Card [secret:password].", "{shown}");
        assert!(card.finds(shown.as_bytes()), "{shown}");
    }
    assert_eq!(card.scrub("4111 1111 1111 and 1111"), "4111 1111 1111 and 1111");
    assert_eq!(card.scrub(r#"{"a":"41111111","b":"11111111"}"#), r#"{"a":"41111111","b":"11111111"}"#);
    let word = Scrubber::of(&[secret("Zq7!kLm9wXr2")]).unwrap();
    for shown in [
        "Zq7!kL m9wXr2",
        "Z-q-7-!-k-L-m-9-w-X-r-2",
        "5a:71:37:21:6b:4c:6d:39:77:58:72:32",
        "/Z/q/7/!/k/L/m/9/w/X/r/2",
        "2rXw 9mLk7qZ",
    ] {
        let scrubbed = word.scrub(shown);
        assert!(scrubbed.contains("[secret:password]") && scrubbed.len() < 20, "{shown} -> {scrubbed}");
    }
}

#[test]
fn a_secret_opens_only_for_its_origin_and_field() {
    let origin = Origin::read("https://shop.example").unwrap();
    let other = Origin::read("https://shop.example.evil.example").unwrap();
    let secret = secret("hunter2!");
    assert_eq!(secret.open_for(&origin, SecretField::Concealed), Ok("hunter2!"));
    assert_eq!(secret.open_for(&origin, SecretField::AnyText), Err(SecretRefusal::OtherField));
    assert!(matches!(secret.open_for(&other, SecretField::Concealed), Err(SecretRefusal::OtherOrigin { .. })));
    assert_eq!(format!("{secret:?}"), "Secret(password for https://shop.example)");
}

#[test]
fn too_short_secrets_are_refused() {
    let origin = Origin::read("https://shop.example").unwrap();
    assert!(matches!(Secret::bind("pin", "123".into(), origin, SecretField::Concealed), Err(SecretRefusal::TooShort)));
}

#[test]
fn a_secret_that_a_cut_goes_through_is_masked_at_both_edges() {
    let scrub = Scrubber::of(&[secret("Corr3ct-Horse")]).unwrap();
    let long = "z".repeat(150);
    for (text, masked) in [
        (format!("{long}Corr3ct-H"), format!("{long}[secret:password]")),
        (format!("{long}corr"), format!("{long}[secret:password]")),
        (format!("{long}cor"), format!("{long}cor")),
        (format!("ct-Horse{long}"), format!("[secret:password]{long}")),
        ("short Corr3ct".to_owned(), "short Corr3ct".to_owned()),
    ] {
        assert_eq!(scrub.scrub_edges(Cow::Borrowed(&text)), masked);
    }
}

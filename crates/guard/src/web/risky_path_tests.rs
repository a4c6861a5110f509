use proptest::prelude::*;

use super::*;

#[test]
fn every_word_is_found_between_any_two_edges() {
    for word in RISKY_WORDS {
        for path in [
            format!("/{word}"),
            format!("/{word}/"),
            format!("/account/{word}/now"),
            format!("/my-{word}-page"),
            format!("/{word}.php"),
            format!("/a_{word}"),
            word.to_owned(),
            format!("/{}", word.to_uppercase()),
        ] {
            assert_eq!(risky_path_words(&path), Some(word), "{path}");
        }
    }
}

#[test]
fn a_word_within_a_longer_word_does_not_count() {
    for path in [
        "/",
        "",
        "/checkouts",
        "/blog/logins-explained",
        "/undeleted",
        "/downloader",
        "/registered",
        "/confirmation",
        "/cart",
        "/a%20b",
        "/caf%C3%A9",
    ] {
        assert_eq!(risky_path_words(path), None, "{path}");
    }
}

#[test]
fn escapes_are_decoded_as_deep_as_any_server_does() {
    let mut path = "/%6cogout".to_owned();
    for _ in 0..5 {
        assert_eq!(risky_path_words(&path), Some("logout"), "{path}");
        path = path.replace('%', "%25");
    }
    assert_eq!(risky_path_words(&path), Some(NESTED_ESCAPES), "{path}");
    assert_eq!(risky_path_words("/a%2Flogout%2Fb"), Some("logout"));
}

#[test]
fn a_path_that_cannot_be_decoded_is_risky() {
    for path in ["/%", "/%6", "/%zz", "/%+1", "/100%-off", "/%ff", "/%c3%28", "/%é1", "/%25zz", "/%2", "%%"] {
        assert_eq!(risky_path_words(path), Some(MALFORMED_ESCAPE), "{path}");
    }
}

#[test]
fn full_width_letters_and_other_compatibility_forms_are_read() {
    for path in ["/ｌｏｇｏｕｔ", "/ⓛⓞⓖⓞⓤⓣ", "/%EF%BD%8Cogout", "/a／logout", "/𝐝𝐞𝐥𝐞𝐭𝐞"] {
        assert!(risky_path_words(path).is_some(), "{path}");
    }
}

proptest! {
    #[test]
    fn no_path_makes_it_panic(path in "\\PC{0,60}", escaped in "(%[0-9a-f]{2}|%25|[a-z/%é]){0,30}") {
        let _ = risky_path_words(&path);
        let _ = risky_path_words(&escaped);
    }
}

use http::{HeaderMap, Method};

use super::*;

fn asked() -> Asked {
    Asked {
        method: Method::POST,
        path: "/x".to_owned(),
        query: None,
        host: "shop.example".to_owned(),
        headers: HeaderMap::new(),
        body: bytes::Bytes::from_static(b"\xff\x00a"),
    }
}

#[test]
fn a_full_log_refuses_the_write_instead_of_losing_it() {
    let truth = Truth::with_entries_max(2);
    let first = truth.room().unwrap();
    let second = truth.room().unwrap();
    assert!(truth.room().is_none(), "room that is promised is not given twice");
    truth.record(first, &asked(), 200, Effect::None).unwrap();
    truth.record(second, &asked(), 200, Effect::None).unwrap();
    assert!(truth.room().is_none());
    assert_eq!(truth.entries().len(), 2);
}

#[test]
fn digest_is_of_the_bytes_even_when_they_are_no_text() {
    let truth = Truth::with_entries_max(1);
    truth.record(truth.room().unwrap(), &asked(), 200, Effect::SignInFailed).unwrap();
    let entry = truth.entries().pop().unwrap();
    assert_eq!(entry.body, "\u{fffd}\u{0}a");
    assert_eq!(entry.body_sha256, "f9789675a25a87605b0d60387568e25cda7b568653ecdc42e9248588dc70acd5");
}

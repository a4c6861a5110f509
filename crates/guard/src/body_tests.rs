use super::Body;
use crate::fixtures::{FORM, request};

const JSON: &str = "application/json";

fn read(kind: &str, body: &str) -> Option<Body> {
    Body::of(&request("POST", "https://shop.example/x", kind, body))
}

#[test]
fn an_object_with_a_doubled_name_at_any_depth_is_not_read() {
    assert!(matches!(read(JSON, r#"{"a":1,"b":{"c":[{"d":null}]}}"#), Some(Body::Json(_))));
    for body in [r#"{"a":1,"a":2}"#, r#"{"a":{"b":1,"b":2}}"#, r#"{"a":[{"b":1,"\u0062":2}]}"#] {
        assert_eq!(read(JSON, body), None, "{body}");
    }
}

#[test]
fn what_is_not_exactly_its_type_is_not_read() {
    for (kind, body) in [
        (JSON, "[1]"),
        (JSON, "\"a\""),
        (JSON, "{\"a\":1} trailing"),
        (JSON, "\u{feff}{\"a\":1}"),
        ("application/json; charset=utf-16", "{\"a\":1}"),
        ("application/json, text/plain", "{\"a\":1}"),
        ("text/plain", "{\"a\":1}"),
        (FORM, "a=1;b=2"),
        (FORM, "a=\u{e9}"),
        (FORM, "a=1 b"),
        ("multipart/form-data; boundary=x", "--x"),
    ] {
        assert_eq!(read(kind, body), None, "{kind} {body}");
    }
    assert_eq!(read("application/json;charset=UTF-8", "{}"), Some(Body::Json(serde_json::Map::new())));
    assert_eq!(read(FORM, ""), Some(Body::Empty));
}

#[test]
fn a_compressed_body_is_not_read() {
    let mut image = request("POST", "https://shop.example/x", JSON, "{}");
    image.headers.push(("Content-Encoding".into(), "gzip".into()));
    assert_eq!(Body::of(&image), None);
}

#[test]
fn deep_nesting_is_refused_and_not_a_crash() {
    assert_eq!(read(JSON, &format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000))), None);
}

use super::*;

#[test]
fn every_error_shape_in_use_is_read() {
    for (body, expected) in [
        (r#"{"detail":{"error_type":"api_usage_error","message":"Unknown model: x"}}"#, "Unknown model: x"),
        (
            r#"{"detail":[{"type":"missing","loc":["body","questions","q","score","criteria",0],"msg":"Field required"}]}"#,
            "questions.q.score.criteria.0: Field required",
        ),
        (r#"{"detail":"Not Found"}"#, "Not Found"),
        (r#"{"message":"too many","error_type":"rate"}"#, "too many"),
        (r#"{"error":{"code":402,"message":"no credit"}}"#, "no credit"),
        (r#"{"error":"plain"}"#, "plain"),
        ("<html>\n bad  gateway</html>", "<html> bad gateway</html>"),
        ("", "no reason given"),
        ("\u{1b}[31mred\u{202e}", "[31mred"),
    ] {
        assert_eq!(message(body.as_bytes()), expected, "{body}");
    }
    assert_eq!(message("x".repeat(5000).as_bytes()).len(), MESSAGE_CHARS_MAX);
}

#[test]
fn pauses_are_read_from_either_header_and_only_when_sane() {
    let hint = |name: &'static str, value: &str| {
        pause_hint(&HeaderMap::from_iter([(reqwest::header::HeaderName::from_static(name), value.parse().unwrap())]))
    };
    assert_eq!(hint("retry-after-ms", "50"), Some(Duration::from_millis(50)));
    assert_eq!(hint("retry-after", "2"), Some(Duration::from_secs(2)));
    let dated = |after: &str, now: &str| {
        let named = |name: &'static str, value: &str| (reqwest::header::HeaderName::from_static(name), value.parse().unwrap());
        pause_hint(&HeaderMap::from_iter([named("retry-after", after), named("date", now)]))
    };
    let now = "Wed, 21 Oct 2026 07:28:00 GMT";
    assert_eq!(dated("Wed, 21 Oct 2026 07:28:07 GMT", now), Some(Duration::from_secs(7)));
    assert_eq!(dated("Wed, 21 Oct 2026 07:27:00 GMT", now), None);
    assert_eq!(dated("Wed, 21 Oct 2026 09:28:00 GMT", now), None);
    for nonsense in ["-1", "NaN", "1e300", "Wed, 21 Oct 2026 07:28:00 GMT", "61"] {
        assert_eq!(hint("retry-after", nonsense), None, "{nonsense}");
    }
}

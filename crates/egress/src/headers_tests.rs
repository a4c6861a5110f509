use http::header::{HeaderMap, HeaderName, HeaderValue};

use super::{to_browser, to_origin};

fn map(pairs: &[(&str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        map.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value).unwrap());
    }
    map
}

fn names(map: &HeaderMap) -> Vec<&str> {
    map.keys().map(HeaderName::as_str).collect()
}

#[test]
fn headers_about_one_connection_and_the_credential_stay_here() {
    let sent = to_origin(&map(&[
        ("host", "shop.example"),
        ("connection", "keep-alive, X-Private"),
        ("x-private", "1"),
        ("proxy-authorization", "Basic secret"),
        ("transfer-encoding", "chunked"),
        ("cookie", "a=1"),
    ]));
    assert_eq!(names(&sent), ["host", "cookie"]);
}

#[test]
fn side_roads_are_taken_out_of_a_response() {
    let kept = to_browser(&map(&[
        ("content-type", "text/html"),
        ("alt-svc", "h3=\":443\""),
        ("nel", "{}"),
        ("report-to", "{}"),
        ("reporting-endpoints", "a=\"https://r.example\""),
        ("speculation-rules", "\"/rules.json\""),
        ("content-length", "3"),
    ]));
    assert_eq!(names(&kept), ["content-type", "content-length"]);
}

#[test]
fn links_ahead_of_need_are_dropped_and_others_kept() {
    let link = |value: &str| {
        let kept = to_browser(&map(&[("link", value)]));
        kept.get("link").map(|v| v.to_str().unwrap().to_owned())
    };
    assert_eq!(
        link("</a,b.css>; rel=preload; as=style, <https://x.example>; rel=preconnect").as_deref(),
        Some("</a,b.css>; rel=preload; as=style")
    );
    for gone in [
        "</n>; rel=prefetch",
        "</n>; rel=\"prefetch next\"",
        "</n>; REL=PREFETCH",
        "</n>;rel = dns-prefetch",
        "</n>; rel=prerender",
        "</n>; rel=preload; rel=preconnect",
        "rel=prefetch",
        "</n>; rel=\"preload prefetch",
    ] {
        assert_eq!(link(gone), None, "{gone}");
    }
}

#[test]
fn two_lengths_that_differ_are_not_passed_on() {
    assert!(to_browser(&map(&[("content-length", "3"), ("content-length", "4")])).is_empty());
}

#[test]
fn a_challenge_that_would_make_the_browser_ask_a_person_stays_here() {
    for (value, kept) in [("Basic realm=\"x\"", false), ("Negotiate", false), ("Bearer realm=\"basics\"", true)] {
        let mut headers = HeaderMap::new();
        headers.insert("www-authenticate", HeaderValue::from_static(value));
        assert_eq!(to_browser(&headers).contains_key("www-authenticate"), kept, "{value}");
    }
}

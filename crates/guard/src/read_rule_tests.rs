use crate::approval::Attendance;
use crate::fixtures::{FORM, request};
use crate::policy::{Held, Policy, Verdict};
use crate::risk::ActionClass;
use crate::traffic::Cause;

const JSON: &str = "application/json";

fn judged(policy: &Policy, url: &str, kind: &str, body: &str) -> (Verdict, ActionClass) {
    let image = request("POST", url, kind, body);
    let held = Held { image: &image, cause: Cause::Action, remembered: &[], attendance: Attendance::Unattended };
    let judgement = policy.judge_held(&held);
    (judgement.verdict(), judgement.class())
}

#[test]
fn the_shipped_reads_pass_with_nobody_there_and_what_looks_like_them_does_not() {
    let policy = Policy::shipped().unwrap();
    let read = (Verdict::Allow, ActionClass::Observe);
    for (url, kind, body) in [
        ("https://shop.example/graphql", JSON, r#"{"query":"query Cart { cart { total } }","variables":{"q":"delete me"}}"#),
        ("https://api.shop.example/v2/graphql?op=Cart", "application/json; charset=utf-8", r#"{"query":"{ a }"}"#),
        ("https://shop.example/api/search", JSON, r#"{"q":"mug","page":2,"sort":["price"]}"#),
        ("https://shop.example/search", FORM, "q=blue+mug"),
        ("https://shop.example/oauth/token", FORM, "grant_type=refresh_token&refresh_token=abc"),
    ] {
        assert_eq!(judged(&policy, url, kind, body), read, "{url} {body}");
    }
    for (url, kind, body) in [
        ("https://shop.example/graphql", JSON, r#"{"query":"mutation { add }"}"#),
        ("https://shop.example/graphql", JSON, r#"[{"query":"{ a }"}]"#),
        ("https://shop.example/graphql", "text/plain", r#"{"query":"{ a }"}"#),
        ("https://shop.example/graphql/x", JSON, r#"{"query":"{ a }"}"#),
        ("https://shop.example/notgraphql", JSON, r#"{"query":"{ a }"}"#),
        ("https://shop.example/api/search", JSON, r#"{"q":"mug","save":true}"#),
        ("https://shop.example/api/search?save=1", JSON, r#"{"q":"mug"}"#),
        ("https://shop.example/api/search", JSON, "{}"),
        ("https://shop.example/oauth/token", FORM, "grant_type=password&username=a"),
    ] {
        assert_ne!(judged(&policy, url, kind, body).0, Verdict::Allow, "{url} {body}");
    }
}

#[test]
fn a_read_rule_opens_no_stricter_class() {
    let policy = Policy::shipped().unwrap();
    for (url, body) in [
        ("https://shop.example/account/delete/graphql", r#"{"query":"{ a }"}"#),
        ("https://shop.example/pay/graphql", r#"{"query":"{ a }"}"#),
        ("https://shop.example/graphql", r#"{"query":"{ a }","variables":{"card":"4111111111111111"}}"#),
    ] {
        assert_eq!(judged(&policy, url, JSON, body).0, Verdict::Refuse, "{url}");
    }
}

#[test]
fn a_header_that_names_another_method_makes_it_no_read() {
    let mut image = request("POST", "https://shop.example/graphql", JSON, r#"{"query":"{ a }"}"#);
    image.headers.push(("X-HTTP-Method-Override".into(), "PATCH".into()));
    let held = Held { image: &image, cause: Cause::Action, remembered: &[], attendance: Attendance::Attended };
    assert_eq!(Policy::shipped().unwrap().judge_held(&held).verdict(), Verdict::Ask);
}

#[test]
fn a_rule_of_the_operator_speaks_before_a_read_rule() {
    let text = r#"
        version = 1
        [[rule]]
        name = "no graphql"
        class = "write"
        request = "POST /graphql"
        verdict = "refuse"
        matches = ["POST https://shop.example/graphql"]
    "#;
    let policy = Policy::with_file(text).unwrap();
    assert_eq!(judged(&policy, "https://shop.example/graphql", JSON, r#"{"query":"{ a }"}"#).0, Verdict::Refuse);
}

const OWN: &str = r#"
version = 1
[[read]]
name = "prices"
request = "POST /prices"
origin = "https://shop.example"
body = "json"
fields = ["ids"]
matches = ['POST https://shop.example/prices {"ids":[1,2]}']
not_matches = ['POST https://other.example/prices {"ids":[1]}']
"#;

#[test]
fn an_operators_read_rule_holds_at_its_origin_alone() {
    let policy = Policy::with_file(OWN).unwrap();
    assert_eq!(judged(&policy, "https://shop.example/prices", JSON, r#"{"ids":[7]}"#).0, Verdict::Allow);
    assert_eq!(judged(&policy, "https://www.shop.example/prices", JSON, r#"{"ids":[7]}"#).0, Verdict::Ask);
}

#[test]
fn a_read_rule_that_can_not_be_held_to_its_examples_refuses_to_load() {
    for (from, to, says) in [
        (r#"not_matches = ['POST https://other.example/prices {"ids":[1]}']"#, "not_matches = []", "examples"),
        (
            r#"matches = ['POST https://shop.example/prices {"ids":[1,2]}']"#,
            "matches = ['POST https://shop.example/prices {}']",
            "must match",
        ),
        ("https://other.example/prices", "https://shop.example/prices", "must not match"),
        ("POST /prices", "GET /prices", "POST /path"),
        ("POST /prices", "POST prices", "POST /path"),
        ("POST /prices", "POST */*", "POST /path"),
        ("https://shop.example\"", "https://*.example\"", "without wildcards"),
        ("fields = [\"ids\"]", "fields = []", "needs the `fields`"),
        ("body = \"json\"", "body = \"empty\"", "belong to a body"),
        ("body = \"json\"", "body = \"any\"", "any"),
        ("fields", "field", "field"),
    ] {
        assert!(OWN.contains(from), "{from}");
        let said = Policy::with_file(&OWN.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(said.contains(says), "{to}: {said}");
    }
}

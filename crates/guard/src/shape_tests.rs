use super::Shape;
use crate::effect::RequestImage;
use crate::fixtures::{FORM, request};
use crate::secret::Scrubber;

const JSON: &str = "application/json";

fn post(url: &str, kind: &str, body: &str) -> RequestImage {
    request("POST", url, kind, body)
}

#[test]
fn values_may_differ_and_names_may_not() {
    let like = |a: &RequestImage, b: &RequestImage| Shape::of(a).is_some() && Shape::of(a) == Shape::of(b);
    let first = post("https://shop.example/like", FORM, "id=1&csrf=x");
    assert!(like(&first, &post("https://shop.example/like", FORM, "csrf=y&id=2")));
    for other in [
        post("https://shop.example/like", FORM, "id=1"),
        post("https://shop.example/like", FORM, "id=1&csrf=x&all=1"),
        post("https://shop.example/like?all=1", FORM, "id=1&csrf=x"),
        post("https://shop.example/like2", FORM, "id=1&csrf=x"),
        post("https://www.shop.example/like", FORM, "id=1&csrf=x"),
        post("https://shop.example/like", JSON, r#"{"id":"1","csrf":"x"}"#),
        request("PUT", "https://shop.example/like", FORM, "id=1&csrf=x"),
    ] {
        assert!(!like(&first, &other), "{other:?}");
    }
    let nested = post("https://shop.example/like", JSON, r#"{"a":{"b":[{"c":1}]}}"#);
    assert!(like(&nested, &post("https://shop.example/like", JSON, r#"{"a":{"b":[{"c":2},{"c":"x"}]}}"#)));
    assert!(!like(&nested, &post("https://shop.example/like", JSON, r#"{"a":{"b":[{"c":2,"d":1}]}}"#)));
    assert!(!like(&nested, &post("https://shop.example/like", JSON, r#"{"a":{"b":{"c":2}}}"#)));
}

#[test]
fn one_remembered_mutation_is_not_another() {
    let send = |query: &str| {
        Shape::of(&post("https://shop.example/graphql", JSON, &format!(r#"{{"query":"{query}","variables":{{"id":1}}}}"#)))
    };
    assert_eq!(send("mutation { like }"), send("mutation { like }"));
    assert_ne!(send("mutation { like }"), send("mutation { wipe }"));
    let deed = |deed: &str| Shape::of(&post("https://shop.example/do", FORM, &format!("action={deed}&id=1")));
    assert_eq!(deed("like"), deed("like"));
    assert_ne!(deed("like"), deed("remove"));
    let rpc =
        |method: &str| Shape::of(&post("https://shop.example/rpc", JSON, &format!(r#"{{"method":"{method}","params":[1]}}"#)));
    assert_ne!(rpc("like"), rpc("wipe"));
}

#[test]
fn what_can_not_be_read_has_no_shape() {
    assert_eq!(Shape::of(&post("https://shop.example/x", "multipart/form-data; boundary=x", "--x")), None);
    assert_eq!(Shape::of(&post("https://shop.example/x", JSON, r#"{"a":1,"a":2}"#)), None);
    assert_eq!(Shape::of(&post("https://shop.example/x", "text/plain", "a")), None);
    let mut overridden = post("https://shop.example/x", FORM, "a=1");
    overridden.headers.push(("x-method-override".into(), "DELETE".into()));
    assert_eq!(Shape::of(&overridden), None);
    let wide: Vec<String> = (0..100).map(|n| format!("f{n}=1")).collect();
    assert_eq!(Shape::of(&post("https://shop.example/x", FORM, &wide.join("&"))), None);
}

#[test]
fn a_shape_in_words_holds_names_in_quotes_and_no_values() {
    let shape = Shape::of(&post("https://shop.example/like", FORM, "action=add&id=my+secret")).unwrap();
    insta::assert_snapshot!(shape.in_words(&Scrubber::default()), @r#"POST "/like" at https://shop.example (application/x-www-form-urlencoded, exactly the fields "action", "id"), whatever their values; "action" as it is now"#);
}

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{address_adds_nothing, is_query_document, only_asks};

fn body(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other}"),
    }
}

#[test]
fn a_document_with_anything_but_queries_is_no_read() {
    for text in
        ["{ a }", "query { a }", "query Q($x: ID!) { a(id: $x) { ...F } } fragment F on T { b }", "query A { a } query B { b }"]
    {
        assert!(is_query_document(text), "{text}");
    }
    for text in [
        "",
        " ",
        "# only a comment",
        "mutation { a }",
        "subscription { a }",
        "query A { a } mutation B { b }",
        "mutation B { b } query A { a }",
        "fragment F on T { b }",
        "type T { a: Int }",
        "query A { a } type T { a: Int }",
        "query A { a",
        "query A { a } }",
        "{ a } mutation",
        "query Mutation { a } mutation",
        "\u{feff}mutation { a }",
        "query { a } # x\nmutation { b }",
        "query { a } # x\rmutation { b }",
        "extend schema { query: Q }",
    ] {
        assert!(!is_query_document(text), "{text}");
    }
}

#[test]
fn batched_persisted_and_strange_bodies_are_no_reads() {
    assert!(only_asks(&body(json!({"query": "{ a }", "operationName": null, "variables": {"x": [1]}}))));
    assert!(only_asks(&body(json!({"query": "{ a }", "extensions": {"clientLibrary": {"name": "x"}}}))));
    for strange in [
        json!({"operationName": "A", "extensions": {"persistedQuery": {"version": 1, "sha256Hash": "0"}}}),
        json!({"query": "{ a }", "extensions": {"persistedQuery": {"sha256Hash": "0"}}}),
        json!({"query": "{ a }", "id": "7"}),
        json!({"query": "{ a }", "doc_id": "7"}),
        json!({"query": "{ a }", "mutation": "mutation { b }"}),
        json!({"query": ["{ a }"]}),
        json!({"query": "{ a }", "variables": "{}"}),
        json!({"query": "{ a }", "operationName": ["A"]}),
        json!({"variables": {}}),
        json!({}),
    ] {
        assert!(!only_asks(&body(strange.clone())), "{strange}");
    }
}

#[test]
fn an_address_that_names_a_document_is_no_read() {
    let adds_nothing =
        |query: &str| address_adds_nothing(&url::Url::parse(&format!("https://a.example/graphql{query}")).unwrap());
    assert!(adds_nothing("") && adds_nothing("?op=Cart") && adds_nothing("?operationName=Cart"));
    for query in ["?query=mutation{a}", "?id=7", "?op=Cart&extensions={}", "?_method=delete", "?documentId=7"] {
        assert!(!adds_nothing(query), "{query}");
    }
}

#[test]
fn depth_and_length_are_bounded() {
    assert!(!is_query_document(&format!("query {}{}", "{ a ".repeat(50_000), "}".repeat(50_000))));
    assert!(!is_query_document(&format!("{{ {} }}", "a ".repeat(50_000))));
}

proptest! {
    #[test]
    fn a_mutation_anywhere_is_never_a_read(before in "(query [A-Z] \\{ a \\} ){0,3}", after in "( query [A-Z] \\{ a \\}){0,3}", gap in "[ ,\n\t]{0,3}") {
        let text = format!("{before}{gap}mutation M {{ b }}{gap}{after}");
        prop_assert!(!is_query_document(&text), "{}", text);
    }

    #[test]
    fn any_text_is_read_without_a_crash(text in ".{0,200}") {
        let _ = is_query_document(&text);
    }
}

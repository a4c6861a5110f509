use serde_json::Value;

use super::*;
use crate::errors::PageError;

#[test]
fn an_answer_is_a_json_string_or_nothing() {
    let read = |raw: &str| read_answer::<Value>(raw, 100);
    assert_eq!(read(r#"{"result":{"type":"string","value":"{\"ok\":true}"}}"#), Ok(json!({ "ok": true })));
    assert_eq!(read(r#"{"result":{"type":"string","value":"not json"}}"#), Err(PageError::Unreadable));
    assert_eq!(read(r#"{"result":{"type":"undefined"}}"#), Err(PageError::Unreadable));
    assert_eq!(read(r#"{"result":{"type":"object"},"exceptionDetails":{"text":"x"}}"#), Err(PageError::ScriptFailed));
    assert_eq!(read("[]"), Err(PageError::Unreadable));
}

#[test]
fn an_answer_above_the_cap_is_refused_before_it_is_parsed() {
    let long = format!(r#"{{"result":{{"type":"string","value":"{}"}}}}"#, "x".repeat(101));
    assert_eq!(read_answer::<Value>(&long, 100), Err(PageError::TooLarge { bytes: 101 }));
}

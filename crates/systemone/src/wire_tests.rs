use serde_json::json;

use super::*;

#[test]
fn a_request_reads_back_as_it_was_written_and_keeps_its_order() {
    let text = r#"{"model":"jev-latest","state":{"a":1},"questions":{"zeta":{"type":"choice","instructions":"which","criteria":{"b":"text","a":{"role":"button"},"c":null}},"alpha":{"type":"noul","criteria":{"true":"yes"}},"mid":{"type":"score","criteria":["low","high"]}}}"#;
    let request: Request = serde_json::from_str(text).unwrap();
    assert_eq!(request.questions.keys().collect::<Vec<_>>(), ["zeta", "alpha", "mid"]);
    assert_eq!(serde_json::to_string(&request).unwrap(), text);
}

#[test]
fn a_response_takes_integers_for_numbers_and_ignores_what_it_does_not_know() {
    let response: Response = serde_json::from_value(json!({
        "model": "m", "id": 7, "usage": {"input_tokens": 3, "output_tokens": 0, "x": 1},
        "answers": {"q": {"type": "choice", "choice": "a", "confidence": 1, "probabilities": {"a": 1, "b": 0}, "action": "go"},
                    "n": {"type": "noul", "noul": 0.5}, "new": {"type": "poem", "text": "oh"}}
    }))
    .unwrap();
    assert_eq!(response.answers["new"], Answer::Unknown);
    assert!(matches!(&response.answers["q"], Answer::Choice { confidence, .. } if *confidence == 1.0));
}

#[test]
fn a_key_that_occurs_twice_is_refused() {
    let twice = r#"{"model":"m","usage":{"input_tokens":1,"output_tokens":1},"answers":{"q":{"type":"choice","choice":"a","confidence":1,"probabilities":{"a":0.9,"b":0.1,"a":0.1}}}}"#;
    assert!(serde_json::from_str::<Response>(twice).unwrap_err().to_string().contains("twice"));
}

#[test]
fn missing_confidence_text_numbers_and_fractional_tokens_are_refused() {
    for answer in [
        r#"{"type":"choice","choice":"a","probabilities":{"a":1}}"#,
        r#"{"type":"choice","choice":"a","confidence":null,"probabilities":{"a":1}}"#,
        r#"{"type":"choice","choice":"a","confidence":"0.9","probabilities":{"a":1}}"#,
        r#"{"type":"choice","choice":"a","confidence":1,"probabilities":{"a":"1"}}"#,
    ] {
        assert!(serde_json::from_str::<Answer>(answer).is_err(), "{answer}");
    }
    assert!(serde_json::from_str::<Usage>(r#"{"input_tokens":1.5,"output_tokens":0}"#).is_err());
    assert!(serde_json::from_str::<Usage>(r#"{"input_tokens":-1,"output_tokens":0}"#).is_err());
}

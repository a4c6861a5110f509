use indexmap::IndexMap;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::wire::Usage;

fn asked(options: &[&str]) -> Request {
    let criteria: IndexMap<String, Value> = options.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
    Request {
        model: "m".to_owned(),
        state: json!({}),
        questions: IndexMap::from_iter([("q".to_owned(), Question::choice("which", criteria))]),
    }
}

fn answered(choice: &str, confidence: f64, probabilities: &[(&str, f64)]) -> Response {
    let probabilities = probabilities.iter().map(|(name, p)| ((*name).to_owned(), *p)).collect();
    let answer = Answer::Choice { choice: choice.to_owned(), confidence, probabilities };
    Response {
        model: "m-1".to_owned(),
        answers: IndexMap::from_iter([("q".to_owned(), answer)]),
        usage: Usage { input_tokens: 1, output_tokens: 1 },
    }
}

#[test]
fn an_honest_answer_is_read_with_the_smaller_of_confidence_and_probability() {
    let read = read_choice(&asked(&["a", "b"]), &answered("b", 0.95, &[("a", 0.2), ("b", 0.8)]), "q").unwrap();
    assert_eq!((read.choice.as_str(), read.confidence, read.probability), ("b", 0.8, 0.8));
    assert_eq!(read.ranking[0].option, "b");
    let read = read_choice(&asked(&["a", "b"]), &answered("b", 0.6, &[("a", 0.2), ("b", 0.8)]), "q").unwrap();
    assert_eq!(read.confidence, 0.6);
}

#[test]
fn every_lie_is_named() {
    let request = asked(&["a", "b"]);
    let fault = |response: &Response| read_choice(&request, response, "q").unwrap_err();
    let q = || "q".to_owned();
    assert_eq!(fault(&answered("c", 0.9, &[("a", 0.1), ("b", 0.9)])), AnswerFault::NotOffered { question: q() });
    assert_eq!(fault(&answered("a", 0.9, &[("a", 1.0)])), AnswerFault::WrongOptions { question: q() });
    assert_eq!(fault(&answered("a", 0.9, &[("a", 1.0), ("c", 0.0)])), AnswerFault::WrongOptions { question: q() });
    assert_eq!(fault(&answered("a", 0.9, &[("a", 1.0), ("b", 0.0), ("c", 0.0)])), AnswerFault::WrongOptions { question: q() });
    for wrong in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
        assert_eq!(fault(&answered("a", wrong, &[("a", 1.0), ("b", 0.0)])), AnswerFault::OutOfRange { question: q() });
        assert_eq!(fault(&answered("a", 0.9, &[("a", wrong), ("b", 0.0)])), AnswerFault::OutOfRange { question: q() });
    }
    assert!(matches!(fault(&answered("a", 0.9, &[("a", 0.9), ("b", 0.9)])), AnswerFault::Sum { .. }));
    assert!(matches!(fault(&answered("a", 0.9, &[("a", 0.4), ("b", 0.4)])), AnswerFault::Sum { .. }));
    assert_eq!(fault(&answered("a", 0.9, &[("a", 0.3), ("b", 0.7)])), AnswerFault::NotTheBest { question: q() });
}

#[test]
fn the_envelope_is_checked_too() {
    let request = asked(&["a"]);
    let mut response = answered("a", 1.0, &[("a", 1.0)]);
    response.model = "  ".to_owned();
    assert_eq!(read_choice(&request, &response, "q"), Err(AnswerFault::ModelUnnamed));
    let mut response = answered("a", 1.0, &[("a", 1.0)]);
    response.usage.input_tokens = u64::MAX;
    assert_eq!(read_choice(&request, &response, "q"), Err(AnswerFault::Usage));
    let mut response = answered("a", 1.0, &[("a", 1.0)]);
    response.answers.insert("q".to_owned(), Answer::Noul { noul: 0.5 });
    assert_eq!(read_choice(&request, &response, "q"), Err(AnswerFault::WrongType { question: "q".to_owned() }));
    response.answers.clear();
    assert_eq!(read_choice(&request, &response, "q"), Err(AnswerFault::Missing { question: "q".to_owned() }));
    assert_eq!(read_choice(&request, &response, "x"), Err(AnswerFault::NotAsked { question: "x".to_owned() }));
}

#[test]
fn two_decimals_over_many_options_are_honest_but_two_sure_options_are_not() {
    let names: Vec<String> = (0..200).map(|index| format!("o{index}")).collect();
    let options: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut rounded: Vec<(&str, f64)> = options.iter().map(|name| (*name, 0.0)).collect();
    rounded[0].1 = 0.35;
    assert!(read_choice(&asked(&options), &answered("o0", 0.3, &rounded), "q").is_ok());
    rounded[1].1 = 0.9;
    rounded[0].1 = 0.9;
    assert!(matches!(read_choice(&asked(&options), &answered("o0", 0.3, &rounded), "q"), Err(AnswerFault::Sum { .. })));
}

#[test]
fn confidence_follows_the_formula() {
    assert_eq!(choice_confidence(1.0, 1), 1.0);
    assert_eq!(choice_confidence(0.5, 2), 0.0);
    assert!((choice_confidence(0.7, 3) - 0.55).abs() < 1e-9);
    assert_eq!(choice_confidence(0.0, 0), 0.0);
}

proptest! {
    #[test]
    fn any_rounded_distribution_is_accepted(weights in proptest::collection::vec(0.0f64..1.0, 1..255), decimals in 2i32..7) {
        let total: f64 = weights.iter().sum::<f64>() + 1e-12;
        let unit = 10f64.powi(decimals);
        let names: Vec<String> = (0..weights.len()).map(|index| index.to_string()).collect();
        let options: Vec<&str> = names.iter().map(String::as_str).collect();
        let probabilities: Vec<(&str, f64)> =
            options.iter().zip(&weights).map(|(name, w)| (*name, ((w / total) * unit).round() / unit)).collect();
        let best = weights.iter().enumerate().max_by(|l, r| l.1.total_cmp(r.1)).map_or(0, |(index, _)| index);
        prop_assume!(weights[best] > 0.0);
        let read = read_choice(&asked(&options), &answered(options[best], 0.5, &probabilities), "q");
        prop_assert!(read.is_ok(), "{read:?}");
    }
}

//! What holds on every request: sound distributions, the same answer twice, no panic, no long wait.

use std::time::{Duration, Instant};

use clicket_systemone::checks::check_envelope;
use clicket_systemone::{Answer, Question, Request, choice_confidence, read_choice};
use indexmap::IndexMap;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::testing::{Page, model, page};

/// Every answer of a response keeps the rules of the dialect exactly, not only within tolerance.
fn check(request: &Request) {
    let reflex = model();
    let response = reflex.answer(request);
    assert_eq!(serde_json::to_string(&response).unwrap(), serde_json::to_string(&reflex.answer(request)).unwrap());
    check_envelope(&response).unwrap();
    assert!(response.answers.keys().eq(request.questions.keys()));
    for (id, question) in &request.questions {
        let Question::Choice { criteria, .. } = question else { continue };
        if criteria.is_empty() {
            continue;
        }
        let read = read_choice(request, &response, id).unwrap();
        let Answer::Choice { confidence, probabilities, .. } = &response.answers[id] else { panic!("{id}") };
        let sum: f64 = probabilities.values().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{id}: {sum}");
        assert!((confidence - choice_confidence(read.probability, criteria.len())).abs() < 1e-9);
        assert_eq!(read.ranking[0].probability, read.probability);
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        prop_oneof![
            Just("sign in"),
            Just("filled"),
            Just("Add to basket"),
            Just("×"),
            Just("page_changed"),
            Just("press"),
            Just("'")
        ]
        .prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("goal".to_owned()),
        Just("page".to_owned()),
        Just("history".to_owned()),
        Just("name".to_owned()),
        Just("row".to_owned()),
        Just("state".to_owned()),
        Just("value_text".to_owned()),
        Just("operation".to_owned()),
        Just("effect".to_owned()),
        "[a-z]{1,5}",
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::hash_map(key.clone(), inner, 0..6).prop_map(Value::from_iter),
        ]
    })
}

fn any_criteria() -> impl Strategy<Value = IndexMap<String, Value>> {
    let names = prop_oneof![
        Just("press".to_owned()),
        Just("fill".to_owned()),
        Just("done".to_owned()),
        Just("none".to_owned()),
        "\\PC{0,6}"
    ];
    proptest::collection::vec((names, any_json()), 0..8).prop_map(IndexMap::from_iter)
}

fn any_request() -> impl Strategy<Value = Request> {
    let id = prop_oneof![
        Just("operation".to_owned()),
        Just("press_target".to_owned()),
        Just("fill_target".to_owned()),
        Just("toggle_target".to_owned()),
        "\\PC{0,6}"
    ];
    let question = prop_oneof![
        any_criteria().prop_map(|criteria| Question::choice("which", criteria)),
        any_json().prop_map(|value| Question::Noul { instructions: Some(value), criteria: None }),
        proptest::collection::vec(any_json(), 0..5).prop_map(|criteria| Question::Score { instructions: None, criteria }),
    ];
    let questions = proptest::collection::vec((id, question), 0..6).prop_map(IndexMap::from_iter);
    (any_json(), questions).prop_map(|(state, questions)| Request { model: "m".to_owned(), state, questions })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_answered_soundly(request in any_request()) {
        check(&request);
    }

    #[test]
    fn any_goal_on_a_real_page_is_answered_soundly(goal in "\\PC{0,80}", words in proptest::collection::vec("(sign in|search for|add|to the basket|and|then|'|\"|,|click|mark|as|with|set|to|the third|link|it)", 0..14)) {
        for goal in [goal, words.join(" ")] {
            check(&busy_page(&goal).request());
        }
    }
}

fn busy_page(goal: &str) -> Page {
    page(goal)
        .value("email", "kim@example.com")
        .secret("password")
        .quoted("Green Scarf")
        .field("Email", "email", json!({}))
        .field("Password", "password", json!({"state": ["filled"]}))
        .field("Search", "search", json!({"value": "Green Scarf", "state": ["filled"]}))
        .list("Colour", "Red", &["Red", "Blue"])
        .toggle("checkbox:Terms", json!({"state": ["not checked"]}))
        .press("link:Sign in@/s")
        .press_in("button:Add to basket", json!({"row": "Green Scarf £3"}))
        .did("press", "Sign in", "page_changed", json!({}))
        .did("fill", "Email", "changed", json!({"value_key": "email", "text": "kim@example.com"}))
        .with("scroll", json!({"can_down": true, "can_up": true}))
}

#[test]
fn two_hundred_and_fifty_long_options_take_no_long_wait() {
    let long = "word salad with many different tokens ".repeat(100);
    let mut big = page("Sign in, search for 'Green Scarf', add it to the basket, then set Colour to Blue and click 'Order now'")
        .quoted("Green Scarf")
        .secret("password");
    for index in 0..250 {
        big = big
            .press_in(&format!("button:Item {index} {long}"), json!({"row": format!("{index} {long}"), "section": long, "heading": long, "near": long, "description": long, "visible_text": long}))
            .field(&format!("Field {index} {long}"), "text", json!({"near": long, "placeholder": long, "state": ["filled"], "value": long}))
            .toggle(&format!("checkbox:Box {index} {long}"), json!({"row": long}));
    }
    big = big.with("text", json!(long.repeat(200)));
    let (request, reflex) = (big.request(), model());
    let once = || {
        let start = Instant::now();
        assert_eq!(reflex.answer(&request).answers.len(), request.questions.len());
        start.elapsed()
    };
    let best = (0..3).map(|_| once()).min().unwrap();
    println!("1000 long options on four questions: {best:?}");
    // An unoptimised build on a busy machine; alone and optimised it is a tenth of this.
    assert!(best < Duration::from_secs(6), "{best:?}");
}

#[test]
fn an_ordinary_page_takes_milliseconds() {
    let mut ordinary = busy_page("Sign in, search for 'Green Scarf' and add it to the basket");
    for index in 0..60 {
        ordinary = ordinary.press_in(
            &format!("link:Product number {index}@/p/{index}"),
            json!({"row": format!("Product number {index} plain and useful £{index}.00")}),
        );
    }
    let (request, reflex) = (ordinary.request(), model());
    // The best of many is what the rules cost; the rest is what else the machine does.
    let once = || {
        let start = Instant::now();
        reflex.answer(&request);
        start.elapsed()
    };
    let best = (0..30).map(|_| once()).min().unwrap();
    println!("60 options: {best:?} an answer");
    assert!(best < Duration::from_millis(30), "{best:?}");
}

use super::*;

#[test]
fn expectations_hold_on_evidence_alone() {
    let answered = [("POST".to_owned(), "https://shop.example/cart?x=1".to_owned())];
    let evidence = Evidence { url: "https://shop.example/done?id=1", text: "Thank  you,\n ADA!", answered: &answered };
    for (expected, holds) in [
        (Expectation::url("/done"), true),
        (Expectation::url("/Done"), false),
        (Expectation::text("thank you, Ada"), true),
        (Expectation::text("thanks"), false),
        (Expectation::request("POST /cart"), true),
        (Expectation::request("POST /cart/"), false),
        (Expectation::request("GET /cart"), false),
    ] {
        let expected = expected.unwrap();
        assert_eq!(expected.holds(&evidence), holds, "{expected:?}");
    }
}

#[test]
fn what_can_prove_nothing_is_not_taken() {
    assert_eq!(Expectation::text(" \n"), Err(ExpectationError::Empty));
    assert_eq!(Expectation::url(""), Err(ExpectationError::Empty));
    assert!(matches!(Expectation::request("cart"), Err(ExpectationError::Pattern(_))));
}

use super::*;

#[test]
fn expectations_hold_on_evidence_alone() {
    let answered = [("POST".to_owned(), "https://shop.example/cart?x=1".to_owned())];
    let evidence =
        Evidence { url: "https://shop.example/done?id=1", text: "Thank  you,\n ADA!", answered: &answered, files: &[] };
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

#[test]
fn a_file_is_known_by_a_pattern_of_its_name() {
    let holds = |name: &str, pattern: &str| {
        let evidence = Evidence { files: &[name.to_owned()], ..Evidence::default() };
        Expectation::download(pattern).unwrap().holds(&evidence)
    };
    for (name, pattern) in [
        ("invoice-7.pdf", "*.pdf"),
        ("a.PDF", "*.pdf"),
        ("a.pdf", "a.pdf"),
        ("invoice-7.pdf", "inv*-*.pdf"),
        ("x", "*"),
        ("aab", "a*ab"),
    ] {
        assert!(holds(name, pattern), "{name} {pattern}");
    }
    for (name, pattern) in [("a.pdf.exe", "*.pdf"), ("a.pdf", "b*"), ("ab", "a*ab"), ("a.pdf", "pdf"), ("abc", "a*d*c")] {
        assert!(!holds(name, pattern), "{name} {pattern}");
    }
    assert!(!Expectation::download("*").unwrap().holds(&Evidence::default()));
    assert!(Expectation::download(" ").is_err());
}

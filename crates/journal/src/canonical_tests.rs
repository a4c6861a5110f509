use proptest::prelude::*;
use serde_json::{Value, json};

use super::canonical_json;

fn canonical_of(text: &str) -> String {
    canonical_json(&serde_json::from_str(text).unwrap())
}

#[test]
fn members_are_sorted_by_utf16_code_units() {
    // The example of RFC 8785 section 3.2.3: the emoji's surrogates sort before U+FB33, though its code point is higher.
    let value = json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
    assert_eq!(
        canonical_json(&value),
        "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}"
    );
}

#[test]
fn the_example_of_rfc_8785_is_written_as_printed_there() {
    let text = r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
        "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
    let expected =
        r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
    assert_eq!(canonical_of(text), expected);
}

#[test]
fn floats_are_written_as_ecmascript_writes_them() {
    // RFC 8785 appendix B.
    let cases: [(u64, &str); 23] = [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];
    for (bits, expected) in cases {
        assert_eq!(canonical_json(&json!(f64::from_bits(bits))), expected, "{bits:016x}");
    }
}

#[test]
fn integers_keep_all_their_digits() {
    assert_eq!(
        canonical_json(&json!([u64::MAX, i64::MIN, 9_007_199_254_740_993_u64])),
        "[18446744073709551615,-9223372036854775808,9007199254740993]"
    );
}

#[test]
fn the_text_is_independent_of_member_order_and_white_space() {
    assert_eq!(canonical_of("{ \"b\" : [ 1 , 2.0 ] , \"a\" : { } }"), canonical_of(r#"{"a":{},"b":[1.0e0,2]}"#));
}

/// Any JSON value a few levels deep, with numbers over their whole range.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<u64>().prop_map(|bits| json!(f64::from_bits(bits))),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6).prop_map(|members| json!(members)),
        ]
    })
}

proptest! {
    #[test]
    fn reading_back_and_writing_again_changes_nothing(value in any_json()) {
        let text = canonical_json(&value);
        prop_assert_eq!(canonical_of(&text), text);
    }

    #[test]
    fn a_float_reads_back_as_the_same_number(bits in any::<u64>()) {
        let float = f64::from_bits(bits);
        prop_assume!(float.is_finite());
        let back: f64 = canonical_json(&json!(float)).parse().unwrap();
        prop_assert_eq!(back, float);
    }
}

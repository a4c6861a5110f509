use super::*;

#[test]
fn values_are_pieces_of_the_goal_as_they_stand() {
    for (goal, values) in [
        ("Sign in, search for the blue enamel mug and add the Blue Enamel Mug to the basket", &["blue enamel mug"][..]),
        ("Add a todo \"Buy milk.\" and tick it", &["Buy milk."]),
        ("Type 'Bob' into the field, don't stop", &["Bob"]),
        ("find Grey Stoneware Teapot", &["Grey Stoneware Teapot"]),
        ("Search for \u{201c}a, b\u{201d} then stop", &["a, b"]),
        ("Open the account of Ada Lovelace.", &["Ada Lovelace"]),
        ("research for nothing", &[]),
        ("", &[]),
    ] {
        assert_eq!(computed(goal), values, "{goal}");
    }
}

use super::*;

#[test]
fn values_are_pieces_of_the_goal_as_they_stand() {
    for (goal, values) in [
        ("Sign in, search for the blue enamel mug and add the Blue Enamel Mug to the basket", &["blue enamel mug"][..]),
        ("Add a todo \"Buy milk.\" and tick it", &["Buy milk."]),
        ("Type 'Bob' into the field, don't stop", &["Bob"]),
        ("find Grey Stoneware Teapot", &["Grey Stoneware Teapot"]),
        ("Search for \u{201c}a, b\u{201d} then stop", &["a, b"]),
        ("Open the account of Ada Lovelace.", &["account of Ada Lovelace", "Ada Lovelace"]),
        ("research for nothing", &[]),
        ("", &[]),
    ] {
        assert_eq!(computed(goal), values, "{goal}");
    }
}

#[test]
fn the_thing_a_clause_wants_is_a_value_without_article_and_place() {
    for (goal, values) in [
        ("Sign in and put the oak stool into my basket", &["oak stool"][..]),
        ("Please log in and add an oak stool to the cart", &["oak stool"]),
        ("add oak stool to basket", &["oak stool"]),
        ("I want the Oak Stool in my basket", &["Oak Stool"]),
        ("I want to buy an oak stool.", &["oak stool"]),
        ("I need an oak stool, then stop", &["oak stool"]),
        ("get oak stool and sign out", &["oak stool"]),
        ("The basket contains one Oak Stool", &["Oak Stool"]),
        ("Sign in. The oak stool is in the basket.", &["oak stool"]),
        ("Put Salt and Pepper Mill in the trolley", &["Salt and Pepper Mill", "Pepper Mill"]),
        ("Search for the oak stool, add it to the basket, signing in first", &["oak stool"]),
        ("Add a todo 'buy milk' and tick it", &["buy milk"]),
        ("The basket has no oak stool", &[]),
        ("I want to open it", &[]),
    ] {
        assert_eq!(computed(goal), values, "{goal}");
    }
}

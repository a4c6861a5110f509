use super::*;

fn shown(goal: &str) -> String {
    tokenize(goal)
        .iter()
        .map(|token| {
            let end = match token.end {
                End::Nothing => "",
                End::Comma => ",",
                End::Stop => ".",
            };
            if token.quoted { format!("<{}>{end}", token.text) } else { format!("{}{end}", token.text) }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn quotes_stay_whole_and_apostrophes_open_none() {
    assert_eq!(shown("Type 'a, b' and \"c d\"."), "Type <a, b> and <c d>.");
    assert_eq!(shown("don't open Women's shoes"), "don't open Women's shoes.");
    assert_eq!(shown("press “Go”, then «Stop»"), "press <Go>, then <Stop>.");
}

#[test]
fn numbers_addresses_and_lists_are_read_as_meant() {
    assert_eq!(shown("pay 10,000.50 to a.b@c.de"), "pay 10,000.50 to a.b@c.de.");
    assert_eq!(shown("1. sign in\n2) press go\n- wait"), "sign in. press go. wait.");
}

#[test]
fn odd_texts_do_not_panic() {
    for goal in ["", "\"", "''", "'", "1.", "\n\n", "“", "a\"b\"c", "((()", ".,;"] {
        tokenize(goal);
    }
}

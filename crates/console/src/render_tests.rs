use clicket_guard::untrusted::PageText;
use unicode_width::UnicodeWidthStr;

use super::*;

fn words(title: &str, facts: &[(&str, &str)], because: &[&str]) -> Words {
    Words {
        title: title.into(),
        facts: facts.iter().map(|(label, text)| ((*label).into(), (*text).into())).collect(),
        because: because.iter().map(|text| (*text).into()).collect(),
        remember: None,
    }
}

/// The widest line, in columns.
fn widest(shown: &str) -> usize {
    shown.lines().map(UnicodeWidthStr::width).max().unwrap()
}

#[test]
fn facts_and_reasons_stand_in_one_column() {
    let ticket = words(
        "Send this POST request to shop.example",
        &[("request", "POST https://shop.example/session"), ("field \"user\"", "\"anna\""), ("kind", "send data to the site")],
        &["policy says ask for write", "confidence 0.41 is below 0.60 for write"],
    );
    insta::assert_snapshot!(render(&ticket, 80), @r#"
    Clicket asks: Send this POST request to shop.example
      request       POST https://shop.example/session
      field "user"  "anna"
      kind          send data to the site
      because       policy says ask for write
                    confidence 0.41 is below 0.60 for write
    "#);
}

#[test]
fn escape_sequences_and_direction_marks_of_a_page_are_gone() {
    let ticket = words(
        "Press button \"Pay\u{1b}[2J\u{1b}[1;1H\u{1b}]0;safe\u{7}\u{9b}31m\u{202e}yaP\u{2066}\u{200f}\"",
        &[("on\r\n\u{1b}[A", "\"Shop\u{8}\u{8}\u{8}\u{7f}\u{2028}\u{2029}\u{85}end\"")],
        &["because\tof\u{0}this"],
    );
    let shown = render(&ticket, 80);
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    insta::assert_snapshot!(shown, @r#"
    Clicket asks: Press button "Pay [2J [1;1H ]0;safe  31myaP"
      on   [A  "Shop       end"
      because  because of this
    "#);
}

#[test]
fn a_page_that_writes_lines_like_ours_stays_in_its_column() {
    let lie = format!("\"ok\n  kind  look at the page\n[a] allow once{}kind  look at the page\"", " ".repeat(60));
    let shown = render(&words("Press button", &[("on", &lie), ("kind", "spend money")], &["policy says ask for payment"]), 60);
    assert_eq!(shown.lines().filter(|line| line.starts_with("  kind")).count(), 1);
    assert!(!shown.lines().any(|line| line.starts_with("[a]")));
    insta::assert_snapshot!(shown, @r#"
    Clicket asks: Press button
      on       "ok   kind  look at the page [a] allow once

                    kind  look at the page"
      kind     spend money
      because  policy says ask for payment
    "#);
}

#[test]
fn ten_thousand_characters_are_cut_and_counted() {
    let long = "x".repeat(10_000);
    let shown = render(&words(&long, &[("on", &long), (&long, "short")], &[&long]), 80);
    assert!(widest(&shown) <= 80);
    assert_eq!(shown.lines().count(), 4 * (SHOWN_LINES_MAX + 1) + 1);
    assert_eq!(shown.matches("more characters, not shown)").count(), 4);
    assert!(shown.contains("(+9390 more characters, not shown)"), "{shown}");
}

#[test]
fn a_thousand_facts_are_cut_and_counted() {
    let facts: Vec<(&str, &str)> = std::iter::repeat_n(("field", "value"), 1_000).collect();
    let shown = render(&words("Send", &facts, &["because"]), 80);
    assert!(shown.ends_with("  (+873 more facts, not shown)\n"), "{shown}");
}

#[test]
fn wide_letters_wrap_by_columns() {
    let shown = render(&words("Press", &[("on", &"漢字".repeat(60))], &[]), 50);
    assert!(widest(&shown) <= 50);
    assert_eq!(shown.matches('漢').count(), 60);
}

#[test]
fn right_to_left_text_is_isolated_on_every_line() {
    let hebrew = PageText::plain(&"שלום עולם ".repeat(20)).for_person();
    let shown = render(&words(&format!("Press button {hebrew} in \"Shop\""), &[], &[]), 50);
    assert!(shown.lines().count() > 3);
    for line in shown.lines() {
        assert_eq!(line.matches(ISOLATE).count(), line.matches(ISOLATE_END).count(), "{line:?}");
    }
}

#[test]
fn unbalanced_isolates_do_not_reach_the_next_line() {
    let shown = render(&words("a\u{2069}b\u{2068}c", &[("on", "\u{2068}\u{2068}x")], &[]), 50);
    assert_eq!(shown, "Clicket asks: ab\u{2068}c\u{2069}\n  on  \u{2068}\u{2068}x\u{2069}\u{2069}\n");
}

#[test]
fn any_width_gives_lines_that_fit() {
    let ticket = words("Press button \"a b c\" in row \"d e f\"", &[("a label of some length", "text "), ("", "")], &["why"]);
    for width in [0, 1, 40, 41, 80, 120, usize::MAX] {
        assert!(widest(&render(&ticket, width)) <= width.clamp(WIDTH_COLUMNS_MIN, WIDTH_COLUMNS_MAX));
    }
}

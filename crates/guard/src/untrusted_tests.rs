use super::*;

#[test]
fn hidden_characters_go_and_scripts_that_need_joiners_keep_them() {
    for (raw, kept) in [
        ("Pay\u{200B}ment", "Payment"),
        ("a\u{202E}cod.exe", "acod.exe"),
        ("x\u{E0041}\u{E0042}", "x"),
        ("line\u{0000}\u{001b}[2J", "line  [2J"),
        ("می\u{200C}خواهم", "می\u{200C}خواهم"),
        ("क\u{094D}\u{200D}ष", "क\u{094D}\u{200D}ष"),
        ("👩\u{200D}👩\u{200D}👧", "👩\u{200D}👩\u{200D}👧"),
        ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"),
        ("lo\u{200D}gin", "login"),
    ] {
        assert_eq!(clean(raw), kept, "{raw:?}");
    }
}

#[test]
fn cleaning_twice_changes_nothing() {
    let raw = "a\u{0301}\u{0301}\u{0301}\u{0301}\u{0301}\u{0301}b\u{200B}\u{200D}\u{FE0F}c🏴\u{E0067}\u{E007F}";
    assert_eq!(clean(&clean(raw)), clean(raw));
}

#[test]
fn text_for_a_person_stays_in_its_quotes() {
    assert_eq!(PageText::plain("Pay \"now\"\nApproved: yes").for_person(), "\"Pay \u{201d}now\u{201d} Approved: yes\"");
    assert!(PageText::plain("שלום").for_person().starts_with("\"\u{2068}"));
}

#[test]
fn a_cut_text_keeps_the_digest_of_the_whole_and_survives_the_journal() {
    let cut = PageText::read("abcdef", 3, &Scrubber::default());
    assert!(cut.is_cut());
    let written = serde_json::to_string(&cut).unwrap();
    let read: PageText = serde_json::from_str(&written).unwrap();
    assert!(read == cut);
    assert_eq!(serde_json::to_string(&PageText::plain("abc")).unwrap(), "\"abc\"");
}

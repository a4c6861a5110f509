use super::*;

#[test]
fn texts_are_folded_stemmed_and_freed_of_little_words() {
    let text = Text::new("  The  Ｃａｆé\u{200b} Mugs & boxes of Women's Categories ");
    assert_eq!(text.content, ["cafe", "mug", "box", "women", "category"]);
    assert_eq!(text.folded, "the cafe mugs & boxes of women's categories");
}

#[test]
fn a_label_without_letters_is_read_by_its_glyph() {
    assert_eq!(Text::new("×").words, ["close"]);
    assert_eq!(Text::new(" 🛒 ").words, ["basket"]);
    assert!(Text::new("¶").words.is_empty());
}

#[test]
fn overlap_counts_both_ways_and_near_forms_a_little_less() {
    let words = |text: &str| Text::new(text).content;
    let both = Overlap::of(&words("blue mug"), &words("blue mug large"));
    assert_eq!(both.recall, 1.0);
    assert!((both.precision - 2.0 / 3.0).abs() < 1e-9);
    assert!(Overlap::of(&words("complete"), &words("completed")).f1() > 0.8);
    assert_eq!(Overlap::of(&words("tab 1"), &words("tab 12")).recall, 0.5);
    assert_eq!(Overlap::of::<String, String>(&[], &words("x")).f1(), 0.0);
}

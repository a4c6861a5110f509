use super::*;

fn holding(value: Option<&str>, length: u64) -> ReadState {
    ReadState { value: value.map(str::to_owned), length, filled: length > 0, ..ReadState::default() }
}

#[test]
fn a_field_in_its_own_format_holds_what_was_asked() {
    assert_eq!(compare(&holding(Some("Ada"), 3), "Ada"), Some(ReadBack::Holds));
    assert_eq!(compare(&holding(Some("(555) 010-2030"), 14), "5550102030"), Some(ReadBack::Reformatted));
    assert_eq!(compare(&holding(Some("a\r\nb\n"), 5), "a\nb"), Some(ReadBack::Holds));
    assert_eq!(compare(&holding(Some("Adam"), 4), "Ada"), None);
    assert_eq!(compare(&holding(Some(""), 0), "!!"), None);
    assert_eq!(compare(&holding(Some(""), 0), ""), Some(ReadBack::Holds));
}

#[test]
fn a_concealed_field_is_compared_by_length_alone() {
    assert_eq!(compare(&holding(None, 7), "hunter2"), Some(ReadBack::Holds));
    assert_eq!(compare(&holding(None, 6), "hunter2"), None);
}

#[test]
fn a_line_break_never_sends_a_single_line_field() {
    assert_eq!(fitted("a\r\nb", "text"), "a b");
    assert_eq!(fitted("a\r\nb", "textarea"), "a\nb");
}

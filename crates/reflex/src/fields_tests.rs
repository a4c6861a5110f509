use super::*;

fn field(name: &str, input_type: &str, autocomplete: &str) -> Entry {
    Entry { name: Text::new(name), input_type: input_type.to_owned(), autocomplete: autocomplete.to_owned(), ..Entry::default() }
}

#[test]
fn fields_are_known_by_declaration_then_type_then_label() {
    let lexicon = Lexicon::new();
    let kind = |name, input, auto| kind_of_field(&lexicon, &field(name, input, auto));
    assert_eq!(kind("Whatever", "text", "username"), Kind::User);
    assert_eq!(kind("Secret word", "password", ""), Kind::Password);
    assert_eq!(kind("Confirm password", "password", ""), Kind::NewPassword);
    assert_eq!(kind("Password", "text", ""), Kind::Unknown);
    assert_eq!(kind("What are you looking for?", "text", ""), Kind::Search);
    assert_eq!(kind("Post code", "text", ""), Kind::Plain("postcode"));
    assert_eq!(kind("E-mail address", "text", ""), Kind::Email);
}

#[test]
fn keys_are_read_through_their_separators() {
    let lexicon = Lexicon::new();
    assert_eq!(kind_of_key(&lexicon, "shop_email"), Kind::Email);
    assert_eq!(kind_of_key(&lexicon, "login.password"), Kind::Password);
    assert_eq!(kind_of_key(&lexicon, "firstName"), Kind::Plain("first_name"));
}

#[test]
fn a_password_never_goes_into_a_plain_field_nor_a_name_into_a_password_field() {
    let lexicon = Lexicon::new();
    let world = World::default();
    let fit = |entry: &Entry, key: &str| value_fit(&lexicon, &world, &Entry { value_key: Some(key.to_owned()), ..entry.clone() });
    assert_eq!(fit(&field("Password", "text", ""), "password"), 0.0);
    assert_eq!(fit(&field("Password", "password", ""), "email"), 0.0);
    assert!(fit(&field("Password", "password", ""), "password") > 0.9);
    assert!(fit(&field("Email", "email", ""), "email") > 0.9);
    assert!(fit(&field("User name", "text", ""), "email") > 0.7);
}

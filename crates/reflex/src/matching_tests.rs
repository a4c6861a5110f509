use super::*;

fn fit(wanted: &str, label: &str) -> f64 {
    text_fit(&Lexicon::new(), &Text::new(wanted), &Text::new(label))
}

#[test]
fn explicit_labels_pass_the_gate_and_synonyms_come_next() {
    assert!(fit("Sign in", "Sign in") > 0.95);
    assert!(fit("the settings page", "Settings") >= 0.9);
    let synonym = fit("sign in", "Log in");
    assert!((0.7..0.9).contains(&synonym), "{synonym}");
    assert!(fit("basket", "Your cart (2)") < 0.9);
    assert!(fit("settings", "Delete account") < 0.1);
    assert!(fit("blue mug", "red mug") < 0.6);
}

#[test]
fn a_row_fits_only_when_it_has_every_word() {
    let object = Text::new("Blue Mug");
    assert!(row_fit(&object, &Text::new("Blue Mug 12.00")) > 0.9);
    assert!(row_fit(&object, &Text::new("Blue Plate 12.00")) < 0.6);
    assert!(row_fit(&object, &Text::new("Blue Mug")) > row_fit(&object, &Text::new("Blue Mug Large with lid")));
}

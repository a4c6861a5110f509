use super::*;

#[test]
fn the_table_is_large_enough_and_every_phrase_can_be_found() {
    let lexicon = Lexicon::new();
    assert!(lexicon.phrases.len() >= 240, "{}", lexicon.phrases.len());
    assert!(lexicon.phrases.keys().all(|words| words.len() <= 6));
}

#[test]
fn every_line_of_the_table_is_a_concept_with_phrases() {
    for line in TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (concept, phrases) = line.split_once('=').expect(line);
        assert!(concept.trim().chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'), "{line}");
        assert!(phrases.split('|').all(|phrase| !Text::new(phrase).words.is_empty()), "{line}");
    }
}

#[test]
fn synonyms_share_a_concept_and_strangers_do_not() {
    let lexicon = Lexicon::new();
    for label in ["Log in", "Sign on", "LOGIN", "Sign-in"] {
        assert_eq!(lexicon.coverage(&Text::new(label), "sign_in"), 1.0, "{label}");
    }
    assert!(lexicon.has(&Text::new("Put in trolley"), "basket_add"));
    assert!(!lexicon.has(&Text::new("Sign up"), "sign_in"));
    assert!(lexicon.whole(&Text::new("the basket")).contains("basket"));
}

//! Words of risk in fourteen languages, and how they are looked for in labels, paths and queries.
//!
//! No language is assumed: a label is held against all of them, and the strictest reading counts. An entry is a whole word
//! or phrase; `*` at its end makes it a stem; entries in scripts without spaces are looked for inside words.

mod tongues;

use std::collections::HashSet;
use std::sync::LazyLock;

use super::ActionClass;
use unicode_normalization::UnicodeNormalization as _;

/// What one language calls it.
struct Tongue {
    /// Destroys.
    destructive: &'static [&'static str],
    /// Destroys only when the text also names what of: "Cancel" alone closes a dialog.
    ending: &'static [&'static str],
    ended: &'static [&'static str],
    /// Spends.
    payment: &'static [&'static str],
    /// Spends only when the text also names what: "Place your order".
    committing: &'static [&'static str],
    committed: &'static [&'static str],
    /// Shows or sends something to others.
    publish: &'static [&'static str],
    /// Phrases that hold one of these words and mean something else; taken out before anything is looked for.
    friends: &'static [&'static str],
}

/// Accents are often left out in addresses (`/suscripcion/cancelar`). Shorter words would meet other languages' words.
const UNACCENTED_CHARS_MIN: usize = 5;

/// An entry, ready to be looked for.
enum Entry {
    /// ` word ` or ` two words `.
    Whole(String),
    /// ` stem`.
    Stem(String),
    /// Anywhere.
    Inside(String),
}

impl Entry {
    fn read(entry: &str) -> Vec<Entry> {
        let made = |text: &str| {
            if text.chars().any(has_no_spaces) {
                Entry::Inside(text.to_owned())
            } else if let Some(stem) = text.strip_suffix('*') {
                Entry::Stem(format!(" {stem}"))
            } else {
                Entry::Whole(format!(" {text} "))
            }
        };
        let text: String = entry.nfkc().flat_map(char::to_lowercase).collect();
        let plain = unaccented(&text);
        let mut entries = vec![made(&text)];
        if plain != text && plain.is_ascii() && plain.chars().count() >= UNACCENTED_CHARS_MIN {
            entries.push(made(&plain));
        }
        entries
    }

    fn is_in(&self, words: &str) -> bool {
        match self {
            Self::Whole(text) | Self::Stem(text) | Self::Inside(text) => words.contains(text.as_str()),
        }
    }
}

/// Japanese, Chinese and Korean: words there are not parted by spaces, or carry endings.
fn has_no_spaces(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn unaccented(text: &str) -> String {
    let base = |c: char| match c {
        'ł' => 'l',
        'ı' => 'i',
        'ø' => 'o',
        _ => c,
    };
    text.nfd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).map(base).collect()
}

struct Lexicon {
    destructive: Vec<Entry>,
    payment: Vec<Entry>,
    publish: Vec<Entry>,
    /// Verb and thing, of one language each.
    endings: Vec<(Vec<Entry>, Vec<Entry>)>,
    commitments: Vec<(Vec<Entry>, Vec<Entry>)>,
    friends: Vec<Entry>,
    yes: HashSet<String>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let read = |list: &[&str]| list.iter().flat_map(|entry| Entry::read(entry)).collect::<Vec<_>>();
    let all = |part: fn(&Tongue) -> &'static [&'static str]| tongues::ALL.iter().flat_map(|tongue| read(part(tongue))).collect();
    Lexicon {
        destructive: all(|tongue| tongue.destructive),
        payment: all(|tongue| tongue.payment),
        publish: all(|tongue| tongue.publish),
        endings: tongues::ALL.iter().map(|tongue| (read(tongue.ending), read(tongue.ended))).collect(),
        commitments: tongues::ALL.iter().map(|tongue| (read(tongue.committing), read(tongue.committed))).collect(),
        friends: all(|tongue| tongue.friends),
        yes: tongues::BARE_YES.iter().map(|word| (*word).to_owned()).collect(),
    }
});

/// The class that words speak of, or [`ActionClass::Observe`] when they say nothing. `words` is made by
/// [`words_of`](super::words_of): lower case, a space on both sides of each.
pub(super) fn by_words(words: &str) -> ActionClass {
    let words = without_friends(words);
    let any = |list: &[Entry]| list.iter().any(|entry| entry.is_in(&words));
    let pair = |list: &[(Vec<Entry>, Vec<Entry>)]| list.iter().any(|(verb, thing)| any(verb) && any(thing));
    if any(&LEXICON.payment) || pair(&LEXICON.commitments) {
        ActionClass::Payment
    } else if any(&LEXICON.destructive) || pair(&LEXICON.endings) {
        ActionClass::Destructive
    } else if any(&LEXICON.publish) {
        ActionClass::Publish
    } else {
        ActionClass::Observe
    }
}

/// Whether a word that destroys by itself is among them.
pub(super) fn destroys(words: &str) -> bool {
    let words = without_friends(words);
    LEXICON.destructive.iter().any(|entry| entry.is_in(&words))
}

/// Words of a button that says nothing but yes; a button without words is one.
pub(super) fn is_bare_yes(words: &str) -> bool {
    words.split_whitespace().all(|word| LEXICON.yes.contains(word))
}

fn without_friends(words: &str) -> String {
    let mut words = words.to_owned();
    for friend in &LEXICON.friends {
        if friend.is_in(&words) {
            let (Entry::Whole(text) | Entry::Stem(text) | Entry::Inside(text)) = friend;
            words = words.replace(text.as_str(), " ");
        }
    }
    words
}

#[cfg(test)]
#[path = "lexicon_tests.rs"]
mod tests;

//! Words as the rules compare them: folded, stemmed lightly, and without the little words.

use std::cell::OnceCell;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longest text that is compared word by word, in characters; what lies beyond says nothing a label would.
const COMPARED_CHARS_MAX: usize = 600;
/// Most words kept of one text.
const COMPARED_WORDS_MAX: usize = 120;

/// Words that carry no meaning of their own in a goal or a label.
const STOPWORDS: &[&str] = &[
    "a", "an", "the", "to", "of", "in", "on", "at", "for", "from", "with", "by", "and", "or", "my", "your", "our", "this",
    "that", "it", "its", "is", "are", "be", "as", "into", "onto", "please", "me", "i", "named", "called", "labelled", "labeled",
    "titled", "which", "says", "saying", "one", "there", "just", "here", "now", "s",
];

/// Words that name a kind of control rather than one control.
const ROLE_WORDS: &[&str] = &[
    "button",
    "link",
    "tab",
    "checkbox",
    "box",
    "field",
    "textbox",
    "textfield",
    "input",
    "dropdown",
    "list",
    "option",
    "radio",
    "icon",
    "section",
    "item",
    "entry",
    "page",
    "text",
    "textarea",
    "combobox",
    "switch",
    "toggle",
    "dialog",
    "popup",
    "menu",
    "control",
    "element",
    "area",
    "product",
    "screen",
    "site",
    "website",
    "row",
    "panel",
    "bar",
    "form",
];

/// Glyphs that stand for a word when a label has no letters.
const GLYPHS: &[(char, &str)] = &[
    ('×', "close"),
    ('✕', "close"),
    ('✖', "close"),
    ('✗', "close"),
    ('❌', "close"),
    ('☰', "menu"),
    ('≡', "menu"),
    ('🔍', "search"),
    ('🔎', "search"),
    ('🛒', "basket"),
    ('🛍', "basket"),
    ('+', "add"),
    ('➕', "add"),
    ('›', "next"),
    ('»', "next"),
    ('→', "next"),
    ('>', "next"),
    ('‹', "previous"),
    ('«', "previous"),
    ('←', "previous"),
    ('<', "previous"),
    ('✎', "edit"),
    ('✏', "edit"),
    ('🗑', "delete"),
    ('👤', "account"),
    ('⚙', "settings"),
    ('♥', "favourite"),
    ('♡', "favourite"),
    ('★', "star"),
    ('☆', "star"),
    ('✓', "done"),
    ('✔', "done"),
    ('⋮', "more"),
    ('…', "more"),
    ('⬇', "download"),
    ('↓', "download"),
];

/// A text ready to be compared.
///
/// Two texts are equal when they fold to the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    /// The folded text with single spaces, for exact comparison.
    pub(crate) folded: String,
    /// Every word, stemmed.
    pub(crate) words: Vec<String>,
    /// Words that carry meaning, stemmed.
    pub(crate) content: Vec<String>,
    core: Vec<String>,
    concepts: OnceCell<Vec<Concept>>,
}

/// A meaning found in a text, and how much of the text says it: 1 when it says nothing else.
pub(crate) type Concept = (&'static str, f64);

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Text {
    /// Reads at most a bounded prefix of `raw`.
    pub(crate) fn new(raw: &str) -> Self {
        let folded = fold(raw);
        let mut words: Vec<String> = split_words(&folded).take(COMPARED_WORDS_MAX).collect();
        if words.is_empty() {
            words = glyph_words(raw);
        }
        Self::of_words(folded, words)
    }

    /// A text of words that are stemmed already.
    pub(crate) fn of_words(folded: String, words: Vec<String>) -> Self {
        let content: Vec<String> = words.iter().filter(|word| !is_stopword(word)).cloned().collect();
        let core = content.iter().filter(|word| !is_role_word(word)).cloned().collect();
        Self { folded, words, content, core, concepts: OnceCell::new() }
    }

    /// Concepts of the text, found once by `find`.
    pub(crate) fn concepts(&self, find: impl FnOnce(&[String]) -> Vec<Concept>) -> &[Concept] {
        self.concepts.get_or_init(|| find(&self.words))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.folded.is_empty()
    }

    /// Meaning words without those that only name a kind of control.
    pub(crate) fn core(&self) -> &[String] {
        &self.core
    }

    /// Whether `words` occur in this order, side by side.
    pub(crate) fn has_phrase(&self, words: &[String]) -> bool {
        !words.is_empty() && self.words.windows(words.len()).any(|window| window == words)
    }
}

/// How two lists of words cover each other.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Overlap {
    /// Share of the wanted words that were found, 0 to 1.
    pub(crate) recall: f64,
    /// Share of the given words that were wanted, 0 to 1.
    pub(crate) precision: f64,
}

impl Overlap {
    /// Compares wanted words with given ones; a near form of a word counts for a little less.
    pub(crate) fn of<W: AsRef<str>, G: AsRef<str>>(wanted: &[W], given: &[G]) -> Self {
        if wanted.is_empty() || given.is_empty() {
            return Self::default();
        }
        let found: f64 = wanted.iter().map(|word| best_credit(word.as_ref(), given)).sum();
        let covered: f64 = given.iter().map(|word| best_credit(word.as_ref(), wanted)).sum();
        Self { recall: found / wanted.len() as f64, precision: covered / given.len() as f64 }
    }

    /// Harmonic mean of both shares.
    pub(crate) fn f1(self) -> f64 {
        let sum = self.recall + self.precision;
        if sum <= 0.0 { 0.0 } else { 2.0 * self.recall * self.precision / sum }
    }
}

fn best_credit<O: AsRef<str>>(word: &str, others: &[O]) -> f64 {
    others.iter().map(|other| credit(word, other.as_ref())).fold(0.0, f64::max)
}

/// 1 for the same stem, 0.85 for forms that differ in a short ending, else 0.
fn credit(left: &str, right: &str) -> f64 {
    if left == right {
        return 1.0;
    }
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    let near = short.len() >= 4 && long.len() - short.len() <= 3 && long.starts_with(short) && !ends_with_digit(long);
    if near { 0.85 } else { 0.0 }
}

fn ends_with_digit(word: &str) -> bool {
    word.ends_with(|letter: char| letter.is_ascii_digit())
}

/// Lower case, compatibility forms folded, accents and invisible characters dropped, spaces single.
pub(crate) fn fold(raw: &str) -> String {
    let mut folded = String::new();
    for letter in
        raw.chars().take(COMPARED_CHARS_MAX).nfkd().filter(|letter| !is_combining_mark(*letter)).take(2 * COMPARED_CHARS_MAX)
    {
        if letter.is_whitespace() {
            if !folded.is_empty() && !folded.ends_with(' ') {
                folded.push(' ');
            }
        } else if !is_invisible(letter) {
            folded.extend(letter.to_lowercase());
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn split_words(folded: &str) -> impl Iterator<Item = String> + '_ {
    folded
        .split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '\'' | '’')))
        .map(|word| word.trim_matches(['\'', '’']).trim_end_matches("'s").trim_end_matches("’s").replace(['\'', '’'], ""))
        .filter(|word| !word.is_empty())
        .map(|word| stem(&word))
}

fn glyph_words(raw: &str) -> Vec<String> {
    raw.chars()
        .take(8)
        .filter_map(|letter| GLYPHS.iter().find(|(glyph, _)| *glyph == letter))
        .map(|(_, word)| (*word).to_owned())
        .collect()
}

/// Drops a plural ending; nothing cleverer, so that a stem is always near its word.
pub(crate) fn stem(word: &str) -> String {
    let plain = word.is_ascii() && word.len() > 3 && word != "news";
    if !plain || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word.to_owned();
    }
    if let Some(head) = word.strip_suffix("ies")
        && head.len() > 2
    {
        return format!("{head}y");
    }
    for ending in ["sses", "xes", "ches", "shes", "zes"] {
        if word.ends_with(ending) {
            return word.trim_end_matches("es").to_owned();
        }
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

pub(crate) fn is_stopword(word: &str) -> bool {
    STOPWORDS.contains(&word)
}

pub(crate) fn is_role_word(word: &str) -> bool {
    ROLE_WORDS.contains(&word)
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;

//! A goal split into clauses, each with what it asks for.

use crate::phrases::{self, Parts};
use crate::tokens::{End, Token, tokenize};
use crate::verbs::{Intent, Needs, verb_at};
use crate::wishes::as_steps;
use crate::words::{Text, is_role_word, is_stopword, stem};

/// Most clauses kept; a longer goal is more than one run should do.
const CLAUSES_MAX: usize = 40;
const CONNECTORS: &[&str] =
    &["and", "then", "&", "also", "afterwards", "finally", "lastly", "next", "now", "after", "that", "please", "first"];
const POLITE: &[&str] = &[
    "please", "can", "could", "you", "i", "want", "would", "like", "i'd", "need", "to", "try", "go", "let's", "us", "me", "help",
    "kindly", "just", "and", "then", "now", "first", "finally", "next", "also", "the", "textbox", "using", "use",
];

/// What a clause is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Object {
    pub(crate) text: Text,
    /// Words around a quoted object: the row, the dialog, the kind of control.
    pub(crate) context: Text,
    pub(crate) quoted: bool,
    /// A word that names a kind of control, as written.
    pub(crate) role: Option<String>,
    /// Which of several, from 1; -1 for the last.
    pub(crate) ordinal: Option<i32>,
}

impl Object {
    /// Whether it names nothing but perhaps a kind of control.
    pub(crate) fn is_blank(&self) -> bool {
        !self.quoted && self.text.core().is_empty()
    }
}

/// One step a goal asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Clause {
    pub(crate) intent: Intent,
    /// The clause as written.
    pub(crate) phrase: Text,
    pub(crate) object: Object,
    /// Which field a value goes to; empty when the goal does not say.
    pub(crate) field: Text,
    /// What to type or choose; none when the operator's values decide.
    pub(crate) value: Option<Text>,
    /// Whether the value goes into every field of the kind.
    pub(crate) every_field: bool,
}

/// Splits a goal into clauses in the order they are to be done.
pub(crate) fn read_goal(goal: &str) -> Vec<Clause> {
    let tokens = as_steps(tokenize(goal));
    let mut clauses: Vec<Clause> = split(&tokens).into_iter().flat_map(read_clause).collect();
    if clauses.iter().any(|clause| clause.intent != Intent::Named) {
        // Words without a verb beside clauses with one are remarks, not steps.
        clauses.retain(|clause| clause.intent != Intent::Named);
    }
    clauses.truncate(CLAUSES_MAX);
    resolve_pronouns(&mut clauses);
    drop_repeated_ends(&mut clauses);
    clauses
}

fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let mut clauses = Vec::new();
    let mut start = 0;
    let mut at = 1;
    while at < tokens.len() {
        match boundary(tokens, start, at) {
            Some(next) => {
                clauses.push(&tokens[start..at]);
                start = next;
                at = next + 1;
            }
            None => at += 1,
        }
    }
    if start < tokens.len() {
        clauses.push(&tokens[start..]);
    }
    clauses
}

/// Where the next clause starts when the one before ends at `at`.
fn boundary(tokens: &[Token], start: usize, at: usize) -> Option<usize> {
    let before = &tokens[at - 1];
    if before.end == End::Stop {
        return Some(at);
    }
    let hard = matches!(tokens[at].lower.as_str(), "and" | "then" | "&");
    if before.end == End::Nothing && !hard {
        return None;
    }
    let next = (at..tokens.len()).find(|&index| begins_clause(&tokens[index..]) || !is_connector(&tokens[index]))?;
    let joins_a_name = hard && before.capital && at - 1 > start && tokens[next].capital && before.end == End::Nothing;
    (begins_clause(&tokens[next..]) && !joins_a_name).then_some(next)
}

fn is_connector(token: &Token) -> bool {
    !token.quoted && CONNECTORS.contains(&token.lower.as_str())
}

/// Whether a verb stands here with what it needs.
fn begins_clause(tokens: &[Token]) -> bool {
    find_verb(tokens).is_some()
}

fn find_verb(tokens: &[Token]) -> Option<(Intent, usize)> {
    let words: Vec<&str> = tokens.iter().take(6).map(|token| token.lower.as_str()).collect();
    let (intent, needs, length) = verb_at(&words)?;
    let ends_early = tokens[..length - 1].iter().any(|token| token.end != End::Nothing);
    let followed = tokens[length - 1].end == End::Nothing
        && tokens.get(length).is_some_and(|next| next.quoted || !matches!(next.lower.as_str(), "and" | "then" | "or" | "&"));
    (!ends_early && (needs == Needs::Nothing || followed)).then_some((intent, length))
}

fn read_clause(tokens: &[Token]) -> Vec<Clause> {
    let mut at = 0;
    while at < tokens.len() && find_verb(&tokens[at..]).is_none() && POLITE.contains(&tokens[at].lower.as_str()) {
        at += 1;
    }
    let phrase = Text::new(&join(&tokens[at.min(tokens.len())..]));
    match tokens.get(at..).and_then(|rest| find_verb(rest).map(|verb| (rest, verb))) {
        Some((rest, (intent, length))) => {
            let verb = join(&rest[..length]).to_lowercase();
            phrases::read(&Parts { intent, verb: &verb, rest: &rest[length..], phrase })
        }
        None if phrase.core().is_empty() && !tokens.iter().any(|token| token.quoted) => Vec::new(),
        None => vec![clause(Intent::Named, &phrase, object(&tokens[at.min(tokens.len())..]))],
    }
}

/// A clause with only an object.
pub(crate) fn clause(intent: Intent, phrase: &Text, object: Object) -> Clause {
    Clause { intent, phrase: phrase.clone(), object, field: Text::default(), value: None, every_field: false }
}

/// Tokens as text again.
pub(crate) fn join(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Reads what a clause is about: its first quoted text, or all its words.
pub(crate) fn object(tokens: &[Token]) -> Object {
    let (ordinal, tokens) = take_ordinal(tokens);
    let plain: Vec<Token> = tokens.iter().filter(|token| !token.quoted).cloned().collect();
    let role = plain.iter().map(|token| stem(&token.lower)).find(|word| is_role_word(word));
    match tokens.iter().find(|token| token.quoted) {
        Some(quote) => Object { text: Text::new(&quote.text), context: Text::new(&join(&plain)), quoted: true, role, ordinal },
        None => Object { text: Text::new(&join(&tokens)), context: Text::default(), quoted: false, role, ordinal },
    }
}

fn take_ordinal(tokens: &[Token]) -> (Option<i32>, Vec<Token>) {
    let mut kept = tokens.to_vec();
    // Lists of dated things have the newest first nearly everywhere.
    if let Some(at) = kept.iter().position(|token| matches!(token.lower.as_str(), "latest" | "newest")) {
        kept.remove(at);
        return (Some(1), kept);
    }
    for at in 0..kept.len() {
        let follows = kept.get(at + 1).is_some_and(|next| {
            let word = stem(&next.lower);
            is_role_word(&word) || matches!(word.as_str(), "result" | "search" | "match" | "hit" | "one")
        });
        if let (Some(ordinal), true) = (ordinal_of(&kept[at].lower), follows) {
            kept.remove(at);
            kept.retain(|token| !matches!(stem(&token.lower).as_str(), "result" | "search" | "match" | "hit"));
            return (Some(ordinal), kept);
        }
    }
    (None, kept)
}

fn ordinal_of(word: &str) -> Option<i32> {
    const NAMED: &[&str] = &["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    if word == "last" {
        return Some(-1);
    }
    if let Some(at) = NAMED.iter().position(|named| *named == word) {
        return i32::try_from(at + 1).ok();
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending))?;
    digits.parse::<i32>().ok().filter(|number| (1..=99).contains(number))
}

/// `add X, so that the basket contains X` is one step, not two.
fn drop_repeated_ends(clauses: &mut Vec<Clause>) {
    let mut at = 0;
    while at < clauses.len() {
        let end_state = clauses[at].intent == Intent::AddToBasket && clauses[at].phrase.folded.starts_with("put into basket");
        let said_before = clauses[..at]
            .iter()
            .any(|other| other.intent == Intent::AddToBasket && other.object.text.content == clauses[at].object.text.content);
        if end_state && said_before {
            clauses.remove(at);
        } else {
            at += 1;
        }
    }
}

/// `it`, `them`, `the product`: the thing the clause before was about.
fn resolve_pronouns(clauses: &mut [Clause]) {
    let mut last: Option<Object> = None;
    for clause in clauses {
        let thing = matches!(
            clause.intent,
            Intent::AddToBasket
                | Intent::Check
                | Intent::Uncheck
                | Intent::Delete
                | Intent::Open
                | Intent::Act
                | Intent::Download
        );
        let pronoun = clause
            .object
            .text
            .words
            .iter()
            .any(|word| matches!(word.as_str(), "it" | "them" | "this" | "that" | "one" | "item" | "product"));
        let whole_basket = clause.intent == Intent::AddToBasket && clause.object.text.words.is_empty();
        if thing && clause.object.is_blank() && (pronoun || whole_basket) {
            if let Some(object) = &last {
                clause.object = object.clone();
            }
        } else if let Some(value) = clause.value.as_ref().filter(|_| clause.intent == Intent::AddItem) {
            last = Some(Object { text: value.clone(), quoted: true, ..Object::default() });
        } else if !clause.object.is_blank() && !is_place(clause.intent) {
            last = Some(clause.object.clone());
        }
    }
}

/// Intents whose object is a field or a place rather than a thing.
fn is_place(intent: Intent) -> bool {
    matches!(
        intent,
        Intent::SignIn | Intent::SignOut | Intent::Register | Intent::Fill | Intent::Set | Intent::Submit | Intent::Checkout
    )
}

/// Whether a word says nothing about which control is meant.
pub(crate) fn is_filler(word: &str) -> bool {
    is_stopword(word) || is_role_word(word)
}

#[cfg(test)]
#[path = "goal_tests.rs"]
mod tests;

//! Goals said as an end state or out of order, put into the words of a step: `the basket contains X` is `put X into the basket`.

use crate::phrases::BASKETS;
use crate::tokens::{End, Token};
use crate::verbs::verb_at;
use crate::words::stem;

/// Words that may stand before the thing that is to hold another.
const OWNERS: &[&str] = &["the", "my", "our", "your", "a", "shopping", "todo", "to-do", "task"];
/// Words between a thing and its verb that leave the meaning as it is.
const MODALS: &[&str] = &["should", "must", "shall", "will", "to", "then", "now", "also", "finally"];
const HOLDS: &[&str] = &["contains", "contain", "holds", "hold", "includes", "include", "has", "have"];
const SHOWS: &[&str] = &["shows", "show", "lists"];
const IS: &[&str] = &["is", "are", "be", "sits", "sit", "lands", "ends", "was"];
const INTO: &[&str] = &["in", "into", "inside"];
const WANTS: &[&str] = &["want", "need", "like", "wish"];
/// What makes a quantity or a denial of an end state; putting one thing in would not bring it about.
const NOT_ONE: &[&str] = &["no", "not", "nothing", "only", "exactly", "just", "never", "at", "none", "neither"];
/// Words of a clause that says when or whether, not what.
const CONDITIONS: &[&str] =
    &["if", "when", "whenever", "unless", "until", "while", "once", "after", "before", "whether", "why", "where", "how", "which"];
/// Words before `signing in` and `signed in` that are no part of anything else.
const AFTER: &[&str] = &["after", "once", "when", "while", "by", "being", "be", "am", "i'm", "are", "been"];
/// Words that turn them into something else.
const WITHOUT: &[&str] =
    &["without", "not", "before", "never", "avoid", "until", "if", "unless", "no", "instead", "keep", "stay"];

/// The tokens of a goal with wishes and end states said as steps, the sign-in first.
pub(crate) fn as_steps(tokens: Vec<Token>) -> Vec<Token> {
    let tokens = sign_in_first(tokens);
    let mut steps = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let begins = at == 0 || tokens[at - 1].end != End::Nothing || is(&tokens[at - 1], &["and", "then", "so", "that"]);
        let end = clause_end(&tokens, at);
        match begins.then(|| said_as_step(&tokens[at..end])).flatten() {
            Some(said) => {
                while steps.last().is_some_and(|last: &Token| last.end == End::Nothing && is(last, &["so", "that"])) {
                    steps.pop();
                }
                steps.extend(said);
                at = end;
            }
            None => {
                steps.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    steps
}

/// Where the clause that begins at `from` ends at the latest: after a stop or comma, or before an `and` with a verb.
fn clause_end(tokens: &[Token], from: usize) -> usize {
    for at in from..tokens.len() {
        let joins = at > from && is(&tokens[at], &["and", "then", "&"]);
        if joins && tokens.get(at + 1..).is_some_and(|rest| begins_step(rest) || said_as_step(&rest[..stop_of(rest)]).is_some()) {
            return at;
        }
        if tokens[at].end != End::Nothing {
            return at + 1;
        }
    }
    tokens.len()
}

/// Where the first stop or comma is.
fn stop_of(tokens: &[Token]) -> usize {
    tokens.iter().position(|token| token.end != End::Nothing).map_or(tokens.len(), |at| at + 1)
}

fn begins_step(tokens: &[Token]) -> bool {
    let rest: Vec<&str> = tokens
        .iter()
        .map(|token| token.lower.as_str())
        .skip_while(|word| matches!(*word, "then" | "please" | "also"))
        .take(6)
        .collect();
    verb_at(&rest).is_some()
}

fn said_as_step(clause: &[Token]) -> Option<Vec<Token>> {
    let clause = without_assurance(clause);
    holds(clause).or_else(|| wanted_in(clause)).or_else(|| is_in(clause))
}

/// `make sure that` says nothing but the end state after it.
fn without_assurance(clause: &[Token]) -> &[Token] {
    let mut rest = clause;
    for (first, second) in [("make", Some("sure")), ("ensure", None)] {
        let skip = if second.is_some() { 2 } else { 1 };
        if rest.first().is_some_and(|token| token.lower == first)
            && second.is_none_or(|second| rest.get(1).is_some_and(|token| token.lower == second))
        {
            rest = rest.get(skip..).unwrap_or_default();
            if rest.first().is_some_and(|token| token.lower == "that") {
                rest = &rest[1..];
            }
        }
    }
    rest
}

/// `the basket contains X`, `the list has X`.
fn holds(clause: &[Token]) -> Option<Vec<Token>> {
    let owner = clause.iter().take_while(|token| is(token, OWNERS)).count();
    let holder = clause.get(owner)?;
    let basket = is_basket(holder);
    if !(basket || holder.lower == "list") {
        return None;
    }
    let modal = clause[owner + 1..].iter().take_while(|token| is(token, MODALS)).count();
    let verb = owner + 1 + modal;
    let said = clause.get(verb).filter(|token| is(token, HOLDS) || basket && is(token, SHOWS))?;
    let thing = clause.get(verb + 1..).filter(|thing| is_one_thing(thing))?;
    if said.end != End::Nothing || clause[..verb].iter().any(|token| token.end != End::Nothing) {
        return None;
    }
    let verb: &[&str] = if basket { &["put", "into", "basket"] } else { &["add", "item"] };
    Some(words(verb).chain(thing.iter().cloned()).collect())
}

/// `I want X in my basket`; the place is kept for the step to be read by.
fn wanted_in(clause: &[Token]) -> Option<Vec<Token>> {
    let polite =
        clause.iter().take_while(|token| is(token, &["please", "i", "we", "would", "i'd", "we'd", "just", "really"])).count();
    clause.get(polite).filter(|token| polite > 0 && is(token, WANTS))?;
    let mut thing = clause.get(polite + 1..)?;
    if is(thing.first()?, &["to"]) {
        thing = thing.get(1..).filter(|rest| rest.first().is_some_and(|token| is(token, &["have", "see", "get"])))?.get(1..)?;
    }
    let place = place_at(thing).filter(|at| *at > 0)?;
    is_one_thing(&thing[..place]).then(|| words(&["put"]).chain(thing.iter().cloned()).collect())
}

/// `X is in the basket`.
fn is_in(clause: &[Token]) -> Option<Vec<Token>> {
    let polite = clause.iter().take_while(|token| is(token, &["i", "want", "need", "that"])).count();
    let clause = &clause[polite..];
    if begins_step(clause) || clause.first().is_some_and(|token| is(token, CONDITIONS)) {
        return None;
    }
    let place = place_at(clause)?;
    let adverbs = clause[..place].iter().rev().take_while(|token| is(token, &["now", "then", "up"])).count();
    let verb = (place - adverbs).checked_sub(1).filter(|at| is(&clause[*at], IS))?;
    let modals = clause[..verb].iter().rev().take_while(|token| is(token, MODALS)).count();
    let thing = &clause[..verb - modals];
    (is_one_thing(thing)).then(|| words(&["put"]).chain(thing.iter().cloned()).chain(clause[place..].iter().cloned()).collect())
}

/// Where `in my basket` begins, when the clause ends soon after it.
fn place_at(clause: &[Token]) -> Option<usize> {
    let basket = clause.iter().rposition(is_basket)?;
    let owner = clause[..basket].iter().rev().take_while(|token| is(token, OWNERS)).count();
    (basket - owner).checked_sub(1).filter(|at| is(&clause[*at], INTO))
}

/// Whether the words may name one thing.
fn is_one_thing(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|first| !is(first, NOT_ONE)) && !tokens.iter().any(|token| is(token, &["not", "no"]))
}

fn is_basket(token: &Token) -> bool {
    !token.quoted && BASKETS.contains(&stem(&token.lower).as_str())
}

/// `signing in first`, `after signing in`, `once signed in`: a step of its own before all others.
fn sign_in_first(mut tokens: Vec<Token>) -> Vec<Token> {
    let Some((from, until)) = (0..tokens.len()).find_map(|at| signed_in_at(&tokens, at)) else { return tokens };
    let end = tokens[until - 1].end;
    let before = from.checked_sub(1);
    tokens.drain(from..until);
    if let Some(before) = before
        && end != End::Nothing
    {
        tokens[before].end = end;
    }
    let already = (0..tokens.len()).any(|at| {
        let rest: Vec<&str> = tokens[at..].iter().take(2).map(|token| token.lower.as_str()).collect();
        matches!(verb_at(&rest), Some((crate::verbs::Intent::SignIn, ..)))
    });
    if already {
        return tokens;
    }
    let mut said: Vec<Token> = words(&["sign", "in"]).collect();
    if let Some(last) = said.last_mut() {
        last.end = End::Stop;
    }
    said.into_iter().chain(tokens).collect()
}

/// From where to where a token run says that the sign-in comes first.
fn signed_in_at(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let signing = is(&tokens[at], &["signing", "logging"]);
    let signed = is(&tokens[at], &["signed", "logged"]);
    let follows = tokens.get(at + 1).is_some_and(|next| is(next, &["in", "on"])) && tokens[at].end == End::Nothing;
    if !(signing || signed) || !follows {
        return None;
    }
    let lead = tokens[..at]
        .iter()
        .rev()
        .take_while(|token| {
            token.end == End::Nothing
                && is(
                    token,
                    &[
                        "after", "once", "when", "while", "by", "being", "be", "am", "i'm", "i", "you", "are", "have", "been",
                        "you're", "you've",
                    ],
                )
        })
        .count();
    let from = at - lead;
    let led = tokens[from..at].iter().any(|token| is(token, AFTER));
    let bare = from == 0 || tokens[from - 1].end != End::Nothing || is(&tokens[from - 1], &["and", "but"]);
    let mut until = at + 2;
    let first = |at: usize| tokens.get(at).is_some_and(|token| is(token, &["first", "beforehand"]));
    let goes_on = |until: usize| tokens[until - 1].end == End::Nothing;
    let said_first = goes_on(until) && first(until);
    until += usize::from(said_first);
    let other = from.checked_sub(1).is_some_and(|before| is(&tokens[before], WITHOUT));
    if other || !(led || said_first || signing && bare) {
        return None;
    }
    // `with my account` after it says how.
    if goes_on(until) && tokens.get(until).is_some_and(|next| is(next, &["with", "as", "using", "to"])) {
        until += stop_of(&tokens[until..]);
    }
    Some((from, until))
}

fn is(token: &Token, words: &[&str]) -> bool {
    !token.quoted && words.contains(&token.lower.as_str())
}

fn words(said: &[&str]) -> impl Iterator<Item = Token> {
    said.iter().map(|word| Token {
        text: (*word).to_owned(),
        lower: (*word).to_owned(),
        quoted: false,
        capital: false,
        end: End::Nothing,
    })
}

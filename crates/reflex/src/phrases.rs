//! What stands after a clause's verb, read by the verb's own pattern.

use crate::goal::{Clause, Object, clause, is_filler, join, object};
use crate::tokens::{End, Token};
use crate::verbs::Intent;
use crate::words::{Text, is_role_word, stem};

/// A clause taken apart.
pub(crate) struct Parts<'a> {
    pub(crate) intent: Intent,
    pub(crate) verb: &'a str,
    pub(crate) rest: &'a [Token],
    pub(crate) phrase: Text,
}

pub(crate) const BASKETS: &[&str] = &["basket", "cart", "bag", "trolley"];
const LIST_WORDS: &[&str] = &["todo", "to-do", "task", "item", "note", "list", "comment", "entry", "reminder"];

/// Reads the clauses that one verb phrase asks for; several objects are several clauses.
pub(crate) fn read(parts: &Parts<'_>) -> Vec<Clause> {
    let plain = || vec![clause(parts.intent, &parts.phrase, object(parts.rest))];
    match parts.intent {
        Intent::Search => vec![clause(Intent::Search, &parts.phrase, object(the_thing(without_place(parts.rest))))],
        Intent::AddToBasket => read_add(parts),
        Intent::AddItem => read_item(parts),
        Intent::Fill => read_fill(parts),
        Intent::Set => read_set(parts),
        Intent::Choose => read_choose(parts),
        Intent::Check | Intent::Uncheck => read_check(parts),
        Intent::Delete => each_object(parts, parts.intent, without_basket(parts.rest)),
        Intent::Open if matches!(parts.verb, "get" | "fetch") && into_basket(parts.rest).is_some() => read_add(parts),
        Intent::Press | Intent::Open => read_press(parts),
        Intent::SignIn => read_sign_in(parts),
        Intent::SignOut
        | Intent::Register
        | Intent::PressEnter
        | Intent::FillForm
        | Intent::Submit
        | Intent::Close
        | Intent::Next
        | Intent::Previous
        | Intent::GoBack
        | Intent::Download
        | Intent::Checkout
        | Intent::ScrollDown
        | Intent::ScrollUp
        | Intent::Wait
        | Intent::Expand
        | Intent::Collapse
        | Intent::Act
        | Intent::Beyond
        | Intent::Named => plain(),
    }
}

/// `use the textbox to enter X`: the verb after `to` is the one that counts.
fn read_press(parts: &Parts<'_>) -> Vec<Clause> {
    if parts.verb == "use"
        && let Some(at) = position(parts.rest, &["to"])
    {
        let rest = &parts.rest[at + 1..];
        let words: Vec<&str> = rest.iter().take(6).map(|token| token.lower.as_str()).collect();
        if let Some((intent, _, length)) = crate::verbs::verb_at(&words) {
            let verb = join(&rest[..length]).to_lowercase();
            return read(&Parts { intent, verb: &verb, rest: &rest[length..], phrase: parts.phrase.clone() });
        }
    }
    vec![clause(parts.intent, &parts.phrase, object(parts.rest))]
}

fn read_add(parts: &Parts<'_>) -> Vec<Clause> {
    if parts.verb == "buy" {
        return each_object(parts, Intent::AddToBasket, parts.rest);
    }
    match into_basket(parts.rest) {
        // `into the basket X`: the place comes first.
        Some(0) => {
            let basket = position_of_basket(parts.rest).unwrap_or_default();
            each_object(parts, Intent::AddToBasket, &parts.rest[basket + 1..])
        }
        Some(at) => each_object(parts, Intent::AddToBasket, &parts.rest[..at]),
        None if parts.verb == "add" => read_item(parts),
        None => vec![clause(Intent::Act, &parts.phrase, object(parts.rest))],
    }
}

/// Where `into the basket` begins.
fn into_basket(rest: &[Token]) -> Option<usize> {
    (0..rest.len()).rev().find(|&at| {
        matches!(rest[at].lower.as_str(), "to" | "in" | "into" | "inside") && position_of_basket(&rest[at + 1..]).is_some()
    })
}

fn position_of_basket(rest: &[Token]) -> Option<usize> {
    rest.iter().position(|token| !token.quoted && BASKETS.contains(&stem(&token.lower).as_str()))
}

/// What is joined to a sign-in and is neither how to sign in nor a step that was understood is a step nobody may claim.
fn read_sign_in(parts: &Parts<'_>) -> Vec<Clause> {
    const HOW: &[&str] = &[
        "password",
        "passphrase",
        "passcode",
        "pin",
        "email",
        "e-mail",
        "mail",
        "username",
        "user",
        "name",
        "login",
        "account",
        "credential",
        "code",
        "secret",
        "value",
        "key",
        "session",
        "detail",
    ];
    let tail = (0..parts.rest.len())
        .find(|&at| matches!(parts.rest[at].lower.as_str(), "and" | "then" | "&"))
        .map(|at| &parts.rest[at + 1..]);
    let how = |tail: &[Token]| tail.iter().any(|token| token.quoted || HOW.contains(&stem(&token.lower).as_str()));
    let mut clauses = vec![clause(Intent::SignIn, &parts.phrase, object(parts.rest))];
    if let Some(tail) = tail.filter(|tail| !how(tail) && names_something(tail)) {
        clauses.push(clause(Intent::Beyond, &Text::new(&join(tail)), object(tail)));
    }
    clauses
}

/// `add a todo 'X'`, `create a task called X`, `add X to the list`; anything else is a control named by the verb.
fn read_item(parts: &Parts<'_>) -> Vec<Clause> {
    let quotes: Vec<&Token> = parts.rest.iter().filter(|token| token.quoted).collect();
    let item = |text: &str| Clause { value: Some(Text::new(text)), ..clause(Intent::AddItem, &parts.phrase, Object::default()) };
    if !quotes.is_empty() {
        return quotes.iter().map(|quote| item(&quote.text)).collect();
    }
    let list_word = parts.rest.iter().position(|token| LIST_WORDS.contains(&stem(&token.lower).as_str()));
    let to_list = (0..parts.rest.len()).rev().find(|&at| {
        parts.rest[at].lower == "to" && parts.rest[at + 1..].iter().any(|token| LIST_WORDS.contains(&stem(&token.lower).as_str()))
    });
    if let Some(at) = to_list.filter(|at| *at > 0) {
        return vec![item(&join(&parts.rest[..at]))];
    }
    match list_word {
        Some(at) if at + 1 < parts.rest.len() => {
            let named = |token: &Token| {
                matches!(token.lower.as_str(), "called" | "named" | "saying" | "item" | "to" | "titled" | "with" | "text")
            };
            let skip = parts.rest[at + 1..].iter().take_while(|token| named(token)).count();
            vec![item(&join(&parts.rest[at + 1 + skip..]))]
        }
        Some(_) | None => vec![clause(Intent::Act, &parts.phrase, object(parts.rest))],
    }
}

fn read_fill(parts: &Parts<'_>) -> Vec<Clause> {
    let quotes: Vec<usize> = (0..parts.rest.len()).filter(|&at| parts.rest[at].quoted).collect();
    match quotes.as_slice() {
        [] => read_fill_plain(parts),
        [only] => vec![read_fill_quote(parts, *only)],
        [first, second] => read_fill_two(parts, *first, *second),
        [..] => read_fill_pairs(parts, &quotes),
    }
}

fn read_fill_plain(parts: &Parts<'_>) -> Vec<Clause> {
    if let Some(at) = position(parts.rest, &["with"]) {
        return vec![fill(parts, &parts.rest[..at], Some(&join(&parts.rest[at + 1..])))];
    }
    let takes_value = !parts.verb.starts_with("fill");
    match last_position(parts.rest, &["into", "in", "as", "for"]).filter(|at| takes_value && *at > 0) {
        Some(at) => vec![fill(parts, &parts.rest[at + 1..], Some(&join(&parts.rest[..at])))],
        None => vec![fill(parts, parts.rest, None)],
    }
}

fn read_fill_quote(parts: &Parts<'_>, at: usize) -> Clause {
    let quote = &parts.rest[at].text;
    let with = position(parts.rest, &["with"]);
    match with {
        Some(with) if at < with => fill(parts, &parts.rest[at..=at], Some(&join(&parts.rest[with + 1..]))),
        None if parts.verb.starts_with("fill") => fill(parts, parts.rest, None),
        // `type hello into "Name"`: the quote names the field.
        None if at > 1 && matches!(parts.rest[at - 1].lower.as_str(), "into") => {
            fill(parts, &parts.rest[at..=at], Some(&join(&parts.rest[..at - 1])))
        }
        Some(_) | None => {
            let field: Vec<Token> = parts.rest.iter().filter(|token| !token.quoted && token.lower != "with").cloned().collect();
            fill(parts, &field, Some(quote))
        }
    }
}

fn read_fill_two(parts: &Parts<'_>, first: usize, second: usize) -> Vec<Clause> {
    let (rest, between) = (parts.rest, &parts.rest[first + 1..second]);
    if position(between, &["with", "to"]).is_some() {
        return vec![fill(parts, &rest[first..=first], Some(&rest[second].text))];
    }
    if position(between, &["into", "in", "as", "for"]).is_some() && position(between, &["and"]).is_none() {
        return vec![fill(parts, &rest[second..=second], Some(&rest[first].text))];
    }
    read_fill_pairs(parts, &[first, second])
}

/// `the username "a" and the password "b"`: each quote goes to the field named before it.
fn read_fill_pairs(parts: &Parts<'_>, quotes: &[usize]) -> Vec<Clause> {
    let mut start = 0;
    let mut clauses = Vec::new();
    for &at in quotes {
        clauses.push(fill(parts, &parts.rest[start..at], Some(&parts.rest[at].text)));
        start = at + 1;
    }
    clauses
}

fn fill(parts: &Parts<'_>, field: &[Token], value: Option<&str>) -> Clause {
    let every_field = field.iter().any(|token| matches!(token.lower.as_str(), "both" | "all" | "each" | "every"));
    let words = field.iter().filter(|token| !matches!(token.lower.as_str(), "both" | "all" | "each" | "every" | "and" | "into"));
    let field = Text::new(&words.map(|token| token.text.as_str()).collect::<Vec<_>>().join(" "));
    let object = Object { text: field.clone(), ..Object::default() };
    Clause { field, value: value.map(Text::new), every_field, ..clause(Intent::Fill, &parts.phrase, object) }
}

fn read_set(parts: &Parts<'_>) -> Vec<Clause> {
    match last_position(parts.rest, &["to", "as"]) {
        Some(at) => {
            let value = Text::new(&value_of(&parts.rest[at + 1..]));
            let from = position(&parts.rest[..at], &["from"]).unwrap_or(at);
            let field = object(&parts.rest[..from]);
            vec![Clause { field: field.text.clone(), value: Some(value), ..clause(Intent::Set, &parts.phrase, field) }]
        }
        None => vec![clause(Intent::Act, &parts.phrase, object(parts.rest))],
    }
}

fn value_of(tokens: &[Token]) -> String {
    tokens.iter().find(|token| token.quoted).map_or_else(|| join(tokens), |quote| quote.text.clone())
}

fn read_choose(parts: &Parts<'_>) -> Vec<Clause> {
    let at = last_position(parts.rest, &["from", "in", "as", "for", "under"]).filter(|at| *at > 0).unwrap_or(parts.rest.len());
    let field = parts.rest.get(at + 1..).map(object).unwrap_or_default();
    let mut clauses = each_object(parts, Intent::Choose, &parts.rest[..at]);
    for clause in &mut clauses {
        clause.value = Some(clause.object.text.clone());
        clause.field = field.text.clone();
    }
    clauses.retain(|clause| !matches!(clause.object.text.folded.as_str(), "nothing" | "none"));
    clauses
}

fn read_check(parts: &Parts<'_>) -> Vec<Clause> {
    let states = ["complete", "completed", "done", "finished"];
    let (rest, state) = match last_position(parts.rest, &["as"]) {
        Some(at) => (&parts.rest[..at], parts.rest.get(at + 1)),
        None => (parts.rest, None),
    };
    match state {
        Some(state) if !state.quoted && !states.contains(&state.lower.as_str()) => {
            vec![clause(Intent::Act, &Text::new(&format!("mark as {}", state.lower)), object(rest))]
        }
        Some(_) | None if rest.first().is_some_and(|token| matches!(token.lower.as_str(), "that" | "whether" | "if")) => {
            Vec::new()
        }
        Some(_) | None => each_object(parts, parts.intent, rest),
    }
}

/// Several quotes, or several words between commas, are several objects.
fn each_object(parts: &Parts<'_>, intent: Intent, tokens: &[Token]) -> Vec<Clause> {
    let one = |tokens: &[Token]| clause(intent, &parts.phrase, object(tokens));
    let quotes: Vec<&Token> = tokens.iter().filter(|token| token.quoted).collect();
    if quotes.len() > 1 {
        return quotes.iter().map(|quote| one(std::slice::from_ref(*quote))).collect();
    }
    let plural = tokens.iter().any(|token| matches!(token.lower.as_str(), "checkboxes" | "boxes" | "options" | "items" | "both"));
    let commas = tokens.iter().rev().skip(1).any(|token| token.end == End::Comma);
    if !(commas || plural) || quotes.len() == 1 {
        return vec![one(tokens)];
    }
    tokens
        .split_inclusive(|token| token.end == End::Comma)
        .flat_map(|part| part.split(|token| matches!(token.lower.as_str(), "and" | "&")))
        .filter(|part| names_something(part))
        .map(one)
        .collect()
}

/// Whether words are more than fillers; a single letter alone may be the label of an option.
fn names_something(tokens: &[Token]) -> bool {
    let filler = |token: &Token| !token.quoted && is_filler(&stem(&token.lower));
    match tokens {
        [] => false,
        [only] => !is_role_word(&stem(&only.lower)),
        [..] => !tokens.iter().all(filler),
    }
}

/// `in the shop`, `on this site`, `in the search box` say where, not what.
fn without_place(tokens: &[Token]) -> &[Token] {
    const PLACES: &[&str] =
        &["shop", "store", "site", "website", "page", "box", "bar", "field", "catalogue", "catalog", "textbox"];
    match last_position(tokens, &["in", "on", "using", "with", "at"]) {
        Some(at) if at > 0 && tokens.last().is_some_and(|last| PLACES.contains(&last.lower.as_str())) => &tokens[..at],
        Some(_) | None => tokens,
    }
}

/// `the price of X` is looked up where X is.
fn the_thing(tokens: &[Token]) -> &[Token] {
    match position(tokens, &["of", "for"]) {
        Some(at)
            if at + 1 < tokens.len()
                && tokens[..at].iter().any(|token| matches!(token.lower.as_str(), "price" | "cost" | "page")) =>
        {
            &tokens[at + 1..]
        }
        Some(_) | None => tokens,
    }
}

/// `from the basket` says where to delete from.
fn without_basket(tokens: &[Token]) -> &[Token] {
    match last_position(tokens, &["from"]) {
        Some(at) if at > 0 => &tokens[..at],
        Some(_) | None => tokens,
    }
}

fn position(tokens: &[Token], words: &[&str]) -> Option<usize> {
    tokens.iter().position(|token| words.contains(&token.lower.as_str()))
}

fn last_position(tokens: &[Token], words: &[&str]) -> Option<usize> {
    tokens.iter().rposition(|token| words.contains(&token.lower.as_str()))
}

//! Values that code can compute from the goal: quoted strings, what is to be searched for, the thing a clause wants, and names. Nothing is made up:
//! each is a piece of the goal exactly as it stands.

/// Longer pieces are sentences, not values.
const VALUE_CHARS_MAX: usize = 200;
/// Pieces offered; a goal with more is several goals.
const VALUES_MAX: usize = 16;
/// Words after which a thing to search for follows.
const SEARCH_PHRASES: [&str; 6] = ["search for ", "searching for ", "look for ", "look up ", "find ", "search "];
/// Words that end it.
const ENDS: [&str; 10] = [" and ", " then ", ", ", ". ", "; ", " in the ", " on the ", " using ", " by ", "\n"];
/// Words after which the thing stands that a clause wants.
const WANTING: [&str; 20] = [
    "add ",
    "put ",
    "place ",
    "want to buy ",
    "buy ",
    "get ",
    "fetch ",
    "want ",
    "need ",
    "want to have ",
    "open ",
    "view ",
    "contains ",
    "contain ",
    "holds ",
    "includes ",
    "has ",
    "have ",
    "shows ",
    "i'd like ",
];
/// Words between a thing and the place it is in or goes to.
const PLACES: [&str; 10] = [" to ", " into ", " in ", " inside ", " onto ", " on ", " from ", " at ", " with ", " after "];
/// Words before a place that say the thing is there.
const BEING: [&str; 4] = [" is in ", " should be in ", " must be in ", " are in "];
/// Words after which something else than the name of a thing stands.
const NO_THING: [&str; 12] = ["to ", "it", "them", "this", "that", "into ", "in ", "not ", "no ", "nothing", "been ", "only "];

/// Every computed value, quoted ones first, each once.
pub(crate) fn computed(goal: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in quoted(goal).into_iter().chain(searched(goal)).chain(wanted(goal)).chain(names(goal)) {
        let known = values.iter().any(|old| old.eq_ignore_ascii_case(&value));
        if !known && !value.trim().is_empty() && value.chars().count() <= VALUE_CHARS_MAX && values.len() < VALUES_MAX {
            values.push(value);
        }
    }
    values
}

/// Strings in quotes, exactly as they stand. An apostrophe inside a word opens nothing.
fn quoted(goal: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (open, close) in [('"', '"'), ('\u{201c}', '\u{201d}'), ('\u{2018}', '\u{2019}'), ('\'', '\'')] {
        let mut rest = goal;
        while let Some((before, after)) = rest.split_once(open) {
            let inside_word = open == '\'' && before.chars().next_back().is_some_and(char::is_alphanumeric);
            if inside_word {
                rest = after;
                continue;
            }
            let Some((text, later)) = after.split_once(close) else { break };
            found.push(text.to_owned());
            rest = later;
        }
    }
    found
}

/// What follows "search for", without its article.
fn searched(goal: &str) -> Vec<String> {
    let lower = goal.to_lowercase();
    if lower.len() != goal.len() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for phrase in SEARCH_PHRASES {
        for (at, _) in lower.match_indices(phrase) {
            let rest = goal.get(at + phrase.len()..).unwrap_or_default();
            if starts_word(&lower, at) {
                found.push(without_article(until_end(rest)).to_owned());
            }
        }
    }
    found.retain(|text| !text.starts_with(['"', '\'', '\u{201c}', '\u{2018}']) && !text.to_lowercase().starts_with("for "));
    found
}

/// What a clause is about that adds, opens, wants or holds a thing, without its article. Text in quotes is a value already.
fn wanted(goal: &str) -> Vec<String> {
    let mut plain = goal.to_owned();
    for text in quoted(goal) {
        plain = plain.replace(&text, &"\"".repeat(text.len()));
    }
    let lower = plain.to_lowercase();
    if lower.len() != plain.len() {
        return Vec::new();
    }
    let mut found: Vec<(usize, &str)> = Vec::new();
    for phrase in WANTING {
        for (at, _) in lower.match_indices(phrase).filter(|(at, _)| starts_word(&lower, *at)) {
            let rest = plain.get(at + phrase.len()..).unwrap_or_default();
            found.push((at, until_place(rest)));
        }
    }
    for phrase in BEING {
        found.extend(lower.match_indices(phrase).map(|(at, _)| (at, last_clause(plain.get(..at).unwrap_or_default()))));
    }
    found.sort_by_key(|(at, _)| *at);
    let things = found.into_iter().map(|(_, text)| without_article(text.trim()));
    things.filter(|text| is_thing(text)).map(str::to_owned).collect()
}

fn starts_word(lower: &str, at: usize) -> bool {
    !lower.get(..at).and_then(|before| before.chars().next_back()).is_some_and(char::is_alphanumeric)
}

/// Up to the place the thing is in or goes to, or the end of its clause. An `and` between capitals is part of a name.
fn until_place(text: &str) -> &str {
    let mut end = PLACES.iter().filter_map(|place| text.find(place)).min().unwrap_or(text.len());
    for stop in ENDS.iter().filter(|stop| **stop != " and ") {
        end = end.min(text.find(stop).unwrap_or(end));
    }
    let head = text.get(..end).unwrap_or(text);
    let and = head.match_indices(" and ").find(|(at, word)| {
        let before = head.get(..*at).and_then(|before| before.split_whitespace().next_back());
        let after = head.get(at + word.len()..);
        let capital = |word: Option<&str>| word.and_then(|word| word.chars().next()).is_some_and(char::is_uppercase);
        !(capital(before) && capital(after))
    });
    let head = and.and_then(|(at, _)| head.get(..at)).unwrap_or(head);
    head.trim_end_matches(['.', ',', ';', '!', '?', '\n']).trim()
}

/// The words after the last end of a clause.
fn last_clause(text: &str) -> &str {
    let start = ENDS.iter().filter_map(|end| text.rfind(end).map(|at| at + end.len())).max().unwrap_or(0);
    text.get(start..).unwrap_or(text)
}

fn is_thing(text: &str) -> bool {
    let lower = format!("{} ", text.to_lowercase());
    let other = NO_THING.iter().any(|word| lower.strip_prefix(word.trim_end()).is_some_and(|rest| rest.starts_with(' ')));
    text.chars().any(char::is_alphanumeric) && !text.contains('"') && !other
}

fn until_end(text: &str) -> &str {
    let end = ENDS.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_end_matches(['.', ',', ';', '!', '?']).trim()
}

fn without_article(text: &str) -> &str {
    let lower = text.to_lowercase();
    ["the ", "a ", "an ", "some ", "one ", "my "]
        .iter()
        .find(|article| lower.starts_with(**article))
        .and_then(|article| text.get(article.len()..))
        .unwrap_or(text)
}

/// Runs of two and more capitalised words; the first word of a sentence has its capital from there.
fn names(goal: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut starts = true;
    for word in goal.split_whitespace().chain(["."]) {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let quoted = word.contains(['"', '\'', '\u{201c}', '\u{2018}']);
        let capital = !quoted && !starts && bare.chars().next().is_some_and(char::is_uppercase);
        starts = word.ends_with(['.', ':']);
        if capital {
            run.push(bare);
        }
        if !capital || word.ends_with([',', '.', ';', ':']) {
            if run.len() > 1 {
                found.push(run.join(" "));
            }
            run.clear();
        }
    }
    found
}

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;

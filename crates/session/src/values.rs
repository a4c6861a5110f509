//! Values that code can compute from the goal: quoted strings, what is to be searched for, and names. Nothing is made up:
//! each is a piece of the goal exactly as it stands.

/// Longer pieces are sentences, not values.
const VALUE_CHARS_MAX: usize = 200;
/// Pieces offered; a goal with more is several goals.
const VALUES_MAX: usize = 16;
/// Words after which a thing to search for follows.
const SEARCH_PHRASES: [&str; 6] = ["search for ", "searching for ", "look for ", "look up ", "find ", "search "];
/// Words that end it.
const ENDS: [&str; 10] = [" and ", " then ", ", ", ". ", "; ", " in the ", " on the ", " using ", " by ", "\n"];

/// Every computed value, quoted ones first, each once.
pub(crate) fn computed(goal: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in quoted(goal).into_iter().chain(searched(goal)).chain(names(goal)) {
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
            let starts_word = !lower.get(..at).and_then(|before| before.chars().next_back()).is_some_and(char::is_alphanumeric);
            let rest = goal.get(at + phrase.len()..).unwrap_or_default();
            if starts_word {
                found.push(without_article(until_end(rest)).to_owned());
            }
        }
    }
    found.retain(|text| !text.starts_with(['"', '\'', '\u{201c}', '\u{2018}']) && !text.to_lowercase().starts_with("for "));
    found
}

fn until_end(text: &str) -> &str {
    let end = ENDS.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_end_matches(['.', ',', ';', '!', '?']).trim()
}

fn without_article(text: &str) -> &str {
    let lower = text.to_lowercase();
    ["the ", "a ", "an ", "some "].iter().find(|article| lower.starts_with(**article)).and_then(|article| text.get(article.len()..)).unwrap_or(text)
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

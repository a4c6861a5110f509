//! A goal as tokens: words with the punctuation that follows them, and quoted texts kept whole.

/// What follows a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Nothing,
    Comma,
    Stop,
}

/// One word or one quoted text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// Lower case; empty for a quoted text, so that no word inside quotes is taken for a verb.
    pub(crate) lower: String,
    pub(crate) quoted: bool,
    pub(crate) capital: bool,
    pub(crate) end: End,
}

/// Most tokens read of one goal.
const TOKENS_MAX: usize = 600;
const QUOTES: &[(char, char)] =
    &[('"', '"'), ('“', '”'), ('„', '“'), ('”', '”'), ('«', '»'), ('`', '`'), ('‘', '’'), ('\'', '\''), ('’', '’')];

/// Reads a goal. Line breaks and list numbers end a sentence.
pub(crate) fn tokenize(goal: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for line in goal.lines() {
        let letters: Vec<char> = line.chars().collect();
        let mut at = 0;
        let first = tokens.len();
        while at < letters.len() && tokens.len() < TOKENS_MAX {
            at = read_token(&letters, at, &mut tokens);
        }
        drop_list_mark(&mut tokens, first);
        if let Some(last) = tokens.last_mut() {
            last.end = End::Stop;
        }
    }
    tokens
}

fn read_token(letters: &[char], at: usize, tokens: &mut Vec<Token>) -> usize {
    let letter = letters[at];
    if let Some(close) = quote_end(letters, at) {
        let text: String = letters[at + 1..close].iter().collect();
        tokens.push(Token { text, lower: String::new(), quoted: true, capital: false, end: End::Nothing });
        return close + 1;
    }
    if letter.is_whitespace() {
        return at + 1;
    }
    if let Some(end) = punctuation(letters, at) {
        if let Some(last) = tokens.last_mut() {
            last.end = end;
        }
        return at + 1;
    }
    let stop = (at + 1..letters.len())
        .find(|&next| letters[next].is_whitespace() || punctuation(letters, next).is_some() || quote_end(letters, next).is_some())
        .unwrap_or(letters.len());
    let text: String = letters[at..stop].iter().filter(|letter| !matches!(letter, '(' | ')' | '[' | ']')).collect();
    if !text.is_empty() {
        let capital = text.chars().next().is_some_and(char::is_uppercase);
        tokens.push(Token { lower: text.to_lowercase(), text, quoted: false, capital, end: End::Nothing });
    }
    stop
}

/// Commas and stops count only where a word ends, so that `1.5`, `a.b` and `10,000` stay whole.
fn punctuation(letters: &[char], at: usize) -> Option<End> {
    let ends = letters.get(at + 1).is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '\'' | '”' | '’' | ')'));
    match letters[at] {
        ',' if ends => Some(End::Comma),
        ':' if ends => Some(End::Nothing),
        '.' if ends && follows_abbreviation(letters, at) => Some(End::Nothing),
        '.' | ';' | '!' | '?' if ends => Some(End::Stop),
        _ => None,
    }
}

/// The stop of `Dr.` or `No.` ends no sentence.
fn follows_abbreviation(letters: &[char], at: usize) -> bool {
    let word: String = letters[..at].iter().rev().take_while(|letter| letter.is_alphanumeric()).collect();
    let word: String = word.chars().rev().collect::<String>().to_lowercase();
    at + 1 < letters.len()
        && ["dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "vs", "inc", "ltd", "co"].contains(&word.as_str())
}

/// Where the quote that opens at `at` closes, if one does: an opening mark follows no letter, a closing one precedes none.
fn quote_end(letters: &[char], at: usize) -> Option<usize> {
    let opens_a_word = at == 0 || !letters[at - 1].is_alphanumeric();
    let (_, close) = QUOTES.iter().find(|(open, _)| *open == letters[at])?;
    if !opens_a_word {
        return None;
    }
    let end = (at + 1..letters.len())
        .find(|&next| letters[next] == *close && letters.get(next + 1).is_none_or(|after| !after.is_alphanumeric()))?;
    (end > at + 1).then_some(end)
}

fn drop_list_mark(tokens: &mut Vec<Token>, first: usize) {
    let Some(mark) = tokens.get(first) else { return };
    let number = mark.lower.trim_end_matches(['.', ')']);
    let is_number = mark.end == End::Stop || mark.text.ends_with(')') || tokens.len() > first + 1;
    let digits = !number.is_empty() && number.len() <= 2 && number.chars().all(|letter| letter.is_ascii_digit());
    if (digits && is_number) || matches!(mark.lower.as_str(), "-" | "*" | "•" | "–") {
        tokens.remove(first);
    }
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;

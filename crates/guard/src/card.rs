//! Card numbers in text: what the judge takes for a payment, and what the redactor takes out.

use std::ops::Range;

/// Groups in which people and fields write card numbers.
const WRITTEN: [&[usize]; 5] = [&[4, 4, 4, 4], &[4, 4, 4, 4, 3], &[4, 6, 5], &[4, 6, 4], &[8, 8]];

/// Where `text` holds card numbers: digits, with single spaces, dashes or plus signs, of a length that their issuer uses, with a
/// passed Luhn check, and no letter or digit next to them, so that tokens written in hexadecimal are none.
pub(crate) fn card_numbers(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut run: Vec<Range<usize>> = Vec::new();
    let (mut gap, mut in_word) = (false, false);
    for (at, c) in text.char_indices().chain([(text.len(), ' '), (text.len(), '.')]) {
        if c.is_ascii_digit() && !in_word {
            match run.last_mut() {
                Some(last) if !gap => last.end = at + 1,
                Some(_) | None => run.push(at..at + 1),
            }
            gap = false;
        } else if matches!(c, ' ' | '-' | '+') && !run.is_empty() && !gap {
            gap = true;
        } else {
            in_word = c.is_alphanumeric();
            if in_word && !gap {
                // Letters right after the last group make it a piece of a word.
                run.pop();
            }
            in_run(text, &run, &mut found);
            run.clear();
            gap = false;
        }
    }
    found
}

/// A run of groups is one number, or holds one that is written as cards are.
fn in_run(text: &str, run: &[Range<usize>], found: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(first) = run.get(from) {
        let rest = run.get(from..).unwrap_or_default();
        let whole = if from == 0 { rest.len() } else { 0 };
        let lengths = WRITTEN.iter().filter(|written| is_written(rest, written)).map(|written| written.len());
        let taken = [whole, 1].into_iter().chain(lengths).filter(|groups| is_card(text, rest, *groups)).max();
        if let Some(last) = taken.and_then(|groups| rest.get(groups - 1)) {
            found.push(first.start..last.end);
        }
        from += taken.unwrap_or(1);
    }
}

fn is_written(groups: &[Range<usize>], written: &[usize]) -> bool {
    groups.len() >= written.len() && groups.iter().zip(written).all(|(group, length)| group.len() == *length)
}

fn is_card(text: &str, groups: &[Range<usize>], count: usize) -> bool {
    let Some(groups) = groups.get(..count).filter(|groups| !groups.is_empty()) else { return false };
    if groups.iter().map(|group| group.len()).sum::<usize>() > DIGITS_MAX {
        return false;
    }
    let digits = groups.iter().filter_map(|group| text.get(group.clone())).flat_map(str::chars);
    is_card_number(&digits.filter_map(|c| c.to_digit(10)).collect::<Vec<_>>())
}

/// The longest number that ISO/IEC 7812 gives out.
const DIGITS_MAX: usize = 19;

/// Issuers' first digits and lengths, as ISO/IEC 7812 numbers are given out; no card of today has 13 digits.
fn is_card_number(digits: &[u32]) -> bool {
    let head = digits.iter().take(2).fold(0, |head, digit| head * 10 + digit);
    let issued = matches!(
        (head, digits.len()),
        (40..=49, 16 | 19) | (22..=27 | 51..=55, 16) | (34 | 37, 15) | (30 | 36 | 38 | 39, 14..=19) | (35 | 50 | 56..=69, 16..=19)
    );
    issued && luhn(digits)
}

fn luhn(digits: &[u32]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits.iter().rev().enumerate().map(|(i, digit)| if i % 2 == 1 { doubled(*digit) } else { *digit }).sum();
    sum.is_multiple_of(10)
}

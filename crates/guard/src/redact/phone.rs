//! Phone numbers, by the rules by which they are written: with a calling code and as many digits as its country has, in the forms
//! of North America and of countries with a trunk zero, with an area in brackets, or beside a word that says what they are.
//! Dates, versions, addresses of machines, prices, serial and order numbers are digits too, and stay.

use super::calling_codes::is_international;
use super::normal::is_wide;
use super::{Found, Taken};

/// One group of digits and what stands between it and the one before.
#[derive(Debug)]
struct Group<'t> {
    start: usize,
    end: usize,
    digits: &'t str,
    gap: &'t str,
}

/// More digits than any number has (E.164).
const DIGITS_MAX: usize = 15;
/// Groups in which a number may be written.
const GROUPS_MAX: usize = 8;
/// How far before a number the word may stand that says what it is, bytes.
const WORD_REACH_BYTES: usize = 32;

pub(super) fn numbers(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    let bytes = text.as_bytes();
    let (mut at, mut gap_from) = (0, 0);
    while let Some(start) = bytes.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)).map(|digit| at + digit) {
        let length = bytes.get(start..).map_or(0, |rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count());
        let gap = text.get(gap_from..start).unwrap_or_default();
        if !groups.is_empty() && !is_gap(gap) {
            in_run(text, &groups, &mut found);
            groups.clear();
        }
        groups.push(Group { start, end: start + length, digits: text.get(start..start + length).unwrap_or_default(), gap });
        at = start + length;
        gap_from = at;
    }
    in_run(text, &groups, &mut found);
    found
}

/// What may stand between two groups of one number, or of two that follow each other.
fn is_gap(gap: &str) -> bool {
    gap.len() <= 6
        && gap.chars().count() <= 4
        && gap.chars().all(|c| matches!(c, ' ' | '.' | '-' | '(' | ')' | '/' | '+' | '\u{2010}'..='\u{2015}'))
}

fn in_run(text: &str, groups: &[Group<'_>], found: &mut Vec<Found>) {
    let mut from = 0;
    while from < groups.len() {
        let window = groups.get(from..groups.len().min(from + GROUPS_MAX)).unwrap_or_default();
        let taken = number_at(text, window);
        if let (Some(count), Some(first)) = (taken, window.first()) {
            let end = window.get(count - 1).map_or(first.end, |last| last.end);
            found.push(Found::new(written_start(text, first.start), end, Taken::Phone));
        }
        from += taken.unwrap_or(1);
    }
}

/// Where a number is written from: with its bracket and its plus sign.
fn written_start(text: &str, digit: usize) -> usize {
    let before = text.get(..digit).unwrap_or_default();
    let bare = before.strip_suffix('(').unwrap_or(before);
    let bare = bare.strip_suffix('+').unwrap_or(bare);
    bare.strip_suffix('(').unwrap_or(bare).len()
}

/// How many of the groups are one phone number that begins with the first.
fn number_at(text: &str, groups: &[Group<'_>]) -> Option<usize> {
    let first = groups.first()?;
    let start = written_start(text, first.start);
    let opening = text.get(start..first.start)?;
    if !is_clean_start(text.get(..start)?) {
        return None;
    }
    let area = opening.ends_with('(') && groups.get(1).is_some_and(|next| next.gap.starts_with(')'));
    let count = if opening.contains('+') {
        international(groups, "")
    } else {
        let said = || is_said(text.get(..start).unwrap_or_default());
        None.or_else(|| groups.first().filter(|first| first.digits.starts_with("00")).and_then(|_| international(groups, "00")))
            .or_else(|| north_american(groups, area))
            .or_else(|| if area { after_area(groups) } else { trunk_zero(groups) })
            .or_else(|| said().then(|| any_number(groups)).flatten())
    }?;
    let last = groups.get(count - 1)?;
    let glued = text
        .get(last.end..)
        .is_some_and(|rest| rest.starts_with(|c: char| (c.is_alphanumeric() && !is_wide(c)) || matches!(c, '%' | '_')));
    (!glued).then_some(count)
}

/// A number does not begin in the middle of a word, a price, a time, an address or another number.
fn is_clean_start(before: &str) -> bool {
    let Some(last) = before.chars().next_back() else { return true };
    let earlier = before.get(..before.len() - last.len_utf8()).and_then(|earlier| earlier.chars().next_back());
    match last {
        ',' | ':' | '.' | '=' | '/' => {
            !earlier.is_some_and(|c| c.is_ascii_digit()) && (last != '.' || earlier.is_some_and(char::is_alphabetic))
        }
        c if c.is_alphanumeric() => is_wide(c),
        '-' | '#' | '$' | '\u{20AC}' | '\u{A3}' | '\u{A5}' | '_' | '%' | '&' | '+' | '\u{2116}' | '@' | ')' | '~' | '\\' => false,
        _ => true,
    }
}

/// The most groups that are a calling code and its number. A zero in brackets is for callers from within.
fn international(groups: &[Group<'_>], dialled: &str) -> Option<usize> {
    let (mut digits, mut best) = (String::new(), None);
    for (index, group) in groups.iter().enumerate() {
        if index > 0 && (group.gap.contains('+') || digits.len() > DIGITS_MAX) {
            break;
        }
        if index == 0 || !(group.digits == "0" && group.gap.ends_with('(')) {
            digits.push_str(group.digits);
        }
        let whole = digits.strip_prefix(dialled).unwrap_or_default();
        // `+5.000.000` is an amount.
        let amount = index > 0
            && groups.iter().take(index + 1).skip(1).all(|group| group.gap == "." && group.digits.len() == 3)
            && whole.len() < 10;
        let bare_dialled = !dialled.is_empty() && (index == 0 || whole.len() < 10);
        if whole.len() >= 7
            && !amount
            && !bare_dialled
            && is_international(whole)
            && !is_date(groups.get(..=index).unwrap_or_default())
        {
            best = Some(index + 1);
        }
    }
    best
}

/// `(415) 555-2671`, `415-555-2671`, `1-415-555-2671`: neither area nor exchange begins with 0 or 1.
fn north_american(groups: &[Group<'_>], area: bool) -> Option<usize> {
    let led = usize::from(groups.first()?.digits == "1" && groups.get(1).is_some_and(|next| next.digits.len() == 3));
    let [first, second, third] = groups.get(led..led + 3)? else { return None };
    let lengths = (first.digits.len(), second.digits.len(), third.digits.len()) == (3, 3, 4);
    let plan = |group: &Group<'_>| group.digits.starts_with(|c: char| ('2'..='9').contains(&c));
    let joined =
        |gap: &str| matches!(gap, "-" | "." | "/" | "\u{2010}" | "\u{2013}") || (area && matches!(gap, ") " | ")" | ")-" | " "));
    let led_well = led == 0 || matches!(first.gap, "-" | "." | " " | " (" | "-(");
    let in_brackets = area || (led == 1 && first.gap.ends_with('('));
    let gaps = (joined(second.gap) || (in_brackets && second.gap.starts_with(')')))
        && (joined(third.gap) || (in_brackets && third.gap == " "));
    let goes_on = groups.get(led + 3).is_some_and(|next| matches!(next.gap, "-" | "." | "/"));
    (lengths && plan(first) && plan(second) && led_well && gaps && !goes_on).then_some(led + 3)
}

/// `(030) 1234567`, `(11) 91234-5678`: an area in brackets that is no year, then five to nine digits.
fn after_area(groups: &[Group<'_>]) -> Option<usize> {
    let area = groups.first()?.digits;
    let is_year = area.len() == 4 && (area.starts_with("19") || area.starts_with("20"));
    if !(2..=5).contains(&area.len()) || is_year {
        return None;
    }
    let (mut digits, mut best) = (0, None);
    for (index, group) in groups.iter().enumerate().skip(1) {
        if index > 1 && !matches!(group.gap, " " | "-" | "." | "\u{2013}") {
            break;
        }
        digits += group.digits.len();
        if (5..=9).contains(&digits) && (8..=12).contains(&(digits + area.len())) {
            best = Some(index + 1);
        }
    }
    best
}

/// `030 1234567`, `01 23 45 67 89`: a zero that is no number by itself, nine to twelve digits, one kind of gap but for the first.
fn trunk_zero(groups: &[Group<'_>]) -> Option<usize> {
    let first = groups.first()?;
    if !first.digits.starts_with('0') || first.digits.starts_with("00") || !(2..=6).contains(&first.digits.len()) {
        return None;
    }
    let (mut digits, mut best) = (first.digits.len(), None);
    for (index, group) in groups.iter().enumerate().skip(1) {
        let alike = index < 2 || groups.get(2).is_none_or(|third| third.gap == group.gap);
        if !matches!(group.gap, " " | "-" | "." | "/" | " / " | " - " | "\u{2013}" | "\u{2010}")
            || !alike
            || group.digits.len() == 1
        {
            break;
        }
        digits += group.digits.len();
        if (9..=12).contains(&digits) && index < 5 {
            best = Some(index + 1);
        }
    }
    best.filter(|count| {
        let taken = groups.get(..*count).unwrap_or_default();
        let goes_on = groups.get(*count).is_some_and(|next| matches!(next.gap, "-" | "." | "/"));
        // Two groups of two digits and a year are a date, four of three an address, all of two a time or a serial unless ten digits.
        let pairs = taken.iter().all(|group| group.digits.len() == 2);
        !goes_on && !is_date(taken) && !is_dotted_quad(taken) && (!pairs || (taken.len() == 5 && is_even(taken)))
    })
}

fn is_even(groups: &[Group<'_>]) -> bool {
    groups.get(1).is_some_and(|second| groups.iter().skip(1).all(|group| group.gap == second.gap))
}

/// Whatever stands beside a word for it: seven to fifteen digits that are no date and no address.
fn any_number(groups: &[Group<'_>]) -> Option<usize> {
    let (mut digits, mut best) = (0, None);
    for (index, group) in groups.iter().enumerate() {
        if index > 0 && (group.gap.contains('+') || group.gap.chars().count() > 3) {
            break;
        }
        digits += group.digits.len();
        let taken = groups.get(..=index).unwrap_or_default();
        if (7..=DIGITS_MAX).contains(&digits) && !is_date(taken) && !is_dotted_quad(taken) {
            best = Some(index + 1);
        }
    }
    best
}

/// A year of four digits beside two short groups, with the same signs between.
fn is_date(groups: &[Group<'_>]) -> bool {
    groups.windows(3).any(|three| match three {
        [first, second, third] => {
            let short = |group: &Group<'_>| group.digits.len() <= 2;
            let year =
                |group: &Group<'_>| group.digits.len() == 4 && (group.digits.starts_with("19") || group.digits.starts_with("20"));
            let same = second.gap == third.gap && matches!(second.gap, "-" | "." | "/" | " ");
            same && short(second) && ((year(first) && short(third)) || (short(first) && year(third)))
        }
        _ => false,
    })
}

fn is_dotted_quad(groups: &[Group<'_>]) -> bool {
    groups.len() == 4 && groups.iter().all(|group| group.digits.len() <= 3) && groups.iter().skip(1).all(|group| group.gap == ".")
}

/// Words that stand before a number and say that it is a phone's, in the languages of the judge's other lists.
const WORDS: [&str; 24] = [
    "tel",
    "phone",
    "telephone",
    "telefon",
    "telefone",
    "telefono",
    "téléphone",
    "teléfono",
    "telefonnummer",
    "fon",
    "call",
    "fax",
    "telefax",
    "mobile",
    "mobil",
    "móvil",
    "cell",
    "cellulare",
    "celular",
    "handy",
    "whatsapp",
    "sms",
    "hotline",
    "тел",
];
const WIDE_WORDS: [&str; 10] = ["電話", "电话", "전화", "手机", "手機", "携帯", "телефон", "هاتف", "טלפון", "\u{260E}"];

fn is_said(before: &str) -> bool {
    let from = (before.len().saturating_sub(WORD_REACH_BYTES)..=before.len())
        .find(|from| before.is_char_boundary(*from))
        .unwrap_or_default();
    let near = before.get(from..).unwrap_or_default();
    // What stands before another number, a sentence or a line is said of something else.
    let near = near
        .rsplit(|c: char| c.is_ascii_digit() || matches!(c, '\n' | '!' | '?' | ';'))
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let words = near.split(|c: char| !c.is_alphabetic());
    words.into_iter().any(|word| WORDS.contains(&word)) || WIDE_WORDS.iter().any(|word| near.contains(word))
}

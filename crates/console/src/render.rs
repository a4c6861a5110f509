//! A ticket as plain text: whatever a page put into it stays in its column and can't steer the terminal.

use clicket_guard::approval::Words;
use clicket_guard::untrusted::clean;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::limits::{LABEL_COLUMNS_MAX, SHOWN_LINES_MAX, SHOWN_TEXTS_MAX, WIDTH_COLUMNS_MAX, WIDTH_COLUMNS_MIN};

const MARGIN_COLUMNS: usize = 2;
const GAP_COLUMNS: usize = 2;
const ISOLATE: char = '\u{2068}';
const ISOLATE_END: char = '\u{2069}';

/// A ticket for a terminal of `width` columns: the sentence, then one `label  text` line per fact and reason.
///
/// Control characters, escape sequences and direction marks are gone. Texts wrap within their column, so a
/// page can't write what looks like a line of ours; a text over [`SHOWN_LINES_MAX`] lines says how much is missing.
#[must_use]
pub fn render(words: &Words, width: usize) -> String {
    let width = width.clamp(WIDTH_COLUMNS_MIN, WIDTH_COLUMNS_MAX);
    let mut out = String::new();
    for (at, line) in wrapped(&format!("Clicket asks: {}", words.title), width - MARGIN_COLUMNS).into_iter().enumerate() {
        push_line(&mut out, &format!("{}{line}", if at == 0 { "" } else { "  " }));
    }
    let rows = rows_of(words);
    let column = rows.iter().map(|row| row.label.width()).filter(|label| *label <= LABEL_COLUMNS_MAX).max().unwrap_or(0);
    for row in rows.iter().take(SHOWN_TEXTS_MAX) {
        push_row(&mut out, row, column, width);
    }
    if let Some(more) = rows.len().checked_sub(SHOWN_TEXTS_MAX).filter(|more| *more > 0) {
        push_line(&mut out, &format!("  (+{more} more facts, not shown)"));
    }
    out
}

struct Row<'w> {
    label: String,
    text: &'w str,
}

fn rows_of(words: &Words) -> Vec<Row<'_>> {
    let facts = words.facts.iter().map(|(label, text)| Row { label: one_line(label), text });
    let because = words
        .because
        .iter()
        .enumerate()
        .map(|(at, text)| Row { label: if at == 0 { "because".to_owned() } else { String::new() }, text });
    let remember = words.remember.iter().map(|text| Row { label: "the like is".to_owned(), text });
    facts.chain(because).chain(remember).collect()
}

fn push_row(out: &mut String, row: &Row<'_>, column: usize, width: usize) {
    let indent = MARGIN_COLUMNS + column + GAP_COLUMNS;
    let mut lead = if row.label.width() <= column {
        format!("{:MARGIN_COLUMNS$}{}{:pad$}", "", row.label, "", pad = column - row.label.width() + GAP_COLUMNS)
    } else {
        for line in wrapped(&row.label, width - MARGIN_COLUMNS) {
            push_line(out, &format!("  {line}"));
        }
        " ".repeat(indent)
    };
    for line in wrapped(row.text, width - indent) {
        push_line(out, &format!("{lead}{line}"));
        lead = " ".repeat(indent);
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

/// One line without anything that steers a terminal. The isolates that the judge puts around right-to-left text
/// are kept; all other direction marks go.
fn one_line(text: &str) -> String {
    let is_isolate = |c| matches!(c, ISOLATE | ISOLATE_END);
    let mut out = String::with_capacity(text.len());
    for part in text.split_inclusive(is_isolate) {
        let kept = part.chars().next_back().filter(|c| is_isolate(*c));
        out.push_str(&clean(part).replace('\n', " "));
        out.extend(kept);
    }
    out
}

/// Lines of at most `width` columns, broken at spaces where there are some, at most [`SHOWN_LINES_MAX`].
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let text = one_line(text);
    let mut lines: Vec<String> = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() && lines.len() < SHOWN_LINES_MAX {
        let (line, after) = rest.split_at(break_at(rest, width));
        lines.push(line.to_owned());
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    if !rest.is_empty() {
        lines.push(format!("(+{} more characters, not shown)", rest.chars().count()));
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    isolated(lines)
}

/// Byte offset where the first line of `text` ends; never zero, so that wrapping always gets on.
fn break_at(text: &str, width: usize) -> usize {
    let mut columns = 0;
    let mut space = None;
    for (at, c) in text.char_indices() {
        columns += c.width().unwrap_or(0);
        if columns > width && at > 0 {
            // A space in the first half would leave a ragged line; the text is cut hard then.
            return space.filter(|space| *space * 2 > at).unwrap_or(at);
        }
        if c == ' ' && at > 0 {
            space = Some(at);
        }
    }
    text.len()
}

/// Ends open isolates at the end of each line and opens them again on the next, so that no line turns another around.
fn isolated(lines: Vec<String>) -> Vec<String> {
    let mut open = 0usize;
    lines
        .into_iter()
        .map(|line| {
            let mut out: String = std::iter::repeat_n(ISOLATE, open).collect();
            for c in line.chars() {
                match c {
                    ISOLATE => open += 1,
                    ISOLATE_END if open == 0 => continue,
                    ISOLATE_END => open -= 1,
                    _ => {}
                }
                out.push(c);
            }
            out.extend(std::iter::repeat_n(ISOLATE_END, open));
            out
        })
        .collect()
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;

//! How well a label fits what a clause names, as a confidence: an explicit hit is 0.9 and above, a synonym 0.7 to 0.9,
//! a weak likeness below 0.6.

use crate::goal::{Clause, Object};
use crate::lexicon::Lexicon;
use crate::page::{Entry, Op, Past};
use crate::words::{Overlap, Text, is_role_word};

/// From this share of common words on, a label is taken to be the thing the goal names.
const GATE_F1: f64 = 0.8;
/// Confidence at the gate.
const GATE_CONFIDENCE: f64 = 0.90;

/// Fit of a label to wanted words, 0 to 1.
pub(crate) fn text_fit(lexicon: &Lexicon, wanted: &Text, label: &Text) -> f64 {
    if wanted.is_empty() || label.is_empty() {
        return 0.0;
    }
    if wanted.folded == label.folded {
        return 0.97;
    }
    if wanted.words == label.words {
        return 0.965;
    }
    lexical_fit(wanted, label).max(synonym_fit(lexicon, wanted, label))
}

fn lexical_fit(wanted: &Text, label: &Text) -> f64 {
    let full = Overlap::of(&wanted.content, &label.content);
    let core = Overlap::of(wanted.core(), label.core());
    let best = if full.f1() >= core.f1() { full } else { core };
    overlap_fit(best) - if full.f1() >= core.f1() { 0.0 } else { 0.01 }
}

fn overlap_fit(overlap: Overlap) -> f64 {
    let f1 = overlap.f1();
    if f1 >= GATE_F1 {
        return GATE_CONFIDENCE + 0.05 * (f1 - GATE_F1) / (1.0 - GATE_F1);
    }
    let partial = if f1 >= 0.5 { 0.5 + (f1 - 0.5) * 0.5 } else { f1 * 0.9 };
    // A longer label that holds every wanted word is likelier than one that lacks some.
    if overlap.recall >= 0.99 { partial.max(0.62 + 0.2 * overlap.precision) } else { partial }
}

fn synonym_fit(lexicon: &Lexicon, wanted: &Text, label: &Text) -> f64 {
    let mut concepts = lexicon.whole(wanted);
    let core = wanted.core();
    if core.len() < wanted.words.len() && !core.is_empty() {
        concepts.extend(lexicon.whole(&Text::of_words(core.join(" "), core.to_vec())));
    }
    concept_fit(lexicon.coverage_by_any(label, &concepts))
}

/// Confidence of a label of which `coverage` is a phrase of the wanted concept.
pub(crate) fn concept_fit(coverage: f64) -> f64 {
    if coverage <= 0.0 { 0.0 } else { 0.68 + 0.21 * coverage }
}

/// Fit of a control's own labels to one concept of the lexicon.
pub(crate) fn entry_concept(lexicon: &Lexicon, entry: &Entry, concept: &str) -> f64 {
    labels(entry).into_iter().map(|(label, weight)| weight * concept_fit(lexicon.coverage(label, concept))).fold(0.0, f64::max)
}

/// Labels of a control, each with how much it counts.
pub(crate) fn labels(entry: &Entry) -> [(&Text, f64); 5] {
    let near = if entry.name.is_empty() { 0.95 } else { 0.6 };
    [(&entry.name, 1.0), (&entry.visible, 1.0), (&entry.placeholder, 0.98), (&entry.description, 0.9), (&entry.near, near)]
}

/// Fit of a control to what a clause names: its labels, then its place, then its kind.
pub(crate) fn object_fit(lexicon: &Lexicon, object: &Object, entry: &Entry) -> f64 {
    let own =
        labels(entry).into_iter().map(|(label, weight)| weight * text_fit(lexicon, &object.text, label)).fold(0.0, f64::max);
    let placed = own.max(spread_fit(object, entry));
    (placed * context_factor(object, entry) + role_bonus(object, entry)).clamp(0.0, 0.98)
}

/// Fit of a control to a clause: by its object, or by the whole clause (`place order`, `reply to all`).
pub(crate) fn clause_fit(lexicon: &Lexicon, clause: &Clause, entry: &Entry) -> f64 {
    let whole = text_fit(lexicon, &clause.phrase, &entry.name);
    object_fit(lexicon, &clause.object, entry).max(whole)
}

/// `edit Alice`: the label has some of the words, its row has the rest.
fn spread_fit(object: &Object, entry: &Entry) -> f64 {
    let label = &entry.name.content;
    if label.is_empty() || object.text.content.len() < 2 || Overlap::of(&object.text.content, label).precision < 0.99 {
        return 0.0;
    }
    let both: Vec<&String> = label.iter().chain(&entry.row.content).chain(&entry.section.content).collect();
    if Overlap::of(object.text.core(), &both).recall >= 0.99 { 0.91 } else { 0.0 }
}

/// Words around a quoted object ask for a row, a section or a dialog.
fn context_factor(object: &Object, entry: &Entry) -> f64 {
    // `by clicking the "x"`: how, not where.
    let wanted: Vec<&String> = object.context.core().iter().filter(|word| !word.ends_with("ing")).collect();
    if wanted.is_empty() {
        return 1.0;
    }
    0.72 + 0.28 * Overlap::of(&wanted, &place_words(entry)).recall
}

/// Every word about where a control stands.
pub(crate) fn place_words(entry: &Entry) -> Vec<&String> {
    [&entry.row, &entry.section, &entry.heading, &entry.near, &entry.landmark]
        .into_iter()
        .flat_map(|text| &text.content)
        .collect()
}

fn role_bonus(object: &Object, entry: &Entry) -> f64 {
    let roles: &[&str] = match object.role.as_deref() {
        Some("button") => &["button"],
        Some("link") => &["link"],
        Some("tab") => &["tab"],
        Some("checkbox") => &["checkbox", "switch"],
        Some("radio") => &["radio"],
        Some("option") => &["option", "radio", "menuitem"],
        Some("field" | "textbox" | "input" | "textfield" | "textarea") => &["textbox", "searchbox", "spinbutton"],
        Some("dropdown" | "combobox") => &["combobox", "listbox"],
        Some("switch" | "toggle") => &["switch", "checkbox"],
        Some(_) | None => return 0.0,
    };
    if roles.contains(&entry.role.as_str()) { 0.01 } else { -0.04 }
}

/// Fit of a row (or what stands in for one) to an object, 0 to 1: every word of the object must be there.
pub(crate) fn row_fit(object: &Text, row: &Text) -> f64 {
    let wanted = if object.core().is_empty() { &object.content } else { object.core() };
    if wanted.is_empty() {
        return if !object.is_empty() && row.folded == object.folded { 0.95 } else { 0.0 };
    }
    let overlap = Overlap::of(wanted, &row.content);
    if overlap.recall < 0.99 {
        return 0.55 * overlap.recall;
    }
    // Side by side and with little else is surer than scattered through a long description.
    let side_by_side = if row.has_phrase(&object.content) { 0.03 } else { 0.0 };
    // Rows tend to begin with the name of their thing.
    let in_front = if row.content.starts_with(&object.content) { 0.02 } else { 0.0 };
    0.88 + side_by_side + in_front + 0.03 * overlap.precision
}

/// Whether `name` is the wanted name with more to it, which is the name of another thing: the large one, the set of six.
pub(crate) fn is_variant(wanted: &Text, name: &Text) -> bool {
    const SHOP_WORDS: &[&str] = &["new", "sale", "view", "detail", "add", "buy", "price", "gbp", "usd", "eur", "review", "stock"];
    let more = |word: &&String| {
        let letters = word.len() > 1 && word.chars().all(char::is_alphabetic);
        letters && !wanted.content.contains(word) && !SHOP_WORDS.contains(&word.as_str()) && !is_role_word(word)
    };
    Overlap::of(wanted.core(), &name.content).recall >= 0.99 && name.content.iter().any(|word| more(&word))
}

/// Whether `row` begins with `name`, but for a badge of a word or two.
pub(crate) fn begins_with(row: &Text, name: &Text) -> bool {
    !name.content.is_empty() && (0..3).any(|skip| row.content.get(skip..).is_some_and(|rest| rest.starts_with(&name.content)))
}

/// Fit of an earlier act to what a clause names.
pub(crate) fn past_fit(lexicon: &Lexicon, clause: &Clause, past: &Past) -> f64 {
    let entry = entry_of(past);
    clause_fit(lexicon, clause, &entry)
}

/// An earlier act as the control it was done to.
pub(crate) fn entry_of(past: &Past) -> Entry {
    Entry { name: past.name.clone(), row: past.row.clone(), role: past.role.clone(), ..Entry::default() }
}

/// Whether an earlier act was done to this control, with this value.
pub(crate) fn same_act(past: &Past, op: Op, entry: &Entry) -> bool {
    let label = [&entry.name, &entry.visible, &entry.placeholder, &entry.near].into_iter().find(|text| !text.is_empty());
    let same_label = label.is_none_or(|label| *label == past.name) || entry.name == past.name;
    let same_value = match op {
        Op::Fill | Op::Attach => {
            past.value_key == entry.value_key
                && (past.value_key.is_some()
                    || entry.value_text.as_ref().is_none_or(|text| past.text.is_empty() || *text == past.text))
        }
        Op::Choose => past.text.is_empty() || past.text == entry.option,
        Op::Press
        | Op::Toggle
        | Op::Enter
        | Op::Hover
        | Op::LookAt
        | Op::ScrollDown
        | Op::ScrollUp
        | Op::Wait
        | Op::Back
        | Op::Done
        | Op::Blocked => true,
    };
    past.op == op && same_label && past.row == entry.row && same_value
}

#[cfg(test)]
#[path = "matching_tests.rs"]
mod tests;

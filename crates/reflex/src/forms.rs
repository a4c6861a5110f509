//! Acts on forms: typing what a clause gives, typing what the operator gave, and sending.

use crate::fields::{Kind, by_field, holds_value, is_password, kind_of_field, value_fit};
use crate::goal::Clause;
use crate::lexicon::Lexicon;
use crate::matching::{clause_fit, entry_concept, labels, place_words, text_fit};
use crate::page::{Entry, Op};
use crate::plan::{GOOD_ENOUGH, Rules};
use crate::words::{Overlap, Text};

impl Rules<'_> {
    pub(crate) fn fill(&mut self, clause: &Clause) {
        let (world, lexicon) = (self.world, self.lexicon);
        let Some(value) = clause.value.as_ref() else { return self.fill_named(clause) };
        let blank = clause.field.core().is_empty();
        if clause.every_field {
            return self.fill_each(clause, value);
        }
        let fields = by_field(&world.fill).len();
        self.offer_all(Op::Fill, |entry| {
            let text = entry.value_text.as_ref().map_or(0.0, |own| text_fit(lexicon, value, own));
            let held = holds_value(world, entry) && entry.value.folded == value.folded;
            if text < 0.75 || held {
                return 0.0;
            }
            let field = if blank { blank_field_fit(entry, fields) } else { field_fit(lexicon, clause, entry) };
            field.min(text)
        });
    }

    /// The same value into every field, in page order.
    fn fill_each(&mut self, clause: &Clause, value: &Text) {
        let (world, lexicon) = (self.world, self.lexicon);
        let secret = lexicon.has(&clause.field, "field_password");
        let mut score = 0.93;
        for field in by_field(&world.fill) {
            let open = field.iter().copied().find(|at| {
                let entry = &world.fill[*at];
                let wanted = entry.value_text.as_ref().is_some_and(|own| own.folded == value.folded);
                wanted && !holds_value(world, entry) && (!secret || is_password(kind_of_field(lexicon, entry)))
            });
            if let Some(at) = open {
                self.offer(Op::Fill, at, score);
                score -= 0.01;
            }
        }
    }

    /// A field named without a value: the operator's own value for it.
    fn fill_named(&mut self, clause: &Clause) {
        let (world, lexicon) = (self.world, self.lexicon);
        self.offer_all(Op::Fill, |entry| {
            if holds_value(world, entry) {
                return 0.0;
            }
            let value = value_fit(lexicon, world, entry);
            let named = field_fit(lexicon, clause, entry).max(mentioned(&clause.field, entry));
            let quoted = entry.value_text.as_ref().map_or(0.0, |text| text_fit(lexicon, &clause.field, text) - 0.05);
            if entry.value_key.is_some() { if value >= 0.7 { named } else { 0.0 } } else { quoted }
        });
    }

    /// `set X to Y`: an option Y of the list X, or Y typed into X.
    pub(crate) fn set(&mut self, clause: &Clause) {
        let lexicon = self.lexicon;
        if let Some(value) = &clause.value {
            self.offer_all(Op::Choose, |entry| text_fit(lexicon, value, &entry.option).min(field_fit(lexicon, clause, entry)));
        }
        self.fill(clause);
    }

    /// A new line of a list: typed, then sent with its button or with Enter.
    pub(crate) fn add_item(&mut self, clause: &Clause) {
        let Some(value) = clause.value.as_ref() else { return };
        let (world, lexicon) = (self.world, self.lexicon);
        let fields = by_field(&world.fill).len();
        let typed = world.fill.iter().find(|entry| entry.value_text.as_ref() == Some(value) && holds_value(world, entry));
        let typed = typed.or_else(|| world.enter.iter().chain(&world.fill).find(|entry| entry.value.folded == value.folded));
        if let Some(field) = typed {
            self.offer_all(Op::Press, |entry| {
                let own = entry_concept(lexicon, entry, "add");
                if own > 0.85 && (entry.submits || entry.role == "button") && entry.row.is_empty() { 0.92 } else { 0.0 }
            });
            self.offer_enter(field, 0.91);
            return;
        }
        self.offer_all(Op::Fill, |entry| {
            let text = entry.value_text.as_ref().map_or(0.0, |own| text_fit(lexicon, value, own));
            if text < 0.75 {
                return 0.0;
            }
            let item =
                labels(entry).iter().map(|(label, weight)| weight * lexicon.coverage(label, "field_item")).fold(0.0, f64::max);
            let search = kind_of_field(lexicon, entry) == Kind::Search;
            let field = if item > 0.0 {
                0.93
            } else if search {
                0.3
            } else {
                blank_field_fit(entry, fields)
            };
            field.min(text)
        });
        if self.best() < GOOD_ENOUGH {
            self.offer_all(
                Op::Press,
                |entry| if entry.row.is_empty() { entry_concept(lexicon, entry, "add") - 0.05 } else { 0.0 },
            );
        }
    }

    pub(crate) fn press_enter(&mut self) {
        let typed = self.world.history.iter().rev().find(|past| past.op == Op::Fill && past.effect.happened());
        let only = self.world.enter.len() == 1;
        self.offer_all(Op::Enter, |entry| match typed {
            Some(past) if entry.name == past.name => 0.94,
            _ if only => 0.9,
            _ if entry.is("focused") => 0.85,
            _ if entry.is("filled") || !entry.value.is_empty() => 0.7,
            _ => 0.3,
        });
    }

    /// Sends a form, after what the operator supplied for it is in.
    pub(crate) fn submit_form(&mut self, clause: &Clause, concept: &str) {
        self.fill_pending(0.92);
        if self.best() >= GOOD_ENOUGH {
            return;
        }
        let lexicon = self.lexicon;
        self.offer_all(Op::Press, |entry| {
            let own = entry_concept(lexicon, entry, concept).max(if entry.submits { 0.76 } else { 0.0 });
            let named = clause_fit(lexicon, clause, entry);
            let search = lexicon.coverage(&entry.name, "search") > 0.6
                && concept != "search"
                && lexicon.coverage(&entry.name, "submit") < 0.9;
            let fit = own.max(named) + if entry.submits { 0.02 } else { 0.0 };
            if search && named < 0.9 { 0.3 } else { fit }
        });
        if self.best() < GOOD_ENOUGH {
            self.press_enter();
        }
    }

    /// Before a control that sends is pressed, the fields that supplied values surely belong to are filled.
    pub(crate) fn fill_before_submit(&mut self, clause: &Clause) {
        let lexicon = self.lexicon;
        let sends = self.world.press.iter().any(|entry| entry.submits && clause_fit(lexicon, clause, entry) >= 0.85);
        if sends {
            self.fill_pending(0.985);
        }
    }

    /// Offers every value that surely fits a field which does not hold it yet, in page order.
    pub(crate) fn fill_pending(&mut self, score: f64) {
        let (world, lexicon) = (self.world, self.lexicon);
        let mut order = 0.0;
        for field in by_field(&world.fill) {
            let Some(first) = field.first().map(|at| &world.fill[*at]) else { continue };
            if kind_of_field(lexicon, first) == Kind::Search || self.is_side_form(first) {
                continue;
            }
            let fits = |at: &usize| value_fit(lexicon, world, &world.fill[*at]);
            if field.iter().any(|at| fits(at) >= 0.8 && holds_value(world, &world.fill[*at])) {
                continue;
            }
            for at in field.iter().filter(|at| fits(at) >= 0.8) {
                self.offer(Op::Fill, *at, score * fits(at) / 0.97 - order);
            }
            order += 0.004;
        }
    }

    fn is_side_form(&self, entry: &Entry) -> bool {
        let places = [&entry.section, &entry.heading, &entry.near];
        let side = ["subscribe", "search"].iter().any(|concept| places.iter().any(|text| self.lexicon.has(text, concept)));
        side && !self.lexicon.has(&self.world.goal_text, "subscribe")
    }
}

/// Fit of a field when the goal names none: the only one, or one among several.
fn blank_field_fit(entry: &Entry, fields: usize) -> f64 {
    let empty = if entry.value.is_empty() && !entry.is("filled") { 0.0 } else { -0.1 };
    match fields {
        0 | 1 => 0.94,
        _ if entry.is("focused") => 0.85 + empty,
        _ => 0.72 + empty,
    }
}

/// Fit of a field to the field a clause names.
fn field_fit(lexicon: &Lexicon, clause: &Clause, entry: &Entry) -> f64 {
    let own =
        labels(entry).into_iter().map(|(label, weight)| weight * text_fit(lexicon, &clause.field, label)).fold(0.0, f64::max);
    let placed = Overlap::of(clause.field.core(), &place_words(entry)).recall;
    let wants_password = lexicon.has(&clause.field, "field_password");
    let kinds = match (wants_password, is_password(kind_of_field(lexicon, entry))) {
        (true, true) => 0.9,
        (false, true) => return own.min(0.5),
        _ if lexicon.has(&clause.field, "search_box") && kind_of_field(lexicon, entry) == Kind::Search => 0.9,
        _ => 0.0,
    };
    own.max(kinds).max(if placed >= 0.99 { 0.8 } else { 0.0 })
}

/// `my name and email`: the field's whole label is among the words.
fn mentioned(words: &Text, entry: &Entry) -> f64 {
    let label = entry.name.core();
    if !label.is_empty() && Overlap::of(label, &words.content).recall >= 0.99 { 0.88 } else { 0.0 }
}

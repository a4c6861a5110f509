//! The acts that serve one clause: pressing what it names, finding things, and stepping through pages.

use crate::files;
use crate::goal::Clause;
use crate::matching::{clause_fit, entry_concept, object_fit, row_fit, text_fit};
use crate::page::{Entry, Op};
use crate::plan::{GOOD_ENOUGH, Rules};
use crate::progress::{fits_field, toggle_fit};
use crate::verbs::Intent;
use crate::words::{Text, is_role_word};

impl Rules<'_> {
    /// Offers the acts that bring `clause` forward.
    pub(crate) fn step(&mut self, clause: &Clause) {
        if files::speaks_of_files(clause) && self.attach(clause) {
            return;
        }
        match clause.intent {
            Intent::SignIn => self.sign_in(clause),
            Intent::Register => self.submit_form(clause, "register"),
            Intent::Submit => self.submit_form(clause, "submit"),
            Intent::Search => self.search(&clause.object.text),
            Intent::AddToBasket => self.add_to_basket(clause),
            Intent::AddItem => self.add_item(clause),
            Intent::Press | Intent::Named => self.press(clause),
            Intent::Open => self.open(clause),
            Intent::PressEnter => self.press_enter(),
            Intent::Fill => self.fill(clause),
            Intent::FillForm => self.fill_pending(0.92),
            Intent::Set => self.set(clause),
            Intent::Choose => self.choose(clause),
            Intent::Check => self.check(clause, "checked"),
            Intent::Uncheck => self.uncheck(clause),
            Intent::SignOut => self.press_concept(clause, "sign_out"),
            Intent::Close => self.close(clause),
            Intent::Delete => self.act_in_row(clause, "delete"),
            Intent::Download => self.download(clause),
            Intent::Next => self.next(clause),
            Intent::Previous => self.press_concept(clause, "previous"),
            Intent::Checkout => self.checkout(clause),
            Intent::Expand => self.expand(clause),
            Intent::Collapse => self.collapse(clause),
            Intent::Act => self.act(clause),
            Intent::Beyond => self.push(Op::Blocked, 0.9),
            Intent::GoBack => self.push(Op::Back, 0.93),
            Intent::ScrollDown => self.push(Op::ScrollDown, 0.93),
            Intent::ScrollUp => self.push(Op::ScrollUp, 0.93),
            Intent::Wait => self.push(Op::Wait, 0.93),
        }
    }

    fn press(&mut self, clause: &Clause) {
        if clause.object.ordinal.is_some() {
            return self.press_nth(clause);
        }
        if clause.object.is_blank() && clause.object.context.core().is_empty() && !self.press_little_word(clause) {
            return self.press_by_role(clause);
        }
        let lexicon = self.lexicon;
        self.offer_all(Op::Press, |entry| clause_fit(lexicon, clause, entry));
        self.offer_all(Op::Toggle, |entry| clause_fit(lexicon, clause, entry) - 0.02);
        self.offer_all(Op::Choose, |entry| text_fit(lexicon, &clause.object.text, &entry.option) - 0.04);
        self.fill_before_submit(clause);
    }

    /// `click button ONE`: a label that is only a little word, which elsewhere says nothing.
    fn press_little_word(&mut self, clause: &Clause) -> bool {
        const ARTICLES: &[&str] = &["the", "a", "an", "on", "this", "that"];
        let said = |entry: &Entry| {
            !entry.name.words.is_empty()
                && entry.name.words.iter().all(|word| {
                    clause.object.text.words.contains(word) && !ARTICLES.contains(&word.as_str()) && !is_role_word(word)
                })
        };
        self.offer_all(Op::Press, |entry| if said(entry) { 0.92 } else { 0.0 });
        !self.acts.is_empty()
    }

    /// `click the button`: the only one of its kind.
    fn press_by_role(&mut self, clause: &Clause) {
        let role = clause.object.role.clone().unwrap_or_default();
        for op in [Op::Press, Op::Toggle] {
            let fitting: Vec<usize> =
                (0..self.world.entries(op).len()).filter(|at| self.world.entries(op)[*at].role == role).collect();
            let score = if fitting.len() == 1 { 0.92 } else { 0.62 };
            for at in fitting {
                self.offer(op, at, score);
            }
        }
    }

    /// `the third result`: counted among links outside the page's furniture.
    fn press_nth(&mut self, clause: &Clause) {
        let Some(wanted) = clause.object.ordinal else { return };
        let furniture = |entry: &Entry| {
            ["navigation", "banner", "contentinfo", "search"].iter().any(|part| entry.landmark.folded.contains(part))
        };
        let kind = |entry: &Entry| match clause.object.role.as_deref() {
            Some(role @ ("button" | "link" | "tab")) => entry.role == role,
            Some(_) | None => entry.role == "link",
        };
        let blank = clause.object.is_blank();
        let mut fitting: Vec<usize> = (0..self.world.press.len())
            .filter(|at| {
                let entry = &self.world.press[*at];
                let named = blank || object_fit(self.lexicon, &clause.object, entry) >= GOOD_ENOUGH;
                kind(entry) && !furniture(entry) && named && !entry.sponsored
            })
            .collect();
        fitting.dedup_by_key(|at| self.world.press[*at].name.folded.clone());
        let at = if wanted < 0 { fitting.len().checked_sub(1) } else { usize::try_from(wanted - 1).ok() };
        if let Some(target) = at.and_then(|at| fitting.get(at)) {
            self.offer(Op::Press, *target, 0.86);
        }
    }

    fn open(&mut self, clause: &Clause) {
        if clause.object.ordinal.is_some() {
            return self.press_nth(clause);
        }
        let lexicon = self.lexicon;
        self.offer_all(Op::Press, |entry| {
            let link = if matches!(entry.role.as_str(), "link" | "tab" | "menuitem") { 0.005 } else { 0.0 };
            clause_fit(lexicon, clause, entry) + link
        });
        if self.best() < GOOD_ENOUGH {
            self.offer_all(Op::Press, |entry| {
                if row_fit(&clause.object.text, &entry.row) > GOOD_ENOUGH {
                    entry_concept(lexicon, entry, "details") - 0.02
                } else {
                    0.0
                }
            });
        }
        if self.best() < GOOD_ENOUGH {
            self.look_further(&clause.object.text);
        }
    }

    fn press_concept(&mut self, clause: &Clause, concept: &str) {
        let lexicon = self.lexicon;
        let exact = clause.object.is_blank();
        self.offer_all(Op::Press, |entry| {
            let fit = entry_concept(lexicon, entry, concept);
            // A clause that is nothing but the verb is explicit about a control that is nothing but its synonym.
            let fit = if exact && fit > 0.88 { 0.91 } else { fit };
            fit.max(clause_fit(lexicon, clause, entry))
        });
        if self.best() < GOOD_ENOUGH && concept == "sign_out" {
            self.offer_all(Op::Press, |entry| entry_concept(lexicon, entry, "account") - 0.12);
        }
    }

    fn next(&mut self, clause: &Clause) {
        self.fill_before_submit(clause);
        self.press_concept(clause, if clause.phrase.words.iter().any(|word| word == "page") { "next" } else { "continue" });
        if self.best() < GOOD_ENOUGH {
            self.press_concept(clause, "next");
        }
    }

    fn close(&mut self, clause: &Clause) {
        let lexicon = self.lexicon;
        let named = clause.object.quoted;
        self.offer_all(Op::Press, |entry| {
            let dialog = if entry.in_dialog { 0.03 } else { -0.05 };
            let own = if named {
                object_fit(lexicon, &clause.object, entry)
            } else {
                entry_concept(lexicon, entry, "close").max(clause_fit(lexicon, clause, entry))
            };
            if own > 0.0 { (own + dialog).min(0.96) } else { 0.0 }
        });
    }

    /// A verb as the label, the object in the row or in the label.
    fn act(&mut self, clause: &Clause) {
        let lexicon = self.lexicon;
        let verb = verb_text(clause);
        self.offer_all(Op::Press, |entry| {
            let own = text_fit(lexicon, &verb, &entry.name).max(text_fit(lexicon, &verb, &entry.description));
            let placed = row_fit(&clause.object.text, &entry.row)
                .max(row_fit(&clause.object.text, &entry.section))
                .max(row_fit(&clause.object.text, &entry.name));
            let alone = clause.object.is_blank() || entry.row.is_empty();
            let by_verb = if clause.object.is_blank() { own } else { own.min(if alone { placed.max(0.66) } else { placed }) };
            by_verb.max(clause_fit(lexicon, clause, entry))
        });
    }

    fn act_in_row(&mut self, clause: &Clause, concept: &str) {
        let lexicon = self.lexicon;
        let blank = clause.object.is_blank();
        self.offer_all(Op::Press, |entry| {
            let nameless = entry.name.is_empty() && entry.visible.is_empty();
            let own = entry_concept(lexicon, entry, concept).max(if nameless { 0.75 } else { 0.0 });
            let placed = row_fit(&clause.object.text, &entry.row)
                .max(row_fit(&clause.object.text, &entry.name))
                .max(row_fit(&clause.object.text, &entry.section));
            let explicit = if own > 0.85 && placed > 0.85 { 0.93 } else { own.min(placed) };
            if blank { own } else { explicit.max(halved_without_verb(clause_fit(lexicon, clause, entry), own)) }
        });
        self.keep_first(clause);
    }

    /// `the latest`: of equal rows only the first is meant, and a little less surely than one that is named.
    fn keep_first(&mut self, clause: &Clause) {
        let first = self.acts.iter().filter(|act| act.score >= GOOD_ENOUGH).filter_map(|act| act.target).min();
        if clause.object.ordinal == Some(1) {
            for act in &mut self.acts {
                act.score *= if act.target == first { 0.92 } else { 0.5 };
            }
        }
    }

    fn download(&mut self, clause: &Clause) {
        self.act_in_row(clause, "download");
        let lexicon = self.lexicon;
        self.offer_all(Op::Press, |entry| {
            let fit = object_fit(lexicon, &clause.object, entry);
            let file = [".pdf", ".csv", ".zip", ".xlsx", "download", "export"].iter().any(|end| entry.href.contains(end));
            if file { fit } else { fit - 0.15 }
        });
        if self.best() < GOOD_ENOUGH {
            self.look_further(&clause.object.text);
        }
    }

    fn checkout(&mut self, clause: &Clause) {
        self.press_concept(clause, "checkout");
        if self.best() < GOOD_ENOUGH {
            let lexicon = self.lexicon;
            self.offer_all(Op::Press, |entry| entry_concept(lexicon, entry, "basket") - 0.08);
        }
    }

    fn expand(&mut self, clause: &Clause) {
        let lexicon = self.lexicon;
        let vague = clause.object.is_blank() || matches!(clause.object.text.core(), [word] if word == "below");
        self.offer_all(Op::Press, |entry| match (vague, entry.is("expanded")) {
            (_, true) => 0.0,
            (true, false) if entry.is("collapsed") || matches!(entry.role.as_str(), "tab" | "summary" | "heading") => 0.86,
            (true, false) => 0.0,
            (false, false) => clause_fit(lexicon, clause, entry),
        });
        if self.best() < GOOD_ENOUGH {
            self.offer_all(Op::Press, |entry| entry_concept(lexicon, entry, "expand") - 0.02);
        }
    }

    fn collapse(&mut self, clause: &Clause) {
        let lexicon = self.lexicon;
        self.offer_all(Op::Press, |entry| {
            if entry.is("collapsed") {
                0.0
            } else {
                clause_fit(lexicon, clause, entry).max(entry_concept(lexicon, entry, "collapse") - 0.05)
            }
        });
    }

    /// Ticks a box that is not ticked yet.
    pub(crate) fn check(&mut self, clause: &Clause, state: &str) {
        let lexicon = self.lexicon;
        self.offer_all(Op::Toggle, |entry| if entry.is(state) { 0.0 } else { toggle_fit(lexicon, clause, entry) });
        if self.best() < GOOD_ENOUGH {
            self.offer_all(Op::Press, |entry| {
                let row = row_fit(&clause.object.text, &entry.row).min(entry_concept(lexicon, entry, "complete"));
                let untouched = !entry.is(state) && !entry.is("selected");
                if untouched { clause_fit(lexicon, clause, entry).max(row) - 0.01 } else { 0.0 }
            });
        }
    }

    fn uncheck(&mut self, clause: &Clause) {
        let lexicon = self.lexicon;
        self.offer_all(Op::Toggle, |entry| if entry.is("checked") { toggle_fit(lexicon, clause, entry) } else { 0.0 });
    }

    /// Chooses an option: of a list, of a group of radios, or a control of that name.
    pub(crate) fn choose(&mut self, clause: &Clause) {
        let lexicon = self.lexicon;
        self.offer_all(Op::Choose, |entry| {
            let already = !entry.option.is_empty() && entry.value.folded == entry.option.folded;
            let own = text_fit(lexicon, &clause.object.text, &entry.option);
            match (already, fits_field(lexicon, clause, entry)) {
                (true, _) => 0.0,
                (false, true) => own,
                (false, false) => own * 0.62,
            }
        });
        self.check(clause, "checked");
        if self.best() < GOOD_ENOUGH && !clause.field.core().is_empty() {
            // The list may first have to be opened.
            self.offer_all(Op::Press, |entry| {
                if entry.is("expanded") { 0.0 } else { text_fit(lexicon, &clause.field, &entry.name) - 0.1 }
            });
        }
    }
}

/// The verb of a clause, as a label would have it.
fn verb_text(clause: &Clause) -> Text {
    let object = &clause.object;
    let verb: Vec<String> = clause
        .phrase
        .words
        .iter()
        .filter(|word| !object.text.words.contains(word) && !object.context.words.contains(word))
        .cloned()
        .collect();
    Text::new(&verb.join(" "))
}

/// A control of the object's name that has nothing of the verb is only half an answer.
fn halved_without_verb(fit: f64, verb: f64) -> f64 {
    if verb > 0.0 { fit } else { fit.min(0.55) }
}

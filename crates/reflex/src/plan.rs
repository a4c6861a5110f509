//! What to do next: acts with the confidence that each is right.

use std::collections::HashSet;

use crate::caution;
use crate::fields::{Kind, kind_of_field};
use crate::goal::{self, Clause, Object, read_goal};
use crate::lexicon::Lexicon;
use crate::matching::{clause_fit, entry_concept, labels, place_words};
use crate::page::{Effect, Entry, Op, World};
use crate::progress::{Progress, judge};
use crate::verbs::Intent;
use crate::words::{Overlap, Text};

/// From this confidence on an act is good enough that no detour is looked for.
pub(crate) const GOOD_ENOUGH: f64 = 0.6;
/// Scrolls without a find after which scrolling is given up.
const SCROLLS_MAX: usize = 6;
/// Refused claims to be done after which a person has to look.
const DONE_CLAIMS_MAX: usize = 2;
/// Waits in a row for something to come that helps, on a page that seems to be at rest.
const LATE_WAITS_MAX: usize = 2;
/// Waits in a row after which a busy page is taken as it is.
const WAITS_MAX: usize = 2;

/// One possible act.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Act {
    pub(crate) op: Op,
    /// Index among the operation's offered targets.
    pub(crate) target: Option<usize>,
    /// Confidence, 0 to 1.
    pub(crate) score: f64,
}

/// The rules at work on one request.
pub(crate) struct Rules<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) world: &'a World,
    pub(crate) progress: Progress,
    pub(crate) acts: Vec<Act>,
}

/// All acts that make sense, best first, and the clause they serve.
pub(crate) fn plan(lexicon: &Lexicon, world: &World) -> (Vec<Act>, Option<Clause>) {
    let clauses = read_goal(&world.goal);
    let progress = judge(lexicon, world, &clauses);
    let clause = match progress.bounced {
        // What was to be added asks for a sign-in that the goal took for granted.
        Some(_) => Some(goal::clause(Intent::SignIn, &Text::new("sign in"), Object::default())),
        None => clauses.get(progress.at).cloned(),
    };
    let mut rules = Rules { lexicon, world, progress, acts: Vec::new() };
    match &clause {
        _ if clauses.is_empty() => rules.push(Op::Blocked, 0.7),
        None => rules.finish(),
        Some(clause) => rules.pursue(clause),
    }
    rules.acts.sort_by(|left, right| right.score.total_cmp(&left.score));
    (rules.acts, clause)
}

impl Rules<'_> {
    /// Adds an act without a target.
    pub(crate) fn push(&mut self, op: Op, score: f64) {
        self.acts.push(Act { op, target: None, score });
    }

    /// Adds an act on a target, after caution has had its say.
    pub(crate) fn offer(&mut self, op: Op, at: usize, score: f64) {
        let Some(entry) = self.world.entries(op).get(at) else { return };
        let factor = caution::factor(self.lexicon, self.world, self.progress.since, op, entry);
        let out_of_sight = if entry.in_viewport { 0.0 } else { 0.005 };
        let score = score * factor - out_of_sight;
        if score > 0.05 {
            self.acts.push(Act { op, target: Some(at), score });
        }
    }

    /// Offers every target of `op` that `fit` likes.
    pub(crate) fn offer_all(&mut self, op: Op, fit: impl Fn(&Entry) -> f64) {
        let world = self.world;
        for (at, entry) in world.entries(op).iter().enumerate() {
            let score = fit(entry);
            if score > 0.0 {
                self.offer(op, at, score);
            }
        }
    }

    pub(crate) fn best(&self) -> f64 {
        self.acts.iter().filter(|act| self.world.ops.contains(&act.op)).map(|act| act.score).fold(0.0, f64::max)
    }

    /// All is done; a claim that was refused is not made again until something else happened.
    fn finish(&mut self) {
        let refused = self.world.history.last().is_some_and(|past| past.op == Op::Done && past.effect == Effect::Refused);
        let waited = self.world.history.last().is_some_and(|past| past.op == Op::Wait);
        if refused {
            self.push(Op::Wait, 0.75);
            self.push(Op::Blocked, 0.7);
        } else if waited && self.world.history.iter().filter(|past| past.op == Op::Done).count() >= DONE_CLAIMS_MAX {
            self.push(Op::Blocked, 0.8);
        } else {
            self.push(Op::Done, self.progress.certainty);
        }
    }

    fn pursue(&mut self, clause: &Clause) {
        if self.stopped_by_site() {
            self.push(Op::Blocked, 0.9);
            return;
        }
        self.step(clause);
        if self.best() < 0.9 && self.is_busy() {
            self.push(Op::Wait, 0.8);
        }
        self.clear_the_way(clause);
        if self.best() < GOOD_ENOUGH {
            self.detour(clause);
        }
        if self.best() >= GOOD_ENOUGH {
            return self.push(Op::Blocked, 0.1);
        }
        self.push(Op::Blocked, 0.72);
        if self.waits() < LATE_WAITS_MAX {
            // What is wanted may come late: an application draws itself after its page has settled.
            self.push(Op::Wait, 0.74);
        }
    }

    /// A check that only a person can pass.
    fn stopped_by_site(&self) -> bool {
        let has = |concept: &str| self.world.page_names().chain(&self.world.dialogs).any(|name| self.lexicon.has(name, concept));
        let code = has("code_check")
            && !self.world.values.iter().any(|value| self.lexicon.has(&crate::fields::key_text(&value.key), "field_code"));
        has("human_check") || code
    }

    fn is_busy(&self) -> bool {
        self.world.busy && self.waits() < WAITS_MAX
    }

    /// Waits since the last other act.
    fn waits(&self) -> usize {
        self.world.history.iter().rev().take_while(|past| past.op == Op::Wait).count()
    }

    /// A consent banner that covers the page is answered with the least consent, and never with more.
    fn clear_the_way(&mut self, clause: &Clause) {
        let about_cookies = |text: &Text| self.lexicon.has(text, "cookie");
        if about_cookies(&clause.phrase) {
            return;
        }
        let covered = self.world.dialogs.iter().any(about_cookies);
        let stuck = self.best() < GOOD_ENOUGH;
        let lexicon = self.lexicon;
        self.offer_all(Op::Press, |entry| {
            let place = [&entry.section, &entry.heading, &entry.near, &entry.landmark, &entry.row];
            let banner = place.iter().any(|text| lexicon.has(text, "cookie"))
                || lexicon.has(&entry.name, "cookie")
                || (covered && entry.in_dialog);
            let blocking = entry.in_dialog || covered || stuck;
            let refuses = labels(entry).iter().any(|(label, _)| lexicon.coverage(label, "cookie_reject") > 0.3);
            if banner && blocking && refuses { 0.93 } else { 0.0 }
        });
        if self.acts.iter().any(|act| act.score >= 0.92 && self.is_cookie_refusal(act)) {
            let keep: Vec<Act> = self.acts.iter().filter(|act| self.is_cookie_refusal(act)).copied().collect();
            for act in &mut self.acts {
                act.score *= if keep.contains(act) { 1.0 } else { 0.6 };
            }
        }
    }

    fn is_cookie_refusal(&self, act: &Act) -> bool {
        let entry = act.target.and_then(|at| self.world.entries(act.op).get(at));
        act.op == Op::Press
            && entry
                .is_some_and(|entry| labels(entry).iter().any(|(label, _)| self.lexicon.coverage(label, "cookie_reject") > 0.3))
    }

    /// Nothing fits: close what may be in the way, look further down, open a menu, follow the likeliest link.
    fn detour(&mut self, clause: &Clause) {
        let lexicon = self.lexicon;
        if !self.world.dialogs.is_empty() {
            self.offer_all(Op::Press, |entry| if entry.in_dialog { 0.9 * entry_concept(lexicon, entry, "close") } else { 0.0 });
        }
        self.look_elsewhere();
        if self.best() < GOOD_ENOUGH && self.world.can_scroll_down && self.may_scroll() {
            self.push(Op::ScrollDown, 0.68);
        }
        if self.best() < GOOD_ENOUGH {
            self.offer_all(Op::Press, |entry| {
                let closed = !entry.is("expanded") && matches!(entry.role.as_str(), "button" | "" | "link" | "summary");
                if closed && lexicon.coverage(&entry.name, "menu") > 0.9 { 0.65 } else { 0.0 }
            });
        }
        if self.best() < GOOD_ENOUGH {
            // What hangs from it is not on the page until it is pointed at.
            self.offer_all(Op::Hover, |_| 0.64);
        }
        if self.best() < GOOD_ENOUGH {
            let wanted = &clause.object.text;
            let meanings = meanings(lexicon, wanted);
            self.offer_all(Op::Press, |entry| {
                if entry.role == "link" { leads_towards(lexicon, wanted, &meanings, &entry.name) } else { 0.0 }
            });
        }
        if self.best() < GOOD_ENOUGH && matches!(clause.intent, Intent::AddToBasket | Intent::Search | Intent::Open) {
            self.offer_all(Op::Press, |entry| if lexicon.coverage(&entry.name, "catalogue") > 0.9 { 0.64 } else { 0.0 });
        }
        if self.best() < GOOD_ENOUGH {
            self.offer_all(Op::Press, |entry| 0.9 * clause_fit(lexicon, clause, entry).min(0.55));
        }
    }

    /// The next part of a large page that was not looked at yet: listing it touches nothing.
    fn look_elsewhere(&mut self) {
        if self.best() >= GOOD_ENOUGH {
            return;
        }
        let world = self.world;
        let looked_at = |entry: &Entry| world.on_this_page().iter().any(|past| past.op == Op::LookAt && past.name == entry.name);
        if let Some(at) = world.parts.iter().position(|entry| !looked_at(entry)) {
            self.offer(Op::LookAt, at, 0.69);
        }
    }

    fn may_scroll(&self) -> bool {
        // A wait in between brings no more page to scroll over.
        let mut scrolls = self
            .world
            .on_this_page()
            .iter()
            .rev()
            .filter(|past| past.op != Op::Wait)
            .take_while(|past| past.op == Op::ScrollDown)
            .peekable();
        let useless = scrolls.peek().is_some_and(|past| past.effect == Effect::Nothing);
        !useless && scrolls.count() < SCROLLS_MAX
    }

    /// The search field that fits best: its entries in the fill question.
    pub(crate) fn search_fields(&self) -> Vec<usize> {
        let fill = &self.world.fill;
        (0..fill.len()).filter(|at| kind_of_field(self.lexicon, &fill[*at]) == Kind::Search).collect()
    }

    /// Whether two controls stand in the same named part of the page.
    pub(crate) fn near_each_other(&self, left: &Entry, right: &Entry) -> bool {
        let (mine, other) = (place_words(left), place_words(right));
        mine.is_empty() && other.is_empty() || Overlap::of(&mine, &other).f1() > 0.5
    }
}

/// Meanings of the single words of what is wanted.
fn meanings(lexicon: &Lexicon, wanted: &Text) -> HashSet<&'static str> {
    wanted.core().iter().flat_map(|word| lexicon.whole(&Text::of_words(word.clone(), vec![word.clone()]))).collect()
}

/// A link whose whole label is a part of what is wanted: `Invoices` for the March invoice, `Mugs` for the red mug.
fn leads_towards(lexicon: &Lexicon, wanted: &Text, meanings: &HashSet<&'static str>, label: &Text) -> f64 {
    if wanted.core().is_empty() || label.core().is_empty() {
        return 0.0;
    }
    if Overlap::of(&wanted.content, label.core()).precision >= 0.8 {
        return 0.67;
    }
    if lexicon.coverage_by_any(label, meanings) > 0.9 { 0.63 } else { 0.0 }
}

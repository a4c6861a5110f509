//! Acts of a visit: signing in, searching, and putting a thing into the basket.

use crate::caution;
use crate::fields::{Kind, by_field, holds_value, is_login_name, kind_of_field, value_fit};
use crate::goal::Clause;
use crate::lexicon::Lexicon;
use crate::matching::{begins_with, entry_concept, is_variant, labels, place_words, row_fit, text_fit};
use crate::page::{Entry, Op};
use crate::plan::{Act, GOOD_ENOUGH, Rules};
use crate::progress::{has_sign_in_form, same_words};
use crate::words::{Overlap, Text};

/// From this confidence on a control is the one that was named.
const NAMED: f64 = 0.85;
/// What is left of the confidence when a thing's name has more to it than was asked for.
const VARIANT: f64 = 0.75;
/// From this confidence on what was found is the thing itself, not a variant of it.
const NOT_A_VARIANT: f64 = 0.75;

impl Rules<'_> {
    pub(crate) fn sign_in(&mut self, clause: &Clause) {
        let rejected = self.lexicon_shows("error_login");
        if self.progress.failed_sign_ins >= 2 || (self.progress.failed_sign_ins == 1 && rejected) {
            return self.push(Op::Blocked, 0.9);
        }
        if has_sign_in_form(self.lexicon, self.world) {
            return self.fill_sign_in(clause);
        }
        if self.on_sign_in_page() && self.fill_login_name() {
            return;
        }
        if self.on_sign_in_page() && !self.world.values.iter().any(|value| value.secret) {
            // The form is there and nothing was supplied to fill it with.
            return self.push(Op::Blocked, 0.86);
        }
        let lexicon = self.lexicon;
        self.offer_all(Op::Press, |entry| {
            explicit(entry_concept(lexicon, entry, "sign_in")).max(text_fit(lexicon, &clause.phrase, &entry.name))
        });
        if self.best() < GOOD_ENOUGH {
            self.offer_all(Op::Press, |entry| entry_concept(lexicon, entry, "account") - 0.1);
        }
    }

    /// Whether the page's own text has a phrase of the concept. Evidence that something failed, nothing more.
    fn lexicon_shows(&self, concept: &str) -> bool {
        let names = self.world.page_names().chain(&self.world.dialogs);
        names.into_iter().any(|name| self.lexicon.has(name, concept))
            || [
                "incorrect",
                "invalid",
                "wrong",
                "not recognised",
                "not recognized",
                "do not match",
                "does not match",
                "don't match",
            ]
            .iter()
            .any(|word| self.world.shows(word))
    }

    fn on_sign_in_page(&self) -> bool {
        self.world.page_names().any(|name| self.lexicon.coverage(name, "sign_in") > 0.3)
            || self.world.history.last().is_some_and(|past| self.lexicon.has(&past.name, "sign_in") && past.effect.happened())
    }

    /// The form that has the password field: its missing values first, then its own button.
    fn fill_sign_in(&mut self, clause: &Clause) {
        let fill = &self.world.fill;
        let Some(password) = (0..fill.len()).find(|at| kind_of_field(self.lexicon, &fill[*at]) == Kind::Password) else {
            return self.submit_near(clause, None, "sign_in");
        };
        if self.fill_login_name_near(Some(password)) {
            return;
        }
        let field = self.field_of(password);
        if self.offer_value(&field) {
            return;
        }
        let typed = field.iter().any(|at| holds_value(self.world, &fill[*at]));
        if typed {
            self.submit_near(clause, Some(password), "sign_in");
        } else {
            // No secret was supplied for it: only a person can go on.
            self.push(Op::Blocked, 0.86);
        }
    }

    fn field_of(&self, member: usize) -> Vec<usize> {
        by_field(&self.world.fill).into_iter().find(|field| field.contains(&member)).unwrap_or_default()
    }

    fn fill_login_name(&mut self) -> bool {
        if self.fill_login_name_near(None) {
            return true;
        }
        let fill = &self.world.fill;
        let names = |entry: &&Entry| is_login_name(kind_of_field(self.lexicon, entry)) && !self.is_newsletter(entry);
        let typed = fill
            .iter()
            .filter(names)
            .find(|entry| holds_value(self.world, entry))
            .or_else(|| self.world.enter.iter().find(names));
        if let Some(field) = typed {
            let lexicon = self.lexicon;
            self.offer_all(Op::Press, |entry| {
                let own = entry_concept(lexicon, entry, "continue").max(entry_concept(lexicon, entry, "sign_in"));
                if own > 0.0 && (entry.submits || entry.role == "button") { explicit(own) } else { 0.0 }
            });
            self.offer_enter(field, 0.8);
        }
        typed.is_some()
    }

    /// Fills the login name: the last such field before the password, in its own part of the page.
    fn fill_login_name_near(&mut self, password: Option<usize>) -> bool {
        let fill = &self.world.fill;
        let names: Vec<Vec<usize>> = by_field(fill)
            .into_iter()
            .filter(|field| {
                field
                    .first()
                    .is_some_and(|at| is_login_name(kind_of_field(self.lexicon, &fill[*at])) && !self.is_newsletter(&fill[*at]))
            })
            .collect();
        let near = |field: &&Vec<usize>| {
            password
                .is_none_or(|at| field.first().is_some_and(|first| *first < at && self.near_each_other(&fill[*first], &fill[at])))
        };
        let chosen = names
            .iter()
            .rev()
            .find(near)
            .or_else(|| names.iter().rev().find(|field| password.is_none_or(|at| field[0] < at)))
            .or(names.first());
        match chosen.cloned() {
            Some(field) => self.offer_value(&field),
            None => false,
        }
    }

    fn is_newsletter(&self, entry: &Entry) -> bool {
        [&entry.section, &entry.heading, &entry.near, &entry.name].iter().any(|text| self.lexicon.has(text, "subscribe"))
    }

    /// Offers to type the fitting value into one field, unless it is there already. Says whether something is to be typed.
    pub(crate) fn offer_value(&mut self, field: &[usize]) -> bool {
        let (world, lexicon) = (self.world, self.lexicon);
        let fits = |at: &usize| value_fit(lexicon, world, &world.fill[*at]);
        if field.iter().any(|at| fits(at) >= 0.7 && holds_value(world, &world.fill[*at])) {
            return false;
        }
        let before = self.acts.len();
        for at in field {
            let fit = fits(at);
            if fit >= 0.7 {
                self.offer(Op::Fill, *at, fit);
            }
        }
        self.acts.len() > before
    }

    /// The button that sends the form `member` stands in.
    pub(crate) fn submit_near(&mut self, clause: &Clause, member: Option<usize>, concept: &str) {
        let (world, lexicon) = (self.world, self.lexicon);
        let field = member.and_then(|at| world.fill.get(at));
        self.offer_all(Op::Press, |entry| {
            let button = entry.submits || entry.role == "button";
            let together = field.is_some_and(|field| stand_together(field, entry));
            let named = explicit(entry_concept(lexicon, entry, concept)).max(text_fit(lexicon, &clause.phrase, &entry.name));
            let sends = entry_concept(lexicon, entry, "submit");
            let strange = ["register", "subscribe", "search", "forgot"]
                .iter()
                .any(|other| concept != *other && lexicon.coverage(&entry.name, other) > 0.6);
            match (button, strange) {
                (false, _) => 0.4 * named,
                (true, true) => 0.3,
                (true, false) => {
                    let fit = named.max(if entry.submits { sends.max(0.74) } else { sends });
                    fit + if entry.submits { 0.01 } else { -0.02 } + if together { 0.01 } else { 0.0 }
                }
            }
        });
        if let Some(field) = field {
            self.offer_enter(field, 0.78);
        }
    }

    /// Offers Enter on the same field as the fill entry `field`.
    pub(crate) fn offer_enter(&mut self, field: &Entry, score: f64) {
        self.offer_all(Op::Enter, |entry| if entry.same_field(field) { score } else { 0.0 });
        if !self.acts.iter().any(|act| act.op == Op::Enter) {
            self.offer_all(Op::Enter, |entry| {
                if entry.name == field.name && entry.placeholder == field.placeholder { score - 0.02 } else { 0.0 }
            });
        }
    }

    pub(crate) fn search(&mut self, wanted: &Text) {
        let fields = self.search_fields();
        let (world, lexicon) = (self.world, self.lexicon);
        // A field that holds the query already is not offered for filling again, only for Enter.
        if let Some(field) =
            world.enter.iter().find(|entry| kind_of_field(lexicon, entry) == Kind::Search && same_words(wanted, &entry.value))
        {
            return self.send_search(field);
        }
        if fields.is_empty() {
            self.offer_all(Op::Press, |entry| {
                let opens = matches!(entry.role.as_str(), "button" | "link" | "");
                if opens && !entry.submits { entry_concept(lexicon, entry, "search") - 0.05 } else { 0.0 }
            });
            self.press_thing(wanted);
            return;
        }
        let typed = fields.iter().find(|at| self.has_query(wanted, &world.fill[**at]));
        match typed {
            Some(at) => self.send_search(&world.fill[*at]),
            None => {
                for at in fields {
                    let fit = self.query_fit(wanted, &world.fill[at]);
                    if fit > 0.0 {
                        self.offer(Op::Fill, at, fit);
                    }
                }
            }
        }
    }

    /// Whether the field holds the query: by its value, or typed and not sent yet.
    fn has_query(&self, wanted: &Text, entry: &Entry) -> bool {
        let held = !entry.value.is_empty() && same_words(wanted, &entry.value);
        held || (self.query_fit(wanted, entry) > 0.0 && holds_value(self.world, entry) && entry.value.is_empty())
    }

    fn query_fit(&self, wanted: &Text, entry: &Entry) -> f64 {
        let by_text = entry.value_text.as_ref().map_or(0.0, |text| text_fit(self.lexicon, wanted, text));
        let supplied = entry.value_key.as_ref().and_then(|key| self.world.values.iter().find(|value| value.key == *key));
        let by_value =
            supplied.and_then(|value| value.text.as_ref()).map_or(0.0, |text| text_fit(self.lexicon, wanted, text) - 0.01);
        let by_key = if value_fit(self.lexicon, self.world, entry) >= 0.9 { 0.85 } else { 0.0 };
        let best = by_text.max(by_value).max(by_key);
        if best >= GOOD_ENOUGH { best } else { 0.0 }
    }

    fn send_search(&mut self, field: &Entry) {
        let lexicon = self.lexicon;
        self.offer_all(Op::Press, |entry| {
            let own = explicit(entry_concept(lexicon, entry, "search"));
            let button = entry.submits || entry.role == "button";
            let together = entry.submits && (stand_together(field, entry));
            match (own > 0.0, button) {
                (true, true) => own + if entry.submits { 0.02 } else { 0.0 },
                (false, true) if together && entry.name.is_empty() => 0.8,
                _ => 0.0,
            }
        });
        self.offer_enter(field, 0.88);
    }

    pub(crate) fn add_to_basket(&mut self, clause: &Clause) {
        let wanted = clause.object.text.clone();
        let thing = self.thing(&wanted);
        let lexicon = self.lexicon;
        self.offer_all(Op::Press, |entry| adder_fit(lexicon, &thing, entry));
        if self.best() < NAMED {
            self.add_promoted(&thing);
        }
        if self.best() < GOOD_ENOUGH {
            self.press_thing(&wanted);
        }
        // A thing of which only variants are here is better searched for.
        if self.best() < NOT_A_VARIANT && !wanted.core().is_empty() {
            self.look_further(&wanted);
        }
    }

    fn thing<'t>(&self, wanted: &'t Text) -> Thing<'t> {
        let (world, lexicon) = (self.world, self.lexicon);
        let links = world.press.iter().filter(|entry| entry.role == "link").map(|entry| &entry.name);
        let names = || world.page_names().take(3);
        let own_page = match (names().any(|name| row_fit(wanted, name) > GOOD_ENOUGH), world.headings.first()) {
            (true, Some(heading)) if is_variant(wanted, heading) => 0.92 * VARIANT,
            (true, _) => 0.92,
            (false, _) => 0.0,
        };
        let adds = |entry: &&Entry| !entry.sponsored && lexicon.coverage(&entry.name, "basket_add") > 0.4;
        let alone = if world.press.iter().filter(adds).count() == 1 { Alone::Yes } else { Alone::No };
        Thing { wanted, variants: links.filter(|name| is_variant(wanted, name)).cloned().collect(), own_page, alone }
    }

    /// The very thing, in a row that is marked as promoted: it comes after the thing in a plain row, and before any other thing.
    fn add_promoted(&mut self, thing: &Thing<'_>) {
        let (world, lexicon) = (self.world, self.lexicon);
        for (at, entry) in world.press.iter().enumerate() {
            let adds = entry.role == "button" && lexicon.coverage(&entry.name, "basket_add") > 0.9;
            let other = thing.variants.iter().any(|name| begins_with(&entry.row, name));
            let named = begins_with(&entry.row, thing.wanted) && !other;
            if adds && named && caution::is_advert(lexicon, entry) {
                let factor = caution::factor_without_advert(lexicon, world, self.progress.since, Op::Press, entry);
                self.acts.push(Act { op: Op::Press, target: Some(at), score: 0.76 * factor });
            }
        }
    }

    /// A link of the thing's name.
    fn press_thing(&mut self, wanted: &Text) {
        let lexicon = self.lexicon;
        self.offer_all(Op::Press, |entry| {
            let other = if is_variant(wanted, &entry.name) { VARIANT } else { 1.0 };
            let own = other * text_fit(lexicon, wanted, &entry.name).max(row_fit(wanted, &entry.name) - 0.03);
            let details = row_fit(wanted, &entry.row).min(entry_concept(lexicon, entry, "details")) - 0.05;
            if own >= 0.65 { own } else { details.max(0.0) }
        });
    }

    /// The thing is not here: search for it unless that was done, turn the page, or go where things are listed.
    pub(crate) fn look_further(&mut self, wanted: &Text) {
        let lexicon = self.lexicon;
        let acts = self.world.history.get(self.progress.returned..).unwrap_or_default();
        let searched = acts.iter().any(|past| past.op == Op::Fill && past.effect.happened() && same_words(wanted, &past.text))
            && acts.iter().any(|past| matches!(past.op, Op::Enter | Op::Press) && past.effect.happened());
        let query_here = self
            .world
            .enter
            .iter()
            .any(|entry| kind_of_field(lexicon, entry) == Kind::Search && same_words(wanted, &entry.value));
        let on_the_way = query_here && !self.world.on_this_page().is_empty();
        if !searched || on_the_way {
            self.search(wanted);
        }
        if self.best() < GOOD_ENOUGH {
            self.offer_all(Op::Press, |entry| {
                if lexicon.coverage(&entry.name, "next") > 0.9 || lexicon.coverage(&entry.name, "more") > 0.9 {
                    0.72
                } else {
                    0.0
                }
            });
        }
    }
}

/// A control that is nothing but a synonym of the wanted verb is as good as named.
fn explicit(fit: f64) -> f64 {
    if fit > 0.88 { 0.92 } else { fit }
}

fn stand_together(left: &Entry, right: &Entry) -> bool {
    Overlap::of(&place_words(left), &place_words(right)).f1() > 0.5
}

/// What is to go into the basket, and what the page says about it.
struct Thing<'a> {
    wanted: &'a Text,
    /// Names of other things on the page that hold the wanted name.
    variants: Vec<Text>,
    /// Confidence that the whole page is about the thing.
    own_page: f64,
    /// Whether the page has a single button that adds something.
    alone: Alone,
}

#[derive(Clone, Copy, PartialEq)]
enum Alone {
    Yes,
    No,
}

/// Fit of a control to putting the thing into the basket.
fn adder_fit(lexicon: &Lexicon, thing: &Thing<'_>, entry: &Entry) -> f64 {
    let adds = labels(entry).iter().map(|(label, weight)| weight * lexicon.coverage(label, "basket_add")).fold(0.0, f64::max);
    let named = row_fit(thing.wanted, &entry.name);
    if adds == 0.0 || adds < 0.25 && named < GOOD_ENOUGH || lexicon.has(&entry.name, "wishlist") {
        return 0.0;
    }
    let other = if thing.variants.iter().any(|name| begins_with(&entry.row, name)) { VARIANT } else { 1.0 };
    let placed = thing_fit(thing.wanted, entry).max(named) * other;
    match thing.alone {
        Alone::Yes if thing.wanted.core().is_empty() => 0.92,
        Alone::No if thing.wanted.core().is_empty() => 0.5,
        _ if placed > GOOD_ENOUGH => placed,
        // On the thing's own page its button stands in no row.
        Alone::Yes if entry.row.is_empty() => thing.own_page,
        Alone::No if entry.row.is_empty() => thing.own_page * 0.9,
        _ => placed.min(0.5),
    }
}

/// Fit of the place a control stands in to a thing: its row first; a section or heading only where there is no row.
fn thing_fit(wanted: &Text, entry: &Entry) -> f64 {
    let row = row_fit(wanted, &entry.row);
    if !entry.row.is_empty() {
        return row;
    }
    let place = [&entry.section, &entry.heading, &entry.near];
    place.iter().map(|text| row_fit(wanted, text)).fold(0.0, f64::max)
}

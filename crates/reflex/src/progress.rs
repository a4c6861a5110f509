//! How far a goal has come, judged from what was done and from what the page shows.

use crate::fields::{Kind, by_field, holds_value, is_login_name, is_password, kind_of_field, kind_of_key, value_fit};
use crate::files;
use crate::goal::Clause;
use crate::lexicon::Lexicon;
use crate::matching::{clause_fit, entry_concept, object_fit, past_fit, place_words, row_fit, text_fit};
use crate::page::{Effect, Entry, Op, Past, World};
use crate::verbs::Intent;
use crate::words::{Overlap, Text};

/// From this fit on an earlier act is taken for the one a clause asked for.
const DID_IT: f64 = 0.6;
/// Certainty of a step whose act visibly changed something.
const SURE: f64 = 0.94;
/// Certainty of a step whose act was done but showed no effect.
const UNSEEN: f64 = 0.7;

/// Where a goal stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Progress {
    /// Index of the clause to work on; the number of clauses when all are done.
    pub(crate) at: usize,
    /// How sure it is that the clauses before are done.
    pub(crate) certainty: f64,
    /// The sign-in form is still there after this many sign-in attempts.
    pub(crate) failed_sign_ins: usize,
    /// Where in the history the current clause began.
    pub(crate) since: usize,
    /// Where in the history the last add was sent to the sign-in page instead, until that sign-in is done.
    pub(crate) bounced: Option<usize>,
    /// Where in the history the work went on after such a sign-in; what was found before is to be found again.
    pub(crate) returned: usize,
}

/// Judges progress over all clauses.
pub(crate) fn judge(lexicon: &Lexicon, world: &World, clauses: &[Clause]) -> Progress {
    let mut progress = by_history(lexicon, world, clauses);
    undo_failed_sign_in(lexicon, world, clauses, &mut progress);
    while progress.bounced.is_none()
        && let Some(certainty) = clauses.get(progress.at).and_then(|clause| shown_by_page(lexicon, world, clause, progress.since))
    {
        if progress.failed_sign_ins > 0 {
            break;
        }
        progress.certainty = progress.certainty.min(certainty);
        progress.at += 1;
    }
    progress
}

fn by_history(lexicon: &Lexicon, world: &World, clauses: &[Clause]) -> Progress {
    let mut progress = Progress { at: 0, certainty: 0.96, failed_sign_ins: 0, since: 0, bounced: None, returned: 0 };
    for (index, past) in world.history.iter().enumerate() {
        if let Some(bounce) = progress.bounced {
            sign_in_after_bounce(lexicon, world, &mut progress, (bounce, index));
            continue;
        }
        let earlier = &world.history[progress.since..index];
        let done = (progress.at..clauses.len())
            .find_map(|at| completes(lexicon, world, &clauses[at], earlier, past).map(|certainty| (at, certainty)))
            .filter(|(at, _)| (progress.at..*at).all(|skipped| may_be_skipped(clauses[skipped].intent)));
        if let Some((at, _)) = done
            && clauses[at].intent == Intent::AddToBasket
            && was_sent_to_sign_in(lexicon, world, index)
        {
            (progress.at, progress.since, progress.bounced) = (at, index + 1, Some(index));
        } else if let Some((at, certainty)) = done {
            progress.at = at + 1;
            progress.certainty = progress.certainty.min(certainty);
            progress.since = index + 1;
        }
    }
    progress
}

/// Whether what came of the act at `index` was a sign-in page: typed into at once, or still there.
fn was_sent_to_sign_in(lexicon: &Lexicon, world: &World, index: usize) -> bool {
    let aside = |past: &&Past| {
        matches!(past.op, Op::Wait | Op::LookAt | Op::ScrollDown | Op::ScrollUp)
            || !past.effect.happened()
            || ["cookie_reject", "close"].iter().any(|concept| lexicon.coverage(&past.name, concept) > 0.3)
    };
    match world.history[index + 1..].iter().find(|past| !aside(past)) {
        Some(next) => {
            let key = next.value_key.as_ref().map(|key| kind_of_key(lexicon, key));
            next.op == Op::Fill && (key.is_some_and(is_login_name) || typed_password(lexicon, world, next))
                || next.op == Op::Press && lexicon.coverage(&next.name, "sign_in") > 0.9
        }
        None => is_sign_in_page(lexicon, world),
    }
}

/// Named for signing in, with a way to do it.
fn is_sign_in_page(lexicon: &Lexicon, world: &World) -> bool {
    let named = world.page_names().take(2).any(|name| lexicon.coverage(name, "sign_in") > 0.3);
    let way = has_sign_in_form(lexicon, world)
        || world.fill.iter().any(|entry| is_login_name(kind_of_field(lexicon, entry)))
        || world.press.iter().any(|entry| entry_concept(lexicon, entry, "sign_in") > 0.85);
    named && way && !signed_in(lexicon, world)
}

/// Follows the sign-in that the add at `bounce` called for; `index` is the act looked at.
fn sign_in_after_bounce(lexicon: &Lexicon, world: &World, progress: &mut Progress, (bounce, index): (usize, usize)) {
    let (earlier, past) = (&world.history[bounce + 1..index], &world.history[index]);
    if !completes_sign_in(lexicon, world, earlier, past) {
        return;
    }
    let sends = |past: &&Past| matches!(past.op, Op::Press | Op::Enter) && past.effect.happened();
    let later = &world.history[index + 1..];
    let last = !later.iter().any(|past| sends(&past));
    let again = later.iter().take_while(|past| !sends(past)).any(|past| typed_password(lexicon, world, past));
    if last && has_sign_in_form(lexicon, world) || again {
        progress.failed_sign_ins += 1;
        return;
    }
    (progress.bounced, progress.since, progress.returned, progress.failed_sign_ins) = (None, index + 1, index + 1, 0);
}

fn completes_sign_in(lexicon: &Lexicon, world: &World, earlier: &[Past], past: &Past) -> bool {
    past.effect.happened()
        && matches!(past.op, Op::Press | Op::Enter)
        && earlier.iter().any(|act| typed_password(lexicon, world, act))
        && is_sign_in_control(lexicon, past)
}

/// Steps that a page may show to be done without an act, so that a later act proves them.
fn may_be_skipped(intent: Intent) -> bool {
    matches!(
        intent,
        Intent::SignIn
            | Intent::SignOut
            | Intent::Search
            | Intent::Open
            | Intent::Close
            | Intent::Choose
            | Intent::Check
            | Intent::Uncheck
            | Intent::Fill
            | Intent::FillForm
            | Intent::Set
            | Intent::Expand
    )
}

/// A sign-in whose form is still on the page did not succeed.
fn undo_failed_sign_in(lexicon: &Lexicon, world: &World, clauses: &[Clause], progress: &mut Progress) {
    let Some(before) = progress.at.checked_sub(1) else { return };
    let just_now = progress.since == world.history.len();
    if clauses[before].intent == Intent::SignIn && just_now && has_sign_in_form(lexicon, world) {
        let submits = |past: &&Past| {
            matches!(past.op, Op::Press | Op::Enter) && past.effect.happened() && is_sign_in_control(lexicon, past)
        };
        progress.failed_sign_ins = world.history.iter().filter(submits).count().max(1);
        progress.at = before;
        progress.since = 0;
    }
}

/// Whether a field for an existing password is offered.
pub(crate) fn has_sign_in_form(lexicon: &Lexicon, world: &World) -> bool {
    world.fill.iter().chain(&world.enter).any(|entry| kind_of_field(lexicon, entry) == Kind::Password)
}

fn is_sign_in_control(lexicon: &Lexicon, past: &Past) -> bool {
    past.op == Op::Enter || ["sign_in", "submit", "continue"].iter().any(|concept| lexicon.coverage(&past.name, concept) > 0.3)
}

/// Whether this act completes the clause, and how surely.
fn completes(lexicon: &Lexicon, world: &World, clause: &Clause, earlier: &[Past], past: &Past) -> Option<f64> {
    let seen = past.effect.happened();
    let sure = |yes: bool| (yes && seen).then_some(SURE);
    let pressed = past.op == Op::Press;
    let acted = matches!(past.op, Op::Press | Op::Toggle);
    if files::speaks_of_files(clause)
        && let Some(sent) = files::sent(lexicon, world, earlier, past)
    {
        return sent.then_some(if seen { SURE } else { UNSEEN });
    }
    let has = |concept: &str| lexicon.has(&past.name, concept);
    let fits = || past_fit(lexicon, clause, past) >= DID_IT;
    match clause.intent {
        Intent::SignIn => completes_sign_in(lexicon, world, earlier, past).then_some(SURE),
        Intent::Register => sure(
            matches!(past.op, Op::Press | Op::Enter)
                && typed_something(earlier)
                && (past.op == Op::Enter || has("register") || has("submit")),
        ),
        Intent::SignOut => sure(pressed && has("sign_out")),
        Intent::Search => sure(searched(lexicon, clause, earlier, past) || pressed && clause_fit_strict(lexicon, clause, past)),
        Intent::AddToBasket => sure(pressed && has("basket_add") && in_row(&clause.object.text, past)),
        Intent::AddItem => sure(added_item(lexicon, clause, earlier, past)),
        Intent::Press | Intent::Act | Intent::Named => explicit(lexicon, clause, past, acted),
        Intent::Open | Intent::Expand | Intent::Collapse => sure(acted && (clause.object.is_blank() || fits())),
        Intent::PressEnter => (past.op == Op::Enter).then_some(if seen { SURE } else { UNSEEN }),
        Intent::Fill | Intent::Set => sure(!clause.every_field && typed_value(lexicon, clause, past)),
        Intent::FillForm | Intent::Beyond => None,
        Intent::Choose => sure(
            matches!(past.op, Op::Choose | Op::Toggle | Op::Press)
                && (fits() || text_fit(lexicon, &clause.object.text, &past.text) >= DID_IT),
        ),
        Intent::Check | Intent::Uncheck => sure(acted && (fits() || row_fit(&clause.object.text, &past.row) >= DID_IT)),
        Intent::Submit => sure(past.op == Op::Enter || pressed && (has("submit") || fits())),
        Intent::Close => sure(pressed && (has("close") || !clause.object.is_blank() && fits())),
        Intent::Delete => sure(acted && (has("delete") || past.name.is_empty() || fits()) && in_row(&clause.object.text, past)),
        Intent::Next => sure(pressed && (has("next") || has("continue"))),
        Intent::Previous => sure(pressed && has("previous")),
        Intent::GoBack => sure(past.op == Op::Back),
        // A download changes nothing on the page, so the act itself is all there is to see.
        Intent::Download => (pressed
            && past.effect != Effect::Stale
            && past.effect != Effect::Refused
            && past.effect != Effect::Failed
            && (has("download") || past_fit(lexicon, clause, past) >= 0.85))
            .then_some(if seen { SURE } else { 0.75 }),
        Intent::Checkout => sure(pressed && has("checkout")),
        Intent::ScrollDown => (past.op == Op::ScrollDown).then_some(SURE),
        Intent::ScrollUp => (past.op == Op::ScrollUp).then_some(SURE),
        Intent::Wait => (past.op == Op::Wait).then_some(SURE),
    }
}

/// A press the goal named outright counts even when nothing was seen to change.
fn explicit(lexicon: &Lexicon, clause: &Clause, past: &Past, acted: bool) -> Option<f64> {
    let blank = clause.object.is_blank() && clause.object.context.core().is_empty();
    let fit = if blank { DID_IT } else { past_fit(lexicon, clause, past).max(acts_in_row(lexicon, clause, past)) };
    match past.effect {
        Effect::PageChanged | Effect::Changed => (acted && fit >= DID_IT).then_some(SURE),
        Effect::Nothing => (acted && (fit >= 0.85 || blank)).then_some(UNSEEN),
        Effect::Stale | Effect::Refused | Effect::Failed => None,
    }
}

/// `reply to Alice`: the verb is the label and the object is in the row.
fn acts_in_row(lexicon: &Lexicon, clause: &Clause, past: &Past) -> f64 {
    let verb = Text::new(&clause.phrase.words.first().cloned().unwrap_or_default());
    if clause.intent == Intent::Act && row_fit(&clause.object.text, &past.row) > DID_IT {
        text_fit(lexicon, &verb, &past.name)
    } else {
        0.0
    }
}

fn clause_fit_strict(lexicon: &Lexicon, clause: &Clause, past: &Past) -> bool {
    text_fit(lexicon, &clause.object.text, &past.name) >= 0.9
}

fn typed_password(lexicon: &Lexicon, world: &World, past: &Past) -> bool {
    let Some(key) = past.value_key.as_ref().filter(|_| past.op == Op::Fill && past.effect.happened()) else {
        return past.op == Op::Fill && lexicon.has(&past.name, "field_password");
    };
    let secret = world.values.iter().any(|value| value.key == *key && value.secret);
    kind_of_key(lexicon, key) == Kind::Password || (secret && lexicon.has(&past.name, "field_password"))
}

fn typed_something(earlier: &[Past]) -> bool {
    earlier.iter().any(|past| past.op == Op::Fill && past.effect.happened())
}

fn searched(lexicon: &Lexicon, clause: &Clause, earlier: &[Past], past: &Past) -> bool {
    let typed = earlier.iter().any(|act| {
        let by_key = act.value_key.is_some() && lexicon.has(&act.name, "search_box");
        act.op == Op::Fill && act.effect.happened() && (by_key || same_words(&clause.object.text, &act.text))
    });
    typed
        && (past.op == Op::Enter
            || past.op == Op::Press
                && (lexicon.has(&past.name, "search") || lexicon.has(&past.name, "submit") || past.name.is_empty()))
}

pub(crate) fn same_words(wanted: &Text, given: &Text) -> bool {
    wanted.folded == given.folded || Overlap::of(&wanted.content, &given.content).f1() >= 0.75
}

/// Whether an act's row (or its own name) has the object; an act without a row was about the page's one thing.
fn in_row(object: &Text, past: &Past) -> bool {
    object.core().is_empty() || past.row.is_empty() || row_fit(object, &past.row) > DID_IT || row_fit(object, &past.name) > DID_IT
}

fn added_item(lexicon: &Lexicon, clause: &Clause, earlier: &[Past], past: &Past) -> bool {
    let Some(value) = &clause.value else { return false };
    let typed = earlier.iter().any(|act| act.op == Op::Fill && act.effect.happened() && same_words(value, &act.text));
    typed
        && (past.op == Op::Enter || past.op == Op::Press && (lexicon.has(&past.name, "add") || lexicon.has(&past.name, "submit")))
}

fn typed_value(lexicon: &Lexicon, clause: &Clause, past: &Past) -> bool {
    let Some(value) = &clause.value else { return false };
    if !matches!(past.op, Op::Fill | Op::Choose) {
        return clause.intent == Intent::Set && past.op == Op::Press && text_fit(lexicon, value, &past.name) >= 0.9;
    }
    let field = clause.field.core();
    let same_field = field.is_empty() || past.name.is_empty() || text_fit(lexicon, &clause.field, &past.name) >= 0.4;
    // What is typed into a password field is not in the history, so there the field alone must tell.
    let same_value =
        past.text.folded == value.folded || same_words(value, &past.text) || past.text.is_empty() && !field.is_empty();
    same_field && same_value
}

/// Whether the page shows the clause to be done without an act of ours, and how surely.
fn shown_by_page(lexicon: &Lexicon, world: &World, clause: &Clause, since: usize) -> Option<f64> {
    match clause.intent {
        Intent::SignIn => signed_in(lexicon, world).then_some(0.93),
        Intent::Search => shows_results(lexicon, world, clause).then_some(0.9),
        Intent::Open => is_open(lexicon, world, clause).then_some(0.9),
        Intent::Check | Intent::Choose => in_wanted_state(lexicon, world, clause).then_some(0.95),
        Intent::Uncheck => toggle_state(lexicon, world, clause, "checked").is_some_and(|checked| !checked).then_some(0.95),
        Intent::Fill | Intent::Set => field_holds(lexicon, world, clause, since).then_some(0.95),
        Intent::FillForm => form_is_full(lexicon, world, since).then_some(0.92),
        Intent::Close => (clause.object.is_blank()
            && world.dialogs.is_empty()
            && !world.press.iter().any(|entry| entry.in_dialog || entry_concept(lexicon, entry, "close") > 0.85))
        .then_some(0.86),
        Intent::AddItem => item_is_listed(world, clause, since).then_some(0.9),
        Intent::Expand => press_state(lexicon, world, clause, "expanded").then_some(0.93),
        Intent::SignOut
        | Intent::Register
        | Intent::AddToBasket
        | Intent::Press
        | Intent::PressEnter
        | Intent::Submit
        | Intent::Delete
        | Intent::Next
        | Intent::Previous
        | Intent::GoBack
        | Intent::Download
        | Intent::Checkout
        | Intent::ScrollDown
        | Intent::ScrollUp
        | Intent::Wait
        | Intent::Collapse
        | Intent::Act
        | Intent::Beyond
        | Intent::Named => None,
    }
}

fn signed_in(lexicon: &Lexicon, world: &World) -> bool {
    let form = world.fill.iter().any(|entry| is_password(kind_of_field(lexicon, entry)));
    !form && world.press.iter().any(|entry| entry_concept(lexicon, entry, "sign_out") > 0.8)
}

/// A page named for its results, with the words that were searched for.
fn shows_results(lexicon: &Lexicon, world: &World, clause: &Clause) -> bool {
    let wanted = clause.object.text.core();
    let url = Text::new(&world.url);
    let named = world.page_names().any(|name| lexicon.has(name, "search_results") || lexicon.has(name, "search"))
        || world.url.contains("search");
    let mut words: Vec<String> = world.page_names().flat_map(|name| name.content.clone()).collect();
    words.extend(url.content);
    words.extend(
        world
            .fill
            .iter()
            .filter(|entry| kind_of_field(lexicon, entry) == Kind::Search)
            .flat_map(|entry| entry.value.content.clone()),
    );
    let searched_here = world.on_this_page().is_empty() && !world.history.is_empty();
    named && searched_here && !wanted.is_empty() && Overlap::of(wanted, &words).recall >= 0.99
}

/// The page's title or first heading is the thing to open, and no control of that name is left to press.
fn is_open(lexicon: &Lexicon, world: &World, clause: &Clause) -> bool {
    if clause.object.is_blank() || clause.object.ordinal.is_some() {
        return false;
    }
    let names = world.page_names().take(2);
    let named = names.flat_map(title_parts).any(|part| text_fit(lexicon, &clause.object.text, &part) >= 0.9);
    named && !world.press.iter().any(|entry| clause_fit(lexicon, clause, entry) >= 0.85)
}

/// `Settings - Shop` is `Settings` and `Shop`.
fn title_parts(title: &Text) -> Vec<Text> {
    title.folded.split(['|', '·', '—', '–', ':', '-']).map(Text::new).filter(|part| !part.is_empty()).collect()
}

fn in_wanted_state(lexicon: &Lexicon, world: &World, clause: &Clause) -> bool {
    let chosen = world.choose.iter().any(|entry| {
        !entry.option.is_empty()
            && entry.value.folded == entry.option.folded
            && text_fit(lexicon, &clause.object.text, &entry.option) >= 0.9
            && fits_field(lexicon, clause, entry)
    });
    chosen
        || toggle_state(lexicon, world, clause, "checked") == Some(true)
        || toggle_state(lexicon, world, clause, "selected") == Some(true)
}

/// Whether a control is in the field a clause names, if it names one.
pub(crate) fn fits_field(lexicon: &Lexicon, clause: &Clause, entry: &Entry) -> bool {
    clause.field.core().is_empty()
        || text_fit(lexicon, &clause.field, &entry.name) >= 0.5
        || Overlap::of(clause.field.core(), &place_words(entry)).recall >= 0.99
}

/// State of the toggle that fits best, if one surely does.
fn toggle_state(lexicon: &Lexicon, world: &World, clause: &Clause, state: &str) -> Option<bool> {
    let fit = |entry: &Entry| toggle_fit(lexicon, clause, entry);
    let best = world.toggle.iter().max_by(|left, right| fit(left).total_cmp(&fit(right)))?;
    (fit(best) >= 0.85).then(|| best.is(state))
}

/// Fit of a box to what is to be ticked: its own label, or the row it stands in.
pub(crate) fn toggle_fit(lexicon: &Lexicon, clause: &Clause, entry: &Entry) -> f64 {
    let everything = lexicon.has(&entry.name, "select_all") && !lexicon.has(&clause.phrase, "select_all");
    let fit = object_fit(lexicon, &clause.object, entry)
        .max(row_fit(&clause.object.text, &entry.row))
        .max(row_fit(&clause.object.text, &entry.name));
    if everything { fit * 0.5 } else { fit }
}

fn field_holds(lexicon: &Lexicon, world: &World, clause: &Clause, since: usize) -> bool {
    match &clause.value {
        Some(value) => {
            let here = |entry: &&Entry| fits_field(lexicon, clause, entry) && !entry.name.is_empty();
            let mut fields = world.fill.iter().filter(|entry| entry.value_text.as_ref() == Some(value)).filter(here).peekable();
            let some = fields.peek().is_some();
            let holds = |entry: &Entry| {
                entry.value.folded == value.folded
                    || entry.value.is_empty() && entry.is("filled") && since < world.history.len() && holds_value(world, entry)
            };
            if clause.every_field {
                some && fields.all(holds)
            } else {
                some && !clause.field.core().is_empty() && fields.any(holds)
            }
        }
        None => form_is_full(lexicon, world, since),
    }
}

/// Every field that a supplied value fits holds it, and something was typed for this.
fn form_is_full(lexicon: &Lexicon, world: &World, since: usize) -> bool {
    let typed =
        world.history.get(since..).is_some_and(|acts| acts.iter().any(|past| past.op == Op::Fill && past.effect.happened()));
    let full = by_field(&world.fill).iter().all(|field| {
        let fitting: Vec<&Entry> =
            field.iter().map(|at| &world.fill[*at]).filter(|entry| value_fit(lexicon, world, entry) >= 0.7).collect();
        fitting.is_empty() || fitting.iter().any(|entry| holds_value(world, entry))
    });
    typed && full
}

fn item_is_listed(world: &World, clause: &Clause, since: usize) -> bool {
    let Some(value) = &clause.value else { return false };
    let typed = world
        .history
        .get(since..)
        .is_some_and(|acts| acts.iter().any(|past| past.op == Op::Fill && past.text.folded == value.folded));
    typed
        && world
            .press
            .iter()
            .chain(&world.toggle)
            .any(|entry| entry.row.folded == value.folded || entry.name.folded == value.folded)
}

fn press_state(lexicon: &Lexicon, world: &World, clause: &Clause, state: &str) -> bool {
    world
        .press
        .iter()
        .any(|entry| entry.is(state) && !clause.object.is_blank() && object_fit(lexicon, &clause.object, entry) >= 0.85)
}

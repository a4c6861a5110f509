//! Reasons not to choose a control however well it fits: adverts, text that addresses the agent, and acts that led nowhere.

use crate::lexicon::Lexicon;
use crate::matching::same_act;
use crate::page::{Effect, Entry, Op, Past, World};
use crate::words::Text;

/// Phrases by which a page speaks to an agent instead of a person.
const ADDRESSES_THE_AGENT: &[&str] = &[
    "ignore previous",
    "ignore all",
    "ignore the above",
    "ignore your",
    "disregard",
    "system prompt",
    "new instructions",
    "previous instructions",
    "your instructions",
    "ai assistant",
    "ai agent",
    "ai model",
    "language model",
    "for agents",
    "for assistants",
    "assistants must",
    "assistants should",
    "agents must",
    "agents should",
    "assistant must",
    "agent must",
    "assistant should",
    "agent should",
    "bots must",
    "bots should",
    "automated agent",
    "automated assistant",
    "dear assistant",
    "dear agent",
    "attention assistant",
    "attention agent",
    "note to ai",
    "if you are an ai",
    "if you are a bot",
    "as an ai",
    "you must click",
    "must click",
    "must press",
    "always choose",
    "correct answer",
    "the right choice is",
    "pick this one",
    "required by the user",
    "the user wants",
    "the user asked",
    "prompt injection",
    "chatgpt",
    "llm",
];

/// A goal of fewer words may well be a label.
const GOAL_WORDS_MIN: usize = 8;
/// Acts that were tried so often without effect that they are not tried again.
const NOTHING_MAX: usize = 2;
const FAILED_MAX: usize = 2;
const STALE_MAX: usize = 4;
/// The same act with an effect, over and over, is a loop; paging and counting may repeat longer.
const REPEATS_MAX: usize = 3;
const PAGING_REPEATS_MAX: usize = 20;

/// Factor on the fit of a control, 0 to 1; 0 rules it out.
///
/// `since` is where in the history the current step began; loops are counted from there.
pub(crate) fn factor(lexicon: &Lexicon, world: &World, since: usize, op: Op, entry: &Entry) -> f64 {
    if is_advert(lexicon, entry) && !lexicon.has(&world.goal_text, "advert") {
        return 0.0;
    }
    factor_without_advert(lexicon, world, since, op, entry)
}

/// The same, for a caller that has looked at every alternative to an advert.
pub(crate) fn factor_without_advert(lexicon: &Lexicon, world: &World, since: usize, op: Op, entry: &Entry) -> f64 {
    let spoken_to = if addresses_agent(world, entry) { 0.1 } else { 1.0 };
    let switched_off = if entry.is("disabled") { 0.0 } else { 1.0 };
    spoken_to * switched_off * repeat_factor(lexicon, world, since, op, entry)
}

/// Marked as an advert by the observer, or by its own words.
pub(crate) fn is_advert(lexicon: &Lexicon, entry: &Entry) -> bool {
    let places = [&entry.row, &entry.section, &entry.heading, &entry.landmark, &entry.name, &entry.description];
    entry.sponsored || places.iter().any(|text| lexicon.has(text, "advert"))
}

/// Whether any text of the control speaks to an agent in words that are not the goal's own.
pub(crate) fn addresses_agent(world: &World, entry: &Entry) -> bool {
    *entry.speaks.get_or_init(|| speaks_to_agent(world, entry))
}

fn speaks_to_agent(world: &World, entry: &Entry) -> bool {
    let texts = [&entry.name, &entry.visible, &entry.description, &entry.placeholder, &entry.row, &entry.section, &entry.option];
    // Nobody but the operator has reason to say the whole goal; a label that does was written for it.
    let echoes =
        world.goal_text.words.len() >= GOAL_WORDS_MIN && texts.iter().any(|text| text.folded.contains(&world.goal_text.folded));
    echoes
        || ADDRESSES_THE_AGENT
            .iter()
            .any(|phrase| texts.iter().any(|text| has_phrase(text, phrase)) && !has_phrase(&world.goal_text, phrase))
}

fn has_phrase(text: &Text, phrase: &str) -> bool {
    text.folded.match_indices(phrase).any(|(at, found)| {
        let before = text.folded[..at].chars().next_back();
        let after = text.folded[at + found.len()..].chars().next();
        before.is_none_or(|letter| !letter.is_alphanumeric()) && after.is_none_or(|letter| !letter.is_alphanumeric())
    })
}

fn repeat_factor(lexicon: &Lexicon, world: &World, since: usize, op: Op, entry: &Entry) -> f64 {
    let same = |past: &&Past| same_act(past, op, entry);
    let count = |acts: &[Past], effect: Effect| acts.iter().filter(same).filter(|past| past.effect == effect).count();
    let (here, ever) = (world.on_this_page(), world.history.as_slice());
    let step = ever.get(since..).unwrap_or_default();
    let paging = lexicon.has(&entry.name, "next") || lexicon.has(&entry.name, "more") || lexicon.has(&entry.name, "increase");
    let repeats_max = if paging { PAGING_REPEATS_MAX } else { REPEATS_MAX };
    let worn_out = count(ever, Effect::Refused) > 0
        || count(here, Effect::Nothing) >= NOTHING_MAX
        || count(here, Effect::Failed) >= FAILED_MAX
        || count(here, Effect::Stale) >= STALE_MAX
        || count(step, Effect::Changed) + count(step, Effect::PageChanged) >= repeats_max;
    match (worn_out, count(here, Effect::Nothing) + count(here, Effect::Failed)) {
        (true, _) => 0.0,
        (false, 0) => 1.0,
        // One more try is the last resort, below what a session acts on by itself.
        (false, _) => 0.55,
    }
}

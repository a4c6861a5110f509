//! Scores as answers: a distribution over every option, its best option, and the dialect's confidence.

use clicket_systemone::{Answer, Question, Request, Response, Usage, choice_confidence};
use indexmap::IndexMap;
use serde_json::Value;

use crate::page::{Entry, NONE, Op, World};
use crate::plan::Act;

/// Probabilities are whole multiples of one millionth, so that they add up exactly.
const UNITS: u64 = 1_000_000;
/// Name and version that answers carry.
pub(crate) const MODEL: &str = "reflex-1";

/// Answers every question of a request from the planned acts.
pub(crate) fn respond(request: &Request, world: &World, acts: &[Act], background: &dyn Fn(Op, &Entry) -> f64) -> Response {
    let answers: IndexMap<String, Answer> =
        request.questions.iter().map(|(id, question)| (id.clone(), answer(id, question, world, acts, background))).collect();
    let usage = Usage { input_tokens: tokens(request), output_tokens: 12 * request.questions.len() as u64 };
    Response { model: MODEL.to_owned(), answers, usage }
}

fn answer(id: &str, question: &Question, world: &World, acts: &[Act], background: &dyn Fn(Op, &Entry) -> f64) -> Answer {
    match question {
        Question::Choice { criteria, .. } => {
            let op = Op::TARGETED.into_iter().find(|op| op.question() == Some(id));
            let scores = match op {
                Some(op) => target_scores(op, criteria, world, acts, background),
                None if id == "operation" => operation_scores(criteria, acts),
                None => vec![0.0; criteria.len()],
            };
            choice(criteria, &scores)
        }
        // These rules know nothing about other questions, and say so by leaning to no side.
        Question::Noul { .. } => Answer::Noul { noul: 0.5 },
        Question::Score { criteria, .. } => even_score(criteria),
        // Refused before it comes here: these rules see no pictures.
        Question::Box { .. } => Answer::Unknown,
    }
}

fn even_score(levels: &[Value]) -> Answer {
    let units = spread(&vec![0.0; levels.len()]);
    let keyed = |at: usize| at.to_string();
    let probabilities: IndexMap<String, f64> =
        units.iter().enumerate().map(|(at, unit)| (keyed(at), as_probability(*unit))).collect();
    let score = units.iter().enumerate().map(|(at, unit)| at as f64 * as_probability(*unit)).sum();
    let legend = levels.iter().enumerate().map(|(at, level)| (keyed(at), level.clone())).collect();
    Answer::Score { score, confidence: 0.0, legend, probabilities }
}

/// Score of each operation: its best act.
fn operation_scores(criteria: &IndexMap<String, Value>, acts: &[Act]) -> Vec<f64> {
    criteria
        .keys()
        .map(|name| {
            let op = Op::read(name);
            acts.iter().filter(|act| Some(act.op) == op).map(|act| act.score).fold(0.0, f64::max)
        })
        .collect()
}

/// Score of each target of one operation, given that this operation is done.
fn target_scores(
    op: Op,
    criteria: &IndexMap<String, Value>,
    world: &World,
    acts: &[Act],
    background: &dyn Fn(Op, &Entry) -> f64,
) -> Vec<f64> {
    let entries = world.entries(op);
    let score_of = |at: usize| {
        let planned = acts.iter().filter(|act| act.op == op && act.target == Some(at)).map(|act| act.score).fold(0.0, f64::max);
        planned.max(entries.get(at).map_or(0.0, |entry| background(op, entry)))
    };
    let mut at = 0;
    let mut scores: Vec<f64> = criteria
        .keys()
        .map(|id| {
            if id == NONE {
                return 0.0;
            }
            at += 1;
            score_of(at - 1)
        })
        .collect();
    doubt_equals(entries, criteria, &mut scores);
    let best = scores.iter().copied().fold(0.0, f64::max);
    if let Some(none) = criteria.get_index_of(NONE) {
        scores[none] = if best < 0.5 { (0.9 - best).max(0.51) } else { 0.05 };
    }
    scores
}

/// Two targets that fit equally well halve the confidence in either, unless they lead to the same place.
fn doubt_equals(entries: &[Entry], criteria: &IndexMap<String, Value>, scores: &mut [f64]) {
    let entry_of = |at: usize| criteria.get_index(at).and_then(|(id, _)| entries.iter().find(|entry| entry.id == *id));
    let Some(best) = argmax(scores) else { return };
    let twins = |other: usize| match (entry_of(best), entry_of(other)) {
        (Some(left), Some(right)) => left.href == right.href && left.name == right.name && !left.href.is_empty(),
        _ => false,
    };
    let rivals = (0..scores.len()).filter(|at| *at != best && scores[*at] > scores[best] - 0.004 && !twins(*at)).count();
    if rivals > 0 && scores[best] > 0.0 {
        scores[best] *= 0.72;
        let limit = scores[best] * 0.98;
        for (at, score) in scores.iter_mut().enumerate() {
            if at != best {
                *score = score.min(limit);
            }
        }
    }
}

fn argmax(scores: &[f64]) -> Option<usize> {
    let mut best = None;
    for (at, score) in scores.iter().enumerate() {
        if best.is_none_or(|held: usize| *score > scores[held]) {
            best = Some(at);
        }
    }
    best
}

fn choice(criteria: &IndexMap<String, Value>, scores: &[f64]) -> Answer {
    let units = spread(scores);
    let best = argmax_units(&units);
    let name = |at: usize| criteria.get_index(at).map(|(name, _)| name.clone()).unwrap_or_default();
    let probabilities: IndexMap<String, f64> =
        units.iter().enumerate().map(|(at, unit)| (name(at), as_probability(*unit))).collect();
    let confidence = choice_confidence(units.get(best).map_or(0.0, |unit| as_probability(*unit)), units.len());
    Answer::Choice { choice: name(best), confidence, probabilities }
}

fn argmax_units(units: &[u64]) -> usize {
    let mut best = 0;
    for (at, unit) in units.iter().enumerate() {
        if *unit > units[best] {
            best = at;
        }
    }
    best
}

fn as_probability(units: u64) -> f64 {
    units as f64 / UNITS as f64
}

/// Spreads one whole over the options so that the dialect's confidence of the best one is its score.
///
/// The rest goes to the others by their scores, none of which may reach the best.
fn spread(scores: &[f64]) -> Vec<u64> {
    let count = scores.len() as u64;
    let Some(best) = argmax(scores) else { return Vec::new() };
    if count == 1 {
        return vec![UNITS];
    }
    let chance = 1.0 / count as f64;
    let score = scores[best].clamp(0.0, 0.99);
    let top = score * (1.0 - chance) + chance;
    let weight = |at: usize| scores[at].clamp(0.0, 1.0) + 0.01;
    let total: f64 = (0..scores.len()).filter(|at| *at != best).map(weight).sum();
    let limit = ((top * UNITS as f64) as u64).saturating_sub(1);
    let mut units: Vec<u64> = (0..scores.len())
        .map(|at| if at == best { 0 } else { (((1.0 - top) * weight(at) / total * UNITS as f64) as u64).min(limit) })
        .collect();
    let given: u64 = units.iter().sum();
    units[best] = UNITS.saturating_sub(given);
    units
}

/// A rough count of tokens: four bytes each, which is what common tokenizers come to on English.
fn tokens(request: &Request) -> u64 {
    serde_json::to_string(request).map_or(0, |text| text.len() as u64 / 4)
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;

//! What an answer must keep before it is read: it names what was offered, and its numbers are a distribution.

use crate::wire::{Answer, Question, Request, Response};

/// Largest integer that every JSON reader keeps exactly.
const SAFE_INTEGER_MAX: u64 = (1 << 53) - 1;
/// Slack for sums of binary fractions.
const FLOAT_SLACK: f64 = 1e-9;
/// Longest model name that is taken for one, in bytes.
const MODEL_NAME_BYTES_MAX: usize = 200;

/// A choice that kept all the rules.
///
/// Invariant: `choice` is one of the options of the question it was read for; `read_choice` is the only maker.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CheckedChoice {
    /// The chosen option.
    pub choice: String,
    /// Effective confidence: the smaller of what was reported and the probability of the chosen option.
    pub confidence: f64,
    /// Probability of the chosen option.
    pub probability: f64,
    /// All options, most probable first; equals stay in the order offered.
    pub ranking: Vec<Ranked>,
}

/// One option with its probability.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Name of the option.
    pub option: String,
    /// Its probability, 0 to 1.
    pub probability: f64,
}

/// A rule that an answer broke.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AnswerFault {
    /// The response says no model, or an absurd one.
    #[error("it does not say which model answered")]
    ModelUnnamed,
    /// Another model answered than the pinned one.
    #[error("another model answered than the one asked ({asked})")]
    ModelSwapped {
        /// The pinned model.
        asked: String,
    },
    /// A token count no counter can hold.
    #[error("its token counts are not plausible")]
    Usage,
    /// The caller asked to read an answer to something it never asked as a choice.
    #[error("`{question}` was not asked as a choice")]
    NotAsked {
        /// Id of the question.
        question: String,
    },
    /// No answer under that id.
    #[error("`{question}` was not answered")]
    Missing {
        /// Id of the question.
        question: String,
    },
    /// The answer is of another type than the question.
    #[error("`{question}` was answered with another type than asked")]
    WrongType {
        /// Id of the question.
        question: String,
    },
    /// The chosen option was never offered.
    #[error("`{question}` was answered with an option that was not offered")]
    NotOffered {
        /// Id of the question.
        question: String,
    },
    /// Probabilities are given for other options than were offered.
    #[error("`{question}` was not answered with exactly the offered options")]
    WrongOptions {
        /// Id of the question.
        question: String,
    },
    /// A number is not finite or lies outside 0 to 1.
    #[error("`{question}` was answered with a number outside 0 to 1")]
    OutOfRange {
        /// Id of the question.
        question: String,
    },
    /// No distribution rounds to these probabilities.
    #[error("the probabilities of `{question}` add up to {sum:.3}")]
    Sum {
        /// Id of the question.
        question: String,
        /// What they add up to.
        sum: f64,
    },
    /// Another option is more probable than the chosen one.
    #[error("`{question}` was answered with an option that its own probabilities rank lower")]
    NotTheBest {
        /// Id of the question.
        question: String,
    },
}

/// Checks what belongs to the response as a whole: the model's name and the token counts.
pub fn check_envelope(response: &Response) -> Result<(), AnswerFault> {
    if response.model.trim().is_empty() || response.model.len() > MODEL_NAME_BYTES_MAX {
        return Err(AnswerFault::ModelUnnamed);
    }
    if response.usage.input_tokens > SAFE_INTEGER_MAX || response.usage.output_tokens > SAFE_INTEGER_MAX {
        return Err(AnswerFault::Usage);
    }
    Ok(())
}

/// Reads the answer to the choice question `id`, if it keeps every rule.
pub fn read_choice(request: &Request, response: &Response, id: &str) -> Result<CheckedChoice, AnswerFault> {
    let question = || id.to_owned();
    check_envelope(response)?;
    let Some(Question::Choice { criteria, .. }) = request.questions.get(id) else {
        return Err(AnswerFault::NotAsked { question: question() });
    };
    let answer = response.answers.get(id).ok_or_else(|| AnswerFault::Missing { question: question() })?;
    let Answer::Choice { choice, confidence, probabilities } = answer else {
        return Err(AnswerFault::WrongType { question: question() });
    };
    if !criteria.contains_key(choice) {
        return Err(AnswerFault::NotOffered { question: question() });
    }
    if probabilities.len() != criteria.len() || probabilities.keys().any(|key| !criteria.contains_key(key)) {
        return Err(AnswerFault::WrongOptions { question: question() });
    }
    if !in_unit(*confidence) || !probabilities.values().copied().all(in_unit) {
        return Err(AnswerFault::OutOfRange { question: question() });
    }
    let rounding = rounding_unit(probabilities.values().copied());
    if !can_be_a_distribution(probabilities.values().copied(), rounding) {
        return Err(AnswerFault::Sum { question: question(), sum: probabilities.values().sum() });
    }
    let ranking = rank(criteria.keys(), probabilities);
    let best = ranking.first().map_or(0.0, |first| first.probability);
    let probability = probabilities.get(choice).copied().unwrap_or(0.0);
    // Rounding keeps order, so an honest choice is a maximum on the printed grid: half a unit is equality there.
    if probability < best - rounding / 2.0 {
        return Err(AnswerFault::NotTheBest { question: question() });
    }
    Ok(CheckedChoice { choice: choice.clone(), confidence: confidence.min(probability), probability, ranking })
}

/// Confidence of a choice by the dialect's formula: how far the best of `options` probabilities stands above chance.
///
/// One option alone is certain; no option at all is no confidence.
pub fn choice_confidence(best: f64, options: usize) -> f64 {
    match options {
        0 => 0.0,
        1 => 1.0,
        _ => {
            let chance = 1.0 / options as f64;
            ((best - chance) / (1.0 - chance)).clamp(0.0, 1.0)
        }
    }
}

fn in_unit(number: f64) -> bool {
    number.is_finite() && (0.0..=1.0).contains(&number)
}

/// The unit the numbers seem rounded to: 0.01 (what the live service prints) down to 0.000001.
fn rounding_unit(numbers: impl Iterator<Item = f64>) -> f64 {
    let decimals = numbers.map(decimals_printed).max().unwrap_or(2).clamp(2, 6);
    10f64.powi(-decimals)
}

/// Decimals in the shortest text that reads back as the same number.
fn decimals_printed(number: f64) -> i32 {
    let text = number.to_string();
    text.split_once('.').map_or(0, |(_, tail)| i32::try_from(tail.len()).unwrap_or(i32::MAX))
}

/// Whether some true distribution rounds to these numbers: each may be off by half a unit, and none is below 0 or above 1.
fn can_be_a_distribution(numbers: impl Iterator<Item = f64>, rounding: f64) -> bool {
    let half = rounding / 2.0;
    let (mut least, mut most) = (0.0, 0.0);
    for number in numbers {
        least += (number - half).max(0.0);
        most += (number + half).min(1.0);
    }
    least <= 1.0 + FLOAT_SLACK && most >= 1.0 - FLOAT_SLACK
}

fn rank<'a>(offered: impl Iterator<Item = &'a String>, probabilities: &indexmap::IndexMap<String, f64>) -> Vec<Ranked> {
    let mut ranking: Vec<Ranked> = offered
        .map(|option| Ranked { option: option.clone(), probability: probabilities.get(option).copied().unwrap_or(0.0) })
        .collect();
    ranking.sort_by(|left, right| right.probability.total_cmp(&left.probability));
    ranking
}

#[cfg(test)]
#[path = "checks_tests.rs"]
mod tests;

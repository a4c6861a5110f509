//! From an answer to a choice: it names an entry of the offer, or it is unreadable.

use crate::offer::{Entry, Offer, Operation};

/// What a model answered, as bare words and numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<'a> {
    /// The chosen operation's name.
    pub operation: &'a str,
    /// Confidence in the operation, 0 to 1.
    pub operation_confidence: f64,
    /// The id chosen for that operation's target, with its confidence.
    pub target: Option<(&'a str, f64)>,
}

/// Why an answer could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The operation was not among those offered.
    #[error("the model named an operation that was not offered")]
    Operation,
    /// The target was not among those offered for that operation.
    #[error("the model named a target that was not offered for {0}")]
    Target(&'static str),
    /// The operation needs a target and none was named.
    #[error("the model chose {0} and no target")]
    NoTarget(&'static str),
    /// A confidence outside 0 to 1.
    #[error("the model gave a confidence outside 0 to 1")]
    Confidence,
}

/// What was chosen.
///
/// Invariant: made only by [`read`], so it always names something that was offered; no serde.
///
/// ```compile_fail
/// let forged = clicket_guard::choice::Choice { pick: todo!(), confidence: 1.0 };
/// ```
/// ```compile_fail
/// let forged: clicket_guard::choice::Choice = serde_json::from_str("{}").unwrap();
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pick: Pick,
    confidence: f64,
}

/// The three things a choice can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Pick {
    /// Do this entry.
    Act(Entry),
    /// The goal is reached.
    Done,
    /// Nothing offered helps.
    Blocked,
}

impl Choice {
    /// What was picked.
    #[must_use]
    pub fn pick(&self) -> &Pick {
        &self.pick
    }

    /// The smaller of the operation's and the target's confidence.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        self.confidence
    }
}

/// Reads an answer against the offer it was asked about.
///
/// # Errors
/// When it names anything that was not offered.
pub fn read(offer: &Offer, named: &Named<'_>) -> Result<Choice, Unreadable> {
    let operation =
        offer.operations().into_iter().find(|operation| operation.name() == named.operation).ok_or(Unreadable::Operation)?;
    let certain = |confidence: f64| (0.0..=1.0).contains(&confidence).then_some(confidence).ok_or(Unreadable::Confidence);
    let confidence = certain(named.operation_confidence)?;
    match operation {
        Operation::Done => Ok(Choice { pick: Pick::Done, confidence }),
        Operation::Blocked => Ok(Choice { pick: Pick::Blocked, confidence }),
        plain if !plain.has_target() => {
            let entry = offer.of(plain).next().ok_or(Unreadable::Operation)?;
            Ok(Choice { pick: Pick::Act(entry.clone()), confidence })
        }
        aimed => {
            let (id, target) = named.target.ok_or(Unreadable::NoTarget(aimed.name()))?;
            let entry = offer.of(aimed).find(|entry| entry.id.as_str() == id).ok_or(Unreadable::Target(aimed.name()))?;
            Ok(Choice { pick: Pick::Act(entry.clone()), confidence: confidence.min(certain(target)?) })
        }
    }
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;

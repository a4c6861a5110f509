//! The decision dialect: the typed questions a model is asked, the answers it may give, a client that asks them over HTTP,
//! and the checks every answer passes before anyone reads it.
//! It must never know what is asked about: no page, no policy, no browser, and it never holds a secret of the operator's.

pub mod checks;
pub mod decider;
pub mod wire;

pub use checks::{AnswerFault, CheckedChoice, Ranked, choice_confidence, read_choice};
pub use decider::{DecideError, DecideFuture, Decider, Locality};
pub use wire::{Answer, NoulCriteria, Question, Request, Response, Usage};

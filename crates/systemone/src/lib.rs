//! The decision dialect: the typed questions a model is asked, the answers it may give, a client that asks them over HTTP,
//! and the checks every answer passes before anyone reads it.
//! It must never know what is asked about: no page, no policy, no browser, and it never holds a secret of the operator's
//! but the key of the model itself.

mod breaker;
pub mod checks;
pub mod client;
pub mod decider;
pub mod endpoint;
mod refusal;
pub mod wire;

pub use checks::{AnswerFault, CheckedChoice, Ranked, choice_confidence, read_choice};
pub use client::HttpDecider;
pub use decider::{DecideError, DecideFuture, Decider, Locality};
pub use endpoint::{ApiKey, Base, ConfigFault, DEFAULT_BASE, DEFAULT_MODEL, KEY_VARIABLE};
pub use wire::{Answer, Edges, NoulCriteria, Question, Request, Response, Usage};

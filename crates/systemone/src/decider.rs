//! The seam between whoever asks and whatever decides.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::checks::AnswerFault;
use crate::wire::{Request, Response};

/// A pending decision.
pub type DecideFuture<'a> = Pin<Box<dyn Future<Output = Result<Response, DecideError>> + Send + 'a>>;

/// Something that answers typed questions.
///
/// An implementation may lie. Its response is worth nothing until [`crate::checks::read_choice`] has read it.
pub trait Decider: Send + Sync {
    /// What decides and where, for people: `reflex-1`, or `jev-latest at https://api.typesafe.ai`.
    fn name(&self) -> &str;

    /// Whether a request leaves this process, and for which host.
    fn locality(&self) -> Locality;

    /// What a million input tokens cost, in US dollars; nothing for a model that is not paid for.
    fn usd_per_million_tokens(&self) -> f64 {
        0.0
    }

    /// Answers every question of `request`, or fails within `deadline`.
    fn decide<'a>(&'a self, request: &'a Request, deadline: Duration) -> DecideFuture<'a>;
}

/// Where a decision is made, which is to say who gets to read the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locality {
    /// In this process; the request goes nowhere.
    InProcess,
    /// On another host (or another process of this one).
    Remote {
        /// Host and, where it is not the scheme's own, port.
        host: String,
    },
}

/// Why there is no decision. Every message says what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecideError {
    /// No answer in time.
    #[error("the model at {host} did not answer within {waited_ms} ms; try again, or give the run more time per step")]
    TimedOut {
        /// Host that was asked.
        host: String,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },
    /// The connection failed, or broke before the answer was whole.
    #[error("the model at {host} cannot be reached ({reason}); check the address, the network and the server's certificate")]
    Unreachable {
        /// Host that was asked.
        host: String,
        /// What the network layer said, bounded and printable.
        reason: String,
    },
    /// The key is missing or wrong (401, 403).
    #[error("the model at {host} refused the key (status {status}: {message}); check TYPESAFE_API_KEY")]
    KeyRefused {
        /// Host that was asked.
        host: String,
        /// HTTP status.
        status: u16,
        /// What the server said, bounded and printable.
        message: String,
    },
    /// The server refused the request as such (other 4xx, and redirects, which are not followed).
    #[error("the model at {host} refused the request (status {status}: {message}); check the model name and the base URL")]
    RequestRefused {
        /// Host that was asked.
        host: String,
        /// HTTP status.
        status: u16,
        /// What the server said, bounded and printable.
        message: String,
    },
    /// Rate limit (429), still after the retries.
    #[error("the model at {host} asks for fewer requests (status 429: {message}); wait, then try again")]
    RateLimited {
        /// Host that was asked.
        host: String,
        /// What the server said, bounded and printable.
        message: String,
    },
    /// The server does not know the model (400).
    #[error("the model at {host} does not exist ({message}); give the name of one that the server has")]
    UnknownModel {
        /// Host that was asked.
        host: String,
        /// What the server said, bounded and printable.
        message: String,
    },
    /// The request is larger than the server takes (413).
    #[error(
        "the model at {host} takes no request this large (status 413: {message}); the page is too big for it, use the built-in model"
    )]
    TooLarge {
        /// Host that was asked.
        host: String,
        /// What the server said, bounded and printable.
        message: String,
    },
    /// The server reads the dialect in another way (422).
    #[error(
        "the model at {host} can't read the request ({message}); check that the base URL is a System One server of this version"
    )]
    Malformed {
        /// Host that was asked.
        host: String,
        /// Which fields, and what is wrong with each.
        message: String,
    },
    /// The server is overloaded (529), still after the retries.
    #[error("the model at {host} is overloaded (status 529: {message}); try again in a few minutes, or use the built-in model")]
    Overloaded {
        /// Host that was asked.
        host: String,
        /// What the server said, bounded and printable.
        message: String,
    },
    /// It failed several times in a row, so it is left alone for a while; nothing was sent.
    #[error(
        "the model at {host} failed {failures} times in a row and is left alone for {wait_ms} ms more; try again then, or use the built-in model"
    )]
    Resting {
        /// Host that would have been asked.
        host: String,
        /// Failures in a row.
        failures: u32,
        /// How long yet, in milliseconds.
        wait_ms: u64,
    },
    /// Server fault (408, 5xx), still after the retries.
    #[error("the model at {host} is failing (status {status}: {message}); try again later, or use the built-in model")]
    ServerFault {
        /// Host that was asked.
        host: String,
        /// HTTP status.
        status: u16,
        /// What the server said, bounded and printable.
        message: String,
    },
    /// The body was longer than any true answer; reading stopped at the limit.
    #[error("the model at {host} sent more than {limit_bytes} bytes, more than any answer needs; it was cut off and not read")]
    TooLong {
        /// Host that was asked.
        host: String,
        /// Where reading stopped, in bytes.
        limit_bytes: usize,
    },
    /// The body is not a System One response.
    #[error(
        "the model at {host} sent something that is no System One answer ({reason}); check that the base URL is a System One server"
    )]
    Unreadable {
        /// Host that was asked.
        host: String,
        /// Where reading failed; never page text.
        reason: String,
    },
    /// The answer breaks a rule every honest answer keeps.
    #[error("the answer cannot be trusted: {0}; nothing was done")]
    Faulty(#[from] AnswerFault),
    /// The request itself breaks a rule of the dialect, so it was not sent.
    #[error("the request was not sent: {reason}")]
    NotAsked {
        /// Which rule.
        reason: RequestFault,
    },
}

/// Rules a request keeps before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RequestFault {
    /// No question.
    #[error("it asks nothing")]
    NoQuestions,
    /// A choice offers no option or more than [`crate::wire::CHOICE_OPTIONS_MAX`].
    #[error("a choice offers {options} options; 1 to 255 can be asked")]
    Options {
        /// How many were offered.
        options: usize,
    },
    /// The state is a number, a boolean or null.
    #[error("its state is neither text, object nor list")]
    State,
    /// A box is asked of a model that can't say where something is in a picture.
    #[error(
        "it asks where something is in a picture, which this model can't say; use a model with image grounding, such as jev-1.14.0"
    )]
    NoBoxes,
    /// The JSON is longer than the client sends.
    #[error("it is {bytes} bytes long; at most {limit_bytes} are sent")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit_bytes: usize,
    },
}

impl DecideError {
    /// Whether the same request may succeed later without anyone changing anything.
    pub fn may_pass_later(&self) -> bool {
        match self {
            Self::TimedOut { .. }
            | Self::Unreachable { .. }
            | Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::Resting { .. }
            | Self::ServerFault { .. } => true,
            Self::KeyRefused { .. }
            | Self::RequestRefused { .. }
            | Self::UnknownModel { .. }
            | Self::TooLarge { .. }
            | Self::Malformed { .. }
            | Self::TooLong { .. }
            | Self::Unreadable { .. }
            | Self::Faulty(_)
            | Self::NotAsked { .. } => false,
        }
    }
}

/// Checks the rules a server would refuse anyway: at least one question, a state it can read, options it can count.
pub fn check_request(request: &Request) -> Result<(), RequestFault> {
    if !(request.state.is_string() || request.state.is_object() || request.state.is_array()) {
        return Err(RequestFault::State);
    }
    if request.questions.is_empty() {
        return Err(RequestFault::NoQuestions);
    }
    for question in request.questions.values() {
        if let crate::wire::Question::Choice { criteria, .. } = question
            && (criteria.is_empty() || criteria.len() > crate::wire::CHOICE_OPTIONS_MAX)
        {
            return Err(RequestFault::Options { options: criteria.len() });
        }
    }
    Ok(())
}

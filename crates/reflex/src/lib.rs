//! The embedded decision model: fixed rules and a lexicon that answer the same typed questions a hosted model answers.
//! It must never know a browser, a network, a clock or chance: text and options go in, distributions come out.

mod answer;
mod caution;
mod fields;
mod files;
mod forms;
mod goal;
mod lexicon;
mod matching;
mod page;
mod phrases;
mod plan;
mod progress;
mod shop;
mod steps;
mod tokens;
mod verbs;
mod wishes;
mod words;

#[cfg(test)]
mod chore_tests;
#[cfg(test)]
mod explicit_tests;
#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod testing;

use std::time::Duration;

use clicket_systemone::decider::{RequestFault, check_request};
use clicket_systemone::{DecideError, DecideFuture, Decider, Locality, Question, Request, Response};

use crate::lexicon::Lexicon;
use crate::page::World;

/// The decision model. The same request always gets the same answer.
#[derive(Debug)]
pub struct Reflex {
    lexicon: Lexicon,
}

impl Reflex {
    /// Reads the built-in lexicon; takes about a millisecond, so keep the value.
    pub fn new() -> Self {
        Self { lexicon: Lexicon::new() }
    }

    /// Answers at once. Questions it was not made for get an even distribution.
    pub fn answer(&self, request: &Request) -> Response {
        let world = World::read(request);
        let (acts, clause) = plan::plan(&self.lexicon, &world);
        // What was not planned still gets a rank, below everything that was.
        let background = |_, entry: &page::Entry| match &clause {
            Some(clause) if !entry.sponsored && !caution::addresses_agent(&world, entry) => {
                0.3 * matching::object_fit(&self.lexicon, &clause.object, entry)
            }
            Some(_) | None => 0.0,
        };
        answer::respond(request, &world, &acts, &background)
    }
}

impl Default for Reflex {
    fn default() -> Self {
        Self::new()
    }
}

impl Decider for Reflex {
    fn name(&self) -> &str {
        answer::MODEL
    }

    fn locality(&self) -> Locality {
        Locality::InProcess
    }

    /// Computed before the future is made, within milliseconds; the deadline cannot be missed.
    fn decide<'a>(&'a self, request: &'a Request, _deadline: Duration) -> DecideFuture<'a> {
        let boxes = request.questions.values().any(Question::is_box);
        let result = match check_request(request) {
            // These rules see no pictures.
            Ok(()) if boxes => Err(DecideError::NotAsked { reason: RequestFault::NoBoxes }),
            Ok(()) => Ok(self.answer(request)),
            Err(reason) => Err(DecideError::NotAsked { reason }),
        };
        Box::pin(std::future::ready(result))
    }
}

//! Asks the model which entry of the offer is next, reads its answer, and writes down all that it was asked by.

use std::time::{Duration, Instant};

use clicket_guard::choice::{self, Choice, Named, Pick};
use clicket_guard::observation::Observation;
use clicket_guard::offer::Offer;
use clicket_systemone::{CheckedChoice, Request, Response, read_choice};
use serde_json::json;

use crate::ask::{NONE, history_of, offer_request, state_of, target_question};
use crate::clock::millis;
use crate::config::SessionError;
use crate::report::{End, HandBack};
use crate::run::Runner;

/// All that is needed to judge a decision again, as it is written.
#[derive(serde::Serialize)]
struct Decision<'a> {
    observation: &'a Observation,
    offer: &'a Offer,
    request: &'a Request,
    response: &'a Response,
    choice: serde_json::Value,
}

/// What a decision gives.
pub(crate) struct Decided {
    pub(crate) choice: Choice,
    pub(crate) model_ms: u64,
}

impl Runner {
    /// Asks the model, twice at most when its answer can't be read.
    pub(crate) async fn decide(&mut self, seen: &Observation, offer: &Offer) -> Result<Result<Decided, End>, SessionError> {
        let goal = self.desk.scrub.scrub(&self.config.goal).into_owned();
        let state = state_of(&goal, seen, &self.values, &history_of(&self.past));
        let model = self.config.model_id.clone();
        let request = offer_request(&model, state, seen, offer);
        let mut said = String::new();
        for _ in 0..2 {
            let Some(reserved) = self.reserve(&request) else {
                return Ok(Err(End::HandedBack {
                    reason: HandBack::Budget(format!(
                        "the next call to the model may cost more than is left of ${}",
                        self.config.budgets.usd
                    )),
                    next: "Give more with --money, or use the built-in model.".into(),
                }));
            };
            let asked = Instant::now();
            let deadline = Duration::from_millis(self.config.budgets.decide_ms);
            let decider = std::sync::Arc::clone(&self.decider);
            let response = self
                .desk
                .watching(decider.decide(&request, deadline))
                .await
                .map_err(|error| SessionError::Model(error.to_string()))?;
            let model_ms = millis(asked.elapsed());
            self.pay(reserved, response.usage);
            let read = read_answer(&request, &response, offer);
            self.write_decision(seen, offer, &request, &response, &read)?;
            match read {
                Ok(choice) => return Ok(Ok(Decided { choice, model_ms })),
                Err(why) => said = why,
            }
        }
        Ok(Err(End::HandedBack {
            reason: HandBack::Unreadable(said),
            next: "The model answered something that was not offered; try another with --model.".into(),
        }))
    }

    /// All that is needed to judge this decision again: what was seen, offered, asked, answered and read.
    fn write_decision(
        &mut self,
        seen: &Observation,
        offer: &Offer,
        request: &Request,
        response: &Response,
        read: &Result<Choice, String>,
    ) -> Result<(), SessionError> {
        let chosen = match read {
            Ok(choice) => match choice.pick() {
                Pick::Act(entry) => json!({"entry": entry.id, "confidence": choice.confidence()}),
                Pick::Done => json!({"done": true, "confidence": choice.confidence()}),
                Pick::Blocked => json!({"blocked": true, "confidence": choice.confidence()}),
            },
            Err(why) => json!({"unreadable": why}),
        };
        Ok(self.desk.note("decision", &Decision { observation: seen, offer, request, response, choice: chosen })?)
    }
}

/// Reads the operation, then only the target that belongs to it.
fn read_answer(request: &Request, response: &Response, offer: &Offer) -> Result<Choice, String> {
    clicket_systemone::checks::check_envelope(response).map_err(|fault| fault.to_string())?;
    let operation = read_choice(request, response, "operation").map_err(|fault| fault.to_string())?;
    let aimed = offer.operations().into_iter().find(|offered| offered.name() == operation.choice && offered.has_target());
    let target: Option<CheckedChoice> = match aimed {
        None => None,
        Some(aimed) => Some(read_choice(request, response, &target_question(aimed)).map_err(|fault| fault.to_string())?),
    };
    if target.as_ref().is_some_and(|target| target.choice == NONE) {
        return Err(format!("the model chose {} and none of its targets", operation.choice));
    }
    let named = Named {
        operation: &operation.choice,
        operation_confidence: operation.confidence,
        target: target.as_ref().map(|target| (target.choice.as_str(), target.confidence)),
    };
    choice::read(offer, &named).map_err(|unreadable| unreadable.to_string())
}

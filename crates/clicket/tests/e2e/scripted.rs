//! A model that follows a script: at each question it names what the next line of the script says, or waits for it to be
//! offered. It knows no ids and no positions, only words that an entry's description must hold.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};

use crate::models::answer_each;

/// Questions that may go by until what a line names is offered.
const PATIENCE: u32 = 5;

/// One line: an operation, and words of its target; none for an operation without one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line(pub(crate) &'static str, pub(crate) &'static [&'static str]);

struct Script {
    lines: Vec<Line>,
    at: usize,
    waited: u32,
}

/// A server that lives as long as the test program.
pub(crate) struct ScriptedModel {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
}

impl ScriptedModel {
    pub(crate) fn start(lines: &[Line]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let script = Arc::new(Mutex::new(Script { lines: lines.to_vec(), at: 0, waited: 0 }));
        let shared = Arc::clone(&script);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let script = Arc::clone(&shared);
                std::thread::spawn(move || answer_each(&mut stream, |request| script.lock().unwrap().answer(request)));
            }
        });
        Self { address, script }
    }

    pub(crate) fn option(&self) -> String {
        format!("systemone:http://{}", self.address)
    }

    /// The line it did not get past, if there is one.
    pub(crate) fn stuck_at(&self) -> Option<Line> {
        let script = self.script.lock().unwrap();
        script.lines.get(script.at).copied()
    }
}

impl Script {
    /// The entry that a line names, if it is offered; empty for an operation without a target.
    fn target_of(&self, request: &Value, at: usize) -> Option<String> {
        let Line(operation, words) = self.lines.get(at)?;
        let holds = |about: &Value| {
            let about = about.to_string().to_lowercase();
            words.iter().all(|word| about.contains(&word.to_lowercase()))
        };
        if words.is_empty() {
            return Some(String::new());
        }
        let targets = request["questions"].get(format!("{operation}_target"))?["criteria"].as_object()?;
        targets.iter().find(|(_, about)| holds(about)).map(|(id, _)| id.clone())
    }

    fn answer(&mut self, request: &Value) -> Value {
        let last = request["state"]["history"].as_array().and_then(|history| history.last());
        let undone = last.is_some_and(|past| ["stale", "failed"].contains(&past["effect"].as_str().unwrap_or_default()));
        // What was stopped may have opened what comes next all the same, as a calendar opens when its field is touched.
        if undone && self.at > 0 && self.waited < PATIENCE && self.target_of(request, self.at).is_none() {
            self.at -= 1;
            self.waited += 1;
        }
        let Some(Line(operation, _)) = self.lines.get(self.at).copied() else { return named(request, "wait", "") };
        let target = self.target_of(request, self.at);
        match target {
            Some(target) => {
                self.at += 1;
                self.waited = 0;
                named(request, operation, &target)
            }
            None if self.waited < PATIENCE => {
                self.waited += 1;
                named(request, "wait", "")
            }
            None => named(request, "blocked", ""),
        }
    }
}

/// An answer to every question that names this operation and this target.
fn named(request: &Value, operation: &str, target: &str) -> Value {
    let answers: Map<String, Value> = request["questions"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(id, question)| {
            let keys: Vec<&String> = question["criteria"].as_object().unwrap().keys().collect();
            let wanted = if id == "operation" { operation } else { target };
            let choice = keys.iter().find(|key| key.as_str() == wanted).or(keys.last()).unwrap().as_str();
            let probabilities: Map<String, Value> =
                keys.iter().map(|key| ((*key).clone(), if key.as_str() == choice { 1.0 } else { 0.0 }.into())).collect();
            (id.clone(), json!({"type": "choice", "choice": choice, "confidence": 1.0, "probabilities": probabilities}))
        })
        .collect();
    json!({"model": "scripted", "answers": answers, "usage": {"input_tokens": 1, "output_tokens": 1}})
}

//! Reads the arguments of a call against what the tool's schema says, and names the argument that is wrong, never its value.

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::fault::{Code, Fault};

/// Characters of a token.
pub(crate) const TOKEN_CHARS: usize = 43;
/// Bytes of an address.
pub(crate) const URL_BYTES_MAX: usize = 2_048;
/// Characters of a goal.
pub(crate) const GOAL_CHARS_MAX: usize = 500;

/// The arguments of a call; each is taken out once, and none may be left over.
pub(crate) struct Arguments(JsonObject);

impl Arguments {
    pub(crate) fn of(given: Option<JsonObject>) -> Self {
        Self(given.unwrap_or_default())
    }

    pub(crate) fn url(&mut self) -> Result<String, Fault> {
        let url = self.text("url")?;
        if url.len() > URL_BYTES_MAX {
            return Err(wrong("url", "is longer than 2048 bytes"));
        }
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err(Fault::new(
                Code::UrlRejected,
                "`url` must begin with https://",
                "Give the whole address, scheme included.",
            ));
        }
        Ok(url)
    }

    pub(crate) fn goal(&mut self) -> Result<String, Fault> {
        let goal = self.text("goal")?.trim().to_owned();
        if goal.is_empty() {
            return Err(Fault::new(Code::InvalidGoal, "`goal` is empty", "Say in 1 to 500 characters what is wanted."));
        }
        if goal.chars().count() > GOAL_CHARS_MAX {
            return Err(Fault::new(Code::InvalidGoal, "`goal` is longer than 500 characters", "Say it in fewer words."));
        }
        Ok(goal)
    }

    pub(crate) fn token(&mut self) -> Result<String, Fault> {
        let token = self.text("token")?;
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if token.len() != TOKEN_CHARS || !token.chars().all(fits) {
            return Err(wrong("token", "is not 43 characters of A-Z a-z 0-9 _ -"));
        }
        Ok(token)
    }

    pub(crate) fn none_left(self) -> Result<(), Fault> {
        // The name is the agent's own, and may be anything: it is not repeated.
        if self.0.is_empty() { Ok(()) } else { Err(wrong("arguments", "hold one that the tool does not have")) }
    }

    fn text(&mut self, name: &'static str) -> Result<String, Fault> {
        match self.0.remove(name) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(wrong(name, "is not a string")),
            None => Err(wrong(name, "is missing")),
        }
    }
}

fn wrong(name: &str, what: &str) -> Fault {
    Fault::new(
        Code::InvalidArguments,
        format!("`{name}` {what}"),
        "Call again with arguments as the tool's input schema has them.",
    )
}

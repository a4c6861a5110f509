//! Shapes of `POST /v1/systemone`, as JSON and as Rust.
//!
//! Unknown fields are ignored when reading, because servers add their own; a key that occurs twice in one answer is refused,
//! because two readers could then see two different answers.

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Most options a choice question may offer.
pub const CHOICE_OPTIONS_MAX: usize = 255;

/// One request: a state, and questions that all refer to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Alias or versioned id of the model, for example `jev-latest`.
    pub model: String,
    /// What the questions are about: a string, an object or an array.
    pub state: Value,
    /// Question by the caller's id, in the order asked. Ids are not shown to the model.
    pub questions: IndexMap<String, Question>,
}

/// One typed question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Question {
    /// Yes or no; answered with the probability of yes.
    Noul {
        /// What to judge: text, object, array or nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<Value>,
        /// What yes and no mean.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        criteria: Option<NoulCriteria>,
    },
    /// One of the named options; answered with a distribution over all of them.
    Choice {
        /// What to choose by: text, object, array or nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<Value>,
        /// Option name to description (text, object, array or null), 1 to [`CHOICE_OPTIONS_MAX`], in the order offered.
        criteria: IndexMap<String, Value>,
    },
    /// A level on a described scale; answered with a distribution over the levels.
    Score {
        /// What to rate: text, object, array or nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<Value>,
        /// Description of each level, lowest first; the value of a level is its index.
        criteria: Vec<Value>,
    },
    /// Where in a picture something is; answered with its four edges. Only models with image grounding take it.
    Box {
        /// What to locate: text, object, array or nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<Value>,
    },
}

impl Question {
    /// Whether it asks where something is in a picture, which few models can say.
    #[must_use]
    pub fn is_box(&self) -> bool {
        matches!(self, Self::Box { .. })
    }

    /// A choice question from its instruction and its options.
    pub fn choice(instructions: impl Into<Value>, criteria: IndexMap<String, Value>) -> Self {
        Self::Choice { instructions: Some(instructions.into()), criteria }
    }
}

/// Meaning of the two sides of a yes/no question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NoulCriteria {
    /// What yes means.
    #[serde(rename = "true", default, skip_serializing_if = "Option::is_none")]
    pub yes: Option<Value>,
    /// What no means.
    #[serde(rename = "false", default, skip_serializing_if = "Option::is_none")]
    pub no: Option<Value>,
}

/// One response: an answer under the id of each question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The versioned model that answered.
    pub model: String,
    /// Answer by question id.
    #[serde(deserialize_with = "unique_keys")]
    pub answers: IndexMap<String, Answer>,
    /// What the answer cost.
    pub usage: Usage,
}

/// One typed answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Answer {
    /// Probability of yes, 0 to 1.
    Noul {
        /// Probability of yes, 0 to 1.
        noul: f64,
    },
    /// The most probable option and the whole distribution.
    Choice {
        /// Name of the most probable option.
        choice: String,
        /// How far the best option stands above chance, 0 to 1. Not a probability.
        confidence: f64,
        /// Probability of every offered option.
        #[serde(deserialize_with = "unique_keys")]
        probabilities: IndexMap<String, f64>,
    },
    /// The expected level and the whole distribution.
    Score {
        /// Expected level; may be fractional.
        score: f64,
        /// How concentrated the distribution is, 0 to 1.
        confidence: f64,
        /// Level description by index, as asked.
        #[serde(deserialize_with = "unique_keys")]
        legend: IndexMap<String, Value>,
        /// Probability of every level, by index.
        #[serde(deserialize_with = "unique_keys")]
        probabilities: IndexMap<String, f64>,
    },
    /// Where something is in the picture.
    Box {
        /// Its edges.
        #[serde(rename = "box")]
        edges: Edges,
        /// How sure the model is, 0 to 1, where it says so.
        #[serde(default)]
        confidence: Option<f64>,
    },
    /// An answer type this client does not know; nothing can be read from it.
    #[serde(other)]
    Unknown,
}

/// Edges of a box, each a fraction of the picture's height or width from its top left corner, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Edges {
    /// Upper edge.
    pub top: f64,
    /// Lower edge.
    pub bottom: f64,
    /// Left edge.
    pub left: f64,
    /// Right edge.
    pub right: f64,
}

/// Tokens counted by the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, which are what is billed.
    pub input_tokens: u64,
    /// Tokens written, which are free.
    pub output_tokens: u64,
}

/// Reads a JSON object and refuses a key that occurs twice.
fn unique_keys<'de, D, V>(deserializer: D) -> Result<IndexMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    deserializer.deserialize_map(UniqueKeys(PhantomData))
}

struct UniqueKeys<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for UniqueKeys<V> {
    type Value = IndexMap<String, V>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object in which no key occurs twice")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut map = IndexMap::new();
        while let Some((key, value)) = access.next_entry::<String, V>()? {
            if map.insert(key, value).is_some() {
                return Err(A::Error::custom("a key occurs twice"));
            }
        }
        Ok(map)
    }
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;

//! Reads that are sent by POST: a rule on origin, path and the shape of the body says which requests only ask.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::body::Body;
use crate::effect::{METHOD_OVERRIDES, RequestImage};
use crate::graphql;
use crate::web::Origin;

/// A rule that says of a POST that it only reads.
///
/// Invariant: it opens nothing but a plain write: what is destructive, a payment or an upload by its words or its body stays what
/// it is (`a_read_rule_opens_no_stricter_class`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadRule {
    /// Its name, shown with every request that passes by it.
    pub name: String,
    /// Where.
    pub place: ReadPlace,
    /// Under which path.
    pub path: PathPattern,
    /// With which body.
    pub body: ReadBody,
}

/// Where a read rule holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadPlace {
    /// At every origin that the run may write to.
    Listed,
    /// At exactly this origin.
    At(Origin),
}

/// A path, whole or by its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathPattern {
    /// Exactly this path.
    Exact(String),
    /// This path under any other: `*/graphql` is `/graphql` and `/api/graphql`.
    EndsWith(String),
}

/// Which bodies a read rule speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadBody {
    /// A GraphQL request whose every operation is a query.
    GraphqlQuery,
    /// No body.
    Empty,
    /// A JSON object with no other members than these, each a plain value or a list of such.
    Json(Fields),
    /// A URL-encoded form with no other fields than these, each once.
    Form(Fields),
}

/// Fields that a body may have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fields {
    /// Names that may be there.
    pub names: BTreeSet<String>,
    /// Names that must be there, with exactly this text.
    pub values: BTreeMap<String, String>,
}

impl PathPattern {
    /// Reads `/path` or `*/path`. `None` for anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (made, path): (fn(String) -> Self, &str) = match text.strip_prefix('*') {
            Some(rest) => (Self::EndsWith, rest),
            None => (Self::Exact, text),
        };
        let plain =
            path.starts_with('/') && path.len() > 1 && !path.starts_with("//") && !path.contains(['*', '?', '#', ' ', '\\']);
        // A path in any other spelling than the parser's own would never be met.
        let own = plain && url::Url::parse(&format!("https://path.invalid{path}")).is_ok_and(|url| url.path() == path);
        own.then(|| made(path.to_owned()))
    }

    fn names(&self, path: &str) -> bool {
        match self {
            Self::Exact(exact) => path == exact,
            Self::EndsWith(end) => path.ends_with(end.as_str()),
        }
    }
}

impl std::fmt::Display for PathPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(path) => f.write_str(path),
            Self::EndsWith(path) => write!(f, "*{path}"),
        }
    }
}

impl ReadRule {
    /// True for a request that this rule says is a read. Whatever can't be read is none.
    #[must_use]
    pub fn names(&self, image: &RequestImage) -> bool {
        let Ok(url) = url::Url::parse(&image.url) else { return false };
        let here = match &self.place {
            ReadPlace::Listed => true,
            ReadPlace::At(origin) => Origin::of(&url).as_ref() == Some(origin),
        };
        here && image.method == "POST"
            && self.path.names(url.path())
            && !image.headers.iter().any(|(name, _)| METHOD_OVERRIDES.iter().any(|known| name.eq_ignore_ascii_case(known)))
            && self.body.takes(image, &url)
    }
}

impl ReadBody {
    fn takes(&self, image: &RequestImage, url: &url::Url) -> bool {
        // What the address says beside the body is part of the request; only GraphQL has names there that change nothing.
        let bare = url.query().is_none_or(str::is_empty);
        match (self, Body::of(image)) {
            (Self::GraphqlQuery, Some(Body::Json(object))) => graphql::address_adds_nothing(url) && graphql::only_asks(&object),
            (Self::Empty, Some(Body::Empty)) => bare,
            (Self::Json(fields), Some(Body::Json(object))) => {
                bare && object.values().all(is_plain)
                    && fields.take(object.iter().map(|(name, value)| (name.as_str(), value.as_str())))
            }
            (Self::Form(fields), Some(Body::Form(pairs))) => {
                let unique: BTreeSet<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
                bare && unique.len() == pairs.len()
                    && fields.take(pairs.iter().map(|(name, value)| (name.as_str(), Some(value.as_str()))))
            }
            (Self::GraphqlQuery | Self::Empty | Self::Json(_) | Self::Form(_), _) => false,
        }
    }

    /// The media type of the bodies it speaks of, for examples.
    pub(crate) fn media_type(&self) -> &'static str {
        match self {
            Self::GraphqlQuery | Self::Json(_) => "application/json",
            Self::Form(_) => "application/x-www-form-urlencoded",
            Self::Empty => "",
        }
    }
}

impl Fields {
    /// True when every field is known, at least one is there, and each fixed one is there with its text.
    fn take<'a>(&self, fields: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> bool {
        let fields: Vec<(&str, Option<&str>)> = fields.collect();
        let known = |name: &str| self.names.contains(name) || self.values.contains_key(name);
        let fixed = |name: &str, text: &str| fields.iter().any(|(field, value)| *field == name && *value == Some(text));
        !fields.is_empty()
            && fields.iter().all(|(name, _)| known(name))
            && self.values.iter().all(|(name, text)| fixed(name, text))
    }
}

/// A text, a number, a yes or no, nothing, or a list of these.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(|item| !item.is_array() && !item.is_object()),
        Value::Object(_) => false,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
#[path = "read_rule_tests.rs"]
mod tests;

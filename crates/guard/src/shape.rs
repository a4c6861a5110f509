//! The shape of a write: what stays the same when a page sends the like of it again. A person may allow one for the rest of a run.

use std::collections::{BTreeMap, BTreeSet};

use clicket_journal::Digest;
use serde_json::Value;

use crate::body::Body;
use crate::effect::{METHOD_OVERRIDES, RequestImage};
use crate::risk::{ActionClass, DEED_FIELDS};
use crate::untrusted::PageText;
use crate::web::Origin;

/// Fields in a shape; a body with more can't be shown to a person.
const FIELDS_MAX: usize = 60;

/// Fields, besides the deed fields of forms, whose value says what is done: GraphQL documents and their names, persisted ones by id
/// or hash, and the method of JSON-RPC. Their values belong to the shape.
const CHOOSING_FIELDS: [&str; 9] =
    ["query", "mutation", "operationname", "doc_id", "documentid", "queryid", "method", "sha256hash", "type"];

/// Origin, method, path, content type and the set of field names, with the values of the fields that say what is done.
/// It is never written down: a digest of a value could be searched for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    origin: Origin,
    method: String,
    path: String,
    content_type: &'static str,
    fields: BTreeSet<String>,
    /// Fields whose value says what is done, each with a digest of the values, so that no secret is kept.
    fixed: BTreeMap<String, Digest>,
}

/// A shape that a person allowed for the rest of the run.
///
/// Invariant: made only by the gate, from an approval that says so (`only_an_answer_that_says_so_is_remembered`); no serde in,
/// no public constructor:
///
/// ```compile_fail
/// fn forge(shape: clicket_guard::shape::Shape) -> clicket_guard::shape::Remembered {
///     clicket_guard::shape::Remembered { shape, intent: String::new() }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    pub(crate) shape: Shape,
    pub(crate) intent: String,
}

impl Remembered {
    /// True for a request of the shape that was allowed.
    #[must_use]
    pub fn names(&self, image: &RequestImage) -> bool {
        Shape::of(image).as_ref() == Some(&self.shape)
    }

    /// The intent in the journal with which it was allowed.
    #[must_use]
    pub fn intent(&self) -> &str {
        &self.intent
    }
}

/// Whether a class may be remembered at all: what can't be undone is asked about each time.
#[must_use]
pub fn may_be_remembered(class: ActionClass) -> bool {
    match class {
        ActionClass::Write | ActionClass::BackgroundWrite => true,
        ActionClass::Observe
        | ActionClass::Scroll
        | ActionClass::Navigate
        | ActionClass::Fill
        | ActionClass::UnknownControl
        | ActionClass::Dialog
        | ActionClass::Finish
        | ActionClass::Publish
        | ActionClass::Credentials
        | ActionClass::LeaveSite
        | ActionClass::Download
        | ActionClass::Upload
        | ActionClass::Destructive
        | ActionClass::Payment => false,
    }
}

impl Shape {
    /// The shape of a request. `None` when its body can't be read as fields, or when a header names another method.
    #[must_use]
    pub fn of(image: &RequestImage) -> Option<Self> {
        let overrides = |name: &str| METHOD_OVERRIDES.iter().any(|known| name.eq_ignore_ascii_case(known));
        if image.headers.iter().any(|(name, _)| overrides(name)) {
            return None;
        }
        let url = url::Url::parse(&image.url).ok()?;
        let body = Body::of(image)?;
        let mut named = Named::default();
        for (name, value) in url.query_pairs() {
            named.take(&format!("?{name}"), &name, &value);
        }
        match &body {
            Body::Empty => {}
            Body::Form(pairs) => pairs.iter().for_each(|(name, value)| named.take(name, name, value)),
            Body::Json(object) => object.iter().for_each(|(name, value)| named.walk(name, name, value)),
        }
        if named.fields.len() > FIELDS_MAX {
            return None;
        }
        Some(Self {
            origin: Origin::of(&url)?,
            method: image.method.clone(),
            path: url.path().to_owned(),
            content_type: body.media_type(),
            fields: named.fields,
            fixed: named.fixed.into_iter().map(|(name, values)| (name, Digest::of(&values))).collect(),
        })
    }

    /// In words for a person; names that a page chose stand in quotes.
    #[must_use]
    pub fn in_words(&self, scrub: &crate::secret::Scrubber) -> String {
        let names: Vec<String> = self.fields.iter().map(|name| PageText::read(name, 60, scrub).for_person()).collect();
        let fields = match names.len() {
            0 => "no fields".to_owned(),
            _ => format!("exactly the fields {}", names.join(", ")),
        };
        let kind = if self.content_type.is_empty() { "no body" } else { self.content_type };
        let path = PageText::read(&self.path, 200, scrub).for_person();
        let fixed: Vec<String> = self.fixed.keys().map(|name| PageText::read(name, 60, scrub).for_person()).collect();
        let same = if fixed.is_empty() { String::new() } else { format!("; {} as it is now", fixed.join(" and ")) };
        format!("{} {path} at {} ({kind}, {fields}), whatever their values{same}", self.method, self.origin)
    }
}

#[derive(Default)]
struct Named {
    fields: BTreeSet<String>,
    fixed: BTreeMap<String, Vec<u8>>,
}

impl Named {
    fn take(&mut self, path: &str, name: &str, value: &str) {
        self.fields.insert(path.to_owned());
        let lower = name.to_ascii_lowercase();
        if CHOOSING_FIELDS.contains(&lower.as_str()) || DEED_FIELDS.contains(&lower.as_str()) {
            let kept = self.fixed.entry(path.to_owned()).or_default();
            kept.extend_from_slice(&(value.len() as u64).to_be_bytes());
            kept.extend_from_slice(value.as_bytes());
        }
    }

    /// Members of members count by their whole path; the depth is the JSON reader's.
    fn walk(&mut self, path: &str, name: &str, value: &Value) {
        if self.fields.len() > FIELDS_MAX {
            return;
        }
        match value {
            Value::Object(members) if !members.is_empty() => {
                members.iter().for_each(|(member, value)| self.walk(&format!("{path}.{member}"), member, value));
            }
            Value::Array(items) if !items.is_empty() => items.iter().for_each(|item| self.walk(&format!("{path}[]"), name, item)),
            Value::String(text) => self.take(path, name, text),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) | Value::Array(_) => {
                self.take(path, name, &value.to_string());
            }
        }
    }
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;

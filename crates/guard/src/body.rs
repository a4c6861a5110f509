//! A request's body as fields, read strictly: what two readers could read differently is not read at all.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::effect::RequestImage;

/// Fields of one body; more is a document, not a form.
const FIELDS_MAX: usize = 200;

/// What a body holds.
#[derive(Debug, PartialEq)]
pub(crate) enum Body {
    /// Not a byte.
    Empty,
    /// A URL-encoded form, in order.
    Form(Vec<(String, String)>),
    /// One JSON object without a doubled name at any depth.
    Json(Map<String, Value>),
}

impl Body {
    /// Reads the body of a request. `None` when it is compressed, of another kind, doubled in name, or not what its type says.
    pub(crate) fn of(image: &RequestImage) -> Option<Self> {
        if image.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-encoding")) {
            return None;
        }
        if image.body.is_empty() {
            return Some(Self::Empty);
        }
        match media_type(image.header("content-type")?)?.as_str() {
            "application/x-www-form-urlencoded" => read_form(&image.body).map(Self::Form),
            "application/json" => read_object(&image.body).map(Self::Json),
            _ => None,
        }
    }

    /// The media type that a body of this kind is sent as.
    pub(crate) const fn media_type(&self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Form(_) => "application/x-www-form-urlencoded",
            Self::Json(_) => "application/json",
        }
    }
}

/// The type without its parameters, lower case. A character set other than UTF-8 would be another text.
fn media_type(header: &str) -> Option<String> {
    let mut parts = header.split(';').map(|part| part.trim().to_ascii_lowercase());
    let kind = parts.next()?;
    parts.all(|part| matches!(part.as_str(), "charset=utf-8" | "charset=\"utf-8\"")).then_some(kind)
}

fn read_form(body: &[u8]) -> Option<Vec<(String, String)>> {
    // Browsers write nothing but ASCII here; `;` separates fields for some servers and not for others.
    let plain = body.iter().all(|byte| byte.is_ascii_graphic() && *byte != b';');
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(body)
        .take(FIELDS_MAX + 1)
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    (plain && pairs.len() <= FIELDS_MAX).then_some(pairs)
}

pub(crate) fn read_object(body: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(body).ok()? {
        Strict(Value::Object(object)) if object.len() <= FIELDS_MAX => Some(object),
        Strict(_) => None,
    }
}

/// A JSON value in which no object names a member twice: of two, one server takes the first and another the last.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without doubled names")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some((name, Strict(value))) = members.next_entry::<String, Strict>()? {
            if all.insert(name, value).is_some() {
                return Err(de::Error::custom("a name is doubled"));
            }
        }
        Ok(Value::Object(all))
    }
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;

//! Whether a request says what the form said that was pressed: a page can exchange a hidden value while it is being submitted.

use clicket_journal::Digest;
use serde_json::Value;

use crate::effect::RequestImage;
use crate::observation::FormFacts;

/// Parts of a body that are looked at; more is no form.
const PAIRS_MAX: usize = 1_000;

/// The first hidden field whose value in the request is another than the form held when it was offered, by its name in quotes.
/// Fields that the request leaves out or adds are not spoken of: scripts do both for good reasons, and the ticket shows them.
#[must_use]
pub fn strays_from(form: &FormFacts, image: &RequestImage) -> Option<String> {
    let mut sent = pairs_of(image);
    // Servers that read both let the address speak for the body; what the form's own address says was seen when it was offered.
    let own_query = query_pairs(&form.action);
    sent.extend(query_pairs(&image.url).into_iter().filter(|pair| !own_query.contains(pair)));
    let stray = form.fields.iter().filter(|field| field.hidden && !field.name.is_empty()).find(|field| {
        let Some(held) = field.sends else { return false };
        let name = field.name.judged();
        // Two hidden fields of one name: either value is the form's own.
        let own = |value: &str| {
            Digest::of(value.as_bytes()) == held
                || form.fields.iter().any(|twin| twin.name == field.name && twin.sends == Some(Digest::of(value.as_bytes())))
        };
        sent.iter().any(|(key, value)| key == name && !own(value))
    });
    stray.map(|field| field.name.for_person())
}

fn query_pairs(address: &str) -> Vec<(String, String)> {
    let parsed = url::Url::parse(address).ok();
    parsed
        .iter()
        .flat_map(|url| url.query_pairs().take(PAIRS_MAX).map(|(name, value)| (name.into_owned(), value.into_owned())))
        .collect()
}

/// Names and values of a body: URL-encoded, multipart or a flat JSON object.
fn pairs_of(image: &RequestImage) -> Vec<(String, String)> {
    let kind = image.header("content-type").unwrap_or_default().to_ascii_lowercase();
    if kind.starts_with("application/x-www-form-urlencoded") {
        return url::form_urlencoded::parse(&image.body)
            .take(PAIRS_MAX)
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
    }
    if kind.starts_with("multipart/form-data") {
        return multipart_pairs(&String::from_utf8_lossy(&image.body));
    }
    let Ok(Value::Object(object)) = serde_json::from_slice(&image.body) else { return Vec::new() };
    object
        .into_iter()
        .take(PAIRS_MAX)
        .filter_map(|(name, value)| match value {
            Value::String(text) => Some((name, text)),
            Value::Number(number) => Some((name, number.to_string())),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        })
        .collect()
}

/// Parts as browsers write them: the boundary line, a disposition with the name, an empty line, the value.
fn multipart_pairs(body: &str) -> Vec<(String, String)> {
    let Some(boundary) = body.lines().next().filter(|line| line.starts_with("--")) else { return Vec::new() };
    let part = |part: &str| {
        let (head, value) = part.split_once("\r\n\r\n")?;
        let name = head.split("name=\"").nth(1)?.split('"').next()?;
        Some((name.to_owned(), value.strip_suffix("\r\n").unwrap_or(value).to_owned()))
    };
    body.split(boundary).take(PAIRS_MAX).filter_map(part).collect()
}

#[cfg(test)]
#[path = "follows_tests.rs"]
mod tests;

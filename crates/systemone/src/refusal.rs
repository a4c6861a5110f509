//! What a server says when it refuses, read from the shapes in use and made safe to print.

use std::error::Error;
use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;

/// Longest message shown, in characters.
const MESSAGE_CHARS_MAX: usize = 200;
/// A server that asks for a longer pause than this is not waited for as it asks, but as usual.
const HINT_MS_MAX: u64 = 60_000;

/// The server's message: `error`, `error.message`, `message`, `detail`, `detail.message` or the `detail[]` list, else the start of the body.
pub(crate) fn message(body: &[u8]) -> String {
    let parsed: Option<Value> = serde_json::from_slice(body).ok();
    let found = parsed.as_ref().and_then(|value| {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        text("/error")
            .or_else(|| text("/error/message"))
            .or_else(|| text("/message"))
            .or_else(|| text("/detail"))
            .or_else(|| text("/detail/message"))
            .or_else(|| value.pointer("/detail").and_then(Value::as_array).map(|faults| schema_faults(faults)))
    });
    let text = bounded(&found.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned()));
    if text.is_empty() { "no reason given".to_owned() } else { text }
}

/// `questions.q.type: Field required`, one for each fault of a schema failure.
fn schema_faults(faults: &[Value]) -> String {
    let one = |fault: &Value| {
        let path: Vec<String> = fault["loc"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|part| part.as_str() != Some("body"))
            .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
            .collect();
        format!("{}: {}", path.join("."), fault["msg"].as_str().unwrap_or_default())
    };
    faults.iter().take(5).map(one).collect::<Vec<_>>().join("; ")
}

/// The innermost causes of a network error, without the address it was sent to.
pub(crate) fn reason(error: &(dyn Error + 'static)) -> String {
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    if causes.is_empty() {
        causes.push(error.to_string());
    }
    causes.dedup();
    bounded(&causes.join(": "))
}

/// Where and how a JSON text fails, without any of it: the library's own message would quote the model.
pub(crate) fn json_fault(error: &serde_json::Error) -> String {
    let what = match error.classify() {
        serde_json::error::Category::Io | serde_json::error::Category::Eof => "it breaks off",
        serde_json::error::Category::Syntax => "it is not JSON",
        serde_json::error::Category::Data => "it is JSON of another shape",
    };
    format!("{what}, line {} column {}", error.line(), error.column())
}

/// At most a line of printable characters.
pub(crate) fn bounded(text: &str) -> String {
    let printable = |letter: &char| {
        !letter.is_control() && !matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let spaced = text.chars().take(8 * MESSAGE_CHARS_MAX).map(|letter| if letter.is_whitespace() { ' ' } else { letter });
    let kept: String = spaced.filter(printable).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MESSAGE_CHARS_MAX).collect()
}

/// How long the server asks to wait: `retry-after-ms`, else `retry-after` in seconds or as a date.
///
/// A date is held against the server's own `date`, so that a clock that is off here does no harm.
pub(crate) fn pause_hint(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| {
        headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
    };
    let date = |name: &str| httpdate::parse_http_date(headers.get(name)?.to_str().ok()?.trim()).ok();
    let until_date = || Some(date("retry-after")?.duration_since(date("date")?).ok()?.as_secs_f64() * 1000.0);
    let ms = number("retry-after-ms").or_else(|| number("retry-after").map(|seconds| seconds * 1000.0)).or_else(until_date)?;
    (ms <= HINT_MS_MAX as f64).then(|| Duration::from_millis(ms as u64))
}

#[cfg(test)]
#[path = "refusal_tests.rs"]
mod tests;

//! What the sites answer. Pages are files under `pages/`; everything else is a few lines here.

use std::fmt::Write as _;
use std::path::{Component, Path};
use std::time::Duration;

use serde_json::{Value, json};

use crate::server::{Asked, Place};

/// Rows of the long list and of the table.
const ROWS: usize = 200;

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) after: Duration,
}

impl Answer {
    fn of(kind: &str, body: impl Into<Vec<u8>>) -> Answer {
        Answer { status: 200, headers: vec![("content-type", kind.to_owned())], body: body.into(), after: Duration::ZERO }
    }

    fn page(body: impl Into<Vec<u8>>) -> Answer {
        Answer::of("text/html; charset=utf-8", body)
    }

    fn json(body: &Value) -> Answer {
        Answer::of("application/json", body.to_string())
    }

    fn to(place: &str) -> Answer {
        Answer { status: 303, headers: vec![("location", place.to_owned())], body: Vec::new(), after: Duration::ZERO }
    }

    fn nothing() -> Answer {
        Answer { status: 404, ..Answer::page("<title>Not found</title><h1>Not found</h1>") }
    }

    fn with(mut self, name: &'static str, value: &str) -> Answer {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn after_ms(self, wait_ms: u64) -> Answer {
        Answer { after: Duration::from_millis(wait_ms), ..self }
    }
}

pub(crate) fn answer(place: &Place, asked: &Asked) -> Answer {
    let field = |name: &str| form_field(asked, name);
    let answer = match (asked.method.as_str(), asked.path.as_str()) {
        ("GET", "/api/list") => list(&field("from")),
        ("GET", "/api/cities") => Answer::json(&cities(&field("country"))).after_ms(150),
        ("GET", "/api/suggest") => Answer::json(&suggestions(&field("q"))).after_ms(120),
        ("GET", "/api/report") => Answer::json(&json!({"title": "Report for March", "total": "1,284.50"})).after_ms(1_500),
        ("GET", "/theme.css") => Answer::of("text/css", "body { font: 16px sans-serif } .themed { color: #234 }"),
        ("GET", "/widget.js") => Answer::of("text/javascript", "document.documentElement.dataset.widget = 'here';"),
        ("GET", "/worker.js") => {
            let script = "self.addEventListener('install', () => self.skipWaiting()); self.addEventListener('fetch', () => {});";
            Answer::of("text/javascript", script)
        }
        ("GET", "/manual.pdf") => invoice(),
        ("GET", "/identity") if asked.elsewhere => page(place, "identity"),
        ("POST", "/identity") if asked.elsewhere => Answer::to(&format!("{}/third-party?code=7", place.here)),
        ("POST", "/graphql") => graphql(&asked.body),
        ("POST" | "PUT" | "PATCH" | "DELETE", path) if path.starts_with("/api/") => {
            Answer::json(&json!({"ok": true})).after_ms(80)
        }
        ("POST", path) => Answer::to(&format!("/done?what={}", path.trim_start_matches('/'))),
        ("GET", "/done") => {
            let what = field("what").replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "");
            Answer::page(format!("<!doctype html><title>Done</title><h1>Done: {what}</h1><a href=/>Start again</a>"))
        }
        ("GET", path) if path.starts_with("/vendor/") => vendor(place, path),
        ("GET", path) => page(place, path.trim_start_matches('/')),
        _ => Answer::nothing(),
    };
    let answer = answer.with("cache-control", "no-store");
    if asked.elsewhere { answer.with("access-control-allow-origin", "*") } else { answer }
}

/// A field of the query or of a form's body, percent-decoded.
fn form_field(asked: &Asked, name: &str) -> String {
    let given = if asked.method == "GET" { &asked.query } else { &asked.body };
    url::form_urlencoded::parse(given.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn page(place: &Place, name: &str) -> Answer {
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Answer::nothing();
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("pages").join(format!("{name}.html"));
    match std::fs::read_to_string(file) {
        Ok(text) => Answer::page(text.replace("{{here}}", &place.here).replace("{{elsewhere}}", &place.elsewhere)),
        Err(_) => Answer::nothing(),
    }
}

/// Packages that others wrote; nothing outside their folder.
fn vendor(place: &Place, path: &str) -> Answer {
    let inside = Path::new(path.trim_start_matches("/vendor/"));
    let plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
    let Some(file) = place.vendor.as_ref().filter(|_| plain).map(|folder| folder.join(inside)) else { return Answer::nothing() };
    let kind = match inside.extension().and_then(|end| end.to_str()) {
        Some("js" | "mjs") => "text/javascript",
        Some("css") => "text/css",
        _ => "application/octet-stream",
    };
    std::fs::read(file).map_or_else(|_| Answer::nothing(), |body| Answer::of(kind, body))
}

/// Twenty rows of the long list, as markup.
fn list(from: &str) -> Answer {
    let from: usize = from.parse().unwrap_or(0);
    let mut rows = String::new();
    for row in (from..ROWS.min(from.saturating_add(20))).map(|row| row + 1) {
        let _ = write!(rows, "<li><span>Trail number {row}</span> <button onclick=\"save({row})\">Save</button></li>");
    }
    Answer::of("text/html; charset=utf-8", rows).after_ms(100)
}

fn cities(country: &str) -> Value {
    match country {
        "pt" => json!(["Lisbon", "Porto", "Braga"]),
        "dk" => json!(["Aarhus", "Copenhagen", "Odense"]),
        _ => json!([]),
    }
}

fn suggestions(given: &str) -> Value {
    let begun = given.to_lowercase();
    let all = ["Lisbon Airport", "Lisbon Oriente", "Lille Europe", "Leeds"];
    all.into_iter().filter(|name| !begun.is_empty() && name.to_lowercase().starts_with(&begun)).collect()
}

/// A query gives data; a mutation changes something.
fn graphql(body: &str) -> Answer {
    let query = serde_json::from_str::<Value>(body).ok().and_then(|body| body["query"].as_str().map(str::to_owned));
    Answer::json(&match query {
        Some(query) if query.trim_start().starts_with("mutation") => json!({"data": {"renameProject": {"ok": true}}}),
        Some(_) => json!({"data": {"projects": [{"id": 1, "name": "Harbour"}, {"id": 2, "name": "Orchard"}]}}),
        None => json!({"errors": [{"message": "no query"}]}),
    })
}

/// A small document, whole enough to be opened.
fn invoice() -> Answer {
    let body = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
    Answer::of("application/pdf", body).with("content-disposition", "attachment; filename=\"invoice-2026-03.pdf\"")
}

//! Pages for tests, built in a line or two, and what the model does on them.

use std::sync::OnceLock;

use clicket_systemone::{Question, Request, read_choice};
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::Reflex;

/// A page as the session would describe it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    pub(crate) goal: String,
    pub(crate) values: Vec<Value>,
    pub(crate) quoted: Vec<String>,
    pub(crate) page: Map<String, Value>,
    pub(crate) history: Vec<Value>,
    pub(crate) press: Vec<Value>,
    pub(crate) fields: Vec<Value>,
    pub(crate) choose: Vec<Value>,
    pub(crate) toggle: Vec<Value>,
    pub(crate) hover: Vec<Value>,
    pub(crate) attach: Vec<Value>,
}

/// What was decided.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decision {
    pub(crate) op: String,
    /// The chosen target as it was described; null without one.
    pub(crate) target: Value,
    /// The smaller of the confidences in operation and target.
    pub(crate) confidence: f64,
}

impl Decision {
    /// `press Sign in`, `fill Email <email>`, `choose Colour = Red`, in one line.
    pub(crate) fn shown(&self) -> String {
        let text = |key: &str| self.target[key].as_str().unwrap_or_default().to_owned();
        let mut line = format!("{} {}", self.op, text("name"));
        if !text("option").is_empty() {
            line = format!("{line} = {}", text("option"));
        }
        if !text("value_key").is_empty() {
            line = format!("{line} <{}>", text("value_key"));
        } else if !text("value_text").is_empty() {
            line = format!("{line} '{}'", text("value_text"));
        }
        if !text("row").is_empty() {
            line = format!("{line} @ {}", text("row"));
        }
        line.trim().to_owned()
    }
}

/// The model, made once for all tests.
pub(crate) fn model() -> &'static Reflex {
    static MODEL: OnceLock<Reflex> = OnceLock::new();
    MODEL.get_or_init(Reflex::new)
}

pub(crate) fn page(goal: &str) -> Page {
    Page { goal: goal.to_owned(), ..Page::default() }
}

/// `button:Save`, `link:Home@/home`; the part before the colon is the role.
fn control(spec: &str) -> Value {
    let (role, rest) = spec.split_once(':').unwrap_or(("button", spec));
    let (name, href) = rest.split_once('@').unwrap_or((rest, ""));
    let mut entry = json!({"role": role, "name": name});
    if !href.is_empty() {
        entry["href"] = json!(href);
    }
    entry
}

fn merged(mut entry: Value, more: Value) -> Value {
    if let (Some(map), Value::Object(more)) = (entry.as_object_mut(), more) {
        map.extend(more);
    }
    entry
}

impl Page {
    pub(crate) fn with(mut self, key: &str, value: Value) -> Self {
        self.page.insert(key.to_owned(), value);
        self
    }

    pub(crate) fn named(self, title: &str, headings: &[&str]) -> Self {
        self.with("title", json!(title)).with("headings", json!(headings))
    }

    pub(crate) fn press(self, spec: &str) -> Self {
        self.press_in(spec, json!({}))
    }

    pub(crate) fn press_in(mut self, spec: &str, more: Value) -> Self {
        self.press.push(merged(control(spec), more));
        self
    }

    pub(crate) fn presses(self, specs: &[&str]) -> Self {
        specs.iter().fold(self, |page, spec| page.press(spec))
    }

    pub(crate) fn field(mut self, name: &str, input_type: &str, more: Value) -> Self {
        let entry = json!({"role": "textbox", "name": name, "input_type": input_type});
        self.fields.push(merged(entry, more));
        self
    }

    /// Adds to the last field.
    pub(crate) fn which_has(mut self, more: Value) -> Self {
        if let Some(field) = self.fields.pop() {
            self.fields.push(merged(field, more));
        }
        self
    }

    pub(crate) fn list(mut self, name: &str, value: &str, options: &[&str]) -> Self {
        for option in options {
            self.choose.push(json!({"role": "combobox", "name": name, "value": value, "option": option}));
        }
        self
    }

    pub(crate) fn toggle(mut self, spec: &str, more: Value) -> Self {
        self.toggle.push(merged(control(spec), more));
        self
    }

    pub(crate) fn hover(mut self, spec: &str) -> Self {
        self.hover.push(control(spec));
        self
    }

    pub(crate) fn attach(mut self, field: &str, key: &str, file: &str) -> Self {
        self.attach.push(json!({"role": "", "name": field, "input_type": "file", "file_key": key, "file_name": file}));
        self
    }

    pub(crate) fn value(mut self, key: &str, text: &str) -> Self {
        self.values.push(json!({"key": key, "kind": "text", "text": text}));
        self
    }

    pub(crate) fn secret(mut self, key: &str) -> Self {
        self.values.push(json!({"key": key, "kind": "secret"}));
        self
    }

    pub(crate) fn quoted(mut self, text: &str) -> Self {
        self.quoted.push(text.to_owned());
        self
    }

    pub(crate) fn did(mut self, operation: &str, name: &str, effect: &str, more: Value) -> Self {
        let item = json!({"operation": operation, "role": "", "name": name, "row": "", "value_key": null, "text": null, "url": "/", "effect": effect});
        self.history.push(merged(item, more));
        self
    }

    /// The request a session would make of this page.
    pub(crate) fn request(&self) -> Request {
        let targets = [
            ("press", self.press.clone()),
            ("fill", self.fill_entries()),
            ("choose", self.choose.clone()),
            ("toggle", self.toggle.clone()),
            ("hover", self.hover.clone()),
            ("attach", self.attach.clone()),
            ("enter", self.fields.iter().filter(|field| is_filled(field)).cloned().collect()),
        ];
        let mut operations: IndexMap<String, Value> = IndexMap::new();
        let mut questions = IndexMap::new();
        let mut id = 0;
        for (op, entries) in targets.into_iter().filter(|(_, entries)| !entries.is_empty()) {
            operations.insert(op.to_owned(), json!(op));
            let mut options: IndexMap<String, Value> = IndexMap::new();
            for entry in entries {
                id += 1;
                options.insert(format!("k{}", (id * 7919) % 10007), entry);
            }
            options.insert("none".to_owned(), json!("none of these"));
            questions.insert(format!("{op}_target"), Question::choice("which", options));
        }
        let scroll = self.page.get("scroll").cloned().unwrap_or_default();
        let mut more = vec!["wait", "done", "blocked"];
        if scroll["can_down"] == true {
            more.push("scroll_down");
        }
        if scroll["can_up"] == true {
            more.push("scroll_up");
        }
        if !self.history.is_empty() {
            more.push("back");
        }
        operations.extend(more.into_iter().map(|op| (op.to_owned(), json!(op))));
        questions.insert_before(0, "operation".to_owned(), Question::choice("which operation", operations));
        let state = json!({"goal": self.goal, "values": self.values, "page": self.page, "history": self.history});
        Request { model: "reflex-1".to_owned(), state, questions }
    }

    /// Each field with each value it may legally get: secrets only into secret fields, plain text only into others.
    fn fill_entries(&self) -> Vec<Value> {
        let mut entries = Vec::new();
        for field in &self.fields {
            let secret_field = field["input_type"] == "password";
            for value in &self.values {
                let secret = value["kind"] == "secret";
                if secret == secret_field {
                    let text = value.get("text").cloned().unwrap_or_default();
                    let mut entry = merged(field.clone(), json!({"value_key": value["key"]}));
                    if text.is_string() {
                        entry["value_text"] = text;
                    }
                    entries.push(entry);
                }
            }
            let quotes = self.quoted.iter().filter(|text| field["value"] != json!(text));
            entries.extend(quotes.map(|text| merged(field.clone(), json!({"value_key": null, "value_text": text}))));
        }
        entries
    }

    /// Asks the model and reads its answer through the checks any answer must pass.
    pub(crate) fn decide(&self) -> Decision {
        let request = self.request();
        let response = model().answer(&request);
        let operation = read_choice(&request, &response, "operation").unwrap();
        let question = format!("{}_target", operation.choice);
        let Some(Question::Choice { criteria, .. }) = request.questions.get(&question) else {
            return Decision { op: operation.choice, target: Value::Null, confidence: operation.confidence };
        };
        let target = read_choice(&request, &response, &question).unwrap();
        Decision {
            target: criteria[&target.choice].clone(),
            confidence: operation.confidence.min(target.confidence),
            op: operation.choice,
        }
    }
}

pub(crate) fn is_filled(field: &Value) -> bool {
    field["state"].as_array().is_some_and(|states| states.contains(&json!("filled")))
}

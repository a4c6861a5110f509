//! Facts about what was done so far, made by code: the history that a model is shown.

use clicket_guard::observation::Observation;
use clicket_guard::offer::{Entry, Operation};
use clicket_guard::permit::{Action, ValueSource};
use serde::Serialize;

/// Steps that a model is shown.
pub(crate) const HISTORY_STEPS_MAX: usize = 20;

/// One past step.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Past {
    operation: &'static str,
    role: String,
    name: String,
    row: String,
    value_key: Option<String>,
    text: Option<String>,
    url: String,
    /// What the step changed.
    pub(crate) effect: Effect,
}

/// What a step changed, as code saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Effect {
    /// Another document or address.
    PageChanged,
    /// The same page looks different.
    Changed,
    /// Nothing that can be seen.
    Nothing,
    /// The control was another by then.
    Stale,
    /// Not allowed.
    Refused,
    /// It did not work.
    Failed,
}

impl Past {
    /// A step on an offered entry; its effect is filled in when the next observation is made.
    pub(crate) fn of(seen: &Observation, entry: &Entry) -> Self {
        let control = clicket_guard::offer::control_of(seen, entry);
        let text_of = |text: &clicket_guard::untrusted::PageText| text.for_model().to_owned();
        let part_name = match &entry.action {
            Action::LookAt { from } => seen.part(*from).map(|part| &part.name),
            _ => None,
        };
        let (value_key, text) = match &entry.action {
            Action::Fill { value: ValueSource::Text { key, text }, .. } => (key.clone(), Some(text.clone())),
            Action::Fill { value: ValueSource::Secret { key }, .. } => (Some(key.clone()), None),
            Action::Choose { label, .. } => (None, Some(label.clone())),
            Action::Key { key, .. } => (None, Some(key.name().to_owned())),
            Action::Attach { file, .. } => (Some(file.key.clone()), Some(file.name.clone())),
            Action::Press { .. }
            | Action::Toggle { .. }
            | Action::Enter { .. }
            | Action::Hover { .. }
            | Action::AcceptDialog { .. }
            | Action::LookAt { .. }
            | Action::Scroll(_)
            | Action::Wait
            | Action::Back
            | Action::Navigate { .. } => (None, None),
        };
        Self {
            operation: entry.operation.name(),
            role: control.map(|control| control.role.clone()).unwrap_or_default(),
            name: control.map(|control| &control.name).or(part_name).map(text_of).unwrap_or_default(),
            row: control.map(|control| text_of(&control.row)).unwrap_or_default(),
            value_key,
            text,
            url: path_of(&seen.url),
            effect: Effect::Nothing,
        }
    }

    /// True for a claim that the goal was reached.
    pub(crate) fn is_done_claim(&self) -> bool {
        self.operation == Operation::Done.name()
    }

    /// A claim that the goal was reached which the expectations did not bear out.
    pub(crate) fn of_done(seen: &Observation) -> Self {
        Self {
            operation: Operation::Done.name(),
            role: String::new(),
            name: String::new(),
            row: String::new(),
            value_key: None,
            text: None,
            url: path_of(&seen.url),
            effect: Effect::Refused,
        }
    }
}

/// Path of an address: queries and fragments can hold what a model need not know.
pub(crate) fn path_of(url: &str) -> String {
    url::Url::parse(url).map(|url| url.path().to_owned()).unwrap_or_default()
}

/// Compares two looks at a page.
pub(crate) fn effect_between(before: &Observation, after: &Observation) -> Effect {
    if before.url != after.url {
        return Effect::PageChanged;
    }
    let shape = |seen: &Observation| {
        let mut plain = seen.clone();
        for control in &mut plain.controls {
            control.bounds = clicket_guard::observation::Bounds::default();
        }
        plain
    };
    if shape(before) == shape(after) { Effect::Nothing } else { Effect::Changed }
}

//! From an observation to a finite list: everything that may be done next, each with a fresh id.

use std::collections::HashSet;

use clicket_journal::Digest;
use serde::{Deserialize, Serialize};

use crate::limits::{ENTRIES_MAX, VALUE_CHARS_MAX};
use crate::observation::{Control, ControlKind, Handle, Observation, Tri};
use crate::permit::{Action, Bound, Direction, FileSource, Switch, ValueSource};
use crate::secret::{Scrubber, SecretField};
use crate::untrusted::PageText;

/// An id that names one entry of one offer and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryId(String);

impl EntryId {
    /// The operator's own first step, which no model is offered.
    #[must_use]
    pub fn of_start() -> Self {
        Self("start".to_owned())
    }

    /// Saying yes to a dialog that an act opened: it follows from that act, and no model is offered it.
    #[must_use]
    pub fn of_dialog() -> Self {
        Self("dialog".to_owned())
    }

    /// Going where an act opened a window: as for a dialog.
    #[must_use]
    pub fn of_window() -> Self {
        Self("window".to_owned())
    }

    /// The text a model answers with.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What kind of step an entry is; the model is asked for one of these first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Press a control.
    Press,
    /// Put a value into a field.
    Fill,
    /// Choose from a drop-down.
    Choose,
    /// Switch a toggle.
    Toggle,
    /// Press Enter in a field.
    Enter,
    /// Press Escape or an arrow key in the widget that has the focus.
    Key,
    /// Bring the pointer over a control that has a menu.
    Hover,
    /// Put a supplied file into a file field.
    Attach,
    /// Look at another part of a page that has more controls than one look lists.
    LookAt,
    /// Scroll towards the end.
    ScrollDown,
    /// Scroll towards the start.
    ScrollUp,
    /// Wait for the page.
    Wait,
    /// Go back.
    Back,
    /// The goal is reached.
    Done,
    /// Nothing offered helps.
    Blocked,
}

impl Operation {
    /// Every operation, in the order they are asked in.
    pub const ALL: [Self; 15] = [
        Self::Press,
        Self::Fill,
        Self::Choose,
        Self::Toggle,
        Self::Enter,
        Self::Key,
        Self::Hover,
        Self::Attach,
        Self::LookAt,
        Self::ScrollDown,
        Self::ScrollUp,
        Self::Wait,
        Self::Back,
        Self::Done,
        Self::Blocked,
    ];

    /// Its name in a question.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Press => "press",
            Self::Fill => "fill",
            Self::Choose => "choose",
            Self::Toggle => "toggle",
            Self::Enter => "enter",
            Self::Key => "key",
            Self::Hover => "hover",
            Self::Attach => "attach",
            Self::LookAt => "look_at",
            Self::ScrollDown => "scroll_down",
            Self::ScrollUp => "scroll_up",
            Self::Wait => "wait",
            Self::Back => "back",
            Self::Done => "done",
            Self::Blocked => "blocked",
        }
    }

    /// True when it needs a target.
    #[must_use]
    pub fn has_target(self) -> bool {
        match self {
            Self::Press
            | Self::Fill
            | Self::Choose
            | Self::Toggle
            | Self::Enter
            | Self::Key
            | Self::Hover
            | Self::Attach
            | Self::LookAt => true,
            Self::ScrollDown | Self::ScrollUp | Self::Wait | Self::Back | Self::Done | Self::Blocked => false,
        }
    }
}

/// One thing that may be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its id.
    pub id: EntryId,
    /// What kind of step it is.
    pub operation: Operation,
    /// What would be done.
    pub action: Action,
}

/// A value that may be typed: supplied by the operator, or quoted in the goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ValueOffer {
    /// Plain text, shown to the model.
    Text {
        /// Its key; quoted text has none.
        key: Option<String>,
        /// The text.
        text: String,
    },
    /// A secret: the model sees the key.
    Secret {
        /// Its key.
        key: String,
        /// Origin it is bound to.
        origin: crate::web::Origin,
        /// Fields it may be typed into.
        field: SecretField,
    },
    /// A file: the model sees its key and name.
    File(FileSource),
}

/// Whether there is a page to go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// This is the first page.
    First,
    /// There is an earlier one.
    HasEarlier,
}

/// A finite list of what may be done on one observation.
///
/// Invariant: every id is made from the offer's nonce, so an id from another offer names nothing here
/// (`an_id_from_another_offer_is_unreadable`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    observation: Digest,
    nonce: String,
    entries: Vec<Entry>,
    /// Entries that were possible and did not fit.
    pub left_out: u64,
}

impl Offer {
    /// Lists what may be done on `seen`, with ids made from `nonce` (16 random bytes from the session).
    #[must_use]
    pub fn make(seen: &Observation, values: &[ValueOffer], history: History, nonce: [u8; 16]) -> Self {
        let mut offer = Self::of_controls(seen, values, nonce);
        offer.offer_plain(seen, history);
        offer
    }

    /// Lists what may be done with the controls of `seen`, and nothing else: no scrolling, waiting or going back.
    #[must_use]
    pub fn of_controls(seen: &Observation, values: &[ValueOffer], nonce: [u8; 16]) -> Self {
        let mut offer = Self {
            observation: seen.digest(),
            nonce: nonce.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}")),
            entries: Vec::new(),
            left_out: 0,
        };
        // A handle that is there twice would be judged as one control and pressed as another.
        let mut known = HashSet::new();
        for control in seen.controls.iter().filter(|control| known.insert(control.handle) && usable(control)) {
            offer.offer_control(seen, control, values);
        }
        offer
    }

    /// Digest of the observation it is about.
    #[must_use]
    pub fn observation(&self) -> Digest {
        self.observation
    }

    /// All entries.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Entries of one operation.
    pub fn of(&self, operation: Operation) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.operation == operation)
    }

    /// Operations that are possible now, `done` and `blocked` last.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        Operation::ALL
            .into_iter()
            .filter(|operation| match operation {
                Operation::Done | Operation::Blocked => true,
                other => self.of(*other).next().is_some(),
            })
            .collect()
    }

    fn offer_control(&mut self, seen: &Observation, control: &Control, values: &[ValueOffer]) {
        let bound = Bound { handle: control.handle, meaning: control.meaning };
        for key in &control.widget_keys {
            self.push(Operation::Key, Action::Key { control: bound, key: *key });
        }
        match control.kind {
            ControlKind::Link | ControlKind::Button | ControlKind::Option | ControlKind::Generic => {
                // A button that says that it is shut opens by a press; a link that does leads away when it is pressed.
                if control.has_menu && (control.expanded == Tri::Absent || is_shut_link(control)) {
                    self.push(Operation::Hover, Action::Hover { control: bound });
                }
                self.push(Operation::Press, Action::Press { control: bound });
            }
            ControlKind::Widget => {}
            ControlKind::Toggle => {
                if let Some(to) = other_state(control) {
                    self.push(Operation::Toggle, Action::Toggle { control: bound, to });
                }
            }
            ControlKind::Choice => {
                for option in control.options.iter().filter(|option| !option.selected && !option.disabled) {
                    let label = option.label.judged().to_owned();
                    self.push(Operation::Choose, Action::Choose { control: bound, option: option.index, label });
                }
            }
            ControlKind::Field => self.offer_field(seen, control, bound, values),
        }
    }

    fn offer_field(&mut self, seen: &Observation, control: &Control, bound: Bound, values: &[ValueOffer]) {
        if control.input_type == "file" {
            self.offer_files(control, bound, values);
            return;
        }
        for value in values {
            if let Some(value) = fits(seen, control, value) {
                self.push(Operation::Fill, Action::Fill { control: bound, value });
            }
        }
        let by_key = control.form.is_some() || control.listens_for_keys;
        if by_key && control.filled && control.input_type != "textarea" {
            self.push(Operation::Enter, Action::Enter { control: bound });
        }
        // A field that can only be read is often drawn to be pressed: a calendar opens under it.
        if values.is_empty() || control.readonly || matches!(control.role.as_str(), "combobox" | "spinbutton") {
            self.push(Operation::Press, Action::Press { control: bound });
        }
    }

    /// A field that holds a file already is left alone.
    fn offer_files(&mut self, control: &Control, bound: Bound, values: &[ValueOffer]) {
        for value in values {
            if let ValueOffer::File(file) = value
                && !control.filled
            {
                self.push(Operation::Attach, Action::Attach { control: bound, file: file.clone() });
            }
        }
    }

    fn offer_plain(&mut self, seen: &Observation, history: History) {
        for part in seen.parts.iter().filter(|part| part.listed < part.controls) {
            self.push(Operation::LookAt, Action::LookAt { from: part.from });
        }
        if seen.scroll.down {
            self.push(Operation::ScrollDown, Action::Scroll(Direction::Down));
        }
        if seen.scroll.up {
            self.push(Operation::ScrollUp, Action::Scroll(Direction::Up));
        }
        self.push(Operation::Wait, Action::Wait);
        if history == History::HasEarlier {
            self.push(Operation::Back, Action::Back);
        }
    }

    fn push(&mut self, operation: Operation, action: Action) {
        if self.of(operation).count() >= ENTRIES_MAX {
            self.left_out += 1;
            return;
        }
        let seed = format!("{} {} {}", self.nonce, self.entries.len(), operation.name());
        let digest = Digest::of(seed.as_bytes()).to_string();
        let hex = digest.rsplit(':').next().unwrap_or_default();
        let id = EntryId(format!("e{}", hex.get(..10).unwrap_or(hex)));
        self.entries.push(Entry { id, operation, action });
    }
}

/// The entry's control, if it has one.
#[must_use]
pub fn control_of<'o>(seen: &'o Observation, entry: &Entry) -> Option<&'o Control> {
    entry.action.bound().and_then(|bound| seen.control(bound.handle))
}

fn is_shut_link(control: &Control) -> bool {
    control.kind == ControlKind::Link && control.expanded == Tri::Off
}

fn usable(control: &Control) -> bool {
    !control.disabled && control.covered_by.is_none() && control.handle != Handle(0)
}

fn other_state(control: &Control) -> Option<Switch> {
    match control.checked {
        Tri::Off | Tri::Mixed | Tri::Absent => Some(Switch::On),
        // A radio can't be switched off by pressing it again.
        Tri::On if control.role == "radio" => None,
        Tri::On => Some(Switch::Off),
    }
}

/// The value as it would be typed into this field, if it may be and is not there already.
fn fits(seen: &Observation, control: &Control, value: &ValueOffer) -> Option<ValueSource> {
    if control.readonly {
        return None;
    }
    match value {
        ValueOffer::Text { key, text } => {
            // Compared as an observation would show it: cleaned and cut.
            let shown = PageText::read(text, VALUE_CHARS_MAX, &Scrubber::default());
            let there = control.value.as_ref().is_some_and(|now| *now == shown);
            (!control.secret_field && !there).then(|| ValueSource::Text { key: key.clone(), text: text.clone() })
        }
        ValueOffer::Secret { key, origin, field } => {
            let here = if control.frame_origin.is_empty() { seen.url.as_str() } else { control.frame_origin.as_str() };
            let same = url::Url::parse(here).is_ok_and(|url| crate::web::Origin::of(&url).as_ref() == Some(origin));
            let kind = match field {
                SecretField::Concealed => control.secret_field,
                SecretField::AnyText => true,
            };
            let shown = Scrubber::mark(key);
            let there =
                control.filled && (control.secret_field || control.value.as_ref().is_some_and(|now| now.judged() == shown));
            (same && kind && !there).then(|| ValueSource::Secret { key: key.clone() })
        }
        ValueOffer::File(_) => None,
    }
}

#[cfg(test)]
#[path = "offer_tests.rs"]
mod tests;

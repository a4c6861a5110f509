//! What was seen on a page: plain bounded data, made by `chromium/src/observe.rs` and by replay.

use clicket_journal::{Digest, canonical_json};
use serde::{Deserialize, Serialize};

use crate::permit::WidgetKey;
use crate::untrusted::PageText;
use crate::web::Origin;

/// One look at a page. Texts are cleaned, scrubbed of secrets and cut.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Address of the top document as the browser reports it, scrubbed of secrets.
    pub url: String,
    /// The document's title.
    pub title: PageText,
    /// The document's language, as it says.
    pub lang: String,
    /// Visible text.
    pub text: PageText,
    /// Visible headings, in order.
    pub headings: Vec<PageText>,
    /// Texts of open dialogs that the page draws.
    pub dialogs: Vec<PageText>,
    /// Where the page can be scrolled.
    pub scroll: Scroll,
    /// True while the page says that it is working.
    pub busy: bool,
    /// Elements walked.
    pub nodes: u64,
    /// Controls that were seen and not listed.
    pub omitted: u64,
    /// Frames that were not read: adverts, tiny ones, those beyond a bound, and those that could not be.
    pub unreadable_frames: u64,
    /// The page has more elements than one look walks; what comes after them is neither listed nor counted.
    #[serde(default)]
    pub cut_short: bool,
    /// Where the controls are that are not all listed: runs in document order, when the page has more than a look lists.
    #[serde(default)]
    pub parts: Vec<Part>,
    /// Controls: those of the part that was asked for, then in viewport, then in document order.
    pub controls: Vec<Control>,
}

/// A run of controls that one look lists together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The control that it begins with.
    pub from: Handle,
    /// How many there are.
    pub controls: u64,
    /// How many of them this look lists.
    pub listed: u64,
    /// What it begins and ends with.
    pub name: PageText,
    /// The heading above its beginning.
    pub heading: PageText,
}

impl Observation {
    /// Digest over the canonical form.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let value = serde_json::to_value(self).unwrap_or_default();
        Digest::of(canonical_json(&value).as_bytes())
    }

    /// The part that begins with this handle, if it was seen.
    #[must_use]
    pub fn part(&self, from: Handle) -> Option<&Part> {
        self.parts.iter().find(|part| part.from == from)
    }

    /// The control with this handle, if it was seen.
    #[must_use]
    pub fn control(&self, handle: Handle) -> Option<&Control> {
        self.controls.iter().find(|control| control.handle == handle)
    }
}

/// Whether there is more above and below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scroll {
    /// More above.
    pub up: bool,
    /// More below.
    pub down: bool,
}

/// A number for an element; the same for one element as long as its document lives, and never that of an element of another
/// document on the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Handle(pub u64);

/// Digest of what a control meant when it was seen: the canonical JSON of role, name, row, section, heading,
/// frame origin, destination, form and input type, exactly as the page script computed them. Secrets in those
/// strings stay in the browser's process; only this digest leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Meaning(pub Digest);

impl Default for Meaning {
    fn default() -> Self {
        Self(Digest::of(b""))
    }
}

/// What a control is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlKind {
    /// Leads somewhere.
    Link,
    /// Does something.
    Button,
    /// Takes text.
    Field,
    /// A native drop-down or list.
    Choice,
    /// On or off.
    Toggle,
    /// One entry of a widget: option, tab, menu item.
    Option,
    /// Takes keys for what is in it, and is not pressed itself.
    Widget,
    /// Listens for presses and says no more.
    #[default]
    Generic,
}

/// Three-valued state of a checkbox or pressed button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tri {
    /// It has no such state.
    #[default]
    Absent,
    /// Off.
    Off,
    /// On.
    On,
    /// Partly on.
    Mixed,
}

/// One control on the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Its number.
    pub handle: Handle,
    /// Digest of the exact meaning strings as the page script computed them, compared again at input.
    pub meaning: Meaning,
    /// What it is for.
    pub kind: ControlKind,
    /// ARIA role.
    pub role: String,
    /// Accessible name.
    pub name: PageText,
    /// Visible text, when it differs from the name.
    pub visible_text: PageText,
    /// Accessible description.
    pub description: PageText,
    /// Placeholder.
    pub placeholder: PageText,
    /// Native input type, or `textarea`, `select`, `contenteditable`, or empty.
    pub input_type: String,
    /// The `autocomplete` attribute.
    pub autocomplete: String,
    /// The `name` or `id` of a field.
    pub field_name: PageText,
    /// Current value of a field that is not secret.
    pub value: Option<PageText>,
    /// The field holds something.
    pub filled: bool,
    /// The field's value is never read.
    pub secret_field: bool,
    /// Checked state.
    pub checked: Tri,
    /// Selected state.
    pub selected: Tri,
    /// Expanded state.
    pub expanded: Tri,
    /// Pressed state.
    pub pressed: Tri,
    /// Can't be used now.
    pub disabled: bool,
    /// Can't be changed.
    pub readonly: bool,
    /// Must be filled.
    pub required: bool,
    /// Marked as wrong by the page.
    pub invalid: bool,
    /// Options of a native choice.
    pub options: Vec<OptionItem>,
    /// Resolved destination of a link, scrubbed.
    pub href: String,
    /// Target frame or window of a link or form.
    pub target: String,
    /// The link saves a file.
    pub download: bool,
    /// Pressing it submits its form.
    pub submits: bool,
    /// The form it belongs to.
    pub form: Option<FormFacts>,
    /// Text of the row, card or item around it.
    pub row: PageText,
    /// Name of the section around it.
    pub section: PageText,
    /// The heading above it.
    pub heading: PageText,
    /// Text just before it, when it has no name.
    pub near: PageText,
    /// Landmark role around it.
    pub landmark: String,
    /// Inside a dialog that the page draws.
    pub in_dialog: bool,
    /// Looks like an advert.
    pub sponsored: bool,
    /// Origin of the frame that holds it, `null` for one that has none; empty in the top document and in frames that it can read.
    pub frame_origin: String,
    /// Box in CSS pixels of the top viewport.
    pub bounds: Bounds,
    /// Inside the viewport now.
    pub in_viewport: bool,
    /// What lies over it, when no point of it can be hit.
    pub covered_by: Option<PageText>,
    /// Listens for keys.
    pub listens_for_keys: bool,
    /// Keys that a widget like it takes; none unless it has the focus.
    #[serde(default)]
    pub widget_keys: Vec<WidgetKey>,
    /// Something that is not shown now hangs from it as a menu does.
    #[serde(default)]
    pub has_menu: bool,
    /// Which of several that are otherwise equal.
    pub ordinal: Ordinal,
}

/// One option of a drop-down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionItem {
    /// Position among all options.
    pub index: u32,
    /// What a person reads.
    pub label: PageText,
    /// What the form would send.
    pub value: PageText,
    /// Chosen now.
    pub selected: bool,
    /// Can't be chosen.
    pub disabled: bool,
}

/// The form a control belongs to, as a browser would send it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormFacts {
    /// The page script's key of the form.
    pub key: u64,
    /// Effective action, resolved.
    pub action: String,
    /// Effective method, lower case.
    pub method: String,
    /// Effective encoding.
    pub enctype: String,
    /// Target frame or window.
    pub target: String,
    /// Fields, in order.
    pub fields: Vec<FormField>,
}

/// One field of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormField {
    /// Name it is sent under.
    pub name: PageText,
    /// Input type.
    pub input_type: String,
    /// Not shown to the person.
    pub hidden: bool,
    /// Holds something.
    pub filled: bool,
    /// `autocomplete` attribute.
    pub autocomplete: String,
    /// Digest of what a hidden field would send: compared with the request, shown to nobody.
    #[serde(default)]
    pub sends: Option<Digest>,
}

/// A box in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// The nth of several equal ones; `1 of 1` when unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ordinal {
    /// Which, from 1.
    pub nth: u32,
    /// Of how many.
    pub of: u32,
}

impl Default for Ordinal {
    fn default() -> Self {
        Self { nth: 1, of: 1 }
    }
}

impl Control {
    /// One line for a person: role, quoted name and where it is.
    #[must_use]
    pub fn in_words(&self) -> String {
        // A page can write any text as a role; only what looks like one stands outside quotes.
        let is_role =
            (1..=30).contains(&self.role.len()) && self.role.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let role = match (is_role, self.input_type.as_str()) {
            (true, _) => self.role.as_str(),
            (false, "password") => "password field",
            (false, _) => "control",
        };
        let shown = if self.name.is_empty() { &self.near } else { &self.name };
        let mut words = format!("{role} {}", shown.for_person());
        // An icon says nothing and its neighbours say the same of each: what tells it apart is its look.
        if self.name.is_empty() && self.kind != ControlKind::Field && !self.description.is_empty() {
            words.push_str(&format!(" described as {}", self.description.for_person()));
        }
        for (label, text) in [("in row", &self.row), ("in", &self.section)] {
            if !text.is_empty() {
                words.push_str(&format!(" {label} {}", text.for_person()));
            }
        }
        if !self.frame_origin.is_empty() {
            words.push_str(&match Origin::read(&self.frame_origin) {
                Ok(origin) => format!(" in a frame of {origin}"),
                Err(_) => " in a frame of no site".to_owned(),
            });
        }
        if self.ordinal.of > 1 {
            words.push_str(&format!(" ({} of {} alike)", self.ordinal.nth, self.ordinal.of));
        }
        words
    }
}

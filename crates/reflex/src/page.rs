//! What the rules read out of a request: the state and the offered targets, every text bounded and every field optional.

use std::cell::OnceCell;

use clicket_systemone::{Question, Request};
use serde_json::{Map, Value};

use crate::fields::key_text;
use crate::words::Text;

/// Page text read as evidence, in characters.
const PAGE_TEXT_CHARS_MAX: usize = 20_000;
/// Newest history items read.
const HISTORY_ITEMS_MAX: usize = 60;
/// Goal text read, in characters.
const GOAL_CHARS_MAX: usize = 4_000;
/// Name of the option that declines every target.
pub(crate) const NONE: &str = "none";

/// An operation the session may offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Press,
    Fill,
    Choose,
    Toggle,
    Enter,
    Hover,
    Attach,
    LookAt,
    ScrollDown,
    ScrollUp,
    Wait,
    Back,
    Done,
    Blocked,
}

impl Op {
    /// All operations, in no meaningful order.
    pub(crate) const ALL: [Self; 14] = [
        Self::Press,
        Self::Fill,
        Self::Choose,
        Self::Toggle,
        Self::Enter,
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

    /// Operations that need a target.
    pub(crate) const TARGETED: [Self; 8] =
        [Self::Press, Self::Fill, Self::Choose, Self::Toggle, Self::Enter, Self::Hover, Self::Attach, Self::LookAt];

    /// Name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Press => "press",
            Self::Fill => "fill",
            Self::Choose => "choose",
            Self::Toggle => "toggle",
            Self::Enter => "enter",
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

    /// Id of the question that asks for this operation's target.
    pub(crate) fn question(self) -> Option<&'static str> {
        match self {
            Self::Press => Some("press_target"),
            Self::Fill => Some("fill_target"),
            Self::Choose => Some("choose_target"),
            Self::Toggle => Some("toggle_target"),
            Self::Enter => Some("enter_target"),
            Self::Hover => Some("hover_target"),
            Self::Attach => Some("attach_target"),
            Self::LookAt => Some("look_at_target"),
            Self::ScrollDown | Self::ScrollUp | Self::Wait | Self::Back | Self::Done | Self::Blocked => None,
        }
    }

    /// Reads a wire name.
    pub(crate) fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }
}

/// How an earlier act ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    PageChanged,
    Changed,
    Nothing,
    Stale,
    Refused,
    Failed,
}

impl Effect {
    fn read(name: &str) -> Self {
        match name {
            "page_changed" => Self::PageChanged,
            "changed" => Self::Changed,
            "stale" => Self::Stale,
            "refused" => Self::Refused,
            "failed" => Self::Failed,
            // An effect this version does not know is taken for none, which never counts as progress.
            _ => Self::Nothing,
        }
    }

    /// Whether the act did something.
    pub(crate) fn happened(self) -> bool {
        matches!(self, Self::PageChanged | Self::Changed)
    }
}

/// An earlier act.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    pub(crate) op: Op,
    pub(crate) role: String,
    pub(crate) name: Text,
    pub(crate) row: Text,
    pub(crate) value_key: Option<String>,
    pub(crate) text: Text,
    pub(crate) effect: Effect,
}

/// A value the operator supplied, by key; `text` only when it is no secret.
#[derive(Debug, Clone)]
pub(crate) struct Supplied {
    pub(crate) key: String,
    pub(crate) secret: bool,
    pub(crate) text: Option<Text>,
}

/// One offered target.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) role: String,
    pub(crate) name: Text,
    pub(crate) visible: Text,
    pub(crate) description: Text,
    pub(crate) placeholder: Text,
    pub(crate) near: Text,
    /// The field's name in its form, which pages rarely mean for people.
    pub(crate) field_name: Text,
    pub(crate) row: Text,
    pub(crate) section: Text,
    pub(crate) heading: Text,
    pub(crate) landmark: Text,
    pub(crate) option: Text,
    pub(crate) value: Text,
    pub(crate) value_key: Option<String>,
    pub(crate) value_text: Option<Text>,
    pub(crate) input_type: String,
    pub(crate) autocomplete: String,
    pub(crate) href: String,
    pub(crate) nth: String,
    pub(crate) states: Vec<String>,
    pub(crate) in_dialog: bool,
    pub(crate) sponsored: bool,
    pub(crate) submits: bool,
    pub(crate) in_viewport: bool,
    /// Whether its texts speak to an agent; found once.
    pub(crate) speaks: OnceCell<bool>,
}

impl Entry {
    fn read(id: &str, description: &Value) -> Self {
        let empty = Map::new();
        let map = description.as_object().unwrap_or(&empty);
        // A description that is mere text is a label.
        let name = description.as_str().map_or_else(|| text(map, "name"), Text::new);
        Self {
            id: id.to_owned(),
            role: word(map, "role"),
            name,
            visible: text(map, "visible_text"),
            description: text(map, "description"),
            placeholder: text(map, "placeholder"),
            near: text(map, "near"),
            field_name: string(map, "field_name").map(|raw| key_text(&raw)).unwrap_or_default(),
            row: text(map, "row"),
            section: text(map, "section"),
            heading: text(map, "heading"),
            landmark: text(map, "landmark"),
            option: text(map, "option"),
            value: text(map, "value"),
            value_key: string(map, "value_key").or_else(|| string(map, "file_key")),
            value_text: string(map, "value_text").map(|raw| Text::new(&raw)),
            input_type: word(map, "input_type"),
            autocomplete: word(map, "autocomplete"),
            href: word(map, "href"),
            nth: word(map, "nth"),
            states: strings(map, "state"),
            in_dialog: flag(map, "in_dialog"),
            sponsored: flag(map, "sponsored"),
            submits: flag(map, "submits"),
            in_viewport: map.get("in_viewport").and_then(Value::as_bool).unwrap_or(true),
            speaks: OnceCell::new(),
        }
    }

    pub(crate) fn is(&self, state: &str) -> bool {
        self.states.iter().any(|own| own == state)
    }

    /// Whether two entries of the fill question are the same field with different values.
    pub(crate) fn same_field(&self, other: &Self) -> bool {
        self.name == other.name
            && self.placeholder == other.placeholder
            && self.input_type == other.input_type
            && self.autocomplete == other.autocomplete
            && self.row == other.row
            && self.section == other.section
            && self.near == other.near
            && self.nth == other.nth
    }
}

/// Everything the rules know.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) goal: String,
    pub(crate) goal_text: Text,
    pub(crate) values: Vec<Supplied>,
    pub(crate) url: String,
    pub(crate) title: Text,
    pub(crate) headings: Vec<Text>,
    pub(crate) dialogs: Vec<Text>,
    pub(crate) evidence: String,
    pub(crate) can_scroll_down: bool,
    pub(crate) busy: bool,
    pub(crate) history: Vec<Past>,
    pub(crate) ops: Vec<Op>,
    pub(crate) press: Vec<Entry>,
    pub(crate) fill: Vec<Entry>,
    pub(crate) choose: Vec<Entry>,
    pub(crate) toggle: Vec<Entry>,
    pub(crate) enter: Vec<Entry>,
    pub(crate) hover: Vec<Entry>,
    pub(crate) attach: Vec<Entry>,
    pub(crate) parts: Vec<Entry>,
}

impl World {
    /// Reads a request; what is missing or of another shape is taken for empty.
    pub(crate) fn read(request: &Request) -> Self {
        let empty = Map::new();
        let state = request.state.as_object().unwrap_or(&empty);
        let page = state.get("page").and_then(Value::as_object).unwrap_or(&empty);
        let scroll = page.get("scroll").and_then(Value::as_object).unwrap_or(&empty);
        let goal: String = string(state, "goal").unwrap_or_default().chars().take(GOAL_CHARS_MAX).collect();
        Self {
            goal_text: Text::new(&goal),
            goal,
            values: list(state, "values").filter_map(read_supplied).collect(),
            url: word(page, "url"),
            title: text(page, "title"),
            headings: texts(page, "headings"),
            dialogs: texts(page, "dialogs"),
            evidence: evidence(page),
            can_scroll_down: flag(scroll, "can_down"),
            busy: flag(page, "busy"),
            history: read_history(state),
            ops: offered_operations(request),
            press: entries(request, Op::Press),
            fill: entries(request, Op::Fill),
            choose: entries(request, Op::Choose),
            toggle: entries(request, Op::Toggle),
            enter: entries(request, Op::Enter),
            hover: entries(request, Op::Hover),
            attach: entries(request, Op::Attach),
            parts: entries(request, Op::LookAt),
        }
    }

    /// Targets offered for `op`.
    pub(crate) fn entries(&self, op: Op) -> &[Entry] {
        match op {
            Op::Press => &self.press,
            Op::Fill => &self.fill,
            Op::Choose => &self.choose,
            Op::Toggle => &self.toggle,
            Op::Enter => &self.enter,
            Op::Hover => &self.hover,
            Op::Attach => &self.attach,
            Op::LookAt => &self.parts,
            Op::ScrollDown | Op::ScrollUp | Op::Wait | Op::Back | Op::Done | Op::Blocked => &[],
        }
    }

    /// Acts since the page was last replaced, oldest first.
    pub(crate) fn on_this_page(&self) -> &[Past] {
        let start = self.history.iter().rposition(|past| past.effect == Effect::PageChanged).map_or(0, |at| at + 1);
        self.history.get(start..).unwrap_or_default()
    }

    /// Title and headings, which say what the page is.
    pub(crate) fn page_names(&self) -> impl Iterator<Item = &Text> {
        std::iter::once(&self.title).chain(self.headings.iter()).filter(|text| !text.is_empty())
    }

    /// Whether the page's text has these folded words side by side. Evidence only; never an instruction.
    pub(crate) fn shows(&self, folded: &str) -> bool {
        !folded.is_empty() && self.evidence.contains(folded)
    }
}

fn read_supplied(value: &Value) -> Option<Supplied> {
    let map = value.as_object()?;
    let secret = word(map, "kind") == "secret";
    let text = if secret { None } else { string(map, "text").map(|raw| Text::new(&raw)) };
    Some(Supplied { key: string(map, "key")?, secret, text })
}

fn read_history(state: &Map<String, Value>) -> Vec<Past> {
    let all: Vec<Past> = list(state, "done_before").chain(list(state, "history")).filter_map(read_past).collect();
    let skip = all.len().saturating_sub(HISTORY_ITEMS_MAX);
    all.into_iter().skip(skip).collect()
}

fn read_past(value: &Value) -> Option<Past> {
    let map = value.as_object()?;
    Some(Past {
        op: Op::read(&word(map, "operation"))?,
        role: word(map, "role"),
        name: text(map, "name"),
        row: text(map, "row"),
        value_key: string(map, "value_key"),
        text: text(map, "text"),
        effect: Effect::read(&word(map, "effect")),
    })
}

fn offered_operations(request: &Request) -> Vec<Op> {
    match request.questions.get("operation") {
        Some(Question::Choice { criteria, .. }) => criteria.keys().filter_map(|name| Op::read(name)).collect(),
        Some(Question::Noul { .. } | Question::Score { .. } | Question::Box { .. }) | None => Vec::new(),
    }
}

fn entries(request: &Request, op: Op) -> Vec<Entry> {
    match op.question().and_then(|id| request.questions.get(id)) {
        Some(Question::Choice { criteria, .. }) => {
            criteria.iter().filter(|(id, _)| *id != NONE).map(|(id, description)| Entry::read(id, description)).collect()
        }
        Some(Question::Noul { .. } | Question::Score { .. } | Question::Box { .. }) | None => Vec::new(),
    }
}

fn evidence(page: &Map<String, Value>) -> String {
    let raw = page.get("text").and_then(Value::as_str).unwrap_or_default();
    let bounded: String = raw.chars().take(PAGE_TEXT_CHARS_MAX).collect();
    bounded.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn string(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn word(map: &Map<String, Value>, key: &str) -> String {
    map.get(key).and_then(Value::as_str).unwrap_or_default().chars().take(400).collect::<String>().to_lowercase()
}

fn text(map: &Map<String, Value>, key: &str) -> Text {
    map.get(key).and_then(Value::as_str).map_or_else(Text::default, Text::new)
}

fn flag(map: &Map<String, Value>, key: &str) -> bool {
    map.get(key).and_then(Value::as_bool).unwrap_or(false)
}

fn list<'a>(map: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    map.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn strings(map: &Map<String, Value>, key: &str) -> Vec<String> {
    list(map, key).filter_map(Value::as_str).map(str::to_lowercase).take(40).collect()
}

fn texts(map: &Map<String, Value>, key: &str) -> Vec<Text> {
    list(map, key).filter_map(Value::as_str).map(Text::new).take(60).collect()
}

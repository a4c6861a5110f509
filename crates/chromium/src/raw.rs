//! What the page's script says, as it says it: every part optional, no size believed.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawObservation {
    pub(crate) title: String,
    pub(crate) lang: String,
    pub(crate) text: String,
    pub(crate) headings: Vec<String>,
    pub(crate) dialogs: Vec<String>,
    pub(crate) can_scroll_up: bool,
    pub(crate) can_scroll_down: bool,
    pub(crate) busy: bool,
    pub(crate) nodes: u64,
    pub(crate) truncated: bool,
    pub(crate) parts: Vec<RawPart>,
    pub(crate) omitted: u64,
    pub(crate) unreadable_frames: Vec<RawFrame>,
    pub(crate) controls: Vec<RawControl>,
}

/// A run of controls that are not all listed.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct RawPart {
    /// Key of the control that it begins with.
    pub(crate) from: u64,
    pub(crate) controls: u64,
    pub(crate) listed: u64,
    pub(crate) name: String,
    pub(crate) heading: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawControl {
    pub(crate) key: u64,
    pub(crate) kind: String,
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) visible_text: String,
    pub(crate) description: String,
    pub(crate) placeholder: String,
    pub(crate) input_type: String,
    pub(crate) autocomplete: String,
    pub(crate) field_name: String,
    pub(crate) value: Option<String>,
    pub(crate) filled: bool,
    pub(crate) secret: bool,
    pub(crate) checked: RawTri,
    pub(crate) selected: RawTri,
    pub(crate) expanded: RawTri,
    pub(crate) pressed: RawTri,
    pub(crate) disabled: bool,
    pub(crate) readonly: bool,
    pub(crate) required: bool,
    pub(crate) invalid: bool,
    pub(crate) options: Option<Vec<RawOption>>,
    pub(crate) href: String,
    pub(crate) target: String,
    pub(crate) download: bool,
    pub(crate) submits: bool,
    pub(crate) form: Option<RawForm>,
    pub(crate) row: String,
    pub(crate) section: String,
    pub(crate) heading: String,
    pub(crate) near: String,
    pub(crate) landmark: String,
    pub(crate) in_dialog: bool,
    pub(crate) sponsored: bool,
    pub(crate) frame_origin: String,
    /// Hidden values that its form would send; they stay in this process.
    pub(crate) carried: String,
    #[serde(rename = "box")]
    pub(crate) bounds: RawBox,
    pub(crate) in_viewport: bool,
    pub(crate) covered: Option<String>,
    /// Where it can be pressed.
    pub(crate) points: Vec<RawPoint>,
    pub(crate) keys: bool,
    pub(crate) widget_keys: Vec<String>,
    pub(crate) has_menu: bool,
    pub(crate) nth: u32,
    pub(crate) of: u32,
}

impl RawControl {
    /// The meaning as the page's script will compute it again: the exact strings, not yet cleaned or cut.
    pub(crate) fn meaning(&self) -> Value {
        let (action, method) = self.form.as_ref().map_or(("", ""), |form| (&form.action, &form.method));
        json!({
            "role": self.role, "name": self.name, "row": self.row, "section": self.section, "heading": self.heading,
            "frameOrigin": self.frame_origin, "href": self.href, "formAction": action, "formMethod": method,
            "inputType": self.input_type, "carried": self.carried,
        })
    }
}

/// `null`, `true`, `false` or `"mixed"`.
#[derive(Deserialize, Default)]
#[serde(untagged)]
pub(crate) enum RawTri {
    Known(bool),
    Word(String),
    #[default]
    Absent,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct RawOption {
    pub(crate) index: u32,
    pub(crate) label: String,
    pub(crate) value: String,
    pub(crate) selected: bool,
    pub(crate) disabled: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct RawForm {
    pub(crate) key: u64,
    pub(crate) action: String,
    pub(crate) method: String,
    pub(crate) enctype: String,
    pub(crate) target: String,
    pub(crate) fields: Vec<RawField>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct RawField {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) hidden: bool,
    pub(crate) filled: bool,
    pub(crate) autocomplete: String,
    /// What a hidden field would send; it stays in this process.
    pub(crate) sends: Option<String>,
}

/// A point of the top viewport, CSS pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RawPoint {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl RawPoint {
    pub(crate) fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

/// A frame that the document around it cannot read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct RawFrame {
    /// Key of its element.
    pub(crate) key: u64,
    pub(crate) tiny: bool,
    pub(crate) sponsored: bool,
    #[serde(flatten)]
    pub(crate) place: RawPlace,
}

/// Where a frame's viewport lies in the top one, at what scale, and what of it shows; CSS pixels of the top viewport.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawPlace {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) scale_x: f64,
    pub(crate) scale_y: f64,
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl RawPlace {
    fn numbers(self) -> [f64; 8] {
        [self.x, self.y, self.scale_x, self.scale_y, self.left, self.top, self.right, self.bottom]
    }

    pub(crate) fn is_sane(self) -> bool {
        self.numbers().iter().all(|number| number.is_finite()) && self.scale_x > 0.0 && self.scale_y > 0.0
    }

    /// Nothing of it moved by as much as this.
    pub(crate) fn is_near(self, other: RawPlace, px: f64) -> bool {
        self.numbers().iter().zip(other.numbers()).all(|(one, other)| (one - other).abs() < px)
    }

    /// What of it shows.
    pub(crate) fn shown(self) -> RawBox {
        RawBox { x: self.left, y: self.top, width: (self.right - self.left).max(0.0), height: (self.bottom - self.top).max(0.0) }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct RawBox {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

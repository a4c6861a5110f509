//! Permits: the only things that let hands or edge do anything. Made by the gate, spent by value.

use clicket_journal::{Digest, Receipt};
use serde::{Deserialize, Serialize};

use crate::dialog::Dialog;
use crate::download::FileFacts;
use crate::effect::RequestImage;
use crate::observation::{Handle, Meaning};
use crate::shape::Remembered;

/// One thing that may be done on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Press a link, button or other control.
    Press {
        /// Which.
        control: Bound,
    },
    /// Replace a field's content.
    Fill {
        /// Which.
        control: Bound,
        /// With what.
        value: ValueSource,
    },
    /// Choose an option of a native drop-down.
    Choose {
        /// Which.
        control: Bound,
        /// Position of the option.
        option: u32,
        /// Its label, compared again in the page.
        label: String,
    },
    /// Switch a checkbox, radio or switch.
    Toggle {
        /// Which.
        control: Bound,
        /// To which state.
        to: Switch,
    },
    /// Press Enter in a field.
    Enter {
        /// Which.
        control: Bound,
    },
    /// Press one key in the widget that has the focus.
    Key {
        /// Which widget.
        control: Bound,
        /// Which key.
        key: WidgetKey,
    },
    /// Bring the pointer over a control and leave it there, so that its menu opens.
    Hover {
        /// Which.
        control: Bound,
    },
    /// Put a file that the operator supplied into a file field.
    Attach {
        /// Which.
        control: Bound,
        /// Which file.
        file: FileSource,
    },
    /// Say yes to a native dialog that is open now.
    AcceptDialog {
        /// Which.
        dialog: Dialog,
    },
    /// Have the next look list the part of the page that begins with this control; nothing on the page is touched.
    LookAt {
        /// Which.
        from: Handle,
    },
    /// Scroll by most of a viewport.
    Scroll(Direction),
    /// Wait for the page.
    Wait,
    /// One entry back in history.
    Back,
    /// Open an address: one that the operator gave, or one that our own act opened a window for.
    Navigate {
        /// Where to.
        url: String,
    },
}

/// A state to bring a toggle to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// Checked.
    On,
    /// Not checked.
    Off,
}

/// A key that moves in a widget or shuts it; it writes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WidgetKey {
    /// Escape.
    Escape,
    /// Arrow down.
    ArrowDown,
    /// Arrow up.
    ArrowUp,
    /// Arrow left.
    ArrowLeft,
    /// Arrow right.
    ArrowRight,
}

impl WidgetKey {
    /// Its name, as browsers have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Escape => "Escape",
            Self::ArrowDown => "ArrowDown",
            Self::ArrowUp => "ArrowUp",
            Self::ArrowLeft => "ArrowLeft",
            Self::ArrowRight => "ArrowRight",
        }
    }
}

/// A direction to scroll in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Towards the start.
    Up,
    /// Towards the end.
    Down,
}

/// A control together with what it meant when it was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// The page script's key.
    pub handle: Handle,
    /// Digest of role, name, row, section, heading, frame origin, destination and form as observed.
    pub meaning: Meaning,
}

/// Where a typed value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ValueSource {
    /// Text the operator supplied under a key, or quoted in the goal.
    Text {
        /// The key, if it has one.
        key: Option<String>,
        /// What is typed.
        text: String,
    },
    /// A secret, by key; only the hands open it.
    Secret {
        /// The key.
        key: String,
    },
}

/// A file of the operator's, as permits name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSource {
    /// The operator's key for it.
    pub key: String,
    /// Its name, as the page will see it.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// SHA-256 of its content.
    pub sha256: Digest,
}

impl Action {
    /// The control it is done on, if any.
    #[must_use]
    pub fn bound(&self) -> Option<&Bound> {
        match self {
            Self::Press { control }
            | Self::Fill { control, .. }
            | Self::Choose { control, .. }
            | Self::Toggle { control, .. }
            | Self::Enter { control }
            | Self::Key { control, .. }
            | Self::Hover { control }
            | Self::Attach { control, .. } => Some(control),
            Self::AcceptDialog { .. }
            | Self::LookAt { .. }
            | Self::Scroll(_)
            | Self::Wait
            | Self::Back
            | Self::Navigate { .. } => None,
        }
    }
}

/// Leave to do one action once.
///
/// Invariant: made only by [`crate::gate`], after the journal holds the intent; not `Clone`, not
/// deserialisable, no public constructor.
///
/// ```compile_fail
/// fn twice(permit: clicket_guard::permit::ActPermit) { let again = permit.clone(); drop((permit, again)); }
/// ```
/// ```compile_fail
/// let permit: clicket_guard::permit::ActPermit = serde_json::from_str("{}").unwrap();
/// ```
/// ```compile_fail
/// fn forge(action: clicket_guard::permit::Action, receipt: clicket_journal::Receipt) -> clicket_guard::permit::ActPermit {
///     clicket_guard::permit::ActPermit { action, receipt, intent: String::new() }
/// }
/// ```
#[derive(Debug)]
pub struct ActPermit {
    pub(crate) action: Action,
    pub(crate) receipt: Receipt,
    pub(crate) intent: String,
}

impl ActPermit {
    /// What may be done.
    #[must_use]
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// Proof that the intent is on disk.
    #[must_use]
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Name of the intent, for its outcome record.
    #[must_use]
    pub fn intent(&self) -> &str {
        &self.intent
    }
}

/// Leave for one held request, byte for byte, to go out once.
///
/// Invariant: as for [`ActPermit`].
///
/// ```compile_fail
/// fn twice(permit: clicket_guard::permit::EffectPermit) { let again = permit.clone(); drop((permit, again)); }
/// ```
/// ```compile_fail
/// fn forge(image: clicket_journal::Digest, receipt: clicket_journal::Receipt) -> clicket_guard::permit::EffectPermit {
///     clicket_guard::permit::EffectPermit { image, receipt, intent: String::new() }
/// }
/// ```
#[derive(Debug)]
pub struct EffectPermit {
    pub(crate) image: Digest,
    pub(crate) receipt: Receipt,
    pub(crate) intent: String,
    pub(crate) remembered: Option<Remembered>,
}

impl EffectPermit {
    /// The shape that the person allowed for the rest of the run, when the answer said so and the class lets it.
    #[must_use]
    pub fn remembered(&self) -> Option<&Remembered> {
        self.remembered.as_ref()
    }

    /// True when it is for exactly this request.
    #[must_use]
    pub fn names(&self, image: &RequestImage) -> bool {
        self.image == image.digest()
    }

    /// Proof that the intent is on disk.
    #[must_use]
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Name of the intent, for its outcome record.
    #[must_use]
    pub fn intent(&self) -> &str {
        &self.intent
    }
}

/// Leave to take one file that a site offers, once.
///
/// Invariant: as for [`ActPermit`].
///
/// ```compile_fail
/// fn twice(permit: clicket_guard::permit::DownloadPermit) { let again = permit.clone(); drop((permit, again)); }
/// ```
#[derive(Debug)]
pub struct DownloadPermit {
    pub(crate) facts: FileFacts,
    pub(crate) receipt: Receipt,
    pub(crate) intent: String,
}

impl DownloadPermit {
    /// True when it is for exactly this file.
    #[must_use]
    pub fn names(&self, facts: &FileFacts) -> bool {
        self.facts == *facts
    }

    /// Proof that the intent is on disk.
    #[must_use]
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Name of the intent, for its outcome record.
    #[must_use]
    pub fn intent(&self) -> &str {
        &self.intent
    }
}

//! Pressing, toggling and Enter: trusted input at a point that was hit-tested, under the page's latch.

use std::time::Duration;

use clicket_guard::outcome::{Outcome, ReadBack};
use clicket_guard::permit::{Switch, WidgetKey};
use clicket_guard::secret::Secret;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::errors::PageError;
use crate::limits::{INPUT_MS, READ_BACK_MS, READ_BACK_STEP_MS};
use crate::perform::{Acted, Aim, Held, Latch, after_input, before_input, call_failed, done, judged, not_taken};
use crate::world::{FOCUS_FIELD, READ_BACK};

/// A point moves less than this between two aims when nothing moved.
const STILL_PX: f64 = 1.0;

/// What a control says of its state after the input.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ReadState {
    pub(crate) gone: bool,
    pub(crate) value: Option<String>,
    pub(crate) filled: bool,
    pub(crate) length: u64,
    pub(crate) checked: Value,
    pub(crate) selected: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Focused {
    ok: bool,
    why: String,
}

impl Browser {
    /// Presses the control once.
    pub(crate) async fn press(&self, held: &Held, secrets: &[Secret]) -> Acted<Outcome> {
        let before = self.navigations_asked(held);
        let aim = self.hover(held, Latch::Press, secrets).await?;
        self.click_at(aim).await?;
        let disarmed = self.disarm(held, before, "pressing").await?;
        Ok(disarmed.and_then(|disarmed| judged(&disarmed, secrets)).unwrap_or_else(done))
    }

    /// Presses unless it is already as asked, then reads the state back.
    pub(crate) async fn toggle(&self, held: &Held, to: Switch, secrets: &[Secret]) -> Acted<Outcome> {
        let before = self.navigations_asked(held);
        let wanted = matches!(to, Switch::On);
        let holds = |state: &ReadState| state.checked == json!(wanted);
        let now = self.read_state(held, 0).await.map_err(|error| before_input("reading the toggle", error))?;
        if holds(&now) {
            return Ok(Outcome::Done { read_back: ReadBack::Holds });
        }
        let pressed = self.press(held, secrets).await?;
        if !matches!(pressed, Outcome::Done { .. }) {
            return Ok(pressed);
        }
        self.read_back_until(held, before, holds, "it did not switch").await
    }

    /// Presses Enter in the field.
    pub(crate) async fn enter(&self, held: &Held, secrets: &[Secret]) -> Acted<Outcome> {
        let before = self.navigations_asked(held);
        if !self.take(held, Latch::Enter, secrets).await? {
            return Err(not_taken("it does not take the focus"));
        }
        if held.control.input_type == "contenteditable" || held.control.input_type == "textarea" {
            // Focusing selects everything; Enter would replace it.
            self.keys(&[Key::named("End", 35)]).await?;
        }
        self.keys(&[Key::enter()]).await?;
        let disarmed = self.disarm(held, before, "pressing Enter").await?;
        Ok(disarmed.and_then(|disarmed| judged(&disarmed, secrets)).unwrap_or_else(done))
    }

    /// Presses a key in the widget that has the focus; it goes nowhere else, and the focus is not moved for it.
    pub(crate) async fn widget_key(&self, held: &Held, key: WidgetKey, secrets: &[Secret]) -> Acted<Outcome> {
        let before = self.navigations_asked(held);
        if !self.take(held, Latch::Key, secrets).await? {
            self.disarm(held, before, "pressing a key").await?;
            return Err(not_taken("it no longer has the focus"));
        }
        self.keys(&[Key::named(key.name(), code_of(key))]).await?;
        let disarmed = self.disarm(held, before, "pressing a key").await?;
        Ok(disarmed.and_then(|disarmed| judged(&disarmed, secrets)).unwrap_or_else(done))
    }

    /// Brings the pointer over the control and leaves it there: what the page shows under a pointer stays to be seen.
    pub(crate) async fn point_at(&self, held: &Held, secrets: &[Secret]) -> Acted<Outcome> {
        let before = self.navigations_asked(held);
        let aim = self.arm(held, Latch::Press, secrets).await?.aim;
        self.move_to(aim).await?;
        self.disarm(held, before, "pointing").await?;
        Ok(done())
    }

    /// Moves the pointer to the control and aims again: what appears under a pointer is seen before it is pressed. The move
    /// is answered when the page's frame has taken it; what appears still later meets the latch. The pointer sets out for
    /// where the control was seen while the first aim is taken, since a frame is long.
    pub(crate) async fn hover(&self, held: &Held, latch: Latch, secrets: &[Secret]) -> Acted<Aim> {
        let (set_out, first) = match held.control.seen_at {
            Some(seen_at) => {
                let (moved, first) = tokio::join!(self.move_to(seen_at), self.arm(held, latch, secrets));
                (moved.ok().map(|()| seen_at), first?.aim)
            }
            None => (None, self.arm(held, latch, secrets).await?.aim),
        };
        if set_out.is_none_or(|seen_at| far(seen_at, first)) {
            self.move_to(first).await?;
        }
        let second = self.arm(held, latch, secrets).await?.aim;
        if far(first, second) {
            self.move_to(second).await?;
        }
        Ok(second)
    }

    async fn move_to(&self, aim: Aim) -> Acted<()> {
        let moved = json!({ "type": "mouseMoved", "x": aim.x, "y": aim.y });
        let call = self.page_call_within::<IgnoredAny>("Input.dispatchMouseEvent", moved, INPUT_MS);
        call.await.map(drop).map_err(|error| call_failed("moving the pointer", error))
    }

    /// Both halves go out back to back: waiting between them would wait for a frame.
    pub(crate) async fn click_at(&self, aim: Aim) -> Acted<()> {
        let half = |kind: &str, buttons: u8| json!({ "type": kind, "x": aim.x, "y": aim.y, "button": "left", "buttons": buttons, "clickCount": 1 });
        let halves = vec![half("mousePressed", 1), half("mouseReleased", 0)];
        self.inputs("Input.dispatchMouseEvent", halves, "pressing").await
    }

    /// Focuses the field in its own document and selects what it holds.
    pub(crate) async fn focus(&self, held: &Held, doing: &str) -> Acted<()> {
        let focused: Result<Focused, PageError> = self.in_document(held, FOCUS_FIELD, [json!(held.key)]).await;
        match focused {
            Ok(Focused { ok: true, .. }) => Ok(()),
            Ok(Focused { why, .. }) if why == "gone" => Err(Outcome::Gone),
            Ok(_) => Err(not_taken("it does not take the focus")),
            Err(error) => Err(after_input(doing, &error)),
        }
    }

    /// Sends keys back to back.
    pub(crate) async fn keys(&self, keys: &[Key]) -> Acted<()> {
        let events = keys.iter().flat_map(Key::events).collect();
        self.inputs("Input.dispatchKeyEvent", events, "typing").await
    }

    async fn inputs(&self, method: &'static str, events: Vec<Value>, doing: &str) -> Acted<()> {
        let mut pending = Vec::with_capacity(events.len());
        for event in events {
            let call = self.connection.start(Some(&self.session), method, event);
            pending.push(call.map_err(|error| call_failed(doing, error))?);
        }
        for call in pending {
            call.within::<IgnoredAny>(INPUT_MS).await.map_err(|error| call_failed(doing, error))?;
        }
        self.note_input();
        Ok(())
    }

    pub(crate) async fn read_state(&self, held: &Held, chars_max: usize) -> Result<ReadState, PageError> {
        self.in_document(held, READ_BACK, [json!(held.key), json!(chars_max)]).await
    }

    /// Reads back until it holds; pages that redraw need a moment. A document that went away leaves nothing to read.
    pub(crate) async fn read_back_until(
        &self,
        held: &Held,
        asked_before: u64,
        holds: impl Fn(&ReadState) -> bool + Send,
        otherwise: &str,
    ) -> Acted<Outcome> {
        let mut waited = Duration::ZERO;
        loop {
            let Some(read) = self.unless_navigating(held, asked_before, self.read_state(held, 0)).await else {
                return Ok(done());
            };
            match read {
                Ok(state) if state.gone => return Ok(done()),
                Ok(state) if holds(&state) => return Ok(Outcome::Done { read_back: ReadBack::Holds }),
                Ok(_) if waited >= READ_BACK_MS => return Ok(not_taken(otherwise)),
                Ok(_) => {}
                Err(PageError::NoDocument) => return Ok(done()),
                Err(error) => return Err(after_input("reading back", &error)),
            }
            tokio::time::sleep(READ_BACK_STEP_MS).await;
            waited += READ_BACK_STEP_MS;
        }
    }
}

/// As in the tables of virtual key codes.
fn code_of(key: WidgetKey) -> u32 {
    match key {
        WidgetKey::Escape => 27,
        WidgetKey::ArrowLeft => 37,
        WidgetKey::ArrowUp => 38,
        WidgetKey::ArrowRight => 39,
        WidgetKey::ArrowDown => 40,
    }
}

fn far(one: Aim, other: Aim) -> bool {
    (one.x - other.x).abs() > STILL_PX || (one.y - other.y).abs() > STILL_PX
}

/// One key, as a keyboard gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    name: String,
    code: u32,
    text: Option<String>,
}

impl Key {
    /// A key that writes nothing.
    pub(crate) fn named(name: &str, code: u32) -> Key {
        Key { name: name.to_owned(), code, text: None }
    }

    pub(crate) fn enter() -> Key {
        Key { name: "Enter".to_owned(), code: 13, text: Some("\r".to_owned()) }
    }

    /// The key that writes this character. Characters without a key of their own have no key code, as with an input method.
    pub(crate) fn of(letter: char) -> Key {
        let upper = letter.to_ascii_uppercase();
        let code = if upper.is_ascii_alphanumeric() || upper == ' ' { u32::from(upper) } else { 0 };
        Key { name: letter.to_string(), code, text: Some(letter.to_string()) }
    }

    fn events(&self) -> [Value; 2] {
        let physical = match self.code {
            code @ 65..=90 => format!("Key{}", char::from_u32(code).unwrap_or_default()),
            code @ 48..=57 => format!("Digit{}", char::from_u32(code).unwrap_or_default()),
            32 => "Space".to_owned(),
            0 => String::new(),
            _ => self.name.clone(),
        };
        let mut down = json!({
            "type": if self.text.is_some() { "keyDown" } else { "rawKeyDown" },
            "key": self.name, "code": physical, "windowsVirtualKeyCode": self.code,
        });
        if let Some(text) = &self.text {
            down["text"] = json!(text);
            down["unmodifiedText"] = json!(text);
        }
        let up = json!({ "type": "keyUp", "key": self.name, "code": physical, "windowsVirtualKeyCode": self.code });
        [down, up]
    }
}

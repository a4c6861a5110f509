//! Looks at the page: one pass of the page's script, helped by DevTools for what a script cannot see, made into a bounded
//! observation.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clicket_guard::limits::{ENTRIES_MAX, NAME_CHARS_MAX, OPTIONS_MAX, PAGE_TEXT_CHARS_MAX, VALUE_CHARS_MAX};
use clicket_guard::observation::{
    Bounds, Control, ControlKind, FormFacts, FormField, Handle, Meaning, Observation, OptionItem, Ordinal, Scroll, Tri,
};
use clicket_guard::secret::Scrubber;
use clicket_guard::untrusted::{PageText, clean};
use clicket_journal::{Digest, canonical_json};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::browser::Browser;
use crate::errors::PageError;
use crate::frames::{FrameLooks, Path};
use crate::limits::{
    CALL_MS, CONFIRMED_MS, DIALOG_CHARS_MAX, FORM_FIELDS_MAX, FRAME_NUMBERS_MAX, FRAME_TEXT_CHARS_MAX, HEADINGS_MAX, LOOKS_MAX,
    OBSERVE_MS, URL_CHARS_MAX, WORD_CHARS_MAX,
};
use crate::perform::Aim;
use crate::raw::{RawBox, RawControl, RawForm, RawObservation, RawOption, RawPlace, RawTri};
use crate::router::Router;
use crate::state::World;
use crate::world::{AS_SEEN, Argument, OBSERVE};

/// What is kept of a control between the look and the act. It stays in this process: the strings may hold secrets that a
/// page echoes.
#[derive(Debug, Clone)]
pub(crate) struct Remembered {
    /// The exact meaning, for the page's script to compare.
    pub(crate) bound: Value,
    pub(crate) meaning: Meaning,
    pub(crate) input_type: String,
    pub(crate) frame_origin: String,
    pub(crate) secret_field: bool,
    /// Where it could be pressed.
    pub(crate) seen_at: Option<Aim>,
    pub(crate) listens_for_keys: bool,
    /// A frame of another origin is on the page: it can take the focus, and with it keys that are typed one by one.
    pub(crate) beside_foreign_frames: bool,
    /// The document that holds it, its key there, and the way to that document; an act goes there or nowhere.
    pub(crate) world: World,
    pub(crate) key: u64,
    pub(crate) path: Path,
    /// Position, exact label, and label as it was offered.
    pub(crate) options: Vec<(u32, String, String)>,
}

/// The controls of the last look, by handle.
pub(crate) type Memory = HashMap<Handle, Remembered>;

/// What a look found, and in which documents.
pub(crate) struct LookAhead {
    world: World,
    raw: RawObservation,
    pub(crate) frames: FrameLooks,
    /// When the page last said that it still looks so, and how often the browser had told of something by then.
    confirmed: Option<(Instant, u64)>,
}

impl LookAhead {
    pub(crate) fn confirm(&mut self, router: &Router) {
        self.confirmed = Some((Instant::now(), router.told()));
    }

    /// Said just now, and nothing was heard of the browser since.
    fn is_fresh(&self, router: &Router) -> bool {
        self.confirmed.is_some_and(|(at, told)| at.elapsed() < CONFIRMED_MS && told == router.told())
    }
}

/// Which document a control was found in.
struct Found<'a> {
    world: &'a World,
    path: &'a Path,
    /// Zero for the page's own; keys of different documents never collide in a handle.
    number: u32,
    beside_foreign_frames: bool,
}

impl Found<'_> {
    fn handle(&self, key: u64) -> u64 {
        // Keys count from one and do not come near 32 bits; what is cut off could not be pressed anyway.
        (u64::from(self.number) << 32) | (key & u64::from(u32::MAX))
    }
}

impl Browser {
    /// Looks at the page, in at most about seven seconds. Known secrets are taken out of everything that is handed on.
    ///
    /// # Errors
    /// A page that is frozen, crashed or without a document, and an answer above its cap.
    pub async fn observe(&mut self, scrub: &Scrubber) -> Result<Observation, PageError> {
        self.let_dialogs_go();
        let mut last = PageError::NoDocument;
        if let Some(look) = self.ahead.take()
            && self.is_as_seen(&look).await
        {
            return Ok(self.remember(&look, scrub));
        }
        for _ in 0..LOOKS_MAX {
            match self.look().await {
                Ok(look) => return Ok(self.remember(&look, scrub)),
                Err(PageError::NoDocument) => last = PageError::NoDocument,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// True while a look at this document would find what the last one found. Every doubt is a no.
    async fn is_as_seen(&self, look: &LookAhead) -> bool {
        let present = self.router.state().world.as_ref() == Some(&look.world);
        // A frame changes without a word to the page.
        let alone = look.frames.looks.is_empty() && look.raw.unreadable_frames.is_empty();
        if !alone || !present {
            return false;
        }
        look.is_fresh(&self.router)
            || self.page_function_in::<bool>(&look.world, AS_SEEN, Vec::new(), CALL_MS).await.unwrap_or(false)
    }

    pub(crate) async fn look(&self) -> Result<LookAhead, PageError> {
        let world = self.world().await?;
        let looked = self.look_in(&world, None, OBSERVE_MS).await;
        self.release_handles(&world);
        let raw = looked?;
        let frames = self.look_into_frames(&world, &raw).await;
        Ok(LookAhead { world, raw, frames, confirmed: None })
    }

    /// One pass of the script in one document; a frame's is told where it stands.
    pub(crate) async fn look_in(
        &self,
        world: &World,
        place: Option<RawPlace>,
        deadline: Duration,
    ) -> Result<RawObservation, PageError> {
        let unseen = self.unseen(world).await?;
        let text_chars_max = if place.is_some() { FRAME_TEXT_CHARS_MAX } else { PAGE_TEXT_CHARS_MAX };
        let options = json!({
            "controlsMax": ENTRIES_MAX, "textCharsMax": text_chars_max, "nameCharsMax": NAME_CHARS_MAX,
            "optionsMax": OPTIONS_MAX, "closed": unseen.closed.len(), "place": place,
        });
        let elements = unseen.closed.into_iter().chain(unseen.pressed).map(Argument::Element);
        let arguments = std::iter::once(Argument::Plain(options)).chain(elements).collect();
        self.page_function_in(world, OBSERVE, arguments, deadline).await
    }

    fn remember(&mut self, look: &LookAhead, scrub: &Scrubber) -> Observation {
        self.scrub = scrub.clone();
        let url = scrub.scrub(&self.url()).into_owned();
        self.memory = Memory::new();
        let LookAhead { raw, frames, .. } = look;
        let (listed, beyond) = self.listed(look);
        let mut controls = Vec::with_capacity(listed.len());
        let mut memory = Memory::with_capacity(listed.len());
        for (control, found) in listed {
            let (seen, remembered) = read_control(control, &found, scrub);
            memory.insert(seen.handle, remembered);
            controls.push(seen);
        }
        self.memory = memory;
        let in_frames =
            |count: fn(&RawObservation) -> u64| frames.looks.iter().fold(0u64, |sum, look| sum.saturating_add(count(&look.raw)));
        let texts = |list: &[String], chars_max| -> Vec<PageText> {
            list.iter().take(HEADINGS_MAX).map(|text| PageText::read(text, chars_max, scrub)).collect()
        };
        Observation {
            url,
            title: PageText::read(&raw.title, NAME_CHARS_MAX, scrub),
            lang: word(&raw.lang, scrub),
            text: PageText::read(&text_of(look), PAGE_TEXT_CHARS_MAX, scrub),
            headings: texts(&raw.headings, NAME_CHARS_MAX),
            dialogs: texts(&raw.dialogs, DIALOG_CHARS_MAX),
            scroll: Scroll { up: raw.can_scroll_up, down: raw.can_scroll_down },
            busy: raw.busy,
            nodes: raw.nodes.saturating_add(in_frames(|raw| raw.nodes)),
            omitted: raw.omitted.saturating_add(in_frames(|raw| raw.omitted)).saturating_add(beyond),
            unreadable_frames: frames.unread,
            controls,
        }
    }

    /// What is listed, of all documents: in view first, then as the page and its frames have them; and how many are left out.
    fn listed<'a>(&mut self, look: &'a LookAhead) -> (Vec<(&'a RawControl, Found<'a>)>, u64) {
        let page_path = NO_PATH.get_or_init(Path::default);
        let beside_foreign_frames = !look.raw.unreadable_frames.is_empty();
        let page = look
            .raw
            .controls
            .iter()
            .map(|control| (control, Found { world: &look.world, path: page_path, number: 0, beside_foreign_frames }));
        let mut all: Vec<(&RawControl, Found<'_>)> = page.collect();
        self.number_frames(&look.frames);
        for frame in &look.frames.looks {
            let Some(number) = self.frame_numbers.get(&frame.world.unique_id).copied() else { continue };
            all.extend(
                frame.raw.controls.iter().map(|control| {
                    (control, Found { world: &frame.world, path: &frame.path, number, beside_foreign_frames: true })
                }),
            );
        }
        all.sort_by_key(|(control, _)| !control.in_viewport);
        let beyond = u64::try_from(all.len().saturating_sub(ENTRIES_MAX)).unwrap_or(u64::MAX);
        all.truncate(ENTRIES_MAX);
        (all, beyond)
    }

    /// Each document of a frame keeps its number for as long as it lives.
    fn number_frames(&mut self, frames: &FrameLooks) {
        let router = Arc::clone(&self.router);
        let state = router.state();
        let live: HashSet<&str> = frames.looks.iter().map(|look| look.world.unique_id.as_str()).collect();
        self.frame_numbers.retain(|id, _| live.contains(id.as_str()) || state.foreign.holds_id(id));
        for look in &frames.looks {
            if !self.frame_numbers.contains_key(&look.world.unique_id) && self.last_frame_number < FRAME_NUMBERS_MAX {
                self.last_frame_number += 1;
                self.frame_numbers.insert(look.world.unique_id.clone(), self.last_frame_number);
            }
        }
    }
}

/// The text of the page, then of its frames.
fn text_of(look: &LookAhead) -> Cow<'_, str> {
    let texts: Vec<&str> =
        look.frames.looks.iter().map(|frame| frame.raw.text.as_str()).filter(|text| !text.is_empty()).collect();
    if texts.is_empty() { Cow::Borrowed(&look.raw.text) } else { Cow::Owned(format!("{}\n{}", look.raw.text, texts.join("\n"))) }
}

/// The page's own document is reached without a step.
static NO_PATH: OnceLock<Path> = OnceLock::new();

/// Digest of the exact meaning strings, as permits carry it.
fn digest_of(meaning: &Value) -> Meaning {
    Meaning(Digest::of(canonical_json(meaning).as_bytes()))
}

fn read_control(raw: &RawControl, found: &Found<'_>, scrub: &Scrubber) -> (Control, Remembered) {
    let name_of = |text: &str| PageText::read(text, NAME_CHARS_MAX, scrub);
    let bound = raw.meaning();
    let meaning = digest_of(&bound);
    let options: Vec<OptionItem> =
        raw.options.iter().flatten().take(OPTIONS_MAX).map(|option| read_option(option, scrub)).collect();
    let labels = raw.options.iter().flatten().zip(&options);
    let remembered = Remembered {
        bound,
        meaning,
        input_type: word(&raw.input_type, &Scrubber::default()),
        frame_origin: raw.frame_origin.clone(),
        secret_field: raw.secret,
        seen_at: raw.points.first().filter(|point| point.is_finite()).map(|point| Aim { x: point.x, y: point.y }),
        listens_for_keys: raw.keys,
        beside_foreign_frames: found.beside_foreign_frames,
        world: found.world.clone(),
        key: raw.key,
        path: found.path.clone(),
        options: labels.map(|(raw, item)| (raw.index, raw.label.clone(), item.label.for_model().to_owned())).collect(),
    };
    let seen = Control {
        handle: Handle(found.handle(raw.key)),
        meaning,
        kind: kind_of(&raw.kind),
        role: word(&raw.role, scrub),
        name: name_of(&raw.name),
        visible_text: name_of(&raw.visible_text),
        description: name_of(&raw.description),
        placeholder: name_of(&raw.placeholder),
        input_type: word(&raw.input_type, scrub),
        autocomplete: word(&raw.autocomplete, scrub),
        field_name: name_of(&raw.field_name),
        value: raw.value.as_ref().filter(|_| !raw.secret).map(|text| PageText::read(text, VALUE_CHARS_MAX, scrub)),
        filled: raw.filled,
        secret_field: raw.secret,
        checked: tri(&raw.checked),
        selected: tri(&raw.selected),
        expanded: tri(&raw.expanded),
        pressed: tri(&raw.pressed),
        disabled: raw.disabled,
        readonly: raw.readonly,
        required: raw.required,
        invalid: raw.invalid,
        options,
        href: address(&raw.href, scrub),
        target: word(&raw.target, scrub),
        download: raw.download,
        submits: raw.submits,
        form: raw.form.as_ref().map(|form| read_form(form, found, scrub)),
        row: name_of(&raw.row),
        section: name_of(&raw.section),
        heading: name_of(&raw.heading),
        near: name_of(&raw.near),
        landmark: word(&raw.landmark, scrub),
        in_dialog: raw.in_dialog,
        sponsored: raw.sponsored,
        frame_origin: address(&raw.frame_origin, scrub),
        bounds: bounds(raw.bounds),
        in_viewport: raw.in_viewport,
        covered_by: raw.covered.as_deref().map(name_of),
        has_menu: raw.has_menu,
        listens_for_keys: raw.keys || is_read_by_script(raw),
        ordinal: Ordinal { nth: raw.nth.max(1), of: raw.of.max(1) },
    };
    (seen, remembered)
}

fn read_option(raw: &RawOption, scrub: &Scrubber) -> OptionItem {
    OptionItem {
        index: raw.index,
        label: PageText::read(&raw.label, NAME_CHARS_MAX, scrub),
        value: PageText::read(&raw.value, VALUE_CHARS_MAX, scrub),
        selected: raw.selected,
        disabled: raw.disabled,
    }
}

fn read_form(raw: &RawForm, found: &Found<'_>, scrub: &Scrubber) -> FormFacts {
    let fields = raw.fields.iter().take(FORM_FIELDS_MAX).map(|field| FormField {
        name: PageText::read(&field.name, NAME_CHARS_MAX, scrub),
        input_type: word(&field.kind, scrub),
        hidden: field.hidden,
        filled: field.filled,
        autocomplete: word(&field.autocomplete, scrub),
        sends: field.sends.as_ref().map(|value| Digest::of(value.as_bytes())),
    });
    FormFacts {
        key: found.handle(raw.key),
        action: address(&raw.action, scrub),
        method: word(&raw.method, scrub),
        enctype: word(&raw.enctype, scrub),
        target: word(&raw.target, scrub),
        fields: fields.collect(),
    }
}

/// A one-line field outside every form is of use to a script alone, and Enter is how such a script is told that the text is
/// ready. That it listens cannot be seen (see `clickable.rs`).
fn is_read_by_script(raw: &RawControl) -> bool {
    let one_line = matches!(raw.input_type.as_str(), "text" | "search" | "email" | "url" | "tel" | "number");
    raw.kind == "field" && one_line && raw.form.is_none() && !raw.readonly
}

/// A kind that this version does not know is one that says no more than that it can be pressed.
fn kind_of(word: &str) -> ControlKind {
    match word {
        "link" => ControlKind::Link,
        "button" => ControlKind::Button,
        "field" => ControlKind::Field,
        "choice" => ControlKind::Choice,
        "toggle" => ControlKind::Toggle,
        "option" => ControlKind::Option,
        _ => ControlKind::Generic,
    }
}

fn tri(raw: &RawTri) -> Tri {
    match raw {
        RawTri::Absent => Tri::Absent,
        RawTri::Known(true) => Tri::On,
        RawTri::Known(false) => Tri::Off,
        RawTri::Word(word) if word == "mixed" => Tri::Mixed,
        RawTri::Word(_) => Tri::Absent,
    }
}

/// JSON numbers of the page may be anything; a box that is no box becomes an empty one.
fn bounds(raw: RawBox) -> Bounds {
    let sane = |number: f64| if number.is_finite() { number.clamp(-1e7, 1e7) } else { 0.0 };
    Bounds { x: sane(raw.x), y: sane(raw.y), width: sane(raw.width).max(0.0), height: sane(raw.height).max(0.0) }
}

/// A short fact; page authors write them, so they are cleaned and cut like text.
fn word(raw: &str, scrub: &Scrubber) -> String {
    scrub.scrub(&clean(raw)).chars().take(WORD_CHARS_MAX).collect()
}

fn address(raw: &str, scrub: &Scrubber) -> String {
    scrub.scrub(&clean(raw)).chars().take(URL_CHARS_MAX).collect()
}

#[cfg(test)]
#[path = "observe_tests.rs"]
mod tests;

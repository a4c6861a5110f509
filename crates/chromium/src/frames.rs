//! Frames of another origin: each is looked at and armed in its own document, placed by the documents around it, and pressed
//! only where none of them lies over it.

use std::sync::Arc;

use futures_util::future::join_all;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use clicket_guard::outcome::Outcome;
use clicket_guard::secret::Secret;

use crate::browser::Browser;
use crate::clickable::HANDLES;
use crate::errors::{CallError, PageError};
use crate::limits::{CALL_MS, FRAME_MS, FRAMES_DEEP_MAX, FRAMES_MS, FRAMES_READ_MAX, SHIELD_MS};
use crate::perform::{Acted, Aim, Armed, Held, Latch, Sight, before_input, call_failed, covered, refusal};
use crate::raw::{RawFrame, RawObservation, RawPlace, RawPoint};
use crate::state::World;
use crate::world::{ARM, Argument, DISARM, ELEMENT, FRAME_PLACE, SHIELD};

/// A place that moved less than this between two questions did not move.
const STILL_PX: f64 = 1.0;

/// Times that a control in a frame is brought into view before it counts as covered.
const BROUGHT_MAX: u32 = 2;

/// One step down from the page into a frame.
#[derive(Debug, Clone)]
pub(crate) struct Embedding {
    /// The document that holds the frame.
    pub(crate) world: World,
    /// Its key for the frame's element.
    pub(crate) holder: u64,
    /// The frame, by the browser's id.
    pub(crate) frame: String,
}

/// The way down from the page into a frame; empty for the page itself.
pub(crate) type Path = Arc<[Embedding]>;

/// What a look into one frame found.
pub(crate) struct FrameLook {
    pub(crate) path: Path,
    pub(crate) world: World,
    pub(crate) place: RawPlace,
    pub(crate) raw: RawObservation,
}

/// What a look found beside the page's own document, in the order of the page.
#[derive(Default)]
pub(crate) struct FrameLooks {
    pub(crate) looks: Vec<FrameLook>,
    /// Frames that were not read: too many, too deep, too small, adverts, and those that did not answer.
    pub(crate) unread: u64,
    /// Where they are.
    pub(crate) unread_places: Vec<RawPlace>,
}

impl FrameLooks {
    fn leave_out(&mut self, frame: &RawFrame) {
        self.unread = self.unread.saturating_add(1);
        self.unread_places.push(frame.place);
    }
}

/// A frame that is about to be looked into.
struct Door {
    /// The way to the document that holds it.
    path: Path,
    /// That document.
    world: World,
    frame: RawFrame,
}

/// Where the innermost document stands, and what lies over the points in the documents around it.
struct Stood {
    place: RawPlace,
    covers: Vec<Option<String>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Placed {
    ok: bool,
    why: String,
    detail: String,
    place: RawPlace,
    covers: Vec<Option<String>>,
}

/// Why it is not known where a frame stands.
enum Lost {
    Page(PageError),
    Refused { why: String, detail: String },
}

impl From<PageError> for Lost {
    fn from(error: PageError) -> Lost {
        Lost::Page(error)
    }
}

#[derive(Deserialize)]
struct Called {
    result: Object,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object {
    #[serde(default)]
    object_id: Option<String>,
}

#[derive(Deserialize)]
struct Described {
    node: Node,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    #[serde(default)]
    frame_id: Option<String>,
}

impl Browser {
    /// Looks into the frames that a look at the page could not read. Bounded in number, depth and time, and never an error: a
    /// frame that does not answer is one that was not read.
    pub(crate) async fn look_into_frames(&self, page: &World, seen: &RawObservation) -> FrameLooks {
        let until = Instant::now() + FRAMES_MS;
        let mut found = FrameLooks::default();
        let mut doors = doors_of(&Path::default(), page, seen);
        for _ in 0..FRAMES_DEEP_MAX {
            let (enter, leave) = sort_out(doors, FRAMES_READ_MAX.saturating_sub(found.looks.len()));
            leave.iter().for_each(|door| found.leave_out(&door.frame));
            let looking = enter.iter().map(|door| timeout_at(until, self.look_through(door)));
            let looked = join_all(looking).await;
            doors = Vec::new();
            for (door, look) in enter.iter().zip(looked) {
                match look.ok().and_then(Result::ok) {
                    Some(look) => {
                        doors.extend(doors_of(&look.path, &look.world, &look.raw));
                        found.looks.push(look);
                    }
                    None => found.leave_out(&door.frame),
                }
            }
            if doors.is_empty() {
                break;
            }
        }
        doors.iter().for_each(|door| found.leave_out(&door.frame));
        found
    }

    async fn look_through(&self, door: &Door) -> Result<FrameLook, PageError> {
        let frame = self.frame_in(&door.world, door.frame.key).await?;
        let world = self.router.state().foreign.world(&frame).ok_or(PageError::NoDocument)?;
        let place = door.frame.place;
        let raw = self.look_in(&world, Some(place), FRAME_MS).await;
        self.release_handles(&world);
        let mut raw = raw?;
        let step = Embedding { world: door.world.clone(), holder: door.frame.key, frame };
        let path: Path = door.path.iter().cloned().chain([step]).collect();
        let points: Vec<RawPoint> = raw.controls.iter().flat_map(|control| control.points.iter().copied()).collect();
        if !points.is_empty() {
            let stood = self.stand(&path, &points).await.map_err(|lost| match lost {
                Lost::Page(error) => error,
                Lost::Refused { .. } => PageError::NoDocument,
            })?;
            uncover(&mut raw, &stood.covers);
        }
        Ok(FrameLook { path, world, place, raw })
    }

    /// The browser's id of the frame that an element holds.
    async fn frame_in(&self, world: &World, holder: u64) -> Result<String, PageError> {
        let element = self.element(world, holder).await?;
        let call = self.call_in(world, "DOM.describeNode", json!({ "objectId": element }));
        let described: Described = call.await?;
        self.release_handles(world);
        described.node.frame_id.ok_or(PageError::NoDocument)
    }

    /// A handle of the element with this key.
    async fn element(&self, world: &World, key: u64) -> Result<String, PageError> {
        let params = json!({
            "functionDeclaration": ELEMENT, "arguments": [{ "value": key }], "uniqueContextId": world.unique_id, "objectGroup": HANDLES,
        });
        let called: Called = self.call_in(world, "Runtime.callFunctionOn", params).await?;
        called.result.object_id.ok_or(PageError::NoDocument)
    }

    async fn call_in<T: serde::de::DeserializeOwned>(
        &self,
        world: &World,
        method: &'static str,
        params: Value,
    ) -> Result<T, PageError> {
        match self.connection.call(Some(&world.session), method, params, CALL_MS).await {
            Err(CallError::Refused { .. }) => Err(PageError::NoDocument),
            other => Ok(other?),
        }
    }

    /// Asks each document on the way down where the next one stands and what lies over the points.
    async fn stand(&self, path: &[Embedding], points: &[RawPoint]) -> Result<Stood, Lost> {
        let mut told: Option<RawPlace> = None;
        let mut covers: Vec<Option<String>> = vec![None; points.len()];
        for step in path {
            let arguments = [json!(step.holder), json!(told), json!(points)];
            let arguments = arguments.into_iter().map(Argument::Plain).collect();
            let placed: Placed = self.page_function_in(&step.world, FRAME_PLACE, arguments, CALL_MS).await?;
            if !placed.ok {
                return Err(Lost::Refused { why: placed.why, detail: placed.detail });
            }
            for (at, cover) in covers.iter_mut().enumerate() {
                // An answer that leaves a point out does not say that it is free.
                let seen = placed.covers.get(at).cloned().unwrap_or_else(|| Some("nothing".to_owned()));
                *cover = cover.take().or(seen);
            }
            told = Some(placed.place);
        }
        Ok(Stood { place: told.unwrap_or_default(), covers })
    }

    /// Sets the latch in the frame's document and finds a point that hits the control there and the frame in every document
    /// around it.
    pub(crate) async fn arm_in_frame(&self, held: &Held, latch: Latch, secrets: &[Secret]) -> Acted<Sight> {
        let mut brought = 0;
        loop {
            let place = self.stand(&held.control.path, &[]).await.map_err(|lost| lost_outcome(lost, secrets))?.place;
            let arguments = [json!(held.key), held.control.bound.clone(), json!(latch.word()), json!(place)];
            let armed: Armed = self.in_document(held, ARM, arguments).await.map_err(|error| before_input("aiming", error))?;
            let why = if armed.ok {
                let again = self.stand(&held.control.path, &armed.points).await;
                match again.map_err(|lost| lost_outcome(lost, secrets)).and_then(|again| chosen(&armed, &again, place, secrets)) {
                    Ok(aim) => return Ok(Sight { aim, place: Some(place) }),
                    Err(why) => why,
                }
            } else {
                refusal(&armed.why, &armed.detail, secrets)
            };
            if brought >= BROUGHT_MAX || !matches!(why, Outcome::Covered { .. }) {
                let _: Result<IgnoredAny, PageError> = self.in_document(held, DISARM, []).await;
                return Err(why);
            }
            brought += 1;
            self.bring_into_view(held).await?;
        }
    }

    /// Scrolls every document on the way; a script may not do that across origins.
    async fn bring_into_view(&self, held: &Held) -> Acted<()> {
        let element = self.element(&held.control.world, held.key).await.map_err(|error| before_input("aiming", error))?;
        let params = json!({ "objectId": element });
        let call =
            self.connection.call::<IgnoredAny>(Some(&held.control.world.session), "DOM.scrollIntoViewIfNeeded", params, CALL_MS);
        match call.await {
            // What has no box cannot be scrolled to; the next aim says why.
            Ok(_) | Err(CallError::Refused { .. }) => Ok(()),
            Err(error) => Err(call_failed("aiming", error)),
        }
    }

    /// While one document is acted on, no other one takes input: a frame or the page may slide under the pointer or snatch the
    /// focus. True when every other document said that it is shielded; one that cannot answer cannot say so.
    pub(crate) async fn shield(&self, acted_on: &World) -> bool {
        let whole = self.router.state().foreign.is_whole();
        let others = self.others(acted_on);
        let shields = others
            .iter()
            .map(|world| self.page_function_in::<bool>(world, SHIELD, vec![Argument::Plain(json!(true))], SHIELD_MS));
        // A frame that its own page can read has no script of ours; the document around it shields it.
        let answers = join_all(shields).await;
        whole && answers.iter().all(|answer| matches!(answer, Ok(true) | Err(PageError::ScriptFailed | PageError::NoDocument)))
    }

    /// Nobody waits for it: a document that is gone needs none of it.
    pub(crate) fn unshield(&self, acted_on: &World) {
        for world in self.others(acted_on) {
            let params = json!({
                "functionDeclaration": SHIELD.declaration(), "arguments": [{ "value": false }], "uniqueContextId": world.unique_id,
                "returnByValue": true,
            });
            self.connection.post(Some(&world.session), "Runtime.callFunctionOn", params);
        }
    }

    /// Every document but this one, when there are any of another origin.
    fn others(&self, acted_on: &World) -> Vec<World> {
        let state = self.router.state();
        let foreign = state.foreign.worlds(&self.session);
        let page = state.world.clone().filter(|_| !foreign.is_empty());
        foreign.into_iter().chain(page).filter(|world| world != acted_on).collect()
    }
}

fn doors_of(path: &Path, world: &World, raw: &RawObservation) -> Vec<Door> {
    raw.unreadable_frames.iter().map(|frame| Door { path: path.clone(), world: world.clone(), frame: *frame }).collect()
}

/// Those to enter and those to pass by.
fn sort_out(doors: Vec<Door>, room: usize) -> (Vec<Door>, Vec<Door>) {
    let (mut enter, mut leave): (Vec<Door>, Vec<Door>) =
        doors.into_iter().partition(|door| !door.frame.tiny && !door.frame.sponsored && door.frame.place.is_sane());
    leave.extend(enter.split_off(room.min(enter.len())));
    (enter, leave)
}

/// Keeps the points that nothing around the frame lies over; a control that has none left is covered.
fn uncover(raw: &mut RawObservation, covers: &[Option<String>]) {
    let mut covers = covers.iter();
    for control in &mut raw.controls {
        let over: Vec<&Option<String>> = covers.by_ref().take(control.points.len()).collect();
        let mut free = over.iter().map(|cover| cover.is_none());
        let first = over.iter().find_map(|cover| cover.as_ref());
        control.points.retain(|_| free.next().unwrap_or(false));
        if control.points.is_empty() {
            control.covered = control.covered.take().or(first.cloned());
        }
    }
}

/// The first point that is free in every document, if the frame stood still meanwhile.
fn chosen(armed: &Armed, again: &Stood, before: RawPlace, secrets: &[Secret]) -> Acted<Aim> {
    if !again.place.is_near(before, STILL_PX) {
        return Err(covered("its frame, which moved", secrets));
    }
    let free = armed.points.iter().zip(&again.covers).find(|(point, cover)| cover.is_none() && point.is_finite());
    match free {
        Some((point, _)) => Ok(Aim { x: point.x, y: point.y }),
        None => Err(covered(again.covers.iter().flatten().next().map_or("", String::as_str), secrets)),
    }
}

fn lost_outcome(lost: Lost, secrets: &[Secret]) -> Outcome {
    match lost {
        Lost::Page(error) => before_input("aiming", error),
        Lost::Refused { why, detail } => refusal(&why, &detail, secrets),
    }
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;

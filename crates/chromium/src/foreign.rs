//! The documents of frames, as the browser's events tell of them. Values in, values out.

use std::collections::{HashMap, HashSet};

use crate::limits::FRAMES_KNOWN_MAX;
use crate::state::World;

/// Our world in the document of a frame.
struct FrameWorld {
    world: World,
    /// As the browser writes it; `://` for one that is nobody's.
    origin: String,
}

/// What is known of the frames of the page. Bounded: a page with more of them than are kept has some that are not read.
#[derive(Default)]
pub(crate) struct Foreign {
    worlds: HashMap<String, FrameWorld>,
    /// Sessions of frames that live in a process of their own.
    sessions: HashSet<String>,
    /// Navigations that were asked for, by frame.
    asked: HashMap<String, u64>,
    page_origin: String,
    /// There are frames that are not kept in mind.
    overflowed: bool,
}

impl Foreign {
    pub(crate) fn on_session(&mut self, session: &str) {
        if self.sessions.len() < FRAMES_KNOWN_MAX {
            self.sessions.insert(session.to_owned());
        }
    }

    /// True when the session is one of a frame of our page.
    pub(crate) fn knows(&self, session: &str) -> bool {
        self.sessions.contains(session)
    }

    pub(crate) fn on_page_world(&mut self, origin: &str) {
        origin.clone_into(&mut self.page_origin);
    }

    pub(crate) fn on_world(&mut self, frame: &str, origin: &str, world: World) {
        if self.worlds.len() < FRAMES_KNOWN_MAX || self.worlds.contains_key(frame) {
            self.worlds.insert(frame.to_owned(), FrameWorld { world, origin: origin.to_owned() });
        } else {
            self.overflowed = true;
        }
    }

    pub(crate) fn on_world_gone(&mut self, unique_id: &str) {
        self.worlds.retain(|_, known| known.world.unique_id != unique_id);
    }

    /// All documents of the session are gone.
    pub(crate) fn on_cleared(&mut self, session: &str) {
        self.worlds.retain(|_, known| known.world.session != session);
    }

    pub(crate) fn on_session_gone(&mut self, session: &str) {
        self.sessions.remove(session);
        self.on_cleared(session);
    }

    pub(crate) fn on_asked(&mut self, frame: &str) {
        if self.asked.len() < FRAMES_KNOWN_MAX || self.asked.contains_key(frame) {
            let count = self.asked.entry(frame.to_owned()).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// The page went on to another document: its frames are others.
    pub(crate) fn on_page_navigated(&mut self) {
        self.asked.clear();
        self.overflowed = false;
    }

    /// False when there are frames that are not kept in mind.
    pub(crate) fn is_whole(&self) -> bool {
        !self.overflowed
    }

    /// How often a navigation of the frame was asked for.
    pub(crate) fn asked(&self, frame: &str) -> u64 {
        self.asked.get(frame).copied().unwrap_or_default()
    }

    /// How often a navigation of any frame was asked for.
    pub(crate) fn asked_anywhere(&self) -> u64 {
        self.asked.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    pub(crate) fn world(&self, frame: &str) -> Option<World> {
        self.worlds.get(frame).map(|known| known.world.clone())
    }

    /// As [`Foreign::holds`], by the unique id of our world.
    pub(crate) fn holds_id(&self, unique_id: &str) -> bool {
        self.worlds.values().any(|known| known.world.unique_id == unique_id)
    }

    /// True while the document is one that is shown in a frame.
    pub(crate) fn holds(&self, world: &World) -> bool {
        self.worlds.values().any(|known| known.world == *world)
    }

    /// Documents that the page's own scripts cannot read, and some that they can: which of a foreign frame's own frames
    /// it can read is not told.
    pub(crate) fn worlds(&self, page_session: &str) -> Vec<World> {
        let foreign = |known: &&FrameWorld| known.world.session != page_session || known.origin != self.page_origin;
        self.worlds.values().filter(foreign).map(|known| known.world.clone()).collect()
    }
}

#[cfg(test)]
#[path = "foreign_tests.rs"]
mod tests;

//! Feeds events into the page's state and sends at once what they call for, so that a dialog never waits for a caller.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::client::{Connection, EventSink};
use crate::errors::CallError;
use crate::launch::PageScripts;
use crate::state::{Life, State};

/// The page's state, and a bell that rings at each change.
pub(crate) struct Router {
    state: Mutex<State>,
    changes: watch::Sender<u64>,
}

impl Router {
    pub(crate) fn new(page_scripts: PageScripts) -> Arc<Router> {
        Arc::new(Router { state: Mutex::new(State::new(page_scripts)), changes: watch::Sender::new(0) })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bell.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// How often the browser told of something so far.
    pub(crate) fn told(&self) -> u64 {
        *self.changes.borrow()
    }

    /// Waits until the state gives a value or the time is over.
    pub(crate) async fn wait_for<T>(&self, patience: Duration, mut look: impl FnMut(&State) -> Option<T>) -> Option<T> {
        let until = Instant::now() + patience;
        let mut changes = self.changes.subscribe();
        loop {
            changes.mark_unchanged();
            if let Some(found) = look(&self.state()) {
                return Some(found);
            }
            match timeout_at(until, changes.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return None,
            }
        }
    }
}

/// The session that can answer no more because its process died or its frame is gone.
fn frame_gone(session: Option<&str>, method: &str, params: &RawValue) -> Option<String> {
    match method {
        "Inspector.targetCrashed" => session.map(str::to_owned),
        "Target.detachedFromTarget" => {
            serde_json::from_str::<crate::wire::DetachedFromTarget>(params.get()).ok().map(|event| event.session_id)
        }
        _ => None,
    }
}

impl EventSink for Router {
    fn on_event(&self, connection: &Connection, session: Option<&str>, method: &str, params: &RawValue) {
        let (replies, dead, page) = {
            let mut state = self.state();
            let replies = state.fold(session, method, params);
            let page = state.session.clone();
            let dead = page.clone().filter(|_| state.life != Life::Alive);
            (replies, dead, page)
        };
        for reply in replies {
            connection.post(reply.session.as_deref(), reply.method, reply.params);
        }
        if let Some(frame) = frame_gone(session, method, params).filter(|frame| page.as_ref() != Some(frame)) {
            let gone = CallError::Refused { method: "a call to a frame", message: "the frame is gone".to_owned() };
            connection.fail_session(&frame, &gone);
        }
        if let Some(session) = dead
            && matches!(method, "Inspector.targetCrashed" | "Target.detachedFromTarget")
        {
            connection.fail_session(&session, &CallError::Crashed);
        }
        self.changes.send_modify(|version| *version = version.wrapping_add(1));
    }
    fn on_gone(&self) {
        self.state().on_gone();
        self.changes.send_modify(|version| *version = version.wrapping_add(1));
    }
}

//! The thin DevTools client: numbered calls, answers matched by number, events handed to one sink.
//!
//! Nothing outside this crate can send a command: the connection is private, and every public door is an act with a permit
//! or a look.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot, watch};

use crate::dialog::Stillness;
use crate::errors::{CallError, GoneWhy};
use crate::limits::{CALLS_IN_FLIGHT_MAX, MESSAGE_BYTES_MAX, OUTGOING_MESSAGES_MAX};
use crate::pipe::{read_messages, write_messages};
use crate::process::Pipes;

/// A deadline is put off by no less than this.
const STILL_STEP_MS: Duration = Duration::from_millis(5);

/// Where events go. Called from the reading task: it must not block.
pub(crate) trait EventSink: Send + Sync + 'static {
    /// One event. `session` is absent for the browser itself.
    fn on_event(&self, connection: &Connection, session: Option<&str>, method: &str, params: &RawValue);
    /// The browser is gone: nothing comes any more.
    fn on_gone(&self);
}

/// The connection to one browser.
pub(crate) struct Connection {
    outgoing: mpsc::Sender<Vec<u8>>,
    calls: Mutex<Calls>,
    gone: watch::Sender<Option<GoneWhy>>,
    stillness: Mutex<Stillness>,
}

#[derive(Default)]
struct Calls {
    last_id: u64,
    waiting: HashMap<u64, Waiting>,
}

struct Waiting {
    session: Option<String>,
    answer: oneshot::Sender<Result<Box<RawValue>, CallError>>,
    method: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outgoing<'a, P> {
    id: u64,
    method: &'static str,
    params: P,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Incoming<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Refusal>,
    #[serde(borrow)]
    session_id: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    message: String,
}

impl Connection {
    /// Starts the reading and the writing task.
    pub(crate) fn open(pipes: Pipes, sink: Arc<dyn EventSink>) -> Arc<Connection> {
        let (outgoing, queue) = mpsc::channel(OUTGOING_MESSAGES_MAX);
        let connection = Arc::new(Connection {
            outgoing,
            calls: Mutex::default(),
            gone: watch::Sender::new(None),
            stillness: Mutex::default(),
        });
        tokio::spawn(write_messages(pipes.to_browser, queue));
        // The reader holds the connection weakly: when the last user drops it, the writer's queue closes, the browser
        // sees its pipe end and exits, and then the reader ends too.
        let reading = Arc::downgrade(&connection);
        tokio::spawn(async move {
            let why = read_messages(pipes.from_browser, MESSAGE_BYTES_MAX, |message| {
                if let Some(connection) = reading.upgrade() {
                    connection.take_message(message, sink.as_ref());
                }
            })
            .await;
            if let Some(connection) = reading.upgrade() {
                connection.fail_all(why);
            }
            sink.on_gone();
        });
        connection
    }

    /// Sends a command and waits for its answer.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: impl Serialize,
        deadline: Duration,
    ) -> Result<T, CallError> {
        self.start(session, method, params)?.within(deadline).await
    }

    /// Sends a command now; its answer can be awaited later, so that commands go out back to back in order.
    pub(crate) fn start(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: impl Serialize,
    ) -> Result<Pending<'_>, CallError> {
        let (answer, answered) = oneshot::channel();
        let id = self.enlist(Waiting { session: session.map(str::to_owned), answer, method })?;
        let pending = Pending { connection: self, id, method, answered };
        self.send(Outgoing { id, method, params, session_id: session })?;
        Ok(pending)
    }

    /// Sends a command whose answer nobody needs.
    pub(crate) fn post(&self, session: Option<&str>, method: &'static str, params: impl Serialize) {
        let id = {
            let mut calls = self.calls();
            calls.last_id += 1;
            calls.last_id
        };
        // A browser that no longer takes messages is noticed by the call that waits.
        let _ = self.send(Outgoing { id, method, params, session_id: session });
    }

    /// Until it is dropped, the deadlines of calls that wait are put off: a dialog is open, and the page answers nothing.
    pub(crate) fn stand_still(&self) -> StandingStill<'_> {
        self.stillness().begin();
        StandingStill { connection: self }
    }

    fn stillness(&self) -> MutexGuard<'_, Stillness> {
        self.stillness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers every call of a session with an error: its page is gone and will not answer.
    pub(crate) fn fail_session(&self, session: &str, error: &CallError) {
        let mut calls = self.calls();
        let failed: Vec<u64> =
            calls.waiting.iter().filter(|(_, waiting)| waiting.session.as_deref() == Some(session)).map(|(id, _)| *id).collect();
        for waiting in failed.iter().filter_map(|id| calls.waiting.remove(id)) {
            let _ = waiting.answer.send(Err(error.clone()));
        }
    }

    /// Why the connection ended, if it has.
    pub(crate) fn gone(&self) -> Option<GoneWhy> {
        *self.gone.borrow()
    }

    /// Waits until the connection has ended.
    pub(crate) async fn wait_gone(&self) -> GoneWhy {
        let mut watching = self.gone.subscribe();
        loop {
            if let Some(why) = *watching.borrow_and_update() {
                return why;
            }
            if watching.changed().await.is_err() {
                return GoneWhy::Closed;
            }
        }
    }

    fn enlist(&self, waiting: Waiting) -> Result<u64, CallError> {
        let mut calls = self.calls();
        // Looked at under the lock, so that a call cannot slip in after all calls were answered for the last time.
        if let Some(why) = self.gone() {
            return Err(CallError::Gone { why });
        }
        if calls.waiting.len() >= CALLS_IN_FLIGHT_MAX {
            return Err(CallError::Crowded);
        }
        calls.last_id += 1;
        let id = calls.last_id;
        calls.waiting.insert(id, waiting);
        Ok(id)
    }

    fn send<P: Serialize>(&self, message: Outgoing<'_, P>) -> Result<(), CallError> {
        let method = message.method;
        let bytes = serde_json::to_vec(&message).map_err(|_| CallError::Unreadable { method })?;
        match self.outgoing.try_send(bytes) {
            Ok(()) => Ok(()),
            Err(mpsc::error::TrySendError::Full(_)) => Err(CallError::Crowded),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(CallError::Gone { why: self.gone().unwrap_or(GoneWhy::PipeFailed) }),
        }
    }

    /// A message that is no answer to a waiting call and no event is dropped: an answer may come after its deadline.
    fn take_message(&self, bytes: &[u8], sink: &dyn EventSink) {
        let Ok(message) = serde_json::from_slice::<Incoming<'_>>(bytes) else { return };
        if let Some(id) = message.id {
            let waiting = self.calls().waiting.remove(&id);
            if let Some(waiting) = waiting {
                let answer = answer_of(&message, waiting.method);
                let _ = waiting.answer.send(answer);
            }
        } else if let (Some(method), Some(params)) = (&message.method, message.params) {
            sink.on_event(self, message.session_id.as_deref(), method, params);
        }
    }

    fn fail_all(&self, why: GoneWhy) {
        self.gone.send_replace(Some(why));
        let waiting = std::mem::take(&mut self.calls().waiting);
        for call in waiting.into_values() {
            let _ = call.answer.send(Err(CallError::Gone { why }));
        }
    }

    fn forget(&self, id: u64) {
        self.calls().waiting.remove(&id);
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn answer_of(message: &Incoming<'_>, method: &'static str) -> Result<Box<RawValue>, CallError> {
    match (&message.error, message.result) {
        (Some(refusal), _) => Err(CallError::Refused { method, message: refusal.message.chars().take(300).collect() }),
        (None, Some(result)) => Ok(result.to_owned()),
        (None, None) => Err(CallError::Unreadable { method }),
    }
}

/// See [`Connection::stand_still`].
pub(crate) struct StandingStill<'a> {
    connection: &'a Connection,
}

impl Drop for StandingStill<'_> {
    fn drop(&mut self) {
        self.connection.stillness().end();
    }
}

/// A command on its way. Dropping it forgets it; a late answer is then ignored.
pub(crate) struct Pending<'a> {
    connection: &'a Connection,
    id: u64,
    method: &'static str,
    answered: oneshot::Receiver<Result<Box<RawValue>, CallError>>,
}

impl Pending<'_> {
    /// Waits for the answer.
    pub(crate) async fn within<T: DeserializeOwned>(mut self, deadline: Duration) -> Result<T, CallError> {
        let method = self.method;
        let (until, still_before) = (tokio::time::Instant::now() + deadline, self.connection.stillness().whole());
        let mut still = Duration::ZERO;
        let answer = loop {
            match tokio::time::timeout_at(until + still, &mut self.answered).await {
                Ok(answer) => break Ok(answer),
                Err(late) => {
                    let now = self.connection.stillness().whole().saturating_sub(still_before);
                    // A step at a time, so that a call that is waited for while a dialog is open does not spin.
                    if now < still + STILL_STEP_MS {
                        break Err(late);
                    }
                    still = now;
                }
            }
        };
        let deadline_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
        let raw = answer
            .map_err(|_| CallError::TimedOut { method, deadline_ms })?
            .map_err(|_| CallError::Gone { why: GoneWhy::Closed })??;
        serde_json::from_str(raw.get()).map_err(|_| CallError::Unreadable { method })
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.connection.forget(self.id);
    }
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;

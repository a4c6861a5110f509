//! Pages that wait for their token: each token works once, and one that worked once or ran out is remembered as that.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::fault::{Code, Fault};

/// How long a token works.
pub(crate) const TOKEN_MS: Duration = Duration::from_secs(120);
/// Tokens that are remembered after their end.
const TOMBSTONES_MAX: usize = 1_000;

/// Why a token does not work any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Taken,
    Expired,
}

/// What waits, by token.
pub(crate) struct Store<T> {
    inner: Arc<Mutex<Inner<T>>>,
}

struct Inner<T> {
    waiting: HashMap<String, (T, Instant)>,
    ended: VecDeque<(String, End)>,
}

impl<T> Clone for Store<T> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self { inner: Arc::new(Mutex::new(Inner { waiting: HashMap::new(), ended: VecDeque::new() })) }
    }
}

impl<T> Store<T> {
    /// Keeps `what` under a new token until the deadline.
    pub(crate) fn put(&self, what: T, until: Instant) -> String {
        let token = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
        self.lock().waiting.insert(token.clone(), (what, until));
        token
    }

    /// Gives out what the token stands for, once.
    pub(crate) fn take(&self, token: &str, now: Instant) -> Result<T, Fault> {
        let mut inner = self.lock();
        match inner.waiting.remove(token) {
            Some((what, until)) if now < until => {
                inner.bury(token, End::Taken);
                Ok(what)
            }
            Some(_) => {
                inner.bury(token, End::Expired);
                Err(gone(End::Expired))
            }
            None => Err(match inner.ended.iter().find(|(ended, _)| ended == token) {
                Some((_, end)) => gone(*end),
                None => Fault::new(Code::InvalidToken, "no preview has this token", "Call the preview tool for a new one."),
            }),
        }
    }

    /// Whether the token still works.
    pub(crate) fn holds(&self, token: &str, now: Instant) -> bool {
        self.lock().waiting.get(token).is_some_and(|(_, until)| now < *until)
    }

    /// Takes out what ran out.
    pub(crate) fn expire(&self, token: &str) -> Option<T> {
        let mut inner = self.lock();
        let (what, _) = inner.waiting.remove(token)?;
        inner.bury(token, End::Expired);
        Some(what)
    }

    /// Takes out everything.
    pub(crate) fn empty(&self) -> Vec<T> {
        let mut inner = self.lock();
        let waiting = std::mem::take(&mut inner.waiting);
        waiting.into_values().map(|(what, _)| what).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Inner<T> {
    fn bury(&mut self, token: &str, end: End) {
        if self.ended.len() >= TOMBSTONES_MAX {
            self.ended.pop_front();
        }
        self.ended.push_back((token.to_owned(), end));
    }
}

fn gone(end: End) -> Fault {
    match end {
        End::Taken => Fault::new(Code::InvalidToken, "this token was used", "A token works once; call the preview tool again."),
        End::Expired => Fault::new(Code::ExpiredToken, "this token's time is over", "Call the preview tool again."),
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;

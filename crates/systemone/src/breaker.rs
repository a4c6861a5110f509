//! Leaves a server alone for a while after it failed several times in a row.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failed calls in a row, each with its retries, after which the server is left alone.
pub(crate) const FAILURES_MAX: u32 = 3;
/// How long it is left alone; then one call tries it.
pub(crate) const REST: Duration = Duration::from_secs(30);

/// Counts failures in a row.
#[derive(Debug, Default)]
pub(crate) struct Breaker(Mutex<State>);

#[derive(Debug, Default, Clone, Copy)]
struct State {
    failures: u32,
    rests_until: Option<Instant>,
}

/// Why no call is made now.
pub(crate) struct Resting {
    pub(crate) failures: u32,
    pub(crate) wait: Duration,
}

impl Breaker {
    /// Whether a call may be made now. After a rest one may; while it is out, the others wait for what becomes of it.
    pub(crate) fn admit(&self, now: Instant) -> Result<(), Resting> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.rests_until {
            Some(until) if until > now => Err(Resting { failures: state.failures, wait: until - now }),
            Some(_) => {
                state.rests_until = Some(now + REST);
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub(crate) fn succeeded(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }

    pub(crate) fn failed(&self, now: Instant) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.failures = state.failures.saturating_add(1);
        if state.failures >= FAILURES_MAX {
            state.rests_until = Some(now + REST);
        }
    }
}

#[cfg(test)]
#[path = "breaker_tests.rs"]
mod tests;

//! The only clock of the session; the judge is handed its readings.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clicket_guard::approval::Moment;

/// Wall time for the record, steady time for waits.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
}

impl Clock {
    /// Starts the steady clock.
    #[must_use]
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Moment {
        Moment { unix_ms: unix_ms(), steady_ms: millis(self.started.elapsed()) }
    }

    /// Steady milliseconds since the start.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        millis(self.started.elapsed())
    }
}

fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis)
}

/// Whole milliseconds, saturating.
#[must_use]
pub(crate) fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

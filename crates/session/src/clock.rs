//! The only clock of the session; the judge is handed its readings.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clicket_guard::approval::Moment;

/// Wall time for the record, steady time for waits and expiry.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Duration,
}

impl Clock {
    /// Starts the steady clock.
    #[must_use]
    pub fn start() -> Self {
        Self { started: since_boot() }
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Moment {
        Moment { unix_ms: unix_ms(), steady_ms: self.elapsed_ms() }
    }

    /// Steady milliseconds since the start.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        millis(since_boot().saturating_sub(self.started))
    }
}

/// Time since the boot, with the time that the machine was suspended: an approval that slept through a night has expired. A
/// jump of the wall clock does not move it.
#[cfg(target_os = "linux")]
fn since_boot() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// A clock that only goes forward.
#[cfg(not(target_os = "linux"))]
fn since_boot() -> Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis)
}

/// Whole milliseconds, saturating.
#[must_use]
pub(crate) fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;

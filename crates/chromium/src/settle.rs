//! Waits until the page has settled: loaded, nothing at the edge, and its document unchanged for a while.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use crate::browser::Browser;
use crate::errors::{CallError, PageError};
use crate::limits::{FROZEN_MS, SETTLE_STEP_MS};
use crate::world::QUIET;

/// The settle window: a document is taken for settled when nothing changed in it for so long, milliseconds. Two frames
/// and a short timer of the page fit in it.
pub const SETTLE_QUIET_MS: u64 = 80;

/// What the wait found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// How long the whole wait was, milliseconds.
    pub waited_ms: u64,
    /// Part of it that was spent on loading and on requests at the edge.
    pub waited_network_ms: u64,
    /// Part of it that was the settle window, waited out on purpose; at most [`SETTLE_QUIET_MS`] a wait.
    pub window_ms: u64,
    /// The cap ended the wait; the page was still changing.
    pub hit_cap: bool,
    /// A script ran without end; it was terminated.
    pub frozen: bool,
    /// The document was replaced.
    pub navigated: bool,
    /// Where the page is. The page chose it.
    pub url: String,
}

impl Settled {
    /// Joins a later wait to this one.
    pub fn add(&mut self, later: Settled) {
        self.waited_ms = self.waited_ms.saturating_add(later.waited_ms);
        self.waited_network_ms = self.waited_network_ms.saturating_add(later.waited_network_ms);
        self.window_ms = self.window_ms.saturating_add(later.window_ms);
        self.hit_cap = later.hit_cap;
        self.frozen |= later.frozen;
        self.navigated |= later.navigated;
        self.url = later.url;
    }
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Quiet {
    since_mutation_ms: f64,
    ready_state: String,
}

/// One look at what keeps the page from being settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stir {
    /// Loading, or a request is at the edge.
    Network,
    /// The document changed so long ago.
    QuietFor(Duration),
    /// The document is being made.
    NoDocument,
}

/// Adds the wait up.
struct Wait {
    started: Instant,
    network: Duration,
    quiet_from: Instant,
    seen_quiet: bool,
    settled: Settled,
}

impl Browser {
    /// Waits until the page is loaded, the edge has nothing under way and the document has not changed for
    /// [`SETTLE_QUIET_MS`], at most `cap_ms`. Needs no timer of the page. A script without end is terminated.
    ///
    /// # Errors
    /// The page crashed, or the browser is gone.
    pub async fn settle(&mut self, edge_busy: &(dyn Fn() -> bool + Sync), cap_ms: u64) -> Result<Settled, PageError> {
        let before = self.router.state().navigations;
        let now = Instant::now();
        let mut wait =
            Wait { started: now, network: Duration::ZERO, quiet_from: now, seen_quiet: false, settled: Settled::default() };
        let cap = now + Duration::from_millis(cap_ms);
        let quiet_enough = Duration::from_millis(SETTLE_QUIET_MS);
        loop {
            let looked = Instant::now();
            if looked >= cap {
                wait.settled.hit_cap = true;
                break;
            }
            match self.stir(edge_busy, cap.saturating_duration_since(looked), &mut wait).await? {
                Stir::QuietFor(since) => {
                    let quiet = since.min(wait.quiet_from.elapsed());
                    if quiet >= quiet_enough && wait.seen_quiet {
                        break;
                    }
                    // Read twice near the end: a page that got no processor for a while looks quiet once.
                    wait.seen_quiet = quiet + SETTLE_STEP_MS * 2 >= quiet_enough;
                    let before_end = quiet_enough.saturating_sub(quiet + SETTLE_STEP_MS);
                    tokio::time::sleep(before_end.max(SETTLE_STEP_MS)).await;
                }
                Stir::Network | Stir::NoDocument => {
                    wait.seen_quiet = false;
                    tokio::time::sleep(SETTLE_STEP_MS).await;
                    wait.network += looked.elapsed();
                    wait.quiet_from = Instant::now();
                }
            }
        }
        Ok(self.sum_up(wait, before))
    }

    async fn stir(&self, edge_busy: &(dyn Fn() -> bool + Sync), left: Duration, wait: &mut Wait) -> Result<Stir, PageError> {
        self.alive()?;
        let (loading, has_world) = {
            let state = self.router.state();
            (state.loading, state.world.is_some())
        };
        if loading || edge_busy() {
            return Ok(Stir::Network);
        }
        if !has_world {
            return Ok(Stir::NoDocument);
        }
        match self.page_function::<Quiet>(QUIET, [], FROZEN_MS.min(left)).await {
            Ok(quiet) if quiet.ready_state == "loading" => Ok(Stir::Network),
            Ok(quiet) => Ok(Stir::QuietFor(Duration::from_secs_f64(sane_ms(quiet.since_mutation_ms) / 1_000.0))),
            Err(PageError::NoDocument) => Ok(Stir::NoDocument),
            Err(PageError::Call(CallError::TimedOut { .. })) => {
                wait.settled.frozen = true;
                self.unfreeze().await;
                Ok(Stir::QuietFor(Duration::ZERO))
            }
            Err(error) => Err(error),
        }
    }

    fn sum_up(&self, wait: Wait, navigations_before: u64) -> Settled {
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let waited = wait.started.elapsed();
        let state = self.router.state();
        Settled {
            waited_ms: ms(waited),
            waited_network_ms: ms(wait.network) + self.waited_on_navigation_ms.swap(0, std::sync::atomic::Ordering::Relaxed),
            window_ms: ms(waited.saturating_sub(wait.network)).min(SETTLE_QUIET_MS),
            navigated: state.navigations > navigations_before,
            url: state.url.clone(),
            ..wait.settled
        }
    }
}

/// The page's clock is the page's; a number that is no time counts as a change just now.
fn sane_ms(number: f64) -> f64 {
    if number.is_finite() { number.clamp(0.0, 3_600_000.0) } else { 0.0 }
}

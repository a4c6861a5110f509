//! Waits until the page has settled: loaded, nothing at the edge, and its document unchanged for a while.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::browser::Browser;
use crate::errors::{CallError, PageError};
use crate::limits::{DIALOG_HELD_MS, FROZEN_MS, LAST_LOOK_MS, LOOK_AHEAD_MS, LOOKS_AHEAD_MAX, SETTLE_STEP_MS};
use crate::observe::LookAhead;
use crate::router::Router;
use crate::state::Life;
use crate::world::QUIET;

/// The settle window: a document is taken for settled when nothing changed in it for so long, milliseconds. Two frames
/// and a short timer of the page fit in it.
pub const SETTLE_QUIET_MS: u64 = 80;

/// Requests that are under way at the edge, told as they come and go.
pub type Traffic = watch::Receiver<usize>;

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
    /// The document was replaced, since the act began that this wait follows.
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
    as_seen: bool,
}

const QUIET_ENOUGH: Duration = Duration::from_millis(SETTLE_QUIET_MS);

/// What the page itself says when it is not loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stir {
    /// The document is being read by the browser.
    Parsing,
    /// The document changed so long ago; and whether the look that was taken ahead would see the same again.
    QuietFor(Duration, bool),
    /// The document is being made.
    NoDocument,
}

/// When the page took the last input of an act.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastInput {
    at: Instant,
    /// How often the browser had told of something by then.
    told: u64,
}

/// Adds the wait up, and tells the wait for the network from the rest as it happens: both are told by events, so that a
/// request that begins and ends between two looks at the page is counted where it belongs.
struct Wait<'a> {
    started: Instant,
    /// Where the settle window is counted from: the last input, when nothing was heard of the browser or the edge since.
    from: Instant,
    router: &'a Router,
    changes: watch::Receiver<u64>,
    traffic: &'a mut Traffic,
    network: Duration,
    busy_since: Option<Instant>,
    quiet_from: Instant,
    seen_quiet: bool,
    /// A look, and when it began.
    ahead: Option<(LookAhead, Instant)>,
    looks_ahead: u32,
    settled: Settled,
}

impl<'a> Wait<'a> {
    fn start(router: &'a Router, traffic: &'a mut Traffic, last_input: Option<LastInput>) -> Self {
        let now = Instant::now();
        let changes = router.subscribe();
        let unheard = !traffic.has_changed().unwrap_or(true);
        let from = last_input.filter(|input| unheard && input.told == router.told()).map_or(now, |input| input.at);
        let mut wait = Self {
            started: now,
            from,
            router,
            changes,
            traffic,
            network: Duration::ZERO,
            busy_since: None,
            quiet_from: from,
            seen_quiet: false,
            ahead: None,
            looks_ahead: 0,
            settled: Settled::default(),
        };
        wait.note();
        wait
    }

    /// Loading, or a request is at the edge.
    fn note(&mut self) {
        let requests = *self.traffic.borrow_and_update();
        self.changes.mark_unchanged();
        let busy = requests > 0 || self.router.state().loading;
        match self.busy_since {
            None if busy => self.busy_since = Some(Instant::now()),
            Some(since) if !busy => {
                self.network += since.elapsed();
                self.busy_since = None;
                self.stirred();
            }
            None | Some(_) => {}
        }
    }

    fn stirred(&mut self) {
        self.seen_quiet = false;
        self.ahead = None;
        self.quiet_from = Instant::now();
    }

    /// Runs `work` with an eye on the network.
    async fn beside<T>(&mut self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                out = &mut work => {
                    self.note();
                    return out;
                }
                () = self.changed() => {}
            }
        }
    }

    /// Returns when something changed between the browser, the page and the edge.
    async fn changed(&mut self) {
        tokio::select! {
            Ok(()) = self.changes.changed() => self.note(),
            Ok(()) = self.traffic.changed() => {
                // Too short to be seen is a request all the same.
                self.stirred();
                self.note();
            }
            else => std::future::pending().await,
        }
    }

    /// Waits, but not on when the network stirs.
    async fn nap(&mut self, nap: Duration) {
        let over = tokio::time::sleep(nap);
        tokio::pin!(over);
        while self.busy_since.is_none() {
            tokio::select! {
                () = &mut over => return,
                () = self.changed() => {}
            }
        }
    }

    /// Waits until nothing loads and nothing is at the edge, or there is no page any more that could be waited for.
    async fn rest(&mut self, until: Instant) {
        let over = tokio::time::sleep_until(until);
        tokio::pin!(over);
        while self.busy_since.is_some() && self.router.state().life == Life::Alive {
            tokio::select! {
                () = &mut over => return,
                () = self.changed() => {}
            }
        }
    }
}

impl Browser {
    /// Waits until the page is loaded, the edge has nothing under way and the document has not changed for
    /// [`SETTLE_QUIET_MS`], at most `cap_ms`; the last input of an act counts as a change, and `traffic` should be the same
    /// receiver each time, so that what came to the edge meanwhile is seen to have changed. Needs no timer of the page. A script without end is terminated.
    ///
    /// # Errors
    /// The page crashed, or the browser is gone.
    pub async fn settle(&mut self, traffic: &mut Traffic, cap_ms: u64) -> Result<Settled, PageError> {
        let settled = loop {
            let held = {
                let this = &mut *self;
                let (router, settling) = (Arc::clone(&this.router), this.settle_without_dialogs(traffic, cap_ms));
                tokio::select! {
                    biased;
                    Some(held) = router.wait_for(DIALOG_HELD_MS, |state| state.held.clone()) => held,
                    settled = settling => break settled,
                }
            };
            // Its script goes on from there, so the wait begins anew.
            self.answer_dialog(&held).await;
        };
        self.let_dialogs_go();
        settled
    }

    /// The page took an input; what comes of it is waited for from now on.
    pub(crate) fn note_input(&self) {
        let told = self.router.told();
        *self.last_input.lock().unwrap_or_else(PoisonError::into_inner) = Some(LastInput { at: Instant::now(), told });
    }

    async fn settle_without_dialogs(&mut self, traffic: &mut Traffic, cap_ms: u64) -> Result<Settled, PageError> {
        let before = self.navigations_before.take().unwrap_or_else(|| self.router.state().navigations);
        let router = Arc::clone(&self.router);
        let last_input = self.last_input.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let mut wait = Wait::start(&router, traffic, last_input);
        let cap = wait.started + Duration::from_millis(cap_ms);
        loop {
            self.alive()?;
            wait.rest(cap).await;
            let now = Instant::now();
            if now >= cap {
                wait.settled.hit_cap = true;
                break;
            }
            match self.stir(cap.saturating_duration_since(now), &mut wait).await? {
                Stir::QuietFor(since, as_seen) => {
                    let quiet = since.min(wait.quiet_from.elapsed());
                    if quiet >= QUIET_ENOUGH && wait.seen_quiet {
                        if let Some((look, _)) = wait.ahead.as_mut().filter(|_| as_seen) {
                            look.confirm(&self.router);
                        }
                        break;
                    }
                    wait.ahead = wait.ahead.take().filter(|(_, began)| began.elapsed() <= since);
                    if self.look_ahead(quiet, cap, &mut wait).await {
                        continue;
                    }
                    // Read twice near the end: a page that got no processor for a while looks quiet once.
                    wait.seen_quiet = quiet + LAST_LOOK_MS >= QUIET_ENOUGH;
                    let left = QUIET_ENOUGH.saturating_sub(quiet);
                    let first =
                        if quiet < LOOK_AHEAD_MS { LOOK_AHEAD_MS - quiet } else { left.saturating_sub(LAST_LOOK_MS * 2 / 3) };
                    wait.nap(if wait.seen_quiet { left } else { first }.max(Duration::from_millis(1))).await;
                }
                Stir::Parsing | Stir::NoDocument => {
                    let since = Instant::now();
                    wait.nap(SETTLE_STEP_MS).await;
                    wait.network += since.elapsed();
                    wait.stirred();
                }
            }
        }
        wait.note();
        self.ahead = wait.ahead.take().map(|(look, _)| look);
        Ok(self.sum_up(wait, before))
    }

    /// Takes the next look while the window is waited out, when the page seems to be at rest. It is the look of this wait's
    /// end if nothing stirs until then; [`Browser::observe`] asks the page once more whether it still looks so.
    async fn look_ahead(&self, quiet: Duration, cap: Instant, wait: &mut Wait<'_>) -> bool {
        if quiet < LOOK_AHEAD_MS || wait.ahead.is_some() || wait.looks_ahead >= LOOKS_AHEAD_MAX {
            return false;
        }
        wait.looks_ahead += 1;
        let began = Instant::now();
        // A page that freezes under it is found out by the next question, which ends what runs.
        let until = cap.min(began + FROZEN_MS / 2);
        let looked = wait.beside(tokio::time::timeout_at(until, self.look())).await;
        wait.ahead = looked.ok().and_then(Result::ok).filter(|_| wait.busy_since.is_none()).map(|look| (look, began));
        // The page answered just now: that is one of the two looks near the end.
        wait.seen_quiet = wait.ahead.is_some() && quiet.max(wait.quiet_from.elapsed()) + LAST_LOOK_MS >= QUIET_ENOUGH;
        true
    }

    async fn stir(&self, left: Duration, wait: &mut Wait<'_>) -> Result<Stir, PageError> {
        if self.router.state().world.is_none() {
            return Ok(Stir::NoDocument);
        }
        let looked = wait.ahead.is_some();
        match wait.beside(self.page_function::<Quiet>(QUIET, [json!(looked)], FROZEN_MS.min(left))).await {
            Ok(quiet) if quiet.ready_state == "loading" => Ok(Stir::Parsing),
            Ok(quiet) => Ok(Stir::QuietFor(Duration::from_secs_f64(sane_ms(quiet.since_mutation_ms) / 1_000.0), quiet.as_seen)),
            Err(PageError::NoDocument) => Ok(Stir::NoDocument),
            Err(PageError::Call(CallError::TimedOut { .. })) => {
                wait.settled.frozen = true;
                self.unfreeze(self.session.clone()).await;
                Ok(Stir::QuietFor(Duration::ZERO, false))
            }
            Err(error) => Err(error),
        }
    }

    fn sum_up(&self, wait: Wait<'_>, navigations_before: u64) -> Settled {
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let waited = wait.started.elapsed();
        let network = wait.network + wait.busy_since.map_or(Duration::ZERO, |since| since.elapsed());
        let state = self.router.state();
        Settled {
            waited_ms: ms(waited),
            waited_network_ms: ms(network) + self.waited_on_navigation_ms.swap(0, std::sync::atomic::Ordering::Relaxed),
            window_ms: ms(wait.from.elapsed().saturating_sub(network)).min(SETTLE_QUIET_MS),
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

//! What every connection of one edge shares: the configuration, the sums, and the tasks that end with it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clicket_guard::address::{HostRules, OperatorGrant};
use clicket_guard::effect::RequestFacts;
use clicket_guard::links;
use clicket_guard::reach::{Passage, Reach, Relation};
use clicket_guard::web::{Origin, WebUrl};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::blind::Blind;
use crate::ca::Authority;
use crate::credential::ProxyCredential;
use crate::download::DownloadFolder;
use crate::edge::{Documents, EdgeEvent};
use crate::limits::{EdgeLimits, within};
use crate::pool::Pool;
use crate::record::{Counts, Draft, Outcome, RequestRecord};
use crate::resolve::Names;

pub(crate) struct Shared {
    pub(crate) downloads: Option<DownloadFolder>,
    pub(crate) documents: Documents,
    /// The document that guard mode lets pass.
    pub(crate) allowed: Mutex<Option<WebUrl>>,
    pub(crate) reach: Reach,
    pub(crate) blind: Blind,
    pub(crate) grants: Vec<OperatorGrant>,
    pub(crate) rules: HostRules,
    pub(crate) limits: EdgeLimits,
    pub(crate) names: Names,
    pub(crate) authority: Authority,
    pub(crate) credential: ProxyCredential,
    pub(crate) seed_url: String,
    /// Offers HTTP/1.1 alone.
    pub(crate) origin_tls: Arc<rustls::ClientConfig>,
    /// Offers HTTP/2 as well.
    pub(crate) origin_tls_h2: Arc<rustls::ClientConfig>,
    pub(crate) pool: Pool,
    pub(crate) tally: Arc<Tally>,
    pub(crate) events: mpsc::Sender<EdgeEvent>,
    pub(crate) tasks: Tasks,
}

impl Shared {
    /// Opens the record of a request; `None` when the session makes no room for it, and then the request goes nowhere.
    pub(crate) async fn open_record(&self, facts: &RequestFacts, relation: Relation) -> Option<Draft> {
        let room = within(self.limits.event_room_ms, self.events.clone().reserve_owned()).await?.ok()?;
        Some(Draft::open(Arc::clone(&self.tally), room, facts, relation))
    }

    /// What becomes of a request by the rules of reach and, in guard mode, by what was allowed.
    pub(crate) fn passage(&self, facts: &RequestFacts) -> Passage {
        let passage = self.reach.judge(facts);
        match self.documents {
            Documents::Any => passage,
            Documents::OneAtATime => {
                let allowed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
                links::narrowed(passage, facts, allowed.as_ref())
            }
        }
    }

    /// The operator's grant for an origin, if there is one.
    pub(crate) fn grant_for(&self, origin: &Origin) -> Option<&OperatorGrant> {
        self.grants.iter().find(|grant| grant.covers(origin))
    }
}

/// Sums and clocks of a run.
pub(crate) struct Tally {
    opened: Instant,
    ids: AtomicU64,
    in_flight: watch::Sender<usize>,
    held: AtomicUsize,
    sockets: AtomicUsize,
    last_activity_ms: AtomicU64,
    recent: Mutex<VecDeque<u64>>,
    pub(crate) passed: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) held_released: AtomicU64,
    pub(crate) held_refused: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) response_bytes: AtomicU64,
    pub(crate) unauthenticated: AtomicU64,
    pub(crate) dialled: AtomicU64,
    tunnelled: AtomicU64,
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self {
            opened: Instant::now(),
            ids: AtomicU64::default(),
            in_flight: watch::Sender::new(0),
            held: AtomicUsize::default(),
            sockets: AtomicUsize::default(),
            last_activity_ms: AtomicU64::default(),
            recent: Mutex::default(),
            passed: AtomicU64::default(),
            refused: AtomicU64::default(),
            held_released: AtomicU64::default(),
            held_refused: AtomicU64::default(),
            failed: AtomicU64::default(),
            response_bytes: AtomicU64::default(),
            unauthenticated: AtomicU64::default(),
            dialled: AtomicU64::default(),
            tunnelled: AtomicU64::default(),
        }
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Relaxed).saturating_add(1)
    }

    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn touch(&self) {
        self.last_activity_ms.fetch_max(self.now_ms(), Relaxed);
    }

    pub(crate) fn last_activity(&self) -> Instant {
        let passed = Duration::from_millis(self.last_activity_ms.load(Relaxed));
        self.opened.checked_add(passed).unwrap_or(self.opened)
    }

    pub(crate) fn in_flight(&self) -> watch::Receiver<usize> {
        self.in_flight.subscribe()
    }

    fn one_more(&self) {
        self.in_flight.send_modify(|requests| *requests = requests.saturating_add(1));
    }

    fn one_less(&self) {
        self.in_flight.send_modify(|requests| *requests = requests.saturating_sub(1));
    }

    pub(crate) fn enter(&self) {
        self.one_more();
        self.touch();
    }

    pub(crate) fn leave(&self, record: &RequestRecord) {
        self.one_less();
        self.touch();
        let sum = match record.outcome {
            Outcome::Passed => &self.passed,
            Outcome::Refused(_) => &self.refused,
            Outcome::HeldReleased => &self.held_released,
            Outcome::HeldRefused(_) => &self.held_refused,
            Outcome::Tunnelled => &self.tunnelled,
            Outcome::Failed(_) => &self.failed,
        };
        sum.fetch_add(1, Relaxed);
    }

    /// Whether one more request is within the rate and the sum of the run.
    pub(crate) fn admits_request(&self, limits: &EdgeLimits) -> bool {
        let now = self.now_ms();
        let mut recent = lock(&self.recent);
        while recent.front().is_some_and(|then| now.saturating_sub(*then) > limits.rate_window_ms) {
            recent.pop_front();
        }
        let in_window = u64::try_from(recent.len()).unwrap_or(u64::MAX);
        let admits = in_window < limits.window_requests_max && self.ids.load(Relaxed) <= limits.run_requests_max;
        if admits {
            recent.push_back(now);
        }
        admits
    }

    /// Counts response bytes; false when the run has had all it may have.
    pub(crate) fn takes_bytes(&self, bytes: u64, limits: &EdgeLimits) -> bool {
        let before = self.response_bytes.fetch_add(bytes, Relaxed);
        self.touch();
        before.saturating_add(bytes) <= limits.run_bytes_max
    }

    /// Takes one of the places for held requests; it is given back when the place is dropped.
    pub(crate) fn hold_place(self: &Arc<Self>, held_max: usize) -> Option<HeldPlace> {
        let taken = self.held.fetch_update(Relaxed, Relaxed, |held| (held < held_max).then(|| held + 1));
        taken.ok().map(|_| {
            // A request that waits for a verdict keeps no page busy.
            self.one_less();
            HeldPlace(Arc::clone(self))
        })
    }

    /// Takes one of the places for sockets; it is given back when the place is dropped.
    pub(crate) fn socket_place(self: &Arc<Self>, sockets_max: usize) -> Option<SocketPlace> {
        let taken = self.sockets.fetch_update(Relaxed, Relaxed, |open| (open < sockets_max).then(|| open + 1));
        taken.ok().map(|_| SocketPlace(Arc::clone(self)))
    }

    /// Bytes begin to go through a blind tunnel.
    pub(crate) fn begin_stir(&self) {
        self.one_more();
        self.touch();
    }

    /// A blind tunnel is still.
    pub(crate) fn end_stir(&self) {
        self.one_less();
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts {
            passed: self.passed.load(Relaxed),
            refused: self.refused.load(Relaxed),
            held_released: self.held_released.load(Relaxed),
            held_refused: self.held_refused.load(Relaxed),
            failed: self.failed.load(Relaxed),
            held_now: u64::try_from(self.held.load(Relaxed)).unwrap_or(u64::MAX),
            response_bytes: self.response_bytes.load(Relaxed),
            unauthenticated: self.unauthenticated.load(Relaxed),
            dialled: self.dialled.load(Relaxed),
            tunnelled: self.tunnelled.load(Relaxed),
        }
    }
}

/// One of the places for held requests.
pub(crate) struct HeldPlace(Arc<Tally>);

impl Drop for HeldPlace {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Relaxed);
        self.0.one_more();
        self.0.touch();
    }
}

/// One of the places for sockets.
pub(crate) struct SocketPlace(Arc<Tally>);

impl Drop for SocketPlace {
    fn drop(&mut self) {
        self.0.sockets.fetch_sub(1, Relaxed);
    }
}

/// The tasks of one edge. All of them end when it closes.
#[derive(Clone, Default)]
pub(crate) struct Tasks(Arc<Mutex<JoinSet<()>>>);

/// The HTTP library's own tasks end with the edge as well.
impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for Tasks {
    fn execute(&self, work: F) {
        self.spawn(work);
    }
}

impl Tasks {
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut set = lock(&self.0);
        while set.try_join_next().is_some() {}
        set.spawn(work);
    }

    pub(crate) fn abort(&self) {
        lock(&self.0).abort_all();
    }

    /// Ends every task and waits for it.
    pub(crate) async fn end(&self) {
        let mut set = std::mem::take(&mut *lock(&self.0));
        set.shutdown().await;
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

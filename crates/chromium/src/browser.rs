//! The one browser with its one page: what every look and every act goes through.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use clicket_guard::secret::Scrubber;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::client::Connection;
use crate::errors::{CallError, GoneWhy};
use crate::limits::{CALL_MS, CLOSE_MS, TERMINATE_GRACE_MS};
use crate::namespace::DeadPort;
use crate::observe::{LookAhead, Memory};
use crate::process::{ProcessGroup, RunAs};
use crate::quarters::Confinement;
use crate::router::Router;
use crate::settle::LastInput;
use crate::state::{BrowserEvent, Life, World};

/// A started browser with one page. Dropping it kills its process group and removes its profile, which blocks for some
/// milliseconds.
pub struct Browser {
    pub(crate) connection: Arc<Connection>,
    pub(crate) router: Arc<Router>,
    pub(crate) session: String,
    /// The controls of the last look.
    pub(crate) memory: Memory,
    /// A look that was taken while the page settled; it counts only if the page still looks so.
    pub(crate) ahead: Option<LookAhead>,
    /// Numbers of the documents of frames, by the unique id of our world in them; never used twice.
    pub(crate) frame_numbers: HashMap<String, u32>,
    pub(crate) last_frame_number: u32,
    /// Every document that is not acted on said that it takes no input meanwhile.
    pub(crate) others_are_shielded: bool,
    /// The part of a large page that looks begin with: its document, and the key of its first control.
    pub(crate) part: Option<(World, u64)>,
    /// Knows the secrets of the last look.
    pub(crate) scrub: Scrubber,
    pub(crate) seed_url: String,
    /// Who is asked about dialogs that open during an act, if anybody.
    /// Files that may be attached, by a permit for each.
    pub(crate) staged: std::sync::atomic::AtomicU64,
    pub(crate) files: Vec<crate::attach::SuppliedFile>,
    pub(crate) dialogs: Option<tokio::sync::mpsc::Sender<crate::dialog::DialogAsked>>,
    /// Time that acts waited because a navigation kept the page from answering, since the last settling.
    pub(crate) waited_on_navigation_ms: std::sync::atomic::AtomicU64,
    /// Documents that were committed when the last act began, until its settling is over.
    pub(crate) navigations_before: Option<u64>,
    /// The last input that the page took, for the settle window to count from.
    pub(crate) last_input: std::sync::Mutex<Option<LastInput>>,
    /// The other user that the browser runs as, who must be able to read what is attached.
    pub(crate) run_as: Option<RunAs>,
    process: ProcessGroup,
    version: String,
    confinement: Confinement,
    /// Held so that nobody can listen where the browser's own traffic is sent to die.
    _dead_port: DeadPort,
}

/// What a started browser is made of.
pub(crate) struct Assembly {
    pub(crate) process: ProcessGroup,
    pub(crate) run_as: Option<RunAs>,
    pub(crate) dead_port: DeadPort,
    pub(crate) confinement: Confinement,
    pub(crate) version: String,
    pub(crate) session: String,
    pub(crate) seed_url: String,
}

/// How a browser ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CloseReport {
    /// It ended by itself when asked, before it was killed.
    pub by_itself: bool,
    /// Its process was reaped.
    pub reaped: bool,
    /// Its profile folder is gone.
    pub profile_removed: bool,
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Browser").field("version", &self.version).field("process", &self.process.id()).finish_non_exhaustive()
    }
}

impl Browser {
    pub(crate) fn assemble(connection: Arc<Connection>, router: Arc<Router>, parts: Assembly) -> Browser {
        let Assembly { process, run_as, dead_port, confinement, version, session, seed_url } = parts;
        Browser {
            connection,
            router,
            session,
            memory: Memory::new(),
            ahead: None,
            frame_numbers: HashMap::new(),
            part: None,
            last_frame_number: 0,
            others_are_shielded: false,
            scrub: Scrubber::default(),
            seed_url,
            files: Vec::new(),
            staged: std::sync::atomic::AtomicU64::new(0),
            run_as,
            dialogs: None,
            waited_on_navigation_ms: std::sync::atomic::AtomicU64::new(0),
            navigations_before: None,
            last_input: std::sync::Mutex::new(None),
            process,
            version,
            confinement,
            _dead_port: dead_port,
        }
    }

    /// The browser's name and version as it gives them, for example `Chrome/156.0.8078.114`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What keeps the browser to its one road out.
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// The id of the browser's process, which is also the id of its process group.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// The private profile folder, which goes with the browser.
    pub fn profile(&self) -> &std::path::Path {
        self.process.profile()
    }

    /// The main frame's committed URL, fragment included, cut at 4,096 bytes. The page chose it.
    pub fn url(&self) -> String {
        self.router.state().url.clone()
    }

    /// What happened since the last call: at most 256 events, then a count of those that were not kept.
    pub fn events(&self) -> Vec<BrowserEvent> {
        self.router.state().drain()
    }

    /// Where the windows would have gone that the last act opened, until it was settled; web addresses only, as they were
    /// announced. The windows themselves were closed before they asked for anything. The page chose the addresses.
    pub fn opened_windows(&self) -> Vec<String> {
        self.router.state().windows.clone()
    }

    /// Why the browser is gone, if it is.
    pub fn gone(&self) -> Option<GoneWhy> {
        self.connection.gone()
    }

    /// Waits until the browser is gone. Without bound: for use beside a deadline or another event.
    pub fn exited(&self) -> impl Future<Output = GoneWhy> + Send + use<> {
        let connection = self.connection.clone();
        async move { connection.wait_gone().await }
    }

    /// Asks the browser to end, then makes sure: SIGTERM, SIGKILL to its group, profile removed. Takes about ten seconds at
    /// most.
    pub async fn close(mut self) -> CloseReport {
        self.let_dialogs_go();
        self.connection.post(None, "Browser.close", json!({}));
        let mut by_itself = tokio::time::timeout(CLOSE_MS, self.connection.wait_gone()).await.is_ok();
        if !by_itself {
            self.process.terminate();
            by_itself = tokio::time::timeout(TERMINATE_GRACE_MS, self.connection.wait_gone()).await.is_ok();
        }
        let ended = tokio::task::spawn_blocking(move || self.process.end()).await;
        let (reaped, profile_removed) = ended.map(|ended| (ended.reaped, ended.profile_removed)).unwrap_or((false, false));
        CloseReport { by_itself, reaped, profile_removed }
    }

    /// A command to the page with the ordinary deadline.
    pub(crate) async fn page_call<T: DeserializeOwned>(&self, method: &'static str, params: Value) -> Result<T, CallError> {
        self.page_call_within(method, params, CALL_MS).await
    }

    /// A command to the page. A page whose process died is not asked.
    pub(crate) async fn page_call_within<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: Value,
        deadline: Duration,
    ) -> Result<T, CallError> {
        self.alive()?;
        self.connection.call(Some(&self.session), method, params, deadline).await
    }

    /// Says whether the page can be spoken to.
    pub(crate) fn alive(&self) -> Result<(), CallError> {
        if let Some(why) = self.connection.gone() {
            return Err(CallError::Gone { why });
        }
        match self.router.state().life {
            Life::Alive => Ok(()),
            Life::Crashed | Life::Closed => Err(CallError::Crashed),
        }
    }
}

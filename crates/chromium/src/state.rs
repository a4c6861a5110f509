//! What is known of the page, folded from the browser's events. Values in, values out: no browser is needed to test it.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use clicket_guard::dialog::DialogKind;

use crate::dialog::{self, HeldDialog, Holding};
use crate::foreign::Foreign;
use crate::launch::{PAGE_SCRIPT, PageScripts, ServiceWorkers};
use crate::limits::{EVENT_TEXT_BYTES_MAX, EVENTS_MAX, WINDOWS_MAX};
use crate::wire;

/// The name of our isolated world; the page's scripts cannot see into it.
pub(crate) const WORLD: &str = "clicket";

/// Something the caller should hear about. Strings are the page's own words, cut at 4,096 bytes: never show them unescaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrowserEvent {
    /// A dialog was opened and dismissed.
    Dialog {
        /// Which kind.
        kind: DialogKind,
        /// What it said.
        text: String,
    },
    /// The page opened a window or tab; it was closed.
    NewTab {
        /// Where it would have gone.
        url: String,
    },
    /// A download began and was refused.
    Download {
        /// What would have been downloaded.
        url: String,
    },
    /// A file chooser was asked for and not shown.
    FileChooser,
    /// The page's process died.
    Crashed,
    /// The page closed itself.
    PageClosed,
    /// More events came than are kept.
    Lost {
        /// How many were not kept.
        count: u64,
    },
}

/// A command that an event calls for, sent without waiting.
#[derive(Debug, PartialEq)]
pub(crate) struct Reply {
    /// The session, or the browser itself.
    pub(crate) session: Option<String>,
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

impl Reply {
    pub(crate) fn to(session: &str, method: &'static str, params: Value) -> Reply {
        Reply { session: Some(session.to_owned()), method, params }
    }

    fn to_browser(method: &'static str, params: Value) -> Reply {
        Reply { session: None, method, params }
    }
}

/// The proxy credential while it is being given to the browser.
pub(crate) struct ProxyLogin {
    pub(crate) user: String,
    pub(crate) password: String,
    pub(crate) answered: bool,
}

/// The page's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// It can be spoken to.
    Alive,
    /// Its process died; a navigation brings it back.
    Crashed,
    /// It closed itself; nothing brings it back.
    Closed,
}

/// Our isolated world in one document: the page's, or a frame's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct World {
    /// The session through which it is spoken to.
    pub(crate) session: String,
    /// Number of the execution context, for commands that take no unique id.
    pub(crate) id: i64,
    /// Unique id of the execution context: never another document's.
    pub(crate) unique_id: String,
}

/// What is known of the page.
pub(crate) struct State {
    /// The browser context that the page is opened in.
    pub(crate) context: Option<String>,
    pub(crate) target: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) page_scripts: PageScripts,
    pub(crate) service_workers: ServiceWorkers,
    pub(crate) login: Option<ProxyLogin>,
    pub(crate) life: Life,
    /// The main frame's committed URL.
    pub(crate) url: String,
    /// The main frame is loading: a navigation started or resources are missing.
    pub(crate) loading: bool,
    /// Committed navigations of the main frame, same-document ones not counted.
    pub(crate) navigations: u64,
    /// Navigations of the main frame that were asked for, whether or not they came to anything.
    pub(crate) navigations_asked: u64,
    /// Same-document navigations of the main frame.
    pub(crate) within_document: u64,
    /// In the main frame's present document.
    pub(crate) world: Option<World>,
    pub(crate) foreign: Foreign,
    pub(crate) dialogs_in_a_row: u32,
    /// All dialogs so far.
    pub(crate) dialogs: u64,
    pub(crate) holding: Holding,
    /// The dialog that is open now and waits for its answer.
    pub(crate) held: Option<HeldDialog>,
    /// The last dialog that was accepted since the present act began.
    pub(crate) accepted_dialog: Option<(DialogKind, String)>,
    /// The first dialog that was dismissed since the present act began.
    pub(crate) first_dialog: Option<(DialogKind, String)>,
    /// Where the page said that its new window goes, until the window is there.
    tab_announced: Option<String>,
    /// Where the windows go that were opened since the present act began and before it was settled.
    pub(crate) windows: Vec<String>,
    events: VecDeque<BrowserEvent>,
    lost: u64,
}

impl State {
    pub(crate) fn new(page_scripts: PageScripts) -> State {
        State {
            context: None,
            target: None,
            session: None,
            page_scripts,
            service_workers: ServiceWorkers::Run,
            login: None,
            life: Life::Alive,
            url: String::new(),
            loading: false,
            navigations: 0,
            navigations_asked: 0,
            within_document: 0,
            world: None,
            foreign: Foreign::default(),
            dialogs_in_a_row: 0,
            dialogs: 0,
            holding: Holding::No,
            held: None,
            accepted_dialog: None,
            first_dialog: None,
            tab_announced: None,
            windows: Vec::new(),
            events: VecDeque::new(),
            lost: 0,
        }
    }

    /// Keeps an event; above the bound it is counted only.
    pub(crate) fn push(&mut self, event: BrowserEvent) {
        if self.events.len() < EVENTS_MAX {
            self.events.push_back(event);
        } else {
            self.lost = self.lost.saturating_add(1);
        }
    }

    /// Hands over the kept events; the last one says how many were lost.
    pub(crate) fn drain(&mut self) -> Vec<BrowserEvent> {
        let mut events: Vec<BrowserEvent> = self.events.drain(..).collect();
        if self.lost > 0 {
            events.push(BrowserEvent::Lost { count: std::mem::take(&mut self.lost) });
        }
        events
    }

    /// An act begins: its dialogs and windows are its own.
    pub(crate) fn forget_dialogs(&mut self) {
        self.dialogs_in_a_row = 0;
        self.first_dialog = None;
        self.accepted_dialog = None;
        self.windows.clear();
    }

    /// Takes one event and says what must be sent at once. Unknown events and unknown shapes change nothing.
    pub(crate) fn fold(&mut self, session: Option<&str>, method: &str, params: &RawValue) -> Vec<Reply> {
        match method {
            "Target.attachedToTarget" => read(params).map(|event| self.on_attached(session, event)),
            "Target.detachedFromTarget" => read(params).map(|event| self.on_detached(&event)),
            "Page.javascriptDialogOpening" => {
                let opening: Option<wire::DialogOpening> = read(params);
                opening.zip(session).map(|(opening, session)| dialog::open(self, session, &opening))
            }
            "Page.javascriptDialogClosed" => {
                if let Some(session) = session {
                    dialog::closed(self, session);
                }
                None
            }
            "Fetch.authRequired" => read(params).map(|event| self.on_auth(session, &event)),
            "Fetch.requestPaused" => read(params).map(|event| self.on_paused(session, &event)),
            "Page.fileChooserOpened" => {
                self.push(BrowserEvent::FileChooser);
                None
            }
            "Page.windowOpen" => read(params).map(|event: wire::WithUrl| {
                self.report_tab(&event.url);
                self.tab_announced = Some(cut(&event.url));
                Vec::new()
            }),
            "Browser.downloadWillBegin" => read(params).map(|event: wire::WithUrl| {
                self.push(BrowserEvent::Download { url: cut(&event.url) });
                Vec::new()
            }),
            _ => {
                if let Some(session) = session.filter(|session| self.is_ours(session)) {
                    self.fold_frames(session, method, params);
                }
                if session.is_some() && session == self.session.as_deref() {
                    self.fold_page(method, params);
                }
                None
            }
        }
        .unwrap_or_default()
    }

    /// The page's session, or one of a frame in it.
    fn is_ours(&self, session: &str) -> bool {
        self.session.as_deref() == Some(session) || self.foreign.knows(session)
    }

    /// What is told of documents, whichever session tells it.
    fn fold_frames(&mut self, session: &str, method: &str, params: &RawValue) {
        match method {
            "Page.frameStartedNavigating" | "Page.frameRequestedNavigation" => self.on_asked(read(params)),
            "Runtime.executionContextCreated" => self.on_context(session, read(params)),
            "Runtime.executionContextDestroyed" => self.on_context_gone(read(params)),
            "Runtime.executionContextsCleared" => self.on_contexts_cleared(session),
            "Inspector.targetCrashed" => self.foreign.on_cleared(session),
            _ => {}
        }
    }

    fn fold_page(&mut self, method: &str, params: &RawValue) {
        match method {
            "Page.frameNavigated" => self.on_navigated(read(params)),
            "Page.navigatedWithinDocument" => self.on_within_document(read(params)),
            "Page.frameStartedLoading" => self.on_loading(read(params), true),
            "Page.frameStoppedLoading" => self.on_loading(read(params), false),
            "Inspector.targetCrashed" => self.on_crashed(),
            _ => {}
        }
    }

    fn on_attached(&mut self, session: Option<&str>, event: wire::AttachedToTarget) -> Vec<Reply> {
        let (info, attached) = (event.target_info, event.session_id);
        match info.kind.as_str() {
            "page" if self.session.is_none() && self.context.is_some() && info.browser_context_id == self.context => {
                self.target = Some(info.target_id);
                self.session = Some(attached);
                Vec::new()
            }
            "page" => self.close_other_page(&info, &attached),
            "iframe" => {
                if session.is_some_and(|session| self.is_ours(session)) {
                    self.foreign.on_session(&attached);
                }
                self.prepare_frame(&attached)
            }
            // Detached at once, it would wait for the word that was sent to it and never start.
            "service_worker" => vec![Reply::to(&attached, "Runtime.runIfWaitingForDebugger", json!({}))],
            _ => vec![
                Reply::to(&attached, "Runtime.runIfWaitingForDebugger", json!({})),
                Reply {
                    session: session.map(str::to_owned),
                    method: "Target.detachFromTarget",
                    params: json!({ "sessionId": attached }),
                },
            ],
        }
    }

    /// The page may be attached a second time through another parent; only other pages are closed.
    fn close_other_page(&mut self, info: &wire::TargetInfo, attached: &str) -> Vec<Reply> {
        if Some(&info.target_id) == self.target.as_ref() {
            return Vec::new();
        }
        if self.tab_announced.take().is_none_or(|announced| announced != cut(&info.url)) {
            self.report_tab(&info.url);
        }
        vec![
            Reply::to(attached, "Fetch.enable", json!({})),
            Reply::to_browser("Target.closeTarget", json!({ "targetId": info.target_id })),
            // A window that shares its opener's process would hold the opener too for as long as it is held.
            Reply::to(attached, "Runtime.runIfWaitingForDebugger", json!({})),
        ]
    }

    /// A window is announced by the page that opens it and by the browser; it is reported once.
    fn report_tab(&mut self, url: &str) {
        let url = cut(url);
        let known = self.events.iter().any(|event| matches!(event, BrowserEvent::NewTab { url: known } if *known == url));
        let web = url.starts_with("https://") || url.starts_with("http://");
        if self.holding != Holding::No && web && self.windows.len() < WINDOWS_MAX && !self.windows.contains(&url) {
            self.windows.push(url.clone());
        }
        if !url.is_empty() && url != "about:blank" && !known {
            self.push(BrowserEvent::NewTab { url });
        }
    }

    /// A cross-site frame lives in a process of its own and must be told what the page was told.
    fn prepare_frame(&self, attached: &str) -> Vec<Reply> {
        let mut replies = vec![
            Reply::to(attached, "Page.enable", json!({})),
            Reply::to(attached, "Runtime.enable", json!({})),
            Reply::to(attached, "Page.addScriptToEvaluateOnNewDocument", page_script()),
            Reply::to(attached, "Emulation.setFocusEmulationEnabled", json!({ "enabled": true })),
            Reply::to(attached, "Page.setInterceptFileChooserDialog", json!({ "enabled": true })),
            Reply::to(attached, "Target.setAutoAttach", auto_attach()),
        ];
        if self.page_scripts == PageScripts::Off {
            replies.push(Reply::to(attached, "Emulation.setScriptExecutionDisabled", json!({ "value": true })));
        }
        if self.service_workers == ServiceWorkers::Bypassed {
            replies.extend(bypass_service_workers().map(|(method, params)| Reply::to(attached, method, params)));
        }
        replies.push(Reply::to(attached, "Runtime.runIfWaitingForDebugger", json!({})));
        replies
    }

    fn on_detached(&mut self, event: &wire::DetachedFromTarget) -> Vec<Reply> {
        self.foreign.on_session_gone(&event.session_id);
        dialog::closed(self, &event.session_id);
        if Some(&event.session_id) == self.session.as_ref() {
            self.life = Life::Closed;
            self.world = None;
            self.push(BrowserEvent::PageClosed);
        }
        Vec::new()
    }

    /// Whoever waits for the page must wait no longer.
    pub(crate) fn on_gone(&mut self) {
        self.life = Life::Closed;
        self.world = None;
        self.loading = false;
    }

    fn on_crashed(&mut self) {
        self.life = Life::Crashed;
        self.world = None;
        self.held = None;
        self.loading = false;
        self.push(BrowserEvent::Crashed);
    }

    fn on_navigated(&mut self, event: Option<wire::FrameNavigated>) {
        let Some(frame) = event.map(|event| event.frame).filter(|frame| frame.parent_id.is_none()) else { return };
        self.url = cut(&format!("{}{}", frame.url, frame.url_fragment.unwrap_or_default()));
        self.target = Some(frame.id);
        self.navigations = self.navigations.saturating_add(1);
        self.foreign.on_page_navigated();
        self.dialogs_in_a_row = 0;
        if self.life == Life::Crashed {
            self.life = Life::Alive;
        }
    }

    fn on_within_document(&mut self, event: Option<wire::WithinDocument>) {
        if let Some(event) = event.filter(|event| self.is_main(&event.frame_id)) {
            self.url = cut(&event.url);
            self.within_document = self.within_document.saturating_add(1);
        }
    }

    fn on_loading(&mut self, event: Option<wire::FrameEvent>, loading: bool) {
        if event.is_some_and(|event| self.is_main(&event.frame_id)) {
            self.loading = loading;
        }
    }

    fn on_asked(&mut self, event: Option<wire::FrameEvent>) {
        let leaves = |event: &wire::FrameEvent| !matches!(event.navigation_type.as_str(), "sameDocument" | "historySameDocument");
        let Some(event) = event.filter(leaves) else { return };
        if self.is_main(&event.frame_id) {
            self.navigations_asked = self.navigations_asked.saturating_add(1);
        } else {
            self.foreign.on_asked(&event.frame_id);
        }
    }

    fn on_context(&mut self, session: &str, event: Option<wire::ContextEvent>) {
        let Some(context) = event.map(|event| event.context).filter(|context| context.name == WORLD) else { return };
        let world = World { session: session.to_owned(), id: context.id, unique_id: context.unique_id };
        if !self.is_main(&context.aux_data.frame_id) {
            self.foreign.on_world(&context.aux_data.frame_id, &context.origin, world);
        } else if self.session.as_deref() == Some(session) {
            self.foreign.on_page_world(&context.origin);
            self.world = Some(world);
        }
    }

    fn on_contexts_cleared(&mut self, session: &str) {
        self.foreign.on_cleared(session);
        if self.session.as_deref() == Some(session) {
            self.world = None;
        }
    }

    fn on_context_gone(&mut self, event: Option<wire::ContextDestroyed>) {
        let Some(unique_id) = event.map(|event| event.execution_context_unique_id) else { return };
        self.foreign.on_world_gone(&unique_id);
        if self.world.as_ref().is_some_and(|world| world.unique_id == unique_id) {
            self.world = None;
        }
    }

    /// The credential goes to the proxy alone, once; a server that asks gets nothing.
    fn on_auth(&mut self, session: Option<&str>, event: &wire::AuthRequired) -> Vec<Reply> {
        let answer = match &mut self.login {
            Some(login) if event.auth_challenge.source == "Proxy" && !login.answered => {
                login.answered = true;
                json!({ "response": "ProvideCredentials", "username": login.user, "password": login.password })
            }
            Some(_) | None => json!({ "response": "CancelAuth" }),
        };
        let params = json!({ "requestId": event.request_id, "authChallengeResponse": answer });
        session.map(|session| Reply::to(session, "Fetch.continueWithAuth", params)).into_iter().collect()
    }

    /// Requests go on while the page gets its credential; those of a window that is being closed never do.
    fn on_paused(&self, session: Option<&str>, event: &wire::RequestPaused) -> Vec<Reply> {
        let Some(session) = session else { return Vec::new() };
        if self.session.as_deref() == Some(session) {
            return vec![Reply::to(session, "Fetch.continueRequest", json!({ "requestId": event.request_id }))];
        }
        vec![Reply::to(session, "Fetch.failRequest", json!({ "requestId": event.request_id, "errorReason": "BlockedByClient" }))]
    }

    /// A page target's main frame keeps the target's id for as long as the target lives.
    fn is_main(&self, frame: &str) -> bool {
        self.target.as_deref() == Some(frame)
    }
}

/// Sent to a page or frame whose requests are to go past its service worker. The switch holds only while the domain is on; nothing
/// of a body is kept for it.
pub(crate) fn bypass_service_workers() -> [(&'static str, Value); 2] {
    let nothing = json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 });
    [("Network.enable", nothing), ("Network.setBypassServiceWorker", json!({ "bypass": true }))]
}

/// What is attached by itself: everything a page starts, held until it was told what it must know.
pub(crate) fn auto_attach() -> Value {
    json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true })
}

/// Our script, for each document before its own scripts run.
pub(crate) fn page_script() -> Value {
    json!({ "source": PAGE_SCRIPT, "worldName": WORLD, "runImmediately": true })
}

fn read<'a, T: Deserialize<'a>>(params: &'a RawValue) -> Option<T> {
    serde_json::from_str(params.get()).ok()
}

/// Cuts at the bound, at a character's edge.
pub(crate) fn cut(text: &str) -> String {
    let mut end = text.len().min(EVENT_TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;

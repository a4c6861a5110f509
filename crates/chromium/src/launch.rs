//! Starts a browser that has one road out, and opens the one page in it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nix::unistd::{Uid, User};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::browser::{Assembly, Browser};
use crate::client::Connection;
use crate::cookies::CookieJar;
use crate::errors::{CallError, LaunchError};
use crate::flags::{self, Facts};
use crate::lease::LeaseFolder;
use crate::namespace::{DeadPort, check_empty};
use crate::process::{ProcessGroup, RunAs};
use crate::profile::{self, Profile};
use crate::quarters::{Confinement, Order, Quarters};
use crate::router::Router;
use crate::state::{Life, ProxyLogin, auto_attach, bypass_service_workers, page_script};
use crate::wire::{ContextCreated, Navigated, TargetCreated, Version};

/// The page's script, joined from `page/` at build time.
pub(crate) const PAGE_SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page.js"));

/// Who the browser runs as, which decides whether Chromium's sandbox can be on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sandbox {
    /// Sandbox on; we are root and the browser drops to this user.
    AsUser {
        /// The user's name.
        name: String,
    },
    /// Sandbox on; the browser runs as we do. Not for root.
    AsSelf,
    /// Sandbox off. The operator asked for it by a name that starts with `dangerously`.
    DangerouslyOff,
}

/// Whether a person sees the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headed {
    /// No window.
    No,
    /// A window on the display that the environment names.
    Yes,
}

/// Whether the page's own scripts run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageScripts {
    /// They run.
    On,
    /// They do not; our isolated world still does.
    Off,
}

/// Whether the page is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageWatch {
    /// Our script is in every document, and acts and looks go through it.
    #[default]
    Page,
    /// Nothing of ours is in any document: a person will use the browser.
    Nothing,
}

/// Whether a page's service worker stands between the page and the edge. Either way the edge judges what leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceWorkers {
    /// It may answer and change the page's requests, as the site made it.
    Run,
    /// The page's requests go past it, so that what a person is shown is what the page asked for.
    Bypassed,
}

/// The edge, which listens on the quarters' socket: the only road out.
#[derive(Clone)]
pub struct ProxyRoute {
    /// The name half of the credential.
    pub user: String,
    /// The secret half of the credential.
    pub password: String,
    /// A page that the edge answers itself; opening it hands the credential over.
    pub seed_url: String,
    /// Base64 of the SHA-256 of the edge's public key.
    pub spki: String,
}

impl std::fmt::Debug for ProxyRoute {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ProxyRoute").field("seed_url", &self.seed_url).finish_non_exhaustive()
    }
}

/// Everything a launch needs.
#[derive(Debug, Clone)]
pub struct LaunchConfig {
    /// The real browser binary, from [`crate::find`].
    pub binary: PathBuf,
    /// With or without a window.
    pub headed: Headed,
    /// The road out.
    pub proxy: ProxyRoute,
    /// Whether the page's scripts run.
    pub page_scripts: PageScripts,
    /// Whether the page is looked at.
    pub watch: PageWatch,
    /// Whether service workers stand between the page and the edge.
    pub service_workers: ServiceWorkers,
    /// Width and height of the page in CSS pixels; 1280 x 900 is the usual one.
    pub viewport: (u32, u32),
    /// For the whole launch.
    pub deadline: Duration,
    /// Where its lease is filed, so that a later start can end what this one leaves if it is killed.
    pub leases: Option<LeaseFolder>,
    /// Cookies that an earlier run left.
    pub cookies: CookieJar,
}

impl Browser {
    /// Starts a browser where it will live and opens its one page on the edge's seed page.
    ///
    /// # Errors
    /// See [`LaunchError`]; whatever was started by then is gone again.
    pub async fn launch(config: LaunchConfig, quarters: Quarters) -> Result<Browser, LaunchError> {
        let until = Instant::now() + config.deadline;
        let (confinement, edge) = (quarters.confinement.clone(), quarters.address);
        let run_as = quarters.run_as;
        let Started { process, connection, router, dead_port } = start(&config, quarters)?;
        let mut rise = Rise { connection, router, edge, until, step: "starting" };
        match rise.run_unless_crashed(&config).await {
            Ok((version, session)) => {
                if confinement == Confinement::System {
                    check_empty(process.id()).map_err(|why| LaunchError::NotAlone { why })?;
                }
                let parts =
                    Assembly { process, run_as, dead_port, confinement, version, session, seed_url: config.proxy.seed_url };
                Ok(Browser::assemble(rise.connection, rise.router, parts))
            }
            Err(RiseError::Call(source)) => Err(LaunchError::NotUp { step: rise.step, source, stderr: process.stderr_tail() }),
            Err(RiseError::Proxy(why)) => Err(LaunchError::ProxyNotReached { why }),
        }
    }
}

pub(crate) fn run_as(sandbox: &Sandbox, we_are: Uid) -> Result<Option<RunAs>, LaunchError> {
    match sandbox {
        Sandbox::DangerouslyOff => Ok(None),
        Sandbox::AsSelf if we_are.is_root() => Err(LaunchError::RootNeedsUser),
        Sandbox::AsSelf => Ok(None),
        Sandbox::AsUser { name } => {
            let user = User::from_name(name).ok().flatten().ok_or_else(|| LaunchError::NoUser { name: name.clone() })?;
            match (user.uid == we_are, we_are.is_root(), user.uid.is_root()) {
                (_, _, true) => Err(LaunchError::RootNeedsUser),
                (true, _, false) => Ok(None),
                (false, true, false) => Ok(Some(RunAs { uid: user.uid.as_raw(), gid: user.gid.as_raw() })),
                (false, false, false) => Err(LaunchError::NotRoot { name: name.clone() }),
            }
        }
    }
}

struct Started {
    process: ProcessGroup,
    connection: Arc<Connection>,
    router: Arc<Router>,
    dead_port: DeadPort,
}

fn start(config: &LaunchConfig, quarters: Quarters) -> Result<Started, LaunchError> {
    let spawn_error = |source| LaunchError::Spawn { binary: config.binary.clone(), source };
    let profile = Profile::make(quarters.run_as, config.leases.as_ref())
        .map_err(|source| LaunchError::Profile { path: std::env::temp_dir(), source })?;
    let arguments = flags::arguments(&Facts {
        profile: profile.path(),
        dead_port: quarters.dead.address,
        proxy: quarters.address,
        spki: &config.proxy.spki,
        viewport: config.viewport,
        headed: config.headed,
        sandbox: &quarters.sandbox,
    });
    flags::verify(&arguments, &quarters.sandbox)?;
    profile::verify(&profile::preferences(), &profile::local_state())?;
    let environment = environment(config.headed, &profile);
    let order = Order { binary: config.binary.clone(), arguments, environment };
    let (child, pipes, dead_port) = quarters.start(&order).map_err(spawn_error)?;
    let process = ProcessGroup::adopt(child, profile);
    let router = Router::new(config.page_scripts);
    router.state().service_workers = config.service_workers;
    let connection = Connection::open(pipes, router.clone());
    Ok(Started { process, connection, router, dead_port })
}

/// The browser gets no token, no proxy variable and no bus: only what it needs to find its programs and its folder.
fn environment(headed: Headed, profile: &Profile) -> Vec<(String, String)> {
    let home = profile.path().display().to_string();
    let mut environment: Vec<(String, String)> = [
        ("HOME", home.as_str()),
        ("TMPDIR", &home),
        ("XDG_CONFIG_HOME", &home),
        ("XDG_CACHE_HOME", &home),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
        ("DBUS_SESSION_BUS_ADDRESS", "disabled:"),
        ("DBUS_SYSTEM_BUS_ADDRESS", "disabled:"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    if headed == Headed::Yes {
        let display = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"];
        environment.extend(display.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))));
    }
    environment
}

enum RiseError {
    Call(CallError),
    Proxy(String),
}

impl From<CallError> for RiseError {
    fn from(error: CallError) -> RiseError {
        RiseError::Call(error)
    }
}

/// The steps from a started process to an open page.
struct Rise {
    connection: Arc<Connection>,
    router: Arc<Router>,
    edge: SocketAddr,
    until: Instant,
    step: &'static str,
}

impl Rise {
    /// A page or browser whose process dies answers nothing more, so it is not waited for.
    async fn run_unless_crashed(&mut self, config: &LaunchConfig) -> Result<(String, String), RiseError> {
        let router = Arc::clone(&self.router);
        let crashed = router.wait_for(self.left(), |state| (state.life != Life::Alive).then_some(()));
        tokio::select! {
            risen = self.run(config) => risen,
            Some(()) = crashed => {
                Err(RiseError::Call(self.connection.gone().map_or(CallError::Crashed, |why| CallError::Gone { why })))
            }
        }
    }

    async fn run(&mut self, config: &LaunchConfig) -> Result<(String, String), RiseError> {
        self.step = "its first answer";
        let version: Version = self.call(None, "Browser.getVersion", json!({})).await?;
        self.step = "a private context";
        let context = self.make_context().await?;
        self.step = "its cookies";
        self.set_cookies(&context, &config.cookies).await?;
        self.step = "closing its doors";
        self.close_doors(&context).await?;
        self.step = "opening the page";
        let session = self.open_page(&context, config.viewport).await?;
        self.step = "preparing the page";
        self.prepare_page(&session, config).await?;
        self.step = "reaching the proxy";
        self.seed_proxy(&session, &config.proxy).await?;
        Ok((version.product, session))
    }

    async fn make_context(&self) -> Result<String, CallError> {
        let params = json!({
            "disposeOnDetach": true,
            "proxyServer": format!("http://{}", self.edge),
            "proxyBypassList": "<-loopback>",
        });
        let made: ContextCreated = self.call(None, "Target.createBrowserContext", params).await?;
        self.router.state().context = Some(made.browser_context_id.clone());
        Ok(made.browser_context_id)
    }

    /// One by one: a cookie that this browser does not take must not cost the others.
    async fn set_cookies(&self, context: &str, cookies: &CookieJar) -> Result<(), CallError> {
        let mut pending = Vec::with_capacity(cookies.len());
        for cookie in cookies.to_set() {
            let params = json!({ "cookies": [cookie], "browserContextId": context });
            pending.push(self.connection.start(None, "Storage.setCookies", params)?);
        }
        for command in pending {
            match command.within::<IgnoredAny>(self.left()).await {
                Ok(_) | Err(CallError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Downloads are denied and every permission too; new targets are held until they are judged.
    async fn close_doors(&self, context: &str) -> Result<(), CallError> {
        for name in DENIED_PERMISSIONS {
            let permission = json!({ "name": name });
            // A permission that this browser does not know cannot be granted by it either.
            let params = json!({ "permission": permission, "setting": "denied", "browserContextId": context });
            self.connection.post(None, "Browser.setPermission", params);
        }
        let downloads = json!({ "behavior": "deny", "browserContextId": context, "eventsEnabled": true });
        self.call::<IgnoredAny>(None, "Browser.setDownloadBehavior", downloads).await?;
        self.call::<IgnoredAny>(None, "Target.setAutoAttach", auto_attach()).await?;
        Ok(())
    }

    async fn open_page(&self, context: &str, viewport: (u32, u32)) -> Result<String, CallError> {
        let params = json!({
            "url": "about:blank", "browserContextId": context, "width": viewport.0, "height": viewport.1,
        });
        let page: TargetCreated = self.call(None, "Target.createTarget", params).await?;
        let attached = self.router.wait_for(self.left(), |state| {
            state.session.clone().filter(|_| state.target.as_deref() == Some(page.target_id.as_str()))
        });
        attached.await.ok_or(CallError::Unreadable { method: "Target.createTarget" })
    }

    /// Sent back to back: the page is held until the last of them, so no script runs before it is prepared.
    async fn prepare_page(&self, session: &str, config: &LaunchConfig) -> Result<(), CallError> {
        let (width, height) = config.viewport;
        let mut commands: Vec<(&'static str, Value)> = vec![
            ("Page.enable", json!({})),
            ("Target.setAutoAttach", auto_attach()),
            ("Fetch.enable", json!({ "handleAuthRequests": true })),
        ];
        if config.watch == PageWatch::Page {
            commands.extend([
                ("Runtime.enable", json!({})),
                ("Page.addScriptToEvaluateOnNewDocument", page_script()),
                ("Page.setInterceptFileChooserDialog", json!({ "enabled": true })),
                ("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })),
            ]);
        }
        if config.headed == Headed::No {
            let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
            commands.push(("Emulation.setDeviceMetricsOverride", metrics));
        }
        if config.page_scripts == PageScripts::Off {
            commands.push(("Emulation.setScriptExecutionDisabled", json!({ "value": true })));
        }
        if config.service_workers == ServiceWorkers::Bypassed {
            commands.extend(bypass_service_workers());
        }
        commands.push(("Runtime.runIfWaitingForDebugger", json!({})));
        let mut pending = Vec::with_capacity(commands.len());
        for (method, params) in commands {
            pending.push(self.connection.start(Some(session), method, params)?);
        }
        for command in pending {
            command.within::<IgnoredAny>(self.left()).await?;
        }
        Ok(())
    }

    /// The credential is asked for once in a context and kept by the browser's network stack; workers and sockets use it too.
    async fn seed_proxy(&self, session: &str, proxy: &ProxyRoute) -> Result<(), RiseError> {
        let login = ProxyLogin { user: proxy.user.clone(), password: proxy.password.clone(), answered: false };
        self.router.state().login = Some(login);
        let seeded: Navigated = self.call(Some(session), "Page.navigate", json!({ "url": proxy.seed_url })).await?;
        self.router.state().login = None;
        if let Some(why) = seeded.error_text.filter(|text| !text.is_empty()) {
            return Err(RiseError::Proxy(why));
        }
        self.call::<IgnoredAny>(Some(session), "Fetch.disable", json!({})).await?;
        // The answer comes when the page is about to be shown; only the shown page has a history to forget.
        let shown = self.router.wait_for(self.left(), |state| (state.navigations > 0 && !state.loading).then_some(()));
        shown.await.ok_or(CallError::Unreadable { method: "Page.navigate" })?;
        self.call::<IgnoredAny>(Some(session), "Page.resetNavigationHistory", json!({})).await?;
        Ok(())
    }

    async fn call<T: serde::de::DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<T, CallError> {
        self.connection.call(session, method, params, self.left()).await
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

/// Permissions denied by name; `--deny-permission-prompts` stands behind this list.
const DENIED_PERMISSIONS: &[&str] = &[
    "geolocation",
    "notifications",
    "push",
    "midi",
    "camera",
    "microphone",
    "background-fetch",
    "background-sync",
    "periodic-background-sync",
    "persistent-storage",
    "clipboard-read",
    "clipboard-write",
    "payment-handler",
    "idle-detection",
    "screen-wake-lock",
    "storage-access",
    "window-management",
    "local-fonts",
    "display-capture",
    "local-network-access",
    "pointer-lock",
    "keyboard-lock",
];

#[cfg(test)]
#[path = "launch_tests.rs"]
mod tests;

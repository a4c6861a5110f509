//! Where a browser will live, made before its edge and before itself: a network of its own where the system gives one.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, Command};
#[cfg(target_os = "linux")]
use std::sync::mpsc;

use nix::unistd::Uid;
use serde::{Deserialize, Serialize};

use crate::errors::LaunchError;
#[cfg(target_os = "linux")]
use crate::inner::{self, Waiting};
use crate::launch::{Sandbox, run_as};
#[cfg(target_os = "linux")]
use crate::limits::INNER_ANSWER_MS;
use crate::namespace::{DeadPort, Inside};
use crate::process::{Pipes, RunAs, with_pipes};
#[cfg(target_os = "linux")]
use crate::unshare;

/// What keeps the browser to its one road out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Confinement {
    /// The system: the browser lives in a network namespace in which only loopback exists and only the edge listens.
    System,
    /// Flags and the proxy only.
    ProxyOnly {
        /// Why the system does not.
        why: String,
    },
}

impl Confinement {
    /// In one sentence.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Confinement::System => {
                "enforced by the system: the browser's own network namespace has no way out but the edge".into()
            }
            Confinement::ProxyOnly { why } => format!("enforced by the proxy only: {why}"),
        }
    }
}

/// Whether a network namespace is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamespaceWish {
    /// Where it can be had.
    WhereItCanBeHad,
    /// No start without.
    Required,
    /// Not at all. The operator asked for it by a name that starts with `dangerously`.
    DangerouslyWithout,
}

/// How the browser is started, whoever starts it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) binary: std::path::PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
}

/// Where a browser will live. Dropping it unused gives everything back.
pub struct Quarters {
    pub(crate) confinement: Confinement,
    pub(crate) dead: DeadPort,
    pub(crate) run_as: Option<RunAs>,
    pub(crate) sandbox: Sandbox,
    listener: Option<TcpListener>,
    pub(crate) address: SocketAddr,
    door: Door,
}

/// How a process comes to live there.
enum Door {
    /// As a child like any other.
    Open,
    /// As a child of the thread that lives there.
    #[cfg(target_os = "linux")]
    Thread(mpsc::Sender<Work>),
    /// It waits there already.
    #[cfg(target_os = "linux")]
    Inner(Waiting),
}

#[cfg(target_os = "linux")]
/// One process to start in the thread's network, and where to say how it went.
struct Work {
    command: Command,
    started: mpsc::Sender<io::Result<Child>>,
}

impl std::fmt::Debug for Quarters {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Quarters")
            .field("address", &self.address)
            .field("confinement", &self.confinement)
            .finish_non_exhaustive()
    }
}

impl Quarters {
    /// Makes them: takes some milliseconds as root and some tens otherwise.
    ///
    /// # Errors
    /// When the browser's user is missing, a required namespace can't be had, or there is no port at all.
    pub async fn make(sandbox: Sandbox, wish: NamespaceWish) -> Result<Quarters, LaunchError> {
        let made = tokio::task::spawn_blocking(move || Quarters::make_here(sandbox, wish)).await;
        made.unwrap_or_else(|_| Err(LaunchError::Quarters { source: io::ErrorKind::Interrupted.into() }))
    }

    fn make_here(sandbox: Sandbox, wish: NamespaceWish) -> Result<Quarters, LaunchError> {
        let run_as = run_as(&sandbox, Uid::effective())?;
        let made = match wish {
            NamespaceWish::DangerouslyWithout => Err("the operator switched the namespace off".to_owned()),
            NamespaceWish::WhereItCanBeHad | NamespaceWish::Required => namespace_for(&sandbox, run_as),
        };
        let (inside, door, confinement) = match made {
            Ok((inside, door)) => (inside, door, Confinement::System),
            Err(why) if wish == NamespaceWish::Required => return Err(LaunchError::NoNamespace { why }),
            Err(why) => (outside()?, Door::Open, Confinement::ProxyOnly { why }),
        };
        let Inside { listener, dead } = inside;
        let address = listener.local_addr().map_err(|source| LaunchError::Quarters { source })?;
        Ok(Quarters { confinement, dead, run_as, sandbox, listener: Some(listener), address, door })
    }

    /// What will keep the browser to its one road out.
    #[must_use]
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// The socket on which the edge listens for this browser; it is handed out once.
    pub fn take_listener(&mut self) -> Option<TcpListener> {
        self.listener.take()
    }

    /// Starts the browser where it will live.
    pub(crate) fn start(self, order: &Order) -> io::Result<(Child, Pipes, DeadPort)> {
        let by_command = || {
            let mut command = Command::new(&order.binary);
            command.args(&order.arguments).env_clear().envs(order.environment.iter().map(|(name, value)| (name, value)));
            command.stdin(std::process::Stdio::null());
            with_pipes(&mut command, self.run_as).map(|pipes| (command, pipes))
        };
        let (child, pipes) = match self.door {
            Door::Open => {
                let (mut command, pipes) = by_command()?;
                (command.spawn()?, pipes)
            }
            #[cfg(target_os = "linux")]
            Door::Thread(thread) => {
                let (command, pipes) = by_command()?;
                (start_in(&thread, command)?, pipes)
            }
            #[cfg(target_os = "linux")]
            Door::Inner(waiting) => waiting.become_browser(order)?,
        };
        Ok((child, pipes, self.dead))
    }
}

/// Plays the process that enters a namespace if this process was started as one; for the first line of `main`, before there is
/// a second thread. Gives nothing when it was not.
#[must_use]
pub fn enter_if_asked() -> Option<std::process::ExitCode> {
    #[cfg(target_os = "linux")]
    return inner::enter_if_asked();
    #[cfg(not(target_os = "linux"))]
    return None;
}

fn outside() -> Result<Inside, LaunchError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|source| LaunchError::Quarters { source })?;
    Ok(Inside { listener, dead: DeadPort::take().map_err(|source| LaunchError::Quarters { source })? })
}

#[cfg(not(target_os = "linux"))]
fn namespace_for(_sandbox: &Sandbox, _run_as: Option<RunAs>) -> Result<(Inside, Door), String> {
    Err("this system has no network namespaces".to_owned())
}

/// As root by a thread of ours; otherwise, and where root may not, by a process of the browser's user.
#[cfg(target_os = "linux")]
fn namespace_for(sandbox: &Sandbox, run_as: Option<RunAs>) -> Result<(Inside, Door), String> {
    if !Uid::effective().is_root() {
        return by_process(None);
    }
    if *sandbox == Sandbox::DangerouslyOff {
        return Err("without its sandbox the browser runs as root, which no namespace holds".to_owned());
    }
    by_thread().or_else(|as_root| by_process(run_as).map_err(|as_user| format!("{as_root}; {as_user}")))
}

#[cfg(target_os = "linux")]
fn by_process(run_as: Option<RunAs>) -> Result<(Inside, Door), String> {
    Waiting::start(run_as).map(|(waiting, inside)| (inside, Door::Inner(waiting)))
}

#[cfg(target_os = "linux")]
fn by_thread() -> Result<(Inside, Door), String> {
    let (tell, told) = mpsc::channel();
    let (thread, works) = mpsc::channel::<Work>();
    let live = move || {
        let inside = unshare::enter_as_root().map_err(|why| why.to_string());
        let entered = inside.is_ok();
        if tell.send(inside).is_err() || !entered {
            return;
        }
        // A started process lives in the network of the thread that started it.
        while let Ok(Work { mut command, started }) = works.recv() {
            let _ = started.send(command.spawn());
        }
    };
    std::thread::Builder::new().name("browser-network".to_owned()).spawn(live).map_err(|error| error.to_string())?;
    let inside = told.recv_timeout(INNER_ANSWER_MS).map_err(|_| "the system gave no namespace in time".to_owned())??;
    Ok((inside, Door::Thread(thread)))
}

#[cfg(target_os = "linux")]
fn start_in(thread: &mpsc::Sender<Work>, command: Command) -> io::Result<Child> {
    let (started, heard) = mpsc::channel();
    thread.send(Work { command, started }).map_err(|_| io::ErrorKind::BrokenPipe)?;
    heard.recv_timeout(INNER_ANSWER_MS).map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}

//! Wires edge, browser, decider and desk together; the only place where the rooms meet.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clicket_chromium::{
    Browser, CookieJar, Headed, LaunchConfig, LeaseFolder, NamespaceWish, PageScripts, PageWatch, ProxyRoute, Quarters, Reaped,
    Sandbox, ServiceWorkers,
};
use clicket_egress::{BlindTo, Documents, DownloadFolder, Edge, EdgeConfig, EdgeEvent, EdgeLimits, ResolverChoice};
use clicket_guard::address::{HostRules, OperatorGrant};
use clicket_guard::approval::Attendance;
use clicket_guard::policy::Backend;
use clicket_guard::reach::{Profile, Reach};
use clicket_guard::socket::{Sends, SocketGrant};
use clicket_guard::web::{Origin, Scheme, Site, WebUrl};
use clicket_systemone::{ApiKey, Base, DEFAULT_MODEL, Decider, HttpDecider, KEY_VARIABLE};
use tokio::sync::mpsc;

use crate::args::{BrowserArgs, ReachKind};
use crate::failure::Failure;
use crate::journal_command;
use crate::screen::Screen;

/// Chromium's start on a loaded machine.
const LAUNCH_DEADLINE: Duration = Duration::from_secs(30);
/// Page size in CSS pixels.
const VIEWPORT: (u32, u32) = (1280, 900);

/// An open edge and a browser that has no other road.
pub(crate) struct Road {
    pub(crate) edge: Edge,
    pub(crate) events: mpsc::Receiver<EdgeEvent>,
    pub(crate) browser: Browser,
}

/// What the operator gives a run on its way.
#[derive(Default)]
pub(crate) struct Supplies {
    /// Kept from an earlier run.
    pub(crate) cookies: CookieJar,
    /// Which documents may be loaded; page scripts are off when it is one at a time.
    pub(crate) documents: Documents,
    /// Where files may be saved.
    pub(crate) downloads: Option<DownloadFolder>,
    /// What the operator's files hold together.
    pub(crate) upload_bytes: usize,
    /// Origins to which sockets may be opened.
    pub(crate) sockets: Vec<SocketGrant>,
    /// Whether a person answers for what is sent.
    pub(crate) attendance: Option<Attendance>,
    /// Where connections are not inspected, if it is not what the command line names.
    pub(crate) blind: Option<BlindTo>,
    /// Whether there is a window, if the command line has no say in it.
    pub(crate) headed: Option<Headed>,
    /// Whether the page is looked at.
    pub(crate) watch: PageWatch,
}

/// Opens the edge and starts the browser behind it.
pub(crate) async fn open_road(start: &WebUrl, args: &BrowserArgs, supplies: Supplies) -> Result<Road, Failure> {
    let Supplies { cookies, documents, downloads, upload_bytes, sockets, attendance, blind, headed, watch } = supplies;
    let binary = clicket_chromium::find(args.chromium.as_deref()).map_err(Failure::fault)?;
    let mut config = EdgeConfig { downloads, documents, ..edge_config(start, args, sockets)? };
    if let Some(blind) = blind {
        config.blind = blind;
    }
    // A held upload is kept whole while it is judged, so that what leaves is what was shown.
    config.limits.held_body_bytes_max += upload_bytes.saturating_mul(2);
    let mut quarters = Quarters::make(sandbox(args), namespace(args)).await.map_err(Failure::fault)?;
    let listener = quarters.take_listener().ok_or_else(|| Failure::fault("the edge's socket is gone"))?;
    let (edge, events) = Edge::open_on(listener, config).await.map_err(Failure::fault)?;
    let proxy = ProxyRoute {
        user: edge.credential().user().to_owned(),
        password: edge.credential().password().to_owned(),
        seed_url: edge.seed_url().to_owned(),
        spki: edge.ca_spki_sha256_base64().to_owned(),
    };
    let launch = LaunchConfig {
        binary,
        headed: headed.unwrap_or(if args.headed { Headed::Yes } else { Headed::No }),
        proxy,
        page_scripts: match documents {
            Documents::Any => PageScripts::On,
            Documents::OneAtATime => PageScripts::Off,
        },
        watch,
        // A person is shown what the page asked for, not what a worker of the site made of it.
        service_workers: match attendance {
            Some(Attendance::Attended) => ServiceWorkers::Bypassed,
            Some(Attendance::Unattended) | None => ServiceWorkers::Run,
        },
        viewport: VIEWPORT,
        deadline: LAUNCH_DEADLINE,
        leases: Some(leases()?),
        cookies,
    };
    let browser = Browser::launch(launch, quarters).await.map_err(Failure::fault)?;
    Ok(Road { edge, events, browser })
}

/// Where browsers of this user are filed: beside the journal's default folder, else in the temporary folder.
pub(crate) fn leases() -> Result<LeaseFolder, Failure> {
    let state = journal_command::folder(None).ok().and_then(|journal| Some(journal.parent()?.join("leases")));
    if let Some(leases) = state.and_then(|folder| LeaseFolder::open(&folder).ok()) {
        return Ok(leases);
    }
    let folder = std::env::temp_dir().join(format!("clicket-leases-{}", nix::unistd::geteuid()));
    LeaseFolder::open(&folder).map_err(|error| Failure::fault(format!("no private folder at {}: {error}", folder.display())))
}

/// Ends what killed runs of this user left, and says so.
pub(crate) fn reap(screen: &Screen) -> Result<(), Failure> {
    for reaped in leases()?.reap() {
        screen.live(&reaped_in_words(&reaped));
    }
    Ok(())
}

/// One left-over and what became of it.
pub(crate) fn reaped_in_words(reaped: &Reaped) -> String {
    let Reaped { profile, processes, clean } = reaped;
    let end = if *clean { "nothing is left of it" } else { "it could not be removed whole; see `clicket doctor`" };
    format!("cleaned up after a run that was killed: {processes} processes, {}; {end}", profile.display())
}

/// Who the browser runs as.
pub(crate) fn sandbox(args: &BrowserArgs) -> Sandbox {
    if args.no_sandbox {
        Sandbox::DangerouslyOff
    } else if nix::unistd::geteuid().is_root() {
        Sandbox::AsUser { name: args.browser_user.clone() }
    } else {
        Sandbox::AsSelf
    }
}

fn namespace(args: &BrowserArgs) -> NamespaceWish {
    match (args.no_namespace, args.require_namespace) {
        (true, _) => NamespaceWish::DangerouslyWithout,
        (false, true) => NamespaceWish::Required,
        (false, false) => NamespaceWish::WhereItCanBeHad,
    }
}

fn edge_config(start: &WebUrl, args: &BrowserArgs, sockets: Vec<SocketGrant>) -> Result<EdgeConfig, Failure> {
    let local = origins(&args.local_origins, "--local-origin")?;
    let mut grants = Vec::new();
    for origin in &local {
        grants
            .push(OperatorGrant::local_origin(origin).map_err(|why| Failure::usage(format!("--local-origin {origin}: {why}")))?);
    }
    for (name, target) in &args.host_map {
        grants.push(
            OperatorGrant::host_map(name, *target)
                .map_err(|why| Failure::usage(format!("--dangerously-host-map {name}={target}: {why}")))?,
        );
    }
    let sites: Result<Vec<Site>, Failure> =
        args.sites.iter().map(|site| Site::read(site).map_err(|why| Failure::usage(format!("--site {site}: {why}")))).collect();
    let profile = match args.reach {
        ReachKind::Site => Profile::Site,
        ReachKind::Strict => Profile::Strict,
    };
    let reach = Reach::new(profile, start, sites?, origins(&args.origins, "--origin")?, local).map_err(|why| {
        Failure::usage(format!("{why}; use https, or for a server on this machine --local-origin http://localhost:PORT"))
    })?;
    let reach = reach.with_sockets(sockets).map_err(|why| Failure::usage(format!("a socket: {why}")))?;
    Ok(EdgeConfig {
        reach,
        blind: BlindTo::Origins(tunnels(args)?),
        grants,
        host_rules: HostRules { own_addresses: own_addresses(), ..HostRules::default() },
        extra_roots_pem: roots(&args.trust_ca)?,
        resolver: ResolverChoice::System,
        documents: Documents::Any,
        downloads: None,
        limits: EdgeLimits::default(),
    })
}

/// Sockets that the command line grants.
pub(crate) fn sockets(args: &BrowserArgs) -> Result<Vec<SocketGrant>, Failure> {
    let listening = args.sockets.iter().map(|text| ("--socket", text, Sends::Listening));
    let sending = args.socket_sends.iter().map(|text| ("--dangerously-socket-sends", text, Sends::Everything));
    let read = |(option, text, sends): (&str, &String, Sends)| {
        SocketGrant::read(text, sends).map_err(|why| Failure::usage(format!("{option} {text}: {why}")))
    };
    listening.chain(sending).map(read).collect()
}

/// Origins that are passed without being inspected.
pub(crate) fn tunnels(args: &BrowserArgs) -> Result<Vec<Origin>, Failure> {
    let origins = origins(&args.tunnels, "--dangerously-tunnel")?;
    match origins.iter().find(|origin| origin.scheme() != Scheme::Https) {
        Some(origin) => Err(Failure::usage(format!(
            "--dangerously-tunnel {origin}: only TLS is tunnelled; a plain origin on this machine is named by --local-origin"
        ))),
        None => Ok(origins),
    }
}

fn origins(given: &[String], option: &str) -> Result<Vec<Origin>, Failure> {
    given.iter().map(|text| Origin::read(text).map_err(|why| Failure::usage(format!("{option} {text}: {why}")))).collect()
}

fn roots(files: &[PathBuf]) -> Result<Vec<Vec<u8>>, Failure> {
    files
        .iter()
        .map(|file| {
            std::fs::read(file).map_err(|error| Failure::usage(format!("--dangerously-trust-ca {}: {error}", file.display())))
        })
        .collect()
}

/// Addresses of this machine's own interfaces: a name that leads to one of them leads back here.
fn own_addresses() -> Vec<IpAddr> {
    let Ok(interfaces) = nix::ifaddrs::getifaddrs() else { return Vec::new() };
    interfaces
        .filter_map(|interface| {
            let address = interface.address?;
            let four = address.as_sockaddr_in().map(|four| IpAddr::V4(four.ip()));
            four.or_else(|| address.as_sockaddr_in6().map(|six| IpAddr::V6(six.ip())))
        })
        .collect()
}

/// Seams the operator opened, each in words; printed at the start and journaled.
pub(crate) fn seams(args: &BrowserArgs) -> Vec<String> {
    let mut seams: Vec<String> = args
        .local_origins
        .iter()
        .map(|origin| format!("--local-origin {origin}: plain HTTP and this machine's own address are allowed there"))
        .collect();
    seams.extend(
        args.host_map
            .iter()
            .map(|(name, target)| format!("--dangerously-host-map {name}={target}: {name} is dialled there, whatever DNS says")),
    );
    seams.extend(
        args.trust_ca
            .iter()
            .map(|file| format!("--dangerously-trust-ca {}: certificates signed by it are trusted", file.display())),
    );
    seams.extend(args.tunnels.iter().map(|origin| {
        format!(
            "--dangerously-tunnel {origin}: connections there are not inspected; {}",
            clicket_session::NOT_ENFORCED.join("; ")
        )
    }));
    if args.no_sandbox {
        seams.push("--dangerously-no-sandbox: a page that breaks out of Chromium's renderer has this user's rights".into());
    }
    if args.no_namespace {
        seams.push("--dangerously-no-namespace: only flags and the proxy keep the browser to its one road out".into());
    }
    seams
}

/// What decides, and the model named in each request.
pub(crate) fn decider(model: &str) -> Result<(Arc<dyn Decider>, String), Failure> {
    match model.split_once(':') {
        None if model == "reflex" => Ok((Arc::new(clicket_reflex::Reflex::new()), "reflex".to_owned())),
        Some(("systemone", base)) => {
            let base = Base::parse(base).map_err(|why| Failure::usage(format!("--model {model}: {why}")))?;
            let given = std::env::var(KEY_VARIABLE).ok().filter(|key| !key.trim().is_empty());
            let key =
                given.as_deref().map(ApiKey::new).transpose().map_err(|why| Failure::usage(format!("{KEY_VARIABLE}: {why}")))?;
            let decider = HttpDecider::new(base, DEFAULT_MODEL, key.as_ref())
                .map_err(|why| Failure::usage(format!("--model {model}: {why}")))?;
            Ok((Arc::new(decider), DEFAULT_MODEL.to_owned()))
        }
        _ => Err(Failure::usage(format!(
            "--model {model}: use `reflex`, or `systemone:https://api.typesafe.ai` with its key in TYPESAFE_API_KEY"
        ))),
    }
}

/// Random bytes for a key.
pub(crate) fn seed() -> [u8; 32] {
    rand::random()
}

/// What decides, as far as policy tells models apart.
pub(crate) fn backend(model: &str) -> Backend {
    match model.split_once(':') {
        None if model == "reflex" => Backend::Reflex,
        Some(("systemone", base)) if Base::parse(base).is_ok_and(|base| base.is_vendor()) => Backend::Systemone,
        Some(_) | None => Backend::Other,
    }
}

/// 16 random bytes at a time.
pub(crate) fn nonce() -> Box<dyn FnMut() -> [u8; 16] + Send> {
    Box::new(rand::random)
}

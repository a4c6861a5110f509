//! Wires edge, browser, decider and desk together; the only place where the rooms meet.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clicket_chromium::{Browser, Headed, LaunchConfig, PageScripts, ProxyRoute, Sandbox};
use clicket_egress::{Edge, EdgeConfig, EdgeEvent, EdgeLimits, ResolverChoice};
use clicket_guard::address::{HostRules, OperatorGrant};
use clicket_guard::reach::{Profile, Reach};
use clicket_guard::web::{Origin, Site, WebUrl};
use clicket_systemone::{ApiKey, Base, DEFAULT_MODEL, Decider, HttpDecider, KEY_VARIABLE};
use tokio::sync::mpsc;

use crate::args::{BrowserArgs, ReachKind};
use crate::failure::Failure;

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

/// Opens the edge and starts the browser behind it. `upload_bytes` is what the operator's files hold together.
pub(crate) async fn open_road(start: &WebUrl, args: &BrowserArgs, upload_bytes: usize) -> Result<Road, Failure> {
    let binary = clicket_chromium::find(args.chromium.as_deref()).map_err(Failure::fault)?;
    let mut config = edge_config(start, args)?;
    // A held upload is kept whole while it is judged, so that what leaves is what was shown.
    config.limits.held_body_bytes_max += upload_bytes.saturating_mul(2);
    let (edge, events) = Edge::open(config).await.map_err(Failure::fault)?;
    let proxy = ProxyRoute {
        address: edge.address(),
        user: edge.credential().user().to_owned(),
        password: edge.credential().password().to_owned(),
        seed_url: edge.seed_url().to_owned(),
        spki: edge.ca_spki_sha256_base64().to_owned(),
    };
    let launch = LaunchConfig {
        binary,
        sandbox: sandbox(args),
        headed: if args.headed { Headed::Yes } else { Headed::No },
        proxy,
        page_scripts: PageScripts::On,
        viewport: VIEWPORT,
        deadline: LAUNCH_DEADLINE,
    };
    let browser = Browser::launch(launch).await.map_err(Failure::fault)?;
    Ok(Road { edge, events, browser })
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

fn edge_config(start: &WebUrl, args: &BrowserArgs) -> Result<EdgeConfig, Failure> {
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
    Ok(EdgeConfig {
        reach,
        grants,
        host_rules: HostRules { own_addresses: own_addresses(), ..HostRules::default() },
        extra_roots_pem: roots(&args.trust_ca)?,
        resolver: ResolverChoice::System,
        limits: EdgeLimits::default(),
    })
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
    if args.no_sandbox {
        seams.push("--dangerously-no-sandbox: a page that breaks out of Chromium's renderer has this user's rights".into());
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

/// 16 random bytes at a time.
pub(crate) fn nonce() -> Box<dyn FnMut() -> [u8; 16] + Send> {
    Box::new(rand::random)
}

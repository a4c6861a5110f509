//! Blind tunnels and logins in a real Chromium: what the page and the site see, and what Clicket does not.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use clicket_chromium::{
    Browser, CookieJar, Headed, LaunchConfig, NamespaceWish, PageScripts, PageWatch, ProxyRoute, Quarters, Sandbox,
    ServiceWorkers,
};
use clicket_console::Unattended;
use clicket_egress::{BlindTo, Edge, EdgeConfig, EdgeEvent, EdgeLimits, Outcome, ResolverChoice};
use clicket_guard::address::{HostRules, OperatorGrant};
use clicket_guard::policy::Policy;
use clicket_guard::reach::{Profile, Reach};
use clicket_guard::web::{Origin, WebUrl};
use clicket_journal::{Journal, RunId};
use clicket_session::{Budgets, Keeper, LoginParts, Parts, RunConfig, Silent};
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use sha2::Digest as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio_rustls::TlsAcceptor;

use crate::support::turn;

const HOST: &str = "bank.example";

/// Signs in by itself as it is loaded, and tells the site what it finds of anybody who looks on.
const PAGE: &str = r#"<!doctype html><title>Bank</title><h1>Your balance is 7</h1><script>
  const own = new Set(Object.getOwnPropertyNames(window));
  const frame = document.body.appendChild(document.createElement('iframe'));
  const plain = new Set(Object.getOwnPropertyNames(frame.contentWindow));
  const extra = [...own].filter(name => !plain.has(name) && !/^[0-9]+$/.test(name));
  frame.remove();
  let watched = false;
  const bait = new Error();
  Object.defineProperty(bait, 'stack', { get() { watched = true; return ''; } });
  console.debug(bait);
  setTimeout(() => {
    const elements = document.querySelectorAll('*').length;
    fetch('/traces', { method: 'POST', body: JSON.stringify({ extra, watched, elements }) })
      .then(() => fetch('/sign-in', { method: 'POST', body: 'password=hunter2' }));
  }, 200);
</script>"#;

/// A site with a certificate that only a browser trusts which was told its key.
struct Bank {
    address: SocketAddr,
    spki: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl Bank {
    async fn open() -> Self {
        let key = rcgen::KeyPair::generate().unwrap();
        let leaf = rcgen::CertificateParams::new(vec![HOST.to_owned()]).unwrap().self_signed(&key).unwrap();
        let spki = {
            use rcgen::PublicKeyData as _;
            base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(key.subject_public_key_info()))
        };
        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], private)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let bank = Self { address: listener.local_addr().unwrap(), spki, log: Arc::default() };
        let log = Arc::clone(&bank.log);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, log) = (acceptor.clone(), Arc::clone(&log));
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        drop(serve(stream, &log).await);
                    }
                });
            }
        });
        bank
    }

    fn got(&self, path: &str) -> Option<String> {
        self.log.lock().unwrap().iter().find(|request| request.starts_with(path)).cloned()
    }
}

/// One request a connection.
async fn serve(
    mut stream: tokio_rustls::server::TlsStream<tokio::net::TcpStream>,
    log: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let request = loop {
        let mut piece = [0; 4_096];
        let read = stream.read(&mut piece).await?;
        if read == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head_lower = head.to_ascii_lowercase();
        let length = head_lower.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
        if body.len() >= length {
            break format!("{} {body}", head.lines().next().unwrap_or_default());
        }
    };
    log.lock().unwrap().push(request.clone());
    let body = if request.starts_with("GET / ") { PAGE } else { "" };
    let cookie = if request.contains("/sign-in") { "set-cookie: session=abc; Secure; HttpOnly; Path=/\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n{cookie}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

struct Road {
    browser: Browser,
    edge: Edge,
    events: mpsc::Receiver<EdgeEvent>,
}

fn start() -> WebUrl {
    WebUrl::read(&format!("https://{HOST}/")).unwrap()
}

async fn open_road(bank: &Bank, blind: BlindTo, watch: PageWatch) -> Road {
    let sandbox =
        if nix::unistd::Uid::effective().is_root() { Sandbox::AsUser { name: "clicket".into() } } else { Sandbox::AsSelf };
    let mut quarters = Quarters::make(sandbox, NamespaceWish::WhereItCanBeHad).await.unwrap();
    let config = EdgeConfig {
        documents: clicket_egress::Documents::Any,
        reach: Reach::new(Profile::Site, &start(), vec![], vec![], vec![]).unwrap(),
        blind,
        grants: vec![OperatorGrant::host_map(HOST, bank.address).unwrap()],
        host_rules: HostRules::default(),
        extra_roots_pem: Vec::new(),
        resolver: ResolverChoice::Servers(vec!["127.0.0.1:9".parse().unwrap()]),
        downloads: None,
        limits: EdgeLimits::default(),
    };
    let (edge, events) = Edge::open_on(quarters.take_listener().unwrap(), config).await.unwrap();
    let proxy = ProxyRoute {
        user: edge.credential().user().to_owned(),
        password: edge.credential().password().to_owned(),
        seed_url: edge.seed_url().to_owned(),
        spki: format!("{},{}", edge.ca_spki_sha256_base64(), bank.spki),
    };
    let launch = LaunchConfig {
        binary: clicket_chromium::find(None).unwrap(),
        headed: Headed::No,
        proxy,
        page_scripts: PageScripts::On,
        watch,
        service_workers: ServiceWorkers::Run,
        viewport: (1280, 900),
        deadline: Duration::from_secs(30),
        leases: None,
        cookies: CookieJar::default(),
    };
    Road { browser: Browser::launch(launch, quarters).await.unwrap(), edge, events }
}

fn journal(folder: &Path) -> Journal {
    Journal::create(folder, &RunId::new(1, [7; 8])).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_is_passed_blind_is_seen_and_its_requests_are_not() {
    let _turn = tokio::task::spawn_blocking(turn).await.unwrap();
    let bank = Bank::open().await;
    let origin = Origin::read(&format!("https://{HOST}")).unwrap();
    let Road { browser, edge, events } = open_road(&bank, BlindTo::Origins(vec![origin.clone()]), PageWatch::Page).await;
    let folder = tempfile::tempdir().unwrap();
    let parts = Parts {
        browser,
        edge,
        edge_events: events,
        decider: Arc::new(clicket_reflex::Reflex::new()),
        approver: Arc::new(Unattended),
        watch: Arc::new(Silent),
        stop: Arc::new(Notify::new()),
        journal: journal(folder.path()),
        nonce: Box::new(|| [7; 16]),
        keeper: None,
    };
    let config = RunConfig {
        start: start(),
        goal: String::new(),
        values: Vec::new(),
        files: Vec::new(),
        secrets: Vec::new(),
        expectations: Vec::new(),
        policy: Policy::shipped().unwrap(),
        model_id: "none".into(),
        budgets: Budgets { time_ms: 60_000, ..Budgets::default() },
        earlier: Vec::new(),
        tunnelled: vec![origin],
        seams: Vec::new(),
    };
    let look = clicket_session::look(parts, config).await.unwrap();
    assert!(look.seen.text.for_model().contains("Your balance is 7"), "the page's text is seen");
    assert!(bank.got("POST /sign-in").is_some_and(|request| request.contains("hunter2")), "a write there is not held");
    let of_bank: Vec<_> = look.requests.iter().filter(|record| record.url.contains(HOST)).collect();
    assert!(!of_bank.is_empty() && of_bank.iter().all(|record| record.outcome == Outcome::Tunnelled), "{of_bank:?}");
    let written = std::fs::read_to_string(std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path()).unwrap();
    assert!(written.contains("writes in it are neither held nor seen") && !written.contains("hunter2"));
}

struct Kept(Arc<Mutex<Option<CookieJar>>>);

impl Keeper for Kept {
    fn keep(&self, cookies: &CookieJar) -> Result<(), String> {
        *self.0.lock().unwrap() = Some(cookies.clone());
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_where_nothing_of_ours_is_in_the_page() {
    let _turn = tokio::task::spawn_blocking(turn).await.unwrap();
    let bank = Bank::open().await;
    let Road { browser, edge, events } = open_road(&bank, BlindTo::Listed, PageWatch::Nothing).await;
    let folder = tempfile::tempdir().unwrap();
    let (kept, log) = (Arc::new(Mutex::new(None)), Arc::clone(&bank.log));
    let parts = LoginParts {
        browser,
        edge,
        edge_events: events,
        start: start(),
        handed_back: Box::pin(async move {
            for _ in 0..300 {
                tokio::time::sleep(Duration::from_millis(100)).await;
                if log.lock().unwrap().iter().any(|request| request.starts_with("POST /sign-in")) {
                    tokio::time::sleep(Duration::from_millis(500)).await;
                    return true;
                }
            }
            false
        }),
        stop: Arc::new(Notify::new()),
        journal: journal(folder.path()),
        keeper: Box::new(Kept(Arc::clone(&kept))),
        seams: Vec::new(),
    };
    let report = clicket_session::login(parts).await.unwrap();
    assert_eq!(report.not_kept, None, "{:?}", bank.log.lock().unwrap());
    assert_eq!((report.cookies, report.domains.as_slice(), report.seen), (1, &[HOST.to_owned()][..], 0), "{report:?}");
    assert_eq!(kept.lock().unwrap().as_ref().map(CookieJar::len), Some(1));
    let traces: serde_json::Value =
        serde_json::from_str(bank.got("POST /traces").unwrap().split_once(' ').unwrap().1.split_once("1.1 ").unwrap().1).unwrap();
    assert_eq!((&traces["watched"], &traces["elements"]), (&false.into(), &6.into()), "{traces}");
    let extra = traces["extra"].to_string();
    assert!(!extra.contains("licket"), "{extra}");
    let written = std::fs::read_to_string(std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path()).unwrap();
    assert!(!written.contains("hunter2") && !written.contains("/sign-in"), "{written}");
}

#[test]
fn what_cant_be_passed_blind_or_signed_in_to_is_said_before_anything_starts() {
    let said = |options: &[&str]| {
        let output =
            crate::support::clicket().args(options).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let run = ["run", "https://bank.example/", "--goal", "x"];
    for (options, words) in [
        (&[&run[..], &["--dangerously-tunnel", "http://bank.example"]].concat()[..], "only TLS is tunnelled"),
        (&[&run[..], &["--dangerously-tunnel", "https://bank.example/pay"]].concat()[..], "--dangerously-tunnel"),
        (&[&run[..], &["--socket", "wss://bank.example/live"]].concat()[..], "--socket"),
        (&[&run[..], &["--socket", "ws://bank.example"]].concat()[..], "plain HTTP"),
        (&["login", "http://bank.example/", "--profile", "bank"][..], "needs an https address"),
        (&["login", "https://bank.example/", "--profile", "bank"][..], "no display"),
    ] {
        let (code, text) = said(options);
        assert!(code == Some(2) && text.contains(words), "{options:?}: {code:?} {text}");
    }
}

/// A display that nobody sees, if this machine has a server for one.
struct Display(std::process::Child, String);

impl Display {
    fn open() -> Option<Self> {
        use std::io::BufRead as _;
        let mut server = std::process::Command::new("Xvfb");
        server.args(["-displayfd", "1", "-ac", "-nolisten", "tcp", "-screen", "0", "1300x1000x24"]);
        let mut child = server.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().ok()?;
        let mut number = String::new();
        std::io::BufReader::new(child.stdout.take().unwrap()).read_line(&mut number).unwrap();
        Some(Self(child, format!(":{}", number.trim())))
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_login_shows_a_window_and_ends_at_enter_on_the_terminal() {
    use std::io::{Read as _, Write as _};
    let Some(display) = Display::open() else {
        eprintln!("\n##### SKIPPED, NOT TESTED: no Xvfb on this machine, so no window can be shown #####\n");
        return;
    };
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let pair = nix::pty::openpty(None, None).unwrap();
    let mut child = std::process::Command::new("setsid")
        .args(["--ctty", "--wait", env!("CARGO_BIN_EXE_clicket"), "login", "https://bank.example/", "--profile", "bank"])
        .args(["--dangerously-host-map", "bank.example=127.0.0.1:9", "--journal"])
        .arg(folder.path().join("journal"))
        .env("CLICKET_JOURNAL_KEY", crate::support::JOURNAL_KEY)
        .env("XDG_STATE_HOME", folder.path())
        .env("DISPLAY", &display.1)
        .stdin(std::process::Stdio::from(pair.slave))
        .stdout(std::fs::File::create(folder.path().join("out")).unwrap())
        .stderr(std::fs::File::create(folder.path().join("err")).unwrap())
        .spawn()
        .unwrap();
    let mut terminal = std::fs::File::from(pair.master);
    let (mut screen, mut piece) = (String::new(), [0; 4_096]);
    while !screen.contains("Press Enter here") {
        let read = terminal.read(&mut piece).unwrap();
        screen.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().unwrap().is_none(), "it waits for the person");
    terminal.write_all(b"\n").unwrap();
    let code = child.wait().unwrap().code();
    let out = std::fs::read_to_string(folder.path().join("out")).unwrap();
    assert_eq!((code, out.trim()), (Some(3), "no site had set a cookie: the profile bank is empty"));
}

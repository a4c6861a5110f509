//! Origins, browsers and permits for the tests: real sockets on loopback, bytes as they are on the wire.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use clicket_egress::{
    BlindTo, Documents, DownloadFolder, Edge, EdgeConfig, EdgeEvent, EdgeLimits, HeldRequest, RequestRecord, ResolverChoice,
};
use clicket_guard::address::{HostRules, OperatorGrant};
use clicket_guard::approval::{Attendance, Moment};
use clicket_guard::effect::RequestImage;
use clicket_guard::gate::{Admission, Effect, admit_effect};
use clicket_guard::permit::EffectPermit;
use clicket_guard::policy::Policy;
use clicket_guard::reach::{Profile, Reach};
use clicket_guard::risk::ActionClass;
use clicket_guard::secret::Scrubber;
use clicket_guard::socket::SocketGrant;
use clicket_guard::web::{Origin, Site, WebUrl};
use clicket_journal::{Journal, RunId};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::client::TlsStream;
use tokio_rustls::{TlsAcceptor, TlsConnector};

pub const SHOP: &str = "shop.example";
pub const OTHER: &str = "elsewhere.example";

/// No test waits longer than this for anything.
pub async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), work).await.expect("nothing happened in time")
}

/// Memory of this test program in KiB.
pub fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

/// An authority that the operator trusts.
pub struct TestRoot {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Dated {
    Now,
    Past,
    Future,
}

impl TestRoot {
    pub fn make() -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "a root for tests");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self { issuer: CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap() }
    }

    pub fn der(&self) -> Vec<u8> {
        self.issuer.der().to_vec()
    }

    /// A server that lets nobody in who shows no certificate.
    pub fn server_config_asking_for_a_certificate(&self, host: &str) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(vec![host.to_owned()]).unwrap().signed_by(&key, &self.issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(self.der())).unwrap();
        let asks = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build().unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(asks)
            .with_single_cert(vec![leaf.der().clone()], key)
            .unwrap();
        Arc::new(config)
    }

    pub fn pem(&self) -> Vec<u8> {
        self.issuer.pem().into_bytes()
    }

    pub fn server_config(&self, host: &str, dated: Dated) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        (params.not_before, params.not_after) = match dated {
            Dated::Now => (rcgen::date_time_ymd(2020, 1, 1), rcgen::date_time_ymd(2100, 1, 1)),
            Dated::Past => (rcgen::date_time_ymd(2020, 1, 1), rcgen::date_time_ymd(2021, 1, 1)),
            Dated::Future => (rcgen::date_time_ymd(2098, 1, 1), rcgen::date_time_ymd(2100, 1, 1)),
        };
        let leaf = params.signed_by(&key, &self.issuer).unwrap();
        serve_as(leaf.der().clone(), &key)
    }

    pub fn self_signed(host: &str) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(vec![host.to_owned()]).unwrap().self_signed(&key).unwrap();
        serve_as(leaf.der().clone(), &key)
    }
}

fn serve_as(leaf: CertificateDer<'static>, key: &KeyPair) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![leaf], key)
        .unwrap();
    Arc::new(config)
}

/// What an origin does with a request.
#[derive(Clone)]
pub enum Manners {
    /// Answers with these bytes and keeps the connection.
    Answers(Vec<u8>),
    /// Answers with these bytes and closes.
    AnswersAndCloses(Vec<u8>),
    /// Reads and says nothing.
    Silent,
    /// Sends this head, then zeros for ever.
    Endless(Vec<u8>),
    /// Sends the first bytes, then the second ones for ever.
    Repeats(&'static str, &'static str),
    /// Sends this head, then one byte now and then.
    Drips(Vec<u8>),
    /// Reads the request and closes.
    HangsUp,
    /// Becomes a socket, says these bytes, and logs what it gets.
    Switches(Vec<u8>),
}

pub fn ok(body: &str) -> Manners {
    Manners::Answers(
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes(),
    )
}

/// A server that logs the bytes it got.
pub struct LoggingOrigin {
    pub address: SocketAddr,
    pub connections: Arc<AtomicUsize>,
    log: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl LoggingOrigin {
    pub async fn https(config: Arc<ServerConfig>, manners: Manners) -> Self {
        Self::open(Some(TlsAcceptor::from(config)), manners).await
    }

    pub async fn http(manners: Manners) -> Self {
        Self::open(None, manners).await
    }

    async fn open(acceptor: Option<TlsAcceptor>, manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = Self { address: listener.local_addr().unwrap(), connections: Arc::default(), log: Arc::default() };
        let (connections, log) = (Arc::clone(&origin.connections), Arc::clone(&origin.log));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, SeqCst);
                let (acceptor, manners, log) = (acceptor.clone(), manners.clone(), Arc::clone(&log));
                tokio::spawn(async move {
                    match acceptor {
                        Some(acceptor) => {
                            if let Ok(stream) = acceptor.accept(stream).await {
                                behave(stream, manners, log).await;
                            }
                        }
                        None => behave(stream, manners, log).await,
                    }
                });
            }
        });
        origin
    }

    pub fn requests(&self) -> Vec<Vec<u8>> {
        self.log.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(SeqCst)
    }
}

async fn behave<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, manners: Manners, log: Arc<Mutex<Vec<Vec<u8>>>>) {
    while let Some(request) = read_message(&mut stream).await {
        log.lock().unwrap().push(request);
        match &manners {
            Manners::Answers(bytes) => {
                let _ = stream.write_all(bytes).await;
            }
            Manners::AnswersAndCloses(bytes) => {
                let _ = stream.write_all(bytes).await;
                let _ = stream.shutdown().await;
                return;
            }
            Manners::Silent => tokio::time::sleep(Duration::from_secs(60)).await,
            Manners::Endless(head) => {
                let _ = stream.write_all(head).await;
                while stream.write_all(&[0; 65_536]).await.is_ok() {}
                return;
            }
            Manners::Repeats(first, again) => {
                let _ = stream.write_all(first.as_bytes()).await;
                let many = again.repeat(16_384 / again.len());
                while stream.write_all(many.as_bytes()).await.is_ok() {}
                return;
            }
            Manners::Drips(head) => {
                let _ = stream.write_all(head).await;
                while stream.write_all(b".").await.is_ok() && stream.flush().await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                return;
            }
            Manners::HangsUp => return,
            Manners::Switches(greeting) => {
                let head = b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: x\r\n\r\n";
                let _ = stream.write_all(head).await;
                let _ = stream.write_all(greeting).await;
                let _ = stream.flush().await;
                let mut piece = [0; 4_096];
                while let Ok(read @ 1..) = stream.read(&mut piece).await {
                    log.lock().unwrap().push(piece[..read].to_vec());
                }
                return;
            }
        }
    }
}

/// Reads a message with a length or none; `None` at the end of the stream.
async fn read_message<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length:")).map_or(0, |text| text.trim().parse().unwrap());
            if bytes.len() >= end + 4 + length {
                return Some(bytes);
            }
        }
        let mut piece = [0; 4_096];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
    }
}

/// What the tests' browser got.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

/// Speaks to the edge as a browser does, one tunnel at a time, with whatever bytes a test wants.
pub struct Browser {
    stream: TlsStream<TcpStream>,
}

pub fn proxy_authorization(edge: &Edge) -> String {
    let pair = format!("{}:{}", edge.credential().user(), edge.credential().password());
    format!("Proxy-Authorization: Basic {}\r\n", base64::engine::general_purpose::STANDARD.encode(pair))
}

/// Asks for a tunnel; `None` when the edge closes the connection.
pub async fn connect(edge: &Edge, authority: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(edge.address()).await.unwrap();
    let ask = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n{}\r\n", proxy_authorization(edge));
    // An edge that has closed it already is an answer as well.
    let _ = stream.write_all(ask.as_bytes()).await;
    let answer = soon(read_answer(&mut stream)).await?;
    assert_eq!(answer.status, 200);
    Some(stream)
}

pub async fn shake_hands(edge: &Edge, stream: TcpStream, name: &str) -> std::io::Result<TlsStream<TcpStream>> {
    shake_hands_trusting(edge.ca_certificate_der(), stream, name).await
}

async fn shake_hands_trusting(root: Vec<u8>, stream: TcpStream, name: &str) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(root)).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    soon(TlsConnector::from(Arc::new(config)).connect(name, stream)).await
}

impl Browser {
    pub async fn tunnel(edge: &Edge, host: &str) -> Self {
        let stream = connect(edge, &format!("{host}:443")).await.expect("a tunnel");
        Self { stream: shake_hands(edge, stream, host).await.expect("a handshake") }
    }

    /// Through a tunnel, trusting one root.
    pub async fn over(stream: TcpStream, host: &str, root: Vec<u8>) -> Self {
        Self { stream: shake_hands_trusting(root, stream, host).await.expect("a handshake") }
    }

    /// Asks and reads no further than the head of the answer.
    pub async fn ask_head(&mut self, request: &str) -> String {
        self.send(request).await;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            if soon(self.stream.read_exact(&mut byte)).await.is_err() {
                break;
            }
            head.push(byte[0]);
        }
        String::from_utf8(head).unwrap()
    }

    pub async fn send(&mut self, request: &str) {
        self.stream.write_all(request.as_bytes()).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    /// Sends until the other side has had enough.
    pub async fn send_what_it_takes(&mut self, request: &str) {
        self.send_bytes(request.as_bytes()).await;
    }

    /// Reads exactly so many bytes.
    pub async fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        soon(self.stream.read_exact(&mut bytes)).await.unwrap();
        bytes
    }

    /// Reads until the other side has left.
    pub async fn rest(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let _ = soon(self.stream.read_to_end(&mut bytes)).await;
        bytes
    }

    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
        let _ = self.stream.flush().await;
    }

    /// Reads to the end and keeps nothing.
    pub async fn skip_all(&mut self) {
        let mut piece = vec![0; 65_536];
        while self.stream.read(&mut piece).await.is_ok_and(|read| read > 0) {}
    }

    /// `None` when the connection ends without an answer.
    pub async fn answer(&mut self) -> Option<Answer> {
        soon(read_answer(&mut self.stream)).await
    }

    pub async fn ask(&mut self, request: &str) -> Option<Answer> {
        self.send(request).await;
        self.answer().await
    }
}

pub async fn send_plain(stream: &mut TcpStream, request: &str) {
    stream.write_all(request.as_bytes()).await.unwrap();
}

/// Asks on a tunnel of its own.
pub async fn ask(edge: &Edge, host: &str, request: &str) -> Option<Answer> {
    Browser::tunnel(edge, host).await.ask(request).await
}

pub async fn read_answer<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Answer> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 65_536];
    let mut ended = false;
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
            let lower = head.to_ascii_lowercase();
            let length = lower
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"))
                .map(|text| text.trim().parse::<usize>().unwrap());
            let body = &bytes[end + 4..];
            let chunked = lower.contains("transfer-encoding: chunked");
            let over = match length {
                _ if status == 204 || status == 304 => true,
                Some(length) => body.len() >= length,
                None if chunked => body.ends_with(b"0\r\n\r\n"),
                None => status == 200 && !lower.contains("content-"),
            };
            if over || ended {
                return Some(Answer { status, head, body: body.to_vec() });
            }
        } else if ended {
            assert!(bytes.is_empty(), "half a head: {}", String::from_utf8_lossy(&bytes));
            return None;
        }
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => ended = true,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
    }
}

pub struct Setup {
    pub downloads: Option<DownloadFolder>,
    pub profile: Profile,
    pub start: String,
    pub sites: Vec<Site>,
    pub origins: Vec<Origin>,
    pub local_origins: Vec<Origin>,
    pub sockets: Vec<SocketGrant>,
    pub blind: Vec<Origin>,
    pub mapped: Vec<(String, SocketAddr)>,
    pub roots: Vec<Vec<u8>>,
    pub resolver: ResolverChoice,
    pub limits: EdgeLimits,
}

impl Setup {
    pub fn for_shop() -> Self {
        Self {
            downloads: None,
            profile: Profile::Site,
            start: format!("https://{SHOP}/"),
            sites: Vec::new(),
            origins: Vec::new(),
            local_origins: Vec::new(),
            mapped: Vec::new(),
            sockets: Vec::new(),
            blind: Vec::new(),
            roots: Vec::new(),
            // Nobody listens there: what is not mapped is not found.
            resolver: ResolverChoice::Servers(vec!["127.0.0.1:9".parse().unwrap()]),
            limits: EdgeLimits { resolve_ms: 2_000, ..EdgeLimits::default() },
        }
    }

    pub fn map(mut self, host: &str, origin: &LoggingOrigin) -> Self {
        self.mapped.push((host.to_owned(), origin.address));
        self
    }

    pub fn trust(mut self, root: &TestRoot) -> Self {
        self.roots.push(root.pem());
        self
    }

    pub fn limit(mut self, change: impl FnOnce(&mut EdgeLimits)) -> Self {
        change(&mut self.limits);
        self
    }

    pub async fn open(self) -> (Edge, mpsc::Receiver<EdgeEvent>) {
        let mapped = self.mapped.iter().map(|(name, target)| OperatorGrant::host_map(name, *target).unwrap());
        let local = self.local_origins.iter().map(|origin| OperatorGrant::local_origin(origin).unwrap());
        let config = EdgeConfig {
            documents: Documents::Any,
            grants: mapped.chain(local).collect(),
            reach: Reach::new(
                self.profile,
                &WebUrl::read(&self.start).unwrap(),
                self.sites,
                self.origins,
                self.local_origins.clone(),
            )
            .unwrap()
            .with_sockets(self.sockets)
            .unwrap(),
            blind: BlindTo::Origins(self.blind),
            host_rules: HostRules::default(),
            extra_roots_pem: self.roots,
            resolver: self.resolver,
            downloads: self.downloads,
            limits: self.limits,
        };
        Edge::open(config).await.unwrap()
    }
}

/// A shop that answers, and an edge that reaches it.
pub async fn shop_and_edge(manners: Manners) -> (LoggingOrigin, Edge, mpsc::Receiver<EdgeEvent>) {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), manners).await;
    let (edge, events) = Setup::for_shop().map(SHOP, &shop).trust(&root).open().await;
    (shop, edge, events)
}

pub async fn record(events: &mut mpsc::Receiver<EdgeEvent>) -> RequestRecord {
    match soon(events.recv()).await.expect("the edge is open") {
        EdgeEvent::Recorded(record) => *record,
        EdgeEvent::Held(held) => panic!("held: {held:?}"),
        EdgeEvent::Offered(file) => panic!("offered: {file:?}"),
        EdgeEvent::Socket(socket) => panic!("socket: {socket:?}"),
        EdgeEvent::Tunnel(tunnel) => panic!("tunnel: {tunnel:?}"),
    }
}

pub async fn held(events: &mut mpsc::Receiver<EdgeEvent>) -> HeldRequest {
    match soon(events.recv()).await.expect("the edge is open") {
        EdgeEvent::Held(held) => *held,
        EdgeEvent::Recorded(record) => panic!("recorded: {record:?}"),
        EdgeEvent::Offered(file) => panic!("offered: {file:?}"),
        EdgeEvent::Socket(socket) => panic!("socket: {socket:?}"),
        EdgeEvent::Tunnel(tunnel) => panic!("tunnel: {tunnel:?}"),
    }
}

/// A permit from the real gate, with its intent in a real journal.
pub fn permit_for(image: &RequestImage) -> EffectPermit {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), &RunId::new(1, [7; 8])).unwrap();
    let judgement = Policy::shipped().unwrap().judge_action(ActionClass::Observe, 1.0, Attendance::Attended);
    let effect = Effect { image: image.clone(), after: None, scrub: Scrubber::of(&[]).unwrap() };
    match admit_effect(&mut journal, Moment { unix_ms: 1, steady_ms: 1 }, effect, judgement).unwrap() {
        Admission::Permit(permit) => permit,
        other => panic!("no permit: {other:?}"),
    }
}

pub const NAVIGATE: &str = "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
pub const FORM: &str = "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
pub const FETCH: &str = "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n";

pub fn get(host: &str, path: &str, labels: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{labels}\r\n")
}

pub fn post(host: &str, path: &str, labels: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/x-www-form-urlencoded\r\nOrigin: https://{host}\r\n{labels}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

//! Rebinding: a name server with two faces, addresses that would all answer, and a count of who was reached.
//!
//! Each trial is a name of its own that is asked for twice, the second time with a private face. `benches/run` starts this in a
//! network namespace in which the private and the public faces are both this machine, so that a wrong dial would arrive.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clicket_egress::{Edge, EdgeConfig, EdgeEvent, EdgeLimits, Outcome, RefuseReason, ResolverChoice};
use clicket_guard::address::HostRules;
use clicket_guard::reach::{Profile, Reach};
use clicket_guard::web::WebUrl;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::two_faces::{TwoFacedResolver, ips};

const SITE: &str = "shop.example";
/// In the namespace, this is the machine itself.
const PUBLIC: &str = "93.184.216.34";

/// The private faces, each of which would answer.
const PRIVATE: [&str; 6] = ["127.0.0.1", "127.0.0.9", "10.0.0.1", "192.168.1.1", "169.254.169.254", "::1"];

#[derive(Default)]
pub(crate) struct Sums {
    pub(crate) trials: usize,
    pub(crate) public_reached: usize,
    pub(crate) second_refused: usize,
    pub(crate) private_reached: usize,
    pub(crate) canaries: usize,
}

/// `None` where this machine is not in a namespace made for it.
pub(crate) async fn measure(trials: usize) -> anyhow::Result<Option<Sums>> {
    let Ok(public) = TcpListener::bind((PUBLIC, 443)).await else { return Ok(None) };
    let (config, root) = certificate()?;
    let reached = Arc::new(AtomicUsize::new(0));
    tokio::spawn(serve(public, TlsAcceptor::from(Arc::new(config)), Arc::clone(&reached)));
    let came = Arc::new(AtomicUsize::new(0));
    let mut sums = Sums { trials, ..Sums::default() };
    for ip in PRIVATE {
        let listener = TcpListener::bind((ip.parse::<IpAddr>()?, 443)).await.with_context(|| ip.to_owned())?;
        tokio::spawn(count(listener, Arc::clone(&came)));
        sums.canaries += 1;
    }
    let resolver = TwoFacedResolver::says(|number| {
        let private = PRIVATE.get(number / 2 % PRIVATE.len()).copied().unwrap_or("127.0.0.1");
        Ok(match (number % 2, number % 3) {
            (0, _) => ips(&[PUBLIC]),
            (_, 0) => ips(&[PUBLIC, private]),
            (_, 1) => ips(&[private, PUBLIC]),
            (_, _) => ips(&[private]),
        })
    })
    .await;
    let (edge, mut events) = open(resolver.address, root).await?;
    let tls = trusting(&edge)?;
    for trial in 0..trials {
        let host = format!("t{trial}.{SITE}");
        ensure!(ask(&edge, &tls, &host).await?.starts_with(b"HTTP/1.1 200"), "the public face of {host} was not reached");
        ensure!(outcome(&mut events).await? == Outcome::Passed, "the public face of {host} was not passed");
        ensure!(ask(&edge, &tls, &host).await?.is_empty(), "the private face of {host} was answered");
        if outcome(&mut events).await? == Outcome::Refused(RefuseReason::Address) {
            sums.second_refused += 1;
        }
    }
    sums.public_reached = reached.load(SeqCst);
    sums.private_reached = came.load(SeqCst);
    // The canaries do count.
    for ip in PRIVATE {
        drop(TcpStream::connect((ip.parse::<IpAddr>()?, 443)).await?);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    ensure!(came.load(SeqCst) == sums.private_reached + PRIVATE.len(), "a canary does not count");
    edge.close().await;
    Ok(Some(sums))
}

fn certificate() -> anyhow::Result<(ServerConfig, String)> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let leaf = CertificateParams::new(vec![format!("*.{SITE}")])?.signed_by(&key, &issuer)?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], key)?;
    Ok((config, issuer.pem()))
}

async fn open(resolver: SocketAddr, root: String) -> anyhow::Result<(Edge, mpsc::Receiver<EdgeEvent>)> {
    let start = WebUrl::read(&format!("https://{SITE}/"))?;
    let config = EdgeConfig {
        blind: clicket_egress::BlindTo::Origins(Vec::new()),
        documents: clicket_egress::Documents::Any,
        reach: Reach::new(Profile::Site, &start, Vec::new(), Vec::new(), Vec::new())?,
        grants: Vec::new(),
        host_rules: HostRules::default(),
        extra_roots_pem: vec![root.into_bytes()],
        resolver: ResolverChoice::Servers(vec![resolver]),
        downloads: None,
        limits: EdgeLimits { run_requests_max: u64::MAX, window_requests_max: u64::MAX, ..EdgeLimits::default() },
    };
    Ok(Edge::open(config).await?)
}

fn trusting(edge: &Edge) -> anyhow::Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(edge.ca_certificate_der()))?;
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Answers once a connection and closes, so that the next request needs another look-up.
async fn serve(listener: TcpListener, acceptor: TlsAcceptor, reached: Arc<AtomicUsize>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, reached) = (acceptor.clone(), Arc::clone(&reached));
        tokio::spawn(async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            reached.fetch_add(1, SeqCst);
            let _ = stream.read(&mut [0; 4_096]).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx").await;
            let _ = stream.shutdown().await;
        });
    }
}

async fn count(listener: TcpListener, came: Arc<AtomicUsize>) {
    while listener.accept().await.is_ok() {
        came.fetch_add(1, SeqCst);
    }
}

/// Asks in a tunnel of its own; empty when the edge ends it without an answer.
async fn ask(edge: &Edge, tls: &TlsConnector, host: &str) -> anyhow::Result<Vec<u8>> {
    let work = async {
        let mut stream = TcpStream::connect(edge.address()).await?;
        let pair = STANDARD.encode(format!("{}:{}", edge.credential().user(), edge.credential().password()));
        let ask = format!("CONNECT {host}:443 HTTP/1.1\r\nHost: {host}\r\nProxy-Authorization: Basic {pair}\r\n\r\n");
        stream.write_all(ask.as_bytes()).await?;
        let mut said = Vec::new();
        while !said.ends_with(b"\r\n\r\n") {
            said.push(stream.read_u8().await?);
        }
        let mut stream = tls.connect(ServerName::try_from(host.to_owned())?, stream).await?;
        let labels = "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nConnection: close\r\n";
        stream.write_all(format!("GET / HTTP/1.1\r\nHost: {host}\r\n{labels}\r\n").as_bytes()).await?;
        let mut answer = Vec::new();
        // An edge that closes without a word is an answer as well.
        let _ = stream.read_to_end(&mut answer).await;
        Ok(answer)
    };
    tokio::time::timeout(Duration::from_secs(20), work).await?
}

async fn outcome(events: &mut mpsc::Receiver<EdgeEvent>) -> anyhow::Result<Outcome> {
    match tokio::time::timeout(Duration::from_secs(20), events.recv()).await? {
        Some(EdgeEvent::Recorded(record)) => Ok(record.outcome),
        other => bail!("no record: {other:?}"),
    }
}

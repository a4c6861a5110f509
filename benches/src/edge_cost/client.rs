//! The client: the same one on both ways, so that what differs is the way.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::HOST;
use crate::process::Part;

/// No single answer takes longer, on either way.
const ANSWER_WAIT: Duration = Duration::from_secs(120);

/// How the origin is reached.
#[derive(Clone)]
pub(crate) struct Way {
    address: SocketAddr,
    tls: TlsConnector,
    credential: Option<String>,
}

/// An origin and an edge in front of it.
pub(crate) struct Pair {
    _origin: Arc<Part>,
    pub(crate) edge: Part,
    pub(crate) direct: Way,
    pub(crate) through: Way,
}

impl Pair {
    /// `settings` are added to what the edge is started with.
    pub(crate) async fn start(protocol: &str, settings: serde_json::Value) -> anyhow::Result<Self> {
        Self::before(&Arc::new(Part::start(&["origin", protocol]).await?), settings).await
    }

    /// Another edge in front of an origin that is there.
    pub(crate) async fn before(origin: &Arc<Part>, mut settings: serde_json::Value) -> anyhow::Result<Self> {
        settings["origin"] = json!(origin.word("address")?);
        settings["root"] = json!(origin.word("root")?);
        let edge = Part::start(&["edge", &settings.to_string()]).await?;
        let root = CertificateDer::from_pem_slice(origin.word("root")?.as_bytes())?;
        let direct = Way { address: origin.word("address")?.parse()?, tls: trusting(root)?, credential: None };
        let root = CertificateDer::from(STANDARD.decode(edge.word("root")?)?);
        let credential = Some(edge.word("credential")?.to_owned());
        let through = Way { address: edge.word("address")?.parse()?, tls: trusting(root)?, credential };
        Ok(Self { _origin: Arc::clone(origin), edge, direct, through })
    }
}

fn trusting(root: CertificateDer<'static>) -> anyhow::Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    roots.add(root)?;
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // A new connection is a whole one, on both ways.
    config.resumption = rustls::client::Resumption::disabled();
    Ok(TlsConnector::from(Arc::new(config)))
}

impl Way {
    /// The connection before anything is said on it.
    pub(crate) async fn raw(&self) -> anyhow::Result<TcpStream> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// A connection to the origin, in a tunnel where there is an edge.
    pub(crate) async fn open(&self) -> anyhow::Result<TlsStream<TcpStream>> {
        let mut stream = self.raw().await?;
        if let Some(credential) = &self.credential {
            let ask =
                format!("CONNECT {HOST}:443 HTTP/1.1\r\nHost: {HOST}:443\r\nProxy-Authorization: Basic {credential}\r\n\r\n");
            stream.write_all(ask.as_bytes()).await?;
            let mut said = Vec::new();
            while !said.ends_with(b"\r\n\r\n") {
                said.push(tokio::time::timeout(ANSWER_WAIT, stream.read_u8()).await??);
            }
            if !said.starts_with(b"HTTP/1.1 200") {
                bail!("no tunnel: {}", String::from_utf8_lossy(&said));
            }
        }
        let name = ServerName::try_from(HOST)?;
        Ok(tokio::time::timeout(ANSWER_WAIT, self.tls.connect(name, stream)).await??)
    }

    /// A kept connection.
    pub(crate) async fn keep(&self) -> anyhow::Result<Kept> {
        let (sender, connection) = handshake(TokioIo::new(self.open().await?)).await?;
        tokio::spawn(connection);
        Ok(Kept(sender))
    }
}

/// A connection that is asked again and again.
pub(crate) struct Kept(SendRequest<Full<Bytes>>);

impl Kept {
    /// Asks and reads the whole answer; gives its size.
    pub(crate) async fn ask(&mut self, method: &Method, path: &str) -> anyhow::Result<usize> {
        let body = if method == Method::POST { Bytes::from_static(b"amount=1&to=somebody") } else { Bytes::new() };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", HOST)
            .header("user-agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36")
            .header("accept", "*/*")
            .header("origin", format!("https://{HOST}"))
            .header("sec-fetch-site", "same-origin")
            .header("sec-fetch-mode", "cors")
            .header("sec-fetch-dest", "empty")
            .header("referer", format!("https://{HOST}/"))
            .header("accept-encoding", "gzip, deflate, br, zstd")
            .header("cookie", "session=0123456789abcdef0123456789abcdef")
            .body(Full::new(body))?;
        tokio::time::timeout(ANSWER_WAIT, self.0.ready()).await.context("not ready")??;
        let answer = tokio::time::timeout(ANSWER_WAIT, self.0.send_request(request)).await??;
        if answer.status() != 200 {
            bail!("{method} {path} was answered {}", answer.status());
        }
        Ok(tokio::time::timeout(ANSWER_WAIT, answer.into_body().collect()).await??.to_bytes().len())
    }
}

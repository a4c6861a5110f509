//! The origin: answers small, large and endless, and packs bombs. HTTP/1.1 is written by hand, so that it can misbehave.

use std::convert::Infallible;
use std::io::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Frame, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::OnceCell;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::HOST;
use crate::process::until_the_other_side_ends;

/// What a bomb unpacks to.
const BOMB_BYTES: usize = 512 * MIB;
const PACKINGS: [&str; 4] = ["gzip", "deflate", "zstd", "br"];
/// What an endless body says that it is.
const ENDLESS_BYTES: u64 = 10 * 1024 * 1024 * 1024;
const MIB: usize = 1024 * 1024;

struct Goods {
    small: Bytes,
    big: Bytes,
    bombs: [OnceCell<Bytes>; PACKINGS.len()],
}

/// Listens, says where and under which root, and serves until its starter ends.
pub(crate) async fn run(protocol: &str) -> anyhow::Result<()> {
    let (config, pem) = certificate(protocol)?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let goods = Arc::new(Goods::make());
    println!("{}", serde_json::json!({ "address": listener.local_addr()?.to_string(), "root": pem }));
    tokio::spawn(async move {
        let acceptor = TlsAcceptor::from(Arc::new(config));
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(acceptor.clone(), stream, Arc::clone(&goods)));
        }
    });
    until_the_other_side_ends().await;
    Ok(())
}

fn certificate(protocol: &str) -> anyhow::Result<(ServerConfig, String)> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let leaf = CertificateParams::new(vec![HOST.to_owned()])?.signed_by(&key, &issuer)?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], key)?;
    // The direct client speaks HTTP/1.1 either way; only the edge takes `h2` when it is offered.
    config.alpn_protocols =
        if protocol == "h2" { vec![b"h2".to_vec(), b"http/1.1".to_vec()] } else { vec![b"http/1.1".to_vec()] };
    Ok((config, issuer.pem()))
}

impl Goods {
    fn make() -> Self {
        Self { small: Bytes::from(vec![b'a'; 200]), big: Bytes::from(vec![b'b'; MIB]), bombs: Default::default() }
    }

    /// Packed when it is first asked for: it takes seconds.
    async fn bomb(&self, name: &str) -> Option<Bytes> {
        let at = PACKINGS.iter().position(|known| *known == name)?;
        let packing = PACKINGS.get(at).copied()?;
        let packed = self.bombs.get(at)?.get_or_try_init(|| async move {
            let packed = tokio::task::spawn_blocking(move || pack(packing)).await.map_err(std::io::Error::other)?;
            Ok::<_, std::io::Error>(Bytes::from(packed?))
        });
        packed.await.ok().cloned()
    }
}

fn pack(packing: &str) -> std::io::Result<Vec<u8>> {
    let zeros = vec![0; MIB];
    let times = 0..BOMB_BYTES / MIB;
    let fast = flate2::Compression::fast();
    match packing {
        "gzip" => {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), fast);
            times.into_iter().try_for_each(|_| gzip.write_all(&zeros))?;
            gzip.finish()
        }
        "deflate" => {
            let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), fast);
            times.into_iter().try_for_each(|_| deflate.write_all(&zeros))?;
            deflate.finish()
        }
        "zstd" => {
            let mut zstd = zstd::stream::write::Encoder::new(Vec::new(), 1)?;
            times.into_iter().try_for_each(|_| zstd.write_all(&zeros))?;
            zstd.finish()
        }
        _ => {
            let mut br = brotli::CompressorWriter::new(Vec::new(), MIB, 2, 22);
            times.into_iter().try_for_each(|_| br.write_all(&zeros))?;
            Ok(br.into_inner())
        }
    }
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream, goods: Arc<Goods>) {
    let _ = stream.set_nodelay(true);
    let Ok(stream) = acceptor.accept(stream).await else { return };
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        let service = hyper::service::service_fn(move |request| answer_h2(Arc::clone(&goods), request));
        let _ =
            hyper::server::conn::http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
        return;
    }
    serve_http1(stream, &goods).await;
}

async fn serve_http1(mut stream: TlsStream<TcpStream>, goods: &Goods) {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 16_384];
    loop {
        let whole = loop {
            if let Some(end) = whole_request(&bytes) {
                break end;
            }
            match stream.read(&mut piece).await {
                Ok(0) | Err(_) => return,
                Ok(read) => bytes.extend_from_slice(piece.get(..read).unwrap_or_default()),
            }
        };
        let path = String::from_utf8_lossy(&bytes).split(' ').nth(1).unwrap_or_default().to_owned();
        bytes.drain(..whole);
        if answer(&mut stream, goods, &path).await.is_err() {
            return;
        }
    }
}

/// Where the request ends, when all of it is there.
fn whole_request(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(bytes.get(..end)?).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let whole = end + length.and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(0);
    (bytes.len() >= whole).then_some(whole)
}

async fn answer(stream: &mut TlsStream<TcpStream>, goods: &Goods, path: &str) -> std::io::Result<()> {
    match path {
        "/big" => body(stream, "content-type: text/plain\r\n", &goods.big).await,
        "/endless" => endless(stream, &format!("content-length: {ENDLESS_BYTES}\r\n\r\n"), &[0; 65_536]).await,
        "/endless-unsaid" => endless(stream, "content-type: text/html\r\n\r\n", &[0; 65_536]).await,
        "/headers" => endless(stream, "", b"x-more: and more of it\r\n").await,
        "/one-header" => endless(stream, "x-more: ", &[b'a'; 4_096]).await,
        "/early" => endless(stream, "\r\n", b"HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n").await,
        "/chunks" => endless(stream, "transfer-encoding: chunked\r\n\r\n", b"1\r\na\r\n").await,
        "/chunk-words" => endless(stream, "transfer-encoding: chunked\r\n\r\n1;", &[b'a'; 4_096]).await,
        "/trailers" => endless(stream, "transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", b"x-more: and more of it\r\n").await,
        "/slow-head" => drip(stream, "x-slow: ").await,
        "/slow-body" => drip(stream, "content-type: text/html\r\n\r\n").await,
        _ => match bomb(goods, path).await {
            Some((headers, packed)) => body(stream, &headers, &packed).await,
            None => body(stream, "content-type: text/html\r\n", &goods.small).await,
        },
    }
}

/// `/bomb/NAME` is a page, `/file/NAME` a file.
async fn bomb(goods: &Goods, path: &str) -> Option<(String, Bytes)> {
    let (kind, name) = path.strip_prefix('/')?.split_once('/')?;
    let packed = goods.bomb(name).await?;
    let shown =
        if kind == "file" { "content-disposition: attachment; filename=a.bin\r\n" } else { "content-type: text/html\r\n" };
    Some((format!("{shown}content-encoding: {name}\r\n"), packed))
}

async fn body(stream: &mut TlsStream<TcpStream>, headers: &str, bytes: &[u8]) -> std::io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\n{headers}content-length: {}\r\n\r\n", bytes.len());
    if bytes.len() < 4_096 {
        return stream.write_all(&[head.as_bytes(), bytes].concat()).await;
    }
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(bytes).await?;
    stream.flush().await
}

async fn endless(stream: &mut TlsStream<TcpStream>, headers: &str, piece: &[u8]) -> std::io::Result<()> {
    stream
        .write_all(format!("HTTP/1.1 {}{headers}", if headers == "\r\n" { "100 Continue\r\n" } else { "200 OK\r\n" }).as_bytes())
        .await?;
    let many = piece.repeat((65_536 / piece.len()).max(1));
    loop {
        stream.write_all(&many).await?;
    }
}

async fn drip(stream: &mut TlsStream<TcpStream>, headers: &str) -> std::io::Result<()> {
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{headers}").as_bytes()).await?;
    loop {
        stream.write_all(b".").await?;
        stream.flush().await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A body over HTTP/2: given bytes, or zeros without end.
enum Flow {
    Fixed(Option<Bytes>),
    Endless(Bytes),
}

impl Body for Flow {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(match self.get_mut() {
            Self::Fixed(bytes) => bytes.take().map(|bytes| Ok(Frame::data(bytes))),
            Self::Endless(bytes) => Some(Ok(Frame::data(bytes.clone()))),
        })
    }
}

async fn answer_h2(goods: Arc<Goods>, request: Request<Incoming>) -> Result<Response<Flow>, Infallible> {
    let path = request.uri().path().to_owned();
    // A write is read whole before it is answered.
    let _ = http_body_util::BodyExt::collect(request.into_body()).await;
    let mut answer = Response::new(match path.as_str() {
        "/big" => Flow::Fixed(Some(goods.big.clone())),
        "/endless" | "/endless-unsaid" => Flow::Endless(Bytes::from(vec![0; 65_536])),
        _ => Flow::Fixed(Some(goods.small.clone())),
    });
    answer.headers_mut().insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static("text/html"));
    Ok(answer)
}

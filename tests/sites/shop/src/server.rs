//! The listening side: sockets, TLS, HTTP/1.1, and the order of things for one request.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

use crate::certificate;
use crate::config::{Scheme, ShopConfig, Twin};
use crate::look::Look;
use crate::request::Asked;
use crate::route::{self, Counter, Reply};
use crate::store::Store;
use crate::truth::{LogEntry, Truth};

const CONNECTIONS_MAX: usize = 256;
const HANDSHAKE_WAIT: Duration = Duration::from_secs(10);
const HEADER_WAIT: Duration = Duration::from_secs(30);
const HEADER_BYTES_MAX: usize = 64 * 1024;
/// How long a request under way may still take when the shop is stopped.
const STOP_WAIT: Duration = Duration::from_secs(1);

struct House {
    config: ShopConfig,
    look: Look,
    store: Mutex<Store>,
    truth: Truth,
}

/// A shop that is open. Dropping it closes it.
pub struct Shop {
    house: Arc<House>,
    address: SocketAddr,
    ca_pem: String,
    stopping: watch::Sender<()>,
    accepting: JoinHandle<()>,
}

impl Shop {
    /// Makes a certificate, listens, and serves until stopped or dropped.
    pub async fn start(mut config: ShopConfig) -> io::Result<Shop> {
        if config.twin == Twin::Advert && !config.names.iter().any(|name| name == ShopConfig::ADVERT_HOST) {
            config.names.push(ShopConfig::ADVERT_HOST.to_owned());
        }
        let identity = certificate::make(&config.names, config.certificate)?;
        let listener = TcpListener::bind(config.listen).await?;
        let address = listener.local_addr()?;
        let tls = match config.scheme {
            Scheme::Https => Some(TlsAcceptor::from(identity.tls)),
            Scheme::Http => None,
        };
        let truth = Truth::new(config.log_file.as_deref())?;
        let look = Look::of(config.front, config.seed);
        let house = Arc::new(House { config, look, store: Mutex::new(Store::new()), truth });
        let (stopping, stopped) = watch::channel(());
        let accepting = tokio::spawn(accept(listener, tls, Arc::clone(&house), stopped));
        Ok(Shop { house, address, ca_pem: identity.ca_pem, stopping, accepting })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The home page. Over TLS it bears the first name and no port, so the name must be mapped to [`Shop::address`];
    /// over plain HTTP it is `http://localhost:PORT/`.
    pub fn url(&self) -> String {
        match self.house.config.scheme {
            Scheme::Https => format!("https://{}/", self.house.config.names.first().map_or("localhost", String::as_str)),
            Scheme::Http => format!("http://localhost:{}/", self.address.port()),
        }
    }

    /// The authority to trust, as PEM.
    pub fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// Its words, paths and markup.
    pub fn look(&self) -> &Look {
        &self.house.look
    }

    /// What it was started with.
    pub fn config(&self) -> &ShopConfig {
        &self.house.config
    }

    /// Everything that reached it so far, oldest first.
    pub fn log(&self) -> Vec<LogEntry> {
        self.house.truth.entries()
    }

    /// Closes it; requests under way get a second.
    pub async fn stop(mut self) {
        let _ = self.stopping.send(());
        let waited = tokio::time::timeout(STOP_WAIT * 2, &mut self.accepting).await;
        if waited.is_err() {
            self.accepting.abort();
        }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, house: Arc<House>, mut stopped: watch::Receiver<()>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut open = JoinSet::new();
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.changed() => break,
        };
        while open.try_join_next().is_some() {}
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, most likely: waiting is all that helps.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let (tls, house, stopped) = (tls.clone(), Arc::clone(&house), stopped.clone());
        open.spawn(async move {
            connection(stream, tls, house, stopped).await;
            drop(permit);
        });
    }
    let _ = tokio::time::timeout(STOP_WAIT, async { while open.join_next().await.is_some() {} }).await;
}

async fn connection(stream: TcpStream, tls: Option<TlsAcceptor>, house: Arc<House>, stopped: watch::Receiver<()>) {
    let _ = stream.set_nodelay(true);
    match tls {
        None => serve(stream, house, stopped).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE_WAIT, tls.accept(stream)).await {
                serve(stream, house, stopped).await;
            }
        }
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, house: Arc<House>, mut stopped: watch::Receiver<()>) {
    let service = service_fn(move |request| {
        let house = Arc::clone(&house);
        async move { Ok::<_, Infallible>(respond(&house, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_WAIT)
        .max_buf_size(HEADER_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

async fn respond(house: &House, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (asked, unread) = Asked::read(request).await;
    let reply = settle(house, &asked, unread);
    let mut response = Response::new(Full::new(Bytes::from(reply.body)));
    *response.status_mut() = reply.status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let texts = [(header::LOCATION, reply.location), (header::SET_COOKIE, reply.cookie)];
    for (name, text) in texts {
        if let Some(value) = text.and_then(|text| HeaderValue::from_str(&text).ok()) {
            headers.insert(name, value);
        }
    }
    if unread.is_some() {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Answers a request and writes down what came of it, with room in the log made sure of first.
fn settle(house: &House, asked: &Asked, unread: Option<StatusCode>) -> Reply {
    let Some(room) = house.truth.room() else {
        return Reply::refused(StatusCode::SERVICE_UNAVAILABLE, "the log is full");
    };
    let reply = match unread {
        Some(status) => Reply::refused(status, "the body could not be read"),
        None => {
            let mut store = house.store.lock().unwrap_or_else(PoisonError::into_inner);
            route::answer(&mut Counter { config: &house.config, look: &house.look, store: &mut store }, asked)
        }
    };
    match house.truth.record(room, asked, reply.status.as_u16(), reply.effect.clone()) {
        Ok(()) => reply,
        Err(_) => Reply::refused(StatusCode::INTERNAL_SERVER_ERROR, "the log could not be written"),
    }
}

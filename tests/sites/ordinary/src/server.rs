//! The listening side: one site at `localhost`, and another at `127.0.0.1` for what comes from elsewhere.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::answers::{Answer, answer};
use crate::chat;

const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
const HEADER_WAIT: Duration = Duration::from_secs(30);
const CONNECTION_WAIT: Duration = Duration::from_secs(300);

/// One request, as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// It came to the other site.
    pub elsewhere: bool,
    /// Method, in capitals.
    pub method: String,
    /// Path, without the query.
    pub path: String,
    /// Query, percent-encoded.
    pub query: String,
    /// Body, as text; what is no UTF-8 is replaced.
    pub body: String,
    /// The cookies that were sent.
    pub cookie: String,
}

/// Where the two sites are, and what is shared between them.
pub(crate) struct Place {
    pub(crate) here: String,
    pub(crate) elsewhere: String,
    /// Folder of packages that others wrote, served under `/vendor/`.
    pub(crate) vendor: Option<PathBuf>,
    log: Mutex<Vec<Asked>>,
}

impl Place {
    pub(crate) fn note(&self, asked: Asked) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
    }
}

/// The two sites, while they are served. Dropping it ends that.
pub struct Ordinary {
    place: Arc<Place>,
    accepting: [JoinHandle<()>; 2],
}

impl Ordinary {
    /// Listens on two free loopback ports.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(vendor: Option<PathBuf>) -> io::Result<Ordinary> {
        let here = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let elsewhere = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = |listener: &TcpListener| listener.local_addr().map(|address: SocketAddr| address.port());
        let place = Arc::new(Place {
            here: format!("http://localhost:{}", port(&here)?),
            elsewhere: format!("http://127.0.0.1:{}", port(&elsewhere)?),
            vendor,
            log: Mutex::default(),
        });
        let accepting = [
            tokio::spawn(accept(here, Arc::clone(&place), Site::Here)),
            tokio::spawn(accept(elsewhere, Arc::clone(&place), Site::Elsewhere)),
        ];
        Ok(Ordinary { place, accepting })
    }

    /// Origin of the site.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.place.here
    }

    /// Origin of the other site.
    #[must_use]
    pub fn elsewhere(&self) -> &str {
        &self.place.elsewhere
    }

    /// Everything that was asked so far, in the order it arrived.
    #[must_use]
    pub fn log(&self) -> Vec<Asked> {
        self.place.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Ordinary {
    fn drop(&mut self) {
        for accepting in &self.accepting {
            accepting.abort();
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Site {
    Here,
    Elsewhere,
}

async fn accept(listener: TcpListener, place: Arc<Place>, site: Site) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, most likely: waiting is all that helps.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let place = Arc::clone(&place);
        tokio::spawn(async move {
            let _ = tokio::time::timeout(CONNECTION_WAIT, serve(stream, place, site)).await;
        });
    }
}

async fn serve(stream: TcpStream, place: Arc<Place>, site: Site) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let place = Arc::clone(&place);
        async move { Ok::<_, Infallible>(respond(&place, site, request).await) }
    });
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(HEADER_WAIT);
    let _ = connection.serve_connection(TokioIo::new(stream), service).with_upgrades().await;
}

async fn respond(place: &Arc<Place>, site: Site, mut request: Request<Incoming>) -> Response<Full<Bytes>> {
    if let Some(switching) = chat::open(place, &mut request) {
        return switching;
    }
    let (parts, body) = request.into_parts();
    let body = Limited::new(body, BODY_BYTES_MAX).collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let cookie = parts.headers.get(header::COOKIE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let asked = Asked {
        elsewhere: site == Site::Elsewhere,
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        body: String::from_utf8_lossy(&body).into_owned(),
        cookie: cookie.to_owned(),
    };
    place.note(asked.clone());
    let answer = answer(place, &asked);
    if !answer.after.is_zero() {
        tokio::time::sleep(answer.after).await;
    }
    write(answer)
}

fn write(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

//! A connection of the browser: the credential, the tunnel, the handshake as the origin, and the requests inside.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use clicket_guard::effect::RequestFacts;
use clicket_guard::web::{Origin, Scheme};
use http::header::{self, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::server::Acceptor;
use tokio::net::TcpStream;
use tokio_rustls::LazyConfigAcceptor;

use crate::blind;
use crate::body::EdgeBody;
use crate::judge::{Stop, check_name};
use crate::limits::{EdgeLimits, within};
use crate::quiet::{QuietIo, Voice};
use crate::record::RefuseReason;
use crate::serve::{Closed, answer};
use crate::shared::{Shared, lock};
use crate::target::{address_of, authority_of, read_authority};

/// The page that a new context opens first, so that it answers the challenge once.
const SEED_PAGE: &str = "<!doctype html><meta charset=\"utf-8\"><title>Clicket</title>";

/// A tunnel that was granted; it begins when the connection has been handed over.
struct Tunnel {
    origin: Origin,
    way: Way,
    handover: OnUpgrade,
}

/// What is done with what comes through a tunnel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// TLS ends here, and each request is judged.
    Inspected,
    /// No TLS, and each request is judged: so a browser opens a socket without TLS.
    Plain,
    /// Nothing: the operator exempted the origin.
    Blind,
}

/// Serves one connection of the browser to its end.
pub(crate) async fn serve_connection(shared: Arc<Shared>, stream: TcpStream) {
    let granted: Arc<Mutex<Option<Tunnel>>> = Arc::default();
    let voice = Voice::default();
    let service = {
        let (shared, granted, voice) = (Arc::clone(&shared), Arc::clone(&granted), voice.clone());
        service_fn(move |request| {
            let (shared, granted, voice) = (Arc::clone(&shared), Arc::clone(&granted), voice.clone());
            async move {
                let response = outer(shared, &granted, request).await?;
                if lock(&granted).is_some() {
                    voice.open();
                }
                Ok::<_, Closed>(voice.speak(response))
            }
        })
    };
    let io = TokioIo::new(QuietIo::new(stream, voice, shared.limits.browser_stall_ms));
    // How the outer connection ends is of no interest: either a tunnel was granted or all is said.
    let _ = server(&shared.limits).serve_connection(io, service).with_upgrades().await;
    let tunnel = lock(&granted).take();
    if let Some(tunnel) = tunnel {
        serve_tunnel(shared, tunnel).await;
    }
}

fn server(limits: &EdgeLimits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(std::time::Duration::from_millis(limits.request_head_ms))
        .max_headers(limits.headers_max)
        .max_buf_size(limits.head_bytes_max)
        .auto_date_header(false);
    builder
}

async fn outer(
    shared: Arc<Shared>,
    granted: &Mutex<Option<Tunnel>>,
    mut request: Request<Incoming>,
) -> Result<Response<EdgeBody>, Closed> {
    if !has_credential(&shared, &request) {
        shared.tally.unauthenticated.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        return Ok(challenge());
    }
    if request.method() == Method::CONNECT {
        let (origin, way) = grant_tunnel(&shared, &request).await?;
        let handover = hyper::upgrade::on(&mut request);
        *lock(granted) = Some(Tunnel { origin, way, handover });
        return Ok(Response::new(EdgeBody::Empty));
    }
    if request.uri().to_string() == shared.seed_url {
        return Ok(seed());
    }
    let origin = plain_origin(&request).ok_or(Closed)?;
    answer(shared, Arc::new(origin), request).await
}

fn has_credential(shared: &Shared, request: &Request<Incoming>) -> bool {
    let mut given = request.headers().get_all(header::PROXY_AUTHORIZATION).iter();
    let first = given.next().map(HeaderValue::as_bytes);
    given.next().is_none() && shared.credential.admits(first)
}

fn challenge() -> Response<EdgeBody> {
    let mut response = Response::new(EdgeBody::Empty);
    *response.status_mut() = StatusCode::PROXY_AUTHENTICATION_REQUIRED;
    response.headers_mut().insert(header::PROXY_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"clicket\""));
    response
}

fn seed() -> Response<EdgeBody> {
    let mut response = Response::new(EdgeBody::Fixed(Some(Bytes::from_static(SEED_PAGE.as_bytes()))));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn plain_origin(request: &Request<Incoming>) -> Option<Origin> {
    let uri = request.uri();
    (uri.scheme_str() == Some("http")).then_some(())?;
    read_authority(Scheme::Http, uri.authority()?.as_str())
}

/// Judges the place a tunnel leads to; a refused one is recorded and the connection closed.
async fn grant_tunnel(shared: &Shared, request: &Request<Incoming>) -> Result<(Origin, Way), Closed> {
    let authority = request.uri().authority().ok_or(Closed)?.as_str();
    let origin = read_authority(Scheme::Https, authority);
    let stop = match &origin {
        None => Some(Stop::Refused(RefuseReason::Target, None)),
        Some(origin) if shared.blind.covers(origin, &shared.reach) => check_name(shared, origin).err(),
        Some(origin) => match shared.reach.judge_tunnel(origin) {
            Err(reason) => Some(Stop::Refused(RefuseReason::Reach(reason), None)),
            Ok(()) => check_name(shared, origin).err(),
        },
    };
    if matches!(stop, Some(Stop::Refused(RefuseReason::Reach(_), _)))
        && let Some(plain) = plain_tunnel(shared, authority)
    {
        return Ok((plain, Way::Plain));
    }
    if let Some(stop) = stop {
        let spelled = origin.as_ref().map_or_else(|| authority.to_owned(), authority_of);
        record_tunnel(shared, &spelled, origin.as_ref(), stop).await;
        return Err(Closed);
    }
    let origin = origin.ok_or(Closed)?;
    let way = if shared.blind.covers(&origin, &shared.reach) { Way::Blind } else { Way::Inspected };
    Ok((origin, way))
}

/// Where a socket without TLS may lead: to a local origin that the operator named.
fn plain_tunnel(shared: &Shared, authority: &str) -> Option<Origin> {
    read_authority(Scheme::Http, authority).filter(|origin| shared.reach.local_origins().contains(origin))
}

async fn record_tunnel(shared: &Shared, authority: &str, origin: Option<&Origin>, stop: Stop) {
    let facts = RequestFacts { method: "CONNECT".to_owned(), url: format!("https://{authority}/"), ..RequestFacts::default() };
    let relation = origin.map_or(clicket_guard::reach::Relation::ThirdParty, |origin| shared.reach.relation(origin));
    if let Some(mut draft) = shared.open_record(&facts, relation).await {
        draft.stop(stop);
    }
}

/// Ends TLS as the origin and serves the requests inside.
async fn serve_tunnel(shared: Arc<Shared>, tunnel: Tunnel) {
    let Tunnel { origin, way, handover } = tunnel;
    let Some(Ok(upgraded)) = within(shared.limits.browser_tls_ms, handover).await else {
        return;
    };
    match way {
        Way::Inspected => {}
        Way::Plain => return serve_inside(shared, Arc::new(origin), TokioIo::new(upgraded)).await,
        Way::Blind => return blind::tunnel(shared, origin, TokioIo::new(upgraded)).await,
    }
    let acceptor = LazyConfigAcceptor::new(Acceptor::default(), TokioIo::new(upgraded));
    let start = match within(shared.limits.browser_tls_ms, acceptor).await {
        Some(Ok(start)) => start,
        // An idle tunnel that says nothing is a preconnect; it carried no request and needs no record.
        None => return,
        Some(Err(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => return,
        Some(Err(_)) => {
            let stop = Stop::Refused(RefuseReason::NotTls, None);
            return record_tunnel(&shared, &authority_of(&origin), Some(&origin), stop).await;
        }
    };
    let named = start.client_hello().server_name().map(str::to_ascii_lowercase);
    if !is_server_name(&origin, named.as_deref()) {
        let stop = Stop::Refused(RefuseReason::ServerName, None);
        return record_tunnel(&shared, &authority_of(&origin), Some(&origin), stop).await;
    }
    let Ok(config) = shared.authority.server_config(origin.host()) else {
        return;
    };
    let Some(Ok(stream)) = within(shared.limits.browser_tls_ms, start.into_stream(config)).await else {
        return;
    };
    serve_inside(shared, Arc::new(origin), stream).await;
}

async fn serve_inside<S>(shared: Arc<Shared>, origin: Arc<Origin>, stream: S)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let voice = Voice::default();
    let service = {
        let (shared, voice) = (Arc::clone(&shared), voice.clone());
        service_fn(move |request: Request<Incoming>| {
            let (shared, origin, voice) = (Arc::clone(&shared), Arc::clone(&origin), voice.clone());
            async move {
                let response = inner(shared, origin, request).await?;
                if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                    voice.open();
                }
                Ok::<_, Closed>(voice.speak(response))
            }
        })
    };
    let io = TokioIo::new(QuietIo::new(stream, voice, shared.limits.browser_stall_ms));
    // How it ended shows in the records of its requests.
    let _ = server(&shared.limits).serve_connection(io, service).with_upgrades().await;
}

/// Inside a tunnel a request names a path and nothing more.
async fn inner(shared: Arc<Shared>, origin: Arc<Origin>, request: Request<Incoming>) -> Result<Response<EdgeBody>, Closed> {
    if request.uri().authority().is_some() || request.uri().scheme().is_some() || request.method() == Method::CONNECT {
        let stop = Stop::Refused(RefuseReason::Target, None);
        record_tunnel(&shared, &authority_of(&origin), Some(&origin), stop).await;
        return Err(Closed);
    }
    answer(shared, origin, request).await
}

/// A name must be named, and be the tunnel's; an address can't be named (RFC 6066 section 3).
fn is_server_name(origin: &Origin, named: Option<&str>) -> bool {
    match (address_of(origin), named) {
        (Some(_), None) => true,
        (None, Some(named)) => named == origin.host(),
        (Some(_), Some(_)) | (None, None) => false,
    }
}

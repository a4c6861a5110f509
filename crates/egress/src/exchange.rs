//! One request to the origin and the head of its answer.

use bytes::Bytes;
use clicket_guard::reach::ReadClass;
use clicket_guard::web::{Origin, Scheme};
use http::{HeaderMap, Method, Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::dial::dial;
use crate::hold::Released;
use crate::judge::{Stop, judged_addresses};
use crate::limits::within;
use crate::pool::OpenConnection;
use crate::record::{Draft, FailKind, Sent};
use crate::shared::Shared;
use crate::tls::{asks_for_certificate, shake_hands};

/// A request that may leave.
///
/// Invariant: it is made of a read without a body, or of a request that a permit named; there is no third way
/// (`without_a_permit_no_write_reaches_the_origin`).
pub(crate) struct Cleared {
    request: Request<Full<Bytes>>,
    road: Road,
}

/// Whether a request may go out on a kept connection and be asked again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Road {
    /// A read: a kept connection that turns out closed costs only a second try.
    KeptOrFresh,
    /// A write: a connection of its own, tried once, so that "not sent" and "perhaps sent" stay apart.
    Fresh,
}

impl Cleared {
    /// A read that passed. `None` when the method is not one of a read after all.
    pub(crate) fn read(_passed: ReadClass, method: Method, path: Uri, headers: HeaderMap) -> Option<Self> {
        let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(&method);
        reads.then(|| Self { request: assemble(method, path, headers, Bytes::new()), road: Road::KeptOrFresh })
    }

    /// A held request that was released.
    pub(crate) fn write(released: Released) -> Option<Self> {
        let (method, path, headers, body) = released.into_parts()?;
        Some(Self { request: assemble(method, path, headers, body), road: Road::Fresh })
    }
}

fn assemble(method: Method, path: Uri, headers: HeaderMap, body: Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = method;
    *request.uri_mut() = path;
    *request.headers_mut() = headers;
    request
}

/// Sends a cleared request and waits for the head of the answer. The draft learns how much was sent and to which address.
pub(crate) async fn exchange(
    shared: &Shared,
    origin: &Origin,
    cleared: Cleared,
    draft: &mut Draft,
) -> Result<(Response<Incoming>, OpenConnection), Stop> {
    let Cleared { request, road } = cleared;
    if road == Road::KeptOrFresh
        && let Some(kept) = shared.pool.take(origin, &shared.limits).await
    {
        match ask(shared, kept, request.clone(), draft).await {
            // The origin closed the kept connection at the same moment; a read may be asked again.
            Err(FailKind::ConnectionLost) => {}
            other => return other.map_err(Stop::Failed),
        }
    }
    let fresh = connect(shared, origin).await?;
    ask(shared, fresh, request, draft).await.map_err(Stop::Failed)
}

async fn ask(
    shared: &Shared,
    mut connection: OpenConnection,
    request: Request<Full<Bytes>>,
    draft: &mut Draft,
) -> Result<(Response<Incoming>, OpenConnection), FailKind> {
    draft.record.address = Some(connection.address);
    draft.record.sent = Sent::Unknown;
    match within(shared.limits.response_head_ms, connection.sender.try_send_request(request)).await {
        Some(Ok(response)) => {
            draft.record.sent = Sent::Whole;
            draft.record.status = Some(response.status().as_u16());
            Ok((response, connection))
        }
        Some(Err(mut error)) => {
            if error.take_message().is_some() {
                draft.record.sent = Sent::Nothing;
            }
            Err(kind_of(error.error()))
        }
        None => Err(FailKind::HeadTimeout),
    }
}

fn kind_of(error: &hyper::Error) -> FailKind {
    if asks_for_certificate(error) {
        return FailKind::CertificateRequired;
    }
    if error.is_parse() || error.is_parse_too_large() { FailKind::Protocol } else { FailKind::ConnectionLost }
}

async fn connect(shared: &Shared, origin: &Origin) -> Result<OpenConnection, Stop> {
    let judged = judged_addresses(shared, origin).await?;
    let (stream, address) = dial(judged, &shared.limits).await?;
    shared.tally.dialled.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let sender = match origin.scheme() {
        Scheme::Https => {
            let config = std::sync::Arc::clone(&shared.origin_tls);
            open(shared, shake_hands(config, origin, stream, &shared.limits).await?).await?
        }
        Scheme::Http => open(shared, stream).await?,
    };
    Ok(OpenConnection { sender, address })
}

async fn open<S>(shared: &Shared, stream: S) -> Result<SendRequest<Full<Bytes>>, FailKind>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let opening = http1::Builder::new()
        .max_headers(shared.limits.headers_max)
        .max_buf_size(shared.limits.head_bytes_max)
        .handshake(TokioIo::new(stream));
    let (sender, connection) = opening.await.map_err(|_| FailKind::Protocol)?;
    shared.tasks.spawn(async move {
        // How the connection ends shows at the request that was on it.
        let _ = connection.await;
    });
    Ok(sender)
}

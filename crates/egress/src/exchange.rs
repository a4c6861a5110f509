//! One request to the origin and the head of its answer.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use clicket_guard::reach::ReadClass;
use clicket_guard::web::{Origin, Scheme};
use http::{HeaderMap, Method, Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::dial::dial;
use crate::hold::Released;
use crate::judge::{Stop, judged_addresses};
use crate::limits::within;
use crate::line::{self, Line};
use crate::pool::{OpenConnection, OwnConnection};
use crate::record::{Draft, FailKind, Sent};
use crate::shared::Shared;
use crate::tls::{ALPN_H2, asks_for_certificate, shake_hands};

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

/// How an attempt failed, and what a read may do about it. A write is never put twice.
struct Failure {
    kind: FailKind,
    again: Again,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    /// The answer, such as it is, is the origin's.
    No,
    /// On a connection of its own: this one ended, or the origin says that it did not look at the request.
    OnFresh,
    /// Over HTTP/1.1, which the origin asks for.
    OverHttp1,
}

/// What the edge offers to speak.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tongue {
    Either,
    Http1,
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
        match ask(shared, origin, kept, request.clone(), draft).await {
            Ok(answered) => return Ok(answered),
            Err(failure) if failure.again == Again::No => return Err(failure.kind.into()),
            Err(_) => {}
        }
    }
    let tongue = if shared.pool.is_old_speaker(origin) { Tongue::Http1 } else { Tongue::Either };
    let fresh = connect(shared, origin, road, tongue).await?;
    let spare = (road == Road::KeptOrFresh && tongue == Tongue::Either).then(|| request.clone());
    match (ask(shared, origin, fresh, request, draft).await, spare) {
        (Ok(answered), _) => Ok(answered),
        (Err(Failure { again: Again::OverHttp1, .. }), Some(read)) => {
            let older = connect(shared, origin, road, Tongue::Http1).await?;
            ask(shared, origin, older, read, draft).await.map_err(|failure| failure.kind.into())
        }
        (Err(failure), _) => Err(failure.kind.into()),
    }
}

async fn ask(
    shared: &Shared,
    origin: &Origin,
    mut connection: OpenConnection,
    request: Request<Full<Bytes>>,
    draft: &mut Draft,
) -> Result<(Response<Incoming>, OpenConnection), Failure> {
    draft.record.address = Some(connection.address());
    let spelled = match &connection {
        OpenConnection::Own(_) => Some(request),
        OpenConnection::Seat(_) => line::spell(request, origin),
    };
    let request = spelled.ok_or(Failure { kind: FailKind::Protocol, again: Again::No })?;
    draft.record.sent = Sent::Unknown;
    match within(shared.limits.response_head_ms, put(&mut connection, request)).await {
        // HTTP/1.1 counts them while it reads.
        Some(Ok(response)) if response.headers().len() > shared.limits.headers_max => {
            Err(Failure { kind: FailKind::Protocol, again: Again::No })
        }
        Some(Ok(response)) => {
            draft.record.sent = Sent::Whole;
            draft.record.status = Some(response.status().as_u16());
            Ok((response, connection))
        }
        Some(Err(NotAnswered { error, untouched })) => {
            if untouched {
                draft.record.sent = Sent::Nothing;
            }
            let failure = failure_of(&error);
            if failure.again == Again::OnFresh {
                connection.retire();
            }
            if failure.again == Again::OverHttp1 {
                connection.retire();
                shared.pool.remember_old_speaker(origin);
            }
            Err(failure)
        }
        None => {
            connection.retire();
            Err(Failure { kind: FailKind::HeadTimeout, again: Again::No })
        }
    }
}

struct NotAnswered {
    error: hyper::Error,
    /// Not a byte of the request was written.
    untouched: bool,
}

async fn put(connection: &mut OpenConnection, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, NotAnswered> {
    let answered = match connection {
        OpenConnection::Own(own) => own.sender.try_send_request(request).await,
        OpenConnection::Seat(seat) => seat.sender().try_send_request(request).await,
    };
    answered.map_err(|mut error| {
        let untouched = error.take_message().is_some();
        NotAnswered { error: error.into_error(), untouched }
    })
}

fn failure_of(error: &hyper::Error) -> Failure {
    if asks_for_certificate(error) {
        return Failure { kind: FailKind::CertificateRequired, again: Again::No };
    }
    if error.is_parse() || error.is_parse_too_large() {
        return Failure { kind: FailKind::Protocol, again: Again::No };
    }
    let reset = std::error::Error::source(error).and_then(|source| source.downcast_ref::<h2::Error>());
    let Some(reset) = reset else {
        return Failure { kind: FailKind::ConnectionLost, again: Again::OnFresh };
    };
    let again = match reset.reason() {
        // RFC 9113 section 8.7: not looked at.
        Some(h2::Reason::REFUSED_STREAM) => Again::OnFresh,
        Some(h2::Reason::HTTP_1_1_REQUIRED) => Again::OverHttp1,
        // The end of the whole connection, said or not, may have come before the request did.
        _ if reset.is_go_away() || reset.is_io() => Again::OnFresh,
        _ => Again::No,
    };
    let kind = if again == Again::No { FailKind::Protocol } else { FailKind::ConnectionLost };
    Failure { kind, again }
}

async fn connect(shared: &Shared, origin: &Origin, road: Road, tongue: Tongue) -> Result<OpenConnection, Stop> {
    let judged = judged_addresses(shared, origin).await?;
    let (stream, address) = dial(judged, &shared.limits).await?;
    shared.tally.dialled.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    if origin.scheme() == Scheme::Http {
        return Ok(open(shared, stream, address).await?);
    }
    let config = match tongue {
        Tongue::Either => &shared.origin_tls_h2,
        Tongue::Http1 => &shared.origin_tls,
    };
    let stream = shake_hands(Arc::clone(config), origin, stream, &shared.limits).await?;
    if stream.get_ref().1.alpn_protocol() != Some(ALPN_H2) {
        return Ok(open(shared, stream, address).await?);
    }
    let line = Line::open(stream, address, &shared.tasks, &shared.limits).await?;
    let seat = match road {
        Road::KeptOrFresh => shared.pool.join(origin, &line, &shared.limits),
        Road::Fresh => line.seat(&shared.limits),
    };
    seat.map(OpenConnection::Seat).ok_or(Stop::Failed(FailKind::ConnectionLost))
}

async fn open<S>(shared: &Shared, stream: S, address: IpAddr) -> Result<OpenConnection, FailKind>
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
    Ok(OpenConnection::Own(OwnConnection { sender, address }))
}

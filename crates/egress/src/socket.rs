//! Opens a socket that was granted: the request becomes one, once, over a connection of its own, and its frames are counted.

use std::sync::Arc;

use bytes::Bytes;
use clicket_guard::socket::Sends;
use clicket_guard::web::{Origin, Scheme};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::body::EdgeBody;
use crate::carry::carry;
use crate::dial::dial;
use crate::headers::{to_browser, to_origin};
use crate::judge::{Stop, judged_addresses};
use crate::limits::within;
use crate::long::{Ending, SocketCounts, SocketEnd, SocketRecord, room_for_ending};
use crate::record::{Draft, FailKind, Outcome, RefuseReason, Sent};
use crate::serve::{Answered, Closed, close, empty, path_of};
use crate::shared::Shared;
use crate::tls::shake_hands;

const WEBSOCKET: HeaderValue = HeaderValue::from_static("websocket");

/// A request that may become a socket.
pub(crate) struct Asking {
    pub(crate) head: Parts,
    pub(crate) handover: OnUpgrade,
    pub(crate) sends: Sends,
}

/// Asks the origin, and answers the browser with what it says.
pub(crate) async fn open(shared: Arc<Shared>, origin: &Origin, asking: Asking, mut draft: Draft) -> Answered {
    let Some(place) = shared.tally.socket_place(shared.limits.sockets_max) else {
        return close(draft, Stop::Refused(RefuseReason::Rate, None));
    };
    let room = room_for_ending(&shared).await.ok_or(Closed)?;
    let Asking { head, handover, sends } = asking;
    let Some(request) = request_of(&head) else {
        return close(draft, Stop::Refused(RefuseReason::Target, None));
    };
    let response = match ask(&shared, origin, request, &mut draft).await {
        Ok(response) => response,
        Err(stop) => return close(draft, stop),
    };
    draft.record.sent = Sent::Whole;
    draft.record.status = Some(response.status().as_u16());
    draft.settle(Outcome::Passed);
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        // A page can't read what a refused socket was answered.
        let status = response.status();
        let is_the_proxys = status.is_informational() || status == StatusCode::PROXY_AUTHENTICATION_REQUIRED;
        let told = if is_the_proxys { StatusCode::BAD_GATEWAY } else { status };
        return Ok(empty(told));
    }
    if !is_plain_socket(response.headers()) {
        return close(draft, Stop::Failed(FailKind::Protocol));
    }
    let answer = switching(response.headers());
    let record = SocketRecord {
        id: draft.record.id,
        url: draft.record.url.clone(),
        sends,
        counts: SocketCounts::default(),
        open_ms: 0,
        ended: SocketEnd::EdgeClosed,
    };
    let ending = Ending::of(record, room);
    let with = Arc::clone(&shared);
    // From here on the record of the request is over: an open socket keeps no page busy.
    shared.tasks.spawn(async move {
        let _place = place;
        let wait_ms = with.limits.browser_tls_ms;
        let both = within(wait_ms, async { tokio::join!(handover, hyper::upgrade::on(response)) }).await;
        if let Some((Ok(page), Ok(far))) = both {
            carry(&with, TokioIo::new(page), TokioIo::new(far), &ending).await;
        }
    });
    Ok(answer)
}

/// The request as it goes on: no extensions, so that frames are what they say. The browser checks the origin's proof of having
/// understood (`Sec-WebSocket-Accept`) itself, before the page may send anything.
fn request_of(head: &Parts) -> Option<Request<Full<Bytes>>> {
    let is = |name: &HeaderName, wanted: &str| {
        let mut values = head.headers.get_all(name).iter();
        let value = values.next().and_then(|value| value.to_str().ok());
        values.next().is_none() && value.is_some_and(|value| value.eq_ignore_ascii_case(wanted))
    };
    let keys = head.headers.get_all(header::SEC_WEBSOCKET_KEY).iter().count();
    if !is(&header::UPGRADE, "websocket") || !is(&header::SEC_WEBSOCKET_VERSION, "13") || keys != 1 {
        return None;
    }
    let mut headers = to_origin(&head.headers);
    headers.remove(header::SEC_WEBSOCKET_EXTENSIONS);
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(header::UPGRADE, WEBSOCKET);
    let mut request = Request::new(Full::new(Bytes::new()));
    *request.uri_mut() = path_of(&head.uri)?;
    *request.headers_mut() = headers;
    Some(request)
}

fn is_plain_socket(headers: &HeaderMap) -> bool {
    let upgrade = headers.get(header::UPGRADE).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"websocket"));
    upgrade && !headers.contains_key(header::SEC_WEBSOCKET_EXTENSIONS)
}

fn switching(headers: &HeaderMap) -> Response<EdgeBody> {
    let mut answer = empty(StatusCode::SWITCHING_PROTOCOLS);
    let mut kept = to_browser(headers);
    kept.remove(header::CONTENT_LENGTH);
    kept.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    kept.insert(header::UPGRADE, WEBSOCKET);
    *answer.headers_mut() = kept;
    answer
}

async fn ask(
    shared: &Shared,
    origin: &Origin,
    request: Request<Full<Bytes>>,
    draft: &mut Draft,
) -> Result<Response<Incoming>, Stop> {
    let judged = judged_addresses(shared, origin).await?;
    let (stream, address) = dial(judged, &shared.limits).await?;
    shared.tally.dialled.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    draft.record.address = Some(address);
    draft.record.sent = Sent::Unknown;
    let answered = match origin.scheme() {
        Scheme::Https => {
            // A socket is HTTP/1.1's; no other protocol may be agreed on.
            let mut config = (*shared.origin_tls).clone();
            config.alpn_protocols = vec![b"http/1.1".to_vec()];
            let stream = shake_hands(Arc::new(config), origin, stream, &shared.limits).await?;
            ask_over(shared, stream, request).await
        }
        Scheme::Http => ask_over(shared, stream, request).await,
    };
    answered.map_err(Stop::Failed)
}

async fn ask_over<S>(shared: &Shared, stream: S, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, FailKind>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let opening = http1::Builder::new()
        .max_headers(shared.limits.headers_max)
        .max_buf_size(shared.limits.head_bytes_max)
        .handshake(TokioIo::new(stream));
    let (mut sender, connection) = opening.await.map_err(|_| FailKind::Protocol)?;
    shared.tasks.spawn(async move {
        // How the connection ends shows at the socket that was on it.
        let _ = connection.with_upgrades().await;
    });
    match within(shared.limits.response_head_ms, sender.send_request(request)).await {
        Some(Ok(response)) => Ok(response),
        Some(Err(error)) if error.is_parse() || error.is_parse_too_large() => Err(FailKind::Protocol),
        Some(Err(_)) => Err(FailKind::ConnectionLost),
        None => Err(FailKind::HeadTimeout),
    }
}

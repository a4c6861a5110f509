//! A connection to an origin over HTTP/2. Reads of the same origin share one; it stays with the address that was judged when it
//! was dialled, and it ends by itself when it is idle or old.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use clicket_guard::web::Origin;
use http::{HeaderMap, Request, Uri, header, uri};
use http_body_util::Full;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::limits::EdgeLimits;
use crate::record::FailKind;
use crate::shared::{Tasks, lock};
use crate::target::authority_of;

/// One HTTP/2 connection.
pub(crate) struct Line {
    sender: SendRequest<Full<Bytes>>,
    address: IpAddr,
    opened: Instant,
    usage: Arc<Usage>,
}

struct Usage {
    streams: AtomicUsize,
    retired: AtomicBool,
    last: Mutex<Instant>,
}

impl Usage {
    fn is_idle(&self, idle: Duration) -> bool {
        self.streams.load(Relaxed) == 0 && lock(&self.last).elapsed() >= idle
    }
}

/// The place of one request on a line; the line may have only so many.
pub(crate) struct Seat(Arc<Line>);

impl Line {
    /// Begins to speak HTTP/2 on a stream that is open.
    pub(crate) async fn open<S>(stream: S, address: IpAddr, tasks: &Tasks, limits: &EdgeLimits) -> Result<Arc<Self>, FailKind>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let opening = builder(tasks.clone(), limits).handshake(TokioIo::new(stream));
        let (sender, connection) = opening.await.map_err(|_| FailKind::Protocol)?;
        let usage =
            Arc::new(Usage { streams: AtomicUsize::new(0), retired: AtomicBool::new(false), last: Mutex::new(Instant::now()) });
        let watched = Arc::clone(&usage);
        let idle = Duration::from_millis(limits.idle_line_ms);
        // No request begins on an old line, so that the last one has all the time that a request may take.
        let age_ms = limits.line_age_ms + limits.response_head_ms + limits.response_whole_ms;
        let oldest = Duration::from_millis(age_ms);
        tasks.spawn(async move {
            // How the connection ends shows at the requests that were on it.
            tokio::select! {
                _ = connection => {}
                () = until_idle(&watched, idle) => {}
                () = tokio::time::sleep(oldest) => {}
            }
            watched.retired.store(true, Relaxed);
        });
        Ok(Arc::new(Self { sender, address, opened: Instant::now(), usage }))
    }

    /// Takes a place for one request. `None` when the line is full, old or at its end.
    pub(crate) fn seat(self: &Arc<Self>, limits: &EdgeLimits) -> Option<Seat> {
        if !self.is_live(limits) {
            return None;
        }
        let streams = &self.usage.streams;
        let taken = streams.fetch_update(Relaxed, Relaxed, |taken| (taken < limits.line_streams_max).then(|| taken + 1));
        taken.ok().map(|_| Seat(Arc::clone(self)))
    }

    /// Whether another request may begin on it.
    pub(crate) fn is_live(&self, limits: &EdgeLimits) -> bool {
        let young = self.opened.elapsed() < Duration::from_millis(limits.line_age_ms);
        let wanted = !self.usage.is_idle(Duration::from_millis(limits.idle_line_ms));
        young && wanted && !self.usage.retired.load(Relaxed) && !self.sender.is_closed()
    }
}

impl Seat {
    pub(crate) fn address(&self) -> IpAddr {
        self.0.address
    }

    pub(crate) fn sender(&self) -> SendRequest<Full<Bytes>> {
        self.0.sender.clone()
    }

    /// No further request goes on this line: it fell silent, or it is not sure that it is still there.
    pub(crate) fn retire(&self) {
        self.0.usage.retired.store(true, Relaxed);
    }

    pub(crate) fn line(&self) -> Arc<Line> {
        Arc::clone(&self.0)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        *lock(&self.0.usage.last) = Instant::now();
        self.0.usage.streams.fetch_sub(1, Relaxed);
    }
}

async fn until_idle(usage: &Usage, idle: Duration) {
    loop {
        tokio::time::sleep(idle / 2).await;
        if usage.is_idle(idle) {
            return;
        }
    }
}

/// The windows are such that a body which nobody reads holds up its own stream and no other: the connection's window has room
/// for that of every stream.
fn builder(tasks: Tasks, limits: &EdgeLimits) -> Builder<Tasks> {
    let streams = u32::try_from(limits.line_streams_max).unwrap_or(u32::MAX);
    let mut builder = Builder::new(tasks);
    builder
        .timer(TokioTimer::new())
        .initial_stream_window_size(limits.stream_window_bytes_max)
        .initial_connection_window_size(limits.stream_window_bytes_max.saturating_mul(streams).min(i32::MAX.unsigned_abs()))
        .initial_max_send_streams(limits.line_streams_max)
        .max_header_list_size(u32::try_from(limits.head_bytes_max).unwrap_or(u32::MAX))
        .max_send_buf_size(limits.head_bytes_max)
        .max_concurrent_reset_streams(limits.line_streams_max)
        .max_local_error_reset_streams(limits.line_streams_max);
    builder
}

/// The request as it is spelled over HTTP/2: scheme and host are pseudo-headers (RFC 9113 section 8.3.1) and there is no `Host`;
/// every other header is as it was, in its order.
pub(crate) fn spell(request: Request<Full<Bytes>>, origin: &Origin) -> Option<Request<Full<Bytes>>> {
    let (mut head, body) = request.into_parts();
    let uri = std::mem::take(&mut head.uri);
    head.uri = Uri::builder()
        .scheme(uri::Scheme::HTTPS)
        .authority(authority_of(origin))
        .path_and_query(uri.path_and_query()?.as_str())
        .build()
        .ok()?;
    let mut headers = HeaderMap::with_capacity(head.headers.len());
    // Removing one from the map would put its last in that place.
    for (name, value) in head.headers.iter().filter(|(name, _)| **name != header::HOST) {
        headers.append(name.clone(), value.clone());
    }
    head.headers = headers;
    Some(Request::from_parts(head, body))
}

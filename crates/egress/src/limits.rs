//! Every bound of the road out, with its reason. Milliseconds end in `_ms`, sizes in `_bytes_max`, counts in `_max`.

use std::time::Duration;

/// The bounds of one edge. [`EdgeLimits::default`] is what ships; tests shorten the waits.
#[derive(Debug, Clone)]
pub struct EdgeLimits {
    /// Connections of the browser open at once. Chromium opens at most some dozens through one proxy, a thousand cost some tens of
    /// megabytes (`benches/run edge`), and what is past that is somebody else.
    pub connections_max: usize,
    /// A request or response head. Large cookies and signed addresses stay below; a bomb does not.
    pub head_bytes_max: usize,
    /// Headers in one head.
    pub headers_max: usize,
    /// From an accepted or idle connection to a whole request head; it is the keep-alive time of the browser's side as well.
    pub request_head_ms: u64,
    /// From the first byte to the end of a held request's body: the browser is on this machine.
    pub request_body_ms: u64,
    /// The handshake with the browser, which is on this machine.
    pub browser_tls_ms: u64,
    /// How long the browser may leave an answer's bytes unread: a paused film is not a fault, a run is not for ever.
    pub browser_stall_ms: u64,
    /// One name, all its addresses.
    pub resolve_ms: u64,
    /// One address; the next one is tried after it.
    pub connect_ms: u64,
    /// Addresses tried for one name.
    pub addresses_tried_max: usize,
    /// The handshake with the origin.
    pub origin_tls_ms: u64,
    /// From the request to the response head: slow searches take tens of seconds, a silent origin takes no longer than this.
    pub response_head_ms: u64,
    /// Between two pieces of a response body.
    pub response_idle_ms: u64,
    /// A whole response, so that a stream that never ends does.
    pub response_whole_ms: u64,
    /// One response body: larger than the pages and pictures of ordinary sites, far smaller than a disk.
    pub response_bytes_max: u64,
    /// All response bodies of a run.
    pub run_bytes_max: u64,
    /// Requests in a run, so that a loop of the page's own ends.
    pub run_requests_max: u64,
    /// Requests in one [`Self::rate_window_ms`]: a heavy page asks for some hundreds at once.
    pub window_requests_max: u64,
    /// The window over which the rate is counted.
    pub rate_window_ms: u64,
    /// The body of a held request: a form, not an upload.
    pub held_body_bytes_max: usize,
    /// Requests held at once; a page that causes more is not waiting for a person.
    pub held_max: usize,
    /// How long a held request waits for its verdict. A person reads a ticket; the browser gives up by itself much later.
    pub hold_wait_ms: u64,
    /// Events waiting for the session. A request for whose record there is no room is not sent.
    pub events_max: usize,
    /// How long a request waits for that room.
    pub event_room_ms: u64,
    /// Connections to origins kept for the next request, over all origins.
    pub idle_connections_max: usize,
    /// How long such a connection is kept: shorter than the keep-alive time of common servers.
    pub idle_connection_ms: u64,
    /// How long a connection over HTTP/2 is kept without a request: a person's or a model's thinking time.
    pub idle_line_ms: u64,
    /// After this age no request begins on a connection over HTTP/2; its address is judged anew with the next one.
    pub line_age_ms: u64,
    /// Requests at once on one connection over HTTP/2; Chromium sends at most 32 through one proxy.
    pub line_streams_max: usize,
    /// Bytes of one answer over HTTP/2 that may be on their way while the browser does not read.
    pub stream_window_bytes_max: u32,
    /// Host certificates kept for the next tunnel.
    pub certificates_max: usize,
    /// Sockets open at once; a page needs one or two.
    pub sockets_max: usize,
    /// Frames over one socket, both ways.
    pub socket_frames_max: u64,
    /// Frames over one socket one way in one [`Self::rate_window_ms`].
    pub socket_window_frames_max: u64,
    /// One message: a chat line, a list, a picture; not a file.
    pub socket_message_bytes_max: usize,
    /// All bytes over one socket, both ways.
    pub socket_bytes_max: u64,
    /// How long one socket stays open.
    pub socket_ms_max: u64,
    /// All bytes through one blind tunnel, both ways.
    pub tunnel_bytes_max: u64,
    /// How long one blind tunnel stays open.
    pub tunnel_ms_max: u64,
    /// How long nothing may go through it.
    pub tunnel_idle_ms: u64,
    /// After so long without a byte a blind tunnel keeps no page busy: a server that thinks longer is not waited for.
    pub tunnel_quiet_ms: u64,
    /// How long closing waits for connections to end.
    pub close_ms: u64,
}

impl Default for EdgeLimits {
    fn default() -> Self {
        Self {
            connections_max: 1_024,
            head_bytes_max: 64 * 1024,
            headers_max: 128,
            request_head_ms: 60_000,
            request_body_ms: 15_000,
            browser_tls_ms: 10_000,
            browser_stall_ms: 300_000,
            resolve_ms: 8_000,
            connect_ms: 5_000,
            addresses_tried_max: 4,
            origin_tls_ms: 10_000,
            response_head_ms: 60_000,
            response_idle_ms: 60_000,
            response_whole_ms: 600_000,
            response_bytes_max: 128 * 1024 * 1024,
            run_bytes_max: 2 * 1024 * 1024 * 1024,
            run_requests_max: 50_000,
            window_requests_max: 2_000,
            rate_window_ms: 10_000,
            held_body_bytes_max: 1024 * 1024,
            held_max: 32,
            hold_wait_ms: 240_000,
            events_max: 1_024,
            event_room_ms: 10_000,
            idle_connections_max: 64,
            idle_connection_ms: 4_000,
            idle_line_ms: 30_000,
            line_age_ms: 600_000,
            line_streams_max: 32,
            stream_window_bytes_max: 1024 * 1024,
            certificates_max: 256,
            sockets_max: 16,
            socket_frames_max: 200_000,
            socket_window_frames_max: 2_000,
            socket_message_bytes_max: 1024 * 1024,
            socket_bytes_max: 128 * 1024 * 1024,
            socket_ms_max: 3_600_000,
            tunnel_bytes_max: 512 * 1024 * 1024,
            tunnel_ms_max: 3_600_000,
            tunnel_idle_ms: 300_000,
            tunnel_quiet_ms: 500,
            close_ms: 2_000,
        }
    }
}

/// Characters of an address kept in a record; the whole of a held one is in its image.
pub(crate) const RECORD_URL_CHARS_MAX: usize = 4_096;

/// Waits for `work` until `wait_ms` have passed; `None` when they did.
pub(crate) async fn within<T>(wait_ms: u64, work: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(Duration::from_millis(wait_ms), work).await.ok()
}

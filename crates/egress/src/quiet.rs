//! A connection on which only answers of ours are written. The HTTP library answers a malformed head with a 400 of its own, which
//! a browser would take for the origin's; here such a write fails, and the connection just ends.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::body::{BodyCut, EdgeBody};

/// Nothing has been answered since the last bytes came.
const SILENT: u8 = 0;
/// An answer is being written.
const SPEAKING: u8 = 1;
/// An answer was given to the library whole; its last bytes may still be on their way.
const SPOKEN: u8 = 2;
/// The connection has become a tunnel and is not the library's any more.
const OPEN: u8 = 3;

/// Whether the connection may be written to; shared by the stream and the answers on it.
#[derive(Clone, Default)]
pub(crate) struct Voice(Arc<AtomicU8>);

impl Voice {
    /// Lets an answer be written.
    pub(crate) fn speak(&self, response: Response<EdgeBody>) -> Response<QuietBody> {
        let _ = self.0.compare_exchange(SILENT, SPEAKING, Relaxed, Relaxed);
        response.map(|body| QuietBody { body, voice: self.clone() })
    }

    /// Lets everything be written: what follows is a handshake, whose two sides speak as they must.
    pub(crate) fn open(&self) {
        self.0.store(OPEN, Relaxed);
    }
}

/// A body that says when it is over.
pub(crate) struct QuietBody {
    body: EdgeBody,
    voice: Voice,
}

impl Body for QuietBody {
    type Data = Bytes;
    type Error = BodyCut;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyCut>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for QuietBody {
    fn drop(&mut self) {
        let _ = self.voice.0.compare_exchange(SPEAKING, SPOKEN, Relaxed, Relaxed);
    }
}

/// A stream that is written to only while an answer of ours is.
pub(crate) struct QuietIo<S> {
    stream: S,
    voice: Voice,
    stall: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> QuietIo<S> {
    /// `stall_ms` is how long the other side may leave written bytes unread.
    pub(crate) fn new(stream: S, voice: Voice, stall_ms: u64) -> Self {
        Self { stream, voice, stall: Duration::from_millis(stall_ms), stalled: None }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for QuietIo<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            // New bytes after an answer are a new request; until it is answered, the connection is silent again.
            let _ = self.voice.0.compare_exchange(SPOKEN, SILENT, Relaxed, Relaxed);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for QuietIo<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.voice.0.load(Relaxed) == SILENT {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        // A full buffer stops the asking for more of a body, and with it the body's own deadlines.
        let stall = self.stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(stall)));
        stalled.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

//! Response bodies on their way to the browser: counted, bounded, and with a deadline between pieces and over the whole.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use clicket_guard::web::Origin;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use crate::pool::OpenConnection;
use crate::record::{Draft, FailKind};
use crate::shared::Shared;

/// The body was cut; the browser sees a broken connection, the record says why.
#[derive(Debug, thiserror::Error)]
#[error("the body was cut")]
pub(crate) struct BodyCut;

/// What the edge answers with.
pub(crate) enum EdgeBody {
    /// Nothing.
    Empty,
    /// A few fixed bytes of the edge's own.
    Fixed(Option<Bytes>),
    /// The origin's.
    Origin(Box<OriginBody>),
}

impl Body for EdgeBody {
    type Data = Bytes;
    type Error = BodyCut;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyCut>>> {
        match self.get_mut() {
            Self::Empty => Poll::Ready(None),
            Self::Fixed(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Origin(body) => body.poll(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Fixed(bytes) => bytes.is_none(),
            Self::Origin(body) => body.inner.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
            Self::Fixed(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::Origin(body) => body.inner.size_hint(),
        }
    }
}

/// The origin's body. It owns the record, which is sent when the body ends or is dropped.
pub(crate) struct OriginBody {
    inner: Incoming,
    shared: Arc<Shared>,
    origin: Origin,
    connection: Option<OpenConnection>,
    draft: Draft,
    ended: bool,
    idle: Pin<Box<Sleep>>,
    whole: Pin<Box<Sleep>>,
}

impl OriginBody {
    pub(crate) fn new(inner: Incoming, shared: Arc<Shared>, origin: Origin, connection: OpenConnection, draft: Draft) -> Self {
        let idle = Box::pin(sleep(Duration::from_millis(shared.limits.response_idle_ms)));
        let whole = Box::pin(sleep(Duration::from_millis(shared.limits.response_whole_ms)));
        Self { inner, shared, origin, connection: Some(connection), draft, ended: false, idle, whole }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyCut>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if self.whole.as_mut().poll(cx).is_ready() {
            return self.cut(FailKind::WholeTimeout);
        }
        match Pin::new(&mut self.inner).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => self.pass_on(frame),
            Poll::Ready(Some(Err(_))) => self.cut(FailKind::ConnectionLost),
            Poll::Ready(None) => {
                self.end();
                Poll::Ready(None)
            }
            Poll::Pending if self.idle.as_mut().poll(cx).is_ready() => self.cut(FailKind::IdleTimeout),
            Poll::Pending => Poll::Pending,
        }
    }

    fn pass_on(&mut self, frame: Frame<Bytes>) -> Poll<Option<Result<Frame<Bytes>, BodyCut>>> {
        let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
        let so_far = self.draft.record.response_bytes.saturating_add(bytes);
        if so_far > self.shared.limits.response_bytes_max {
            return self.cut(FailKind::TooBig);
        }
        if !self.shared.tally.takes_bytes(bytes, &self.shared.limits) {
            return self.cut(FailKind::RunBytes);
        }
        self.draft.record.response_bytes = so_far;
        let deadline = Instant::now() + Duration::from_millis(self.shared.limits.response_idle_ms);
        self.idle.as_mut().reset(deadline);
        Poll::Ready(Some(Ok(frame)))
    }

    fn cut(&mut self, kind: FailKind) -> Poll<Option<Result<Frame<Bytes>, BodyCut>>> {
        self.draft.record.cut = Some(kind);
        self.ended = true;
        if let Some(connection) = self.connection.take()
            && matches!(kind, FailKind::IdleTimeout | FailKind::ConnectionLost)
        {
            connection.retire();
        }
        Poll::Ready(Some(Err(BodyCut)))
    }

    fn end(&mut self) {
        self.ended = true;
        if let Some(connection) = self.connection.take() {
            self.shared.pool.put(&self.origin, connection, &self.shared.limits);
        }
    }
}

impl Drop for OriginBody {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        if self.inner.is_end_stream() {
            self.end();
        } else {
            self.draft.record.cut = Some(FailKind::BrowserLeft);
        }
    }
}

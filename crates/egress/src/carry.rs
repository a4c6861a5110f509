//! Carries the frames of an open socket both ways: each is counted, and a bound or a word too much ends it.

use std::time::{Duration, Instant};

use clicket_guard::socket::{Sends, only_listens};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, split};
use tokio::time::sleep;

use crate::frames::{Frame, FrameFault, Kind, Sender, read_frame};
use crate::limits::{EdgeLimits, within};
use crate::long::{Ending, SocketCounts, SocketEnd, SocketRecord};
use crate::shared::{Shared, lock};

/// A Close frame to the page that says "policy violation" (RFC 6455 section 7.4.1).
const CLOSE_TO_PAGE: [u8; 4] = [0x88, 2, 0x03, 0xf0];
/// The same to the origin, masked with zeros.
const CLOSE_TO_ORIGIN: [u8; 8] = [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xf0];

/// What one socket shares between its two directions.
struct Socket<'a> {
    shared: &'a Shared,
    ending: &'a Ending<SocketRecord>,
    sends: Sends,
}

/// Carries until one side leaves or a bound is reached; the record says which.
pub(crate) async fn carry<P, F>(shared: &Shared, page: P, far: F, ending: &Ending<SocketRecord>)
where
    P: AsyncRead + AsyncWrite + Unpin,
    F: AsyncRead + AsyncWrite + Unpin,
{
    let sends = lock(&ending.record).sends;
    let socket = Socket { shared, ending, sends };
    let ((page_in, mut page_out), (far_in, mut far_out)) = (split(page), split(far));
    let ended = tokio::select! {
        ended = socket.outwards(BufReader::new(page_in), &mut far_out) => ended,
        ended = socket.inwards(BufReader::new(far_in), &mut page_out) => ended,
        () = sleep(Duration::from_millis(shared.limits.socket_ms_max)) => SocketEnd::Lifetime,
    };
    lock(&ending.record).ended = ended;
    if !matches!(ended, SocketEnd::ByPage | SocketEnd::ByOrigin | SocketEnd::EdgeClosed | SocketEnd::Stalled) {
        // Said as far as they still listen; the connections end either way.
        let _ = within(shared.limits.close_ms, page_out.write_all(&CLOSE_TO_PAGE)).await;
        let _ = within(shared.limits.close_ms, far_out.write_all(&CLOSE_TO_ORIGIN)).await;
    }
    let _ = within(shared.limits.close_ms, page_out.shutdown()).await;
    let _ = within(shared.limits.close_ms, far_out.shutdown()).await;
}

impl Socket<'_> {
    /// A message of the page's is looked at when it is whole, and leaves then.
    async fn outwards<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(&self, mut from: R, to: &mut W) -> SocketEnd {
        let (mut pace, mut message) = (Pace::default(), Message::default());
        loop {
            let frame = match self.next(&mut from, Sender::Page, &mut pace).await {
                Ok(frame) => frame,
                Err(ended) => return ended,
            };
            let leaves = match message.take(frame, self.limits()) {
                Ok(leaves) => leaves,
                Err(ended) => return ended,
            };
            let Some(Leaving { frames, message }) = leaves else { continue };
            if let Err(ended) = self.judge(message.as_ref()) {
                return ended;
            }
            for frame in &frames {
                if !self.pass(frame, to).await {
                    return SocketEnd::Stalled;
                }
                self.count(|counts| {
                    counts.frames_sent += 1;
                    counts.bytes_sent += frame.len() as u64;
                });
            }
        }
    }

    async fn inwards<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(&self, mut from: R, to: &mut W) -> SocketEnd {
        let (mut pace, mut size) = (Pace::default(), 0_usize);
        loop {
            let frame = match self.next(&mut from, Sender::Origin, &mut pace).await {
                Ok(frame) => frame,
                Err(ended) => return ended,
            };
            let whole = frame.kind != Kind::Control && frame.is_last;
            if frame.kind != Kind::Control {
                size = size.saturating_add(frame.bytes().len());
                if size > self.limits().socket_message_bytes_max {
                    return SocketEnd::MessageBytes;
                }
                size = if whole { 0 } else { size };
            }
            if !self.pass(frame.bytes(), to).await {
                return SocketEnd::Stalled;
            }
            self.count(|counts| {
                counts.frames_received += 1;
                counts.bytes_received += frame.bytes().len() as u64;
                counts.messages_received += u64::from(whole);
            });
        }
    }

    /// Says whether a whole message may leave, and counts it.
    fn judge(&self, message: Option<&Whole>) -> Result<(), SocketEnd> {
        let Some(message) = message else { return Ok(()) };
        let text = message.text.then(|| std::str::from_utf8(&message.bytes).ok()).flatten();
        let listens = only_listens(text);
        if !listens && self.sends == Sends::Listening {
            self.count(|counts| counts.writes_refused += 1);
            return Err(SocketEnd::WriteRefused);
        }
        self.count(|counts| {
            counts.messages_sent += 1;
            counts.writes_sent += u64::from(!listens);
        });
        Ok(())
    }

    async fn next<R: AsyncRead + Unpin>(&self, from: &mut R, sender: Sender, pace: &mut Pace) -> Result<Frame, SocketEnd> {
        let limits = self.limits();
        let frame = match read_frame(from, sender, limits.socket_message_bytes_max).await {
            Ok(frame) => frame,
            Err(FrameFault::Malformed) => return Err(SocketEnd::Malformed),
            Err(FrameFault::TooBig) => return Err(SocketEnd::MessageBytes),
            Err(FrameFault::Ended | FrameFault::Broken) => {
                return Err(if sender == Sender::Page { SocketEnd::ByPage } else { SocketEnd::ByOrigin });
            }
        };
        if !pace.admits(limits) {
            return Err(SocketEnd::Rate);
        }
        let counts = lock(&self.ending.record).counts;
        let bytes = frame.bytes().len() as u64;
        if counts.frames_sent + counts.frames_received >= limits.socket_frames_max {
            return Err(SocketEnd::Frames);
        }
        if counts.bytes_sent + counts.bytes_received + bytes > limits.socket_bytes_max {
            return Err(SocketEnd::Bytes);
        }
        if !self.shared.tally.takes_bytes(bytes, limits) {
            return Err(SocketEnd::RunBytes);
        }
        Ok(frame)
    }

    async fn pass<W: AsyncWrite + Unpin>(&self, bytes: &[u8], to: &mut W) -> bool {
        let writing = async { to.write_all(bytes).await.is_ok() && to.flush().await.is_ok() };
        within(self.limits().browser_stall_ms, writing).await == Some(true)
    }

    fn limits(&self) -> &EdgeLimits {
        &self.shared.limits
    }

    fn count(&self, change: impl FnOnce(&mut SocketCounts)) {
        change(&mut lock(&self.ending.record).counts);
    }
}

/// Frames in the present window.
#[derive(Default)]
struct Pace {
    since: Option<Instant>,
    frames: u64,
}

impl Pace {
    fn admits(&mut self, limits: &EdgeLimits) -> bool {
        let window = Duration::from_millis(limits.rate_window_ms);
        if self.since.is_none_or(|since| since.elapsed() > window) {
            *self = Self { since: Some(Instant::now()), frames: 0 };
        }
        self.frames += 1;
        self.frames <= limits.socket_window_frames_max
    }
}

/// A message of the page's that is not whole yet.
#[derive(Default)]
struct Message {
    frames: Vec<Vec<u8>>,
    whole: Option<Whole>,
}

/// What a message says.
struct Whole {
    text: bool,
    bytes: Vec<u8>,
}

/// What may leave now: the frames, and the message they are, if they are one.
struct Leaving {
    frames: Vec<Vec<u8>>,
    message: Option<Whole>,
}

/// Pieces of one message; more is no message but a way to fill memory.
const PIECES_MAX: usize = 1_000;

impl Message {
    fn take(&mut self, frame: Frame, limits: &EdgeLimits) -> Result<Option<Leaving>, SocketEnd> {
        if frame.kind == Kind::Control {
            return Ok(Some(Leaving { frames: vec![frame.bytes().to_vec()], message: None }));
        }
        let payload = frame.payload();
        match (&mut self.whole, frame.kind) {
            (Some(whole), Kind::Continuation) => whole.bytes.extend_from_slice(&payload),
            (None, Kind::Text) => self.whole = Some(Whole { text: true, bytes: payload }),
            (None, Kind::Binary) => self.whole = Some(Whole { text: false, bytes: payload }),
            (Some(_), Kind::Text | Kind::Binary | Kind::Control) | (None, Kind::Continuation | Kind::Control) => {
                return Err(SocketEnd::Malformed);
            }
        }
        self.frames.push(frame.bytes().to_vec());
        let size = self.whole.as_ref().map_or(0, |whole| whole.bytes.len());
        if size > limits.socket_message_bytes_max || self.frames.len() > PIECES_MAX {
            return Err(SocketEnd::MessageBytes);
        }
        let leaving = frame.is_last.then(|| Leaving { frames: std::mem::take(&mut self.frames), message: self.whole.take() });
        Ok(leaving)
    }
}

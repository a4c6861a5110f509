//! Blind tunnels, for origins that the operator exempted from inspection by name: bytes are counted and bounded, addresses are judged
//! as for everything, and what is said is not seen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use clicket_guard::effect::RequestFacts;
use clicket_guard::reach::{Reach, Relation};
use clicket_guard::web::{Origin, Scheme};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::dial::dial;
use crate::judge::{Stop, judged_addresses};
use crate::limits::within;
use crate::long::{Ending, TunnelEnd, TunnelRecord, room_for_ending};
use crate::record::{Outcome, RefuseReason, Sent};
use crate::shared::{Shared, lock};

/// How a TLS handshake begins (RFC 8446 section 5.1); nothing else goes through unseen.
const HANDSHAKE: u8 = 0x16;

/// Bytes carried at once in one direction.
const PIECE_BYTES: usize = 16 * 1024;

/// How often an open tunnel is looked at.
const LOOK_MS: u64 = 100;

/// Where connections are passed without being looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlindTo {
    /// To exactly these origins, on their own ports.
    Origins(Vec<Origin>),
    /// To whatever the run may open and write to: the start address's site and what the operator listed. So a person signs in.
    Listed,
}

/// Origins that are not inspected, until they are.
pub(crate) struct Blind {
    to: BlindTo,
    cut: watch::Sender<bool>,
}

impl Blind {
    pub(crate) fn to(to: BlindTo) -> Self {
        Self { to, cut: watch::Sender::new(false) }
    }

    /// Whether a tunnel to this origin is passed unseen now.
    pub(crate) fn covers(&self, origin: &Origin, reach: &Reach) -> bool {
        let named = match &self.to {
            BlindTo::Origins(origins) => origins.contains(origin),
            BlindTo::Listed => reach.relation(origin) != Relation::ThirdParty,
        };
        named && origin.scheme() == Scheme::Https && !*self.cut.borrow()
    }

    /// Ends every blind tunnel, and has no further one.
    pub(crate) fn cut(&self) {
        self.cut.send_replace(true);
    }
}

/// Carries one tunnel to its end.
pub(crate) async fn tunnel<S>(shared: Arc<Shared>, origin: Origin, mut browser: S)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut cut = shared.blind.cut.subscribe();
    let mut first = vec![0; PIECE_BYTES];
    // One that says nothing is a preconnect, and needs no record.
    let Some(Ok(read @ 1..)) = within(shared.limits.browser_tls_ms, browser.read(&mut first)).await else { return };
    first.truncate(read);
    let facts = RequestFacts { method: "CONNECT".to_owned(), url: format!("{origin}/"), ..RequestFacts::default() };
    let Some(mut draft) = shared.open_record(&facts, shared.reach.relation(&origin)).await else { return };
    let Some(room) = room_for_ending(&shared).await else { return };
    if first.first() != Some(&HANDSHAKE) {
        return draft.stop(Stop::Refused(RefuseReason::NotTls, None));
    }
    let judged = match judged_addresses(&shared, &origin).await {
        Ok(judged) => judged,
        Err(stop) => return draft.stop(stop),
    };
    let far = match dial(judged, &shared.limits).await {
        Ok((far, address)) => {
            draft.record.address = Some(address);
            far
        }
        Err(kind) => return draft.stop(Stop::Failed(kind)),
    };
    shared.tally.dialled.fetch_add(1, Relaxed);
    draft.settle(Outcome::Tunnelled);
    draft.record.sent = Sent::Unknown;
    let record = TunnelRecord {
        id: draft.record.id,
        origin: origin.to_string(),
        bytes_sent: 0,
        bytes_received: 0,
        open_ms: 0,
        ended: TunnelEnd::EdgeClosed,
    };
    let ending = Ending::of(record, room);
    let meter = Meter::of(&shared, &ending);
    drop(draft);
    let ended = meter.carry((browser, far), &first, &mut cut).await;
    lock(&ending.record).ended = ended;
}

/// Counts what goes through, and keeps the page busy while something does: requests can't be told apart here, only stillness.
struct Meter<'a> {
    shared: &'a Shared,
    ending: &'a Ending<TunnelRecord>,
    stirring: AtomicBool,
    stirred_ms: AtomicU64,
}

#[derive(Clone, Copy)]
enum Way {
    Out,
    Back,
}

impl<'a> Meter<'a> {
    fn of(shared: &'a Shared, ending: &'a Ending<TunnelRecord>) -> Self {
        let meter = Self { shared, ending, stirring: AtomicBool::default(), stirred_ms: AtomicU64::default() };
        meter.stir();
        meter
    }

    async fn carry<B, F>(&self, (browser, far): (B, F), first: &[u8], cut: &mut watch::Receiver<bool>) -> TunnelEnd
    where
        B: AsyncRead + AsyncWrite + Unpin,
        F: AsyncRead + AsyncWrite + Unpin,
    {
        let ((browser_in, browser_out), (far_in, far_out)) = (split(browser), split(far));
        tokio::select! {
            ended = self.pass(browser_in, far_out, first, Way::Out) => ended,
            ended = self.pass(far_in, browser_out, &[], Way::Back) => ended,
            ended = self.watch() => ended,
            _ = cut.wait_for(|cut| *cut) => TunnelEnd::Cut,
        }
    }

    async fn pass<R, W>(&self, mut from: R, mut to: W, first: &[u8], way: Way) -> TunnelEnd
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let mut piece = vec![0; PIECE_BYTES];
        let mut waiting = first.to_vec();
        loop {
            if !waiting.is_empty() {
                if let Err(ended) = self.count(waiting.len() as u64, way) {
                    return ended;
                }
                match within(self.shared.limits.browser_stall_ms, to.write_all(&waiting)).await {
                    Some(Ok(())) => {}
                    Some(Err(_)) => return TunnelEnd::Left,
                    None => return TunnelEnd::Idle,
                }
            }
            match from.read(&mut piece).await {
                Ok(0) | Err(_) => return TunnelEnd::Left,
                Ok(read) => waiting = piece.get(..read).unwrap_or_default().to_vec(),
            }
        }
    }

    fn count(&self, bytes: u64, way: Way) -> Result<(), TunnelEnd> {
        self.stir();
        let mut record = lock(&self.ending.record);
        let sum = record.bytes_sent.saturating_add(record.bytes_received).saturating_add(bytes);
        if sum > self.shared.limits.tunnel_bytes_max {
            return Err(TunnelEnd::Bytes);
        }
        if !self.shared.tally.takes_bytes(bytes, &self.shared.limits) {
            return Err(TunnelEnd::RunBytes);
        }
        match way {
            Way::Out => record.bytes_sent += bytes,
            Way::Back => record.bytes_received += bytes,
        }
        Ok(())
    }

    fn stir(&self) {
        self.stirred_ms.store(self.shared.tally.now_ms(), Relaxed);
        if !self.stirring.swap(true, Relaxed) {
            self.shared.tally.begin_stir();
        }
    }

    fn rest(&self) {
        if self.stirring.swap(false, Relaxed) {
            self.shared.tally.end_stir();
        }
    }

    /// Lets the page be quiet when the tunnel is, and ends a tunnel that was quiet or open too long.
    async fn watch(&self) -> TunnelEnd {
        let opened_ms = self.shared.tally.now_ms();
        let limits = &self.shared.limits;
        loop {
            sleep(Duration::from_millis(LOOK_MS)).await;
            let now = self.shared.tally.now_ms();
            let still_ms = now.saturating_sub(self.stirred_ms.load(Relaxed));
            if still_ms >= limits.tunnel_quiet_ms {
                self.rest();
            }
            if still_ms >= limits.tunnel_idle_ms {
                return TunnelEnd::Idle;
            }
            if now.saturating_sub(opened_ms) >= limits.tunnel_ms_max {
                return TunnelEnd::Lifetime;
            }
        }
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.rest();
    }
}

//! Writes wait here, whole, until a permit names them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::Bytes;
use clicket_guard::effect::{RequestFacts, RequestImage};
use clicket_guard::permit::EffectPermit;
use clicket_guard::reach::WriteClass;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Uri};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::edge::EdgeEvent;
use crate::judge::Stop;
use crate::limits::within;
use crate::record::{FailKind, Sent};
use crate::shared::Shared;

/// Why a held request was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldRefusal {
    /// The policy refuses it.
    Policy,
    /// It only tells the site how it is used.
    Telemetry,
    /// A person refused it.
    Person,
    /// It needed a person and there is none.
    Unattended,
    /// The run ends.
    RunEnds,
    /// The permit was for another request.
    Mismatch,
    /// The session let it go without an answer.
    Unanswered,
    /// No answer came in time.
    DeadlinePassed,
    /// The browser gave up before the answer.
    BrowserLeft,
    /// Too many requests are held already.
    TooManyHeld,
    /// The body is larger than is held.
    BodyTooBig,
    /// The body broke off or came too slowly.
    BodyUnreadable,
    /// A header is not text, so that it can't be shown as it would be sent.
    HeaderNotText,
    /// The session does not listen.
    SessionGone,
}

/// Why a release sends nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotReleased {
    /// The permit names another request; this one is refused.
    #[error("the permit is for another request")]
    Mismatch,
    /// The browser gave up, or the wait ended, before the release.
    #[error("nobody waits for the request any more")]
    Gone,
}

/// What became of a released request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// The origin answered with this status.
    Answered(u16),
    /// Not a byte of it left: a rule of names or addresses refused it, or no connection was made.
    NotSent(Option<FailKind>),
    /// It may have been acted on: it left, and no answer came. It must not be repeated.
    Uncertain(FailKind),
}

/// A write that waits for its verdict. Dropped without an answer, it is refused.
///
/// Invariant: it leaves only by [`HeldRequest::release`], which takes a permit by value and compares it with
/// [`HeldRequest::image`]; what is sent is built from that image and from nothing else (`released_bytes_equal_the_image`).
/// Neither a permit nor a request is spent twice:
///
/// ```compile_fail,E0382
/// fn twice(one: clicket_egress::HeldRequest, other: clicket_egress::HeldRequest, permit: clicket_guard::permit::EffectPermit) {
///     let _ = one.release(permit);
///     let _ = other.release(permit);
/// }
/// ```
///
/// ```compile_fail,E0382
/// fn after_refusal(held: clicket_egress::HeldRequest, permit: clicket_guard::permit::EffectPermit) {
///     held.refuse(clicket_egress::HoldRefusal::Policy);
///     let _ = held.release(permit);
/// }
/// ```
///
/// ```compile_fail,E0616
/// fn changed(mut held: clicket_egress::HeldRequest) { held.image.body.clear(); }
/// ```
pub struct HeldRequest {
    id: u64,
    class: WriteClass,
    facts: RequestFacts,
    image: RequestImage,
    abandoned: Arc<AtomicBool>,
    answer: oneshot::Sender<Answer>,
}

/// Waits for what becomes of a released request.
#[derive(Debug)]
pub struct ReleaseHandle(oneshot::Receiver<Settlement>);

impl HeldRequest {
    /// The record's number.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// What kind of write it is.
    #[must_use]
    pub const fn class(&self) -> WriteClass {
        self.class
    }

    /// What is known of it besides its bytes.
    #[must_use]
    pub const fn facts(&self) -> &RequestFacts {
        &self.facts
    }

    /// Exactly what will be sent.
    #[must_use]
    pub const fn image(&self) -> &RequestImage {
        &self.image
    }

    /// Whether the browser gave up, or the wait ended, so that a release would send nothing.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Relaxed)
    }

    /// Lets the request go, once, exactly as it was shown. The permit is spent.
    ///
    /// # Errors
    /// [`NotReleased::Mismatch`] when the permit names another request, which refuses this one; [`NotReleased::Gone`] when nobody
    /// waits for it any more. In both cases nothing is sent.
    pub fn release(self, permit: EffectPermit) -> Result<ReleaseHandle, NotReleased> {
        if !permit.names(&self.image) {
            self.refuse(HoldRefusal::Mismatch);
            return Err(NotReleased::Mismatch);
        }
        let (settle, settled) = oneshot::channel();
        let settling = Settling { settle: Some(settle), sent: Sent::Nothing };
        let released = Released { image: self.image };
        self.answer.send(Answer::Release(released, settling)).map_err(|_| NotReleased::Gone)?;
        Ok(ReleaseHandle(settled))
    }

    /// Refuses the request.
    pub fn refuse(self, why: HoldRefusal) {
        // If nobody waits any more, it is refused already.
        let _ = self.answer.send(Answer::Refuse(why));
    }
}

impl std::fmt::Debug for HeldRequest {
    /// Address and headers may hold secrets; the image shows only its sizes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HeldRequest").field("id", &self.id).field("image", &self.image).finish_non_exhaustive()
    }
}

impl ReleaseHandle {
    /// Waits until the origin answered or it is clear that it won't; the edge's own deadlines bound the wait.
    pub async fn settled(self) -> Settlement {
        self.0.await.unwrap_or(Settlement::NotSent(None))
    }
}

pub(crate) enum Answer {
    Release(Released, Settling),
    Refuse(HoldRefusal),
}

/// A request that a permit named. Made in [`HeldRequest::release`] and nowhere else.
pub(crate) struct Released {
    image: RequestImage,
}

impl Released {
    /// The request to send, from the image alone. `None` when the image is no request, which [`image_of`] rules out.
    pub(crate) fn into_parts(self) -> Option<(Method, Uri, HeaderMap, Bytes)> {
        let method = Method::from_bytes(self.image.method.as_bytes()).ok()?;
        let whole: Uri = self.image.url.parse().ok()?;
        let path: Uri = whole.path_and_query()?.as_str().parse().ok()?;
        let mut headers = HeaderMap::with_capacity(self.image.headers.len());
        for (name, value) in &self.image.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).ok()?);
        }
        Some((method, path, headers, Bytes::from(self.image.body)))
    }
}

/// Tells the session what became of a released request, even when the task that sends it is cut short.
pub(crate) struct Settling {
    settle: Option<oneshot::Sender<Settlement>>,
    sent: Sent,
}

impl Settling {
    /// Sending begins: from now on, an end without a word means that it may have been acted on.
    pub(crate) fn begin(&mut self) {
        self.sent = Sent::Unknown;
    }

    pub(crate) fn answered(mut self, status: u16) {
        self.tell(Settlement::Answered(status));
    }

    pub(crate) fn stopped(mut self, stop: &Stop, sent: Sent) {
        let settlement = match (stop, sent) {
            (Stop::Refused(_, _), _) => Settlement::NotSent(None),
            (Stop::Failed(kind), Sent::Nothing) => Settlement::NotSent(Some(*kind)),
            (Stop::Failed(kind), Sent::Unknown | Sent::Whole) => Settlement::Uncertain(*kind),
        };
        self.tell(settlement);
    }

    fn tell(&mut self, settlement: Settlement) {
        if let Some(settle) = self.settle.take() {
            // A session that stopped listening finds the same in the record.
            let _ = settle.send(settlement);
        }
    }
}

impl Drop for Settling {
    fn drop(&mut self) {
        let settlement = match self.sent {
            Sent::Nothing => Settlement::NotSent(None),
            Sent::Unknown | Sent::Whole => Settlement::Uncertain(FailKind::BrowserLeft),
        };
        self.tell(settlement);
    }
}

/// What comes with a request that is to be held.
pub(crate) struct Waiting {
    pub(crate) id: u64,
    pub(crate) class: WriteClass,
    pub(crate) facts: RequestFacts,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Incoming,
}

/// Holds a request until the session answers, the wait ends or the browser leaves.
pub(crate) async fn hold(shared: &Shared, waiting: Waiting, body_bytes: &mut u64) -> Result<(Released, Settling), HoldRefusal> {
    let _place = shared.tally.hold_place(shared.limits.held_max).ok_or(HoldRefusal::TooManyHeld)?;
    let body = read_body(shared, waiting.body).await?;
    *body_bytes = body.len() as u64;
    let image = image_of(&waiting.facts, &waiting.headers, body)?;
    let room = within(shared.limits.event_room_ms, shared.events.reserve()).await;
    let room = room.and_then(Result::ok).ok_or(HoldRefusal::SessionGone)?;
    let (answer, answered) = oneshot::channel();
    let abandoned = Arc::new(AtomicBool::new(false));
    // Dropped with this future, when the browser leaves, or at the end of the wait.
    let _tell = Abandon(Arc::clone(&abandoned));
    let Waiting { id, class, facts, .. } = waiting;
    room.send(EdgeEvent::Held(Box::new(HeldRequest { id, class, facts, image, abandoned, answer })));
    match within(shared.limits.hold_wait_ms, answered).await {
        Some(Ok(Answer::Release(released, settling))) => Ok((released, settling)),
        Some(Ok(Answer::Refuse(why))) => Err(why),
        Some(Err(_)) => Err(HoldRefusal::Unanswered),
        None => Err(HoldRefusal::DeadlinePassed),
    }
}

struct Abandon(Arc<AtomicBool>);

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

async fn read_body(shared: &Shared, body: Incoming) -> Result<Vec<u8>, HoldRefusal> {
    let limited = Limited::new(body, shared.limits.held_body_bytes_max);
    match within(shared.limits.request_body_ms, limited.collect()).await {
        Some(Ok(collected)) => Ok(collected.to_bytes().to_vec()),
        Some(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(HoldRefusal::BodyTooBig),
        Some(Err(_)) | None => Err(HoldRefusal::BodyUnreadable),
    }
}

/// The request exactly as it would be sent: the headers that go on, the length last, then the body.
fn image_of(facts: &RequestFacts, headers: &HeaderMap, body: Vec<u8>) -> Result<RequestImage, HoldRefusal> {
    let mut shown = Vec::with_capacity(headers.len() + 1);
    for (name, value) in headers {
        let value = std::str::from_utf8(value.as_bytes()).map_err(|_| HoldRefusal::HeaderNotText)?;
        shown.push((name.as_str().to_owned(), value.to_owned()));
    }
    shown.push((header::CONTENT_LENGTH.as_str().to_owned(), body.len().to_string()));
    Ok(RequestImage { method: facts.method.clone(), url: facts.url.clone(), headers: shown, body })
}

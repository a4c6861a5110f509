//! One request of the browser, from its head to what is answered.

use std::sync::Arc;

use clicket_guard::download::{self, FileFacts};
use clicket_guard::effect::RequestFacts;
use clicket_guard::reach::{Passage, ReadClass, WriteClass, facts_of, leaves_page_standing};
use clicket_guard::wall;
use clicket_guard::web::Origin;
use http::header;
use http::request::Parts;
use http::{HeaderMap, Request, Response, StatusCode, Uri};
use hyper::body::{Body, Incoming};
use tokio::sync::oneshot;
use url::Url;

use crate::body::{EdgeBody, OriginBody};
use crate::download::{DownloadFolder, FileRefusal};
use crate::exchange::{Cleared, exchange};
use crate::headers::{to_browser, to_origin};
use crate::hold::{HoldRefusal, Released, Settling, Waiting, hold};
use crate::judge::{Stop, check_name};
use crate::pool::OpenConnection;
use crate::record::{Draft, FailKind, Outcome, RefuseReason};
use crate::shared::Shared;
use crate::socket::{self, Asking};
use crate::target::authority_of;
use crate::unpack::{ASKED_FOR, Packing};

/// The connection ends without an answer, so that nothing of the edge's own is taken for the origin's.
#[derive(Debug, thiserror::Error)]
#[error("the connection is closed without an answer")]
pub(crate) struct Closed;

pub(crate) type Answered = Result<Response<EdgeBody>, Closed>;

/// Judges a request to `origin` and answers it.
pub(crate) async fn answer(shared: Arc<Shared>, origin: Arc<Origin>, mut request: Request<Incoming>) -> Answered {
    let handover = hyper::upgrade::on(&mut request);
    let (head, body) = request.into_parts();
    let target = head.uri.path_and_query().map_or("", |target| target.as_str());
    let facts = facts_of(head.method.as_str(), &format!("{origin}{target}"), &as_text(&head.headers));
    let relation = shared.reach.relation(&origin);
    let mut draft = shared.open_record(&facts, relation).await.ok_or(Closed)?;
    match judge(&shared, &origin, &head, &body, &facts) {
        Ok(passage) => draft.record.passage = Some(passage),
        Err(stop) => return close(draft, stop),
    }
    let may_be = if download::may_give_a_file(&facts) { MayBe::File } else { MayBe::NoFile };
    match draft.record.passage {
        Some(Passage::Pass(class)) => pass(shared, &origin, head, (class, may_be), draft).await,
        Some(Passage::Hold(class)) => hold_write(shared, &origin, head, body, (class, facts), draft).await,
        Some(Passage::Socket(sends)) => socket::open(shared, &origin, Asking { head, handover, sends }, draft).await,
        Some(Passage::Refuse(reason)) => {
            let answered = close(draft, Stop::Refused(RefuseReason::Reach(reason), None));
            if leaves_page_standing(&facts, reason) { Ok(empty(StatusCode::NO_CONTENT)) } else { answered }
        }
        None => Err(Closed),
    }
}

fn judge(shared: &Shared, origin: &Origin, head: &Parts, body: &Incoming, facts: &RequestFacts) -> Result<Passage, Stop> {
    let refuse = |reason| Err(Stop::Refused(reason, None));
    if !shared.tally.admits_request(&shared.limits) {
        return refuse(RefuseReason::Rate);
    }
    if !is_settled(origin, &head.uri) {
        return refuse(RefuseReason::Target);
    }
    if !names_host(&head.headers, origin) {
        return refuse(RefuseReason::Host);
    }
    let passage = shared.passage(facts);
    if matches!(passage, Passage::Pass(_) | Passage::Socket(_)) && !body.is_end_stream() {
        return refuse(RefuseReason::BodyOnRead);
    }
    if !matches!(passage, Passage::Refuse(_)) {
        check_name(shared, origin)?;
    }
    Ok(passage)
}

/// Whether the path is one that a URL parser leaves as it is: whoever sends `/a/../b` hopes for two readers who disagree.
fn is_settled(origin: &Origin, uri: &Uri) -> bool {
    let raw = uri.path();
    let parsed = Url::parse(&format!("{origin}{raw}"));
    parsed.is_ok_and(|url| url.path() == raw)
}

fn names_host(headers: &HeaderMap, origin: &Origin) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    host.as_bytes() == authority_of(origin).as_bytes()
}

/// Whether an answer may be a file that a browser would save.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MayBe {
    File,
    NoFile,
}

async fn pass(
    shared: Arc<Shared>,
    origin: &Origin,
    head: Parts,
    (class, may_be): (ReadClass, MayBe),
    mut draft: Draft,
) -> Answered {
    let path = path_of(&head.uri);
    let mut headers = to_origin(&head.headers);
    if may_be == MayBe::File && shared.downloads.is_some() {
        // What may be taken as a file is asked for in a packing that is read here.
        headers.insert(header::ACCEPT_ENCODING, http::HeaderValue::from_static(ASKED_FOR));
    }
    let Some(cleared) = path.and_then(|path| Cleared::read(class, head.method, path, headers)) else {
        return close(draft, Stop::Refused(RefuseReason::Target, None));
    };
    match exchange(&shared, origin, cleared, &mut draft).await {
        Ok((response, connection)) => {
            draft.settle(Outcome::Passed);
            respond(shared, origin, response, connection, (may_be, draft)).await
        }
        Err(stop) => close(draft, stop),
    }
}

async fn hold_write(
    shared: Arc<Shared>,
    origin: &Origin,
    head: Parts,
    body: Incoming,
    (class, facts): (WriteClass, RequestFacts),
    mut draft: Draft,
) -> Answered {
    // What the record says if the browser leaves meanwhile.
    draft.record.outcome = Outcome::HeldRefused(HoldRefusal::BrowserLeft);
    let may_be = if download::may_give_a_file(&facts) { MayBe::File } else { MayBe::NoFile };
    let waiting = Waiting { id: draft.record.id, class, facts, headers: to_origin(&head.headers), body };
    match hold(&shared, waiting, &mut draft.record.request_bytes).await {
        Ok((released, settling)) => {
            let answered = release(shared, origin.clone(), released, settling, (may_be, draft)).await;
            Ok(answered.unwrap_or_else(|Closed| no_answer_to(class)))
        }
        Err(why) => {
            draft.settle(Outcome::HeldRefused(why));
            Ok(refusal_of(class))
        }
    }
}

/// A navigation answered 204 leaves the page and the typed values standing; a script sees a refusal it may not read.
fn refusal_of(class: WriteClass) -> Response<EdgeBody> {
    empty(match class {
        WriteClass::Navigation => StatusCode::NO_CONTENT,
        WriteClass::Script | WriteClass::Beacon => StatusCode::FORBIDDEN,
    })
}

/// A released write to which no answer came. Chromium sends a request again by itself, a POST too, when a kept connection closes
/// without a byte; a write that may have been acted on must not come twice, so it gets an answer.
fn no_answer_to(class: WriteClass) -> Response<EdgeBody> {
    empty(match class {
        WriteClass::Navigation => StatusCode::NO_CONTENT,
        WriteClass::Script | WriteClass::Beacon => StatusCode::GATEWAY_TIMEOUT,
    })
}

pub(crate) fn empty(status: StatusCode) -> Response<EdgeBody> {
    let mut response = Response::new(EdgeBody::Empty);
    *response.status_mut() = status;
    response
}

/// Sends a released request in a task of its own, so that a browser that leaves does not cut it in half.
async fn release(
    shared: Arc<Shared>,
    origin: Origin,
    released: Released,
    mut settling: Settling,
    (may_be, mut draft): (MayBe, Draft),
) -> Answered {
    let (tell, told) = oneshot::channel();
    let with = Arc::clone(&shared);
    shared.tasks.spawn(async move {
        let Some(cleared) = Cleared::write(released) else {
            let _ = tell.send(close(draft, Stop::Refused(RefuseReason::Target, None)));
            return;
        };
        settling.begin();
        draft.record.outcome = Outcome::Failed(FailKind::BrowserLeft);
        let answered = match exchange(&with, &origin, cleared, &mut draft).await {
            Ok((response, connection)) => {
                draft.settle(Outcome::HeldReleased);
                settling.answered(response.status().as_u16());
                respond(with, &origin, response, connection, (may_be, draft)).await
            }
            Err(stop) => {
                settling.stopped(&stop, draft.record.sent);
                close(draft, stop)
            }
        };
        // When the browser left, the answer is dropped here and the record says so.
        let _ = tell.send(answered);
    });
    told.await.unwrap_or(Err(Closed))
}

async fn respond(
    shared: Arc<Shared>,
    origin: &Origin,
    response: Response<Incoming>,
    connection: OpenConnection,
    (may_be, mut draft): (MayBe, Draft),
) -> Answered {
    let (head, body) = response.into_parts();
    if may_be == MayBe::File && head.status == StatusCode::OK && is_file(&head.headers) {
        return Ok(offer_file(shared, &head.headers, (body, connection), draft).await);
    }
    let switches = head.status.is_informational() || head.status == StatusCode::PROXY_AUTHENTICATION_REQUIRED;
    let too_big = body.size_hint().lower() > shared.limits.response_bytes_max;
    if switches || too_big {
        // An origin has no say about protocols or about the proxy's credential.
        draft.record.cut = Some(if switches { FailKind::Protocol } else { FailKind::TooBig });
        return Err(Closed);
    }
    if head.status.is_redirection()
        && let Some(location) = head.headers.get(header::LOCATION)
    {
        let location = String::from_utf8_lossy(location.as_bytes());
        draft.redirect_to(&location);
    }
    if draft.record.destination == "document" {
        draft.record.wall = wall::by_answer(head.status.as_u16(), &as_text(&head.headers));
    }
    let headers = to_browser(&head.headers);
    let body = OriginBody::new(body, shared, origin.clone(), connection, draft);
    let mut answer = Response::new(EdgeBody::Origin(Box::new(body)));
    *answer.status_mut() = head.status;
    *answer.headers_mut() = headers;
    Ok(answer)
}

fn text_of(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok())
}

fn is_file(headers: &HeaderMap) -> bool {
    download::is_file(text_of(headers, header::CONTENT_TYPE), text_of(headers, header::CONTENT_DISPOSITION))
}

/// Takes a file, if it may be taken, while the browser is told that there is nothing to show: the page stands.
async fn offer_file(
    shared: Arc<Shared>,
    headers: &HeaderMap,
    (body, connection): (Incoming, OpenConnection),
    mut draft: Draft,
) -> Response<EdgeBody> {
    let length = text_of(headers, header::CONTENT_LENGTH).and_then(|text| text.parse().ok());
    let facts = FileFacts {
        name: download::name_of(text_of(headers, header::CONTENT_DISPOSITION), &draft.record.url),
        url: draft.record.url.clone(),
        declared: text_of(headers, header::CONTENT_TYPE).unwrap_or_default().chars().take(200).collect(),
        length,
    };
    match judge_file(&shared, &facts, headers, draft.record.id).await {
        Ok((folder, packing)) => {
            let with = Arc::clone(&shared);
            shared.tasks.spawn(async move {
                let mut draft = draft;
                // What the record says if the edge closes meanwhile.
                draft.record.cut = Some(FailKind::BrowserLeft);
                let taken = crate::download::take(&with, &folder, body, packing, &facts).await;
                draft.record.cut = taken.as_ref().err().copied();
                draft.record.response_bytes = taken.as_ref().map_or(0, |saved| saved.bytes);
                draft.record.saved = taken.ok();
                // Its place is taken until the last byte is.
                drop(connection);
            });
        }
        Err(why) => draft.record.left = Some(why),
    }
    empty(StatusCode::NO_CONTENT)
}

async fn judge_file(
    shared: &Shared,
    facts: &FileFacts,
    headers: &HeaderMap,
    id: u64,
) -> Result<(DownloadFolder, Packing), FileRefusal> {
    let folder = shared.downloads.clone().ok_or(FileRefusal::NoFolder)?;
    let packing = Packing::of(text_of(headers, header::CONTENT_ENCODING)).ok_or(FileRefusal::Encoding)?;
    if facts.length.is_some_and(|length| !folder.takes(length)) {
        return Err(FileRefusal::TooBig);
    }
    crate::download::ask(shared, id, facts.clone()).await?;
    Ok((folder, packing))
}

pub(crate) fn close(mut draft: Draft, stop: Stop) -> Answered {
    draft.stop(stop);
    Err(Closed)
}

pub(crate) fn path_of(uri: &Uri) -> Option<Uri> {
    uri.path_and_query()?.as_str().parse().ok()
}

/// Headers for judging; bytes that are no text are replaced, which matches no word that loosens anything.
fn as_text(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

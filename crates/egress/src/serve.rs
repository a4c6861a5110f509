//! One request of the browser, from its head to what is answered.

use std::sync::Arc;

use clicket_guard::effect::RequestFacts;
use clicket_guard::reach::{Passage, ReadClass, WriteClass, facts_of, leaves_page_standing};
use clicket_guard::web::Origin;
use http::header;
use http::request::Parts;
use http::{HeaderMap, Request, Response, StatusCode, Uri};
use hyper::body::{Body, Incoming};
use tokio::sync::oneshot;
use url::Url;

use crate::body::{EdgeBody, OriginBody};
use crate::exchange::{Cleared, exchange};
use crate::headers::{to_browser, to_origin};
use crate::hold::{HoldRefusal, Released, Settling, Waiting, hold};
use crate::judge::{Stop, check_name};
use crate::pool::OpenConnection;
use crate::record::{Draft, FailKind, Outcome, RefuseReason};
use crate::shared::Shared;
use crate::target::authority_of;

/// The connection ends without an answer, so that nothing of the edge's own is taken for the origin's.
#[derive(Debug, thiserror::Error)]
#[error("the connection is closed without an answer")]
pub(crate) struct Closed;

type Answered = Result<Response<EdgeBody>, Closed>;

/// Judges a request to `origin` and answers it.
pub(crate) async fn answer(shared: Arc<Shared>, origin: Arc<Origin>, request: Request<Incoming>) -> Answered {
    let (head, body) = request.into_parts();
    let target = head.uri.path_and_query().map_or("", |target| target.as_str());
    let facts = facts_of(head.method.as_str(), &format!("{origin}{target}"), &as_text(&head.headers));
    let relation = shared.reach.relation(&origin);
    let mut draft = shared.open_record(&facts, relation).await.ok_or(Closed)?;
    match judge(&shared, &origin, &head, &body, &facts) {
        Ok(passage) => draft.record.passage = Some(passage),
        Err(stop) => return close(draft, stop),
    }
    match draft.record.passage {
        Some(Passage::Pass(class)) => pass(shared, &origin, head, class, draft).await,
        Some(Passage::Hold(class)) => hold_write(shared, &origin, head, body, (class, facts), draft).await,
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
    let passage = shared.reach.judge(facts);
    if matches!(passage, Passage::Pass(_)) && !body.is_end_stream() {
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

async fn pass(shared: Arc<Shared>, origin: &Origin, head: Parts, class: ReadClass, mut draft: Draft) -> Answered {
    let path = path_of(&head.uri);
    let Some(cleared) = path.and_then(|path| Cleared::read(class, head.method, path, to_origin(&head.headers))) else {
        return close(draft, Stop::Refused(RefuseReason::Target, None));
    };
    match exchange(&shared, origin, cleared, &mut draft).await {
        Ok((response, connection)) => {
            draft.settle(Outcome::Passed);
            respond(shared, origin, response, connection, draft)
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
    let waiting = Waiting { id: draft.record.id, class, facts, headers: to_origin(&head.headers), body };
    match hold(&shared, waiting, &mut draft.record.request_bytes).await {
        Ok((released, settling)) => {
            let answered = release(shared, origin.clone(), released, settling, draft).await;
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

fn empty(status: StatusCode) -> Response<EdgeBody> {
    let mut response = Response::new(EdgeBody::Empty);
    *response.status_mut() = status;
    response
}

/// Sends a released request in a task of its own, so that a browser that leaves does not cut it in half.
async fn release(shared: Arc<Shared>, origin: Origin, released: Released, mut settling: Settling, mut draft: Draft) -> Answered {
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
                respond(with, &origin, response, connection, draft)
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

fn respond(
    shared: Arc<Shared>,
    origin: &Origin,
    response: Response<Incoming>,
    connection: OpenConnection,
    mut draft: Draft,
) -> Answered {
    let (head, body) = response.into_parts();
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
    let headers = to_browser(&head.headers);
    let body = OriginBody::new(body, shared, origin.clone(), connection, draft);
    let mut answer = Response::new(EdgeBody::Origin(Box::new(body)));
    *answer.status_mut() = head.status;
    *answer.headers_mut() = headers;
    Ok(answer)
}

fn close(mut draft: Draft, stop: Stop) -> Answered {
    draft.stop(stop);
    Err(Closed)
}

fn path_of(uri: &Uri) -> Option<Uri> {
    uri.path_and_query()?.as_str().parse().ok()
}

/// Headers for judging; bytes that are no text are replaced, which matches no word that loosens anything.
fn as_text(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

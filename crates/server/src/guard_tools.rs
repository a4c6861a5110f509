//! Guard mode's three tools: preview, execute, cancel.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use clicket_session::{ClientAnswer, ClientQuestion, Followed, Guarded, NotAllowed, Proposal, Proposing, SessionError, Shown};
use rmcp::model::{CallToolResponse, CallToolResult, InputResponses};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;

use crate::ask::{self, Way};
use crate::doors::{Doors, Opened};
use crate::fault::{Code, Fault};
use crate::input::Arguments;
use crate::serve::Call;
use crate::store::{Store, TOKEN_MS};

/// Pages of guard mode that are open at once: being opened, waiting for their token, or being left.
const PAGES_MAX: usize = 3;
/// How long a person has to answer.
const ANSWER_MS: Duration = Duration::from_secs(110);

/// The tools and what waits behind their tokens.
pub(crate) struct GuardTools {
    doors: Arc<dyn Doors>,
    places: Arc<Semaphore>,
    previews: Store<Previewed>,
    questions: Store<Asked>,
}

/// A page that waits for its token.
struct Previewed {
    opened: Opened,
    proposal: Proposal,
    place: OwnedSemaphorePermit,
}

/// A call that went back to the client with a question and waits to be repeated with its answer.
struct Asked {
    question: ClientQuestion,
    following: Following,
}

/// A link that is being followed, in a task of its own so that no client can leave it half done.
struct Following {
    work: JoinHandle<Result<Executed, SessionError>>,
    questions: mpsc::Receiver<ClientQuestion>,
    proposal: Proposal,
}

/// What came of it.
struct Executed {
    followed: Followed,
    page: Option<Shown>,
}

impl GuardTools {
    pub(crate) fn new(doors: Arc<dyn Doors>) -> Self {
        let places = Arc::new(Semaphore::new(PAGES_MAX));
        Self { doors, places, previews: Store::default(), questions: Store::default() }
    }

    pub(crate) async fn preview(&self, mut arguments: Arguments, call: &Call) -> Result<CallToolResult, Fault> {
        let (url, goal) = (arguments.url()?, arguments.goal()?);
        arguments.none_left()?;
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| full())?;
        call.progress(0.0, "opening the page").await;
        let opening = self.doors.guarded(url, goal);
        let mut work = tokio::spawn(async move {
            let mut opened = opening.await?;
            match opened.guarded.propose().await {
                Ok(proposing) => Ok((opened, proposing, place)),
                Err(error) => {
                    close(opened.guarded, "a fault").await;
                    drop(place);
                    Err(fault_of(&error))
                }
            }
        });
        let (opened, proposing, place) = tokio::select! {
            done = &mut work => done.map_err(|_| broken())??,
            () = call.cancelled() => {
                tokio::spawn(async move {
                    if let Ok(Ok((opened, _, place))) = work.await {
                        close(opened.guarded, "cancelled").await;
                        drop(place);
                    }
                });
                return Err(Fault::new(Code::Cancelled, "the call was cancelled", "Nothing was followed; call again if it is still wanted."));
            }
        };
        call.progress(1.0, "the model answered").await;
        let page = opened.guarded.page().public_form().to_owned();
        let (status, confidence, choice) = match proposing {
            Proposing::Ready(proposal) => return Ok(self.keep(opened, proposal, place, &page)),
            Proposing::Done { confidence } => ("done", confidence, "done".to_owned()),
            Proposing::Blocked { confidence } => ("blocked", confidence, "blocked".to_owned()),
            Proposing::LowConfidence { confidence, leans_to } => ("low_confidence", confidence, leans_to),
        };
        close(opened.guarded, "nothing to follow").await;
        drop(place);
        Ok(CallToolResult::structured(json!({"status": status, "sourceUrl": page, "confidence": confidence, "choice": choice})))
    }

    fn keep(&self, opened: Opened, proposal: Proposal, place: OwnedSemaphorePermit, page: &str) -> CallToolResult {
        let mut answer =
            json!({"status": "ready", "sourceUrl": page, "confidence": proposal.confidence, "action": action_of(&proposal)});
        let expires = SystemTime::now() + TOKEN_MS;
        let until = Instant::now() + TOKEN_MS;
        let token = self.previews.put(Previewed { opened, proposal, place }, until);
        let (previews, swept) = (self.previews.clone(), token.clone());
        tokio::spawn(async move {
            tokio::time::sleep_until(until.into()).await;
            if let Some(Previewed { opened, place, .. }) = previews.expire(&swept) {
                close(opened.guarded, "its time was over").await;
                drop(place);
            }
        });
        if let Some(answer) = answer.as_object_mut() {
            answer.insert("token".into(), token.into());
            answer.insert("expiresAt".into(), humantime::format_rfc3339_millis(expires).to_string().into());
        }
        CallToolResult::structured(answer)
    }

    pub(crate) async fn execute(
        &self,
        mut arguments: Arguments,
        (state, responses): (Option<String>, Option<InputResponses>),
        call: &Call,
    ) -> Result<CallToolResponse, Fault> {
        let token = arguments.token()?;
        arguments.none_left()?;
        if let Some(state) = state {
            return self.resume(&state, responses, call).await;
        }
        let way = call.way();
        if way == Way::Nothing && self.previews.holds(&token, Instant::now()) {
            return Err(Fault::new(
                Code::ApprovalUnavailable,
                "this client can't ask a person",
                "Use a client with elicitation, or `clicket guard` in a terminal. The token still works until its time is over.",
            ));
        }
        let Previewed { opened, proposal, place } = self.previews.take(&token, Instant::now())?;
        let Opened { guarded, questions } = opened;
        let work = tokio::spawn(async move {
            let executed = carry_out(guarded).await;
            drop(place);
            executed
        });
        let mut following = Following { work, questions, proposal };
        let question = tokio::select! {
            biased;
            question = following.questions.recv() => question,
            () = call.cancelled() => None,
        };
        let Some(question) = question else { return following.end(call).await };
        match way {
            Way::Request => {
                let answer = call.ask(ask::form(&question), ANSWER_MS).await;
                settle(question, answer);
                following.end(call).await
            }
            Way::Result => self.ask_by_result(question, following),
            Way::Nothing => {
                drop(question);
                following.end(call).await
            }
        }
    }

    fn ask_by_result(&self, question: ClientQuestion, following: Following) -> Result<CallToolResponse, Fault> {
        let until = Instant::now() + ANSWER_MS;
        // The state is a handle made at random and works once; everything it stands for stays here.
        let Some(shown) = ask::input_required(&question, String::new()) else { return Err(broken()) };
        let state = self.questions.put(Asked { question, following }, until);
        let (questions, swept) = (self.questions.clone(), state.clone());
        tokio::spawn(async move {
            tokio::time::sleep_until(until.into()).await;
            // Dropped, the question was answered by nobody, and the link is not followed.
            drop(questions.expire(&swept));
        });
        let shown = rmcp::model::InputRequiredResult::new(shown.input_requests, Some(state));
        Ok(CallToolResponse::InputRequired(shown))
    }

    async fn resume(&self, state: &str, responses: Option<InputResponses>, call: &Call) -> Result<CallToolResponse, Fault> {
        let Asked { question, following } = self.questions.take(state, Instant::now())?;
        settle(question, ask::answer_in(responses));
        following.end(call).await
    }

    pub(crate) async fn cancel(&self, mut arguments: Arguments) -> Result<CallToolResult, Fault> {
        let token = arguments.token()?;
        arguments.none_left()?;
        let Previewed { opened, place, .. } = self.previews.take(&token, Instant::now())?;
        close(opened.guarded, "cancelled").await;
        drop(place);
        Ok(CallToolResult::structured(json!({"status": "cancelled"})))
    }

    /// Closes everything and waits until the browsers are gone.
    pub(crate) async fn close_all(&self) {
        drop(self.questions.empty());
        for Previewed { opened, place, .. } in self.previews.empty() {
            close(opened.guarded, "the server ended").await;
            drop(place);
        }
        // Whoever holds a place has a browser.
        drop(self.places.acquire_many(u32::try_from(PAGES_MAX).unwrap_or(1)).await);
    }
}

impl Following {
    /// Waits for its end. A cancelled call has withdrawn its question; what was allowed before is done all the same.
    async fn end(self, call: &Call) -> Result<CallToolResponse, Fault> {
        let Self { work, questions, proposal } = self;
        call.progress(1.0, "following the link").await;
        let done = work.await;
        drop(questions);
        let Executed { followed, page } = done.map_err(|_| broken())?.map_err(|error| fault_of(&error))?;
        let mut answer = json!({"confidence": proposal.confidence, "action": action_of(&proposal)});
        let extra: Vec<(&str, Value)> = match followed {
            Followed::Navigated => {
                let page = page.map(|Shown { url, title, text }| json!({"url": url, "title": title, "text": text}));
                vec![("status", json!("navigated")), ("page", page.unwrap_or_default())]
            }
            Followed::Redirected { to } => vec![("status", json!("redirected")), ("redirectedTo", json!(to))],
            Followed::NotLoaded { .. } => vec![("status", json!("not_loaded"))],
            Followed::Stale { .. } => {
                return Err(Fault::new(
                    Code::StalePreview,
                    "the link is not there any more as it was shown; nothing was followed",
                    "Call the preview tool again.",
                ));
            }
            Followed::NotAllowed(why) => return Err(not_allowed(why)),
        };
        if let Some(answer) = answer.as_object_mut() {
            answer.extend(extra.into_iter().map(|(name, value)| (name.to_owned(), value)));
        }
        Ok(CallToolResult::structured(answer).into())
    }
}

/// Follows, shows and closes; the browser is gone when this returns, whatever came of it.
async fn carry_out(mut guarded: Guarded) -> Result<Executed, SessionError> {
    let followed = guarded.follow().await;
    let page = match &followed {
        Ok(Followed::Navigated) => guarded.shown().await.ok(),
        Ok(_) | Err(_) => None,
    };
    let closed = guarded.close("followed or not, once").await;
    let followed = followed?;
    closed?;
    Ok(Executed { followed, page })
}

fn settle(question: ClientQuestion, answer: Option<ClientAnswer>) {
    if let Some(answer) = answer {
        question.answer(answer);
    }
}

async fn close(guarded: Guarded, because: &'static str) {
    if let Err(error) = guarded.close(because).await {
        tracing::warn!(kind = error.kind(), "a page's record was not closed");
    }
}

fn action_of(proposal: &Proposal) -> Value {
    json!({"id": format!("link_{}", proposal.index), "label": proposal.label, "words": proposal.words,
        "destination": proposal.destination.public_form()})
}

fn full() -> Fault {
    Fault::new(Code::CapacityExceeded, "three pages are open", "Execute or cancel one of them, or wait until its time is over.")
}

fn broken() -> Fault {
    Fault::new(Code::OperationFailed, "the call broke off", "Call again; if it happens again, see `clicket doctor`.")
}

fn not_allowed(why: NotAllowed) -> Fault {
    match why {
        NotAllowed::Refused => {
            Fault::new(Code::ApprovalRefused, "the person said no; nothing was followed", "Ask what is wanted instead.")
        }
        NotAllowed::Nobody => Fault::new(
            Code::ApprovalUnanswered,
            "nobody answered; nothing was followed",
            "Call the preview tool again when a person is there.",
        ),
        NotAllowed::Policy => {
            Fault::new(Code::PolicyRefused, "the policy refuses this link", "The operator's policy decides; another link may do.")
        }
        NotAllowed::Answer => Fault::new(
            Code::ApprovalUnanswered,
            "the answer came too late or proves too little; nothing was followed",
            "Call the preview tool again.",
        ),
    }
}

/// What a session's fault is to an agent: its kind in fixed words, nothing of what a page or a server said.
pub(crate) fn fault_of(error: &SessionError) -> Fault {
    match error {
        SessionError::Journal(_) => {
            Fault::new(Code::JournalFailed, "the record can't be written, so nothing was done", "Tell the operator.")
        }
        SessionError::Browser(_) | SessionError::PageLost(_) => {
            Fault::new(Code::OperationFailed, "the page or the browser broke", "Call again.")
        }
        SessionError::Open { .. } => Fault::new(
            Code::OpenFailed,
            "the page could not be opened",
            "Check the address; the record says more to the operator.",
        ),
        SessionError::Redirected { .. } => Fault::new(
            Code::RedirectBlocked,
            "the page redirects to another address, which nobody allowed",
            "Preview the address that it leads to, if it is known.",
        ),
        SessionError::Model(_) => Fault::new(Code::ModelFailed, "the model gave no answer that can be followed", "Call again."),
        SessionError::Stopped => Fault::new(Code::Closed, "it was stopped", "Nothing was followed."),
        SessionError::Scrub(_) => Fault::new(Code::OperationFailed, "secrets can't be taken out of texts", "Tell the operator."),
    }
}

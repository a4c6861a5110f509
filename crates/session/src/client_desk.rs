//! The seam for answers that an agent's client gives: the question leaves as fixed words, and what comes back is never worth
//! more than the client's own word.

use std::sync::Arc;
use std::time::Duration;

use clicket_guard::approval::{Answered, Approver, Asking, Attendance, Decision, Ticket};
use tokio::sync::{mpsc, oneshot};

/// One question to whoever sits behind an agent's client. Every string is made by code; what is a page's is quoted in it.
#[derive(Debug)]
pub struct ClientQuestion {
    /// One sentence: what would happen.
    pub title: String,
    /// Facts, as label and text.
    pub facts: Vec<(String, String)>,
    /// Why a person is asked.
    pub because: Vec<String>,
    answer: oneshot::Sender<ClientAnswer>,
}

/// What the client says that the person answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientAnswer {
    /// Yes, once.
    Accepted,
    /// No.
    Declined,
}

impl ClientQuestion {
    /// Hands the answer in. A question that is dropped instead was answered by nobody.
    pub fn answer(self, answer: ClientAnswer) {
        // Nobody waits any more when the call was cancelled.
        let _ = self.answer.send(answer);
    }
}

/// A desk whose questions go to an agent's client; one at a time.
#[must_use]
pub fn client_desk() -> (Arc<dyn Approver>, mpsc::Receiver<ClientQuestion>) {
    let (ask, asked) = mpsc::channel(1);
    (Arc::new(ClientDesk { ask }), asked)
}

struct ClientDesk {
    ask: mpsc::Sender<ClientQuestion>,
}

impl Approver for ClientDesk {
    fn attendance(&self) -> Attendance {
        if self.ask.is_closed() { Attendance::Unattended } else { Attendance::Attended }
    }

    fn ask(&self, ticket: Ticket, wait: Duration) -> Asking<'_> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let words = ticket.words().clone();
            let question = ClientQuestion { title: words.title, facts: words.facts, because: words.because, answer };
            let asked = async {
                self.ask.send(question).await.ok()?;
                answered.await.ok()
            };
            match tokio::time::timeout(wait, asked).await {
                Ok(Some(ClientAnswer::Accepted)) => Answered::By(ticket.answer_client_attested(Decision::AllowOnce)),
                Ok(Some(ClientAnswer::Declined)) => Answered::By(ticket.answer_client_attested(Decision::Refuse)),
                Ok(None) | Err(_) => Answered::Nobody,
            }
        })
    }
}

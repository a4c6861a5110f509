//! The terminal desk: shows a ticket on the controlling terminal and reads one letter.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clicket_guard::approval::{Answered, Approver, Asking, Attendance, Decision, DeskKey, Ticket};
use tokio::sync::{Mutex, oneshot};
use tokio::time::timeout;

use crate::limits::{ASK_WAIT_MAX, ATTEMPTS_MAX, FAREWELL_WAIT, GRACE};
use crate::render::render;
use crate::terminal::{NoTerminal, Patience, Silence, Terminal};

const CHOICES: &str = "[a] allow once   [r] refuse   [s] stop the run: ";
const CHOICES_TO_REMEMBER: &str = "[a] allow once   [m] allow the like for this run   [r] refuse   [s] stop the run: ";
const TRY_AGAIN: &str = "Type one of the letters, and press Enter.\n";

/// Whether a question may be answered for the rest of the run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Once,
    OnceOrRun,
}

/// The desk on this process's controlling terminal.
///
/// Invariant: what was typed before a question stood on the screen never answers it (`typing_ahead_does_not_answer`),
/// and standard input never does (`standard_input_does_not_answer`).
pub struct TerminalDesk {
    key: DeskKey,
    terminal: Arc<Terminal>,
    /// One question at a time; whoever holds this has the screen.
    turn: Arc<Mutex<()>>,
}

impl TerminalDesk {
    /// Opens the controlling terminal. The key is the power to answer as a desk.
    ///
    /// # Errors
    /// When this process has no controlling terminal.
    pub fn open(key: DeskKey) -> Result<Self, NoTerminal> {
        Ok(Self { key, terminal: Arc::new(Terminal::open()?), turn: Arc::new(Mutex::new(())) })
    }

    async fn put(&self, ticket: Ticket, wait: Duration) -> Answered {
        let wait = wait.min(ASK_WAIT_MAX);
        let deadline = Instant::now() + wait;
        let Ok(turn) = timeout(wait, Arc::clone(&self.turn).lock_owned()).await else { return Answered::Nobody };
        let question = render(ticket.words(), self.terminal.width());
        let reach = if ticket.words().remember.is_some() { Reach::OnceOrRun } else { Reach::Once };
        let (tell, told) = oneshot::channel();
        let asker = GivesUpWhenDropped::default();
        let (terminal, given_up) = (Arc::clone(&self.terminal), Arc::clone(&asker.given_up));
        // A thread of its own: a runtime waits for its blocking tasks when it ends, and would wait for a person.
        let thread = std::thread::Builder::new().name("desk".into()).spawn(move || {
            let heard = ask_person(&terminal, (&question, reach), &Patience { deadline, given_up: &given_up });
            drop(turn);
            // The asker may be gone; then nobody wants the answer.
            let _ = tell.send(heard);
        });
        if thread.is_err() {
            return Answered::Nobody;
        }
        let left = deadline.saturating_duration_since(Instant::now()) + GRACE;
        match timeout(left, told).await {
            Ok(Ok(Ok(decision))) => Answered::By(ticket.answer(&self.key, decision)),
            Ok(Ok(Err(_)) | Err(_)) | Err(_) => Answered::Nobody,
        }
    }
}

impl Approver for TerminalDesk {
    /// Nobody sits at a terminal that listens to another job.
    fn attendance(&self) -> Attendance {
        if self.terminal.is_ours() { Attendance::Attended } else { Attendance::Unattended }
    }

    fn ask(&self, ticket: Ticket, wait: Duration) -> Asking<'_> {
        Box::pin(self.put(ticket, wait))
    }
}

/// Calls the asking off when the future that waits for it is dropped.
#[derive(Default)]
struct GivesUpWhenDropped {
    given_up: Arc<AtomicBool>,
}

impl Drop for GivesUpWhenDropped {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
    }
}

fn ask_person(terminal: &Terminal, question: (&str, Reach), patience: &Patience<'_>) -> Result<Decision, Silence> {
    let heard = Terminal::never_be_stopped().and_then(|()| converse(terminal, question, patience));
    let last_word = match heard {
        Ok(Decision::AllowOnce) => "Allowed once.\n",
        Ok(Decision::AllowAndRemember) => "Allowed, and the like of it for this run.\n",
        Ok(Decision::Refuse) => "Refused.\n",
        Ok(Decision::Stop) => "Stopped.\n",
        Err(Silence::Deadline) => "\nNobody answered in time, so it is not allowed.\n",
        Err(Silence::GivenUp) => "\nThe question was withdrawn.\n",
        Err(Silence::Background | Silence::Gone) => return heard,
    };
    let farewell = Patience { deadline: Instant::now() + FAREWELL_WAIT, given_up: &AtomicBool::new(false) };
    // The answer stands whether or not its echo could be shown.
    let _ = terminal.say(last_word, &farewell);
    heard
}

fn converse(terminal: &Terminal, (question, reach): (&str, Reach), patience: &Patience<'_>) -> Result<Decision, Silence> {
    let choices = if reach == Reach::OnceOrRun { CHOICES_TO_REMEMBER } else { CHOICES };
    terminal.say(&format!("\n{question}"), patience)?;
    for attempt in 1..=ATTEMPTS_MAX {
        terminal.forget_input()?;
        terminal.say(choices, patience)?;
        if let Some(decision) = decision_in(&terminal.hear(patience)?, reach) {
            return Ok(decision);
        }
        if attempt < ATTEMPTS_MAX {
            terminal.say(TRY_AGAIN, patience)?;
        }
    }
    terminal.say("That was no answer three times. ", patience)?;
    Ok(Decision::Refuse)
}

fn decision_in(line: &str, reach: Reach) -> Option<Decision> {
    match line.trim() {
        "a" | "A" => Some(Decision::AllowOnce),
        "m" | "M" if reach == Reach::OnceOrRun => Some(Decision::AllowAndRemember),
        "r" | "R" => Some(Decision::Refuse),
        "s" | "S" => Some(Decision::Stop),
        _ => None,
    }
}

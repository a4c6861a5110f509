//! Waits at the controlling terminal until a person says that they are done with something they do themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::terminal::{NoTerminal, Patience, Terminal};

/// Whether the person came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandedBack {
    /// They pressed Enter.
    ByPerson,
    /// They did not in time, or the terminal is gone or listens to another job.
    Never,
}

/// The place where a person hands back what was handed to them.
///
/// Invariant: it reads the controlling terminal and never standard input, so that whoever owns this process's pipes can't say that a
/// person is done.
pub struct HandBackDesk {
    terminal: Arc<Terminal>,
}

impl HandBackDesk {
    /// Opens the controlling terminal.
    ///
    /// # Errors
    /// When this process has none.
    pub fn open() -> Result<Self, NoTerminal> {
        Ok(Self { terminal: Arc::new(Terminal::open()?) })
    }

    /// Says `words` and waits for Enter, at most `wait`. What was typed before the words were said counts for nothing.
    pub async fn wait_for_enter(&self, words: &str, wait: Duration) -> HandedBack {
        let asker = GivesUp::default();
        let (tell, told) = oneshot::channel();
        let (terminal, given_up, words) = (Arc::clone(&self.terminal), Arc::clone(&asker.0), words.to_owned());
        // A thread of its own: a runtime waits for its blocking tasks when it ends, and would wait for a person.
        let thread = std::thread::Builder::new().name("hand-back".into()).spawn(move || {
            let patience = Patience { deadline: Instant::now() + wait, given_up: &given_up };
            let heard = Terminal::never_be_stopped()
                .and_then(|()| terminal.say(&words, &patience))
                .and_then(|()| terminal.forget_input())
                .and_then(|()| terminal.hear(&patience));
            // The asker may be gone; then nobody wants the answer.
            let _ = tell.send(heard.is_ok());
        });
        match thread {
            Ok(_) if told.await == Ok(true) => HandedBack::ByPerson,
            Ok(_) | Err(_) => HandedBack::Never,
        }
    }
}

/// Calls the wait off when the future that waits is dropped.
#[derive(Default)]
struct GivesUp(Arc<AtomicBool>);

impl Drop for GivesUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

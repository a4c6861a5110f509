//! `clicket mcp`: serves an agent's client on standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use clicket_guard::address;
use clicket_guard::web::WebUrl;
use clicket_server::{Code, Doors, Ended, Fault, Opened, Opening};
use clicket_session::{SessionError, client_desk};
use tokio::sync::Notify;

use crate::args::{GuardedArgs, McpArgs};
use crate::failure::Failure;
use crate::guard_command::{self, NotOpened};
use crate::screen::Screen;
use crate::{log, policy_command, run_command, wiring};

pub(crate) async fn mcp(args: McpArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    log::start(&args.log)?;
    // What is wrong with the operator's own options is said now, not at the first call.
    guard_command::check(&args.guarded)?;
    policy_command::read(args.guarded.policy.as_deref())?;
    wiring::decider(&args.guarded.model)?;
    wiring::reap(screen)?;
    for seam in wiring::seams(&args.guarded.browser) {
        screen.live(&seam);
    }
    let stop = Arc::new(Notify::new());
    run_command::watch_for_interrupt(&stop);
    let doors: Arc<dyn Doors> = Arc::new(Wired { args: Arc::new(args.guarded) });
    let ended = clicket_server::serve(doors, (tokio::io::stdin(), tokio::io::stdout()), stop.notified()).await;
    match ended {
        Ok(Ended::InOrder) => Ok(ExitCode::SUCCESS),
        Ok(Ended::Late) => Err(Failure::fault("a browser did not end in time; the next start cleans up after it")),
        Err(error) => Err(Failure::fault(format!("the client does not speak the protocol: {error}"))),
    }
}

struct Wired {
    args: Arc<GuardedArgs>,
}

impl Doors for Wired {
    fn guarded(&self, url: String, goal: String) -> Opening {
        let args = Arc::clone(&self.args);
        Box::pin(async move {
            let start = WebUrl::read(&url).map_err(|_| rejected("the address can't be read"))?;
            let is_local = args.browser.local_origins.iter().any(|origin| *origin == start.origin().to_string());
            if !is_local && start.url().scheme() != "https" {
                return Err(rejected("the address is not https"));
            }
            if !is_local && address::refuse_name(start.host()).is_some() {
                return Err(rejected("the name is one that is never looked up"));
            }
            if !is_local && start.address().is_some_and(|ip| !address::classify(ip).is_public()) {
                return Err(rejected("the address is one that is never dialled"));
            }
            let (desk, questions) = client_desk();
            let stop = Arc::new(Notify::new());
            let opened = guard_command::open(start, goal, &args, desk, stop).await;
            opened.map(|guarded| Opened { guarded, questions }).map_err(|why| fault_of(&why))
        })
    }
}

fn rejected(why: &str) -> Fault {
    Fault::new(Code::UrlRejected, why, "Give a public https address.")
}

fn fault_of(why: &NotOpened) -> Fault {
    match why {
        NotOpened::Before(failure) if failure.code() == 2 => rejected("the address is not one that may be opened"),
        NotOpened::Before(failure) => {
            tracing::error!(%failure, "a page was not opened");
            Fault::new(Code::BrowserUnavailable, "the browser can't be started", "Run `clicket doctor` and do what it says.")
        }
        NotOpened::Session(SessionError::Journal(_)) => {
            Fault::new(Code::JournalFailed, "the record can't be written, so nothing was done", "Tell the operator.")
        }
        NotOpened::Session(SessionError::Redirected { .. }) => Fault::new(
            Code::RedirectBlocked,
            "the page redirects to another address, which nobody allowed",
            "Preview the address that it leads to, if it is known.",
        ),
        NotOpened::Session(_) => Fault::new(
            Code::OpenFailed,
            "the page could not be opened",
            "Check the address; the journal says more to the operator.",
        ),
    }
}

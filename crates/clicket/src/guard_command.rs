//! `clicket guard`: one link at a time with page scripts off, each allowed at this terminal; and what opens such a page.

use std::process::ExitCode;
use std::sync::Arc;

use clicket_egress::Documents;
use clicket_guard::approval::{Approver, Attendance};
use clicket_guard::policy::Policy;
use clicket_guard::untrusted::PageText;
use clicket_guard::web::WebUrl;
use clicket_journal::Journal;
use clicket_session::{Budgets, Followed, Guarded, NotAllowed, Parts, Proposing, RunConfig, SessionError, Silent};
use tokio::sync::Notify;

use crate::args::{GuardArgs, GuardedArgs};
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{grants, journal_command, log, policy_command, run_command, wiring};

/// Characters of a page's text that are printed at the end.
const TEXT_CHARS_MAX: usize = 600;

/// Why a page was not opened in guard mode.
pub(crate) enum NotOpened {
    /// Before there was a browser: the address, an option, the browser itself.
    Before(Failure),
    /// The session says why.
    Session(SessionError),
}

impl From<Failure> for NotOpened {
    fn from(failure: Failure) -> Self {
        Self::Before(failure)
    }
}

/// What guard mode promises ends where nobody looks in.
pub(crate) fn check(args: &GuardedArgs) -> Result<(), Failure> {
    match args.browser.tunnels.first() {
        Some(origin) => Err(Failure::usage(format!(
            "--dangerously-tunnel {origin}: in guard mode every request is looked at; leave it out, or use `clicket run`"
        ))),
        None => Ok(()),
    }
}

/// Opens a page in guard mode.
pub(crate) async fn open(
    start: WebUrl,
    goal: String,
    args: &GuardedArgs,
    approver: Arc<dyn Approver>,
    stop: Arc<Notify>,
) -> Result<Guarded, NotOpened> {
    check(args)?;
    let (decider, model_id) = wiring::decider(&args.model)?;
    let mut policy: Policy = policy_command::read(args.policy.as_deref())?;
    policy.decided_by(wiring::backend(&args.model));
    policy.forbid_downloads();
    let folder = journal_command::folder(args.journal.clone())?;
    let key = journal_command::signing_key(args.journal_key.clone())?;
    let run = run_command::new_run();
    let journal =
        Journal::create_signed(&folder, &run, key).map_err(|error| Failure::fault(format!("{error}; nothing was done")))?;
    let supplies = wiring::Supplies {
        documents: Documents::OneAtATime,
        attendance: Some(Attendance::Attended),
        ..wiring::Supplies::default()
    };
    let road = match wiring::open_road(&start, &args.browser, supplies).await {
        Ok(road) => road,
        Err(failure) => {
            drop(journal.seal(run_command::unix_ms(), "not started"));
            return Err(failure.into());
        }
    };
    let parts = Parts {
        browser: road.browser,
        edge: road.edge,
        edge_events: road.events,
        decider,
        approver,
        watch: Arc::new(Silent),
        stop,
        journal,
        nonce: wiring::nonce(),
        keeper: None,
    };
    let config = RunConfig {
        start,
        goal,
        values: Vec::new(),
        files: Vec::new(),
        secrets: Vec::new(),
        expectations: Vec::new(),
        policy,
        model_id,
        budgets: Budgets::default(),
        earlier: Vec::new(),
        tunnelled: Vec::new(),
        seams: wiring::seams(&args.browser),
    };
    Guarded::open(parts, config).await.map_err(NotOpened::Session)
}

pub(crate) async fn guard(args: GuardArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    log::start(&args.log)?;
    let start = grants::start(&args.url)?;
    if args.goal.trim().is_empty() {
        return Err(Failure::usage("--goal is empty: say what is wanted"));
    }
    wiring::reap(screen)?;
    for seam in wiring::seams(&args.guarded.browser) {
        screen.live(&seam);
    }
    let stop = Arc::new(Notify::new());
    run_command::watch_for_interrupt(&stop);
    let approver = run_command::desk();
    let opened = open(start, args.goal.clone(), &args.guarded, approver, Arc::clone(&stop)).await;
    let mut guarded = opened.map_err(|why| match why {
        NotOpened::Before(failure) => failure,
        NotOpened::Session(error) => Failure::fault(error),
    })?;
    screen.live(&format!("{} is open, page scripts off", guarded.page().public_form()));
    let ended = tokio::select! {
        ended = follow_links(&mut guarded, args.links, screen) => ended,
        () = stop.notified() => Ok(ExitCode::from(130)),
    };
    guarded.close("the terminal session ended").await.map_err(Failure::fault)?;
    ended
}

/// Follows links until the model has none to follow, somebody says no, or there were enough.
async fn follow_links(guarded: &mut Guarded, links: u32, screen: &Screen) -> Result<ExitCode, Failure> {
    let handed_back = ExitCode::from(3);
    for _ in 0..links {
        let proposal = match guarded.propose().await.map_err(Failure::fault)? {
            Proposing::Ready(proposal) => proposal,
            Proposing::Done { confidence } => {
                screen.out(&format!("unverified the model says that the goal is reached here (confidence {confidence:.2})"));
                show(guarded, screen).await?;
                return Ok(ExitCode::from(4));
            }
            Proposing::Blocked { .. } => {
                screen.out("handed_back no link that may be offered helps");
                show(guarded, screen).await?;
                return Ok(handed_back);
            }
            Proposing::LowConfidence { confidence, leans_to } => {
                screen.out(&format!("handed_back the model is not sure enough ({confidence:.2}); it leans to {leans_to}"));
                return Ok(handed_back);
            }
        };
        screen.live(&format!(
            "next: {} to {} (confidence {:.2})",
            proposal.words,
            proposal.destination.public_form(),
            proposal.confidence
        ));
        match guarded.follow().await.map_err(Failure::fault)? {
            Followed::Navigated => screen.live(&format!("at {}", guarded.page().public_form())),
            other => {
                screen.out(&format!("handed_back {}", in_words(&other)));
                return Ok(handed_back);
            }
        }
    }
    show(guarded, screen).await?;
    Ok(ExitCode::SUCCESS)
}

fn in_words(followed: &Followed) -> String {
    match followed {
        Followed::Navigated => "the page that was allowed is shown".into(),
        Followed::Stale { what } => format!("its {what} changed since it was shown; nothing was followed"),
        Followed::NotAllowed(NotAllowed::Refused) => "a person said no; nothing was followed".into(),
        Followed::NotAllowed(NotAllowed::Nobody) => {
            "a person must allow each link and nobody answered; run it at a terminal".into()
        }
        Followed::NotAllowed(NotAllowed::Policy) => "the policy refuses it".into(),
        Followed::NotAllowed(NotAllowed::Answer) => "the answer came too late; nothing was followed".into(),
        Followed::Redirected { to } => {
            format!("the site redirects to {to}, which nobody allowed; open that address if it is meant")
        }
        Followed::NotLoaded { why } => format!("no page came: {why}"),
    }
}

async fn show(guarded: &mut Guarded, screen: &Screen) -> Result<(), Failure> {
    let shown = guarded.shown().await.map_err(Failure::fault)?;
    let text: String = shown.text.chars().take(TEXT_CHARS_MAX).collect();
    screen.out(&format!("  at         {}", shown.url));
    screen.out(&format!("  title      {}", PageText::plain(&shown.title).for_person()));
    screen.out(&format!("  text       {}", PageText::plain(&text).for_person()));
    Ok(())
}

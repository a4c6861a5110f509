//! `clicket observe` and `clicket origins`: one look at a page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clicket_egress::{Outcome, RefuseReason};
use clicket_guard::observation::Control;
use clicket_guard::offer::Operation;
use clicket_guard::policy::Policy;
use clicket_guard::reach::Remedy;
use clicket_guard::web::WebUrl;
use clicket_journal::{Journal, RunId};
use clicket_session::{Budgets, Look, Parts, RunConfig, Silent};
use serde_json::json;
use tokio::sync::Notify;

use crate::args::{BrowserArgs, ObserveArgs, OriginsArgs};
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{grants, run_command, wiring};

/// A look takes no longer than this.
const LOOK_MS: u64 = 60_000;

async fn look(url: &str, browser: &BrowserArgs, screen: &Screen) -> Result<Look, Failure> {
    let start = grants::start(url)?;
    // A look does nothing that must outlive it: its record goes with it.
    let folder = tempfile::tempdir().map_err(|error| Failure::fault(format!("no temporary folder: {error}")))?;
    let run = RunId::new(run_command::unix_ms(), rand::random());
    let journal = Journal::create(folder.path(), &run).map_err(Failure::fault)?;
    let stop = Arc::new(Notify::new());
    run_command::watch_for_interrupt(&stop);
    wiring::reap(screen)?;
    let supplies = wiring::Supplies { sockets: wiring::sockets(browser)?, ..wiring::Supplies::default() };
    let road = wiring::open_road(&start, browser, supplies).await?;
    let parts = Parts {
        browser: road.browser,
        edge: road.edge,
        edge_events: road.events,
        decider: wiring::decider("reflex")?.0,
        approver: Arc::new(clicket_console::Unattended),
        watch: Arc::new(Silent),
        stop,
        journal,
        nonce: wiring::nonce(),
        keeper: None,
    };
    clicket_session::look(parts, config(start, browser)?).await.map_err(Failure::fault)
}

fn config(start: WebUrl, browser: &BrowserArgs) -> Result<RunConfig, Failure> {
    Ok(RunConfig {
        start,
        goal: String::new(),
        values: Vec::new(),
        files: Vec::new(),
        secrets: Vec::new(),
        expectations: Vec::new(),
        policy: Policy::shipped().map_err(Failure::fault)?,
        model_id: "none".to_owned(),
        budgets: Budgets { time_ms: LOOK_MS, ..Budgets::default() },
        earlier: Vec::new(),
        tunnelled: wiring::tunnels(browser)?,
        seams: wiring::seams(browser),
    })
}

pub(crate) async fn observe(args: ObserveArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    let look = look(&args.url, &args.browser, screen).await?;
    save(args.screenshot, look.picture.as_deref())?;
    if args.json {
        screen.out(&serde_json::to_string(&look.seen).unwrap_or_default());
        return Ok(ExitCode::SUCCESS);
    }
    let seen = &look.seen;
    screen.out(&format!("{}  {}", seen.title.for_person(), seen.url));
    let unread = match seen.unreadable_frames {
        0 => String::new(),
        frames => format!(", {frames} frames not read"),
    };
    screen.out(&format!("{} controls, {} not listed, {} elements{unread}", seen.controls.len(), seen.omitted, seen.nodes));
    for control in &seen.controls {
        screen.out(&format!("  {}", row(control)));
    }
    let operations: Vec<&str> = look.offer.operations().into_iter().map(Operation::name).collect();
    screen.out(&format!("possible now: {}", operations.join(", ")));
    Ok(ExitCode::SUCCESS)
}

/// One control: where it is, what it is, what it holds.
fn row(control: &Control) -> String {
    let place = if control.in_viewport { ' ' } else { '\u{2193}' };
    let mut line = format!("{place} {}", control.in_words());
    if let Some(value) = control.value.as_ref().filter(|value| !value.is_empty()) {
        line.push_str(&format!(" = {}", value.for_person()));
    }
    if control.secret_field {
        line.push_str(if control.filled { " (secret, filled)" } else { " (secret, empty)" });
    }
    if !control.href.is_empty() {
        line.push_str(&format!(" \u{2192} {}", clicket_guard::untrusted::PageText::plain(&control.href).for_person()));
    }
    if control.disabled {
        line.push_str(" (disabled)");
    }
    if let Some(cover) = &control.covered_by {
        line.push_str(&format!(" (covered by {})", cover.for_person()));
    }
    line
}

fn save(file: Option<PathBuf>, picture: Option<&[u8]>) -> Result<(), Failure> {
    match (file, picture) {
        (Some(file), Some(picture)) => {
            run_command::private(&file, picture).map_err(|error| Failure::fault(format!("{}: {error}", file.display())))
        }
        (Some(file), None) => Err(Failure::fault(format!("no picture could be taken for {}", file.display()))),
        (None, _) => Ok(()),
    }
}

pub(crate) async fn origins(args: OriginsArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    let look = look(&args.url, &args.browser, screen).await?;
    let mut by_origin: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for record in &look.requests {
        let origin =
            url::Url::parse(&record.url).map(|url| url.origin().ascii_serialization()).unwrap_or_else(|_| "unreadable".into());
        if let Outcome::Refused(RefuseReason::Reach(reason)) = record.outcome {
            match reason.remedy() {
                Remedy::List => drop(wanted.insert(format!("--origin {origin}"))),
                Remedy::Socket => drop(wanted.insert(format!("--socket {}", clicket_guard::socket::spelled(&origin)))),
                Remedy::Nothing => {}
            }
        }
        *by_origin.entry(origin).or_default().entry(said(record.outcome)).or_default() += 1;
    }
    if args.json {
        screen.out(&json!({"url": look.seen.url, "origins": by_origin}).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    for (origin, outcomes) in &by_origin {
        let counted: Vec<String> = outcomes.iter().map(|(said, count)| format!("{count} {said}")).collect();
        screen.out(&format!("{origin}: {}", counted.join(", ")));
    }
    if wanted.is_empty() {
        screen.out("nothing to list: the page needs no origin but its own site and public files");
    }
    for option in wanted {
        screen.out(&format!("to list it: {option}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn said(outcome: Outcome) -> String {
    match outcome {
        Outcome::Passed => "passed".into(),
        Outcome::HeldReleased => "released".into(),
        Outcome::HeldRefused(_) => "writes stopped".into(),
        Outcome::Tunnelled => "tunnels that were not looked into".into(),
        Outcome::Refused(RefuseReason::Reach(reason)) => format!("stopped: {}", reason.words()),
        Outcome::Refused(reason) => format!("stopped: {}", serde_json::to_value(reason).unwrap_or_default()),
        Outcome::Failed(kind) => format!("failed: {}", serde_json::to_value(kind).unwrap_or_default()),
    }
}

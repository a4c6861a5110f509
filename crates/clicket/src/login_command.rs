//! `clicket login`: a person signs in, and `run --profile NAME` is signed in from then on.

use std::process::ExitCode;
use std::sync::Arc;

use clicket_chromium::{Headed, PageWatch};
use clicket_console::{HandBackDesk, HandedBack};
use clicket_egress::BlindTo;
use clicket_guard::web::Scheme;
use clicket_journal::{Journal, RunId};
use clicket_session::{LOGIN_WAIT, LoginParts, LoginReport};
use tokio::sync::Notify;

use crate::args::LoginArgs;
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{grants, journal_command, profile_command, run_command, wiring};

/// What the person reads at the terminal.
const WORDS: &str = "\nSign in in the browser's window. Until you are done, Clicket looks into nothing that goes to the sites named above.\nPress Enter here when you are signed in; Ctrl-C keeps nothing. ";

pub(crate) async fn login(args: LoginArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    let start = grants::start(&args.url)?;
    if start.origin().scheme() != Scheme::Https {
        return Err(Failure::usage("clicket login needs an https address: without TLS a password would be seen on its way"));
    }
    if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
        return Err(Failure::usage(
            "clicket login shows a window, and there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set",
        ));
    }
    let desk = HandBackDesk::open().map_err(Failure::usage)?;
    let (profile, cookies) = profile_command::hold(Some(&args.profile))?;
    let keeper = profile_command::keeper(profile).ok_or_else(|| Failure::fault("the profile is gone"))?;
    let folder = journal_command::folder(args.journal.clone())?;
    let key = journal_command::signing_key(args.journal_key.clone())?;
    let stop = Arc::new(Notify::new());
    run_command::watch_for_interrupt(&stop);
    let run = RunId::new(run_command::unix_ms(), rand::random());
    let journal = Journal::create_signed(&folder, &run, key).map_err(Failure::fault)?;
    wiring::reap(screen)?;
    let supplies = wiring::Supplies {
        cookies,
        blind: Some(BlindTo::Listed),
        headed: Some(Headed::Yes),
        watch: PageWatch::Nothing,
        ..wiring::Supplies::default()
    };
    let road = match wiring::open_road(&start, &args.browser, supplies).await {
        Ok(road) => road,
        Err(failure) => {
            drop(journal.seal(run_command::unix_ms(), "not started"));
            return Err(failure);
        }
    };
    let mut seams = wiring::seams(&args.browser);
    seams.push(format!("login: connections to {} and what is listed are not inspected until it is handed back", start.origin()));
    for seam in &seams {
        screen.live(&format!("    seam: {seam}"));
    }
    let parts = LoginParts {
        browser: road.browser,
        edge: road.edge,
        edge_events: road.events,
        start,
        handed_back: Box::pin(async move { desk.wait_for_enter(WORDS, LOGIN_WAIT).await == HandedBack::ByPerson }),
        stop,
        journal,
        keeper,
        seams,
    };
    let report = clicket_session::login(parts).await.map_err(Failure::fault)?;
    Ok(print(&args.profile, &report, screen))
}

fn print(profile: &str, report: &LoginReport, screen: &Screen) -> ExitCode {
    for origin in &report.refused {
        screen.out(&format!("  refused    {origin}; if signing in needs it: --origin {origin}"));
    }
    if let Some(why) = &report.not_kept {
        screen.out(&format!("nothing was kept: {why}"));
        return ExitCode::from(3);
    }
    if report.cookies == 0 {
        screen.out(&format!("no site had set a cookie: the profile {profile} is empty"));
        return ExitCode::from(3);
    }
    screen.out(&format!("kept {} cookies of {} in the profile {profile}", report.cookies, report.domains.join(", ")));
    screen.out(&format!("  next       clicket run URL --goal \"…\" --profile {profile}"));
    ExitCode::SUCCESS
}

//! `clicket doctor`: looks for what a run needs, starts a browser behind an edge, and says what to do.

use std::process::ExitCode;

use clicket_chromium::{Confinement, LeaseFound};
use clicket_guard::web::WebUrl;

use crate::args::{BrowserArgs, DoctorArgs, ReachKind};
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{journal_command, wiring};

/// One finding.
enum Finding {
    Good(String),
    Notice(String),
    Bad(String),
}

pub(crate) async fn doctor(args: DoctorArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    let mut findings = vec![journal(&args), system()];
    findings.extend(leases(&args));
    findings.extend(browser(&args).await);
    let mut bad = false;
    for finding in findings {
        let (mark, text) = match finding {
            Finding::Good(text) => ("ok    ", text),
            Finding::Notice(text) => ("notice", text),
            Finding::Bad(text) => {
                bad = true;
                ("WRONG ", text)
            }
        };
        screen.out(&format!("{mark}  {text}"));
    }
    Ok(if bad { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn journal(args: &DoctorArgs) -> Finding {
    let folder = match journal_command::folder(args.journal.clone()) {
        Ok(folder) => folder,
        Err(failure) => return Finding::Bad(format!("journal: {failure}")),
    };
    let made = std::fs::create_dir_all(&folder).and_then(|()| tempfile::NamedTempFile::new_in(&folder));
    match made {
        Ok(_) => Finding::Good(format!("journal: {} can be written", folder.display())),
        Err(error) => Finding::Bad(format!(
            "journal: {} can't be written ({error}); make it writable or give --journal DIR",
            folder.display()
        )),
    }
}

/// Browsers of this user: under way, and left over.
fn leases(args: &DoctorArgs) -> Vec<Finding> {
    let folder = match wiring::leases() {
        Ok(folder) => folder,
        Err(failure) => return vec![Finding::Bad(format!("leases: {failure}"))],
    };
    let mut findings = Vec::new();
    if args.reap {
        findings.extend(folder.reap().iter().map(|reaped| {
            let words = format!("left over: {}", wiring::reaped_in_words(reaped));
            if reaped.clean { Finding::Good(words) } else { Finding::Bad(words) }
        }));
    }
    findings.extend(folder.list().into_iter().map(|found| match found {
        LeaseFound::Held { by, profile } => Finding::Good(format!("under way: process {by}, {}", profile.display())),
        LeaseFound::LeftOver { profile, processes } => Finding::Notice(format!(
            "left over from a run that was killed: {processes} processes, {}; the next run or `clicket doctor --reap` ends them",
            profile.display()
        )),
        LeaseFound::Unproven { file } => Finding::Notice(format!(
            "left over: {} proves nothing, so nothing is done about it; remove it by hand if it is not needed",
            file.display()
        )),
    }));
    if findings.is_empty() {
        findings.push(Finding::Good("leases: no browser under way and nothing left over".into()));
    }
    findings
}

fn system() -> Finding {
    if cfg!(target_os = "linux") {
        Finding::Good("system: Linux".into())
    } else {
        Finding::Notice(format!("system: {}: only the proxy confines the browser here", std::env::consts::OS))
    }
}

async fn browser(args: &DoctorArgs) -> Vec<Finding> {
    let binary = match clicket_chromium::find(args.chromium.as_deref()) {
        Ok(binary) => binary,
        Err(error) => return vec![Finding::Bad(format!("browser: {error}"))],
    };
    let mut findings = vec![Finding::Good(format!("browser: {}", binary.display()))];
    // Nothing is opened: the address is only what the edge would start from.
    let Ok(start) = WebUrl::read("https://clicket.invalid/") else { return findings };
    let road = BrowserArgs {
        reach: ReachKind::Strict,
        sites: Vec::new(),
        origins: Vec::new(),
        local_origins: Vec::new(),
        sockets: Vec::new(),
        socket_sends: Vec::new(),
        tunnels: Vec::new(),
        host_map: Vec::new(),
        trust_ca: Vec::new(),
        no_sandbox: false,
        no_namespace: false,
        require_namespace: false,
        headed: false,
        chromium: args.chromium.clone(),
        browser_user: args.browser_user.clone(),
    };
    match wiring::open_road(&start, &road, wiring::Supplies::default()).await {
        Ok(road) => {
            findings
                .push(Finding::Good(format!("start: {} came up behind the edge with its sandbox on", road.browser.version())));
            let words = format!("confinement: {}", road.browser.confinement().in_words());
            findings.push(match road.browser.confinement() {
                Confinement::System => Finding::Good(words),
                Confinement::ProxyOnly { .. } => Finding::Notice(words),
            });
            road.browser.close().await;
            road.edge.close().await;
        }
        Err(failure) => findings.push(Finding::Bad(format!("start: {failure}"))),
    }
    findings
}

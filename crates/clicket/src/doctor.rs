//! `clicket doctor`: looks for what a run needs, starts a browser behind an edge, and says what to do.

use std::process::ExitCode;

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
    findings.extend(browser(&args).await);
    findings.push(Finding::Notice(
        "confinement: by the proxy only. The browser's flags leave it one road out; no network namespace stands behind them yet"
            .into(),
    ));
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
        host_map: Vec::new(),
        trust_ca: Vec::new(),
        no_sandbox: false,
        headed: false,
        chromium: args.chromium.clone(),
        browser_user: args.browser_user.clone(),
    };
    match wiring::open_road(&start, &road, 0).await {
        Ok(road) => {
            findings
                .push(Finding::Good(format!("start: {} came up behind the edge with its sandbox on", road.browser.version())));
            road.browser.close().await;
            road.edge.close().await;
        }
        Err(failure) => findings.push(Finding::Bad(format!("start: {failure}"))),
    }
    findings
}

//! `clicket run`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clicket_chromium::SuppliedFile;
use clicket_console::{TerminalDesk, Unattended};
use clicket_egress::DownloadFolder;
use clicket_guard::approval::{Approver, DeskKey};
use clicket_guard::policy::{Policy, RequestPattern};
use clicket_guard::socket::{Sends, SocketGrant};
use clicket_guard::web::WebUrl;
use clicket_journal::{Journal, JournalError, RunId};
use clicket_session::{Budgets, EarlierWrite, EarlierWrites, Expectation, Parts, RunConfig, RunReport, Silent, Watch};
use tokio::sync::Notify;

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{files, grants, journal_command, log, policy_command, profile_command, wiring};

pub(crate) async fn run(args: RunArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    log::start(&args.log)?;
    let start = grants::start(&args.url)?;
    let (decider, model_id) = wiring::decider(&args.model)?;
    let files = files::read(&args.files)?;
    let mut config = config(&args, &start, model_id, &files)?;
    check_picture_place(args.screenshot.as_deref())?;
    let downloads = downloads(&args)?;
    let folder = journal_command::folder(args.journal.clone())?;
    let (profile, cookies) = profile_command::hold(args.profile.as_deref())?;
    let stop = Arc::new(Notify::new());
    watch_for_interrupt(&stop);
    let run = new_run();
    let nothing_done = |error: &dyn std::fmt::Display| Failure::fault(format!("{error}; nothing was done"));
    let key = journal_command::signing_key(args.journal_key.clone())?;
    config.earlier = earlier(&folder, screen).map_err(|error| nothing_done(&error))?;
    let journal = Journal::create_signed(&folder, &run, key).map_err(|error| nothing_done(&error))?;
    wiring::reap(screen)?;
    let approver = desk();
    let supplies = wiring::Supplies {
        cookies,
        downloads,
        upload_bytes: files::bytes(&files),
        sockets: config.policy.sockets().to_vec(),
        attendance: Some(approver.attendance()),
        ..wiring::Supplies::default()
    };
    let mut road = match wiring::open_road(&start, &args.browser, supplies).await {
        Ok(road) => road,
        Err(failure) => {
            // The record says that nothing happened.
            drop(journal.seal(unix_ms(), "not started"));
            return Err(failure);
        }
    };
    road.browser.supply_files(files);
    let watch: Arc<dyn Watch> = if args.json { Arc::new(Silent) } else { Arc::new(*screen) };
    let parts = Parts {
        browser: road.browser,
        edge: road.edge,
        edge_events: road.events,
        decider,
        approver,
        watch,
        stop,
        journal,
        nonce: wiring::nonce(),
        keeper: profile_command::keeper(profile),
    };
    let report = clicket_session::run(parts, config).await.map_err(Failure::fault)?;
    let picture = save_picture(&args, &folder, &report)?;
    print_end(&args, &report, picture.as_deref(), screen);
    Ok(ExitCode::from(report.end.exit_code()))
}

/// Writes that earlier runs left unknown; what can't be read is said, because it may hold one.
fn earlier(folder: &Path, screen: &Screen) -> Result<Vec<EarlierWrite>, JournalError> {
    let EarlierWrites { writes, unread } = clicket_session::earlier_writes(folder, unix_ms())?;
    for path in unread {
        screen.live(&format!(
            "notice: {} can't be read in full, so a write it left unknown would not be noticed; `clicket journal verify` says what is wrong",
            path.display()
        ));
    }
    Ok(writes)
}

fn config(args: &RunArgs, start: &WebUrl, model_id: String, files: &[SuppliedFile]) -> Result<RunConfig, Failure> {
    if args.goal.trim().is_empty() {
        return Err(Failure::usage("--goal is empty: say what is wanted, step by step"));
    }
    let mut policy: Policy = policy_command::read(args.policy.as_deref())?;
    policy.decided_by(wiring::backend(&args.model));
    for pattern in &args.allow {
        let pattern = RequestPattern::parse(pattern).map_err(|why| Failure::usage(format!("--allow: {why}")))?;
        policy.allow_write(pattern, start.origin());
    }
    for pattern in &args.allow_upload {
        let pattern = RequestPattern::parse(pattern).map_err(|why| Failure::usage(format!("--allow-upload: {why}")))?;
        policy.allow_upload(pattern, start.origin());
    }
    for text in &args.accept_dialog {
        policy.accept_dialog(grants::dialog(text)?, start.origin());
    }
    for grant in wiring::sockets(&args.browser)? {
        policy.grant_socket(grant);
    }
    if args.downloads.is_none() {
        policy.forbid_downloads();
    }
    if !(0.0..=1_000.0).contains(&args.money) {
        return Err(Failure::usage("--money must be between 0 and 1000 US dollars"));
    }
    let sockets = policy.sockets().to_vec();
    Ok(RunConfig {
        start: start.clone(),
        goal: args.goal.clone(),
        values: grants::values(&args.values)?,
        files: files.iter().map(|file| file.source.clone()).collect(),
        secrets: grants::secrets(&args.secrets, start)?,
        expectations: expectations(args)?,
        policy,
        model_id,
        budgets: Budgets { steps: args.steps, time_ms: args.time.saturating_mul(1_000), usd: args.money, ..Budgets::default() },
        earlier: Vec::new(),
        tunnelled: wiring::tunnels(&args.browser)?,
        seams: seams(args, &sockets),
    })
}

fn seams(args: &RunArgs, sockets: &[SocketGrant]) -> Vec<String> {
    let profile = args.profile.iter().map(|name| {
        format!("--profile {name}: the browser is signed in where earlier runs with this name were, and its cookies are kept")
    });
    let sending = sockets.iter().filter(|grant| grant.sends == Sends::Everything).map(|grant| {
        format!("sockets to {}: what a page sends over them is counted, and neither held nor shown", grant.spelled())
    });
    wiring::seams(&args.browser).into_iter().chain(sending).chain(profile).collect()
}

fn downloads(args: &RunArgs) -> Result<Option<DownloadFolder>, Failure> {
    let open = |path: &std::path::PathBuf| {
        DownloadFolder::open(path, args.download_bytes)
            .map_err(|why| Failure::usage(format!("--downloads {}: {why}", path.display())))
    };
    args.downloads.as_ref().map(open).transpose()
}

fn expectations(args: &RunArgs) -> Result<Vec<Expectation>, Failure> {
    let urls = args.expect_url.iter().map(|part| ("--expect-url", Expectation::url(part)));
    let texts = args.expect_text.iter().map(|text| ("--expect-text", Expectation::text(text)));
    let requests = args.expect_request.iter().map(|pattern| ("--expect-request", Expectation::request(pattern)));
    let files = args.expect_download.iter().map(|pattern| ("--expect-download", Expectation::download(pattern)));
    urls.chain(texts)
        .chain(requests)
        .chain(files)
        .map(|(option, read)| read.map_err(|why| Failure::usage(format!("{option}: {why}"))))
        .collect()
}

/// The terminal if there is one; otherwise nobody can be asked.
pub(crate) fn desk() -> Arc<dyn Approver> {
    match TerminalDesk::open(DeskKey::mint()) {
        Ok(desk) => Arc::new(desk),
        Err(_) => Arc::new(Unattended),
    }
}

/// First Ctrl-C, SIGTERM or SIGHUP (the terminal was closed) ends the run in order; the browser goes and the journal is sealed.
pub(crate) fn watch_for_interrupt(stop: &Arc<Notify>) {
    let stop = Arc::clone(stop);
    tokio::spawn(async move {
        let signalled = |kind| async move {
            match tokio::signal::unix::signal(kind) {
                Ok(mut signal) => drop(signal.recv().await),
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            () = signalled(tokio::signal::unix::SignalKind::terminate()) => {}
            () = signalled(tokio::signal::unix::SignalKind::hangup()) => {}
        }
        stop.notify_one();
    });
}

fn check_picture_place(file: Option<&Path>) -> Result<(), Failure> {
    let folder = file.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(Failure::usage(format!("--screenshot: the folder {} does not exist", folder.display())))
        }
        _ => Ok(()),
    }
}

fn save_picture(args: &RunArgs, folder: &Path, report: &RunReport) -> Result<Option<std::path::PathBuf>, Failure> {
    let Ok(picture) = &report.picture else { return Ok(None) };
    let file = args.screenshot.clone().unwrap_or_else(|| folder.join(format!("{}.png", report.run)));
    private(&file, picture)
        .map_err(|error| Failure::fault(format!("the picture could not be saved as {}: {error}", file.display())))?;
    Ok(Some(file))
}

/// A picture of somebody's account is nobody else's business, whatever rights a file of that name had before.
pub(crate) fn private(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    let mut open = std::fs::OpenOptions::new();
    let mut file = open.write(true).create(true).truncate(true).mode(0o600).open(file)?;
    if file.metadata()?.is_file() {
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    file.write_all(bytes)
}

fn print_end(args: &RunArgs, report: &RunReport, picture: Option<&Path>, screen: &Screen) {
    if args.json {
        let mut value = serde_json::to_value(report).unwrap_or_default();
        if let Some(map) = value.as_object_mut() {
            map.insert("picture".into(), picture.map(|picture| picture.display().to_string()).into());
            map.insert("picture_withheld".into(), report.picture.as_ref().err().cloned().into());
        }
        screen.out(&value.to_string());
        return;
    }
    screen.end(report);
    if let Some(why) = &report.not_kept {
        screen.out(&format!("  profile    left as it was before the run: {why}"));
    }
    match (picture, &report.picture) {
        (Some(picture), _) => screen.out(&format!("  picture    {}", picture.display())),
        (None, Err(why)) => screen.out(&format!("  picture    not saved: {why}")),
        (None, Ok(_)) => {}
    }
    screen.out(&format!("  journal    {} ({})", report.journal.display(), report.journal_head));
    let place = args.journal.as_ref().map(|folder| format!(" --journal {}", folder.display())).unwrap_or_default();
    screen.out(&format!("             clicket journal verify {}{place}", report.run));
}

/// The name of a run that begins now.
pub(crate) fn new_run() -> RunId {
    RunId::new(unix_ms(), rand::random())
}

pub(crate) fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
}

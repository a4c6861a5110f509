//! The browser comes up with one road out and goes without a trace.

use std::time::{Duration, Instant};

use clicket_chromium::{Confinement, NamespaceWish, Quarters, Sandbox};

use crate::support::{TestEdge, launch, launch_in, launch_with, processes_in_group, processes_with, sandbox, soon};

fn trace(browser: &clicket_chromium::Browser) -> (String, u32) {
    (browser.profile().display().to_string(), browser.process_id())
}

fn gone(profile: &str, group: u32) -> bool {
    processes_with(profile).is_empty() && processes_in_group(group).is_empty() && !std::path::Path::new(profile).exists()
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_leaves_no_process_and_no_profile() {
    let edge = TestEdge::with_page("<title>one</title>").await;
    let started = Instant::now();
    let Some(browser) = launch(&edge).await else { return };
    eprintln!("launch took {} ms; {}", started.elapsed().as_millis(), browser.version());
    assert!(browser.version().contains("Chrom"));
    assert_eq!(edge.log(), vec!["407 GET http://seed.test/", "GET http://seed.test/"]);
    let (profile, group) = trace(&browser);
    assert!(!processes_in_group(group).is_empty());
    let report = browser.close().await;
    assert!(report.by_itself && report.reaped && report.profile_removed, "{report:?}");
    assert!(gone(&profile, group), "{:?}", processes_with(&profile));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_browser_leaves_no_process_and_no_profile() {
    let edge = TestEdge::with_page("").await;
    let Some(browser) = launch(&edge).await else { return };
    let (profile, group) = trace(&browser);
    let task = tokio::spawn(async move {
        let _held = browser;
        panic!("the caller panics");
    });
    assert!(task.await.unwrap_err().is_panic());
    soon("everything of the browser is gone", || gone(&profile, group)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_browser_runs_as_the_user_with_its_sandbox_on() {
    let edge = TestEdge::with_page("").await;
    let Some(browser) = launch(&edge).await else { return };
    let renderers: Vec<u32> =
        processes_in_group(browser.process_id()).into_iter().filter(|pid| cmdline(*pid).contains("--type=renderer")).collect();
    assert!(!renderers.is_empty());
    for pid in renderers {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        assert!(status.lines().any(|line| line == "Seccomp:\t2"), "a renderer without its seccomp filter");
    }
    for pid in processes_in_group(browser.process_id()) {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let uid = status.lines().find_map(|line| line.strip_prefix("Uid:\t")).unwrap_or("gone");
        assert!(!uid.starts_with("0\t"), "a browser process runs as root");
    }
}

fn cmdline(pid: u32) -> String {
    String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_browser_sees_no_network_but_the_edge() {
    let edge = TestEdge::with_page("").await;
    let Some(browser) = launch(&edge).await else { return };
    if *browser.confinement() != Confinement::System {
        eprintln!("\n##### SKIPPED, NOT TESTED: {} #####\n", browser.confinement().in_words());
        return;
    }
    for pid in processes_in_group(browser.process_id()) {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/net/{name}")).unwrap_or_default();
        let interfaces: Vec<String> =
            read("dev").lines().skip(2).map(|line| line.trim().split(':').next().unwrap_or_default().to_owned()).collect();
        assert!(interfaces.iter().all(|name| name == "lo"), "{interfaces:?}");
        assert_eq!(read("route").lines().count().saturating_sub(1), 0, "{}", read("route"));
    }
    let ours = std::fs::read_link("/proc/self/ns/net").unwrap();
    let theirs = std::fs::read_link(format!("/proc/{}/ns/net", browser.process_id()));
    assert!(theirs.is_ok_and(|theirs| theirs != ours));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_credential_is_told_and_leaves_nothing() {
    let edge = TestEdge::with_page("").await;
    let named = clicket_chromium::find(None);
    let Ok(binary) = named else { return };
    let mut config = crate::support::config(&edge, binary);
    config.proxy.password = "wrong".to_owned();
    let Some(quarters) = quarters(&edge).await else { return };
    let error = clicket_chromium::Browser::launch(config, quarters).await.unwrap_err();
    assert!(matches!(error, clicket_chromium::LaunchError::ProxyNotReached { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_does_not_start_gives_its_own_words() {
    let edge = TestEdge::with_page("").await;
    let named = clicket_chromium::find(None);
    let Ok(_) = named else { return };
    let mut config = crate::support::config(&edge, "/bin/false".into());
    config.deadline = Duration::from_secs(5);
    let Some(quarters) = quarters(&edge).await else { return };
    let error = clicket_chromium::Browser::launch(config, quarters).await.unwrap_err();
    assert!(error.to_string().contains("it exited"), "{error}");
}

/// The child half of the next test: it holds a browser until it is killed.
#[tokio::test(flavor = "multi_thread")]
async fn holds_a_browser_when_asked_to() {
    let Ok(note) = std::env::var("CLICKET_TEST_HOLD") else { return };
    let edge = TestEdge::with_page("").await;
    let Some(browser) = launch(&edge).await else { return };
    let (profile, group) = trace(&browser);
    std::fs::write(note, format!("{group} {profile}")).unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_clicket_leaves_no_browser() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let mut holder = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lifetime::holds_a_browser_when_asked_to", "--nocapture"])
        .env("CLICKET_TEST_HOLD", &note)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut held = None;
    for _ in 0..2_000 {
        held = std::fs::read_to_string(&note).ok().filter(|text| !text.is_empty());
        if held.is_some() || holder.try_wait().unwrap().is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let Some(held) = held else {
        eprintln!("\n##### SKIPPED, NOT TESTED: no browser to hold #####\n");
        return;
    };
    let (group, profile) = held.split_once(' ').unwrap();
    let group: u32 = group.parse().unwrap();
    holder.kill().unwrap();
    holder.wait().unwrap();
    let killed = Instant::now();
    soon("the browser ends by itself", || processes_in_group(group).is_empty() && processes_with(profile).is_empty()).await;
    eprintln!("after kill -9 the browser was gone in {} ms", killed.elapsed().as_millis());
    let _ = std::fs::remove_dir_all(profile);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_page_scripts_off_the_launch_works_too() {
    let edge = TestEdge::with_page("").await;
    let Some(browser) = launch_with(&edge, |config| config.page_scripts = clicket_chromium::PageScripts::Off).await else {
        return;
    };
    assert_eq!(browser.url(), "http://seed.test/");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_sandbox_it_starts_only_when_that_was_asked_for_by_name() {
    let edge = TestEdge::with_page("").await;
    let off = Quarters::make(Sandbox::DangerouslyOff, NamespaceWish::WhereItCanBeHad).await;
    let Some(browser) = launch_in(&edge, off, |_| ()).await else { return };
    assert!(cmdline(browser.process_id()).contains("--no-sandbox"));
    drop(browser);
    if !nix::unistd::Uid::effective().is_root() {
        return;
    }
    let refused = Quarters::make(Sandbox::AsSelf, NamespaceWish::WhereItCanBeHad).await.unwrap_err();
    assert!(matches!(refused, clicket_chromium::LaunchError::RootNeedsUser), "{refused}");
}

/// Quarters that the edge serves; none where the browser's user is missing, which other cases say loudly.
async fn quarters(edge: &TestEdge) -> Option<Quarters> {
    let mut quarters = Quarters::make(sandbox(), NamespaceWish::WhereItCanBeHad).await.ok()?;
    edge.serve(&mut quarters);
    Some(quarters)
}

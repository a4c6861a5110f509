//! Clicket's side: a browser, looks at its page, presses with a permit of guard's own gate.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clicket_chromium::{Browser, CookieJar, Headed, LaunchConfig, NamespaceWish, PageScripts, Quarters, Sandbox, find};
use clicket_guard::approval::{Attendance, Moment};
use clicket_guard::gate::{Act, Admission, admit};
use clicket_guard::observation::Observation;
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::{ActPermit, Action, Bound};
use clicket_guard::policy::Policy;
use clicket_guard::risk::ActionClass;
use clicket_guard::secret::Scrubber;
use clicket_journal::{Digest, Journal, RunId};

use crate::edge::Pages;

pub(crate) const USER: &str = "clicket";

pub(crate) struct Ours {
    browser: Browser,
    folder: tempfile::TempDir,
    permits: u64,
}

pub(crate) fn binary() -> std::io::Result<PathBuf> {
    find(std::env::var_os("CLICKET_CHROMIUM").map(PathBuf::from).as_deref()).map_err(std::io::Error::other)
}

impl Ours {
    pub(crate) async fn launch(pages: &Pages) -> std::io::Result<Ours> {
        let root = rustix::process::geteuid().is_root();
        let sandbox = if root { Sandbox::AsUser { name: USER.to_owned() } } else { Sandbox::AsSelf };
        let mut quarters = Quarters::make(sandbox, NamespaceWish::WhereItCanBeHad).await.map_err(std::io::Error::other)?;
        let config = LaunchConfig {
            service_workers: clicket_chromium::ServiceWorkers::Run,
            watch: clicket_chromium::PageWatch::Page,
            binary: binary()?,
            headed: Headed::No,
            proxy: pages.serve_quarters(&mut quarters)?,
            page_scripts: PageScripts::On,
            viewport: (1280, 900),
            deadline: Duration::from_secs(20),
            leases: None,
            cookies: CookieJar::default(),
        };
        let browser = Browser::launch(config, quarters).await.map_err(std::io::Error::other)?;
        Ok(Ours { browser, folder: tempfile::tempdir()?, permits: 0 })
    }

    pub(crate) fn version(&self) -> &str {
        self.browser.version()
    }

    /// The browser's command line, for the peer to start its own with.
    pub(crate) fn command_line(&self) -> std::io::Result<Vec<String>> {
        let raw = std::fs::read(format!("/proc/{}/cmdline", self.browser.process_id()))?;
        let words = raw.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
        Ok(words
            .flat_map(|word| {
                word.split(" --")
                    .enumerate()
                    .map(|(at, part)| if at == 0 { part.to_owned() } else { format!("--{part}") })
                    .collect::<Vec<_>>()
            })
            .skip(1)
            .collect())
    }

    pub(crate) async fn open(&mut self, path: &str) -> std::io::Result<()> {
        let url = format!("http://page.test{path}");
        match self.perform(Action::Navigate { url }).await?.1 {
            Outcome::Done { .. } => {}
            other => return Err(std::io::Error::other(format!("{path} was not opened: {other:?}"))),
        }
        let mut quiet = tokio::sync::watch::channel(0).1;
        self.browser.settle(&mut quiet, 20_000).await.map_err(std::io::Error::other)?;
        Ok(())
    }

    /// One look, from nothing.
    pub(crate) async fn look(&mut self) -> std::io::Result<(f64, Observation)> {
        let started = Instant::now();
        let seen = self.browser.observe(&Scrubber::default()).await.map_err(std::io::Error::other)?;
        Ok((millis(started), seen))
    }

    /// Presses what the last look found.
    pub(crate) async fn press(&mut self, seen: &Observation, name: &str) -> std::io::Result<f64> {
        let control = seen.controls.iter().find(|control| control.name.for_model() == name);
        let control = control.ok_or_else(|| std::io::Error::other(format!("no {name} on the page")))?;
        let bound = Bound { handle: control.handle, meaning: control.meaning };
        match self.perform(Action::Press { control: bound }).await? {
            (ms, Outcome::Done { .. }) => Ok(ms),
            (_, other) => Err(std::io::Error::other(format!("{name} was not pressed: {other:?}"))),
        }
    }

    async fn perform(&mut self, action: Action) -> std::io::Result<(f64, Outcome)> {
        let permit = self.permit(action)?;
        let started = Instant::now();
        let outcome = self.browser.perform(permit, &[]).await;
        Ok((millis(started), outcome))
    }

    /// The gate's work with its file is not counted: the peer has none.
    fn permit(&mut self, action: Action) -> std::io::Result<ActPermit> {
        self.permits += 1;
        let mut journal =
            Journal::create(self.folder.path(), &RunId::new(self.permits, [7; 8])).map_err(std::io::Error::other)?;
        let entry = serde_json::from_value(serde_json::json!({ "id": "e1", "operation": "press", "action": action }))?;
        let act = Act { entry, observation: Digest::of(b"bench"), control_words: String::new(), page_words: String::new() };
        let policy = Policy::shipped().map_err(std::io::Error::other)?;
        let judgement = policy.judge_action(ActionClass::Observe, 1.0, Attendance::Attended);
        match admit(&mut journal, Moment { unix_ms: 0, steady_ms: 0 }, act, judgement).map_err(std::io::Error::other)? {
            Admission::Permit(permit) => Ok(permit),
            other => Err(std::io::Error::other(format!("no permit: {other:?}"))),
        }
    }

    /// Memory that the browser's processes hold now, the largest one of them, in megabytes.
    pub(crate) fn memory_mb(&self) -> u64 {
        let group = self.browser.process_id();
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|pid| is_in_group(*pid, group)).filter_map(resident_kb).max().unwrap_or(0) / 1_024
    }

    pub(crate) async fn close(self) {
        self.browser.close().await;
    }
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1_000.0
}

fn is_in_group(pid: u32, group: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    fields.split_whitespace().nth(2) == Some(group.to_string().as_str())
}

fn resident_kb(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

//! Brings up a shop, runs the binary against it, and reads what both say.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Condvar, Mutex, PoisonError};

use clicket_shop::{Effect, LogEntry, Shop, ShopConfig};
use serde_json::Value;

/// Runs in the soak; the suite takes a few.
pub(crate) fn count(suite: u64, soak: u64) -> u64 {
    if std::env::var_os("CLICKET_SOAK").is_some() { soak } else { suite }
}

/// Three browser cases at a time on two cores, since most of a case is waiting: cases wait for each other, not for deadlines.
static CORES: (Mutex<usize>, Condvar) = (Mutex::new(PLACES), Condvar::new());
const PLACES: usize = 3;

/// A part of the machine, kept until it is dropped.
pub(crate) struct Turn(usize);

/// Waits for one of the places.
pub(crate) fn turn() -> Turn {
    places(1)
}

/// Waits for the whole machine.
pub(crate) fn whole_turn() -> Turn {
    places(PLACES)
}

fn places(wanted: usize) -> Turn {
    let free = CORES.0.lock().unwrap_or_else(PoisonError::into_inner);
    let mut free = CORES.1.wait_while(free, |free| *free < wanted).unwrap_or_else(PoisonError::into_inner);
    *free -= wanted;
    Turn(wanted)
}

impl Drop for Turn {
    fn drop(&mut self) {
        *CORES.0.lock().unwrap_or_else(PoisonError::into_inner) += self.0;
        CORES.1.notify_all();
    }
}

/// A shop, a folder for everything a run writes, and what to run.
pub(crate) struct Case {
    runtime: tokio::runtime::Runtime,
    shop: Option<Shop>,
    pub(crate) folder: tempfile::TempDir,
    _turn: Turn,
}

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) log: Vec<LogEntry>,
}

impl Case {
    pub(crate) fn start(config: ShopConfig) -> Self {
        let turn = turn();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let shop = runtime.block_on(Shop::start(config)).unwrap();
        Self { runtime, shop: Some(shop), folder: tempfile::tempdir().unwrap(), _turn: turn }
    }

    pub(crate) fn shop(&self) -> &Shop {
        self.shop.as_ref().unwrap()
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.folder.path().join("journal")
    }

    /// Options that lead the browser to the shop and keep everything it writes in the folder.
    pub(crate) fn road(&self) -> Vec<String> {
        let ca = self.folder.path().join("ca.pem");
        std::fs::write(&ca, self.shop().ca_pem()).unwrap();
        let address = self.shop().address();
        let mut road: Vec<String> = Vec::new();
        for name in &self.shop().config().names {
            road.extend(["--dangerously-host-map".into(), format!("{name}={address}")]);
        }
        road.extend([
            "--dangerously-trust-ca".into(),
            ca.display().to_string(),
            "--journal".into(),
            self.journal().display().to_string(),
        ]);
        road
    }

    /// The chore's options, with the two writes it needs allowed.
    pub(crate) fn chore(&self) -> Vec<String> {
        let mut options = self.chore_without_leave();
        let paths = &self.shop().look().paths;
        for path in [paths.sign_in, paths.add] {
            options.extend(["--allow".into(), format!("POST {path}")]);
        }
        options
    }

    /// The chore's options without any write allowed.
    pub(crate) fn chore_without_leave(&self) -> Vec<String> {
        let mut options: Vec<String> = vec!["run".into(), self.shop().url(), "--goal".into(), ShopConfig::GOAL.into()];
        options.extend([
            "--value".into(),
            format!("email={}", ShopConfig::EMAIL),
            "--secret".into(),
            "password=env:SHOP_PASSWORD".into(),
        ]);
        options.extend(["--expect-text".into(), self.shop().look().added_text(ShopConfig::WANTED)]);
        options.extend(self.road());
        options
    }

    pub(crate) fn run(&self, options: &[String]) -> Ran {
        let output = clicket().args(options).output().unwrap();
        self.ran(&output)
    }

    pub(crate) fn ran(&self, output: &Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            log: self.shop().log(),
        }
    }

    /// Every file that the run wrote.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(self.folder.path(), &mut found);
        found
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        if let Some(shop) = self.shop.take() {
            self.runtime.block_on(shop.stop());
        }
    }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}

impl Ran {
    /// What the shop says changed, reads left out.
    pub(crate) fn effects(&self) -> Vec<&Effect> {
        self.log.iter().map(|entry| &entry.effect).filter(|effect| **effect != Effect::None).collect()
    }

    /// Everything that was printed, for a failing assertion.
    pub(crate) fn said(&self) -> String {
        format!("exit {}\n{}\n{}\neffects: {:?}", self.code, self.out, self.err, self.effects())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.said()))
    }
}

/// Where the runs of tests keep the key that signs their journals.
pub(crate) const JOURNAL_KEY: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/journal.key");

/// The binary, with the shop's password in its environment and no colour.
pub(crate) fn clicket() -> Command {
    let mut command = Command::new("setsid");
    // A session of its own has no terminal, so nobody can be asked.
    command.arg("--wait").arg(env!("CARGO_BIN_EXE_clicket")).env("SHOP_PASSWORD", ShopConfig::PASSWORD).env("NO_COLOR", "1");
    // The journal's key is kept with the tests, not with whoever runs them.
    command.env("CLICKET_JOURNAL_KEY", JOURNAL_KEY);
    command
}

/// Options of a run that presses the one button of a shop at `origin`, which sends `POST /add`, and believes what the page says.
pub(crate) fn add_mug<'a>(origin: &'a str, time: &'a str, journal: &'a str) -> Vec<&'a str> {
    let goal = ["run", origin, "--local-origin", origin, "--goal", "Press the Add mug button", "--allow", "POST /add"];
    [&goal[..], &["--expect-text", "Mug added", "--time", time, "--journal", journal]].concat()
}

/// The two effects of the chore and nothing else.
pub(crate) fn is_exactly_the_chore(effects: &[&Effect]) -> bool {
    matches!(effects, [Effect::SignedIn { email }, Effect::AddedToBasket { product, quantity: 1 }]
        if email == ShopConfig::EMAIL && product == ShopConfig::WANTED)
}

/// Fails when a browser stays whose Clicket is gone. Another case may just have killed its own and not cleaned up yet.
pub(crate) fn assert_nothing_left_behind() {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !left_behind().is_empty() && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert_eq!(left_behind(), Vec::<String>::new());
}

/// Browsers whose Clicket is gone: nobody's children any more. Those of other runs still have their parents.
fn left_behind() -> Vec<String> {
    let mut left = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        if line.contains("--remote-debugging-pipe") && status.contains("PPid:\t1\n") {
            left.push(line.chars().take(200).collect());
        }
    }
    left
}

//! What keeps the browser in, and what is left when anything of it is killed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clicket_shop::ShopConfig;
use serde_json::{Value, json};

use crate::support::{Case, assert_nothing_left_behind, clicket, count, is_exactly_the_chore, turn};

/// A user of no rights that every Linux has.
const NOBODY: &str = "65534";

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// What the run's first record says of its confinement.
fn journaled(journal: &Path) -> Value {
    let shown = clicket().args(["journal", "show", "last", "--json", "--journal"]).arg(journal).output().unwrap();
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    records.iter().find(|record| record["kind"] == "run").unwrap()["body"]["confinement"].clone()
}

#[test]
fn a_run_says_and_records_what_keeps_the_browser_in() {
    for (options, by, words) in [
        (vec!["--require-namespace"], "system", "enforced by the system"),
        (vec!["--dangerously-no-namespace"], "proxy_only", "enforced by the proxy only: the operator switched the namespace off"),
    ] {
        let case = Case::start(ShopConfig::default());
        let options: Vec<String> = case.chore().into_iter().chain(options.into_iter().map(str::to_owned)).collect();
        let ran = case.run(&options);
        assert!(ran.code == 0 && is_exactly_the_chore(&ran.effects()), "{}", ran.said());
        assert!(ran.err.contains(words), "{}", ran.said());
        assert_eq!(journaled(&case.journal())["by"], by);
    }
}

#[test]
fn a_required_namespace_that_cannot_be_had_means_no_start() {
    let case = Case::start(ShopConfig::default());
    if !is_root() {
        return;
    }
    // No namespace holds root, and without its sandbox the browser would be root.
    let options = [case.chore(), vec!["--require-namespace".into(), "--dangerously-no-sandbox".into()]].concat();
    let ran = case.run(&options);
    assert!(ran.code == 1 && ran.err.contains("--require-namespace says not to start without"), "{}", ran.said());
    assert!(ran.log.is_empty(), "{}", ran.said());
}

/// A copy of the binary and a folder that a user of no rights can use.
struct Unprivileged {
    folder: tempfile::TempDir,
    binary: PathBuf,
}

impl Unprivileged {
    fn make(case: &Case) -> Unprivileged {
        let folder = tempfile::tempdir().unwrap();
        let binary = folder.path().join("clicket");
        std::fs::copy(env!("CARGO_BIN_EXE_clicket"), &binary).unwrap();
        std::fs::write(folder.path().join("ca.pem"), case.shop().ca_pem()).unwrap();
        std::fs::create_dir(folder.path().join("state")).unwrap();
        for (place, mode) in [("", 0o755), ("ca.pem", 0o644), ("state", 0o777)] {
            std::fs::set_permissions(folder.path().join(place), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        Unprivileged { folder, binary }
    }
}

#[test]
fn without_any_rights_the_browser_has_its_own_network_all_the_same() {
    let case = Case::start(ShopConfig::default());
    if !is_root() {
        // Then every other case shows it.
        return;
    }
    let place = Unprivileged::make(&case);
    let mut options = case.chore();
    for (option, file) in [("--journal", "state/journal"), ("--dangerously-trust-ca", "ca.pem")] {
        let at = options.iter().position(|found| found == option).unwrap();
        options[at + 1] = place.folder.path().join(file).display().to_string();
    }
    let output = Command::new("setsid")
        .args(["--wait", "setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"])
        .arg(&place.binary)
        .args(options)
        .args(["--json", "--require-namespace"])
        .env("SHOP_PASSWORD", ShopConfig::PASSWORD)
        .env("XDG_STATE_HOME", place.folder.path().join("state"))
        .output()
        .unwrap();
    let ran = case.ran(&output);
    assert!(ran.code == 0 && is_exactly_the_chore(&ran.effects()), "{}", ran.said());
    assert_eq!(ran.json()["confinement"], json!({"by": "system"}));
    assert_eq!(std::fs::read_dir(place.folder.path().join("state/clicket/leases")).unwrap().count(), 0);
}

/// Folders of a Clicket that will be killed: its state, and where its profiles are made.
struct Doomed {
    state: PathBuf,
    temporary: tempfile::TempDir,
}

impl Doomed {
    fn make(case: &Case) -> Doomed {
        let temporary = tempfile::tempdir().unwrap();
        // The browser's user must be able to reach its profile.
        std::fs::set_permissions(temporary.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        Doomed { state: case.folder.path().join("state"), temporary }
    }

    fn start(&self, options: &[String]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clicket"));
        command.args(options).env("SHOP_PASSWORD", ShopConfig::PASSWORD);
        self.here(&mut command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn here<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("XDG_STATE_HOME", &self.state).env("TMPDIR", self.temporary.path())
    }

    /// The next start, as far as it cleans up.
    fn reap(&self) -> String {
        let mut command = clicket();
        let output = self.here(command.args(["doctor", "--reap", "--chromium", "/no/such/file"])).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What is still there after the moment that killed processes need to die.
    fn left(&self) -> Vec<String> {
        let until = Instant::now() + Duration::from_secs(3);
        loop {
            let left = self.left_now();
            if left.is_empty() || Instant::now() > until {
                return left;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn left_now(&self) -> Vec<String> {
        let folders = [self.temporary.path().to_path_buf(), self.state.join("clicket/leases")];
        let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let mut left: Vec<String> = files.map(|entry| entry.path().display().to_string()).collect();
        left.extend(self.processes("").iter().map(|pid| format!("process {pid}")));
        left
    }

    /// Browser processes whose profile is here and whose command line holds a word.
    fn processes(&self, word: &str) -> Vec<i32> {
        let here = format!("--user-data-dir={}", self.temporary.path().display());
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        entries
            .filter_map(|entry| {
                let line = std::fs::read(entry.path().join("cmdline")).ok()?;
                let line = String::from_utf8_lossy(&line);
                (line.contains(&here) && line.contains(word)).then(|| entry.file_name().to_str()?.parse().ok())?
            })
            .collect()
    }
}

fn kill(pid: i32, signal: nix::sys::signal::Signal) {
    // It may be gone by itself.
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), signal);
}

/// A moment of a run: spread over its whole length, another one each round and each time.
fn moment(round: u64) -> Duration {
    let jitter = u64::from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().subsec_micros());
    Duration::from_millis((round * 937 + jitter) % 4_200)
}

/// Ends with its deadline, not with the suite's.
fn end_of(child: &mut Child, within: Duration) -> Option<i32> {
    let until = Instant::now() + within;
    while Instant::now() < until {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status.code().unwrap_or(-1));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

/// What is in the record holds, whether it was sealed or cut off.
fn records_hold(journal: &Path) {
    let verified = clicket().args(["journal", "verify", "--journal"]).arg(journal).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stdout).into_owned();
    let cut_off = said.contains("NOT SEALED") && said.contains("what is there holds");
    assert!(verified.status.success() || cut_off, "{said}{}", String::from_utf8_lossy(&verified.stderr));
    assert!(!said.contains("broken:"), "{said}");
}

#[test]
fn a_killed_clicket_leaves_nothing_after_the_next_start_soak() {
    let rounds = count(3, 100);
    let case = Case::start(ShopConfig::default());
    let doomed = Doomed::make(&case);
    let mut cleaned = 0;
    for round in 0..rounds {
        let mut options = case.chore();
        let at = options.iter().position(|option| option == "--journal").unwrap();
        let journal = case.folder.path().join(format!("journal-{round}"));
        options[at + 1] = journal.display().to_string();
        let mut child = doomed.start(&options);
        let moment = moment(round);
        std::thread::sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();
        let said = doomed.reap();
        cleaned += usize::from(said.contains("cleaned up"));
        assert_eq!(doomed.left(), Vec::<String>::new(), "round {round}, killed after {moment:?}: {said}");
        if journal.exists() {
            records_hold(&journal);
        }
    }
    eprintln!("{rounds} kills, {cleaned} left something that was cleaned up");
}

#[test]
fn a_browser_or_page_process_killed_at_any_moment_gives_one_clear_end_soak() {
    for round in 0..count(1, 60) {
        let case = Case::start(ShopConfig::default());
        let doomed = Doomed::make(&case);
        let mut child = doomed.start(&case.chore());
        std::thread::sleep(moment(round));
        // All of the browser in even rounds, its pages' processes in odd ones.
        let whole = round % 2 == 0;
        let killed = doomed.processes(if whole { "--remote-debugging-pipe" } else { "--type=renderer" });
        killed.into_iter().for_each(|pid| kill(pid, nix::sys::signal::Signal::SIGKILL));
        let killed_at = Instant::now();
        let code = end_of(&mut child, Duration::from_secs(60));
        eprintln!("round {round}: exit {code:?} {} ms after the kill", killed_at.elapsed().as_millis());
        // Done before the kill, a fault, handed back, or a write whose answer never came.
        assert!(matches!(code, Some(0 | 1 | 3 | 5)), "round {round}: {code:?}");
        assert_eq!(doomed.left(), Vec::<String>::new(), "round {round}");
        if case.journal().exists() {
            records_hold(&case.journal());
        }
    }
}

#[test]
fn cookies_of_a_login_stay_between_runs_with_a_profile_and_only_there() {
    let case = Case::start(ShopConfig::default());
    let state = case.folder.path().join("state");
    let run = |options: &[String]| case.ran(&clicket().args(options).env("XDG_STATE_HOME", &state).output().unwrap());
    let first = run(&[case.chore(), vec!["--profile".into(), "shop".into()]].concat());
    assert!(first.code == 0 && is_exactly_the_chore(&first.effects()), "{}", first.said());
    let listed = clicket().args(["profile", "list"]).env("XDG_STATE_HOME", &state).output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("cookies of shop.example"), "{listed:?}");

    let signed_in = |name: Option<&str>| {
        let mut options = vec!["run".to_owned(), case.shop().url(), "--goal".into(), "Press the Basket link".into()];
        options.extend(case.road());
        options.extend(["--expect-text".into(), ShopConfig::WANTED.into(), "--steps".into(), "2".into()]);
        options.extend(name.iter().flat_map(|name| ["--profile".to_owned(), (*name).to_owned()]));
        run(&options)
    };
    let with = signed_in(Some("shop"));
    assert_eq!(with.code, 0, "{}", with.said());
    let without = signed_in(None);
    assert_ne!(without.code, 0, "{}", without.said());

    let deleted = clicket().args(["profile", "delete", "shop"]).env("XDG_STATE_HOME", &state).output().unwrap();
    assert!(deleted.status.success() && !state.join("clicket/profiles/shop").exists(), "{deleted:?}");
}

/// Serves one page on loopback; a POST is taken and never answered.
fn serve(page: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://localhost:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut head = [0u8; 4_096];
                while let Ok(read @ 1..) = stream.read(&mut head) {
                    if head[..read].starts_with(b"POST") {
                        std::thread::sleep(Duration::from_secs(120));
                        return;
                    }
                    let length = page.len();
                    let answer = format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\n\r\n{page}");
                    if stream.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    origin
}

fn chore_at(origin: &str, journal: &Path) -> Vec<String> {
    let mut options: Vec<String> = ["run", origin, "--local-origin", origin].map(str::to_owned).into();
    options.extend(
        ["--goal", "Press the Add mug button", "--allow", "POST /add", "--expect-text", "Never shown"].map(str::to_owned),
    );
    options.extend(["--journal".into(), journal.display().to_string()]);
    options
}

#[test]
fn stopping_while_a_write_is_on_its_way_says_so() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let origin =
        serve("<!doctype html><title>Shop</title><button onclick=\"fetch('/add',{method:'POST',body:'mug'})\">Add mug</button>");
    let mut command = Command::new(env!("CARGO_BIN_EXE_clicket"));
    command.args(chore_at(&origin, folder.path())).env("NO_COLOR", "1");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let released = lines.map_while(Result::ok).find(|line| line.contains("released:"));
    assert!(released.is_some());
    std::thread::sleep(Duration::from_millis(300));
    kill(i32::try_from(child.id()).unwrap(), nix::sys::signal::Signal::SIGINT);
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.contains("interrupted") && said.contains("/add was sent and its answer never came"), "{said}");
    assert!(said.contains("Look at the site before running this again"), "{said}");
}

#[test]
fn a_page_that_is_frozen_from_the_start_is_handed_back() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let origin = serve("<!doctype html><title>Frozen</title><button>Add mug</button><script>for(;;);</script>");
    let output = clicket().args(chore_at(&origin, folder.path())).args(["--time", "60"]).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert_nothing_left_behind();
}

#[test]
fn pictures_are_open_to_their_owner_alone() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let origin = serve("<!doctype html><title>Page</title><p>text</p>");
    let picture = folder.path().join("page.png");
    std::fs::write(&picture, "old").unwrap();
    std::fs::set_permissions(&picture, std::fs::Permissions::from_mode(0o644)).unwrap();
    let output = clicket().args(["observe", &origin, "--local-origin", &origin, "--screenshot"]).arg(&picture).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(std::fs::metadata(&picture).unwrap().permissions().mode() & 0o777, 0o600);
}

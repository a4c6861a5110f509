//! A tiny edge that asks for its credential and serves pages from memory, and a launch that skips loudly.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clicket_chromium::{
    Browser, CookieJar, Headed, LaunchConfig, LaunchError, NamespaceWish, PageScripts, PageWatch, ProxyRoute, Quarters, Sandbox,
    ServiceWorkers, Settled, Traffic, find,
};
use clicket_guard::approval::{Attendance, Moment};
use clicket_guard::gate::{Act, Admission, admit};
use clicket_guard::observation::{Control, Observation};
use clicket_guard::outcome::{Outcome, ReadBack};
use clicket_guard::permit::{ActPermit, Action, Bound, ValueSource};
use clicket_guard::policy::Policy;
use clicket_guard::risk::ActionClass;
use clicket_guard::secret::Scrubber;
use clicket_journal::{Digest, Journal, RunId};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) const USER: &str = "clicket";
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

/// Base64 of `u:p`.
const CREDENTIAL: &str = "Basic dTpw";

#[derive(Default)]
struct Truth {
    pages: Mutex<HashMap<String, String>>,
    log: Mutex<Vec<String>>,
}

/// The test's edge: everything it was asked is in its log.
#[derive(Clone)]
pub(crate) struct TestEdge {
    truth: Arc<Truth>,
}

impl TestEdge {
    /// Serves `http://page.test/` from one page.
    pub(crate) async fn with_page(html: &str) -> TestEdge {
        TestEdge::with_pages(&[("http://page.test/", html)]).await
    }

    pub(crate) async fn with_pages(pages: &[(&str, &str)]) -> TestEdge {
        let truth = Arc::new(Truth::default());
        truth.pages.lock().unwrap().insert("http://seed.test/".to_owned(), "<title>seed</title>".to_owned());
        for (url, html) in pages {
            truth.pages.lock().unwrap().insert((*url).to_owned(), (*html).to_owned());
        }
        TestEdge { truth }
    }

    /// Serves a browser whose quarters these are.
    pub(crate) fn serve(&self, quarters: &mut Quarters) {
        let listener = quarters.take_listener().unwrap();
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let serving = self.truth.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, serving.clone()));
            }
        });
    }

    /// Request lines in order, without the browser's favicon requests.
    pub(crate) fn log(&self) -> Vec<String> {
        self.truth.log.lock().unwrap().iter().filter(|line| !line.contains("favicon")).cloned().collect()
    }

    fn route(&self) -> ProxyRoute {
        ProxyRoute {
            user: "u".to_owned(),
            password: "p".to_owned(),
            seed_url: "http://seed.test/".to_owned(),
            spki: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".to_owned(),
        }
    }
}

async fn serve(mut stream: TcpStream, truth: Arc<Truth>) {
    let mut head = Vec::new();
    let mut chunk = [0u8; 4_096];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut chunk).await {
            Ok(read @ 1..) => head.extend_from_slice(&chunk[..read]),
            Ok(0) | Err(_) => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let line = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let answer = if head.contains(CREDENTIAL) { answer_to(&line, &truth).await } else { ask_for_credential(&line, &truth) };
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn ask_for_credential(line: &str, truth: &Truth) -> String {
    truth.log.lock().unwrap().push(format!("407 {line}"));
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"edge\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
}

async fn answer_to(line: &str, truth: &Truth) -> String {
    truth.log.lock().unwrap().push(line.to_owned());
    let url = line.split(' ').nth(1).unwrap_or_default();
    if url.ends_with("/slow") {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
    }
    if url.contains("/held/") {
        tokio::time::sleep(Duration::from_secs(7)).await;
    }
    if url.ends_with("/nothing") {
        return "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".to_owned();
    }
    let path = url.split(['?', '#']).next().unwrap_or_default();
    match truth.pages.lock().unwrap().get(path) {
        Some(html) => format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{html}",
            if path.ends_with(".js") { "text/javascript" } else { "text/html" },
            html.len()
        ),
        None => "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnone".to_owned(),
    }
}

pub(crate) fn config(edge: &TestEdge, binary: PathBuf) -> LaunchConfig {
    LaunchConfig {
        binary,
        headed: Headed::No,
        proxy: edge.route(),
        page_scripts: PageScripts::On,
        watch: PageWatch::Page,
        service_workers: ServiceWorkers::Run,
        viewport: (1280, 900),
        deadline: DEADLINE,
        leases: None,
        cookies: CookieJar::default(),
    }
}

pub(crate) fn sandbox() -> Sandbox {
    if nix::unistd::Uid::effective().is_root() { Sandbox::AsUser { name: USER.to_owned() } } else { Sandbox::AsSelf }
}

/// Launches, or says loudly why this machine cannot and gives nothing.
pub(crate) async fn launch(edge: &TestEdge) -> Option<Browser> {
    launch_with(edge, |_| ()).await
}

pub(crate) async fn launch_with(edge: &TestEdge, change: impl FnOnce(&mut LaunchConfig)) -> Option<Browser> {
    launch_in(edge, Quarters::make(sandbox(), NamespaceWish::WhereItCanBeHad).await, change).await
}

pub(crate) async fn launch_in(
    edge: &TestEdge,
    quarters: Result<Quarters, LaunchError>,
    change: impl FnOnce(&mut LaunchConfig),
) -> Option<Browser> {
    let named = std::env::var_os("CLICKET_CHROMIUM").map(PathBuf::from);
    let binary = match find(named.as_deref()) {
        Ok(binary) => binary,
        Err(error) => return skip(&error.to_string()),
    };
    let mut config = config(edge, binary);
    change(&mut config);
    let mut quarters = match quarters {
        Ok(quarters) => quarters,
        Err(error @ LaunchError::NoUser { .. }) => return skip(&error.to_string()),
        Err(error) => panic!("{error}"),
    };
    edge.serve(&mut quarters);
    Some(Browser::launch(config, quarters).await.unwrap())
}

fn skip<T>(why: &str) -> Option<T> {
    eprintln!("\n##### SKIPPED, NOT TESTED: {why} #####\n");
    None
}

/// Processes whose command line holds the text.
pub(crate) fn processes_with(text: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(text) && *pid != std::process::id()
        })
        .collect()
}

pub(crate) fn processes_in_group(group: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| group_of(*pid) == Some(group))
        .collect()
}

/// The group of a process that is not dead; a dead one may wait long for a lazy init to reap it.
fn group_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    let alive = fields.next()? != "Z";
    fields.nth(1)?.parse().ok().filter(|_| alive)
}

/// Waits until the look is true, at most five seconds.
pub(crate) async fn soon(what: &str, mut look: impl FnMut() -> bool) {
    for _ in 0..500 {
        if look() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not within five seconds: {what}");
}

/// A permit for one action, from guard's own gate with a journal in a temporary folder.
pub(crate) fn permit(action: Action) -> ActPermit {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), &RunId::new(0, [7; 8])).unwrap();
    let entry = serde_json::from_value(serde_json::json!({ "id": "e1", "operation": "press", "action": action })).unwrap();
    let act = Act { entry, observation: Digest::of(b"test"), control_words: String::new(), page_words: String::new() };
    let judgement = Policy::shipped().unwrap().judge_action(ActionClass::Observe, 1.0, Attendance::Attended);
    match admit(&mut journal, Moment { unix_ms: 0, steady_ms: 0 }, act, judgement).unwrap() {
        Admission::Permit(permit) => permit,
        other => panic!("{other:?}"),
    }
}

/// A browser on `http://page.test/`, settled.
pub(crate) async fn open(edge: &TestEdge) -> Option<Browser> {
    let mut browser = launch(edge).await?;
    go(&mut browser, "http://page.test/").await;
    Some(browser)
}

pub(crate) async fn go(browser: &mut Browser, url: &str) {
    let outcome = browser.perform(permit(Action::Navigate { url: url.to_owned() }), &[]).await;
    assert_eq!(outcome, done(), "{url}");
    settle(browser).await;
}

/// An edge at which so many requests are under way, for good.
pub(crate) fn at_edge(requests: usize) -> Traffic {
    tokio::sync::watch::channel(requests).1
}

pub(crate) async fn settle(browser: &mut Browser) -> Settled {
    browser.settle(&mut at_edge(0), 5_000).await.unwrap()
}

pub(crate) async fn look(browser: &mut Browser) -> Observation {
    browser.observe(&Scrubber::default()).await.unwrap()
}

pub(crate) fn control<'o>(seen: &'o Observation, name: &str) -> &'o Control {
    let found = seen.controls.iter().find(|control| control.name.for_model() == name);
    found.unwrap_or_else(|| panic!("no {name:?} among {:?}", names(seen)))
}

pub(crate) fn names(seen: &Observation) -> Vec<String> {
    seen.controls.iter().map(|control| control.name.for_model().to_owned()).collect()
}

pub(crate) fn bound(control: &Control) -> Bound {
    Bound { handle: control.handle, meaning: control.meaning }
}

pub(crate) async fn press(browser: &mut Browser, seen: &Observation, name: &str) -> Outcome {
    let control = bound(control(seen, name));
    browser.perform(permit(Action::Press { control }), &[]).await
}

pub(crate) fn text_of(text: &str) -> ValueSource {
    ValueSource::Text { key: None, text: text.to_owned() }
}

pub(crate) fn done() -> Outcome {
    Outcome::Done { read_back: ReadBack::None }
}

pub(crate) fn holds() -> Outcome {
    Outcome::Done { read_back: ReadBack::Holds }
}

/// As [`soon`], for looks that ask the browser.
pub(crate) async fn soon_async(what: &str, mut look: impl AsyncFnMut() -> bool) {
    for _ in 0..250 {
        if look().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("not within five seconds: {what}");
}

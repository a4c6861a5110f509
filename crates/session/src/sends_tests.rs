//! A page whose listeners or requests change between the check and the event: the site gets what was meant, or nothing.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clicket_chromium::{
    Browser, CookieJar, Headed, LaunchConfig, LaunchError, NamespaceWish, PageScripts, ProxyRoute, Quarters, Sandbox,
};
use clicket_egress::{Edge, EdgeConfig, EdgeLimits, ResolverChoice};
use clicket_guard::address::{HostRules, OperatorGrant};
use clicket_guard::approval::{Answered, Approver, Asking, Attendance, Decision, DeskKey, Ticket};
use clicket_guard::gate::{Act, Admission, admit};
use clicket_guard::observation::Control;
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::{Action, Bound};
use clicket_guard::policy::{Policy, RequestPattern};
use clicket_guard::reach::{Profile, Reach};
use clicket_guard::risk::ActionClass;
use clicket_guard::secret::Scrubber;
use clicket_guard::web::{Origin, WebUrl};
use clicket_journal::{Digest, Journal, RunId};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::clock::Clock;
use crate::edge_desk::{Causes, DeskParts, EdgeDesk};
use crate::live::Silent;

const PAGE: &str = include_str!("sends.html");

/// A person who reads the whole ticket and allows what was meant, and nothing that says anything else.
struct Reader {
    key: DeskKey,
    trial: AtomicU32,
    asked: AtomicU32,
}

impl Approver for Reader {
    fn attendance(&self) -> Attendance {
        Attendance::Attended
    }

    fn ask(&self, ticket: Ticket, _wait: Duration) -> Asking<'_> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let words = serde_json::to_string(ticket.words()).unwrap();
        let trial = self.trial.load(Ordering::SeqCst).to_string();
        let meant = words.contains("/save") && words.contains("good") && words.contains(&trial) && !words.contains("evil");
        let decision = if meant { Decision::AllowOnce } else { Decision::Refuse };
        let answered = Answered::By(ticket.answer(&self.key, decision));
        Box::pin(async move { answered })
    }
}

/// What the site got, as `METHOD path body`.
type Log = Arc<Mutex<Vec<String>>>;

async fn site() -> (String, Log) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://localhost:{}", listener.local_addr().unwrap().port());
    let log = Log::default();
    let kept = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, Arc::clone(&kept)));
        }
    });
    (origin, log)
}

async fn answer(mut stream: tokio::net::TcpStream, log: Log) -> Option<()> {
    loop {
        let mut got = Vec::new();
        let (head, body_at) = loop {
            let mut chunk = [0; 4_096];
            let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
            got.extend_from_slice(&chunk[..read]);
            if let Some(at) = got.windows(4).position(|window| window == b"\r\n\r\n") {
                break (String::from_utf8_lossy(&got[..at]).into_owned(), at + 4);
            }
        };
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        while got.len() < body_at + length.unwrap_or(0) {
            let mut chunk = [0; 4_096];
            let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
            got.extend_from_slice(&chunk[..read]);
        }
        let line = head.lines().next()?.trim_end_matches(" HTTP/1.1").to_owned();
        let page = if line == "GET /" { PAGE } else { "" };
        if !line.starts_with("GET ") {
            log.lock().unwrap().push(format!("{line} {}", String::from_utf8_lossy(&got[body_at..])));
        }
        let status = if page.is_empty() { "204 No Content\r\n" } else { "200 OK\r\ncontent-type: text/html\r\n" };
        let length = if page.is_empty() { String::new() } else { format!("content-length: {}\r\n", page.len()) };
        stream.write_all(format!("HTTP/1.1 {status}{length}\r\n{page}").as_bytes()).await.ok()?;
    }
}

struct House {
    browser: Browser,
    edge: Edge,
    desk: EdgeDesk,
    origin: String,
    log: Log,
    reader: Arc<Reader>,
    /// With the operator's rule for the form that is pressed, and without.
    ruled: Policy,
    bare: Policy,
    _folder: tempfile::TempDir,
}

/// The whole road with a browser on the page, or nothing and a loud word where this machine has none.
async fn house() -> Option<House> {
    let (origin, log) = site().await;
    let named = std::env::var_os("CLICKET_CHROMIUM").map(std::path::PathBuf::from);
    let binary = match clicket_chromium::find(named.as_deref()) {
        Ok(binary) => binary,
        Err(error) => return skip(&error.to_string()),
    };
    let root = rustix::process::geteuid().is_root();
    let sandbox = if root { Sandbox::AsUser { name: "clicket".into() } } else { Sandbox::AsSelf };
    let mut quarters = match Quarters::make(sandbox, NamespaceWish::WhereItCanBeHad).await {
        Ok(quarters) => quarters,
        Err(error @ LaunchError::NoUser { .. }) => return skip(&error.to_string()),
        Err(error) => panic!("{error}"),
    };
    let local = Origin::read(&origin).unwrap();
    let start = WebUrl::read(&origin).unwrap();
    let config = EdgeConfig {
        blind: clicket_egress::BlindTo::Origins(Vec::new()),
        documents: clicket_egress::Documents::Any,
        reach: Reach::new(Profile::Site, &start, Vec::new(), Vec::new(), vec![local.clone()]).unwrap(),
        grants: vec![OperatorGrant::local_origin(&local).unwrap()],
        host_rules: HostRules::default(),
        extra_roots_pem: Vec::new(),
        resolver: ResolverChoice::System,
        downloads: None,
        limits: EdgeLimits::default(),
    };
    let (edge, events) = Edge::open_on(quarters.take_listener().unwrap(), config).await.unwrap();
    let launch = LaunchConfig {
        service_workers: clicket_chromium::ServiceWorkers::Run,
        watch: clicket_chromium::PageWatch::Page,
        binary,
        headed: Headed::No,
        proxy: ProxyRoute {
            user: edge.credential().user().to_owned(),
            password: edge.credential().password().to_owned(),
            seed_url: edge.seed_url().to_owned(),
            spki: edge.ca_spki_sha256_base64().to_owned(),
        },
        page_scripts: PageScripts::On,
        viewport: (1280, 900),
        deadline: Duration::from_secs(30),
        leases: None,
        cookies: CookieJar::default(),
    };
    let browser = Browser::launch(launch, quarters).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::create(folder.path(), &RunId::new(0, [7; 8])).unwrap();
    let bare = Policy::shipped().unwrap();
    let mut ruled = bare.clone();
    ruled.allow_write(RequestPattern::parse("POST /save").unwrap(), local);
    let reader = Arc::new(Reader { key: DeskKey::mint(), trial: AtomicU32::new(0), asked: AtomicU32::new(0) });
    let desk = EdgeDesk::new(DeskParts {
        events,
        journal,
        policy: bare.clone(),
        approver: Arc::clone(&reader) as Arc<dyn Approver>,
        watch: Arc::new(Silent),
        scrub: Scrubber::default(),
        earlier: Vec::new(),
        clock: Clock::start(),
        wait: Duration::from_secs(5),
    });
    let mut house = House { browser, edge, desk, origin, log, reader, ruled, bare, _folder: folder };
    house.open("").await;
    house.settle().await;
    Some(house)
}

fn skip<T>(why: &str) -> Option<T> {
    eprintln!("\n##### SKIPPED, NOT TESTED: {why} #####\n");
    None
}

impl House {
    async fn perform(&mut self, action: Action) -> Outcome {
        let entry = serde_json::from_value(json!({ "id": "e1", "operation": "press", "action": action })).unwrap();
        let act = Act { entry, observation: Digest::of(b"test"), control_words: "Save".into(), page_words: String::new() };
        let judgement = self.desk.policy.judge_action(ActionClass::Observe, 1.0, Attendance::Attended);
        let now = self.desk.now();
        let Admission::Permit(permit) = admit(&mut self.desk.journal, now, act, judgement).unwrap() else { panic!() };
        let causes = if matches!(action, Action::Navigate { .. }) { Causes::Nothing } else { Causes::Writes };
        let intent = permit.intent().to_owned();
        self.desk.begin(&intent, "press Save".into(), causes);
        let outcome = self.desk.watching(self.browser.perform(permit, &[])).await;
        self.desk.finish(&intent, &serde_json::to_value(&outcome).unwrap()).unwrap();
        outcome
    }

    async fn open(&mut self, hash: &str) {
        let url = format!("{}/{hash}", self.origin);
        assert!(matches!(self.perform(Action::Navigate { url }).await, Outcome::Done { .. }));
    }

    async fn settle(&mut self) {
        let mut traffic = self.edge.in_flight();
        self.desk.watching(self.browser.settle(&mut traffic, 3_000)).await.unwrap();
        self.desk.drain();
        self.desk.finish_asking().await;
        self.desk.finish_sending().await;
    }

    /// The control of a trial and what the page says of it.
    async fn shown(&mut self, number: u32) -> (Control, Value) {
        for _ in 0..200 {
            let seen = self.desk.watching(self.browser.observe(&Scrubber::default())).await.unwrap();
            let plan: Value = serde_json::from_str(seen.title.for_model()).unwrap();
            if plan["n"] == number {
                return (seen.controls.into_iter().find(|control| control.name.for_model() == "Save").unwrap(), plan);
            }
        }
        panic!("trial {number} never came up");
    }

    /// One press; what the site got, and what the trial was.
    async fn trial(&mut self, number: u32, kind: &str) -> (Vec<String>, Outcome, String) {
        self.reader.trial.store(number, Ordering::SeqCst);
        self.open(&format!("#{number}.{kind}")).await;
        let (control, plan) = self.shown(number).await;
        // A rule speaks for the form as it was seen; where there is none, a person reads what is sent.
        self.desk.policy = if control.form.is_some() { self.ruled.clone() } else { self.bare.clone() };
        self.desk.acting_form = control.form.clone();
        let outcome = self.perform(Action::Press { control: Bound { handle: control.handle, meaning: control.meaning } }).await;
        self.settle().await;
        self.desk.acting = None;
        self.desk.acting_form = None;
        self.desk.trouble = None;
        let got = std::mem::take(&mut *self.log.lock().unwrap());
        (got, outcome, plan["what"].as_str().unwrap().to_owned())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_listeners_or_requests_change_under_a_press_sends_what_was_meant_or_nothing_soak() {
    let soak = std::env::var_os("CLICKET_SOAK").is_some();
    let rounds: [(&str, u32); 3] =
        if soak { [("listener", 250), ("network", 250), ("none", 50)] } else { [("listener", 4), ("network", 4), ("none", 2)] };
    let Some(mut house) = house().await else { return };
    let first: u32 = std::env::var("CLICKET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut wrong = 0;
    eprintln!("{:<9} {:>6} {:>8} {:>6} {:>6}", "kind", "sent", "nothing", "wrong", "asked");
    for (kind, count) in rounds {
        let (mut sent, mut nothing, asked_before, wrong_before) = (0, 0, house.reader.asked.load(Ordering::SeqCst), wrong);
        for number in first..first + count {
            let (got, outcome, what) = house.trial(number, kind).await;
            let number = number.to_string();
            match got.as_slice() {
                [] if kind == "none" => wrong += 1,
                [] => nothing += 1,
                [one]
                    if one.starts_with("POST /save ")
                        && one.contains(&number)
                        && one.contains("good")
                        && !one.contains("evil") =>
                {
                    sent += 1
                }
                _ => wrong += 1,
            }
            if wrong > wrong_before || std::env::var_os("CLICKET_SEED").is_some() {
                eprintln!("{what} seed {number}: {outcome:?}, the site got {got:?}");
            }
        }
        let asked = house.reader.asked.load(Ordering::SeqCst) - asked_before;
        eprintln!("{kind:<9} {sent:>6} {nothing:>8} {:>6} {asked:>6}", wrong - wrong_before);
    }
    house.browser.close().await;
    assert_eq!(wrong, 0);
}

use super::*;

fn complete(sandbox: &Sandbox) -> Vec<String> {
    arguments(&Facts {
        profile: Path::new("/tmp/profile"),
        dead_port: "127.0.0.1:9".parse().unwrap(),
        proxy: "127.0.0.1:3128".parse().unwrap(),
        spki: "AAAA",
        viewport: (1280, 900),
        headed: Headed::No,
        sandbox,
    })
}

#[test]
fn the_whole_command_line_is_accepted() {
    assert_eq!(verify(&complete(&Sandbox::AsSelf), &Sandbox::AsSelf), Ok(()));
}

#[test]
fn each_removed_invariant_refuses_to_start() {
    for rule in INVARIANTS {
        let broken = without(&complete(&Sandbox::AsSelf), rule.need);
        assert!(verify(&broken, &Sandbox::AsSelf).is_err(), "removing {:?} was not noticed", rule.need);
    }
}

/// What must never fall out of the list itself: a row that is not there is not missed by a test that goes over the rows.
const CONFINING: &[&str] = &[
    "--remote-debugging-pipe",
    "--user-data-dir",
    "--proxy-server",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-notifications",
    "--no-pings",
    "--metrics-recording-only",
    "DnsOverHttps",
    "Prerender2",
    "SpeculationRulesPrefetchFuture",
    "LoadingPredictor",
    "Reporting",
    "NetworkErrorLogging",
    "PushMessaging",
    "BackgroundFetch",
    "MediaRouter",
];

#[test]
fn every_row_that_confines_the_browser_is_there() {
    let spelled = |rule: &Invariant| match rule.need {
        Need::Switch(text) | Need::Valued(text) | Need::FeatureOff(text) => text,
    };
    for row in CONFINING {
        assert!(INVARIANTS.iter().any(|rule| spelled(rule) == *row), "{row} fell out of the list");
    }
    let mutants = INVARIANTS.len() + 2 * FORBIDDEN.len();
    assert!(CONFINING.len() >= 20 && mutants >= 80, "{mutants} command lines with a row too few or too many are refused");
}

fn without(arguments: &[String], need: Need) -> Vec<String> {
    let named = |argument: &&String, name: &str| argument.split('=').next() != Some(name);
    match need {
        Need::Switch(text) => arguments.iter().filter(|argument| *argument != text).cloned().collect(),
        Need::Valued(name) => arguments.iter().filter(|argument| named(argument, name)).cloned().collect(),
        Need::FeatureOff(name) => arguments.iter().map(|argument| drop_feature(argument, name)).collect(),
    }
}

fn drop_feature(argument: &str, name: &str) -> String {
    match argument.strip_prefix("--disable-features=") {
        None => argument.to_owned(),
        Some(list) => {
            let kept: Vec<&str> = list.split(',').filter(|feature| *feature != name).collect();
            format!("--disable-features={}", kept.join(","))
        }
    }
}

#[test]
fn a_doubled_switch_that_would_override_refuses_to_start() {
    for doubled in ["--proxy-server=direct://", "--proxy-bypass-list=*", "--user-data-dir=/root", "--disable-features=X"] {
        let mut broken = complete(&Sandbox::AsSelf);
        broken.push(doubled.to_owned());
        assert!(verify(&broken, &Sandbox::AsSelf).is_err(), "{doubled}");
    }
}

#[test]
fn each_forbidden_switch_refuses_to_start() {
    for (name, _) in FORBIDDEN {
        for spelling in [(*name).to_owned(), format!("{name}=1")] {
            let mut broken = complete(&Sandbox::AsSelf);
            broken.push(spelling.clone());
            assert!(verify(&broken, &Sandbox::AsSelf).is_err(), "{spelling}");
        }
    }
}

#[test]
fn the_sandbox_is_off_only_when_it_was_switched_off_by_name() {
    let off = complete(&Sandbox::DangerouslyOff);
    assert!(off.iter().any(|argument| argument == "--no-sandbox"));
    assert_eq!(verify(&off, &Sandbox::DangerouslyOff), Ok(()));
    assert!(verify(&off, &Sandbox::AsSelf).is_err());
    assert!(verify(&off, &Sandbox::AsUser { name: "clicket".to_owned() }).is_err());
}

/// Listens on loopback, outside every proxy.
fn canary() -> (std::net::TcpListener, std::net::UdpSocket, u16) {
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    let udp = std::net::UdpSocket::bind(("127.0.0.1", port)).unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    (tcp, udp, port)
}

/// Starts a real browser with this command line on a page that speaks to the canary in every way it can; whether it was heard.
fn gets_past(binary: &Path, broken: &[String], wait: std::time::Duration) -> bool {
    use std::os::unix::process::CommandExt;
    let (tcp, udp, port) = canary();
    let page = format!(
        "data:text/html,<script>fetch('http://127.0.0.1:{port}/',{{mode:'no-cors'}}).catch(()=>0);\
         const c=new RTCPeerConnection({{iceServers:[{{urls:'stun:127.0.0.1:{port}'}}]}});c.createDataChannel('x');\
         c.createOffer().then((o)=>c.setLocalDescription(o))</script>"
    );
    let profile = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(binary);
    // A window on the page takes the place of the pipe, which is not what is tried here.
    let kept = broken.iter().filter(|argument| {
        !argument.starts_with("--user-data-dir")
            && !["--remote-debugging-pipe", "--no-startup-window"].contains(&argument.as_str())
    });
    command.args(kept).arg(format!("--user-data-dir={}", profile.path().display())).arg(page);
    command.env_clear().env("HOME", profile.path()).process_group(0);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    if nix::unistd::geteuid().is_root() {
        let user = nix::unistd::User::from_name("clicket").unwrap().unwrap();
        nix::unistd::chown(profile.path(), Some(user.uid), Some(user.gid)).unwrap();
        command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
    }
    let mut browser = command.spawn().unwrap();
    let until = std::time::Instant::now() + wait;
    let mut heard = false;
    while !heard && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(50));
        heard = tcp.accept().is_ok() || udp.recv(&mut [0; 64]).is_ok();
    }
    let group = nix::unistd::Pid::from_raw(i32::try_from(browser.id()).unwrap());
    let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
    browser.wait().unwrap();
    heard
}

#[test]
fn a_row_taken_out_lets_packets_past_that_the_whole_line_stops_soak() {
    if std::env::var_os("CLICKET_SOAK").is_none() {
        return;
    }
    let root_without_user = nix::unistd::geteuid().is_root() && nix::unistd::User::from_name("clicket").unwrap().is_none();
    let binary = match crate::find::find(None) {
        Ok(binary) if !root_without_user => binary,
        _ => {
            eprintln!("\n##### SKIPPED, NOT TESTED: no browser, or no user for it #####\n");
            return;
        }
    };
    let whole = complete(&Sandbox::AsSelf);
    let rows: [&[Need]; 3] = [
        &[Need::Switch("--proxy-bypass-list=<-loopback>")],
        &[Need::Valued("--proxy-server")],
        &[
            Need::Switch("--webrtc-ip-handling-policy=disable_non_proxied_udp"),
            Need::Switch("--force-webrtc-ip-handling-policy=disable_non_proxied_udp"),
        ],
    ];
    assert!(!gets_past(&binary, &whole, std::time::Duration::from_secs(8)), "the whole command line lets packets past");
    for row in rows {
        let broken = row.iter().fold(whole.clone(), |line, need| without(&line, *need));
        assert!(verify(&broken, &Sandbox::AsSelf).is_err(), "{row:?}");
        let heard = gets_past(&binary, &broken, std::time::Duration::from_secs(20));
        eprintln!("without {row:?}: {}", if heard { "heard past the proxy" } else { "not heard" });
        assert!(heard, "without {row:?} nothing gets past, so nothing shows that it is needed");
    }
}

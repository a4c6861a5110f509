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

//! The chore on the first shop and on a second one with other labels, order, paths and markup.

use clicket_shop::{Front, ShopConfig};

use crate::support::{Case, count, is_exactly_the_chore};

#[test]
fn the_chore_is_verified_by_the_shops_own_log_every_time_soak() {
    for round in 0..count(2, 20) {
        let case = Case::start(ShopConfig::default());
        let ran = case.run(&[case.chore(), vec!["--json".into()]].concat());
        assert!(ran.code == 0 && is_exactly_the_chore(&ran.effects()), "round {round}: {}", ran.said());
        let report = ran.json();
        let steps = report["steps"].as_array().unwrap().len();
        assert!((6..=10).contains(&steps), "round {round}: {steps} steps: {}", ran.said());
        let verified =
            crate::support::clicket().args(["journal", "verify", "last", "--journal"]).arg(case.journal()).output().unwrap();
        assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    }
}

#[test]
fn the_same_chore_works_on_a_second_shop_with_other_labels_order_paths_and_markup_soak() {
    let mut failed = Vec::new();
    for seed in 0..count(2, 20) {
        let case = Case::start(ShopConfig { front: Front::Second, seed, ..ShopConfig::default() });
        let ran = case.run(&[case.chore(), vec!["--json".into()]].concat());
        if ran.code != 0 || !is_exactly_the_chore(&ran.effects()) {
            failed.push(format!("seed {seed}: {}", ran.said()));
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn a_wrong_expectation_is_never_verified() {
    let case = Case::start(ShopConfig::default());
    let mut options = case.chore();
    options.extend(["--expect-text".into(), "Your order is on its way".into(), "--steps".into(), "12".into()]);
    let ran = case.run(&options);
    assert!(ran.code == 3 || ran.code == 4, "{}", ran.said());
    assert!(!ran.out.contains("verified the page"), "{}", ran.said());
}

#[test]
fn what_was_true_before_the_first_step_proves_nothing() {
    let case = Case::start(ShopConfig::default());
    let mut options = case.chore();
    options.extend(["--expect-url".into(), "shop.example".into()]);
    let ran = case.run(&options);
    assert_eq!(ran.code, 4, "{}", ran.said());
    assert!(ran.out.contains("true before the first step"), "{}", ran.said());
    assert!(ran.effects().is_empty(), "{}", ran.said());
}

#[test]
fn nothing_is_left_behind() {
    let case = Case::start(ShopConfig::default());
    let ran = case.run(&case.chore());
    assert_eq!(ran.code, 0, "{}", ran.said());
    crate::support::assert_nothing_left_behind();
}

#[test]
fn ctrl_c_leaves_no_browser_and_a_sealed_record() {
    let case = Case::start(ShopConfig::default());
    let mut options = case.chore();
    // A text that never comes, so that the run is still going when it is stopped.
    options.extend(["--expect-text".into(), "never shown anywhere".into()]);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_clicket"))
        .args(&options)
        .env("SHOP_PASSWORD", ShopConfig::PASSWORD)
        .env("CLICKET_JOURNAL_KEY", crate::support::JOURNAL_KEY)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .stdin(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while case.shop().log().len() < 3 && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    crate::support::assert_nothing_left_behind();
    let verified =
        crate::support::clicket().args(["journal", "verify", "last", "--journal"]).arg(case.journal()).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

//! Without `--allow`, writes wait for a person at the terminal, who sees exactly what would be sent.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clicket_shop::{Effect, ShopConfig, SignInBy};

use crate::support::{Case, Ran, is_exactly_the_chore};

/// Runs the chore on a pseudo-terminal of its own and types `answers`, one at each question.
fn at_a_terminal(case: &Case, options: &[String], answers: &[&str]) -> (Ran, String) {
    let (code, out, err, screen) = type_answers(case.folder.path(), options, answers);
    (Ran { code, out, err, log: case.shop().log() }, screen)
}

/// Exit code, both outputs and what was on the screen.
pub(crate) fn type_answers(folder: &std::path::Path, options: &[String], answers: &[&str]) -> (i32, String, String, String) {
    let pair = nix::pty::openpty(None, None).unwrap();
    let (out, err) = (folder.join("out"), folder.join("err"));
    let mut child = Command::new("setsid")
        .args(["--ctty", "--wait", env!("CARGO_BIN_EXE_clicket")])
        .args(options)
        .env("SHOP_PASSWORD", ShopConfig::PASSWORD)
        .env("CLICKET_JOURNAL_KEY", crate::support::JOURNAL_KEY)
        .env("NO_COLOR", "1")
        .stdin(Stdio::from(pair.slave))
        .stdout(std::fs::File::create(&out).unwrap())
        .stderr(std::fs::File::create(&err).unwrap())
        .spawn()
        .unwrap();
    let mut keyboard = std::fs::File::from(pair.master);
    let mut screen = String::new();
    let mut answered = 0;
    let deadline = Instant::now() + Duration::from_secs(90);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            drop(child.kill());
            panic!("no end; the screen was {screen}");
        }
        let mut watched = [nix::poll::PollFd::new(std::os::fd::AsFd::as_fd(&keyboard), nix::poll::PollFlags::POLLIN)];
        if nix::poll::poll(&mut watched, 100u16).unwrap() > 0 {
            let mut chunk = [0u8; 4_096];
            // The terminal hangs up when the program ends.
            let Ok(read) = keyboard.read(&mut chunk) else { continue };
            screen.push_str(&String::from_utf8_lossy(&chunk[..read]));
        }
        let asked = screen.matches("[s] stop the run: ").count();
        if asked > answered {
            let answer = answers.get(answered).unwrap_or(&"s");
            keyboard.write_all(format!("{answer}\n").as_bytes()).unwrap();
            answered = asked;
        }
    }
    let code = child.wait().unwrap().code().unwrap_or(-1);
    let read = |file| std::fs::read_to_string(file).unwrap();
    (code, read(&out), read(&err), screen)
}

#[test]
fn a_held_sign_in_is_shown_and_allowed_once_and_what_was_shown_is_what_arrives() {
    let case = Case::start(ShopConfig::default());
    let (ran, screen) = at_a_terminal(&case, &case.chore_without_leave(), &["a", "a"]);
    assert_eq!(ran.code, 0, "{}\n{screen}", ran.said());
    assert!(is_exactly_the_chore(&ran.effects()), "{}", ran.said());
    let path = case.shop().look().paths.sign_in;
    assert!(screen.contains(&format!("POST https://shop.example{path}")), "{screen}");
    assert!(screen.contains(ShopConfig::EMAIL), "the typed values are shown: {screen}");
    assert!(!screen.contains(ShopConfig::PASSWORD), "the secret is not: {screen}");
    assert!(screen.contains("[secret:password]"), "{screen}");
}

#[test]
fn a_refused_sign_in_reaches_nobody() {
    let case = Case::start(ShopConfig::default());
    let (ran, screen) = at_a_terminal(&case, &case.chore_without_leave(), &["r"]);
    assert_eq!(ran.code, 3, "{}\n{screen}", ran.said());
    assert!(ran.log.iter().all(|entry| entry.method != "POST"), "{}", ran.said());
}

#[test]
fn with_nobody_there_a_write_is_held_and_the_run_is_handed_back_with_what_to_add() {
    let case = Case::start(ShopConfig::default());
    let ran = case.run(&case.chore_without_leave());
    assert_eq!(ran.code, 3, "{}", ran.said());
    assert!(ran.out.contains("--allow \"POST /sign-in\""), "{}", ran.said());
    assert!(ran.effects().iter().all(|effect| **effect == Effect::None), "{}", ran.said());
}

#[test]
fn a_form_a_script_and_request_submit_are_held_alike() {
    for sign_in_by in [SignInBy::Form, SignInBy::RequestSubmit, SignInBy::Fetch] {
        let case = Case::start(ShopConfig { sign_in_by, ..ShopConfig::default() });
        let ran = case.run(&case.chore_without_leave());
        assert_eq!(ran.code, 3, "{sign_in_by:?}: {}", ran.said());
        assert!(ran.log.iter().all(|entry| entry.method != "POST"), "{sign_in_by:?}: {}", ran.said());
    }
}

#[test]
fn what_the_journal_says_was_allowed_is_what_the_shop_got_byte_for_byte() {
    let case = Case::start(ShopConfig::default());
    let ran = case.run(&case.chore());
    assert_eq!(ran.code, 0, "{}", ran.said());
    let add = case.shop().look().paths.add;
    let got = ran.log.iter().find(|entry| entry.method == "POST" && entry.path == add).unwrap();
    let shown =
        crate::support::clicket().args(["journal", "show", "last", "--json", "--journal"]).arg(case.journal()).output().unwrap();
    let allowed: Vec<String> = String::from_utf8_lossy(&shown.stdout)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|record| {
            record["kind"] == "intent" && record["body"]["deed"]["url"].as_str().is_some_and(|url| url.ends_with(add))
        })
        .map(|record| record["body"]["deed"]["body_digest"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(allowed, [format!("sha256:{}", got.body_sha256)]);
}

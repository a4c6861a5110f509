//! The terminal desk on a real pseudo-terminal, driven as a person would: what it shows, and which keys answer it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "all of this program is a test")]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::openpty;

const PROMPT: &str = "[s] stop the run: ";
const PATIENCE: Duration = Duration::from_secs(20);

/// Someone at a terminal, with the desk's program running on it.
struct Person {
    keyboard: File,
    screen: String,
    program: Child,
}

impl Person {
    /// Starts `script` in a session whose controlling terminal is a new pseudo-terminal. `$DESK` is the desk's program.
    fn sits_at(script: &str, wait_ms: u64) -> Self {
        let pair = openpty(None, None).unwrap();
        let program = Command::new("setsid")
            .args(["--ctty", "sh", "-c", script])
            .env("DESK", desk_program())
            .env("WAIT_MS", wait_ms.to_string())
            .stdin(Stdio::from(pair.slave))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self { keyboard: File::from(pair.master), screen: String::new(), program }
    }

    fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads the screen until `text` has been shown `times` times.
    fn sees(&mut self, text: &str, times: usize) {
        let deadline = Instant::now() + PATIENCE;
        while self.screen.matches(text).count() < times {
            assert!(Instant::now() < deadline, "never saw {text:?} {times} times in {:?}", self.screen);
            let mut watched = [PollFd::new(self.keyboard.as_fd(), PollFlags::POLLIN)];
            if poll(&mut watched, PollTimeout::from(100u16)).unwrap() == 0 {
                continue;
            }
            let mut chunk = [0u8; 4_096];
            let read = self.keyboard.read(&mut chunk).unwrap_or_else(|error| panic!("{error} after {:?}", self.screen));
            self.screen.push_str(&String::from_utf8_lossy(&chunk[..read]));
        }
    }

    /// What the program wrote on standard output, once it has ended; standard error must be empty.
    fn reads_the_result(mut self) -> String {
        let deadline = Instant::now() + PATIENCE;
        while self.program.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the program did not end; the screen was {:?}", self.screen);
            std::thread::sleep(Duration::from_millis(10));
        }
        let (mut out, mut err) = (String::new(), String::new());
        self.program.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        self.program.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!(err, "");
        out
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        if self.program.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = self.program.kill();
            let _ = self.program.wait();
        }
    }
}

/// Cargo builds the examples before it runs all tests of a package, but not before `--test terminal_desk` alone.
fn desk_program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("examples/desk");
    assert!(program.exists(), "build it with `cargo build -p clicket-console --example desk`");
    program
}

#[test]
fn each_letter_is_its_own_answer() {
    for (keys, answer, echo) in [
        ("a\n", "AllowOnce", "Allowed once."),
        (" A \n", "AllowOnce", "Allowed once."),
        ("r\n", "Refuse", "Refused."),
        ("s\n", "Stop", "Stopped."),
    ] {
        let mut person = Person::sits_at("exec $DESK", 20_000);
        person.sees(PROMPT, 1);
        person.types(keys);
        person.sees(echo, 1);
        assert_eq!(person.reads_the_result(), format!("Attended\n{answer}\n"), "{keys:?}");
    }
}

#[test]
fn the_ticket_is_shown_before_the_question_and_only_on_the_terminal() {
    let mut person = Person::sits_at("exec $DESK", 20_000);
    person.sees(PROMPT, 1);
    assert!(person.screen.contains("Clicket asks: Send this POST request to shop.example\r\n"), "{:?}", person.screen);
    assert!(person.screen.contains("field \"product\"   \"7\"\r\n"), "{:?}", person.screen);
    person.types("r\n");
    assert_eq!(person.reads_the_result(), "Attended\nRefuse\n");
}

#[test]
fn three_lines_that_are_no_answer_are_a_refusal() {
    let mut person = Person::sits_at("exec $DESK", 20_000);
    for (attempt, keys) in ["yes\n", "\n", &format!("a{}\n", " ".repeat(2_000))].into_iter().enumerate() {
        person.sees(PROMPT, attempt + 1);
        person.types(keys);
    }
    person.sees("That was no answer three times. Refused.", 1);
    assert_eq!(person.reads_the_result(), "Attended\nRefuse\n");
}

#[test]
fn a_wrong_line_may_be_followed_by_a_right_one() {
    let mut person = Person::sits_at("exec $DESK", 20_000);
    person.sees(PROMPT, 1);
    person.types("allow\n");
    person.sees(PROMPT, 2);
    person.types("a\n");
    assert_eq!(person.reads_the_result(), "Attended\nAllowOnce\n");
}

#[test]
fn typing_ahead_does_not_answer() {
    let mut person = Person::sits_at("sleep 0.2; exec $DESK", 20_000);
    person.types("a\na\na\na");
    person.sees(PROMPT, 1);
    person.types("r\n");
    assert_eq!(person.reads_the_result(), "Attended\nRefuse\n");
}

#[test]
fn a_pasted_second_line_does_not_answer_the_second_question() {
    let mut person = Person::sits_at("exec $DESK", 20_000);
    person.sees(PROMPT, 1);
    person.types("x\na\na\na\n");
    person.sees(PROMPT, 2);
    person.types("s\n");
    assert_eq!(person.reads_the_result(), "Attended\nStop\n");
}

#[test]
fn standard_input_does_not_answer() {
    let mut person = Person::sits_at("yes a | $DESK", 20_000);
    person.sees(PROMPT, 1);
    person.types("r\n");
    assert_eq!(person.reads_the_result(), "Attended\nRefuse\n");
}

#[test]
fn after_the_deadline_nobody_answered() {
    let mut person = Person::sits_at("exec $DESK", 300);
    person.sees("Nobody answered in time, so it is not allowed.", 1);
    assert_eq!(person.reads_the_result(), "Attended\nNobody\n");
}

#[test]
fn a_background_job_asks_nobody_and_is_not_stopped() {
    let person = Person::sits_at("set -m; $DESK & wait $!", 20_000);
    let started = Instant::now();
    assert_eq!(person.reads_the_result(), "Unattended\nNobody\n");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_job_that_loses_the_terminal_while_it_asks_has_no_answer() {
    let mut person = Person::sits_at("set -m; $DESK; bg >/dev/null; wait", 20_000);
    let started = Instant::now();
    person.sees(PROMPT, 1);
    // Control-Z stops the job; the shell takes the terminal back and lets the job go on in the background.
    person.types("\u{1a}");
    assert_eq!(person.reads_the_result(), "Attended\nNobody\n");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_withdrawn_question_does_not_keep_the_program_alive() {
    let mut person = Person::sits_at("GIVE_UP_MS=300 exec $DESK", 600_000);
    let started = Instant::now();
    person.sees(PROMPT, 1);
    assert_eq!(person.reads_the_result(), "Attended\nWithdrawn\n");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn without_a_controlling_terminal_there_is_no_desk() {
    let output = Command::new("setsid").arg("--wait").arg(desk_program()).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("no terminal to ask on: "), "{said}");
}

//! Bad input: one clear error, the right exit code, nothing left running.

use clicket_shop::{Certificate, ShopConfig};

use crate::models::{Character, FakeModel};
use crate::support::{Case, add_mug, assert_nothing_left_behind, clicket};

/// Exit code and standard error, with this run's own paths and ports taken out.
fn said(options: &[&str]) -> String {
    let output = clicket().args(options).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    format!("exit {}\n{}", output.status.code().unwrap_or(-1), text.trim_end())
}

#[test]
fn usage_errors_say_what_to_write() {
    let run = ["run", "https://shop.example/", "--goal", "x"];
    let cases: [&[&str]; 12] = [
        &["--fast"],
        &["--goal", " "],
        &["--value", "password=1"],
        &["--value", "Password"],
        &["--secret", "password=env:NO_SUCH_VARIABLE"],
        &["--secret", "password=hunter2"],
        &["--allow", "POST cart"],
        &["--model", "gpt"],
        &["--dangerously-host-map", "a.example=169.254.169.254:80"],
        &["--local-origin", "http://10.0.0.1"],
        &["--expect-text", ""],
        &["--site", "co.uk"],
    ];
    let mut all = String::new();
    for url in ["ftp://shop.example/", "https://user:pw@shop.example/", "http://shop.example/", "https://2130706433/"] {
        all.push_str(&format!("{url}\n{}\n", said(&["run", url, "--goal", "x"])));
    }
    for case in cases {
        // Only the last goal counts for the case that gives an empty one.
        let given: Vec<&str> = if case[0] == "--goal" { [&run[..2], case].concat() } else { [&run[..], case].concat() };
        all.push_str(&format!("{}\n{}\n", case.join(" ").trim_end(), said(&given)));
    }
    insta::assert_snapshot!(all, @r"
    ftp://shop.example/
    exit 2
    error: `ftp://shop.example/` can't be opened: only http and https URLs are opened
    https://user:pw@shop.example/
    exit 2
    error: `https://user:pw@shop.example/` can't be opened: the URL has a user name or password (an @ before the path), which can hide the real host
    http://shop.example/
    exit 2
    error: http://shop.example is plain HTTP, which passes only to an origin given as a local origin; use https, or for a server on this machine --local-origin http://localhost:PORT
    https://2130706433/
    exit 2
    error: `https://2130706433/` can't be opened: the host is written in an unusual way; if you mean 127.0.0.1, write that
    --fast
    exit 2
    error: unexpected argument '--fast' found

      tip: to pass '--fast' as a value, use '-- --fast'

    Usage: clicket run --goal <GOAL> <URL>

    For more information, try '--help'.
    --goal
    exit 2
    error: --goal is empty: say what is wanted, step by step
    --value password=1
    exit 2
    error: --value password=…: a password is a secret; give it as --secret password=env:NAME so that the model never sees it
    --value Password
    exit 2
    error: --value Password: write it as key=text
    --secret password=env:NO_SUCH_VARIABLE
    exit 2
    error: --secret password: the environment variable NO_SUCH_VARIABLE is not set; set it and run again
    --secret password=hunter2
    exit 2
    error: --secret password: write it as KEY=env:NAME, KEY=file:PATH or KEY=prompt
    --allow POST cart
    exit 2
    error: --allow: `POST cart` is not a request: write a method in capitals and an exact path, such as `POST /cart`
    --model gpt
    exit 2
    error: --model gpt: use `reflex`, or `systemone:https://api.typesafe.ai` with its key in TYPESAFE_API_KEY
    --dangerously-host-map a.example=169.254.169.254:80
    exit 2
    error: --dangerously-host-map a.example=169.254.169.254:80: 169.254.169.254:80 can't be granted: it is a metadata endpoint: cloud instance metadata (AWS, Google, Azure, Oracle and others) (169.254.169.254/32)
    --local-origin http://10.0.0.1
    exit 2
    error: --local-origin http://10.0.0.1: http://10.0.0.1 is not local: name localhost or a loopback address, or map the name to an address instead
    --expect-text
    exit 2
    error: --expect-text: an empty expectation proves nothing; give the text or part of the address that shows the goal is reached
    --site co.uk
    exit 2
    error: --site co.uk: co.uk is a public suffix, under which anyone can have a site: name the site below it
    ");
}

#[test]
fn a_broken_policy_refuses_to_start_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.toml");
    let mut all = String::new();
    for text in ["version = 1\n[class.write]\nverdict = \"maybe\"\n", "version = 1\nspeed = 3\n", "version = 1\n", "not toml"] {
        std::fs::write(&file, text).unwrap();
        all.push_str(&said(&["policy", "check", file.to_str().unwrap()]).replace(file.to_str().unwrap(), "FILE"));
        all.push('\n');
    }
    insta::assert_snapshot!(all, @r"
    exit 2
    error: FILE: policy line 3: unknown variant `maybe`, expected one of `allow`, `ask`, `refuse`
    exit 2
    error: FILE: policy line 2: unknown field `speed`, expected one of `version`, `class`, `rule`, `read`, `socket`
    exit 2
    error: FILE: the policy is empty: give at least one [class.NAME] or [[rule]], or leave --policy out to use the shipped one
    exit 2
    error: FILE: policy line 1: key with no value, expected `=`
    ");
}

#[test]
fn a_browser_that_is_not_there_or_is_a_script_is_said_to_be_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let run = |chromium| said(&["run", "https://shop.example/", "--goal", "x", "--journal", folder, "--chromium", chromium]);
    insta::assert_snapshot!(format!("{}\n{}", run("/no/such/file"), run("/usr/bin/chromium")), @r"
    exit 1
    error: --chromium or CLICKET_CHROMIUM names /no/such/file, which is not a readable file
    exit 1
    error: --chromium or CLICKET_CHROMIUM names /usr/bin/chromium, which is a script; wrapper scripts add flags of their own, so name the real binary (Debian: /usr/lib/chromium/chromium)
    ");
}

#[test]
fn a_host_that_does_not_exist_is_said_to_be_unreachable() {
    let folder = tempfile::tempdir().unwrap();
    let text = said(&["run", "https://nobody.example/", "--goal", "x", "--journal", folder.path().to_str().unwrap()]);
    assert!(text.starts_with("exit 1"), "{text}");
    assert!(text.contains("nobody.example"), "{text}");
    assert_nothing_left_behind();
}

#[test]
fn an_expired_certificate_is_never_clicked_away() {
    let case = Case::start(ShopConfig { certificate: Certificate::Expired, ..ShopConfig::default() });
    let ran = case.run(&case.chore());
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.err.contains("expired"), "{}", ran.said());
    assert!(ran.log.is_empty(), "{}", ran.said());
}

#[test]
fn a_journal_that_cannot_be_written_stops_everything() {
    let case = Case::start(ShopConfig::default());
    let mut options = case.chore();
    let at = options.iter().position(|option| option == "--journal").unwrap();
    options[at + 1] = "/proc/clicket".into();
    let ran = case.run(&options);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.err.contains("--journal DIR"), "{}", ran.said());
    assert!(ran.log.is_empty(), "{}", ran.said());
}

/// The chore with a model of this character, at most eight seconds long.
fn with_a_model(character: Character) -> crate::support::Ran {
    let case = Case::start(ShopConfig::default());
    let model = FakeModel::start(character);
    let mut options = case.chore();
    options.extend(["--model".into(), format!("systemone:http://{}", model.address()), "--time".into(), "8".into()]);
    let ran = case.run(&options);
    assert!(ran.effects().is_empty(), "{}", ran.said());
    assert_nothing_left_behind();
    ran
}

#[test]
fn a_model_that_names_what_was_not_offered_moves_nothing() {
    let ran = with_a_model(Character::Liar);
    assert_eq!(ran.code, 3, "{}", ran.said());
    assert!(ran.out.contains("the model can't be followed"), "{}", ran.said());
}

#[test]
fn a_model_that_never_answers_holds_a_run_no_longer_than_its_time() {
    let started = std::time::Instant::now();
    let ran = with_a_model(Character::Silent);
    assert_eq!(ran.code, 3, "{}", ran.said());
    assert!(ran.out.contains("time budget"), "{}", ran.said());
    assert!(started.elapsed().as_secs() < 30, "{}", ran.said());
}

#[test]
fn a_model_that_floods_is_cut_off() {
    let ran = with_a_model(Character::Flood);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.err.contains("bytes"), "{}", ran.said());
}

#[test]
fn a_model_that_refuses_the_key_is_said_to() {
    let ran = with_a_model(Character::WrongKey);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.err.contains("TYPESAFE_API_KEY"), "{}", ran.said());
}

/// A page that says at once that its write is done, and a server that takes the write and never answers it.
fn takes_a_write_and_never_answers() -> std::net::SocketAddr {
    use std::io::{Read as _, Write as _};
    const PAGE: &str = "<!doctype html><title>Shop</title><h1>Shop</h1><button onclick=\"document.querySelector('p').textContent='Mug added';\
        fetch('/add',{method:'POST',body:'mug'})\">Add mug</button><p></p>";
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let mut head = [0u8; 4096];
                while let Ok(read @ 1..) = stream.read(&mut head) {
                    if head[..read].starts_with(b"POST") {
                        std::thread::sleep(std::time::Duration::from_secs(120));
                        return;
                    }
                    let answer =
                        format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{PAGE}", PAGE.len());
                    stream.write_all(answer.as_bytes()).unwrap();
                }
            });
        }
    });
    address
}

#[test]
fn a_write_without_an_answer_is_uncertain_whatever_the_page_says_and_however_the_run_ends() {
    let _turn = crate::support::turn();
    let origin = format!("http://localhost:{}", takes_a_write_and_never_answers().port());
    let folder = tempfile::tempdir().unwrap();
    // Out of time while it waits, and with time enough to believe the page.
    for time in ["10", "60"] {
        // A folder each: a later run would not send it again.
        let journal = folder.path().join(time).display().to_string();
        let options = add_mug(&origin, time, &journal);
        let output = clicket().args(options).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(5), "--time {time}: {said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.starts_with("uncertain POST ") && said.contains("/add was sent and its answer never came"), "{said}");
    }
}

//! Bad input: one clear error, the right exit code, nothing left running.

use clicket_shop::{Certificate, ShopConfig};

use crate::support::{Case, clicket, left_behind};

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
        all.push_str(&format!("{}\n{}\n", case.join(" "), said(&given)));
    }
    insta::assert_snapshot!(all, @"");
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
    error: FILE: policy line 2: unknown field `speed`, expected one of `version`, `class`, `rule`
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
    error: CLICKET_CHROMIUM names /no/such/file, which is not a readable file
    exit 1
    error: CLICKET_CHROMIUM names /usr/bin/chromium, which is a script; wrapper scripts add flags of their own, so name the real binary (Debian: /usr/lib/chromium/chromium)
    ");
}

#[test]
fn a_host_that_does_not_exist_is_said_to_be_unreachable() {
    let folder = tempfile::tempdir().unwrap();
    let text = said(&["run", "https://nobody.example/", "--goal", "x", "--journal", folder.path().to_str().unwrap()]);
    assert!(text.starts_with("exit 1"), "{text}");
    assert!(text.contains("nobody.example"), "{text}");
    assert_eq!(left_behind(), Vec::<String>::new());
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

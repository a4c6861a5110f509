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
    insta::assert_snapshot!(said(&["run", "https://shop.example/", "--goal", "x", "--fast"]), @"");
    insta::assert_snapshot!(said(&["run", "ftp://shop.example/", "--goal", "x"]), @"");
    insta::assert_snapshot!(said(&["run", "https://user:pw@shop.example/", "--goal", "x"]), @"");
    insta::assert_snapshot!(said(&["run", "http://shop.example/", "--goal", "x"]), @"");
    insta::assert_snapshot!(said(&["run", "https://shop.example/", "--goal", " "]), @"");
    insta::assert_snapshot!(said(&["run", "https://shop.example/", "--goal", "x", "--value", "password=1"]), @"");
    insta::assert_snapshot!(said(&["run", "https://shop.example/", "--goal", "x", "--secret", "password=env:NO_SUCH_VARIABLE"]), @"");
    insta::assert_snapshot!(said(&["run", "https://shop.example/", "--goal", "x", "--secret", "password=hunter2"]), @"");
    insta::assert_snapshot!(said(&["run", "https://shop.example/", "--goal", "x", "--allow", "POST cart"]), @"");
    insta::assert_snapshot!(said(&["run", "https://shop.example/", "--goal", "x", "--model", "gpt"]), @"");
    insta::assert_snapshot!(said(&["run", "https://shop.example/", "--goal", "x", "--dangerously-host-map", "a=169.254.169.254:80"]), @"");
    insta::assert_snapshot!(said(&["run", "https://shop.example/", "--goal", "x", "--expect-text", ""]), @"");
    insta::assert_snapshot!(said(&["run", "https://shop.example/", "--goal", "x", "--chromium", "/no/such/file"]), @"");
    insta::assert_snapshot!(said(&["journal", "show", "no-such-run", "--journal", "/no/such/folder"]), @"");
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
    insta::assert_snapshot!(all, @"");
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

//! `clicket redact`: a text goes in, what a model may see comes out.

use std::io::Write as _;
use std::process::{Output, Stdio};

use crate::support::clicket;

fn redacted(options: &[&str], text: &[u8]) -> Output {
    let mut child = clicket()
        .arg("redact")
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its options reads nothing.
    drop(child.stdin.take().unwrap().write_all(text));
    child.wait_with_output().unwrap()
}

fn printed(options: &[&str], text: &str) -> String {
    let output = redacted(options, text.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const TEXT: &str =
    "To: ada@shop.example\n\n  See https://shop.example/a?b=c, call +49 30 1234567.\nBorn 1815-12-10; order 100-2345678.";

#[test]
fn a_text_is_printed_redacted_with_its_lines() {
    insta::assert_snapshot!(printed(&[], TEXT), @r"
    To: [REDACTED_EMAIL]

      See https://shop.example/a call [REDACTED_PHONE].
    Born 1815-12-10; order 100-2345678.
    ");
    assert_eq!(printed(&["-"], "no line end"), "no line end");
    assert_eq!(printed(&[], ""), "");
}

#[test]
fn files_are_read_and_kinds_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (file, values) = (folder.path().join("mail.txt"), folder.path().join("values"));
    std::fs::write(&file, TEXT).unwrap();
    std::fs::write(&values, "\n1815-12-10\n").unwrap();
    let json = printed(&["--json", "--values", values.to_str().unwrap(), file.to_str().unwrap()], "");
    insta::assert_snapshot!(json, @r#"{"text":"To: [REDACTED_EMAIL]\n\n  See https://shop.example/a call [REDACTED_PHONE].\nBorn [REDACTED_VALUE]; order 100-2345678.","counts":{"value":1,"email":1,"phone":1,"query":1}}"#);
    std::fs::write(&values, "long enough\nabc\n").unwrap();
    let refused = redacted(&["--values", values.to_str().unwrap()], b"abc");
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&refused.stderr), "error: --values: line 2 is too short to be told from other text\n");
    let refused = redacted(&["/no/such/file"], b"");
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stdout.is_empty());
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_what_stands_beside_them_is_still_found() {
    let output = redacted(&[], b"\xff\xfe ada@shop.example \x00\x1b[31m ada\xc2\xad@shop.example");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, "\u{fffd}\u{fffd} [REDACTED_EMAIL]   [31m [REDACTED_EMAIL]");
}

use serde_json::json;

use super::{Draft, LineFault, read_line};
use crate::canonical::canonical_json;
use crate::digest::Digest;

fn draft<'a>(body: &'a str, kind: &'a str) -> Draft<'a> {
    Draft { at_unix_ms: 7, body, kind, prev: Digest::of(b"before"), seq: 3 }
}

#[test]
fn a_line_is_the_canonical_json_of_its_record() {
    for kind in ["offer", "odd \"kind\"\n"] {
        let body = json!({"z": [1, 2.5], "a": "é"});
        let (digest, line) = draft(&canonical_json(&body), kind).line();
        let mut whole = json!({"at": 7, "body": body, "kind": kind, "prev": Digest::of(b"before"), "seq": 3});
        assert_eq!(digest, Digest::of(canonical_json(&whole).as_bytes()));
        whole["digest"] = json!(digest);
        assert_eq!(line, canonical_json(&whole));
    }
}

#[test]
fn a_line_that_was_written_reads_back_without_fault() {
    let (digest, line) = draft("{\"a\":0.1}", "offer").line();
    let read = read_line(line.as_bytes()).ok().unwrap();
    assert_eq!(read.fault, None);
    assert_eq!((read.record.seq, read.record.at_unix_ms, read.record.digest), (3, 7, digest));
    assert_eq!(read.record.body, json!({"a": 0.1}));
}

#[test]
fn the_same_record_in_another_form_is_not_canonical() {
    let (_, line) = draft("{\"a\":1,\"b\":\"x\"}", "offer").line();
    let twins = [
        line.replacen(':', ": ", 1),
        format!(" {line}"),
        format!("{line}\r"),
        line.replace("\"a\":1,\"b\":\"x\"", "\"b\":\"x\",\"a\":1"),
        line.replace("\"x\"", "\"\\u0078\""),
        line.replace("\"a\":1", "\"a\":1.0"),
        line.replace("\"a\":1", "\"a\":2,\"a\":1"),
        line.replace("\"seq\":3", "\"seq\":9,\"seq\":3"),
    ];
    for twin in twins {
        let fault = read_line(twin.as_bytes()).ok().unwrap().fault;
        assert!(matches!(fault, Some(LineFault::NotCanonical | LineFault::BadDigest)), "{twin}: {fault:?}");
    }
}

#[test]
fn what_lacks_the_shape_of_a_record_is_told() {
    let (_, line) = draft("{}", "offer").line();
    let cases = [
        (String::new(), LineFault::NotJson),
        ("[]".into(), LineFault::NotARecord),
        ("\"text\"".into(), LineFault::NotARecord),
        (line.replace("\"seq\":3", "\"seq\":-3"), LineFault::NotARecord),
        (line.replace("\"seq\":3", "\"seq\":3.5"), LineFault::NotARecord),
        (line.replace("\"seq\":3", "\"sequel\":3"), LineFault::NotARecord),
        (line.replace("\"seq\":3", "\"seq\":3,\"more\":0"), LineFault::NotARecord),
        (line.replace("sha256:", "SHA256:"), LineFault::NotARecord),
        (line.replace("{}", &"[".repeat(100_000)), LineFault::NotJson),
    ];
    for (text, fault) in cases {
        assert_eq!(read_line(text.as_bytes()).err(), Some(fault), "{text:.60}");
    }
    assert_eq!(read_line(b"{\"at\":\xff}").err(), Some(LineFault::NotJson));
}

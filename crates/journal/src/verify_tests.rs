use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Verification, verify};
use crate::canonical::canonical_json;
use crate::digest::Digest;
use crate::finding::{Severity, What};
use crate::journal::Journal;
use crate::limits::FINDINGS_MAX;
use crate::run_id::RunId;
use crate::scratch::scratch;

fn run() -> RunId {
    RunId::new(1_796_037_753_000, [7; 8])
}

/// A folder to put altered journals in, each under the name of the run.
struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Bench {
        Bench { folder: scratch() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(format!("{}.jsonl", run()))
    }

    fn verify(&self, bytes: &[u8]) -> Verification {
        fs::write(self.path(), bytes).unwrap();
        verify(&self.path()).unwrap()
    }

    /// What is found in a journal with these records between header and seal.
    fn findings_of(records: &[(&'static str, Value)]) -> String {
        let bench = Bench::new();
        sentences(&bench.verify(&sample(records)))
    }
}

/// The bytes of a sealed journal with these records.
fn sample(records: &[(&'static str, Value)]) -> Vec<u8> {
    let place = scratch();
    let mut journal = Journal::create(place.path(), &run()).unwrap();
    for (kind, body) in records {
        journal.append(1_796_037_754_000, kind, body).unwrap();
    }
    fs::read(journal.seal(1_796_037_755_000, "verified").unwrap().path).unwrap()
}

fn small_sample() -> Vec<u8> {
    sample(&[("offer", json!({"n": 1.5})), ("intent", json!({"intent": "i1"})), ("outcome", json!({"intent": "i1"}))])
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').collect()
}

fn sentences(verification: &Verification) -> String {
    let shown = verification.findings.iter().map(|finding| format!("{:?} {finding}", finding.severity));
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_single_flipped_bit_is_found() {
    let bench = Bench::new();
    let sound = small_sample();
    assert!(bench.verify(&sound).findings.is_empty());
    for bit in 0..sound.len() * 8 {
        let mut flipped = sound.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(!bench.verify(&flipped).holds(), "bit {bit} of {}", sound.len() * 8);
    }
}

#[test]
fn every_cut_tail_is_found() {
    let bench = Bench::new();
    let sound = small_sample();
    let ends: Vec<usize> = lines(&sound)
        .iter()
        .scan(0, |at, line| {
            *at += line.len();
            Some(*at)
        })
        .collect();
    for length in 0..sound.len() {
        let verification = bench.verify(&sound[..length]);
        assert!(!verification.findings.is_empty(), "cut to {length}");
        // Between two records a cut looks like a run that goes on; the missing seal says so.
        let no_seal = verification.findings.iter().any(|finding| finding.what == What::NoSeal);
        assert!(if ends.contains(&length) { no_seal } else { !verification.holds() }, "cut to {length}");
    }
}

#[test]
fn every_deleted_line_but_the_last_breaks_the_journal() {
    let bench = Bench::new();
    let sound = small_sample();
    let all = lines(&sound);
    for deleted in 0..all.len() - 1 {
        let mut rest = all.clone();
        rest.remove(deleted);
        let verification = bench.verify(&rest.concat());
        assert!(!verification.holds(), "line {deleted}");
        let missing = |what: &What| *what == What::Missing { first: deleted as u64, last: deleted as u64 };
        assert!(verification.findings.iter().any(|finding| missing(&finding.what)), "{}", sentences(&verification));
    }
}

#[test]
fn every_deleted_byte_breaks_the_journal() {
    let bench = Bench::new();
    let sound = small_sample();
    for deleted in 0..sound.len() {
        let mut rest = sound.clone();
        rest.remove(deleted);
        assert!(!bench.verify(&rest).holds(), "byte {deleted}");
    }
}

#[test]
fn every_repeated_line_breaks_the_journal() {
    let bench = Bench::new();
    let sound = small_sample();
    let all = lines(&sound);
    for from in 0..all.len() {
        for to in 0..=all.len() {
            let mut more = all.clone();
            more.insert(to, all[from]);
            assert!(!bench.verify(&more.concat()).holds(), "line {from} again at {to}");
        }
    }
}

#[test]
fn every_other_order_of_lines_breaks_the_journal() {
    let bench = Bench::new();
    let sound = small_sample();
    let all = lines(&sound);
    for a in 0..all.len() {
        for b in a + 1..all.len() {
            let mut swapped = all.clone();
            swapped.swap(a, b);
            assert!(!bench.verify(&swapped.concat()).holds(), "lines {a} and {b} swapped");
        }
    }
}

#[test]
fn a_record_that_was_stamped_anew_alone_breaks_the_chain() {
    let bench = Bench::new();
    let sound = small_sample();
    let mut all: Vec<Vec<u8>> = lines(&sound).into_iter().map(<[u8]>::to_vec).collect();
    let mut record: Value = serde_json::from_slice(&all[1]).unwrap();
    record["body"] = json!({"n": 2.5});
    record.as_object_mut().unwrap().remove("digest");
    record["digest"] = json!(Digest::of(canonical_json(&record).as_bytes()));
    all[1] = format!("{}\n", canonical_json(&record)).into_bytes();
    assert_snapshot!(sentences(&bench.verify(&all.concat())), @"Broken Line 3: record 2 does not name the digest of the record before it.");
}

#[test]
fn a_seal_that_counts_other_records_is_found() {
    let bench = Bench::new();
    let sound = small_sample();
    let mut all: Vec<Vec<u8>> = lines(&sound).into_iter().map(<[u8]>::to_vec).collect();
    let mut seal: Value = serde_json::from_slice(&all[4]).unwrap();
    seal["body"]["records"] = json!(4);
    seal.as_object_mut().unwrap().remove("digest");
    seal["digest"] = json!(Digest::of(canonical_json(&seal).as_bytes()));
    all[4] = format!("{}\n", canonical_json(&seal)).into_bytes();
    assert_snapshot!(sentences(&bench.verify(&all.concat())), @"Broken Line 5: the seal does not count the 5 records that are there.");
}

#[test]
fn each_damage_is_one_clear_sentence() {
    let bench = Bench::new();
    let sound = small_sample();
    let all = lines(&sound);
    let altered = [
        [all[0], all[1], all[1], all[2], all[3], all[4]].concat(),
        [all[0], all[3], all[4]].concat(),
        [all[0], b"rubbish\n", all[2], all[3], all[4]].concat(),
        [all[0], all[1], all[2], all[3], b"{\"at\":17"].concat(),
        [all[1], all[2], all[3], all[4]].concat(),
        [&sound, all[0]].concat(),
        String::from_utf8(sound.clone()).unwrap().replace("1.5", "1.6").into_bytes(),
        String::from_utf8(sound.clone()).unwrap().replace("{\"n\"", "{ \"n\"").into_bytes(),
        Vec::new(),
    ];
    let found: Vec<String> = altered.iter().map(|bytes| sentences(&bench.verify(bytes))).collect();
    assert_snapshot!(found.join("\n\n"), @r#"
    Broken Line 3: record 1 is repeated.

    Broken Line 2: records 1 to 2 are missing before it.
    Broken Line 2: the outcome of "i1" has no intent before it.

    Broken Line 2: it is not JSON.

    Broken Line 5: the file ends with 8 bytes of an unfinished record.
    Notice The journal: it has no seal, so the run is still going on, was cut off, or its end was removed.

    Broken Line 1: record 0 is missing before it.
    Broken Line 1: the first record is not the header of a journal.

    Broken Line 6: record 0 stands after a later one.
    Broken Line 6: a header stands in the middle of the journal.
    Broken Line 6: record 0 stands after the seal.

    Broken Line 2: its digest is not that of its content.

    Broken Line 2: it is not in canonical form.

    Broken The journal: it holds no record.
    "#);
}

#[test]
fn every_intent_must_have_exactly_one_outcome() {
    let intent = |id: &str| ("intent", json!({"intent": id}));
    let outcome = |id: &str| ("outcome", json!({"intent": id}));
    let settled = [intent("a"), intent("b"), outcome("b"), outcome("a")];
    assert_eq!(Bench::findings_of(&settled), "");
    let found = [
        Bench::findings_of(&[intent("a")]),
        Bench::findings_of(&[outcome("a")]),
        Bench::findings_of(&[outcome("a"), intent("a")]),
        Bench::findings_of(&[intent("a"), outcome("a"), outcome("a")]),
        Bench::findings_of(&[intent("a"), intent("a"), outcome("a")]),
        Bench::findings_of(&[("intent", json!({})), ("outcome", json!({"intent": 7})), ("outcome", json!("a"))]),
    ];
    assert_snapshot!(found.join("\n\n"), @r#"
    Broken Line 2: intent "a" has no outcome, so whether it took effect is not known.

    Broken Line 2: the outcome of "a" has no intent before it.

    Broken Line 2: the outcome of "a" has no intent before it.
    Broken Line 3: intent "a" has no outcome, so whether it took effect is not known.

    Broken Line 4: intent "a" has a second outcome.

    Broken Line 3: intent "a" is written twice.

    Broken Line 2: an intent or outcome does not name its intent.
    Broken Line 3: an intent or outcome does not name its intent.
    Broken Line 4: an intent or outcome does not name its intent.
    "#);
}

#[test]
fn an_intent_that_a_cut_off_run_left_open_is_a_notice() {
    let bench = Bench::new();
    let sound = sample(&[("intent", json!({"intent": "i1"}))]);
    let all = lines(&sound);
    let open = bench.verify(&all[..2].concat());
    assert!(open.holds());
    assert_snapshot!(sentences(&open), @r#"
    Notice Line 2: intent "i1" has no outcome, so whether it took effect is not known.
    Notice The journal: it has no seal, so the run is still going on, was cut off, or its end was removed.
    "#);
    crate::torn::seal_torn(&bench.path(), 9_999_999_999_999).unwrap();
    let sealed = verify(&bench.path()).unwrap();
    assert!(sealed.holds());
    assert_snapshot!(sentences(&sealed), @r#"
    Notice Line 3: the run was cut off here and the journal was sealed afterwards.
    Notice Line 2: intent "i1" has no outcome, so whether it took effect is not known.
    "#);
}

#[test]
fn text_from_the_file_can_not_write_to_the_terminal() {
    let hostile = format!("\u{1b}[2J\u{202e}{}\n", "x".repeat(10_000));
    let found = Bench::findings_of(&[("outcome", json!({"intent": hostile}))]);
    assert!(!found.contains(['\u{1b}', '\u{202e}', '\n']) && found.len() < 300, "{found}");
}

#[test]
fn a_clock_that_went_back_is_a_notice() {
    let place = scratch();
    let mut journal = Journal::create(place.path(), &run()).unwrap();
    journal.append(1_796_037_760_000, "offer", &1).unwrap();
    journal.append(1_796_037_759_500, "offer", &1).unwrap();
    let sealed = journal.seal(1_796_037_761_000, "verified").unwrap();
    let verification = verify(&sealed.path).unwrap();
    assert!(verification.holds());
    assert_snapshot!(sentences(&verification), @"Notice Line 3: the clock went back by 500 ms at record 2.");
}

#[test]
fn a_journal_under_the_name_of_another_run_is_found() {
    let bench = Bench::new();
    let other = bench.folder.path().join("20200101T000000-0000000000000000.jsonl");
    fs::write(&other, small_sample()).unwrap();
    assert_snapshot!(sentences(&verify(&other).unwrap()), @"Broken Line 1: the header is of run 20261130T112233-0707070707070707, but the file is named for another run.");
    let copy = bench.folder.path().join("copy.jsonl");
    fs::write(&copy, small_sample()).unwrap();
    assert!(verify(&copy).unwrap().holds());
}

#[test]
fn findings_are_bounded_and_the_rest_is_counted() {
    let verification = Bench::new().verify(&b"x\n".repeat(FINDINGS_MAX + 50));
    assert_eq!(verification.findings.len(), FINDINGS_MAX);
    assert_eq!(verification.findings_left_out, 51);
    assert!(!verification.holds());
}

#[test]
fn notices_alone_never_hide_what_is_broken() {
    let place = scratch();
    let mut journal = Journal::create(place.path(), &run()).unwrap();
    for back in 0..2 * FINDINGS_MAX as u64 {
        journal.append(1_796_037_760_000 - back, "offer", &1).unwrap();
    }
    journal.append(1_796_037_760_000, "outcome", &json!({"intent": "alone"})).unwrap();
    let sealed = journal.seal(1_796_037_761_000, "verified").unwrap();
    let verification = verify(&sealed.path).unwrap();
    assert!(!verification.holds());
    assert!(verification.findings.iter().all(|finding| finding.severity == Severity::Notice));
}

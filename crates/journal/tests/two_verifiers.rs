//! The five tamperings, each found by the verifier here and by the one in Python, which shares no code with it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "all of this program is a test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clicket_journal::{
    CHECKPOINT_RECORDS_MAX, Digest, Journal, PublicKey, Record, RunId, Severity, SigningKey, canonical_json, read, seal_torn,
    seal_torn_with, verify, verify_with,
};
use serde_json::{Value, json};

const AT: u64 = 1_796_037_754_000;

fn run() -> RunId {
    RunId::new(1_796_037_753_000, [7; 8])
}

fn key() -> SigningKey {
    SigningKey::from_seed(&[5; 32]).unwrap()
}

fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// The lines of a signed and sealed journal of `pairs` intents with their outcomes, and numbers and texts of every sort.
fn sample(pairs: u64) -> Vec<String> {
    let place = folder();
    let mut journal = Journal::create_signed(place.path(), &run(), key()).unwrap();
    for number in 0..pairs {
        journal
            .note(
                AT + number,
                "decision",
                &json!({"text": "ä\u{2028}\"\\\u{1}😀", "number": 0.1 + 0.2, "big": 1e21, "small": 5e-324}),
            )
            .unwrap();
        journal.append(AT + number, "intent", &json!({"intent": format!("i{number}"), "deed": {"method": "POST"}})).unwrap();
        journal.append(AT + number, "outcome", &json!({"intent": format!("i{number}"), "outcome": {"status": 200}})).unwrap();
    }
    let path = journal.seal(AT + pairs, "ended").unwrap().path;
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// Stamps a journal anew from record `from` on, as somebody would who has no key: digests and chain right, signatures as they were.
fn restamped(lines: &[String], from: usize, change: impl Fn(usize, &mut Value)) -> Vec<String> {
    let mut out: Vec<String> = lines[..from].to_vec();
    let mut prev = lines[..from].last().map_or("sha256:".to_owned() + &"0".repeat(64), |line| {
        serde_json::from_str::<Value>(line).unwrap()["digest"].as_str().unwrap().to_owned()
    });
    for (at, line) in lines.iter().enumerate().skip(from) {
        let mut record: Value = serde_json::from_str(line).unwrap();
        change(at, &mut record);
        record["prev"] = json!(prev);
        record.as_object_mut().unwrap().remove("digest");
        let digest = Digest::of(canonical_json(&record).as_bytes()).to_string();
        record["digest"] = json!(digest);
        prev = digest;
        out.push(canonical_json(&record));
    }
    out
}

struct Bench {
    folder: tempfile::TempDir,
    python: Option<PathBuf>,
}

/// What one verifier says: each finding, and whether the journal is whole and sealed.
struct Said {
    text: String,
    whole: bool,
}

impl Bench {
    fn new() -> Bench {
        let found = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/verify_journal.py");
        if !found {
            eprintln!("python3 is not there: only the first verifier is tested");
        }
        Bench { folder: folder(), python: found.then_some(script) }
    }

    fn put(&self, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(format!("{}.jsonl", run()));
        fs::write(&path, bytes).unwrap();
        path
    }

    fn ours(path: &Path, key: Option<&PublicKey>) -> Said {
        let checked = key.map_or_else(|| verify(path), |key| verify_with(path, key)).unwrap();
        let sealed = read(path).is_ok_and(|read| matches!(read.tail, clicket_journal::Tail::Sealed));
        let said = checked
            .findings
            .iter()
            .map(|finding| format!("{}: {finding}", if finding.severity == Severity::Broken { "broken" } else { "notice" }));
        Said { text: said.collect::<Vec<_>>().join("\n"), whole: checked.holds() && sealed }
    }

    /// Both verdicts on these bytes, which must agree on whether they are whole.
    fn both(&self, bytes: &[u8], key: Option<&PublicKey>) -> Vec<Said> {
        let path = self.put(bytes);
        let mut said = vec![Bench::ours(&path, key)];
        if let Some(script) = &self.python {
            let mut command = Command::new("python3");
            command.arg(script).arg(&path);
            if let Some(key) = key {
                command.args(["--key", &key.to_string()]);
            }
            let output = command.output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
            said.push(Said { whole: output.status.success(), text });
            assert_eq!(said[0].whole, said[1].whole, "{}\n---\n{}", said[0].text, said[1].text);
        }
        said
    }
}

fn joined(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
}

#[test]
fn both_verifiers_find_each_tampering_and_name_the_record() {
    let bench = Bench::new();
    let sound = sample(12);
    let public = key().public();
    for given in [None, Some(&public)] {
        for said in bench.both(&joined(&sound), given) {
            assert!(said.whole, "{}", said.text);
        }
    }
    let kinds: Vec<String> =
        sound.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["kind"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds.iter().position(|kind| kind == "checkpoint"), Some(16));
    assert_eq!(kinds.iter().filter(|kind| *kind == "checkpoint").count(), 2);

    // A flipped bit in the middle of a record.
    let mut flipped = sound.clone();
    flipped[5] = flipped[5].replacen("i1", "i3", 1);
    // A deletion.
    let mut deleted = sound.clone();
    deleted.remove(7);
    // A reorder.
    let mut swapped = sound.clone();
    swapped.swap(8, 9);
    // A tail that is cut: in the middle of a record, at a record's end, right after a checkpoint, and only the seal.
    let torn = joined(&sound)[..joined(&sound[..20]).len() - 30].to_vec();
    // A whole restamp by somebody without the key: one record changed, and everything after it made to fit.
    let change = |at: usize, record: &mut Value| {
        if at == 6 {
            record["body"] = json!({"intent": "i1", "outcome": {"status": 500}});
        }
    };
    let tamperings: [(&str, Vec<u8>, &str); 8] = [
        ("flip", joined(&flipped), "ine 6"),
        ("deletion", joined(&deleted), "7"),
        ("reorder", joined(&swapped), "9"),
        ("torn tail", torn, "unfinished record"),
        ("tail cut at a record", joined(&sound[..20]), "records 16 to 19"),
        ("tail cut after a checkpoint", joined(&sound[..17]), "records 16 to 16"),
        ("tail cut before the seal", joined(&sound[..sound.len() - 1]), "no seal"),
        ("restamp", joined(&restamped(&sound, 6, change)), "from 0 to 16"),
    ];
    for (name, bytes, named) in tamperings {
        for said in bench.both(&bytes, Some(&public)) {
            assert!(!said.whole && said.text.contains(named), "{name}: {}", said.text);
        }
    }
}

#[test]
fn a_journal_made_anew_as_a_whole_is_told_by_its_key() {
    let bench = Bench::new();
    let sound = sample(12);
    let public = key().public();
    let other = SigningKey::from_seed(&[6; 32]).unwrap().public().to_string();
    let as_other = restamped(&sound, 0, |at, record| {
        if at == 0 {
            record["body"]["key"] = json!(other);
        }
    });
    let unsigned = restamped(&sound, 0, |at, record| {
        if at == 0 {
            record["body"].as_object_mut().unwrap().remove("key");
        }
    });
    for said in bench.both(&joined(&as_other), Some(&public)) {
        assert!(!said.whole && said.text.contains("which is not the one given"), "{}", said.text);
    }
    for said in bench.both(&joined(&unsigned), Some(&public)) {
        assert!(!said.whole && said.text.contains("nothing in it is signed"), "{}", said.text);
    }
    // Whoever has a key of their own can make a journal; only the one who is given a key can tell.
    let place = folder();
    let theirs = Journal::create_signed(place.path(), &run(), SigningKey::from_seed(&[6; 32]).unwrap()).unwrap();
    let bytes = fs::read(theirs.seal(AT, "ended").unwrap().path).unwrap();
    assert!(bench.both(&bytes, None).iter().all(|said| said.whole));
    assert!(bench.both(&bytes, Some(&public)).iter().all(|said| !said.whole));
}

#[test]
fn checkpoints_taken_out_with_the_chain_made_to_fit_are_missed() {
    let bench = Bench::new();
    let sound = sample(12);
    let kept: Vec<String> = sound.iter().filter(|line| !line.contains(r#""kind":"checkpoint""#)).cloned().collect();
    let renumbered = restamped(&kept[..kept.len() - 1], 0, |at, record| record["seq"] = json!(at));
    for said in bench.both(&joined(&renumbered), Some(&key().public())) {
        assert!(
            !said.whole && said.text.contains("broken: ") && said.text.contains("no signature covers records 0 to 36"),
            "{}",
            said.text
        );
    }
}

#[test]
fn every_flipped_bit_of_a_signed_journal_is_found() {
    let bench = Bench::new();
    let sound = joined(&sample(6));
    let public = key().public();
    // Every bit in the soak, which takes half a minute; a stride that meets every place of a byte in the suite.
    let stride = if std::env::var_os("CLICKET_SOAK").is_some() { 1 } else { 37 };
    for bit in (0..sound.len() * 8).step_by(stride) {
        let mut flipped = sound.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(!Bench::ours(&bench.put(&flipped), Some(&public)).whole, "bit {bit}");
    }
    // The other verifier starts a process for each, so it gets one flip in each line.
    let mut at = 0;
    for line in String::from_utf8(sound.clone()).unwrap().split_inclusive('\n') {
        let mut flipped = sound.clone();
        flipped[at + line.len() * 2 / 3] ^= 1;
        assert!(bench.both(&flipped, Some(&public)).iter().all(|said| !said.whole));
        at += line.len();
    }
}

#[test]
fn never_more_than_the_stated_number_of_records_is_unsigned() {
    let sound = sample(40);
    let bench = Bench::new();
    for length in 1..sound.len() {
        let checked = verify_with(&bench.put(&joined(&sound[..length])), &key().public()).unwrap();
        assert!(checked.holds(), "{length}");
        assert!(length as u64 - checked.signed_records <= CHECKPOINT_RECORDS_MAX, "{length}: {}", checked.signed_records);
    }
}

#[test]
fn a_cut_off_journal_is_sealed_with_and_without_the_key_and_both_say_so() {
    let bench = Bench::new();
    let sound = sample(12);
    let cut = joined(&sound[..20])[..joined(&sound[..20]).len() - 30].to_vec();
    for signed in [true, false] {
        let path = bench.put(&cut);
        for piece in fs::read_dir(bench.folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
            if piece.extension().is_some_and(|extension| extension == "torn") {
                fs::remove_file(piece).unwrap();
            }
        }
        if signed {
            seal_torn_with(&path, AT, key()).unwrap()
        } else {
            seal_torn(&path, AT).unwrap()
        };
        let bytes = fs::read(&path).unwrap();
        for said in bench.both(&bytes, Some(&key().public())) {
            assert!(said.whole && said.text.contains("sealed afterwards"), "{}", said.text);
            assert_eq!(said.text.contains("no signature covers"), !signed, "{}", said.text);
        }
        let last: Record = read(&path).unwrap().records.pop().unwrap();
        assert_eq!(last.body.get("signature").is_some(), signed);
    }
}

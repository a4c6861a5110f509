use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use serde_json::json;

use super::seal_torn;
use crate::digest::Digest;
use crate::error::JournalError;
use crate::journal::Journal;
use crate::read::{Tail, read};
use crate::run_id::RunId;
use crate::scratch::scratch;
use crate::verify::verify;

const RUN: &str = "20261130T112233-0707070707070707";

fn run() -> RunId {
    RUN.parse().unwrap()
}

fn sound_bytes() -> Vec<u8> {
    let place = scratch();
    let mut journal = Journal::create(place.path(), &run()).unwrap();
    journal.append(1_796_037_754_000, "intent", &json!({"intent": "i1"})).unwrap();
    fs::read(journal.seal(1_796_037_755_000, "verified").unwrap().path).unwrap()
}

fn put(folder: &Path, bytes: &[u8]) -> PathBuf {
    let path = folder.join(format!("{RUN}.jsonl"));
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_journal_cut_at_any_byte_is_sealed_and_no_byte_is_lost() {
    let sound = sound_bytes();
    for length in 0..sound.len() {
        let place = scratch();
        let cut = &sound[..length];
        let whole = cut.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let path = put(place.path(), cut);
        let done = seal_torn(&path, 9_999_999_999_999).unwrap();
        assert!(verify(&path).unwrap().holds(), "cut to {length}");
        assert_eq!(read(&path).unwrap().tail, Tail::Sealed);
        assert!(fs::read(&path).unwrap().starts_with(&cut[..whole]));
        if whole == length {
            assert!(done.pieces.is_empty());
        } else {
            let [piece] = done.pieces.as_slice() else { panic!("one piece, cut to {length}") };
            assert_eq!(fs::read(&piece.path).unwrap(), &cut[whole..]);
            assert_eq!((piece.bytes, piece.digest), ((length - whole) as u64, Digest::of(&cut[whole..])));
        }
        assert!(matches!(seal_torn(&path, 1), Err(JournalError::AlreadySealed { .. })));
    }
}

#[test]
fn sealing_that_is_itself_cut_at_any_byte_can_be_repeated() {
    let sound = sound_bytes();
    let cut_length = sound.len() - 40;
    let place = scratch();
    let path = put(place.path(), &sound[..cut_length]);
    seal_torn(&path, 9_999_999_999_999).unwrap();
    let sealed = fs::read(&path).unwrap();
    let torn = fs::read(place.path().join(format!("{RUN}.torn"))).unwrap();
    let whole = cut_length - torn.len();

    // Cut off while the torn bytes were being moved: both places hold some.
    for kept in 0..=torn.len() {
        let place = scratch();
        let path = put(place.path(), &sound[..cut_length]);
        fs::write(place.path().join(format!("{RUN}.torn")), &torn[..kept]).unwrap();
        let done = seal_torn(&path, 9_999_999_999_999).unwrap();
        assert!(done.pieces.iter().any(|piece| piece.digest == Digest::of(&torn)), "kept {kept}");
        assert!(verify(&path).unwrap().holds());
    }
    // Cut off while the two last records were being written.
    for length in whole..sealed.len() {
        let place = scratch();
        let path = put(place.path(), &sealed[..length]);
        fs::write(place.path().join(format!("{RUN}.torn")), &torn).unwrap();
        seal_torn(&path, 9_999_999_999_999).unwrap();
        assert!(verify(&path).unwrap().holds(), "cut to {length}");
        let names_the_first_piece = fs::read_to_string(&path).unwrap().contains(&Digest::of(&torn).to_string());
        assert!(names_the_first_piece, "cut to {length}");
    }
}

#[test]
fn the_seal_says_what_was_torn_off() {
    let sound = sound_bytes();
    let place = scratch();
    let path = put(place.path(), &sound[..sound.len() - 40]);
    let done = seal_torn(&path, 9_999_999_999_999).unwrap();
    let records = read(&path).unwrap().records;
    let said: Vec<String> = records[2..].iter().map(|record| format!("{} {}", record.kind, record.body)).collect();
    assert_snapshot!(said.join("\n"), @r#"
    torn {"pieces":[{"bytes":210,"digest":"sha256:20290acd24c57239bb090c900668b5f7d5e4585f4923f8832de1c0300d182de8","file":"20261130T112233-0707070707070707.torn"}]}
    sealed {"reason":"cut off","records":4}
    "#);
    assert_eq!(done.sealed.records, records.len() as u64);
}

#[test]
fn a_journal_that_is_being_written_is_not_sealed() {
    let place = scratch();
    let mut journal = Journal::create(place.path(), &run()).unwrap();
    assert!(matches!(seal_torn(journal.path(), 1), Err(JournalError::Locked { .. })));
    journal.append(1, "offer", &1).unwrap();
}

#[test]
fn a_journal_that_is_damaged_elsewhere_is_left_as_it_is() {
    let sound = String::from_utf8(sound_bytes()).unwrap();
    let torn = &sound[..sound.len() - 40];
    let altered = [
        torn.replace("i1", "i2"),
        torn.replacen("{\"at\"", "rubbish\n{\"at\"", 1),
        format!("{sound}{{\"at\""),
        format!("{torn}{}", "x".repeat(5_000_000)),
    ];
    for bytes in altered {
        let place = scratch();
        let path = put(place.path(), bytes.as_bytes());
        let error = seal_torn(&path, 1).unwrap_err();
        assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes.as_bytes());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_file_without_header_is_sealed_only_when_it_is_named_for_a_run() {
    let place = scratch();
    let path = place.path().join("notes.jsonl");
    fs::write(&path, "{\"at\":").unwrap();
    assert!(matches!(seal_torn(&path, 1), Err(JournalError::Damaged { .. })));
}

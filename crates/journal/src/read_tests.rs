use std::fs::{self, File};
use std::path::Path;

use insta::assert_snapshot;
use serde_json::json;

use super::{Tail, read};
use crate::error::JournalError;
use crate::journal::Journal;
use crate::limits::{JOURNAL_BYTES_MAX, LINE_BYTES_MAX};
use crate::run_id::RunId;

fn message(error: &JournalError, folder: &Path) -> String {
    error.to_string().replace(&folder.display().to_string(), "FOLDER")
}

#[test]
fn a_journal_that_goes_on_reads_as_open() {
    let place = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(place.path(), &RunId::new(0, [0; 8])).unwrap();
    journal.append(1, "offer", &json!({"n": 1})).unwrap();
    let back = read(journal.path()).unwrap();
    assert_eq!((back.records.len(), back.tail), (2, Tail::Open));
}

#[test]
fn an_unfinished_line_is_a_torn_tail_even_when_it_is_a_whole_record() {
    let place = tempfile::tempdir().unwrap();
    let journal = Journal::create(place.path(), &RunId::new(0, [0; 8])).unwrap();
    let whole = fs::read(journal.path()).unwrap();
    let cut = place.path().join("cut.jsonl");
    fs::write(&cut, &whole[..whole.len() - 1]).unwrap();
    let back = read(&cut).unwrap();
    assert_eq!((back.records.len(), back.tail), (0, Tail::Torn { bytes: whole.len() as u64 - 1 }));
}

#[test]
fn a_line_longer_than_any_record_is_refused_without_being_held() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("long.jsonl");
    let mut text = vec![b' '; usize::try_from(LINE_BYTES_MAX).unwrap() * 3];
    text.push(b'\n');
    fs::write(&path, text).unwrap();
    assert_snapshot!(message(&read(&path).unwrap_err(), place.path()), @"line 1 of FOLDER/long.jsonl is not a record: it is longer than any record; `clicket journal verify` lists everything that is wrong");
}

#[test]
fn a_file_larger_than_any_journal_is_refused_before_it_is_read() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("large.jsonl");
    File::create(&path).unwrap().set_len(JOURNAL_BYTES_MAX + 1).unwrap();
    assert!(matches!(read(&path), Err(JournalError::JournalTooLarge { .. })));
}

#[test]
fn what_is_no_file_is_refused_and_a_pipe_does_not_make_it_wait() {
    let place = tempfile::tempdir().unwrap();
    let pipe = place.path().join("pipe.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for path in [pipe.as_path(), place.path(), Path::new("/dev/zero")] {
        assert!(matches!(read(path), Err(JournalError::NotAFile { .. })), "{}", path.display());
    }
    let error = read(&place.path().join("none.jsonl")).unwrap_err();
    assert_snapshot!(message(&error, place.path()), @"could not read FOLDER/none.jsonl: No such file or directory (os error 2); check that the file exists and that you may read it");
}

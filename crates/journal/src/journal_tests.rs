use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::Journal;
use crate::error::JournalError;
use crate::limits::RECORD_BYTES_MAX;
use crate::read::{Tail, read};
use crate::run_id::RunId;
use crate::verify::verify;

fn run() -> RunId {
    RunId::new(1_796_037_753_456, [7; 8])
}

fn journal(folder: &Path) -> Journal {
    Journal::create(folder, &run()).unwrap()
}

/// The message of an error, with the folder left out.
fn message(error: &JournalError, folder: &Path) -> String {
    error.to_string().replace(&folder.display().to_string(), "FOLDER")
}

#[test]
fn a_journal_reads_back_as_written_and_verifies() {
    let place = tempfile::tempdir().unwrap();
    let mut journal = journal(place.path());
    let receipt = journal.append(1_796_037_754_000, "offer", &json!({"text": "Buy \"now\"", "ratio": 0.1})).unwrap();
    assert_eq!((receipt.seq(), receipt.kind(), receipt.run()), (1, "offer", &run()));
    assert_eq!((journal.records(), journal.head()), (2, receipt.digest()));
    let sealed = journal.seal(1_796_037_755_000, "verified").unwrap();

    assert_snapshot!(fs::read_to_string(&sealed.path).unwrap(), @r#"
    {"at":1796037753000,"body":{"format":"clicket-journal","run":"20261130T112233-0707070707070707","version":1},"digest":"sha256:944d21a42a15d148ac08e2669da50986d5c1c85b82db8fb07650ecb9930f207b","kind":"journal","prev":"sha256:0000000000000000000000000000000000000000000000000000000000000000","seq":0}
    {"at":1796037754000,"body":{"ratio":0.1,"text":"Buy \"now\""},"digest":"sha256:6f4f95f81d0e2c62a9ef7d46a2af5e2c9b10f88ee76bbd4d87daf6d6cf770b06","kind":"offer","prev":"sha256:944d21a42a15d148ac08e2669da50986d5c1c85b82db8fb07650ecb9930f207b","seq":1}
    {"at":1796037755000,"body":{"reason":"verified","records":3},"digest":"sha256:82cb4d35b13d8ffeba314f9ddd73cfbb1b5cfed7f33f3d8f8d761686c644d7a9","kind":"sealed","prev":"sha256:6f4f95f81d0e2c62a9ef7d46a2af5e2c9b10f88ee76bbd4d87daf6d6cf770b06","seq":2}
    "#);
    let back = read(&sealed.path).unwrap();
    assert_eq!((back.tail, back.records.len() as u64), (Tail::Sealed, sealed.records));
    let offer = &back.records[1];
    assert_eq!((offer.digest, &offer.body), (receipt.digest(), &json!({"text": "Buy \"now\"", "ratio": 0.1})));
    let verification = verify(&sealed.path).unwrap();
    assert!(verification.holds() && verification.findings.is_empty(), "{:?}", verification.findings);
    assert_eq!((verification.run, verification.head), (Some(run()), sealed.digest));
}

#[test]
fn only_the_owner_may_read_a_journal() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(&place.path().join("new"));
    assert_eq!(journal.path().metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_second_journal_of_the_same_run_is_refused_and_the_first_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let mut first = journal(place.path());
    let error = Journal::create(place.path(), &run()).unwrap_err();
    assert_snapshot!(message(&error, place.path()), @"a journal already exists at FOLDER/20261130T112233-0707070707070707.jsonl; start the run again to get a new name");
    first.append(1, "offer", &1).unwrap();
}

#[test]
fn a_second_writer_is_locked_out() {
    let place = tempfile::tempdir().unwrap();
    let first = journal(place.path());
    let again = OpenOptions::new().append(true).open(first.path()).unwrap();
    let error = Journal::start(again, first.path().to_path_buf(), run(), None).unwrap_err();
    assert!(matches!(error, JournalError::Locked { .. }));
    assert_snapshot!(message(&error, place.path()), @"the journal at FOLDER/20261130T112233-0707070707070707.jsonl is being written by another process; wait until that run has ended");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_with_the_next_step() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Journal::create(&file, &run()).unwrap_err();
    assert_snapshot!(message(&error, place.path()), @"could not make the journal folder at FOLDER/file: File exists (os error 17); choose another place with --journal DIR or make this one writable");
    // The kernel refuses new files here to everyone, root included, for whom the modes of a folder mean nothing.
    let error = Journal::create(Path::new("/proc"), &run()).unwrap_err();
    assert!(matches!(error, JournalError::Io { .. }), "{error}");
    if nix::unistd::geteuid().is_root() {
        eprintln!("NOT CHECKED as root: a folder of mode 0500; /proc stood in for it");
        return;
    }
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let error = Journal::create(place.path(), &run()).unwrap_err();
    assert!(matches!(error, JournalError::Io { .. }), "{error}");
}

#[test]
fn a_journal_that_could_not_be_started_leaves_no_file() {
    let place = tempfile::tempdir().unwrap();
    // A file size limit of 100 bytes is less than a header.
    let outcome = in_child_with_file_limit(place.path(), "create", 0);
    assert!(outcome.contains("REFUSED create"), "{outcome}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_full_disk_is_told_apart_and_gives_no_receipt() {
    let place = tempfile::tempdir().unwrap();
    let mut journal = journal(place.path());
    journal.file = OpenOptions::new().write(true).open("/dev/full").unwrap();
    journal.bytes = 0;
    let error = journal.append(1, "intent", &json!({"intent": "i1"})).unwrap_err();
    assert!(matches!(error, JournalError::Full { .. }));
    assert_snapshot!(message(&error, place.path()), @"no room left to write the journal at FOLDER/20261130T112233-0707070707070707.jsonl: No space left on device (os error 28); free some space or choose another place with --journal DIR");
    assert_eq!(journal.records(), 1);
    let error = journal.seal(2, "disk full").unwrap_err();
    assert!(matches!(error, JournalError::Broken { .. }));
}

#[test]
fn a_record_that_cannot_be_synced_gives_no_receipt() {
    let place = tempfile::tempdir().unwrap();
    let mut journal = journal(place.path());
    // A pipe takes the bytes and can't be synced.
    let (_reader, writer) = io::pipe().unwrap();
    journal.file = File::from(OwnedFd::from(writer));
    journal.bytes = 0;
    let error = journal.append(1, "intent", &json!({"intent": "i1"})).unwrap_err();
    assert!(matches!(error, JournalError::Io { .. }), "{error}");
    assert!(matches!(journal.append(1, "intent", &1), Err(JournalError::Broken { .. })));
}

#[test]
fn after_any_error_every_later_append_is_refused() {
    struct Unwritable;
    impl serde::Serialize for Unwritable {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("it will not be written"))
        }
    }
    let failures: [fn(&mut Journal) -> JournalError; 7] = [
        |journal| journal.note(1, "offer", &Unwritable).unwrap_err(),
        |journal| journal.note(1, "sealed", &1).unwrap_err(),
        |journal| {
            fs::remove_file(journal.path()).unwrap();
            journal.note(1, "offer", &1).unwrap_err()
        },
        |journal| journal.append(1, "offer", &Unwritable).unwrap_err(),
        |journal| journal.append(1, "offer", &"x".repeat(5_000_000)).unwrap_err(),
        |journal| journal.append(1, "sealed", &1).unwrap_err(),
        |journal| {
            fs::remove_file(journal.path()).unwrap();
            journal.append(1, "offer", &1).unwrap_err()
        },
    ];
    for failure in failures {
        let place = tempfile::tempdir().unwrap();
        let mut journal = journal(place.path());
        let first = failure(&mut journal);
        assert!(!matches!(first, JournalError::Broken { .. }), "{first}");
        let second = journal.append(2, "offer", &1).unwrap_err();
        assert!(matches!(second, JournalError::Broken { .. }), "{second}");
        assert!(matches!(journal.note(2, "offer", &1), Err(JournalError::Broken { .. })));
        assert!(matches!(journal.seal(3, "end"), Err(JournalError::Broken { .. })));
    }
}

#[test]
fn notes_stand_in_the_chain_between_records_that_give_receipts() {
    let place = tempfile::tempdir().unwrap();
    let mut journal = journal(place.path());
    let first = journal.append(1, "intent", &1).unwrap();
    journal.note(2, "step", &json!({"a": 1})).unwrap();
    journal.note(3, "step", &json!({"a": 2})).unwrap();
    let last = journal.append(4, "intent", &2).unwrap();
    assert_eq!((first.seq(), last.seq()), (1, 4));
    assert_eq!(journal.head(), last.digest());
    let path = journal.seal(5, "done").unwrap().path;
    let kinds: Vec<String> = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["journal", "intent", "step", "step", "intent", "sealed"]);
}

#[test]
fn a_journal_that_someone_else_touched_gives_no_receipt() {
    let touches: [fn(&Path); 3] = [
        |path| fs::remove_file(path).unwrap(),
        |path| OpenOptions::new().write(true).open(path).unwrap().set_len(10).unwrap(),
        |path| OpenOptions::new().append(true).open(path).unwrap().write_all(b"more\n").unwrap(),
    ];
    for touch in touches {
        let place = tempfile::tempdir().unwrap();
        let mut journal = journal(place.path());
        touch(journal.path());
        let error = journal.append(1, "intent", &1).unwrap_err();
        assert!(matches!(error, JournalError::Changed { .. }), "{error}");
    }
}

#[test]
fn a_body_is_taken_up_to_its_bound_and_not_a_byte_more() {
    let place = tempfile::tempdir().unwrap();
    let mut journal = journal(place.path());
    let longest = usize::try_from(RECORD_BYTES_MAX).unwrap() - 2;
    journal.append(1, "offer", &"x".repeat(longest)).unwrap();
    let error = journal.append(1, "offer", &"x".repeat(longest + 1)).unwrap_err();
    assert_snapshot!(message(&error, place.path()), @"a record of 4194305 bytes is longer than the 4194304 a journal takes; shorten what is recorded");
    assert_eq!(read(journal.path()).unwrap().records.len(), 2);
    assert!(verify(journal.path()).unwrap().holds());
}

#[test]
fn a_body_that_grows_in_canonical_form_is_measured_in_that_form() {
    let place = tempfile::tempdir().unwrap();
    let mut journal = journal(place.path());
    // Four bytes in the usual form, twenty-one in canonical form.
    let error = journal.append(1, "offer", &vec![1e20; 500_000]).unwrap_err();
    assert!(matches!(error, JournalError::RecordTooLarge { .. }), "{error}");
}

#[test]
fn the_deepest_body_that_is_taken_can_be_read_back() {
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    let place = tempfile::tempdir().unwrap();
    let mut journal = journal(place.path());
    journal.append(1, "offer", &nested(126)).unwrap();
    let error = journal.append(1, "offer", &nested(127)).unwrap_err();
    assert!(matches!(error, JournalError::NotJson { .. }), "{error}");
    assert_eq!(read(journal.path()).unwrap().records[1].body, nested(126));
}

#[test]
fn numbers_and_texts_of_every_sort_read_back_the_same() {
    let place = tempfile::tempdir().unwrap();
    let mut journal = journal(place.path());
    let body: Value =
        json!([f64::MIN_POSITIVE, f64::MAX, 5e-324, 0.1 + 0.2, -0.0, 1e21, u64::MAX, "\u{0}\u{7f}\u{2028}\u{1f600}"]);
    journal.append(1, "offer", &body).unwrap();
    let back = &read(journal.path()).unwrap().records[1].body;
    assert!(
        back.as_array()
            .unwrap()
            .iter()
            .zip(body.as_array().unwrap())
            .all(|(a, b)| a.as_f64() == b.as_f64() && a.as_str() == b.as_str())
    );
}

#[test]
fn kinds_that_the_journal_writes_itself_are_refused() {
    for kind in ["journal", "sealed", "torn", "checkpoint", "", "Upper", "two words", "new\nline"] {
        let place = tempfile::tempdir().unwrap();
        let error = journal(place.path()).append(1, kind, &1).unwrap_err();
        assert!(matches!(error, JournalError::BadKind { .. }), "{kind:?}");
    }
}

const CHILD: &str = "CLICKET_JOURNAL_CHILD";
const CHILD_FOLDER: &str = "CLICKET_JOURNAL_CHILD_FOLDER";

/// Runs this test program again with a limit on file size, in blocks of 512 bytes, as a disk that fills up would be, and
/// gives what it printed. The signal for passing the limit is ignored, so that the write fails instead.
fn in_child_with_file_limit(folder: &Path, part: &str, blocks: u32) -> String {
    let script =
        format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" --exact journal::tests::the_child_of_the_disk_tests --nocapture");
    in_child(folder, part, &script)
}

fn in_child(folder: &Path, part: &str, script: &str) -> String {
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .env(CHILD, part)
        .env(CHILD_FOLDER, folder)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_child_of_the_disk_tests() {
    let (Ok(part), Some(folder)) = (std::env::var(CHILD), std::env::var_os(CHILD_FOLDER)) else {
        return;
    };
    let key = crate::sign::SigningKey::from_seed(&[5; 32]).unwrap();
    let mut journal = match Journal::create_signed(Path::new(&folder), &run(), key) {
        Ok(journal) => journal,
        Err(error) => {
            assert!(matches!(error, JournalError::Full { .. }), "{error}");
            println!("REFUSED create");
            return;
        }
    };
    assert_eq!(part, "append");
    // Far more than the limit takes, so that a limit that does not work ends the test and not the disk.
    for seq in 1..1000 {
        match journal.append(seq, "offer", &"x".repeat(100)) {
            Ok(receipt) => println!("RECEIPT {} {}", receipt.seq(), receipt.digest()),
            Err(error) => {
                assert!(matches!(error, JournalError::Full { .. }), "{error}");
                assert!(matches!(journal.append(seq, "offer", &1), Err(JournalError::Broken { .. })));
                println!("REFUSED append");
                return;
            }
        }
    }
}

#[test]
fn when_the_disk_fills_up_every_receipt_has_its_record_and_the_rest_is_sealed_as_torn() {
    // Wherever it fills up, in a record, in a checkpoint, or just between two. One process starts all the others: a lock that a
    // test beside this one holds would be held by each child of ours for a moment.
    let place = tempfile::tempdir().unwrap();
    let script = "trap '' XFSZ; for blocks in $(seq 2 23); do echo \"BLOCKS $blocks\"; (ulimit -f $blocks; \
        CLICKET_JOURNAL_CHILD_FOLDER=\"$CLICKET_JOURNAL_CHILD_FOLDER/$blocks\" exec \"$0\" --exact \
        journal::tests::the_child_of_the_disk_tests --nocapture); done";
    let printed = in_child(place.path(), "append", script);
    let parts: Vec<&str> = printed.split("BLOCKS ").skip(1).collect();
    assert_eq!(parts.len(), 22);
    for printed in parts {
        let blocks = printed.lines().next().unwrap();
        assert!(printed.contains("REFUSED append"), "{blocks}: {printed}");
        let path = place.path().join(blocks).join(format!("{}.jsonl", run()));
        let back = read(&path).unwrap();
        assert!(matches!(back.tail, Tail::Torn { .. } | Tail::Open), "{blocks}: {:?}", back.tail);
        let receipts: Vec<&str> = printed.lines().filter(|line| line.starts_with("RECEIPT")).collect();
        let mine = back.records[1..].iter().filter(|record| record.kind != "checkpoint");
        let records: Vec<String> = mine.map(|record| format!("RECEIPT {} {}", record.seq, record.digest)).collect();
        assert!(!receipts.is_empty());
        assert_eq!(receipts, records, "{blocks}");
        crate::torn::seal_torn(&path, 9).unwrap();
        assert!(verify(&path).unwrap().holds());
    }
}

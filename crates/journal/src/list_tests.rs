use std::fs;

use super::{EntryState, list};
use crate::journal::Journal;
use crate::limits::RECORD_BYTES_MAX;
use crate::run_id::RunId;

#[test]
fn journals_are_listed_newest_first_and_unreadable_ones_with_the_reason() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let create = |day: u64| Journal::create(folder, &RunId::new(day * 86_400_000, [0; 8])).unwrap();
    create(1).seal(1, "verified").unwrap();
    let mut open = create(2);
    open.append(1, "offer", &"x".repeat(usize::try_from(RECORD_BYTES_MAX).unwrap() - 2)).unwrap();
    let torn = create(3);
    fs::write(torn.path(), "{\"at\":").unwrap();
    let rubbish = create(4);
    fs::write(rubbish.path(), "rubbish\n").unwrap();
    fs::write(create(5).path(), "").unwrap();
    fs::create_dir(folder.join("19700107T000000-0000000000000000.jsonl")).unwrap();
    fs::write(folder.join("notes.jsonl"), "{}\n").unwrap();
    fs::write(folder.join("19700104T000000-0000000000000000.torn"), "{}\n").unwrap();

    let shown: Vec<String> = list(folder)
        .unwrap()
        .iter()
        .map(|entry| {
            let state = match &entry.state {
                EntryState::Sealed { records } => format!("sealed {records}"),
                EntryState::Open { records } => format!("open {records}"),
                EntryState::Torn => "torn".to_owned(),
                EntryState::Unreadable { why } => why.to_string().replace(&folder.display().to_string(), "FOLDER"),
            };
            format!("{} {} {state}", entry.run.map_or("-".to_owned(), |run| run.to_string()), entry.bytes)
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    19700107T000000-0000000000000000 0 FOLDER/19700107T000000-0000000000000000.jsonl is not a regular file; name a journal, which ends in .jsonl
    19700106T000000-0000000000000000 0 it is empty
    19700105T000000-0000000000000000 8 its last line is not a record: it is not JSON
    19700104T000000-0000000000000000 6 torn
    19700103T000000-0000000000000000 4194803 open 2
    19700102T000000-0000000000000000 532 sealed 2
    - 3 it is not named for a run
    ");
}

#[test]
fn a_folder_that_is_not_there_holds_no_journals() {
    let place = tempfile::tempdir().unwrap();
    assert!(list(&place.path().join("none")).unwrap().is_empty());
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(list(&file).is_err());
}

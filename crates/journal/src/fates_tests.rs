use std::fs;

use serde_json::json;

use super::*;
use crate::journal::Journal;
use crate::run_id::RunId;
use crate::scratch::scratch;

#[test]
fn intents_are_read_with_their_outcomes_wherever_the_journal_was_cut() {
    let place = scratch();
    let mut journal = Journal::create(place.path(), &RunId::new(0, [7; 8])).unwrap();
    journal.append(1, "intent", &json!({"intent": "i1", "deed": "first"})).unwrap();
    journal.note(2, "decision", &json!({"text": "\"kind\":\"intent\"".repeat(50)})).unwrap();
    journal.append(3, "intent", &json!({"intent": "i3", "deed": "second"})).unwrap();
    journal.append(4, "outcome", &json!({"intent": "i1", "outcome": {"status": 200}})).unwrap();
    let path = journal.seal(5, "ended").unwrap().path;
    let read = fates(&path).unwrap();
    let said: Vec<(u64, Option<&Value>)> = read.fates.iter().map(|fate| (fate.seq, fate.outcome.as_ref())).collect();
    assert_eq!(said, [(1, Some(&json!({"status": 200}))), (3, None)]);
    assert_eq!(read.damaged, 0);

    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let lines = whole[..length].iter().filter(|byte| **byte == b'\n').count();
        let read = fates(&path).unwrap();
        assert_eq!(read.fates.len(), [0, 0, 1, 1, 2, 2, 2][lines], "cut to {length}");
        assert_eq!(read.fates.first().is_some_and(|fate| fate.outcome.is_some()), lines >= 5, "cut to {length}");
        assert_eq!(read.damaged, 0);
    }
    fs::write(&path, String::from_utf8(whole).unwrap().replace("second", "sec0nd")).unwrap();
    assert_eq!(fates(&path).unwrap().damaged, 1);
}

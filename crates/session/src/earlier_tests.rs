use std::collections::BTreeSet;
use std::fs;

use clicket_guard::approval::{Attendance, Moment};
use clicket_guard::effect::RequestImage;
use clicket_guard::gate::{self, Admission, Effect};
use clicket_guard::policy::{Policy, RequestPattern};
use clicket_guard::risk::ActionClass;
use clicket_guard::secret::Scrubber;
use clicket_guard::web::Origin;
use clicket_journal::{Journal, Severity, SigningKey, What, seal_torn_with, verify_with};
use serde_json::json;

use super::*;

const NOW: u64 = 1_796_037_753_000;

fn key() -> SigningKey {
    SigningKey::from_seed(&[5; 32]).unwrap()
}

fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

fn image(body: &str) -> RequestImage {
    RequestImage {
        method: "POST".into(),
        url: "https://shop.example/order?step=1".into(),
        headers: vec![("cookie".into(), "session=1".into())],
        body: body.as_bytes().to_vec(),
    }
}

/// Takes a write through the gate; gives its intent.
fn send(journal: &mut Journal, at: u64, image: RequestImage) -> String {
    let mut policy = Policy::shipped().unwrap();
    policy.allow_write(RequestPattern::parse("POST /order").unwrap(), Origin::read("https://shop.example").unwrap());
    let judgement = policy.judge_request(ActionClass::Write, &image, Attendance::Unattended);
    let now = Moment { unix_ms: at, steady_ms: at };
    let effect = Effect { image, after: None, scrub: Scrubber::of(&[]).unwrap() };
    match gate::admit_effect(journal, now, effect, judgement).unwrap() {
        Admission::Permit(permit) => permit.intent().to_owned(),
        other => panic!("{other:?}"),
    }
}

fn outcome(journal: &mut Journal, intent: &str, outcome: &serde_json::Value) {
    journal.append(NOW, "outcome", &json!({"intent": intent, "outcome": outcome})).unwrap();
}

/// A run of this many minutes ago that sends one write and writes this outcome of it.
fn earlier_run(place: &Path, minutes: u64, body: &str, ended: Option<serde_json::Value>) -> RunId {
    let run = RunId::new(NOW - minutes * 60_000, [u8::try_from(minutes % 251).unwrap(); 8]);
    let mut journal = Journal::create_signed(place, &run, key()).unwrap();
    let intent = send(&mut journal, NOW - minutes * 60_000, image(body));
    if let Some(ended) = ended {
        outcome(&mut journal, &intent, &ended);
        journal.seal(NOW, "ended").unwrap();
    }
    run
}

#[test]
fn what_is_remembered_is_what_may_have_happened_and_nothing_else() {
    let unanswered = json!({"status": null, "sent": "unknown", "request": "failed"});
    for (name, ended, remembered) in [
        ("killed before the outcome", None, true),
        ("the connection broke", Some(unanswered.clone()), true),
        ("the run ended first", Some(json!({"outcome": "unknown", "why": "the run ended first"})), true),
        ("answered", Some(json!({"status": 200, "sent": "whole"})), false),
        ("refused by the site", Some(json!({"status": 500, "sent": "whole"})), false),
        ("nothing left", Some(json!({"status": null, "sent": "nothing"})), false),
        ("the browser gave up first", Some(json!({"outcome": "not_sent"})), false),
    ] {
        let place = folder();
        let run = earlier_run(place.path(), 30, "a=1", ended);
        let found = earlier_writes(place.path(), NOW).unwrap();
        let runs: Vec<RunId> = found.writes.iter().map(|write| write.run).collect();
        assert_eq!(runs, if remembered { vec![run] } else { vec![] }, "{name}");
        assert!(found.unread.is_empty());
        if let Some(write) = found.writes.first() {
            assert_eq!(write.request, "POST https://shop.example/order");
            assert_eq!(
                write.in_words(NOW),
                format!(
                    "run {run} sent exactly this request 30 min ago and its answer never came, so it may have happened already: look at the site first"
                )
            );
        }
    }
    // A later run that got an answer for the same request settles it; a later one that got none stands for it.
    let place = folder();
    earlier_run(place.path(), 50, "a=1", None);
    earlier_run(place.path(), 40, "a=1", Some(json!({"status": 200, "sent": "whole"})));
    assert!(earlier_writes(place.path(), NOW).unwrap().writes.is_empty());
    let last = earlier_run(place.path(), 30, "a=1", Some(unanswered));
    assert_eq!(earlier_writes(place.path(), NOW).unwrap().writes[0].run, last);
    // A week later nobody remembers.
    assert!(earlier_writes(place.path(), NOW + 8 * DAY_MS).unwrap().writes.is_empty());
    assert!(earlier_writes(&place.path().join("none"), NOW).unwrap().writes.is_empty());
    fs::write(place.path().join("20991130T112233-0707070707070707.jsonl"), "\"kind\":\"intent\"\n").unwrap();
    assert_eq!(earlier_writes(place.path(), NOW).unwrap().unread.len(), 1);
}

#[test]
fn the_same_write_is_known_by_method_address_and_body_whatever_its_cookies_and_boundary() {
    let place = folder();
    let journal = Journal::create_signed(place.path(), &RunId::new(NOW, [1; 8]), key()).unwrap();
    let mark = |image: &RequestImage| gate::mark_of(&journal, image).unwrap();
    let first = image("a=1");
    assert_eq!(mark(&first), mark(&RequestImage { headers: Vec::new(), ..first.clone() }));
    assert_ne!(mark(&first), mark(&image("a=2")));
    assert_ne!(mark(&first), mark(&RequestImage { method: "PUT".into(), ..first.clone() }));
    assert_ne!(mark(&first), mark(&RequestImage { url: "https://shop.example/order?step=2".into(), ..first.clone() }));
    let multipart = |boundary: &str, text: &str| RequestImage {
        headers: vec![("content-type".into(), format!("multipart/form-data; boundary={boundary}"))],
        body: format!("--{boundary}\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n{text}\r\n--{boundary}--\r\n")
            .into_bytes(),
        ..image("")
    };
    assert_eq!(mark(&multipart("----WebKitFormBoundaryAAAA", "x")), mark(&multipart("----WebKitFormBoundaryBBBB", "x")));
    assert_ne!(mark(&multipart("----WebKitFormBoundaryAAAA", "x")), mark(&multipart("----WebKitFormBoundaryBBBB", "y")));
    let unsigned = Journal::create(place.path(), &RunId::new(NOW, [2; 8])).unwrap();
    assert_eq!(gate::mark_of(&unsigned, &first), None);
}

/// The worst case at every point: a write happens at the site the moment its permit is given, and the process is killed
/// right after the bytes that are on disk. Whoever goes on sends what has no answer on record, as far as it may.
#[test]
fn at_2000_kill_points_no_write_happens_twice_and_the_journal_holds_or_says_torn_soak() {
    let place = folder();
    let run = RunId::new(NOW, [7; 8]);
    let mut journal = Journal::create_signed(place.path(), &run, key()).unwrap();
    let writes = 24;
    for number in 0..writes {
        journal.note(NOW, "decision", &json!({"number": number, "page": "x".repeat(300)})).unwrap();
        let intent = send(&mut journal, NOW, image(&format!("quantity={number}")));
        journal.note(NOW, "requests", &json!({"requests": []})).unwrap();
        outcome(&mut journal, &intent, &json!({"status": 200, "sent": "whole"}));
    }
    let path = journal.seal(NOW, "ended").unwrap().path;
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    let between = 2_000 - ends.len();
    let points: BTreeSet<usize> =
        ends.iter().copied().chain((1..=between).map(|number| number * whole.len() / (between + 1))).collect();
    let kinds: Vec<String> = String::from_utf8(whole.clone())
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["kind"].as_str().unwrap().to_owned())
        .collect();
    let next = Journal::create_signed(folder().path(), &RunId::new(NOW, [8; 8]), key()).unwrap();
    let marks: Vec<Digest> =
        (0..writes).map(|number| gate::mark_of(&next, &image(&format!("quantity={number}"))).unwrap()).collect();
    // Sealing costs more than all the rest: every record's end and some points between in the suite.
    let every_one = std::env::var_os("CLICKET_SOAK").is_some();
    let (mut killed, mut refused) = (0, 0);
    for point in points {
        fs::write(&path, &whole[..point]).unwrap();
        let records = ends.iter().filter(|end| **end <= point).count();
        let count = |kind: &str| kinds[..records].iter().filter(|other| *other == kind).count();
        let (sent, answered) = (count("intent"), count("outcome"));
        let checked = verify_with(&path, &key().public()).unwrap();
        let torn_only = checked
            .findings
            .iter()
            .all(|finding| finding.severity == Severity::Notice || matches!(finding.what, What::TornTail { .. } | What::Empty));
        assert!(torn_only && (checked.holds() == ends.contains(&point)), "at {point}: {:?}", checked.findings);
        let uncertain: BTreeSet<Digest> =
            earlier_writes(place.path(), NOW).unwrap().writes.iter().map(|write| write.mark).collect();
        for (number, mark) in marks.iter().enumerate().skip(answered) {
            let again = !uncertain.contains(mark);
            let happened = u32::from(number < sent) + u32::from(again);
            assert!(happened <= 1, "write {number} twice at {point}");
            // What never left is not held back either.
            assert!(happened == 1, "write {number} is lost at {point}");
            refused += u32::from(!again);
        }
        // Sealing what is left of it, as the next start does, loses nothing of this, and what is sealed verifies.
        if point < whole.len() && (every_one || ends.contains(&point) || killed % 16 == 0) {
            seal_torn_with(&path, NOW, key()).unwrap();
            let checked = verify_with(&path, &key().public()).unwrap();
            assert!(checked.holds(), "sealed at {point}: {:?}", checked.findings);
            let after: BTreeSet<Digest> =
                earlier_writes(place.path(), NOW).unwrap().writes.iter().map(|write| write.mark).collect();
            assert_eq!(after, uncertain, "sealed at {point}");
            let pieces = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().path());
            pieces
                .filter(|piece| piece.extension().is_some_and(|name| name == "torn"))
                .for_each(|piece| fs::remove_file(piece).unwrap());
        }
        killed += 1;
    }
    assert!(killed >= 1_990 && refused > 100, "{killed} {refused}");
}

use clicket_journal::{Journal, RunId};
use serde_json::json;

use super::*;

#[test]
fn runs_ends_times_refusals_and_money_are_counted_from_the_journals() {
    let folder = tempfile::tempdir().unwrap();
    for (nonce, end) in
        [(1, json!({"end": "verified"})), (2, json!({"end": "handed_back", "reason": {"reason": "refused", "detail": "x"}}))]
    {
        let mut journal = Journal::create(folder.path(), &RunId::new(1_000, [nonce; 8])).unwrap();
        for own_ms in [10, 20, 30, 40, 100] {
            let requests = json!([{"outcome": "passed"}, {"outcome": {"refused": {"by": "reach", "reason": "not_listed"}}}]);
            journal
                .note(1, "step", &json!({"own_ms": own_ms, "wall_ms": own_ms * 10, "model_ms": 0, "requests": requests}))
                .unwrap();
        }
        journal.note(1, "refusal", &json!({"judgement": {"reasons": ["policy says refuse for payment"]}})).unwrap();
        journal.append(1, "end", &json!({"end": end, "usd": 0.001})).unwrap();
        journal.seal(2, "ended").unwrap();
    }
    drop(Journal::create(folder.path(), &RunId::new(1_000, [3; 8])).unwrap());
    std::fs::write(folder.path().join("19700101T000001-0404040404040404.jsonl"), "nothing\n").unwrap();
    let mut stats = Stats::default();
    for entry in clicket_journal::list(folder.path()).unwrap() {
        stats.take(&entry.path);
    }
    stats.own_ms.settle();
    stats.wall_ms.settle();
    let said = stats.lines(Path::new("DIR")).join("\n");
    insta::assert_snapshot!(said, @r"
    3 runs in DIR
    1 files could not be read; `clicket journal verify` says why
    how they ended
             1  cut off or running
             1  handed_back
             1  verified
    handed back because
             1  refused
    steps                     10
        ms of a step               p50     p90
        Clicket's own               30     100
        the model's                  0       0
        whole                      300    1000
    requests
            10  passed
            10  reach: not_listed
    questions to a person     0
    refused because
             2  policy says refuse for payment
    spent on models           $0.0020
    ");
}

use clicket_guard::gate::{Act, Admission, admit};
use clicket_guard::observation::Observation;
use clicket_guard::offer::{History, Offer};
use clicket_guard::policy::Policy;
use clicket_guard::risk::ActionClass;
use clicket_journal::{Journal, RunId};

use super::*;

#[tokio::test]
async fn an_unattended_desk_never_answers() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), &RunId::new(0, [0; 8])).unwrap();
    let offer = Offer::make(&Observation::default(), &[], History::First, [0; 16]);
    let act = Act {
        entry: offer.entries()[0].clone(),
        observation: offer.observation(),
        control_words: String::new(),
        page_words: String::new(),
    };
    let judgement = Policy::shipped().unwrap().judge_action(ActionClass::Payment, 1.0, Attendance::Attended);
    let now = clicket_guard::approval::Moment { unix_ms: 0, steady_ms: 0 };
    let Admission::Ask(ticket, _pending) = admit(&mut journal, now, act, judgement).unwrap() else { panic!("it asks") };
    assert_eq!(Unattended.attendance(), Attendance::Unattended);
    assert!(matches!(Unattended.ask(ticket, Duration::from_secs(60)).await, Answered::Nobody));
}

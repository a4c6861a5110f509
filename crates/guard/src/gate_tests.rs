use clicket_journal::RunId;

use super::*;
use crate::approval::{Attendance, DeskKey};
use crate::fixtures::{FORM, at, button, journal, page, request, secret};
use crate::observation::Control;
use crate::offer::{History, Offer, Operation};
use crate::policy::Policy;
use crate::secret::SecretField;
use crate::untrusted::PageText;
use Verdict::{Allow, Ask};

fn judged(verdict: Verdict, class: ActionClass) -> Judgement {
    Judgement { verdict, class, reasons: vec!["because".into()] }
}

/// Pressing the `nth` of the buttons on a page.
fn act(controls: Vec<Control>, nth: usize) -> Act {
    let seen = page(controls);
    let offer = Offer::make(&seen, &[], History::First, [3; 16]);
    let entry = offer.of(Operation::Press).nth(nth).unwrap().clone();
    Act { observation: seen.digest(), control_words: seen.controls[nth].in_words(), page_words: "\"Shop\"".into(), entry }
}

fn pay() -> Act {
    act(vec![button(1, "Pay now")], 0)
}

fn post(body: &str) -> Effect {
    Effect {
        image: request("POST", "https://shop.example/cart", FORM, body),
        after: Some(After { intent: "i1".into(), words: "Press button \"Add\"".into() }),
        scrub: Scrubber::default(),
    }
}

fn lines(journal: &Journal) -> Vec<Value> {
    let text = std::fs::read_to_string(journal.path()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn asked<P, D>(admission: Admission<P, D>) -> (Ticket, Pending<D>) {
    match admission {
        Admission::Ask(ticket, pending) => (ticket, pending),
        Admission::Permit(_) | Admission::Refused(_) => panic!("it must ask"),
    }
}

fn refused<P, D>(admission: Admission<P, D>) -> Refusal {
    match admission {
        Admission::Refused(refusal) => refusal,
        Admission::Permit(_) | Admission::Ask(..) => panic!("it must refuse"),
    }
}

fn permitted<P, D>(admission: Admission<P, D>) -> P {
    match admission {
        Admission::Permit(permit) => permit,
        Admission::Ask(..) | Admission::Refused(_) => panic!("it must permit"),
    }
}

#[test]
fn the_intent_is_on_disk_when_the_permit_exists() {
    let (_folder, mut journal) = journal();
    let permit = permitted(admit(&mut journal, at(1), pay(), judged(Allow, ActionClass::UnknownControl)).unwrap());
    let last = lines(&journal).pop().unwrap();
    assert_eq!(last["kind"], "intent");
    assert_eq!(last["digest"], permit.receipt().digest().to_string());
    assert_eq!(last["body"]["intent"], permit.intent());
    assert_eq!(last["body"]["deed"]["action"], serde_json::to_value(permit.action()).unwrap());

    let effect = post("product=7");
    let image = effect.image.clone();
    let permit = permitted(admit_effect(&mut journal, at(2), effect, judged(Allow, ActionClass::Write)).unwrap());
    let last = lines(&journal).pop().unwrap();
    assert_eq!((last["kind"].as_str(), last["seq"].as_u64()), (Some("intent"), Some(permit.receipt().seq())));
    assert_eq!(last["body"]["deed"]["image"], image.digest().to_string());
    assert!(permit.names(&image));
}

#[test]
fn an_approved_intent_says_who_approved_and_how() {
    let (_folder, mut journal) = journal();
    let (ticket, pending) = asked(admit(&mut journal, at(1), pay(), judged(Ask, ActionClass::Payment)).unwrap());
    assert_eq!(lines(&journal).pop().unwrap()["kind"], "ticket");
    let approval = ticket.answer(&DeskKey::mint(), Decision::AllowOnce);
    let permit = permitted(answer(&mut journal, at(2), pending, approval).unwrap());
    let last = lines(&journal).pop().unwrap();
    assert_eq!(last["digest"], permit.receipt().digest().to_string());
    assert_eq!(last["body"]["approval"]["level"], "desk_observed");
    assert_eq!(last["body"]["approval"]["decision"], "allow_once");
}

/// Breaks a journal in one of the ways a disk or a neighbour can.
fn broken_journals() -> Vec<(tempfile::TempDir, Journal)> {
    let (folder, mut failed) = journal();
    assert!(failed.append(0, "Not A Kind", &()).is_err());
    let (removed_folder, removed) = journal();
    std::fs::remove_file(removed.path()).unwrap();
    let (cut_folder, cut) = journal();
    std::fs::write(cut.path(), "").unwrap();
    vec![(folder, failed), (removed_folder, removed), (cut_folder, cut)]
}

#[test]
fn a_journal_that_takes_no_record_gives_no_permit_no_ticket_and_no_refusal() {
    for verdict in [Verdict::Allow, Verdict::Ask, Verdict::Refuse] {
        for (_folder, mut journal) in broken_journals() {
            assert!(admit(&mut journal, at(1), pay(), judged(verdict, ActionClass::Write)).is_err());
            assert!(admit_effect(&mut journal, at(1), post("a=1"), judged(verdict, ActionClass::Write)).is_err());
        }
    }
}

#[test]
fn a_journal_that_breaks_while_a_person_thinks_gives_no_permit() {
    for decision in [Decision::AllowOnce, Decision::AllowAndRemember, Decision::Refuse, Decision::Stop] {
        let (_folder, mut journal) = journal();
        let (ticket, pending) = asked(admit(&mut journal, at(1), pay(), judged(Ask, ActionClass::Payment)).unwrap());
        std::fs::remove_file(journal.path()).unwrap();
        assert!(answer(&mut journal, at(2), pending, ticket.answer(&DeskKey::mint(), decision)).is_err());
    }
}

#[test]
fn a_record_too_long_to_write_gives_no_permit() {
    let (_folder, mut journal) = journal();
    let url = format!("https://shop.example/{}", "a".repeat(usize::try_from(clicket_journal::RECORD_BYTES_MAX).unwrap()));
    let effect = Effect { image: request("POST", &url, FORM, ""), ..post("") };
    assert!(admit_effect(&mut journal, at(1), effect, judged(Allow, ActionClass::Write)).is_err());
}

#[test]
fn a_person_only_answers_ask_and_only_a_timely_own_and_strong_enough_yes_opens() {
    let mut permits = 0;
    for verdict in [Verdict::Allow, Verdict::Ask, Verdict::Refuse] {
        for decision in [Decision::AllowOnce, Decision::AllowAndRemember, Decision::Refuse, Decision::Stop] {
            for level in [Level::ClientAttested, Level::DeskObserved] {
                for needed in [Level::ClientAttested, Level::DeskObserved] {
                    for late in [false, true] {
                        for other in [false, true] {
                            let (_folder, mut journal) = journal();
                            let class =
                                if needed == Level::DeskObserved { ActionClass::Payment } else { ActionClass::UnknownControl };
                            let (ticket, mut pending) = asked(admit(&mut journal, at(0), pay(), judged(Ask, class)).unwrap());
                            assert_eq!(pending.level, needed);
                            pending.judgement.verdict = verdict;
                            let digest = if other { Digest::of(b"another ticket") } else { ticket.digest() };
                            let approval = Approval { digest, decision, level };
                            let now = at(if late { TICKET_LIFE_MS + 1 } else { TICKET_LIFE_MS });
                            let admission = answer(&mut journal, now, pending, approval).unwrap();
                            let opens = verdict != Verdict::Refuse
                                && matches!(decision, Decision::AllowOnce | Decision::AllowAndRemember)
                                && level >= needed
                                && !late
                                && !other;
                            let case = format!("{verdict:?} {decision:?} {level:?} for {needed:?} late {late} other {other}");
                            assert_eq!(matches!(admission, Admission::Permit(_)), opens, "{case}");
                            assert_eq!(
                                lines(&journal).pop().unwrap()["kind"],
                                if opens { "intent" } else { "refusal" },
                                "{case}"
                            );
                            permits += usize::from(opens);
                        }
                    }
                }
            }
        }
    }
    assert_eq!(permits, 12);
}

#[test]
fn a_refused_deed_has_no_ticket() {
    let (_folder, mut journal) = journal();
    let admission = admit(&mut journal, at(1), pay(), judged(Verdict::Refuse, ActionClass::Download)).unwrap();
    assert_eq!(refused(admission), Refusal::Policy { reasons: vec!["because".into()] });
    assert_eq!(lines(&journal).pop().unwrap()["kind"], "refusal");
}

#[test]
fn approval_for_one_button_does_not_press_another() {
    let (_folder, mut journal) = journal();
    let alike = || vec![button(1, "Delete"), button(2, "Delete")];
    let judgement = || judged(Ask, ActionClass::Destructive);
    let (first, first_pending) = asked(admit(&mut journal, at(1), act(alike(), 0), judgement()).unwrap());
    let (second, second_pending) = asked(admit(&mut journal, at(1), act(alike(), 1), judgement()).unwrap());
    assert_ne!(first.digest(), second.digest());
    let key = DeskKey::mint();
    let crossed = answer(&mut journal, at(2), second_pending, first.answer(&key, Decision::AllowOnce)).unwrap();
    assert_eq!(refused(crossed), Refusal::OtherTicket);
    let crossed = answer(&mut journal, at(2), first_pending, second.answer(&key, Decision::AllowOnce)).unwrap();
    assert_eq!(refused(crossed), Refusal::OtherTicket);

    let (own, pending) = asked(admit(&mut journal, at(3), act(alike(), 1), judgement()).unwrap());
    let permit = permitted(answer(&mut journal, at(4), pending, own.answer(&key, Decision::AllowOnce)).unwrap());
    assert_eq!(permit.action().bound().unwrap().handle.0, 2);
}

#[test]
fn approval_for_one_request_does_not_send_another() {
    let (_folder, mut journal) = journal();
    let judgement = || judged(Ask, ActionClass::Write);
    let (first, _) = asked(admit_effect(&mut journal, at(1), post("quantity=1"), judgement()).unwrap());
    let (_, second_pending) = asked(admit_effect(&mut journal, at(1), post("quantity=9"), judgement()).unwrap());
    let crossed =
        answer_effect(&mut journal, at(2), second_pending, first.answer(&DeskKey::mint(), Decision::AllowOnce)).unwrap();
    assert_eq!(refused(crossed), Refusal::OtherTicket);
}

#[test]
fn the_same_deed_asked_twice_needs_two_approvals() {
    let (_folder, mut journal) = journal();
    let ask = |journal: &mut Journal| asked(admit(journal, at(1), pay(), judged(Ask, ActionClass::Payment)).unwrap());
    let (first, _) = ask(&mut journal);
    let (second, pending) = ask(&mut journal);
    assert_ne!((first.number(), first.digest()), (second.number(), second.digest()));
    let old = answer(&mut journal, at(2), pending, first.answer(&DeskKey::mint(), Decision::AllowOnce)).unwrap();
    assert_eq!(refused(old), Refusal::OtherTicket);
}

#[test]
fn an_approval_from_another_run_is_for_another_ticket() {
    let (folder, mut journal) = journal();
    let mut other = Journal::create(folder.path(), &RunId::new(1_700_000_000_000, [8; 8])).unwrap();
    let ask = |journal: &mut Journal| asked(admit(journal, at(1), pay(), judged(Ask, ActionClass::Payment)).unwrap());
    let ((mine, pending), (theirs, _)) = (ask(&mut journal), ask(&mut other));
    assert_eq!((mine.number(), mine.words()), (theirs.number(), theirs.words()));
    let crossed = answer(&mut journal, at(2), pending, theirs.answer(&DeskKey::mint(), Decision::AllowOnce)).unwrap();
    assert_eq!(refused(crossed), Refusal::OtherTicket);
}

#[test]
fn a_ticket_expires_by_the_steady_clock_whatever_the_calendar_says() {
    let answered_at = |unix_ms, steady_ms| {
        let (_folder, mut journal) = journal();
        let (ticket, pending) = asked(admit(&mut journal, at(1_000), pay(), judged(Ask, ActionClass::Payment)).unwrap());
        answer(&mut journal, Moment { unix_ms, steady_ms }, pending, ticket.answer(&DeskKey::mint(), Decision::AllowOnce))
            .unwrap()
    };
    for unix_ms in [0, 1_700_000_000_000, u64::MAX] {
        permitted(answered_at(unix_ms, 1_000 + TICKET_LIFE_MS));
        assert_eq!(refused(answered_at(unix_ms, 1_001 + TICKET_LIFE_MS)), Refusal::Expired);
    }
}

#[test]
fn a_client_s_word_is_too_little_for_what_can_not_be_undone() {
    for class in ActionClass::ALL {
        let (_folder, mut journal) = journal();
        let (ticket, pending) = asked(admit(&mut journal, at(1), pay(), judged(Ask, class)).unwrap());
        let admission = answer(&mut journal, at(2), pending, ticket.answer_client_attested(Decision::AllowOnce)).unwrap();
        let mild = class <= ActionClass::Finish && class != ActionClass::Dialog;
        assert_eq!(matches!(admission, Admission::Permit(_)), mild, "{class:?}");
        if !mild {
            assert_eq!(refused(admission), Refusal::LevelTooLow);
        }
    }
}

#[test]
fn a_permit_names_one_request_byte_for_byte() {
    let (_folder, mut journal) = journal();
    let image = post("product=7").image;
    let permit = permitted(admit_effect(&mut journal, at(1), post("product=7"), judged(Allow, ActionClass::Write)).unwrap());
    assert!(permit.names(&image));
    let changes: [fn(&mut RequestImage); 9] = [
        |image| image.method = "PUT".into(),
        |image| image.url.push('?'),
        |image| image.url = image.url.replace("https", "http"),
        |image| image.headers[0].1.push(' '),
        |image| image.headers[0].0 = "Content-Type".into(),
        |image| image.headers.push(("x-a".into(), String::new())),
        |image| image.headers.clear(),
        |image| image.body.push(b'0'),
        |image| image.body.clear(),
    ];
    for (at, change) in changes.iter().enumerate() {
        let mut other = image.clone();
        change(&mut other);
        assert!(!permit.names(&other), "change {at}");
    }
}

/// A run in which everything happens once: allowed, asked and allowed, asked and refused, refused; actions and requests.
fn transcript() -> Vec<u8> {
    let (_folder, mut journal) = journal();
    let key = DeskKey::mint();
    let policy = Policy::shipped().unwrap();
    for (step, class, decision) in [
        (1, ActionClass::UnknownControl, Decision::AllowOnce),
        (2, ActionClass::Payment, Decision::AllowOnce),
        (3, ActionClass::Destructive, Decision::Refuse),
        (4, ActionClass::Download, Decision::Stop),
    ] {
        let judgement = policy.judge_action(class, 0.75, Attendance::Attended);
        if let Admission::Ask(ticket, pending) = admit(&mut journal, at(step * 10), pay(), judgement).unwrap() {
            answer(&mut journal, at(step * 10 + 5), pending, ticket.answer(&key, decision)).unwrap();
        }
        let effect = post(&format!("step={step}"));
        let judgement = policy.judge_request(class, &effect.image, Attendance::Attended);
        if let Admission::Ask(ticket, pending) = admit_effect(&mut journal, at(step * 10 + 6), effect, judgement).unwrap() {
            answer_effect(&mut journal, at(step * 10 + 7), pending, ticket.answer(&key, decision)).unwrap();
        }
    }
    std::fs::read(journal.path()).unwrap()
}

#[test]
fn the_same_transcript_twice_is_the_same_journal_byte_for_byte() {
    let (one, other) = (transcript(), transcript());
    assert!(one.len() > 2_000);
    assert_eq!(one, other);
}

#[test]
fn no_secret_reaches_the_journal_or_the_ticket() {
    let value = "hunter2 & co/+";
    let scrub = Scrubber::of(&[secret("pw", value, SecretField::Concealed)]).unwrap();
    let (_folder, mut journal) = journal();
    let body: String =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("user", "anna").append_pair("password", value).finish();
    let effect =
        || Effect { image: request("POST", "https://shop.example/session", FORM, &body), after: None, scrub: scrub.clone() };
    permitted(admit_effect(&mut journal, at(1), effect(), judged(Allow, ActionClass::Write)).unwrap());
    let (ticket, pending) = asked(admit_effect(&mut journal, at(2), effect(), judged(Ask, ActionClass::Write)).unwrap());
    assert!(!scrub.finds(serde_json::to_string(&ticket).unwrap().as_bytes()));
    answer_effect(&mut journal, at(3), pending, ticket.answer(&DeskKey::mint(), Decision::AllowOnce)).unwrap();
    let seen = Control { name: PageText::read(&format!("Use {value}"), 160, &scrub), ..button(1, "") };
    permitted(admit(&mut journal, at(4), act(vec![seen], 0), judged(Allow, ActionClass::Fill)).unwrap());

    let written = std::fs::read(journal.path()).unwrap();
    assert!(!scrub.finds(&written));
    let text = String::from_utf8(written).unwrap();
    assert!(text.contains("[secret:pw]"));
    // Nor a digest that could be searched for it.
    for searchable in [effect().image.digest(), Digest::of(body.as_bytes())] {
        assert!(!text.contains(&searchable.to_string()));
    }
}

#[test]
fn only_an_answer_that_says_so_is_remembered() {
    let remembered = |class, decision, body: &str| {
        let (_folder, mut journal) = journal();
        let (ticket, pending) = asked(admit_effect(&mut journal, at(1), post(body), judged(Ask, class)).unwrap());
        let offered = ticket.words().remember.is_some();
        let approval = ticket.answer(&DeskKey::mint(), decision);
        let permit = permitted(answer_effect(&mut journal, at(2), pending, approval).unwrap());
        (offered, permit.remembered().cloned())
    };
    let (offered, shape) = remembered(ActionClass::Write, Decision::AllowAndRemember, "product=7");
    let shape = shape.unwrap();
    assert!(offered && shape.names(&post("product=8").image) && !shape.names(&post("product=8&gift=1").image));
    assert_eq!(remembered(ActionClass::Write, Decision::AllowOnce, "product=7"), (true, None));
    for class in ActionClass::ALL.into_iter().filter(|class| *class > ActionClass::Write) {
        assert_eq!(remembered(class, Decision::AllowAndRemember, "product=7"), (false, None), "{class:?}");
    }
}

#[test]
fn a_remembered_shape_turns_an_ask_into_a_yes_and_nothing_else() {
    let (_folder, mut journal) = journal();
    let (ticket, pending) = asked(admit_effect(&mut journal, at(1), post("a=1"), judged(Ask, ActionClass::Write)).unwrap());
    let approval = ticket.answer(&DeskKey::mint(), Decision::AllowAndRemember);
    let shapes = [permitted(answer_effect(&mut journal, at(2), pending, approval).unwrap()).remembered().unwrap().clone()];
    let judge = |policy: &Policy, body: &str| {
        let image = post(body).image;
        let held = crate::policy::Held {
            image: &image,
            cause: crate::traffic::Cause::Action,
            remembered: &shapes,
            attendance: Attendance::Attended,
        };
        policy.judge_held(&held).verdict()
    };
    let shipped = Policy::shipped().unwrap();
    assert_eq!(judge(&shipped, "a=2"), Allow);
    assert_eq!(judge(&shipped, "a=2&b=1"), Ask);
    assert_eq!(judge(&shipped, "a=4111111111111111"), Ask);
    let closed = Policy::with_file("version = 1\n[class.write]\nverdict = \"refuse\"\n").unwrap();
    assert_eq!(judge(&closed, "a=2"), Verdict::Refuse);
}

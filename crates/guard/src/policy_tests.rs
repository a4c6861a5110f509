use proptest::prelude::*;

use super::*;
use crate::fixtures::{FORM, request, shop};
use crate::policy_file;
use crate::risk;
use crate::traffic::Cause;
use Attendance::{Attended, Unattended};
use Verdict::{Allow, Ask, Refuse};

fn shipped() -> Policy {
    Policy::shipped().unwrap()
}

/// What the shipped policy says to a sure choice: with somebody there, and with nobody.
fn says(class: ActionClass) -> (Verdict, Verdict) {
    let judge = |attendance| shipped().judge_action(class, 1.0, attendance).verdict;
    (judge(Attended), judge(Unattended))
}

fn asked_to_send(policy: &Policy, image: &RequestImage, attendance: Attendance) -> Verdict {
    policy.judge_request(risk::of_request(image), image, attendance).verdict
}

// One test for each row of the table of action classes.

#[test]
fn looking_scrolling_and_moving_on_the_site_are_allowed() {
    for class in [ActionClass::Observe, ActionClass::Scroll, ActionClass::Navigate] {
        assert_eq!(says(class), (Allow, Allow), "{class:?}");
    }
}

#[test]
fn filling_and_choosing_are_allowed() {
    assert_eq!(says(ActionClass::Fill), (Allow, Allow));
}

#[test]
fn a_control_of_unknown_effect_is_allowed_and_its_write_is_asked_about() {
    assert_eq!(says(ActionClass::UnknownControl), (Allow, Allow));
    let image = request("POST", "https://shop.example/save", FORM, "a=1");
    assert_eq!(asked_to_send(&shipped(), &image, Attended), Ask);
}

#[test]
fn a_write_is_asked_about_unless_the_operator_named_it_exactly() {
    let mut policy = shipped();
    policy.allow_write(RequestPattern::parse("POST /cart").unwrap(), shop());
    for (method, url, verdict) in [
        ("POST", "https://shop.example/cart", Allow),
        ("POST", "https://shop.example/cart?from=list", Allow),
        ("PUT", "https://shop.example/cart", Ask),
        ("PATCH", "https://shop.example/cart", Ask),
        ("post", "https://shop.example/cart", Ask),
        ("POST", "https://shop.example/cart/", Ask),
        ("POST", "https://shop.example/Cart", Ask),
        ("POST", "https://shop.example/cart/add", Ask),
        ("POST", "https://shop.example/c%61rt", Ask),
        ("POST", "https://shop.example//cart", Ask),
        ("POST", "https://shop.example/", Ask),
        ("POST", "http://shop.example/cart", Ask),
        ("POST", "https://shop.example:8443/cart", Ask),
        ("POST", "https://www.shop.example/cart", Ask),
        ("POST", "https://evil.example/cart", Ask),
        ("POST", "https://shop.example/cart?do=delete", Ask),
        ("POST", "not a url", Ask),
    ] {
        let image = request(method, url, FORM, "product=7");
        assert_eq!(asked_to_send(&policy, &image, Attended), verdict, "{method} {url}");
    }
    let plain = request("POST", "https://shop.example/cart", FORM, "product=7");
    assert_eq!(asked_to_send(&policy, &plain, Unattended), Allow);
    assert_eq!(asked_to_send(&shipped(), &plain, Unattended), Ask);
    let card = request("POST", "https://shop.example/cart", FORM, "n=4111111111111111");
    assert_eq!(asked_to_send(&policy, &card, Attended), Ask);
    assert_eq!(asked_to_send(&policy, &card, Unattended), Refuse);
}

#[test]
fn destroying_and_paying_are_asked_about_and_refused_when_nobody_is_there() {
    for class in [ActionClass::Destructive, ActionClass::Payment] {
        assert_eq!(says(class), (Ask, Refuse), "{class:?}");
    }
    for (method, path) in [("POST", "/item/7/delete"), ("DELETE", "/item/7"), ("POST", "/checkout/pay")] {
        let image = request(method, &format!("https://shop.example{path}"), FORM, "");
        assert_eq!(asked_to_send(&shipped(), &image, Attended), Ask);
        assert_eq!(asked_to_send(&shipped(), &image, Unattended), Refuse);
    }
    let basket = request("POST", "https://shop.example/basket/add", FORM, "product=7");
    assert_eq!(risk::of_request(&basket), ActionClass::Write);
}

#[test]
fn credentials_are_typed_by_code_and_need_no_asking() {
    assert_eq!(says(ActionClass::Credentials), (Allow, Allow));
}

#[test]
fn leaving_the_site_and_uploading_are_asked_about_and_refused_when_nobody_is_there() {
    for class in [ActionClass::LeaveSite, ActionClass::Upload] {
        assert_eq!(says(class), (Ask, Refuse), "{class:?}");
    }
}

#[test]
fn a_download_is_refused_where_no_folder_is_given_for_it_whatever_a_file_says() {
    assert_eq!(says(ActionClass::Download), (Allow, Allow));
    let mut policy = Policy::with_file("version = 1\n[class.download]\nverdict = \"allow\"\n").unwrap();
    policy.forbid_downloads();
    for attendance in [Attended, Unattended] {
        assert_eq!(policy.judge_action(ActionClass::Download, 1.0, attendance).verdict, Refuse);
    }
}

#[test]
fn a_write_that_no_action_asked_for_is_asked_about_and_refused_when_nobody_is_there() {
    assert_eq!(says(ActionClass::BackgroundWrite), (Ask, Refuse));
    let judged = |policy: &Policy, body: &str, attendance| {
        let image = request("POST", "https://shop.example/save", FORM, body);
        let judgement = policy.judge_held(&Held { image: &image, cause: Cause::Page, remembered: &[], attendance });
        (judgement.verdict, judgement.class)
    };
    assert_eq!(judged(&shipped(), "a=1", Unattended), (Refuse, ActionClass::BackgroundWrite));
    assert_eq!(judged(&shipped(), "n=4111111111111111", Attended), (Ask, ActionClass::Payment));
    let mut named = shipped();
    named.allow_write(RequestPattern::parse("POST /save").unwrap(), shop());
    assert_eq!(judged(&named, "a=1", Unattended).0, Allow);
}

#[test]
fn an_end_is_allowed_to_be_claimed_only_with_confidence() {
    assert_eq!(says(ActionClass::Finish), (Allow, Allow));
    assert_eq!(shipped().judge_action(ActionClass::Finish, 0.84, Attended).verdict, Ask);
}

#[test]
fn below_its_floor_an_allowed_class_is_asked_about_and_a_refused_one_stays_refused() {
    for (class, floor) in [
        (ActionClass::Scroll, 0.5),
        (ActionClass::Navigate, 0.6),
        (ActionClass::Fill, 0.6),
        (ActionClass::UnknownControl, 0.6),
        (ActionClass::Credentials, 0.6),
        (ActionClass::LeaveSite, 0.6),
        (ActionClass::Download, 0.6),
        (ActionClass::Upload, 0.6),
        (ActionClass::Destructive, 0.6),
        (ActionClass::Payment, 0.6),
        (ActionClass::Finish, 0.85),
    ] {
        assert!((shipped().class(class).floor - floor).abs() < 1e-9, "{class:?}");
        for attendance in [Attended, Unattended] {
            let judge = |confidence| shipped().judge_action(class, confidence, attendance);
            let sure = judge(1.0).verdict;
            assert_eq!(judge(floor).verdict, sure, "{class:?} at its floor");
            for low in [floor - 1e-6, 0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
                assert_eq!(judge(low).verdict, sure.join(Ask), "{class:?} at {low}");
                assert_eq!(judge(low).reasons.len(), 2);
            }
        }
    }
    let mut without = shipped();
    without.forbid_downloads();
    assert_eq!(without.judge_action(ActionClass::Download, 1.0, Attended).verdict, Refuse);
}

#[test]
fn reasons_are_clauses_a_person_can_read() {
    let low = shipped().judge_action(ActionClass::Payment, 0.41, Unattended);
    insta::assert_snapshot!(low.reasons.join("\n"), @r"
    policy says refuse for payment with nobody to ask
    confidence 0.41 is below 0.60 for payment
    ");
    let mut policy = shipped();
    policy.allow_write(RequestPattern::parse("POST /cart").unwrap(), shop());
    let allowed = policy.judge_request(ActionClass::Write, &request("POST", "https://shop.example/cart", FORM, ""), Attended);
    insta::assert_snapshot!(allowed.reasons.join("\n"), @r#"rule --allow "POST /cart" says allow"#);
}

#[test]
fn the_stricter_verdict_wins() {
    for (one, other, joined) in [
        (Allow, Allow, Allow),
        (Allow, Ask, Ask),
        (Allow, Refuse, Refuse),
        (Ask, Ask, Ask),
        (Ask, Refuse, Refuse),
        (Refuse, Refuse, Refuse),
    ] {
        assert_eq!((one.join(other), other.join(one)), (joined, joined));
    }
}

fn rule(class: ActionClass, path: &str, origin: Option<Origin>, verdict: Verdict) -> Rule {
    Rule {
        name: format!("{path} {verdict:?}"),
        class,
        request: Some(RequestPattern::parse(&format!("POST {path}")).unwrap()),
        origin,
        verdict,
    }
}

const RULED: [ActionClass; 4] = [ActionClass::Write, ActionClass::Upload, ActionClass::Destructive, ActionClass::Payment];

#[test]
fn a_rule_never_opens_a_stricter_class_and_its_refusal_holds_for_every_class() {
    let image = request("POST", "https://shop.example/go", FORM, "");
    for named in RULED {
        for asked in RULED {
            let judge = |verdict| {
                let mut policy = shipped();
                policy.rules.push(rule(named, "/go", Some(shop()), verdict));
                policy.judge_request(asked, &image, Attended).verdict
            };
            assert_eq!(judge(Allow), if named >= asked { Allow } else { Ask }, "{named:?} {asked:?}");
            assert_eq!(judge(Ask), Ask, "{named:?} {asked:?}");
            assert_eq!(judge(Refuse), Refuse, "{named:?} {asked:?}");
        }
    }
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let verdicts = prop::sample::select(vec![Allow, Ask, Refuse]);
    let origins = prop::sample::select(vec![None, Some(shop()), Some(Origin::read("https://other.example").unwrap())]);
    (prop::sample::select(RULED.to_vec()), prop::sample::select(vec!["/go", "/stay"]), origins, verdicts)
        .prop_map(|(class, path, origin, verdict)| rule(class, path, origin, verdict))
}

proptest! {
    #[test]
    fn the_order_of_rules_changes_no_verdict(
        (rules, shuffled) in prop::collection::vec(any_rule(), 0..8).prop_flat_map(|rules| (Just(rules.clone()), Just(rules).prop_shuffle())),
        class in prop::sample::select(RULED.to_vec()),
        attendance in prop::sample::select(vec![Attended, Unattended]),
    ) {
        let image = request("POST", "https://shop.example/go", FORM, "");
        let judge = |rules: &[Rule]| {
            let policy = Policy { rules: rules.to_vec(), ..shipped() };
            policy.judge_request(class, &image, attendance).verdict
        };
        prop_assert_eq!(judge(&rules), judge(&shuffled));
        // No naming rule is stricter than the verdict.
        let naming = rules.iter().filter(|rule| rule_names(rule, &image));
        prop_assert!(naming.map(|rule| rule.verdict).max().is_none_or(|strictest| strictest <= judge(&rules)));
    }

    #[test]
    fn one_more_rule_of_a_milder_class_never_opens_anything(rules in prop::collection::vec(any_rule(), 0..6), more in any_rule()) {
        let image = request("POST", "https://shop.example/go", FORM, "");
        prop_assume!(more.class < ActionClass::Payment);
        let judge = |rules: Vec<Rule>| Policy { rules, ..shipped() }.judge_request(ActionClass::Payment, &image, Attended).verdict;
        let more = rules.iter().cloned().chain([more]).collect();
        prop_assert!(judge(rules) <= judge(more));
    }
}

#[test]
fn a_request_pattern_is_one_method_and_one_exact_path() {
    for right in ["POST /", "POST /cart", "GET /a/b.c", "DELETE /item/7", " PUT  /x "] {
        assert!(RequestPattern::parse(right).is_ok(), "{right:?}");
    }
    for wrong in [
        "",
        "POST",
        "/cart",
        "post /cart",
        "POST cart",
        "POST //cart",
        "POST /cart*",
        "POST /cart?x=1",
        "POST /cart#x",
        "POST /a b",
        "POST /a\\b",
        "CONNECT /x",
        "* /cart",
        "POST https://shop.example/cart",
        "POST /../cart",
        "POST /./cart",
        "POST /a\tb",
        "POST /a\u{202e}b",
    ] {
        assert!(RequestPattern::parse(wrong).is_err(), "{wrong:?}");
    }
}

/// The message with which an operator's file is refused.
fn refusal(text: &str) -> String {
    Policy::with_file(text).unwrap_err().to_string()
}

#[test]
fn an_unknown_key_refuses_to_start() {
    insta::assert_snapshot!(refusal("version = 1\n\n[class.write]\nverdict = \"ask\"\nfloors = 0.5\n"), @"policy line 5: unknown field `floors`, expected one of `verdict`, `unattended`, `floor`, `floor_by`");
    insta::assert_snapshot!(refusal("version = 1\n\n[class.wrte]\nverdict = \"ask\"\n"), @"policy line 3: unknown variant `wrte`, expected one of `observe`, `scroll`, `navigate`, `fill`, `unknown_control`, `dialog`, `finish`, `publish`, `background_write`, `write`, `credentials`, `leave_site`, `download`, `upload`, `destructive`, `payment`");
    insta::assert_snapshot!(refusal("version = 1\n\n[class.write]\nverdict = \"yes\"\n"), @"policy line 4: unknown variant `yes`, expected one of `allow`, `ask`, `refuse`");
    insta::assert_snapshot!(refusal("version = 1\nallow_all = true\n"), @"policy line 2: unknown field `allow_all`, expected one of `version`, `class`, `rule`, `read`, `socket`");
    insta::assert_snapshot!(refusal("version = 1\n[class.write\n"), @"policy line 2: unclosed table, expected `]`");
    insta::assert_snapshot!(refusal("version = 2\n[class.write]\nverdict = \"ask\"\n"), @"policy line 1: only `version = 1` is known");
    insta::assert_snapshot!(refusal("[class.write]\nverdict = \"ask\"\n"), @"policy line 1: missing field `version`");
    insta::assert_snapshot!(refusal("version = 1\n\n[class.write]\nfloor = 0.5\n"), @"policy line 3: missing field `verdict`");
}

#[test]
fn an_empty_policy_refuses_to_start() {
    insta::assert_snapshot!(refusal(""), @"the policy is empty: give at least one [class.NAME] or [[rule]], or leave --policy out to use the shipped one");
    assert_eq!(refusal("version = 1\n"), refusal(""));
    assert_eq!(refusal(" \n\n"), refusal(""));
}

#[test]
fn a_policy_without_a_class_refuses_to_start() {
    let text = include_str!("../../../policies/default.toml")
        .replace("[class.payment]\nverdict = \"ask\"\nunattended = \"refuse\"\nfloor = 0.6\n", "");
    insta::assert_snapshot!(policy_file::read(&text, None).unwrap_err().to_string(), @"the policy says nothing for class payment");
}

#[test]
fn values_that_can_not_be_refuse_to_start() {
    insta::assert_snapshot!(refusal("version = 1\n\n[class.write]\nverdict = \"ask\"\nfloor = 1.5\n"), @"policy line 3: floor of write must be between 0 and 1");
    insta::assert_snapshot!(refusal("version = 1\n[class.write]\nverdict = \"ask\"\nfloor = nan\n"), @"policy line 2: floor of write must be between 0 and 1");
    insta::assert_snapshot!(refusal("version = 1\n\n\n[class.payment]\nverdict = \"refuse\"\nunattended = \"allow\"\n"), @"policy line 4: class payment would be more open with nobody there (allow) than with somebody (refuse)");
}

fn file_with_rule(lines: &str) -> String {
    format!("version = 1\n\n[[rule]]\nname = \"basket\"\n{lines}\n")
}

#[test]
fn a_rule_that_is_not_exact_refuses_to_start() {
    let origin = "origin = \"https://shop.example\"\nverdict = \"allow\"\nmatches = [\"POST https://shop.example/cart\"]";
    let with = |rest: &str| refusal(&file_with_rule(&format!("{rest}\n{origin}")));
    insta::assert_snapshot!(with("class = \"write\"\nrequest = \"POST /cart/*\""), @"policy line 6: `POST /cart/*` is not a request: write a method in capitals and an exact path, such as `POST /cart`");
    insta::assert_snapshot!(with("class = \"fill\"\nrequest = \"POST /cart\""), @"policy line 6: a request rule speaks of write, upload, destructive or payment, not of fill");
    insta::assert_snapshot!(with("class = \"download\"\nrequest = \"POST /cart\""), @"policy line 6: a request rule speaks of write, upload, destructive or payment, not of download");
    let wide = "class = \"write\"\nrequest = \"POST /cart\"\nverdict = \"allow\"\nmatches = [\"POST https://shop.example/cart\"]";
    insta::assert_snapshot!(refusal(&file_with_rule(wide)), @"policy line 4: a rule that allows needs the exact `origin` it allows at");
    insta::assert_snapshot!(refusal(&file_with_rule(&format!("{wide}\norigin = \"https://shop.example/\""))), @"policy line 9: an origin is a scheme, a host and perhaps a port, with nothing after them: write https://shop.example");
    insta::assert_snapshot!(refusal(&file_with_rule(&format!("{wide}\norigin = \"https://*.shop.example\""))), @"policy line 9: an origin is exact, without wildcards");
    insta::assert_snapshot!(refusal(&file_with_rule("class = \"write\"\nrequest = \"POST /cart\"\nverdict = \"ask\"\nmatches = []")), @"policy line 4: a rule needs at least one example in `matches`");
}

#[test]
fn a_failing_example_refuses_to_start() {
    let rule = "class = \"write\"\nrequest = \"POST /cart\"\norigin = \"https://shop.example\"\nverdict = \"allow\"";
    let with = |rest: &str| refusal(&file_with_rule(&format!("{rule}\n{rest}")));
    insta::assert_snapshot!(with("matches = [\n  \"POST https://shop.example/cart\",\n  \"POST https://shop.example/basket\",\n]"), @"policy line 11: example `POST https://shop.example/basket` of rule `basket` must match and does not");
    insta::assert_snapshot!(with("matches = [\"POST https://shop.example/cart\"]\nnot_matches = [\"POST https://shop.example/cart?x=1\"]"), @"policy line 10: example `POST https://shop.example/cart?x=1` of rule `basket` must not match and does");
    insta::assert_snapshot!(with("matches = [\"/cart\"]"), @"policy line 9: example `/cart` of rule `basket` is not `METHOD https://origin/path`");
}

#[test]
fn two_rules_that_contradict_each_other_refuse_to_start() {
    let rule = |name: &str, verdict: &str| {
        format!(
            "[[rule]]\nname = \"{name}\"\nclass = \"write\"\nrequest = \"POST /cart\"\norigin = \"https://shop.example\"\nverdict = \"{verdict}\"\n\
             matches = [\"POST https://shop.example/cart\"]\n"
        )
    };
    insta::assert_snapshot!(refusal(&format!("version = 1\n{}\n{}", rule("open", "allow"), rule("shut", "refuse"))), @"policy line 11: rule `shut` contradicts rule `open`: both name POST /cart, and one says allow, the other refuse");
    assert!(Policy::with_file(&format!("version = 1\n{}\n{}", rule("one", "ask"), rule("two", "ask"))).is_ok());
}

#[test]
fn a_file_that_is_too_large_refuses_to_start() {
    insta::assert_snapshot!(refusal(&"#".repeat(300_000)), @"the policy is larger than 262144 bytes or 500 rules");
    let rules = "[[rule]]\nname = \"r\"\nclass = \"write\"\nrequest = \"POST /x\"\nverdict = \"ask\"\nmatches = [\"POST https://a.example/x\"]\n";
    assert_eq!(refusal(&format!("version = 1\n{}", rules.repeat(501))), refusal(&"#".repeat(300_000)));
}

#[test]
fn what_a_file_leaves_unsaid_stays_as_strict_as_shipped() {
    let with = |lines: &str| Policy::with_file(&format!("version = 1\n{lines}")).unwrap();
    let payment = |policy: Policy| policy.class(ActionClass::Payment);
    let shipped = shipped().class(ActionClass::Payment);
    assert_eq!(payment(with("[class.payment]\nverdict = \"ask\"\n")), shipped);
    assert_eq!(payment(with("[class.payment]\nverdict = \"allow\"\n")), ClassRule { verdict: Allow, ..shipped });
    assert_eq!(
        payment(with("[class.payment]\nverdict = \"allow\"\nunattended = \"ask\"\nfloor = 0.9\n")),
        ClassRule { verdict: Allow, unattended: Ask, floor: 0.9 }
    );
    assert_eq!(payment(with("[class.write]\nverdict = \"refuse\"\n")), shipped);
}

#[test]
fn a_policy_without_a_rule_for_a_class_refuses_it_even_if_it_was_not_refused_at_the_start() {
    let hollow = Policy {
        classes: BTreeMap::new(),
        rules: Vec::new(),
        floors: BTreeMap::new(),
        backend: Backend::Other,
        reads: Vec::new(),
        dialogs: Vec::new(),
        sockets: Vec::new(),
    };
    for class in ActionClass::ALL {
        assert_eq!(hollow.judge_action(class, 1.0, Attended).verdict, Refuse);
    }
}

#[test]
fn a_rule_for_a_method_does_not_allow_a_header_that_names_another() {
    let mut policy = shipped();
    policy.allow_write(RequestPattern::parse("POST /cart").unwrap(), shop());
    for (name, value, verdict) in [
        ("X-HTTP-Method-Override", "PUT", Ask),
        ("x-http-method", "patch", Ask),
        ("x-method-override", "POST", Allow),
        ("x-requested-with", "PUT", Allow),
    ] {
        let mut image = request("POST", "https://shop.example/cart", FORM, "a=1");
        image.headers.push((name.into(), value.into()));
        assert_eq!(policy.judge_request(ActionClass::Write, &image, Attended).verdict, verdict, "{name}: {value}");
    }
}

#[test]
fn a_floor_may_differ_by_what_decides_and_a_floor_stated_anew_holds_for_all() {
    let text = "version = 1\n[class.fill]\nverdict = \"allow\"\nfloor = 0.6\nfloor_by = { systemone = 0.4, other = 0.8 }\n";
    let mut policy = Policy::with_file(text).unwrap();
    for (backend, floor) in [(Backend::Reflex, 0.6), (Backend::Systemone, 0.4), (Backend::Other, 0.8)] {
        policy.decided_by(backend);
        assert!((policy.floor(ActionClass::Fill) - floor).abs() < 1e-9, "{backend:?}");
        let judge = |confidence| policy.judge_action(ActionClass::Fill, confidence, Attendance::Unattended).verdict;
        assert_eq!((judge(floor), judge(floor - 0.01)), (Allow, Ask), "{backend:?}");
    }
    let above = policy_file::read("version = 1\n[class.fill]\nverdict = \"allow\"\nfloor = 0.7\n", Some(policy)).unwrap();
    assert!((above.floor(ActionClass::Fill) - 0.7).abs() < 1e-9);
    for wrong in ["{ systemone = 1.5 }", "{ gpt = 0.5 }", "{ reflex = nan }"] {
        let text = format!("version = 1\n[class.fill]\nverdict = \"allow\"\nfloor_by = {wrong}\n");
        assert!(Policy::with_file(&text).is_err(), "{wrong}");
    }
}

#[test]
fn files_are_attached_and_sent_only_by_a_person_or_where_the_operator_named_the_request() {
    let mut policy = shipped();
    let judged = |policy: &Policy, origin: &Origin| policy.judge_attach(Some(origin), 0.9, Unattended).verdict;
    assert_eq!(judged(&policy, &shop()), Refuse);
    assert_eq!(policy.judge_attach(Some(&shop()), 0.9, Attended).verdict, Ask);
    policy.allow_upload(RequestPattern::parse("POST /files").unwrap(), shop());
    assert_eq!(judged(&policy, &shop()), Allow);
    assert_eq!(judged(&policy, &Origin::read("https://other.example").unwrap()), Refuse);
    assert_eq!(policy.judge_attach(Some(&shop()), 0.1, Unattended).verdict, Refuse, "below the floor");
    let form = |method: &str, action: &str| FormFacts { method: method.into(), action: action.into(), ..FormFacts::default() };
    for (form, verdict) in [
        (form("post", "https://shop.example/files"), Allow),
        (form("get", "https://shop.example/files"), Refuse),
        (form("post", "https://shop.example/elsewhere"), Refuse),
        (form("post", "https://other.example/files"), Refuse),
    ] {
        assert_eq!(policy.judge_submit_of_files(Some(&form), 0.9, Unattended).verdict, verdict, "{form:?}");
    }
    let body = "--x\r\ncontent-disposition: form-data; name=\"f\"; filename=\"a.pdf\"\r\n\r\n%PDF\r\n--x--";
    let sent = |path: &str| request("POST", &format!("https://shop.example{path}"), "multipart/form-data; boundary=x", body);
    assert_eq!(asked_to_send(&policy, &sent("/files"), Unattended), Allow);
    assert_eq!(asked_to_send(&policy, &sent("/other"), Unattended), Refuse);
}

#[test]
fn a_policy_grants_sockets_by_exact_origin() {
    let policy = Policy::with_file("version = 1\n[[socket]]\norigin = \"wss://chat.example\"\n").unwrap();
    assert_eq!(policy.sockets().len(), 1);
    assert_eq!(policy.sockets()[0].sends, crate::socket::Sends::Listening);
    let all = "version = 1\n[[socket]]\norigin = \"wss://chat.example\"\ndangerously_sends = true\n";
    assert_eq!(Policy::with_file(all).unwrap().sockets()[0].sends, crate::socket::Sends::Everything);
    for wrong in ["wss://*.example", "wss://chat.example/room", "ftp://chat.example", "chat.example"] {
        let text = format!("version = 1\n[[socket]]\norigin = \"{wrong}\"\n");
        assert!(Policy::with_file(&text).is_err(), "{wrong}");
    }
    assert!(Policy::shipped().unwrap().sockets().is_empty());
}

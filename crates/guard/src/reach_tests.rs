use super::{Passage, Profile, Reach, ReachError, ReachReason, ReadClass, Relation, WriteClass, facts_of, leaves_page_standing};
use crate::socket::{Sends, SocketGrant};
use crate::web::{Origin, Site, WebUrl};

fn origin(text: &str) -> Origin {
    Origin::read(text).unwrap()
}

fn shop(profile: Profile) -> Reach {
    Reach::new(
        profile,
        &WebUrl::read("https://www.shop.example/start").unwrap(),
        vec![Site::read("pay.example").unwrap()],
        vec![origin("https://api.partner.example:8443"), origin("https://one.listed.example")],
        vec![origin("http://localhost:3000")],
    )
    .unwrap()
}

fn judge(reach: &Reach, method: &str, url: &str, labels: &[(&str, &str)]) -> Passage {
    let headers: Vec<(String, String)> = labels.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    reach.judge(&facts_of(method, url, &headers))
}

const NAVIGATE: &[(&str, &str)] = &[("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
const FETCH: &[(&str, &str)] = &[("sec-fetch-mode", "cors"), ("sec-fetch-dest", "empty")];
const BEACON: &[(&str, &str)] = &[("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "empty")];
const SCRIPT: &[(&str, &str)] = &[("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "script")];
const FRAME: &[(&str, &str)] = &[("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];

type Said = Result<ReadClass, ReachReason>;

#[test]
fn places_are_judged_before_anything_the_browser_says() {
    use ReachReason::{BadUrl, LeavesSite, NotListed, PlainHttp, Port};
    // Address, what the site profile says to a navigation, what the strict one says.
    let table: &[(&str, Said, Said)] = &[
        ("https://www.shop.example/", Ok(ReadClass::Document), Ok(ReadClass::Document)),
        ("https://cdn.shop.example/", Ok(ReadClass::Document), Err(NotListed)),
        ("https://shop.example/", Ok(ReadClass::Document), Err(NotListed)),
        ("https://a.b.pay.example/", Ok(ReadClass::Document), Err(NotListed)),
        ("https://one.listed.example/", Ok(ReadClass::Document), Ok(ReadClass::Document)),
        ("https://two.listed.example/", Err(LeavesSite), Err(NotListed)),
        ("https://api.partner.example:8443/", Ok(ReadClass::Document), Ok(ReadClass::Document)),
        ("https://api.partner.example/", Err(LeavesSite), Err(NotListed)),
        ("https://www.shop.example:8443/", Err(Port), Err(Port)),
        ("https://cdn.shop.example:8443/", Err(Port), Err(Port)),
        ("https://www.shop.example:80/", Err(Port), Err(Port)),
        ("http://www.shop.example/", Err(PlainHttp), Err(PlainHttp)),
        ("http://localhost:3000/", Ok(ReadClass::Document), Ok(ReadClass::Document)),
        ("http://localhost:3001/", Err(PlainHttp), Err(PlainHttp)),
        ("https://localhost:3000/", Err(Port), Err(Port)),
        ("https://www.shop.example.evil.example/", Err(LeavesSite), Err(NotListed)),
        ("https://evilshop.example/", Err(LeavesSite), Err(NotListed)),
        ("https://example/", Err(LeavesSite), Err(NotListed)),
        ("https://203.0.113.9/", Err(LeavesSite), Err(NotListed)),
        ("https://www.shop.example@evil.example/", Err(BadUrl), Err(BadUrl)),
        ("https://www.shop.example./", Err(BadUrl), Err(BadUrl)),
        ("ftp://www.shop.example/", Err(BadUrl), Err(BadUrl)),
        ("wss://www.shop.example/", Err(BadUrl), Err(BadUrl)),
        ("file:///etc/passwd", Err(BadUrl), Err(BadUrl)),
        ("", Err(BadUrl), Err(BadUrl)),
    ];
    let as_passage = |said: &Said| said.map_or_else(Passage::Refuse, Passage::Pass);
    for (url, site, strict) in table {
        assert_eq!(judge(&shop(Profile::Site), "GET", url, NAVIGATE), as_passage(site), "site: {url}");
        assert_eq!(judge(&shop(Profile::Strict), "GET", url, NAVIGATE), as_passage(strict), "strict: {url}");
    }
}

#[test]
fn a_third_party_read_passes_only_as_a_file_that_a_page_is_built_from() {
    use ReachReason::{Contradiction, LeavesSite, ThirdPartyFetch, ThirdPartyFrame, Unlabelled};
    let third = "https://cdn.elsewhere.example/x";
    let reach = shop(Profile::Site);
    for dest in ["script", "style", "font", "image", "audio", "video", "track"] {
        let labels = [("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", dest)];
        assert_eq!(judge(&reach, "GET", third, &labels), Passage::Pass(ReadClass::Asset), "{dest}");
        assert_eq!(judge(&reach, "HEAD", third, &labels), Passage::Pass(ReadClass::Asset), "{dest}");
        assert_eq!(judge(&shop(Profile::Strict), "GET", third, &labels), Passage::Refuse(ReachReason::NotListed), "{dest}");
        let contradicted = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", dest)];
        assert_eq!(judge(&reach, "GET", third, &contradicted), Passage::Refuse(Contradiction), "{dest}");
    }
    let dest = |dest| vec![("sec-fetch-mode", "cors"), ("sec-fetch-dest", dest)];
    let cases: [(&[(&str, &str)], ReachReason); 15] = [
        (NAVIGATE, LeavesSite),
        (&[("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "empty")], LeavesSite),
        (FRAME, ThirdPartyFrame),
        (&dest("fencedframe"), ThirdPartyFrame),
        (&dest("object"), ThirdPartyFrame),
        (&dest("embed"), ThirdPartyFrame),
        (FETCH, ThirdPartyFetch),
        (&dest("worker"), ThirdPartyFetch),
        (&dest("serviceworker"), ThirdPartyFetch),
        (&dest("manifest"), ThirdPartyFetch),
        (&[], Unlabelled),
        (&[("sec-fetch-mode", "no-cors")], Contradiction),
        (&dest("document"), Contradiction),
        (&dest("brand-new"), Contradiction),
        (&[("sec-fetch-dest", "script"), ("sec-fetch-dest", "script")], Contradiction),
    ];
    for (labels, reason) in cases {
        assert_eq!(judge(&reach, "GET", third, labels), Passage::Refuse(reason), "{labels:?}");
    }
}

#[test]
fn every_method_but_the_three_of_a_read_is_a_write() {
    let reach = shop(Profile::Site);
    for method in ["POST", "PUT", "PATCH", "DELETE", "PROPFIND", "get", "Get", "X"] {
        assert_eq!(
            judge(&reach, method, "https://www.shop.example/", NAVIGATE),
            Passage::Hold(WriteClass::Navigation),
            "{method}"
        );
        assert_eq!(judge(&reach, method, "https://pay.example/", FETCH), Passage::Hold(WriteClass::Script), "{method}");
        assert_eq!(judge(&reach, method, "https://pay.example/", BEACON), Passage::Hold(WriteClass::Beacon), "{method}");
        assert_eq!(judge(&reach, method, "https://pay.example/", &[]), Passage::Hold(WriteClass::Script), "{method}");
        for labels in [NAVIGATE, FETCH, SCRIPT, FRAME, &[]] {
            let passage = judge(&reach, method, "https://elsewhere.example/", labels);
            assert_eq!(passage, Passage::Refuse(ReachReason::ThirdPartyWrite), "{method} {labels:?}");
        }
        assert_eq!(
            judge(&reach, method, "https://elsewhere.example/", BEACON),
            Passage::Refuse(ReachReason::Telemetry),
            "{method}"
        );
    }
    for method in ["CONNECT", "TRACE", "TRACK"] {
        assert_eq!(judge(&reach, method, "https://www.shop.example/", NAVIGATE), Passage::Refuse(ReachReason::Method));
    }
}

#[test]
fn a_word_in_a_path_does_not_make_a_read_a_write() {
    let passage = judge(&shop(Profile::Site), "GET", "https://www.shop.example/account/delete?logout=1", NAVIGATE);
    assert_eq!(passage, Passage::Pass(ReadClass::Document));
}

#[test]
fn some_kinds_of_request_pass_nowhere() {
    use ReachReason::{Identity, Ping, Report, Socket, Speculation};
    let cases: &[(&[(&str, &str)], ReachReason)] = &[
        (&[("upgrade", "websocket")], Socket),
        (&[("upgrade", "h2c")], Socket),
        (&[("sec-websocket-key", "x")], Socket),
        (&[("sec-fetch-mode", "websocket")], Socket),
        (&[("sec-purpose", "prefetch")], Speculation),
        (&[("Sec-Purpose", "Prefetch;Prerender")], Speculation),
        (&[("purpose", "prefetch")], Speculation),
        (&[("x-purpose", "preview")], Speculation),
        (&[("x-moz", "prefetch")], Speculation),
        (&[("sec-speculation-tags", "null")], Speculation),
        (&[("sec-fetch-dest", "speculationrules")], Speculation),
        (&[("content-type", "application/reports+json")], Report),
        (&[("content-type", "Application/CSP-Report; charset=utf-8")], Report),
        (&[("sec-fetch-dest", "report")], Report),
        (&[("ping-to", "https://x.example/")], Ping),
        (&[("ping-from", "https://x.example/")], Ping),
        (&[("content-type", "text/ping")], Ping),
        (&[("sec-fetch-dest", "webidentity")], Identity),
    ];
    for (labels, reason) in cases {
        for method in ["GET", "POST", "HEAD"] {
            for url in ["https://www.shop.example/", "https://elsewhere.example/", "http://localhost:3000/"] {
                assert_eq!(
                    judge(&shop(Profile::Site), method, url, labels),
                    Passage::Refuse(*reason),
                    "{method} {url} {labels:?}"
                );
            }
        }
    }
}

#[test]
fn a_preflight_passes_to_a_listed_origin_and_no_other_question_does() {
    let reach = shop(Profile::Site);
    let whole = [("origin", "https://www.shop.example"), ("access-control-request-method", "POST"), ("sec-fetch-mode", "cors")];
    assert_eq!(judge(&reach, "OPTIONS", "https://pay.example/", &whole), Passage::Pass(ReadClass::Preflight));
    let elsewhere = |reach: &Reach, asked| {
        let labels = [whole[0], ("access-control-request-method", asked), whole[2]];
        judge(reach, "OPTIONS", "https://elsewhere.example/", &labels)
    };
    for (asked, reason) in [
        ("POST", ReachReason::ThirdPartyWrite),
        ("PUT", ReachReason::ThirdPartyWrite),
        ("GET", ReachReason::ThirdPartyFetch),
        ("head", ReachReason::ThirdPartyFetch),
        ("TRACE", ReachReason::Method),
    ] {
        assert_eq!(elsewhere(&reach, asked), Passage::Refuse(reason), "{asked}");
    }
    assert_eq!(elsewhere(&shop(Profile::Strict), "POST"), Passage::Refuse(ReachReason::NotListed));
    for part in [&whole[..1], &whole[1..], &[], &[whole[0], whole[1], ("sec-fetch-mode", "no-cors")]] {
        assert_eq!(
            judge(&reach, "OPTIONS", "https://pay.example/", part),
            Passage::Refuse(ReachReason::NotPreflight),
            "{part:?}"
        );
    }
}

#[test]
fn sec_fetch_headers_never_turn_a_refusal_into_a_pass_but_for_listed_assets() {
    let modes = ["navigate", "cors", "no-cors", "same-origin", "websocket", "other"];
    let dests = ["document", "iframe", "empty", "script", "image", "worker", "report", "manifest", "other", ""];
    for profile in [Profile::Site, Profile::Strict] {
        let reach = shop(profile);
        for method in ["GET", "HEAD", "POST", "OPTIONS", "TRACE"] {
            for url in
                ["https://elsewhere.example/", "http://www.shop.example/", "https://www.shop.example:444/", "https://1.1.1.1/"]
            {
                for (mode, dest) in modes.iter().flat_map(|m| dests.iter().map(move |d| (*m, *d))) {
                    let labels = [
                        ("sec-fetch-mode", mode),
                        ("sec-fetch-dest", dest),
                        ("sec-fetch-site", "same-origin"),
                        ("sec-fetch-user", "?1"),
                    ];
                    let asset = ["script", "image"].contains(&dest) && mode != "navigate" && mode != "websocket";
                    let may = asset
                        && profile == Profile::Site
                        && ["GET", "HEAD"].contains(&method)
                        && url.ends_with("e/")
                        && url.starts_with("https://e");
                    let public =
                        asset && profile == Profile::Site && ["GET", "HEAD"].contains(&method) && url == "https://1.1.1.1/";
                    let passed = !matches!(judge(&reach, method, url, &labels), Passage::Refuse(_));
                    assert_eq!(passed, may || public, "{profile:?} {method} {url} {mode} {dest}");
                }
            }
        }
    }
}

#[test]
fn a_tunnel_is_opened_only_where_something_could_pass() {
    let ok = |profile, text: &str| shop(profile).judge_tunnel(&origin(text));
    assert_eq!(ok(Profile::Site, "https://elsewhere.example"), Ok(()));
    assert_eq!(ok(Profile::Site, "https://elsewhere.example:3478"), Err(ReachReason::Port));
    assert_eq!(ok(Profile::Site, "https://api.partner.example:8443"), Ok(()));
    assert_eq!(ok(Profile::Strict, "https://elsewhere.example"), Ok(()), "what is refused inside is recorded whole");
    assert_eq!(ok(Profile::Strict, "https://elsewhere.example:3478"), Err(ReachReason::Port));
}

#[test]
fn only_a_page_that_would_go_elsewhere_is_left_standing() {
    let facts = |labels: &[(&str, &str)]| {
        let headers: Vec<(String, String)> = labels.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        facts_of("GET", "https://elsewhere.example/", &headers)
    };
    for reason in ReachReason::ALL {
        let elsewhere = [ReachReason::LeavesSite, ReachReason::ThirdPartyWrite, ReachReason::NotListed, ReachReason::NotAllowed]
            .contains(reason);
        assert_eq!(leaves_page_standing(&facts(NAVIGATE), *reason), elsewhere, "{reason:?}");
        for labels in [FETCH, BEACON, SCRIPT, FRAME, &[]] {
            assert!(!leaves_page_standing(&facts(labels), *reason), "{reason:?} {labels:?}");
        }
    }
}

#[test]
fn relations_are_told_apart() {
    let relation = |text: &str| shop(Profile::Site).relation(&origin(text));
    assert_eq!(relation("https://www.shop.example"), Relation::StartOrigin);
    assert_eq!(relation("https://cdn.shop.example"), Relation::StartSite);
    assert_eq!(relation("https://pay.example"), Relation::Listed);
    assert_eq!(relation("http://localhost:3000"), Relation::Local);
    assert_eq!(relation("https://elsewhere.example"), Relation::ThirdParty);
}

#[test]
fn plain_http_is_never_listed_but_as_a_local_origin() {
    let start = WebUrl::read("http://shop.example/").unwrap();
    let refused = Reach::new(Profile::Site, &start, vec![], vec![], vec![]).unwrap_err();
    assert_eq!(refused, ReachError::PlainHttp(origin("http://shop.example")));
    let start = WebUrl::read("https://shop.example/").unwrap();
    assert!(Reach::new(Profile::Site, &start, vec![], vec![origin("http://api.example")], vec![]).is_err());
}

#[test]
fn a_reach_is_read_back_from_a_journal_as_it_was_and_an_unknown_key_is_refused() {
    let reach = shop(Profile::Site);
    let text = serde_json::to_string(&reach).unwrap();
    assert_eq!(serde_json::from_str::<Reach>(&text).unwrap(), reach);
    assert!(serde_json::from_str::<Reach>(&text.replacen('{', "{\"extra\":1,", 1)).is_err());
}

#[test]
fn every_reason_has_words_of_its_own() {
    let words: std::collections::BTreeSet<&str> = ReachReason::ALL.iter().map(|reason| reason.words()).collect();
    assert_eq!(words.len(), ReachReason::ALL.len());
}

#[test]
fn a_read_that_names_another_method_is_held_as_a_write() {
    let reach = shop(Profile::Site);
    for header in ["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"] {
        let labels: Vec<(&str, &str)> = FETCH.iter().copied().chain([(header, "DELETE")]).collect();
        assert_eq!(
            judge(&reach, "GET", "https://www.shop.example/item/1", &labels),
            Passage::Hold(WriteClass::Script),
            "{header}"
        );
        assert_eq!(
            judge(&reach, "GET", "https://other.example/x.js", &labels),
            Passage::Refuse(ReachReason::ThirdPartyWrite),
            "{header}"
        );
    }
}

#[test]
fn a_socket_opens_at_an_origin_that_was_granted_one_and_grants_nothing_else() {
    let facts = |method: &str, url: &str, extra: &[(&str, &str)]| {
        let headers: Vec<(String, String)> = [("upgrade", "websocket"), ("sec-websocket-key", "x")]
            .iter()
            .chain(extra)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        facts_of(method, url, &headers)
    };
    let start = WebUrl::read("https://shop.example/").unwrap();
    let grant = |origin: &str, sends| SocketGrant::read(origin, sends).unwrap();
    let reach = Reach::new(Profile::Strict, &start, vec![], vec![], vec![]).unwrap();
    let granted = reach
        .clone()
        .with_sockets(vec![
            grant("wss://chat.example:8443", Sends::Everything),
            grant("wss://chat.example:8443", Sends::Listening),
        ])
        .unwrap();
    let url = "https://chat.example:8443/room";
    assert_eq!(granted.judge(&facts("GET", url, &[])), Passage::Socket(Sends::Listening));
    assert!(granted.judge_tunnel(&origin("https://chat.example:8443")).is_ok());
    let refused = Passage::Refuse(ReachReason::Socket);
    assert_eq!(reach.judge(&facts("GET", url, &[])), refused);
    assert_eq!(reach.judge(&facts("GET", "https://shop.example/", &[])), refused);
    assert_eq!(granted.judge(&facts("GET", "https://chat.example/room", &[])), refused);
    assert_eq!(granted.judge(&facts("POST", url, &[])), refused);
    assert_eq!(granted.judge(&facts("GET", url, &[("x-http-method-override", "POST")])), refused);
    assert!(matches!(granted.judge(&facts_of("GET", url, &[])), Passage::Refuse(_)));
    assert!(reach.with_sockets(vec![grant("ws://chat.example", Sends::Listening)]).is_err());
}

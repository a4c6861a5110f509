//! What passes, and what is refused before anything is dialled.

use clicket_egress::{FailKind, Outcome, RefuseReason, Sent};
use clicket_guard::reach::{Profile, ReachReason, Relation};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::support::*;

#[tokio::test]
async fn a_page_of_the_start_site_passes_and_is_recorded() {
    let (shop, edge, mut events) = shop_and_edge(ok("hello")).await;
    let answer = ask(&edge, SHOP, &get(SHOP, "/list?page=2", NAVIGATE)).await.unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"hello".as_slice()));
    let record = record(&mut events).await;
    assert_eq!(record.outcome, Outcome::Passed);
    assert_eq!(record.url, "https://shop.example/list?page=2");
    assert_eq!((record.status, record.sent, record.response_bytes, record.cut), (Some(200), Sent::Whole, 5, None));
    assert_eq!((record.relation, record.destination.as_str()), (Relation::StartOrigin, "document"));
    assert!(record.address.unwrap().is_loopback());
    let sent = String::from_utf8(shop.requests().remove(0)).unwrap();
    assert!(sent.starts_with("GET /list?page=2 HTTP/1.1\r\nhost: shop.example\r\n"), "{sent}");
    assert!(!sent.to_lowercase().contains("proxy"), "{sent}");
    assert_eq!(*edge.in_flight().borrow(), 0);
}

#[tokio::test]
async fn reads_of_one_origin_share_a_connection() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    for _ in 0..5 {
        assert_eq!(browser.ask(&get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
        record(&mut events).await;
    }
    assert_eq!((shop.requests().len(), shop.connections()), (5, 1));
}

#[tokio::test]
async fn a_read_survives_a_kept_connection_that_the_origin_closed() {
    let manners = Manners::AnswersAndCloses(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx".to_vec());
    let (shop, edge, mut events) = shop_and_edge(manners).await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    for _ in 0..5 {
        assert_eq!(browser.ask(&get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
        assert_eq!(record(&mut events).await.outcome, Outcome::Passed);
    }
    assert_eq!(shop.requests().len(), 5);
}

#[tokio::test]
async fn a_redirect_is_handed_on_and_not_followed() {
    let manners =
        Manners::Answers(b"HTTP/1.1 302 Found\r\nlocation: https://elsewhere.example/x\r\ncontent-length: 0\r\n\r\n".to_vec());
    let (shop, edge, mut events) = shop_and_edge(manners).await;
    let answer = ask(&edge, SHOP, &get(SHOP, "/go", NAVIGATE)).await.unwrap();
    assert_eq!(answer.status, 302);
    assert_eq!(record(&mut events).await.redirect_to.as_deref(), Some("https://elsewhere.example/x"));
    assert_eq!(shop.requests().len(), 1);
}

#[tokio::test]
async fn side_roads_offered_by_the_origin_do_not_reach_the_browser() {
    let manners = Manners::Answers(
        b"HTTP/1.1 200 OK\r\nalt-svc: h3=\":443\"\r\nspeculation-rules: \"/r\"\r\nreport-to: {}\r\nnel: {}\r\nlink: </n>; rel=prefetch\r\ncontent-length: 1\r\n\r\nx".to_vec(),
    );
    let (_shop, edge, _events) = shop_and_edge(manners).await;
    let head = ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.unwrap().head.to_lowercase();
    for name in ["alt-svc", "speculation-rules", "report-to", "nel", "link", "date"] {
        assert!(!head.contains(&format!("\n{name}:")), "{head}");
    }
}

#[tokio::test]
async fn an_origins_own_status_passes_unchanged() {
    for status in ["401 Unauthorized", "403 Forbidden", "404 Not Found", "500 Oh no", "503 Later"] {
        let manners = Manners::Answers(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").into_bytes());
        let (_shop, edge, _events) = shop_and_edge(manners).await;
        let answer = ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.unwrap();
        assert_eq!(answer.status.to_string(), status[..3]);
    }
}

#[tokio::test]
async fn an_origin_can_neither_switch_protocols_nor_ask_for_the_proxys_credential() {
    for status in [
        "101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade",
        "407 Proxy Authentication Required\r\nproxy-authenticate: Basic",
    ] {
        let manners = Manners::Answers(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").into_bytes());
        let (_shop, edge, mut events) = shop_and_edge(manners).await;
        assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_none(), "{status}");
        let record = record(&mut events).await;
        assert!(record.cut == Some(FailKind::Protocol) || matches!(record.outcome, Outcome::Failed(_)), "{record:?}");
    }
}

/// Asks another host through a tunnel, and gives why it was refused; it must not have been dialled.
async fn refusal(host: &str, request: &str) -> RefuseReason {
    let root = TestRoot::make();
    let other = LoggingOrigin::https(root.server_config(host, Dated::Now), ok("reached")).await;
    let (edge, mut events) = Setup::for_shop().map(host, &other).trust(&root).open().await;
    let answer = ask(&edge, host, request).await;
    let stands = request.contains(NAVIGATE) || request.contains(FORM);
    match answer {
        None => assert!(!(stands && host == OTHER), "{request}"),
        Some(answer) => assert!(stands && answer.status == 204 && answer.head.lines().count() == 1, "answered: {answer:?}"),
    }
    let record = record(&mut events).await;
    assert_eq!((other.connections(), record.sent), (0, Sent::Nothing), "{record:?}");
    match record.outcome {
        Outcome::Refused(reason) => reason,
        outcome => panic!("{outcome:?}"),
    }
}

#[tokio::test]
async fn what_is_refused_is_recorded_with_its_reason_and_only_a_page_that_would_go_elsewhere_gets_an_answer() {
    use ReachReason::*;
    let labels =
        |mode: &str, dest: &str| format!("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: {mode}\r\nSec-Fetch-Dest: {dest}\r\n");
    let cases = [
        (LeavesSite, get(OTHER, "/", NAVIGATE)),
        (ThirdPartyFrame, get(OTHER, "/", &labels("navigate", "iframe"))),
        (ThirdPartyFetch, get(OTHER, "/", &labels("cors", "empty"))),
        (Unlabelled, get(OTHER, "/", "")),
        (Contradiction, get(OTHER, "/", &labels("navigate", "script"))),
        (Contradiction, get(OTHER, "/", &format!("{}Sec-Fetch-Dest: document\r\n", labels("no-cors", "script")))),
        (ThirdPartyWrite, post(OTHER, "/", FORM, "a=1")),
        (Telemetry, post(OTHER, "/", &labels("no-cors", "empty"), "a=1")),
        // A preflight fares as the request it asks about.
        (
            ThirdPartyWrite,
            format!(
                "OPTIONS / HTTP/1.1\r\nHost: {OTHER}\r\nOrigin: https://{SHOP}\r\nAccess-Control-Request-Method: POST\r\n\r\n"
            ),
        ),
    ];
    for (reason, request) in cases {
        assert_eq!(refusal(OTHER, &request).await, RefuseReason::Reach(reason), "{request}");
    }
}

#[tokio::test]
async fn what_never_passes_does_not_pass_to_the_start_site_either() {
    use ReachReason::*;
    let cases = [
        (
            Socket,
            get(SHOP, "/", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n"),
        ),
        (Speculation, get(SHOP, "/", &format!("{NAVIGATE}Sec-Purpose: prefetch\r\n"))),
        (Speculation, get(SHOP, "/", &format!("{NAVIGATE}Sec-Purpose: prefetch;prerender\r\n"))),
        (Speculation, get(SHOP, "/", &format!("{NAVIGATE}Purpose: prefetch\r\n"))),
        (Report, post(SHOP, "/", "Content-Type: application/reports+json\r\nSec-Fetch-Dest: report\r\n", "[]")),
        (Report, post(SHOP, "/", "Sec-Fetch-Dest: report\r\n", "[]")),
        (Ping, post(SHOP, "/", "Ping-To: https://shop.example/\r\nPing-From: https://shop.example/\r\n", "PING")),
        (Method, format!("TRACE / HTTP/1.1\r\nHost: {SHOP}\r\n\r\n")),
    ];
    for (reason, request) in cases {
        assert_eq!(refusal(SHOP, &request).await, RefuseReason::Reach(reason), "{request}");
    }
}

#[tokio::test]
async fn a_file_that_a_page_is_built_from_passes_from_another_site() {
    let root = TestRoot::make();
    let other = LoggingOrigin::https(root.server_config(OTHER, Dated::Now), ok("body{}")).await;
    let (edge, mut events) = Setup::for_shop().map(OTHER, &other).trust(&root).open().await;
    for dest in ["script", "style", "font", "image", "audio", "video", "track"] {
        let labels = format!("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: {dest}\r\n");
        assert_eq!(ask(&edge, OTHER, &get(OTHER, "/a", &labels)).await.unwrap().status, 200, "{dest}");
        assert_eq!(record(&mut events).await.relation, Relation::ThirdParty);
    }
}

#[tokio::test]
async fn the_strict_profile_dials_nothing_that_is_not_listed() {
    let setup = Setup { profile: Profile::Strict, ..Setup::for_shop() };
    let (edge, mut events) = setup.open().await;
    let labels = "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n";
    let host = "cdn.shop.example";
    assert!(ask(&edge, host, &get(host, "/a.png?b", labels)).await.is_none());
    let record = record(&mut events).await;
    assert_eq!(record.outcome, Outcome::Refused(RefuseReason::Reach(ReachReason::NotListed)));
    assert_eq!(record.url, "https://cdn.shop.example/a.png?b");
    assert_eq!(edge.counts().dialled, 0);
}

#[tokio::test]
async fn a_tunnel_to_a_port_or_name_that_cant_pass_is_not_opened() {
    let (edge, mut events) = Setup::for_shop().open().await;
    for (authority, reason) in [
        ("turn.example:3478", RefuseReason::Reach(ReachReason::Port)),
        ("shop.example:22", RefuseReason::Reach(ReachReason::Port)),
        ("localhost:443", RefuseReason::Name),
        ("metadata.google.internal:443", RefuseReason::Name),
        ("printer:443", RefuseReason::Name),
        ("SHOP.example:443", RefuseReason::Target),
        ("2130706433:443", RefuseReason::Target),
    ] {
        assert!(connect(&edge, authority).await.is_none(), "{authority}");
        assert_eq!(record(&mut events).await.outcome, Outcome::Refused(reason), "{authority}");
    }
}

#[tokio::test]
async fn without_the_credential_nothing_is_answered_but_the_challenge() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    let wrong = "Proxy-Authorization: Basic Y2xpY2tldDpub3BlCg==\r\n";
    let right = proxy_authorization(&edge);
    for credential in ["", wrong, &format!("{right}{right}")] {
        for ask in [
            format!("CONNECT {SHOP}:443 HTTP/1.1\r\nHost: {SHOP}:443\r\n{credential}\r\n"),
            format!("GET {} HTTP/1.1\r\nHost: seed.clicket.invalid\r\n{credential}\r\n", edge.seed_url()),
            format!("GET / HTTP/1.1\r\nHost: {SHOP}\r\n{credential}\r\n"),
        ] {
            let mut stream = TcpStream::connect(edge.address()).await.unwrap();
            stream.write_all(ask.as_bytes()).await.unwrap();
            let answer = soon(read_answer(&mut stream)).await.unwrap();
            assert_eq!((answer.status, answer.body.len()), (407, 0), "{ask}");
        }
    }
    assert_eq!((shop.connections(), edge.counts().unauthenticated), (0, 9));
    assert!(events.try_recv().is_err());
}

#[tokio::test]
async fn the_seed_page_is_the_edges_own_and_its_address_can_not_be_guessed() {
    let (edge, _events) = Setup::for_shop().open().await;
    let plain = |url: String| {
        let edge = &edge;
        async move {
            let mut stream = TcpStream::connect(edge.address()).await.unwrap();
            let ask = format!("GET {url} HTTP/1.1\r\nHost: seed.clicket.invalid\r\n{}\r\n", proxy_authorization(edge));
            stream.write_all(ask.as_bytes()).await.unwrap();
            soon(read_answer(&mut stream)).await
        }
    };
    assert_eq!(plain(edge.seed_url().to_owned()).await.unwrap().status, 200);
    assert!(plain("http://seed.clicket.invalid/".to_owned()).await.is_none());
}

#[tokio::test]
async fn plain_http_passes_to_a_local_origin_and_to_no_other() {
    let local = LoggingOrigin::http(ok("local")).await;
    let listed = clicket_guard::web::Origin::read(&format!("http://localhost:{}", local.address.port())).unwrap();
    let setup = Setup { start: format!("{listed}/"), local_origins: vec![listed.clone()], ..Setup::for_shop() };
    let (edge, mut events) = setup.open().await;
    let plain = |url: String, host: String| {
        let edge = &edge;
        async move {
            let mut stream = TcpStream::connect(edge.address()).await.unwrap();
            let ask = format!("GET {url} HTTP/1.1\r\nHost: {host}\r\n{}{NAVIGATE}\r\n", proxy_authorization(edge));
            stream.write_all(ask.as_bytes()).await.unwrap();
            soon(read_answer(&mut stream)).await
        }
    };
    let host = format!("localhost:{}", local.address.port());
    assert_eq!(plain(format!("{listed}/a"), host).await.unwrap().body, b"local");
    assert_eq!(record(&mut events).await.relation, Relation::StartOrigin);
    for url in ["http://shop.example/", "http://127.0.0.1/", "http://localhost/"] {
        let host = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
        assert!(plain(url.to_owned(), host).await.is_none());
        assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::Reach(ReachReason::PlainHttp)));
    }
    let sent = String::from_utf8(local.requests().remove(0)).unwrap();
    assert!(sent.starts_with("GET /a HTTP/1.1\r\n") && !sent.to_lowercase().contains("proxy"), "{sent}");
}

//! Blind tunnels: exempted by exact origin, addresses judged, bytes counted, and cut when it is said.

use clicket_egress::{EdgeEvent, FailKind, Outcome, RefuseReason, TunnelEnd, TunnelRecord};
use clicket_guard::web::Origin;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;

use crate::support::*;

fn blind() -> Vec<Origin> {
    vec![Origin::read("https://shop.example").unwrap()]
}

async fn ended(events: &mut mpsc::Receiver<EdgeEvent>) -> TunnelRecord {
    match soon(events.recv()).await {
        Some(EdgeEvent::Tunnel(record)) => *record,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_blind_tunnel_shows_the_origins_own_certificate_and_is_marked() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("unseen")).await;
    let (edge, mut events) = Setup { blind: blind(), ..Setup::for_shop().map(SHOP, &shop) }.open().await;
    let stream = connect(&edge, "shop.example:443").await.unwrap();
    let mut browser = Browser::over(stream, SHOP, root.der()).await;
    let answer = browser.ask(&post(SHOP, "/order", FORM, "item=7")).await.unwrap();
    assert_eq!((answer.status, answer.body), (200, b"unseen".to_vec()), "a write is not held there");
    let opened = record(&mut events).await;
    assert_eq!((opened.outcome, opened.method.as_str()), (Outcome::Tunnelled, "CONNECT"));
    assert_eq!((opened.url.as_str(), opened.passage), ("https://shop.example/", None));
    let mut in_flight = edge.in_flight();
    soon(in_flight.wait_for(|requests| *requests == 0)).await.unwrap();
    drop(browser);
    let record = ended(&mut events).await;
    assert_eq!((record.origin.as_str(), record.ended), ("https://shop.example", TunnelEnd::Left));
    assert!(record.bytes_sent > 200 && record.bytes_received > 500, "{record:?}");
}

#[tokio::test]
async fn what_is_not_exempted_exactly_is_inspected_or_refused() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config("www.shop.example", Dated::Now), ok("seen")).await;
    let setup = Setup { blind: blind(), ..Setup::for_shop().map("www.shop.example", &shop).trust(&root) };
    let (edge, mut events) = setup.open().await;
    assert_eq!(ask(&edge, "www.shop.example", &get("www.shop.example", "/", NAVIGATE)).await.unwrap().body, b"seen");
    assert_eq!(record(&mut events).await.outcome, Outcome::Passed);
    assert!(connect(&edge, "shop.example:22").await.is_none());
    assert!(matches!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::Reach(_))));
}

#[tokio::test]
async fn an_exempted_name_is_dialled_only_where_any_other_would_be() {
    for address in ["127.0.0.1", "10.0.0.7", "169.254.169.254"] {
        let origin = Origin::read(&format!("https://{address}")).unwrap();
        let (edge, mut events) = Setup { blind: vec![origin], ..Setup::for_shop() }.open().await;
        if let Some(mut stream) = connect(&edge, &format!("{address}:443")).await {
            stream.write_all(b"\x16\x03\x01").await.unwrap();
        }
        let outcome = record(&mut events).await.outcome;
        assert!(matches!(outcome, Outcome::Refused(RefuseReason::Address | RefuseReason::Name)), "{address}: {outcome:?}");
        assert_eq!(edge.counts().dialled, 0);
    }
}

#[tokio::test]
async fn nothing_but_tls_goes_through_unseen() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("x")).await;
    let (edge, mut events) = Setup { blind: blind(), ..Setup::for_shop().map(SHOP, &shop) }.open().await;
    let mut stream = connect(&edge, "shop.example:443").await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::NotTls));
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn the_bounds_of_bytes_and_time_hold_in_a_blind_tunnel() {
    for (limit, end) in [
        (("bytes", 2_000), TunnelEnd::Bytes),
        (("run", 2_000), TunnelEnd::RunBytes),
        (("time", 300), TunnelEnd::Lifetime),
        (("idle", 300), TunnelEnd::Idle),
    ] {
        let root = TestRoot::make();
        let endless = if limit.1 == 300 { ok("x") } else { Manners::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()) };
        let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), endless).await;
        let setup = Setup { blind: blind(), ..Setup::for_shop().map(SHOP, &shop) }.limit(|limits| match limit {
            ("bytes", most) => limits.tunnel_bytes_max = most,
            ("run", most) => limits.run_bytes_max = most,
            ("time", most) => limits.tunnel_ms_max = most,
            (_, most) => limits.tunnel_idle_ms = most,
        });
        let (edge, mut events) = setup.open().await;
        let stream = connect(&edge, "shop.example:443").await.unwrap();
        let mut browser = Browser::over(stream, SHOP, root.der()).await;
        browser.send_what_it_takes(&get(SHOP, "/", NAVIGATE)).await;
        assert_eq!(record(&mut events).await.outcome, Outcome::Tunnelled);
        assert_eq!(ended(&mut events).await.ended, end, "{limit:?}");
    }
}

#[tokio::test]
async fn after_the_cut_open_tunnels_end_and_the_same_origin_is_inspected() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("seen")).await;
    let (edge, mut events) = Setup { blind: blind(), ..Setup::for_shop().map(SHOP, &shop).trust(&root) }.open().await;
    let stream = connect(&edge, "shop.example:443").await.unwrap();
    let mut browser = Browser::over(stream, SHOP, root.der()).await;
    assert_eq!(browser.ask(&get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
    assert_eq!(record(&mut events).await.outcome, Outcome::Tunnelled);
    edge.cut_tunnels();
    assert_eq!(ended(&mut events).await.ended, TunnelEnd::Cut);
    assert!(browser.rest().await.is_empty());
    assert_eq!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.unwrap().body, b"seen");
    let inspected = record(&mut events).await;
    assert_eq!((inspected.outcome, inspected.method.as_str()), (Outcome::Passed, "GET"));
}

#[tokio::test]
async fn an_origin_that_asks_for_a_client_certificate_gets_none() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config_asking_for_a_certificate(SHOP), ok("let in")).await;
    let (edge, mut events) = Setup::for_shop().map(SHOP, &shop).trust(&root).open().await;
    assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_none());
    let outcome = record(&mut events).await.outcome;
    assert!(matches!(outcome, Outcome::Failed(FailKind::CertificateRequired)), "{outcome:?}");
    assert!(shop.requests().is_empty());
}

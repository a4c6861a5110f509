//! Memory and numbers: what no origin and no client can make the edge use. The full size is `benches/run edge`.

use clicket_egress::{EdgeLimits, RefuseReason};

use crate::support::*;

/// More than this is not noise of the test program.
const GROWTH_KIB_MAX: u64 = 48 * 1024;

fn short(limits: &mut EdgeLimits) {
    limits.response_head_ms = 1_500;
    limits.response_whole_ms = 1_500;
}

#[tokio::test]
async fn what_has_no_end_takes_no_memory() {
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    for (first, again) in [
        ("HTTP/1.1 200 OK\r\n", "x-more: and more of it\r\n"),
        ("HTTP/1.1 200 OK\r\nx: ", "aaaaaaaaaaaaaaaa"),
        ("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n"),
        (chunked, "1\r\na\r\n"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;", "aaaaaaaaaaaaaaaa"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", "x-more: and more of it\r\n"),
    ] {
        let root = TestRoot::make();
        let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), Manners::Repeats(first, again)).await;
        let (edge, mut events) = Setup::for_shop().map(SHOP, &shop).trust(&root).limit(short).open().await;
        let mut browser = Browser::tunnel(&edge, SHOP).await;
        let before = resident_kib();
        browser.send(&get(SHOP, "/", NAVIGATE)).await;
        // Thrown away as it comes, so that the memory is the edge's.
        soon(browser.skip_all()).await;
        let record = record(&mut events).await;
        let growth = resident_kib().saturating_sub(before);
        assert!(growth < GROWTH_KIB_MAX, "{first:?} {again:?}: {growth} KiB more, {record:?}");
        assert!(record.cut.is_some() || record.status.is_none(), "{record:?}");
    }
}

#[tokio::test]
async fn two_hundred_tunnels_are_answered_while_all_are_open() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    tokio::spawn(async move { while events.recv().await.is_some() {} });
    let mut browsers = Vec::new();
    for _ in 0..200 {
        browsers.push(Browser::tunnel(&edge, SHOP).await);
    }
    for browser in &mut browsers {
        browser.send(&get(SHOP, "/", NAVIGATE)).await;
    }
    for browser in &mut browsers {
        assert_eq!(browser.answer().await.unwrap().status, 200);
    }
    assert_eq!((shop.requests().len(), edge.counts().passed), (200, 200));
}

#[tokio::test]
async fn more_connections_than_may_be_are_closed_and_the_others_go_on() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("x")).await;
    let setup = Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| limits.connections_max = 2);
    let (edge, _events) = setup.open().await;
    let mut first = Browser::tunnel(&edge, SHOP).await;
    let _second = Browser::tunnel(&edge, SHOP).await;
    assert!(connect(&edge, &format!("{SHOP}:443")).await.is_none());
    assert_eq!(first.ask(&get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_run_has_a_bound_of_requests() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("x")).await;
    let setup = Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| limits.run_requests_max = 2);
    let (edge, mut events) = setup.open().await;
    for _ in 0..2 {
        assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_some());
        record(&mut events).await;
    }
    assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_none());
    assert_eq!(record(&mut events).await.outcome, clicket_egress::Outcome::Refused(RefuseReason::Rate));
}

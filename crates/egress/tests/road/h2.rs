//! HTTP/2 outward: what holds over HTTP/1.1 holds there too, and no write is ever put twice.

use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use clicket_egress::{Edge, EdgeEvent, EdgeLimits, FailKind, Outcome, RequestRecord, Sent, Settlement};
use tokio::sync::mpsc;

use crate::h2_origin::{CANCEL, Frames, H2Origin, HTTP_1_1_REQUIRED, REFUSED_STREAM, offering_h2};
use crate::support::*;

async fn edge_before(frames: Frames, limit: impl FnOnce(&mut EdgeLimits)) -> (H2Origin, Edge, mpsc::Receiver<EdgeEvent>) {
    let root = TestRoot::make();
    let shop = H2Origin::open(root.server_config(SHOP, Dated::Now), frames).await;
    let mut setup = Setup::for_shop().trust(&root).limit(limit);
    setup.mapped.push((SHOP.to_owned(), shop.address));
    let (edge, events) = setup.open().await;
    (shop, edge, events)
}

/// One read, and its record.
async fn read_once(frames: Frames, limit: impl FnOnce(&mut EdgeLimits)) -> (H2Origin, RequestRecord) {
    let (shop, edge, mut events) = edge_before(frames, limit).await;
    let _ = ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await;
    (shop, record(&mut events).await)
}

/// One released write, and what became of it.
async fn write_once(frames: Frames, body: &str, limit: impl FnOnce(&mut EdgeLimits)) -> (H2Origin, Settlement, RequestRecord) {
    let (shop, edge, mut events) = edge_before(frames, limit).await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&post(SHOP, "/buy", FETCH, body)).await;
    let waiting = held(&mut events).await;
    let permit = permit_for(waiting.image());
    let settlement = soon(waiting.release(permit).unwrap().settled()).await;
    (shop, settlement, record(&mut events).await)
}

#[tokio::test]
async fn headers_go_out_as_they_came_in_their_order_over_http2() {
    let root = TestRoot::make();
    let acceptor = tokio_rustls::TlsAcceptor::from(offering_h2(&root.server_config(SHOP, Dated::Now)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, mut told) = mpsc::channel(4);
    tokio::spawn(async move {
        let stream = acceptor.accept(listener.accept().await.unwrap().0).await.unwrap();
        let mut connection = h2::server::handshake(stream).await.unwrap();
        while let Some(Ok((request, mut respond))) = connection.accept().await {
            tell.send(request.into_parts().0).await.unwrap();
            let mut body = respond.send_response(http::Response::new(()), false).unwrap();
            body.send_data(bytes::Bytes::from_static(b"hello"), true).unwrap();
        }
    });
    let mut setup = Setup::for_shop().trust(&root);
    setup.mapped.push((SHOP.to_owned(), address));
    let (edge, mut events) = setup.open().await;
    let labels = format!("sec-ch-ua: \"x\"\r\nUser-Agent: y\r\nAccept: */*\r\n{NAVIGATE}Cookie: a=1\r\nX-Last: z\r\n");
    let answer = ask(&edge, SHOP, &get(SHOP, "/a?b=c", &labels)).await.unwrap();
    assert_eq!((answer.status, answer.body), (200, b"5\r\nhello\r\n0\r\n\r\n".to_vec()));
    let head = soon(told.recv()).await.unwrap();
    assert_eq!(head.uri.to_string(), "https://shop.example/a?b=c");
    let names: Vec<&str> = head.headers.keys().map(http::HeaderName::as_str).collect();
    let expected = "sec-ch-ua user-agent accept sec-fetch-site sec-fetch-mode sec-fetch-dest cookie x-last";
    assert_eq!(names.join(" "), expected);
    let record = record(&mut events).await;
    assert_eq!((record.outcome, record.sent, record.response_bytes), (Outcome::Passed, Sent::Whole, 5));
    assert!(record.address.unwrap().is_loopback());
}

#[tokio::test]
async fn reads_share_one_connection_and_a_full_one_is_joined_by_another() {
    let (shop, edge, mut events) = edge_before(Frames::Answers, |_| ()).await;
    for _ in 0..20 {
        assert_eq!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
        assert_eq!(record(&mut events).await.outcome, Outcome::Passed);
    }
    assert_eq!((shop.requests(), shop.connections()), (20, 1));

    let (shop, edge, _events) = edge_before(Frames::NeverAnswers, |limits| limits.line_streams_max = 2).await;
    let mut browsers = Vec::new();
    for _ in 0..5 {
        let mut browser = Browser::tunnel(&edge, SHOP).await;
        browser.send(&get(SHOP, "/", NAVIGATE)).await;
        browsers.push(browser);
    }
    while shop.requests() < 5 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(shop.connections() >= 3, "{}", shop.connections());
}

#[tokio::test]
async fn a_connection_serves_its_own_origin_alone() {
    let root = TestRoot::make();
    let shop = H2Origin::open(root.server_config(SHOP, Dated::Now), Frames::Answers).await;
    let mut setup = Setup::for_shop().trust(&root);
    // Another name at the very same address, for which the origin's certificate is not.
    for host in [SHOP, "www.shop.example"] {
        setup.mapped.push((host.to_owned(), shop.address));
    }
    let (edge, mut events) = setup.open().await;
    assert_eq!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
    record(&mut events).await;
    assert!(ask(&edge, "www.shop.example", &get("www.shop.example", "/", NAVIGATE)).await.is_none());
    assert_eq!(record(&mut events).await.outcome, Outcome::Failed(FailKind::CertificateWrongName));
    assert_eq!(shop.requests(), 1);
}

#[tokio::test]
async fn a_write_goes_out_once_on_a_connection_of_its_own_over_http2() {
    let (shop, settlement, record) = write_once(Frames::Answers, "a=1", |_| ()).await;
    assert_eq!(settlement, Settlement::Answered(200));
    assert_eq!((record.outcome, record.sent), (Outcome::HeldReleased, Sent::Whole));
    assert_eq!((shop.requests(), shop.connections(), shop.seen.body_bytes.load(SeqCst)), (1, 1, 3));
}

#[tokio::test]
async fn a_read_that_was_refused_on_a_kept_connection_is_asked_again_once() {
    for frames in [Frames::ResetsAllButFirst(REFUSED_STREAM), Frames::AnswersAndGoesAway] {
        let (shop, edge, mut events) = edge_before(frames, |_| ()).await;
        for _ in 0..2 {
            assert_eq!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
            assert_eq!(record(&mut events).await.outcome, Outcome::Passed);
        }
        assert_eq!((shop.requests(), shop.connections()), (3, 2));
    }
}

#[tokio::test]
async fn a_write_is_never_put_again_whatever_the_origin_says_of_it() {
    for frames in [Frames::Resets(REFUSED_STREAM), Frames::Resets(HTTP_1_1_REQUIRED), Frames::Resets(CANCEL), Frames::GoesAway] {
        let (shop, settlement, record) = write_once(frames, "a=1", |_| ()).await;
        assert!(matches!(settlement, Settlement::Uncertain(_)), "{settlement:?}");
        assert_eq!(record.sent, Sent::Unknown);
        assert!(matches!(record.outcome, Outcome::Failed(_)), "{record:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!((shop.requests(), shop.connections()), (1, 1));
    }
}

#[tokio::test]
async fn a_write_that_finds_no_room_for_its_body_is_uncertain() {
    let (shop, settlement, _) = write_once(Frames::NoWindow, &"a".repeat(500_000), |limits| limits.response_head_ms = 500).await;
    assert_eq!(settlement, Settlement::Uncertain(FailKind::HeadTimeout));
    assert_eq!(shop.requests(), 1);
    assert!(shop.seen.body_bytes.load(SeqCst) < 100_000);
}

#[tokio::test]
async fn rapid_resets_are_failures_and_no_loop() {
    let (shop, edge, mut events) = edge_before(Frames::Resets(CANCEL), |_| ()).await;
    for _ in 0..100 {
        assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_none());
        assert_eq!(record(&mut events).await.outcome, Outcome::Failed(FailKind::Protocol));
    }
    assert!((100..=200).contains(&shop.requests()), "{}", shop.requests());
}

#[tokio::test]
async fn an_origin_that_asks_for_http1_gets_it_for_reads() {
    let (shop, edge, mut events) = edge_before(Frames::Resets(HTTP_1_1_REQUIRED), |_| ()).await;
    for connections in [2, 2] {
        assert_eq!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.unwrap().body, b"old");
        assert_eq!(record(&mut events).await.outcome, Outcome::Passed);
        assert_eq!(shop.connections(), connections);
    }
}

#[tokio::test]
async fn a_huge_head_is_no_answer() {
    for (count, bytes) in [(1, 1_000_000), (10_000, 100), (200, 5)] {
        let (_, record) = read_once(Frames::ManyHeaders { count, bytes }, |_| ()).await;
        assert!(matches!(record.outcome, Outcome::Failed(_)), "{count} of {bytes}: {record:?}");
    }
}

#[tokio::test]
async fn a_head_without_end_ends_the_connection() {
    let (shop, record) = read_once(Frames::EndlessHead, |_| ()).await;
    assert!(matches!(record.outcome, Outcome::Failed(_)), "{record:?}");
    let taken = shop.seen.taken.load(SeqCst);
    assert!(taken < 8_000_000, "{taken} bytes of a head were taken");
}

#[tokio::test]
async fn provisional_answers_without_end_take_no_memory_and_end_in_time() {
    let before = resident_kib();
    let (shop, record) = read_once(Frames::EndlessEarly, |limits| limits.response_head_ms = 3_000).await;
    assert!(matches!(record.outcome, Outcome::Failed(_)), "{record:?}");
    let growth = resident_kib().saturating_sub(before);
    assert!(growth < 64 * 1024, "{growth} KiB more after {} bytes", shop.seen.taken.load(SeqCst));
}

#[tokio::test]
async fn a_body_over_http2_is_bounded_in_bytes_and_time() {
    let (_, record) = read_once(Frames::EndlessBody, |limits| limits.response_bytes_max = 3_000_000).await;
    assert_eq!(record.cut, Some(FailKind::TooBig));
    let (_, record) = read_once(Frames::EndlessBody, |limits| limits.run_bytes_max = 3_000_000).await;
    assert_eq!(record.cut, Some(FailKind::RunBytes));
    let (_, record) = read_once(Frames::Stalls, |limits| limits.response_idle_ms = 200).await;
    assert_eq!(record.cut, Some(FailKind::IdleTimeout));
    let (_, record) = read_once(Frames::NeverAnswers, |limits| limits.response_head_ms = 200).await;
    assert_eq!((record.outcome, record.sent), (Outcome::Failed(FailKind::HeadTimeout), Sent::Unknown));
}

#[tokio::test]
async fn a_body_that_nobody_reads_holds_up_no_other_and_takes_no_more_than_its_window() {
    let (shop, edge, mut events) = edge_before(Frames::EndlessBody, |limits| limits.stream_window_bytes_max = 262_144).await;
    let mut unread = Browser::tunnel(&edge, SHOP).await;
    unread.send(&get(SHOP, "/", NAVIGATE)).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let taken = shop.seen.taken.load(SeqCst);
    // The window, and what the sockets and the tunnel hold between them.
    assert!(taken < 16_000_000, "{taken}");
    drop(unread);
    assert_eq!(record(&mut events).await.cut, Some(FailKind::BrowserLeft));
}

#[tokio::test]
async fn a_connection_that_only_asks_for_signs_of_life_ends_when_it_is_idle() {
    let (shop, edge, mut events) = edge_before(Frames::Pings, |limits| limits.idle_line_ms = 300).await;
    assert_eq!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
    record(&mut events).await;
    soon(async {
        while shop.seen.ended.load(SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    drop(edge);
}

#[tokio::test]
async fn an_old_connection_is_not_used_again() {
    let (shop, edge, mut events) = edge_before(Frames::Answers, |limits| limits.line_age_ms = 1_000).await;
    for connections in [1, 2] {
        assert_eq!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
        assert_eq!((record(&mut events).await.outcome, shop.connections()), (Outcome::Passed, connections));
        tokio::time::sleep(Duration::from_millis(1_100)).await;
    }
}

#[tokio::test]
async fn an_origin_can_neither_switch_protocols_nor_ask_for_the_proxys_credential_over_http2() {
    for status in ["101", "407"] {
        let (_, edge, mut events) = edge_before(Frames::Status(status), |limits| limits.response_head_ms = 500).await;
        assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_none(), "{status}");
        let record = record(&mut events).await;
        assert!(record.cut.is_some() || matches!(record.outcome, Outcome::Failed(_)), "{record:?}");
    }
}

#[tokio::test]
async fn released_headers_and_body_over_http2_equal_the_image() {
    let root = TestRoot::make();
    let acceptor = tokio_rustls::TlsAcceptor::from(offering_h2(&root.server_config(SHOP, Dated::Now)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, mut told) = mpsc::channel(4);
    tokio::spawn(async move {
        let stream = acceptor.accept(listener.accept().await.unwrap().0).await.unwrap();
        let mut connection = h2::server::handshake(stream).await.unwrap();
        while let Some(Ok((request, mut respond))) = connection.accept().await {
            let tell = tell.clone();
            // The connection moves on while the body is read.
            tokio::spawn(async move {
                let (head, mut body) = request.into_parts();
                let mut bytes = Vec::new();
                while let Some(Ok(piece)) = body.data().await {
                    let _ = body.flow_control().release_capacity(piece.len());
                    bytes.extend_from_slice(&piece);
                }
                respond.send_response(http::Response::new(()), true).unwrap();
                tell.send((head, bytes)).await.unwrap();
            });
        }
    });
    let mut setup = Setup::for_shop().trust(&root);
    setup.mapped.push((SHOP.to_owned(), address));
    let (edge, mut events) = setup.open().await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&post(SHOP, "/cart?x=%20y", &format!("{FETCH}Cookie: a=1\r\nX-Odd: caf\u{e9}\r\n"), "item=7&q=a+b%00")).await;
    let waiting = held(&mut events).await;
    let image = waiting.image().clone();
    let handle = waiting.release(permit_for(&image)).unwrap();
    assert_eq!(soon(handle.settled()).await, Settlement::Answered(200));
    let (head, body) = soon(told.recv()).await.unwrap();
    assert_eq!(
        (head.method.as_str(), head.uri.to_string(), body),
        (image.method.as_str(), image.url.clone(), image.body.clone())
    );
    let got: Vec<(String, String)> = head
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8(value.as_bytes().to_vec()).unwrap()))
        .collect();
    let shown: Vec<(String, String)> = image.headers.iter().filter(|(name, _)| name != "host").cloned().collect();
    assert_eq!(got, shown);
}

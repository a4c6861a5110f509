//! Origins and clients that do their worst.

use std::time::{Duration, Instant};

use clicket_egress::{EdgeLimits, FailKind, Outcome, RefuseReason, Sent};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::*;

/// Asks an ill-mannered shop under short limits and gives the record.
async fn ask_ill_mannered(manners: Manners, limit: impl FnOnce(&mut EdgeLimits)) -> clicket_egress::RequestRecord {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), manners).await;
    let (edge, mut events) = Setup::for_shop().map(SHOP, &shop).trust(&root).limit(limit).open().await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    let begun = Instant::now();
    let _ = browser.ask(&get(SHOP, "/", NAVIGATE)).await;
    assert!(begun.elapsed() < Duration::from_secs(15));
    record(&mut events).await
}

#[tokio::test]
async fn a_silent_origin_times_out() {
    let record = ask_ill_mannered(Manners::Silent, |limits| limits.response_head_ms = 200).await;
    assert_eq!((record.outcome, record.sent), (Outcome::Failed(FailKind::HeadTimeout), Sent::Unknown));
}

#[tokio::test]
async fn a_stream_without_end_is_cut_at_its_bound() {
    for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n"] {
        let record = ask_ill_mannered(Manners::Endless(head.into()), |limits| limits.response_bytes_max = 3_000_000).await;
        assert_eq!((record.outcome, record.cut), (Outcome::Passed, Some(FailKind::TooBig)));
        assert!(record.response_bytes <= 3_000_000, "{record:?}");
    }
}

#[tokio::test]
async fn a_body_that_says_it_is_ten_gigabytes_is_not_begun() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n";
    let record = ask_ill_mannered(Manners::Endless(head.into()), |_| ()).await;
    assert_eq!((record.cut, record.response_bytes), (Some(FailKind::TooBig), 0));
}

#[tokio::test]
async fn a_run_has_a_bound_of_bytes_over_all_its_answers() {
    let head = "HTTP/1.1 200 OK\r\n\r\n";
    let record = ask_ill_mannered(Manners::Endless(head.into()), |limits| limits.run_bytes_max = 1_000_000).await;
    assert_eq!(record.cut, Some(FailKind::RunBytes));
}

#[tokio::test]
async fn a_dripping_body_is_cut_when_it_takes_too_long_and_a_stalled_one_when_it_pauses() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n";
    let record = ask_ill_mannered(Manners::Drips(head.into()), |limits| limits.response_whole_ms = 500).await;
    assert_eq!(record.cut, Some(FailKind::WholeTimeout));
    let stalled = Manners::Answers(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".to_vec());
    let record = ask_ill_mannered(stalled, |limits| limits.response_idle_ms = 200).await;
    assert_eq!(record.cut, Some(FailKind::IdleTimeout));
}

#[tokio::test]
async fn an_origin_that_breaks_off_or_speaks_nonsense_is_no_answer() {
    let broken = Manners::AnswersAndCloses(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".to_vec());
    assert_eq!(ask_ill_mannered(broken, |_| ()).await.cut, Some(FailKind::ConnectionLost));
    let bomb = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "a".repeat(1_000_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(5_000));
    let nonsense = ["nonsense\r\n\r\n", "HTTP/1.1 999999 No\r\n\r\n", "SSH-2.0-x\r\n", "\0\0\0\0", &bomb, &many];
    for bytes in nonsense {
        let record = ask_ill_mannered(Manners::AnswersAndCloses(bytes.as_bytes().to_vec()), |_| ()).await;
        assert!(matches!(record.outcome, Outcome::Failed(_)), "{record:?}");
    }
}

#[tokio::test]
async fn a_request_that_is_no_request_ends_the_connection_without_a_page() {
    let (shop, edge, _events) = shop_and_edge(ok("x")).await;
    let big = format!("GET / HTTP/1.1\r\nHost: {SHOP}\r\nX: {}\r\n\r\n", "a".repeat(1_000_000));
    let long = format!("GET /{} HTTP/1.1\r\nHost: {SHOP}\r\n\r\n", "a".repeat(200_000));
    let many = format!("GET / HTTP/1.1\r\nHost: {SHOP}\r\n{}\r\n", "x: y\r\n".repeat(2_000));
    let bad = [
        &big,
        &long,
        &many,
        "nonsense\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET \u{0} HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nbad header\r\n\r\n",
    ];
    for bytes in bad {
        let mut browser = Browser::tunnel(&edge, SHOP).await;
        browser.send_what_it_takes(bytes).await;
        assert!(browser.answer().await.is_none(), "{}", &bytes[..bytes.len().min(40)]);
        let mut good = Browser::tunnel(&edge, SHOP).await;
        assert_eq!(good.ask(&get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
        good.send_what_it_takes(bytes).await;
        assert!(good.answer().await.is_none(), "after a good one: {}", &bytes[..bytes.len().min(40)]);
    }
    assert_eq!(shop.requests().len(), bad.len());
}

#[tokio::test]
async fn a_read_with_a_body_or_an_unsettled_path_is_refused() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    let with_body = format!("GET / HTTP/1.1\r\nHost: {SHOP}\r\n{NAVIGATE}Content-Length: 3\r\n\r\nabc");
    let smuggled = format!("GET / HTTP/1.1\r\nHost: {SHOP}\r\n{NAVIGATE}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
    for request in [with_body, smuggled] {
        assert!(ask(&edge, SHOP, &request).await.is_none());
        assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::BodyOnRead));
    }
    for path in ["/a/../b", "/a/%2e%2e/b", "/./a", "//x/../y"] {
        assert!(ask(&edge, SHOP, &get(SHOP, path, NAVIGATE)).await.is_none());
        assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::Target), "{path}");
    }
    let absolute = format!("GET https://{OTHER}/ HTTP/1.1\r\nHost: {SHOP}\r\n{NAVIGATE}\r\n");
    assert!(ask(&edge, SHOP, &absolute).await.is_none());
    assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::Target));
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn a_tunnel_that_carries_no_tls_is_refused() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    let mut stream = connect(&edge, &format!("{SHOP}:443")).await.unwrap();
    stream.write_all(get(SHOP, "/", "Upgrade: websocket\r\n").as_bytes()).await.unwrap();
    let mut rest = Vec::new();
    let _ = soon(stream.read_to_end(&mut rest)).await;
    assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::NotTls));
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn more_requests_than_the_rate_are_refused() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("x")).await;
    let setup = Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| limits.window_requests_max = 3);
    let (edge, mut events) = setup.open().await;
    for _ in 0..3 {
        assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_some());
        record(&mut events).await;
    }
    assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_none());
    assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::Rate));
    assert_eq!(shop.requests().len(), 3);
}

#[tokio::test]
async fn connections_that_say_nothing_end() {
    let (edge, _events) = Setup::for_shop()
        .limit(|limits| {
            limits.request_head_ms = 150;
            limits.browser_tls_ms = 150;
        })
        .open()
        .await;
    let mut silent = TcpStream::connect(edge.address()).await.unwrap();
    let mut slow = TcpStream::connect(edge.address()).await.unwrap();
    slow.write_all(b"CONNECT shop.exa").await.unwrap();
    let mut tunnel = connect(&edge, "shop.example:443").await.unwrap();
    let mut idle = TcpStream::connect(edge.address()).await.unwrap();
    idle.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    assert_eq!(soon(read_answer(&mut idle)).await.unwrap().status, 407);
    for stream in [&mut silent, &mut slow, &mut tunnel, &mut idle] {
        let mut rest = Vec::new();
        let _ = soon(stream.read_to_end(&mut rest)).await;
        assert!(rest.is_empty());
    }
}

#[tokio::test]
async fn a_browser_that_reads_nothing_does_not_hold_a_connection_for_ever() {
    let root = TestRoot::make();
    let endless = Manners::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec());
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), endless).await;
    let (edge, mut events) =
        Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| limits.browser_stall_ms = 300).open().await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&get(SHOP, "/", NAVIGATE)).await;
    assert_eq!(record(&mut events).await.cut, Some(FailKind::BrowserLeft));
}

/// A small generator of its own, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(below).unwrap()).unwrap()
    }
}

#[tokio::test]
async fn garbage_neither_reaches_the_origin_nor_stops_the_edge() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    tokio::spawn(async move { while events.recv().await.is_some() {} });
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let seeds = [
        format!("CONNECT {SHOP}:443 HTTP/1.1\r\nHost: {SHOP}\r\n{}\r\n", proxy_authorization(&edge)).into_bytes(),
        get(SHOP, "/", NAVIGATE).into_bytes(),
        post(SHOP, "/", FORM, "a=1").into_bytes(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        Vec::new(),
    ];
    for round in 0..300 {
        let mut bytes = seeds[dice.roll(seeds.len())].clone();
        for _ in 0..dice.roll(20) {
            let byte = u8::try_from(dice.roll(256)).unwrap();
            match bytes.len() {
                0 => bytes.push(byte),
                length if dice.roll(2) == 0 => bytes[dice.roll(length)] = byte,
                length => bytes.insert(dice.roll(length), byte),
            }
        }
        match round % 3 {
            0 => {
                let mut stream = TcpStream::connect(edge.address()).await.unwrap();
                let _ = stream.write_all(&bytes).await;
            }
            1 => {
                let mut stream = connect(&edge, &format!("{SHOP}:443")).await.unwrap();
                let _ = stream.write_all(&bytes).await;
            }
            _ => Browser::tunnel(&edge, SHOP).await.send_bytes(&bytes).await,
        }
    }
    assert_eq!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.unwrap().status, 200);
    let writes = shop.requests().iter().filter(|request| !request.starts_with(b"GET ") && !request.starts_with(b"HEAD ")).count();
    assert_eq!(writes, 0);
}

//! Sockets: granted by origin, counted frame by frame, and closed by a word too much.

use clicket_egress::{Edge, EdgeEvent, EdgeLimits, Outcome, RefuseReason, SocketEnd, SocketRecord};
use clicket_guard::reach::ReachReason;
use clicket_guard::socket::{Sends, SocketGrant};
use tokio::sync::mpsc;

use crate::support::*;

const ASKS: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nOrigin: https://shop.example\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Extensions: permessage-deflate\r\n";

/// A frame of the page's: a masked one, whole.
fn said(opcode: u8, text: &[u8]) -> Vec<u8> {
    piece(0x80 | opcode, text)
}

fn piece(first: u8, text: &[u8]) -> Vec<u8> {
    let key = [1, 2, 3, 4];
    let mut frame = vec![first];
    match u8::try_from(text.len()).ok().filter(|length| *length < 126) {
        Some(length) => frame.push(0x80 | length),
        None => {
            frame.push(0x80 | 126);
            frame.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
        }
    }
    frame.extend(key);
    frame.extend(text.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
    frame
}

const GREETING: &[u8] = b"\x81\x05hello";

struct Open {
    shop: LoggingOrigin,
    edge: Edge,
    events: mpsc::Receiver<EdgeEvent>,
    browser: Browser,
}

async fn open(sends: Sends, limit: impl FnOnce(&mut EdgeLimits)) -> Open {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), Manners::Switches(GREETING.to_vec())).await;
    let setup = Setup {
        sockets: vec![SocketGrant::read("wss://shop.example", sends).unwrap()],
        ..Setup::for_shop().map(SHOP, &shop).trust(&root).limit(limit)
    };
    let (edge, mut events) = setup.open().await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    let answer = browser.ask_head(&get(SHOP, "/live", ASKS)).await;
    assert!(answer.starts_with("HTTP/1.1 101"), "{answer}");
    let opened = record(&mut events).await;
    assert_eq!((opened.outcome, opened.status), (Outcome::Passed, Some(101)));
    assert_eq!(*edge.in_flight().borrow(), 0, "an open socket keeps no page busy");
    assert_eq!(browser.bytes(GREETING.len()).await, GREETING);
    Open { shop, edge, events, browser }
}

async fn ended(events: &mut mpsc::Receiver<EdgeEvent>) -> SocketRecord {
    match soon(events.recv()).await {
        Some(EdgeEvent::Socket(record)) => *record,
        other => panic!("{other:?}"),
    }
}

fn got_after_the_head(shop: &LoggingOrigin) -> Vec<u8> {
    shop.requests().into_iter().skip(1).flatten().collect()
}

/// Waits until the shop got these frames first.
async fn arrives(shop: &LoggingOrigin, frames: &[u8]) {
    soon(async {
        while !got_after_the_head(shop).starts_with(frames) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_granted_socket_listens_and_what_went_over_it_is_counted() {
    let Open { shop, edge: _edge, mut events, mut browser } = open(Sends::Listening, |_| ()).await;
    let (ping, pong) = (said(1, b"ping"), said(0xa, b""));
    browser.send_bytes(&ping).await;
    browser.send_bytes(&pong).await;
    browser.send_bytes(&said(8, b"\x03\xe8")).await;
    drop(browser);
    let record = ended(&mut events).await;
    let counts = record.counts;
    assert_eq!((counts.frames_sent, counts.messages_sent, counts.writes_sent, counts.writes_refused), (3, 1, 0, 0));
    assert_eq!((counts.frames_received, counts.messages_received, counts.bytes_received), (1, 1, 7));
    assert_eq!(record.url, "https://shop.example/live");
    let head = String::from_utf8_lossy(&shop.requests()[0]).to_ascii_lowercase();
    assert!(head.contains("upgrade: websocket") && !head.contains("deflate"), "{head}");
    arrives(&shop, &[ping, pong].concat()).await;
}

#[tokio::test]
async fn a_message_that_does_more_than_listen_closes_the_socket_and_does_not_leave() {
    let order = br#"{"type":"order","item":7}"#;
    let in_pieces = [piece(0x01, &order[..9]), said(9, b""), piece(0x80, &order[9..])].concat();
    for message in [said(1, order), said(2, b"\0\x01"), in_pieces] {
        let Open { shop, edge: _edge, mut events, mut browser } = open(Sends::Listening, |_| ()).await;
        browser.send_bytes(&message).await;
        assert_eq!(browser.rest().await, [0x88, 2, 0x03, 0xf0], "closed as a violation of policy");
        let record = ended(&mut events).await;
        assert_eq!((record.ended, record.counts.messages_sent, record.counts.writes_refused), (SocketEnd::WriteRefused, 0, 1));
        let got = got_after_the_head(&shop);
        assert!(!got.windows(2).any(|pair| pair == [0x81, 0x80 | 25]) && got.len() < 30, "{got:?}");
    }
}

#[tokio::test]
async fn where_sending_is_switched_on_by_name_messages_leave_and_are_counted_as_writes() {
    let Open { shop, edge: _edge, mut events, mut browser } = open(Sends::Everything, |_| ()).await;
    let order = said(1, br#"{"type":"order"}"#);
    browser.send_bytes(&order).await;
    browser.send_bytes(&said(1, b"ping")).await;
    browser.send_bytes(&said(8, b"")).await;
    drop(browser);
    let counts = ended(&mut events).await.counts;
    assert_eq!((counts.messages_sent, counts.writes_sent, counts.writes_refused), (2, 1, 0));
    arrives(&shop, &order).await;
}

#[tokio::test]
async fn each_bound_of_a_socket_ends_it() {
    type Bound = (SocketEnd, fn(&mut EdgeLimits), Vec<u8>);
    let long = said(1, &[b'x'; 2_000]);
    let bounds: [Bound; 7] = [
        (SocketEnd::Frames, |limits| limits.socket_frames_max = 3, said(9, b"").repeat(5)),
        (SocketEnd::Rate, |limits| limits.socket_window_frames_max = 3, said(9, b"").repeat(5)),
        (SocketEnd::Bytes, |limits| limits.socket_bytes_max = 100, said(9, &[0; 100]).repeat(2)),
        (SocketEnd::MessageBytes, |limits| limits.socket_message_bytes_max = 1_000, long),
        (SocketEnd::RunBytes, |limits| limits.run_bytes_max = 50, said(9, &[0; 100])),
        (SocketEnd::Malformed, |_| (), b"GET / HTTP/1.1\r\n\r\n".to_vec()),
        (SocketEnd::Lifetime, |limits| limits.socket_ms_max = 300, Vec::new()),
    ];
    for (end, limit, bytes) in bounds {
        let Open { edge: _edge, mut events, mut browser, .. } = open(Sends::Everything, limit).await;
        browser.send_bytes(&bytes).await;
        assert_eq!(ended(&mut events).await.ended, end);
    }
}

#[tokio::test]
async fn the_end_of_a_socket_is_told_when_the_edge_closes() {
    let Open { edge, mut events, browser: _browser, .. } = open(Sends::Listening, |_| ()).await;
    edge.close().await;
    assert_eq!(ended(&mut events).await.ended, SocketEnd::EdgeClosed);
}

#[tokio::test]
async fn an_upgrade_that_is_none_reaches_nobody() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), Manners::Switches(Vec::new())).await;
    let setup = Setup {
        sockets: vec![SocketGrant::read("wss://shop.example", Sends::Everything).unwrap()],
        ..Setup::for_shop().map(SHOP, &shop).trust(&root)
    };
    let (edge, mut events) = setup.open().await;
    for (reason, labels) in [
        (RefuseReason::Target, "Connection: Upgrade\r\nUpgrade: h2c\r\n"),
        (
            RefuseReason::Target,
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\nSec-WebSocket-Key: x\r\n",
        ),
        (
            RefuseReason::Target,
            "Connection: Upgrade\r\nUpgrade: websocket, h2c\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n",
        ),
        (
            RefuseReason::BodyOnRead,
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\nContent-Length: 3\r\n",
        ),
    ] {
        assert!(ask(&edge, SHOP, &format!("{}abc", get(SHOP, "/", labels))).await.is_none(), "{labels}");
        assert_eq!(record(&mut events).await.outcome, Outcome::Refused(reason), "{labels}");
    }
    let elsewhere = get(OTHER, "/", ASKS);
    assert!(ask(&edge, OTHER, &elsewhere).await.is_none());
    assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::Reach(ReachReason::Socket)));
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn a_socket_without_tls_opens_to_a_local_origin_alone() {
    let local = LoggingOrigin::http(Manners::Switches(GREETING.to_vec())).await;
    let port = local.address.port();
    let origin = clicket_guard::web::Origin::read(&format!("http://localhost:{port}")).unwrap();
    let authority = format!("localhost:{port}");
    for granted in [true, false] {
        let sockets = vec![SocketGrant { origin: origin.clone(), sends: Sends::Listening }];
        let setup = Setup {
            local_origins: vec![origin.clone()],
            sockets: if granted { sockets } else { Vec::new() },
            ..Setup::for_shop()
        };
        let (edge, mut events) = setup.open().await;
        let mut stream = connect(&edge, &authority).await.expect("a tunnel");
        send_plain(&mut stream, &get(&authority, "/live", ASKS)).await;
        let outcome = record(&mut events).await;
        assert_eq!(outcome.url, format!("http://localhost:{port}/live"));
        let wanted = if granted { Outcome::Passed } else { Outcome::Refused(RefuseReason::Reach(ReachReason::Socket)) };
        assert_eq!(outcome.outcome, wanted);
    }
    assert_eq!(local.connections(), 1);
}

//! Writes: held whole, shown as they would be sent, and sent only when a permit names them.

use clicket_egress::{FailKind, HoldRefusal, NotReleased, Outcome, Sent, Settlement};
use clicket_guard::effect::RequestImage;
use clicket_guard::reach::WriteClass;

use crate::support::*;

/// The bytes that an image stands for.
fn wire(image: &RequestImage) -> Vec<u8> {
    let path = image.url.strip_prefix(&format!("https://{SHOP}")).unwrap();
    let mut bytes = format!("{} {path} HTTP/1.1\r\n", image.method).into_bytes();
    for (name, value) in &image.headers {
        bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&image.body);
    bytes
}

#[tokio::test]
async fn released_bytes_equal_the_image() {
    let (shop, edge, mut events) = shop_and_edge(ok("thanks")).await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser
        .send(&post(
            SHOP,
            "/cart?x=%20y",
            &format!("{FORM}Cookie: a=1\r\nCookie: b=2\r\nX-Odd: caf\u{e9}\r\n"),
            "item=7&q=a+b%00",
        ))
        .await;
    let waiting = held(&mut events).await;
    assert_eq!(
        (waiting.class(), shop.connections(), edge.counts().held_now, *edge.in_flight().borrow()),
        (WriteClass::Navigation, 0, 1, 0)
    );
    let image = waiting.image().clone();
    let handle = waiting.release(permit_for(&image)).unwrap();
    assert_eq!(soon(handle.settled()).await, Settlement::Answered(200));
    let answer = browser.answer().await.unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"thanks".as_slice()));
    assert_eq!(shop.requests(), [wire(&image)]);
    let record = record(&mut events).await;
    assert_eq!((record.outcome, record.sent, record.request_bytes), (Outcome::HeldReleased, Sent::Whole, 15));
}

#[tokio::test]
async fn without_a_permit_no_write_reaches_the_origin() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    for method in ["POST", "PUT", "PATCH", "DELETE", "PROPFIND", "get"] {
        let mut browser = Browser::tunnel(&edge, SHOP).await;
        browser.send(&post(SHOP, "/cart", FETCH, "a=1").replacen("POST", method, 1)).await;
        held(&mut events).await.refuse(HoldRefusal::Policy);
        assert_eq!(browser.answer().await.unwrap().status, 403, "{method}");
        assert_eq!(record(&mut events).await.outcome, Outcome::HeldRefused(HoldRefusal::Policy));
    }
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn a_refused_navigation_is_answered_204_and_a_refused_fetch_403_without_cors() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    let beacon = FETCH.replace("cors", "no-cors");
    for (labels, status) in [(FORM, 204), (FETCH, 403), (beacon.as_str(), 403), ("", 403)] {
        let mut browser = Browser::tunnel(&edge, SHOP).await;
        browser.send(&post(SHOP, "/login", labels, "user=me")).await;
        held(&mut events).await.refuse(HoldRefusal::Person);
        let answer = browser.answer().await.unwrap();
        assert_eq!((answer.status, answer.body.len()), (status, 0));
        assert!(!answer.head.to_lowercase().contains("access-control"), "{}", answer.head);
        assert_eq!(record(&mut events).await.outcome, Outcome::HeldRefused(HoldRefusal::Person));
    }
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn a_request_that_is_dropped_unanswered_is_refused() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&post(SHOP, "/login", FORM, "user=me")).await;
    drop(held(&mut events).await);
    assert_eq!(browser.answer().await.unwrap().status, 204);
    assert_eq!(record(&mut events).await.outcome, Outcome::HeldRefused(HoldRefusal::Unanswered));
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn a_permit_for_another_request_refuses_this_one() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    let twists: [fn(&mut RequestImage); 6] = [
        |image| image.body[0] ^= 1,
        |image| image.url.push('x'),
        |image| image.method = "PUT".to_owned(),
        |image| image.headers.swap(0, 1),
        |image| image.headers[0].1.push('x'),
        |image| image.headers.push(("x-extra".to_owned(), "1".to_owned())),
    ];
    for twist in twists {
        let mut browser = Browser::tunnel(&edge, SHOP).await;
        browser.send(&post(SHOP, "/cart", FORM, "item=7")).await;
        let waiting = held(&mut events).await;
        let mut image = waiting.image().clone();
        twist(&mut image);
        assert_eq!(waiting.release(permit_for(&image)).unwrap_err(), NotReleased::Mismatch);
        assert_eq!(browser.answer().await.unwrap().status, 204);
        assert_eq!(record(&mut events).await.outcome, Outcome::HeldRefused(HoldRefusal::Mismatch));
    }
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn a_hold_ends_at_its_deadline() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("x")).await;
    let (edge, mut events) =
        Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| limits.hold_wait_ms = 100).open().await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&post(SHOP, "/cart", FORM, "item=7")).await;
    let waiting = held(&mut events).await;
    assert_eq!(browser.answer().await.unwrap().status, 204);
    assert!(waiting.is_abandoned());
    let image = waiting.image().clone();
    assert_eq!(waiting.release(permit_for(&image)).unwrap_err(), NotReleased::Gone);
    assert_eq!(record(&mut events).await.outcome, Outcome::HeldRefused(HoldRefusal::DeadlinePassed));
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn a_browser_that_gives_up_is_noticed_and_nothing_is_sent() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&post(SHOP, "/cart", FORM, "item=7")).await;
    let waiting = held(&mut events).await;
    assert!(!waiting.is_abandoned());
    drop(browser);
    assert_eq!(record(&mut events).await.outcome, Outcome::HeldRefused(HoldRefusal::BrowserLeft));
    assert!(waiting.is_abandoned());
    let image = waiting.image().clone();
    assert_eq!(waiting.release(permit_for(&image)).unwrap_err(), NotReleased::Gone);
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn a_released_write_is_finished_when_the_browser_leaves_meanwhile() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), Manners::Silent).await;
    let (edge, mut events) =
        Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| limits.response_head_ms = 500).open().await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&post(SHOP, "/cart", FORM, "item=7")).await;
    let waiting = held(&mut events).await;
    let image = waiting.image().clone();
    let handle = waiting.release(permit_for(&image)).unwrap();
    drop(browser);
    assert_eq!(soon(handle.settled()).await, Settlement::Uncertain(FailKind::HeadTimeout));
    assert_eq!(shop.requests(), [wire(&image)]);
    let record = record(&mut events).await;
    assert_eq!((record.outcome, record.sent), (Outcome::Failed(FailKind::HeadTimeout), Sent::Unknown));
}

#[tokio::test]
async fn a_write_without_an_answer_is_uncertain_and_one_that_never_left_is_not() {
    let (shop, edge, mut events) = shop_and_edge(Manners::HangsUp).await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&post(SHOP, "/cart", FORM, "item=7")).await;
    let waiting = held(&mut events).await;
    let image = waiting.image().clone();
    let handle = waiting.release(permit_for(&image)).unwrap();
    assert!(matches!(soon(handle.settled()).await, Settlement::Uncertain(_)));
    // Not a closed connection: on a kept one Chromium would send the write again by itself.
    assert_eq!(browser.answer().await.unwrap().status, 204);
    assert_eq!((shop.requests().len(), record(&mut events).await.sent), (1, Sent::Unknown));

    let (edge, mut events) = Setup::for_shop().limit(|limits| limits.resolve_ms = 400).open().await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&post(SHOP, "/cart", FORM, "item=7")).await;
    let waiting = held(&mut events).await;
    let image = waiting.image().clone();
    let handle = waiting.release(permit_for(&image)).unwrap();
    assert_eq!(soon(handle.settled()).await, Settlement::NotSent(Some(FailKind::NameUnresolved)));
    assert_eq!(record(&mut events).await.sent, Sent::Nothing);
}

#[tokio::test]
async fn a_write_whose_answer_can_not_be_handed_on_is_answered_so_that_the_browser_does_not_repeat_it() {
    for head in [
        "HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n",
        "nonsense\r\n\r\n",
    ] {
        let (shop, edge, mut events) = shop_and_edge(Manners::Answers(head.into())).await;
        let mut browser = Browser::tunnel(&edge, SHOP).await;
        browser.send(&post(SHOP, "/cart", FETCH, "item=7")).await;
        let waiting = held(&mut events).await;
        let image = waiting.image().clone();
        waiting.release(permit_for(&image)).unwrap();
        assert_eq!(browser.answer().await.unwrap().status, 504, "{head}");
        assert_eq!(shop.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_body_larger_than_is_held_is_refused_unheld() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("x")).await;
    let setup = Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| limits.held_body_bytes_max = 10);
    let (edge, mut events) = setup.open().await;
    let answer = ask(&edge, SHOP, &post(SHOP, "/up", FORM, "12345678901")).await.unwrap();
    assert_eq!(answer.status, 204);
    assert_eq!(record(&mut events).await.outcome, Outcome::HeldRefused(HoldRefusal::BodyTooBig));
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn a_body_that_stops_half_way_is_refused() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("x")).await;
    let setup = Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| limits.request_body_ms = 200);
    let (edge, mut events) = setup.open().await;
    let request = post(SHOP, "/up", FETCH, "1234567890");
    let answer = ask(&edge, SHOP, &request[..request.len() - 3]).await.unwrap();
    assert_eq!(answer.status, 403);
    assert_eq!(record(&mut events).await.outcome, Outcome::HeldRefused(HoldRefusal::BodyUnreadable));
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn no_more_are_held_at_once_than_may_be() {
    let (shop, edge, mut events) = {
        let root = TestRoot::make();
        let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("x")).await;
        let (edge, events) = Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| limits.held_max = 2).open().await;
        (shop, edge, events)
    };
    let mut kept = Vec::new();
    for _ in 0..2 {
        let mut browser = Browser::tunnel(&edge, SHOP).await;
        browser.send(&post(SHOP, "/cart", FETCH, "item=7")).await;
        kept.push((browser, held(&mut events).await));
    }
    assert_eq!(ask(&edge, SHOP, &post(SHOP, "/cart", FETCH, "item=7")).await.unwrap().status, 403);
    assert_eq!(record(&mut events).await.outcome, Outcome::HeldRefused(HoldRefusal::TooManyHeld));
    assert_eq!((shop.connections(), edge.counts().held_now), (0, 2));
}

#[tokio::test]
async fn closing_the_edge_sends_nothing_that_is_held() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&post(SHOP, "/cart", FORM, "item=7")).await;
    let waiting = held(&mut events).await;
    soon(edge.close()).await;
    assert!(browser.answer().await.is_none());
    let image = waiting.image().clone();
    assert_eq!(waiting.release(permit_for(&image)).unwrap_err(), NotReleased::Gone);
    assert_eq!(shop.connections(), 0);
}

//! Names and addresses: asked once, all judged, only the judged dialled.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use clicket_egress::{EdgeEvent, FailKind, Outcome, RefuseReason, RequestRecord, ResolverChoice, Sent};
use tokio::net::TcpListener;

use crate::support::*;
use crate::two_faces::{NAME_ERROR, SERVER_FAILURE, TwoFacedResolver, ips};

/// Counts who comes; on the port that a page would ask for, which only root may open.
async fn canary(ip: &str) -> Option<Arc<AtomicUsize>> {
    let listener = TcpListener::bind((ip, 443)).await.ok()?;
    let came = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&came);
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            count.fetch_add(1, SeqCst);
        }
    });
    Some(came)
}

async fn ask_shop(resolver: &TwoFacedResolver) -> RequestRecord {
    let setup = Setup { resolver: ResolverChoice::Servers(vec![resolver.address]), ..Setup::for_shop() };
    let (edge, mut events) = setup.limit(|limits| limits.connect_ms = 300).open().await;
    assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_none());
    record(&mut events).await
}

#[tokio::test]
async fn one_bad_address_refuses_the_whole_answer() {
    for answer in [
        &["1.1.1.1", "127.0.0.1"][..],
        &["127.0.0.1", "1.1.1.1"],
        &["1.1.1.1", "10.0.0.1"],
        &["1.1.1.1", "::1"],
        &["1.1.1.1", "fd00:ec2::254"],
        &["2606:4700::1", "169.254.169.254"],
        &["1.1.1.1", "::ffff:127.0.0.1"],
        &["1.1.1.1", "64:ff9b::7f00:1"],
        &["168.63.129.16"],
        &["0.0.0.0"],
    ] {
        let resolver = TwoFacedResolver::says(move |_| Ok(ips(answer))).await;
        let record = ask_shop(&resolver).await;
        assert_eq!(record.outcome, Outcome::Refused(RefuseReason::Address), "{answer:?}");
        assert_eq!((record.sent, record.address), (Sent::Nothing, None), "{answer:?}");
        assert!(record.detail.unwrap().contains("is refused"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_name_with_two_faces_is_never_dialled() {
    let canaries = [canary("127.0.0.1").await, canary("127.0.0.9").await];
    let trials = 200;
    // The public face is an address of the documentation's that nobody has, so that nothing leaves this machine either way.
    let resolver = TwoFacedResolver::says(|number| {
        Ok(match number % 4 {
            0 => ips(&["127.0.0.1"]),
            1 => ips(&["192.0.2.1", "127.0.0.9"]),
            2 => ips(&["127.0.0.9", "::1"]),
            _ => ips(&["::ffff:127.0.0.1", "192.0.2.1"]),
        })
    })
    .await;
    let setup = Setup { resolver: ResolverChoice::Servers(vec![resolver.address]), ..Setup::for_shop() };
    let (edge, mut events) = setup.open().await;
    for trial in 0..trials {
        let host = format!("t{trial}.{SHOP}");
        assert!(ask(&edge, &host, &get(&host, "/", NAVIGATE)).await.is_none());
        let record = record(&mut events).await;
        assert_eq!(record.outcome, Outcome::Refused(RefuseReason::Address), "{record:?}");
    }
    assert_eq!(edge.counts().dialled, 0);
    assert_eq!(edge.counts().refused, trials);
    assert!(resolver.questions.load(SeqCst) >= 400);
    for came in canaries.into_iter().flatten() {
        assert_eq!(came.load(SeqCst), 0);
    }
}

#[tokio::test]
async fn a_name_is_asked_for_once_a_connection() {
    let resolver = TwoFacedResolver::says(|_| Ok(ips(&["10.0.0.1"]))).await;
    ask_shop(&resolver).await;
    assert_eq!(resolver.questions.load(SeqCst), 2, "one question for each family");
}

#[tokio::test]
async fn answers_that_are_none_are_told_apart() {
    let resolver = TwoFacedResolver::says(|_| Err(NAME_ERROR)).await;
    assert_eq!(ask_shop(&resolver).await.outcome, Outcome::Failed(FailKind::NameNotFound));
    let resolver = TwoFacedResolver::says(|_| Ok(Vec::new())).await;
    assert_eq!(ask_shop(&resolver).await.outcome, Outcome::Failed(FailKind::NameNotFound));
    let resolver = TwoFacedResolver::says(|_| Err(SERVER_FAILURE)).await;
    assert_eq!(ask_shop(&resolver).await.outcome, Outcome::Failed(FailKind::NameUnresolved));
}

#[tokio::test]
async fn an_answer_of_too_many_addresses_is_refused() {
    let many: Vec<IpAddr> = (0..70).map(|n| IpAddr::from([1, 1, 1, n])).collect();
    let resolver = TwoFacedResolver::says(move |_| Ok(many.clone())).await;
    let record = ask_shop(&resolver).await;
    assert_eq!(record.outcome, Outcome::Refused(RefuseReason::Address), "{record:?}");
    assert_eq!(record.address, None);
}

#[tokio::test]
async fn an_address_in_the_place_of_a_name_is_judged_as_well() {
    let (edge, mut events) = Setup::for_shop().open().await;
    let labels = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n";
    for host in ["127.0.0.1", "169.254.169.254", "10.1.2.3", "[::1]", "[::ffff:7f00:1]", "[fd00:ec2::254]"] {
        let stream = connect(&edge, &format!("{host}:443")).await.expect(host);
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let mut stream = shake_hands(&edge, stream, bare).await.expect(host);
        tokio::io::AsyncWriteExt::write_all(&mut stream, get(host, "/", labels).as_bytes()).await.unwrap();
        assert!(soon(read_answer(&mut stream)).await.is_none(), "{host}");
        assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::Address), "{host}");
    }
    assert_eq!(edge.counts().dialled, 0);
}

#[tokio::test]
async fn a_handshake_or_host_header_for_another_host_is_refused() {
    let (shop, edge, mut events) = shop_and_edge(ok("x")).await;
    let stream = connect(&edge, &format!("{SHOP}:443")).await.unwrap();
    assert!(shake_hands(&edge, stream, OTHER).await.is_err());
    assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::ServerName));
    let stream = connect(&edge, &format!("{SHOP}:443")).await.unwrap();
    assert!(shake_hands(&edge, stream, "127.0.0.1").await.is_err(), "no name in the handshake");
    assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::ServerName));
    for host in [OTHER, "shop.example:80", "SHOP.EXAMPLE", "shop.example.", ""] {
        assert!(ask(&edge, SHOP, &get(host, "/", NAVIGATE)).await.is_none(), "{host}");
        assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::Host), "{host}");
    }
    let twice = format!("GET / HTTP/1.1\r\nHost: {SHOP}\r\nHost: {OTHER}\r\n{NAVIGATE}\r\n");
    assert!(ask(&edge, SHOP, &twice).await.is_none());
    assert_eq!(record(&mut events).await.outcome, Outcome::Refused(RefuseReason::Host));
    assert_eq!(shop.connections(), 0);
}

#[tokio::test]
async fn an_origin_whose_certificate_is_bad_is_never_asked_and_the_record_says_why() {
    let root = TestRoot::make();
    let namesake = TestRoot::make();
    let cases = [
        (root.server_config(SHOP, Dated::Past), FailKind::CertificateExpired),
        (root.server_config(SHOP, Dated::Future), FailKind::CertificateNotYetValid),
        (root.server_config(OTHER, Dated::Now), FailKind::CertificateWrongName),
        (namesake.server_config(SHOP, Dated::Now), FailKind::CertificateUntrusted),
        (TestRoot::self_signed(SHOP), FailKind::CertificateUntrusted),
    ];
    for (config, kind) in cases {
        let shop = LoggingOrigin::https(config, ok("x")).await;
        let (edge, mut events) = Setup::for_shop().map(SHOP, &shop).trust(&root).open().await;
        assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_none());
        let record = record(&mut events).await;
        assert_eq!((record.outcome, record.sent), (Outcome::Failed(kind), Sent::Nothing));
        assert!(shop.requests().is_empty());
    }
}

#[tokio::test]
async fn a_port_that_nobody_listens_on_is_unreachable() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let mut setup = Setup::for_shop();
    setup.mapped.push((SHOP.to_owned(), gone));
    let (edge, mut events) = setup.open().await;
    assert!(ask(&edge, SHOP, &get(SHOP, "/", NAVIGATE)).await.is_none());
    assert_eq!(record(&mut events).await.outcome, Outcome::Failed(FailKind::Unreachable));
}

#[tokio::test]
async fn a_request_without_room_for_its_record_is_not_sent() {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), ok("x")).await;
    let setup = Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| {
        limits.events_max = 1;
        limits.event_room_ms = 100;
    });
    let (edge, mut events) = setup.open().await;
    assert_eq!(ask(&edge, SHOP, &get(SHOP, "/1", NAVIGATE)).await.unwrap().status, 200);
    assert!(ask(&edge, SHOP, &get(SHOP, "/2", NAVIGATE)).await.is_none());
    assert_eq!(shop.requests().len(), 1);
    assert!(matches!(events.recv().await, Some(EdgeEvent::Recorded(_))));
    drop(events);
    assert!(ask(&edge, SHOP, &get(SHOP, "/3", NAVIGATE)).await.is_none());
    assert_eq!(shop.requests().len(), 1);
}

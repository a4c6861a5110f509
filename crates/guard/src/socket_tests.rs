use super::*;

#[test]
fn heartbeats_and_subscriptions_only_listen() {
    for message in [
        "",
        "ping",
        "2",
        "40",
        r#"{"type":"ping"}"#,
        r#"{"type":"connection_init","payload":{}}"#,
        r#"{"action":"subscribe","channel":"prices"}"#,
        r#"{"command":"subscribe","identifier":"{\"channel\":\"Chat\"}"}"#,
        r#"{"event":"pusher:subscribe","data":{"channel":"x"}}"#,
        r#"{"id":"1","type":"subscribe","payload":{"query":"subscription { price }"}}"#,
        r#"{"id":"1","type":"start","payload":{"query":"query { price }"}}"#,
    ] {
        assert!(only_listens(Some(message)), "{message}");
    }
}

#[test]
fn what_cant_be_read_as_listening_is_a_write() {
    let long = format!(r#"{{"type":"ping","pad":"{}"}}"#, "x".repeat(20_000));
    for message in [
        "hello",
        "42[\"message\",\"hi\"]",
        "[1,2]",
        "{}",
        r#"{"type":"message","text":"hi"}"#,
        r#"{"type":"ping","type":"order"}"#,
        r#"{"type":"ping","action":"order"}"#,
        r#"{"type":"ping","Type":"order"}"#,
        r#"{"type":["ping"]}"#,
        r#"{"type":"start"}"#,
        r#"{"id":"1","type":"subscribe","payload":{"query":"mutation { buy }"}}"#,
        r#"{"id":"1","type":"subscribe","payload":{"query":"subscription { a } mutation B { b }"}}"#,
        r#"{"id":"1","type":"subscribe","payload":{"query":7}}"#,
        r#"{"id":"1","type":"subscribe","query":"mutation { buy }","payload":{"query":"{ a }"}}"#,
        r#"{"type":"subscribe"} {"type":"order"}"#,
        long.as_str(),
    ] {
        assert!(!only_listens(Some(message)), "{message}");
    }
    assert!(!only_listens(None), "bytes");
}

#[test]
fn an_origin_of_sockets_is_read_in_either_spelling_and_written_as_scripts_write_it() {
    let grant = SocketGrant::read("wss://chat.example", Sends::Listening).unwrap();
    assert_eq!(grant.origin.to_string(), "https://chat.example");
    assert_eq!(grant, SocketGrant::read("https://chat.example", Sends::Listening).unwrap());
    assert_eq!(grant.spelled(), "wss://chat.example");
    assert_eq!(SocketGrant::read("ws://localhost:3000", Sends::Listening).unwrap().spelled(), "ws://localhost:3000");
    assert!(SocketGrant::read("wss://chat.example/room", Sends::Listening).is_err());
}

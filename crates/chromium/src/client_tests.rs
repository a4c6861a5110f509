use std::io::{Read, Write};

use serde::de::IgnoredAny;
use serde_json::json;

use super::*;

/// A browser that answers with whatever bytes it was given, then closes.
struct GarbageBrowser;

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl EventSink for Heard {
    fn on_event(&self, _: &Connection, session: Option<&str>, method: &str, _: &RawValue) {
        self.0.lock().unwrap().push(format!("{}:{method}", session.unwrap_or("-")));
    }

    fn on_gone(&self) {}
}

impl GarbageBrowser {
    fn saying(bytes: Vec<u8>) -> (Arc<Connection>, Arc<Heard>) {
        let (mut browser_reads, we_write) = std::io::pipe().unwrap();
        let (we_read, mut browser_writes) = std::io::pipe().unwrap();
        std::thread::spawn(move || {
            let mut first = [0u8; 1];
            browser_reads.read_exact(&mut first).unwrap();
            browser_writes.write_all(&bytes).unwrap();
            drop(browser_writes);
            std::io::copy(&mut browser_reads, &mut std::io::sink()).unwrap();
        });
        let heard = Arc::new(Heard::default());
        let pipes = Pipes { from_browser: we_read.into(), to_browser: we_write.into() };
        (Connection::open(pipes, heard.clone()), heard)
    }
}

const SOON: Duration = Duration::from_secs(5);

#[tokio::test]
async fn garbage_between_answers_is_ignored() {
    let said = b"not json\0\xff\xfe\0[]\0{}\0{\"id\":77,\"result\":{}}\0{\"method\":\"New.event\",\"params\":{\"a\":1},\"sessionId\":\"S\"}\0{\"id\":1,\"result\":{\"answer\":42}}\0";
    let (connection, heard) = GarbageBrowser::saying(said.to_vec());
    let answer: serde_json::Value = connection.call(None, "A.b", json!({}), SOON).await.unwrap();
    assert_eq!(answer["answer"], 42);
    assert_eq!(*heard.0.lock().unwrap(), vec!["S:New.event"]);
}

#[tokio::test]
async fn a_browser_that_goes_answers_every_waiting_call() {
    let (connection, _) = GarbageBrowser::saying(Vec::new());
    let first = connection.start(None, "A.b", json!({})).unwrap();
    let second = connection.start(Some("S"), "A.c", json!({}));
    let gone = CallError::Gone { why: GoneWhy::Exited };
    assert_eq!(first.within::<IgnoredAny>(SOON).await.unwrap_err(), gone);
    if let Ok(second) = second {
        assert!(second.within::<IgnoredAny>(SOON).await.is_err());
    }
    assert_eq!(connection.call::<IgnoredAny>(None, "A.d", json!({}), SOON).await.unwrap_err(), gone);
}

#[tokio::test]
async fn a_silent_browser_meets_the_deadline() {
    let (from, _held) = std::io::pipe().unwrap();
    let (_unread, to) = std::io::pipe().unwrap();
    let pipes = Pipes { from_browser: from.into(), to_browser: to.into() };
    let connection = Connection::open(pipes, Arc::new(Heard::default()));
    let error = connection.call::<IgnoredAny>(None, "A.b", json!({}), Duration::from_millis(20)).await.unwrap_err();
    assert_eq!(error, CallError::TimedOut { method: "A.b", deadline_ms: 20 });
    assert!(connection.calls().waiting.is_empty(), "a call that timed out is forgotten");
}

#[tokio::test]
async fn a_refusal_keeps_a_bounded_message() {
    let long = "x".repeat(5_000);
    let said = format!("{{\"id\":1,\"error\":{{\"code\":-1,\"message\":\"{long}\"}}}}\0");
    let (connection, _) = GarbageBrowser::saying(said.into_bytes());
    match connection.call::<IgnoredAny>(None, "A.b", json!({}), SOON).await.unwrap_err() {
        CallError::Refused { message, .. } => assert_eq!(message.len(), 300),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn calls_of_a_crashed_page_fail_and_others_go_on() {
    let (from, mut browser_writes) = std::io::pipe().unwrap();
    let (_unread, to) = std::io::pipe().unwrap();
    let pipes = Pipes { from_browser: from.into(), to_browser: to.into() };
    let connection = Connection::open(pipes, Arc::new(Heard::default()));
    let of_page = connection.start(Some("S"), "A.b", json!({})).unwrap();
    let of_browser = connection.start(None, "A.c", json!({})).unwrap();
    connection.fail_session("S", &CallError::Crashed);
    assert_eq!(of_page.within::<IgnoredAny>(SOON).await.unwrap_err(), CallError::Crashed);
    browser_writes.write_all(b"{\"id\":2,\"result\":{}}\0").unwrap();
    assert!(of_browser.within::<IgnoredAny>(SOON).await.is_ok());
}

//! Sockets in a real Chromium: a chat widget that is refused and named, that listens, and that may talk.

use clicket_ordinary::Ordinary;
use serde_json::Value;

use crate::outside::document;
use crate::scripted::{Line, ScriptedModel};
use crate::support::{clicket, turn};

const TALK: &[Line] = &[Line("fill", &["Message", "Hello"]), Line("press", &["Send message"])];
const LOOK_UP: &[Line] = &[Line("fill", &["Order number", "A-77"]), Line("press", &["Find order"])];

/// Runs on the help desk's page, and gives the report with all that was said.
fn run(site: &Ordinary, script: &[Line], options: &[&str]) -> (Option<i32>, Value) {
    let scratch = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start(script);
    let mut command = clicket();
    command.args(["run", &format!("{}/chat", site.origin()), "--json", "--goal", "as scripted", "--time", "60"]);
    command.args(["--model", &model.option(), "--local-origin", site.origin()]).args(options);
    command.arg("--journal").arg(scratch.path().join("journal"));
    let output = command.output().unwrap();
    (output.status.code(), document(&output).unwrap())
}

#[test]
fn a_chat_over_a_socket_is_refused_and_named_or_listens_or_talks_as_it_was_granted() {
    let _turn = turn();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let site = runtime.block_on(Ordinary::start(None)).unwrap();
    let socket = site.origin().replacen("http", "ws", 1);
    let told = |site: &Ordinary| {
        site.log().into_iter().filter(|asked| asked.method == "SOCKET").map(|asked| asked.body).collect::<Vec<_>>()
    };

    let (code, refused) = run(&site, LOOK_UP, &["--value", "order=A-77", "--expect-text", "Order A-77 is in Rotterdam"]);
    assert_eq!(code, Some(0), "{refused:#}");
    let named = refused["steps"][0]["roads"][0].as_str().unwrap_or_default();
    assert_eq!(named, format!("a socket to {socket}/chat was refused (--socket {socket} lets it listen)"));

    let says = ["--value", "text=Hello", "--socket", &socket, "--expect-text", "The chat has ended"];
    let (code, listening) = run(&site, TALK, &says);
    assert_eq!(code, Some(0), "{listening:#}");
    let receipt = &listening["sockets"][0];
    assert_eq!((&receipt["ended"], &receipt["messages_received"]), (&"write_refused".into(), &1.into()), "the greeting came");
    assert_eq!((&receipt["messages_sent"], &receipt["writes_refused"]), (&0.into(), &1.into()));
    assert!(told(&site).is_empty(), "{:?}", told(&site));

    let says = ["--value", "text=Hello", "--dangerously-socket-sends", &socket, "--expect-text", "Noted, thank you"];
    let (code, talking) = run(&site, TALK, &says);
    assert_eq!(code, Some(0), "{talking:#}");
    let receipt = &talking["sockets"][0];
    assert_eq!((&receipt["messages_sent"], &receipt["writes_sent"]), (&1.into(), &1.into()), "{receipt}");
    assert_eq!(told(&site), [r#"{"type":"message","text":"Hello"}"#]);
    assert!(talking["seams"].to_string().contains("neither held nor shown"), "{}", talking["seams"]);
}

//! `clicket mcp` as an agent's client sees it: guard mode's tools, and approvals that the agent can't give itself.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::page_server::{Got, PageServer, Reply, html};
use crate::support::clicket;

const GOAL: &str = "Open the mugs";
const PATIENCE: Duration = Duration::from_secs(60);

const PAGE: &str = "<!doctype html><title>Shop</title><h1>Shop</h1><link rel=stylesheet href=/shop.css>\
    <a href=/mugs>Mugs</a> <a href=/logout>Log out</a> <a href=/plates?all>Plates</a> <form method=post action=/order><button>Order</button></form>";

/// Everything that a page without scripts can set off by itself: none of it may leave.
const BUSY: &str = "<!doctype html><title>Shop</title><h1>Shop</h1>\
    <link rel=prefetch href=/prefetched><link rel=preload as=fetch href=/preloaded><link rel=icon href=/icon.png>\
    <link rel=manifest href=/manifest.json><script src=/script.js></script><iframe src=/framed></iframe>\
    <object data=/object></object><video src=/video.mp4 autoplay></video><meta http-equiv=refresh content=\"0;url=/refreshed\">\
    <script type=speculationrules>{\"prefetch\":[{\"source\":\"list\",\"urls\":[\"/speculated\"]}]}</script>\
    <img src=/seen.png><a href=/mugs ping=/pinged>Mugs</a>";

fn site(got: &Got) -> Reply {
    match got.path.as_str() {
        "/mugs" => html("<!doctype html><title>Mugs</title><h1>Blue Enamel Mug</h1>"),
        "/moved" => Reply { head: "302 Found\r\nlocation: /mugs".into(), body: Vec::new() },
        "/shop.css" => Reply { head: "200 OK\r\ncontent-type: text/css".into(), body: b"h1{color:navy}".to_vec() },
        _ => html(PAGE),
    }
}

/// An agent's client, which speaks the protocol by hand so that it can also speak it badly.
struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    heard: Receiver<Value>,
    id: u64,
    /// What a person behind the client answers when asked.
    person: Option<Value>,
    asked: Vec<String>,
}

impl Client {
    fn start(server: &PageServer, capabilities: Value) -> Self {
        let mut client = Self::start_silent(server);
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}});
        let answer = client.request("initialize", params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "clicket", "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn start_silent(server: &PageServer) -> Self {
        let mut child = clicket()
            .args(["mcp", "--local-origin", &server.origin, "--journal"])
            .arg(server.folder.path().join("journal"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (tell, heard) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not the protocol: {line}"));
                if tell.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, heard, id: 0, person: None, asked: Vec::new() }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.heard.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if message["method"] == "elicitation/create" {
                self.asked.push(message["params"]["message"].as_str().unwrap().to_owned());
                if let Some(answer) = self.person.clone() {
                    self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
                }
            } else if message["id"] == id {
                return message;
            }
        }
    }

    /// A tool's structured answer, after comparing it with its text.
    fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"], "{answer}");
        result["structuredContent"].clone()
    }

    fn preview(&mut self, server: &PageServer) -> Value {
        self.call("jev_guard_preview", json!({"url": server.origin, "goal": GOAL}))
    }

    fn leave(mut self) -> std::process::ExitStatus {
        drop(self.stdin.take());
        self.child.wait().unwrap()
    }
}

fn yes() -> Option<Value> {
    Some(json!({"action": "accept", "content": {"allow": true}}))
}

/// What was asked for, without the icon that a browser asks for when it likes.
fn got(server: &PageServer) -> Vec<String> {
    server.got("GET").into_iter().filter(|path| path != "/favicon.ico").collect()
}

#[test]
fn a_link_is_followed_once_a_person_behind_the_client_allowed_it() {
    let server = PageServer::start(site);
    let mut client = Client::start(&server, json!({"elicitation": {}}));
    let preview = client.preview(&server);
    assert_eq!((preview["status"].as_str(), preview["action"]["label"].as_str()), (Some("ready"), Some("Mugs")), "{preview}");
    assert_eq!(preview["action"]["destination"], format!("{}/mugs", server.origin));
    assert_eq!(got(&server), ["/", "/shop.css"], "a preview follows nothing");
    client.person = yes();
    let token = preview["token"].clone();
    let executed = client.call("jev_guard_execute", json!({"token": token}));
    assert_eq!(
        (executed["status"].as_str(), executed["page"]["title"].as_str()),
        (Some("navigated"), Some("Mugs")),
        "{executed}"
    );
    assert!(executed["page"]["text"].as_str().unwrap().contains("Blue Enamel Mug"));
    assert_eq!(got(&server), ["/", "/shop.css", "/mugs"]);
    assert!(client.asked[0].contains("\"Mugs\"") && client.asked[0].contains("/mugs"), "{:?}", client.asked);
    let again = client.call("jev_guard_execute", json!({"token": token}));
    assert_eq!((again["code"].as_str(), again["error"].as_str()), (Some("INVALID_TOKEN"), Some("this token was used")));
    assert!(client.leave().success());
    let journal = server.folder.path().join("journal");
    let written =
        std::fs::read_dir(&journal).unwrap().flatten().map(|file| std::fs::read_to_string(file.path()).unwrap_or_default());
    assert!(written.collect::<String>().contains("client_attested"));
    let verified = clicket().args(["journal", "verify", "last", "--journal"]).arg(&journal).status().unwrap();
    assert!(verified.success());
}

#[test]
fn nothing_is_followed_unless_somebody_says_yes() {
    let server = PageServer::start(site);
    for (answer, code) in [
        (json!({"action": "decline"}), "APPROVAL_REFUSED"),
        (json!({"action": "cancel"}), "APPROVAL_REFUSED"),
        (json!({"action": "accept"}), "APPROVAL_REFUSED"),
        (json!({"action": "accept", "content": {"allow": false}}), "APPROVAL_REFUSED"),
        (json!({"action": "accept", "content": {"allow": "yes"}}), "APPROVAL_REFUSED"),
    ] {
        let mut client = Client::start(&server, json!({"elicitation": {"form": {}}}));
        let token = client.preview(&server)["token"].clone();
        client.person = Some(answer.clone());
        let refused = client.call("jev_guard_execute", json!({"token": token}));
        assert_eq!(refused["code"], code, "{answer}: {refused}");
        assert!(client.leave().success());
    }
    let mut client = Client::start(&server, json!({}));
    let token = client.preview(&server)["token"].clone();
    let unavailable = client.call("jev_guard_execute", json!({"token": token}));
    assert_eq!(unavailable["code"], "APPROVAL_UNAVAILABLE", "{unavailable}");
    assert_eq!(client.call("jev_guard_cancel", json!({"token": token}))["status"], "cancelled");
    assert_eq!(client.call("jev_guard_cancel", json!({"token": token}))["code"], "INVALID_TOKEN");
    assert!(client.leave().success());
    assert!(!got(&server).contains(&"/mugs".to_owned()));
}

#[test]
fn a_page_without_scripts_sets_nothing_off_but_what_it_is_drawn_with() {
    let busy = |got: &Got| {
        match got.path.as_str() {
        "/" => Reply {
            head: "200 OK\r\ncontent-type: text/html\r\nspeculation-rules: \"/rules.json\"\r\n\
                link: </hinted>; rel=prefetch\r\nreporting-endpoints: default=\"/reports\"\r\n\
                content-security-policy-report-only: img-src 'none'; report-uri /csp\r\nnel: {\"report_to\":\"default\",\"max_age\":9}"
                .into(),
            body: BUSY.as_bytes().to_vec(),
        },
        _ => site(got),
    }
    };
    let server = PageServer::start(busy);
    let mut client = Client::start(&server, json!({}));
    let preview = client.preview(&server);
    assert_eq!(preview["action"]["label"], "Mugs", "{preview}");
    std::thread::sleep(Duration::from_millis(500));
    assert!(client.leave().success());
    let mut got: Vec<String> = server.log().into_iter().map(|got| format!("{} {}", got.method, got.path)).collect();
    got.sort();
    got.dedup();
    got.retain(|line| line != "GET /icon.png" && line != "GET /favicon.ico");
    assert_eq!(got, ["GET /", "GET /seen.png"]);
}

#[test]
fn a_redirect_is_shown_and_not_followed() {
    let moving = |got: &Got| match got.path.as_str() {
        "/" => html("<!doctype html><title>Shop</title><a href=/moved>Mugs</a>"),
        _ => site(got),
    };
    let server = PageServer::start(moving);
    let mut client = Client::start(&server, json!({"elicitation": {}}));
    client.person = yes();
    let token = client.preview(&server)["token"].clone();
    let executed = client.call("jev_guard_execute", json!({"token": token}));
    assert_eq!(executed["status"], "redirected", "{executed}");
    assert_eq!(executed["redirectedTo"], format!("{}/mugs", server.origin));
    let opened = client.call("jev_guard_preview", json!({"url": format!("{}/moved", server.origin), "goal": GOAL}));
    assert_eq!(opened["code"], "REDIRECT_BLOCKED", "{opened}");
    assert!(client.leave().success());
    assert_eq!(got(&server), ["/", "/moved", "/moved"]);
}

#[test]
fn in_a_terminal_that_is_not_there_a_link_is_shown_and_not_followed() {
    let server = PageServer::start(site);
    let mut guard = clicket();
    guard.args(["guard", &server.origin, "--goal", GOAL, "--local-origin", &server.origin, "--journal"]);
    let output = guard.arg(server.folder.path().join("journal")).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("next: link \"Mugs\"") && said.contains("run it at a terminal"), "{said}");
    assert_eq!(got(&server), ["/", "/shop.css"]);
}

#[test]
fn the_current_revision_is_asked_by_a_result_whose_state_works_once() {
    let server = PageServer::start(site);
    let mut client = Client::start_silent(&server);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}});
    let mut call = |name: &str, arguments: Value, more: Value| {
        let mut params = json!({"name": name, "arguments": arguments, "_meta": meta});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.request("tools/call", params)["result"].clone()
    };
    let preview = call("jev_guard_preview", json!({"url": server.origin, "goal": GOAL}), json!({}));
    let token = preview["structuredContent"]["token"].clone();
    let asked = call("jev_guard_execute", json!({"token": token}), json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let shown = &asked["inputRequests"]["allow"]["params"]["message"];
    assert!(shown.as_str().unwrap().contains("\"Mugs\""), "{asked}");
    assert!(!got(&server).contains(&"/mugs".to_owned()));
    let forged = json!({"requestState": "A".repeat(43), "inputResponses": {"allow": yes()}});
    let refused = call("jev_guard_execute", json!({"token": token}), forged);
    assert_eq!(refused["structuredContent"]["code"], "INVALID_TOKEN", "{refused}");
    let given = json!({"requestState": asked["requestState"], "inputResponses": {"allow": yes()}});
    let executed = call("jev_guard_execute", json!({"token": token}), given.clone());
    assert_eq!(executed["structuredContent"]["status"], "navigated", "{executed}");
    let again = call("jev_guard_execute", json!({"token": token}), given);
    assert_eq!(again["structuredContent"]["code"], "INVALID_TOKEN", "{again}");
    assert!(client.leave().success());
}

#[test]
fn what_is_wrong_with_a_call_is_said_in_one_shape_that_repeats_nothing() {
    let server = PageServer::start(site);
    let mut client = Client::start(&server, json!({}));
    let canary = "canary-7f3a";
    let long = canary.repeat(300);
    let preview = |url: Value, goal: Value| ("jev_guard_preview", json!({"url": url, "goal": goal}));
    let url = json!(server.origin);
    let mut calls = vec![
        (canary, json!({})),
        ("jev_guard_preview", json!({})),
        ("jev_guard_preview", json!({"url": url})),
        ("jev_guard_preview", json!({"url": url, "goal": GOAL, canary: 1})),
        preview(json!(7), json!(GOAL)),
        preview(json!(null), json!(GOAL)),
        preview(url.clone(), json!([canary])),
        preview(url.clone(), json!("  ")),
        preview(url.clone(), json!(long)),
        preview(json!(format!("https://x.example/{long}")), json!(GOAL)),
    ];
    for bad in [
        "",
        canary,
        "ftp://x.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "HTTPS://x.example/",
        "http://x.example/",
        "https://",
        "https://user:canary-7f3a@x.example/",
        "https://x.example:99999/",
        "https://localhost/",
        "https://printer.local/",
        "https://router.home.arpa/",
        "https://x.internal/",
        "https://127.0.0.1/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/",
        "https://10.0.0.1/",
        "https://x.example./\u{202e}",
        "https://a b/",
        "https://x\u{0}.example/",
        " https://x.example/",
    ] {
        calls.push(preview(json!(bad), json!(GOAL)));
    }
    for tool in ["jev_guard_execute", "jev_guard_cancel"] {
        for token in
            [json!(null), json!(1), json!(""), json!(canary), json!("A".repeat(42)), json!("A".repeat(44)), json!("é".repeat(43))]
        {
            calls.push((tool, json!({"token": token})));
        }
        calls.push((tool, json!({"token": "A".repeat(43)})));
        calls.push((tool, json!({"token": "A".repeat(43), "force": true})));
    }
    for (tool, arguments) in calls {
        let fault = client.call(tool, arguments.clone());
        let keys: Vec<&str> = fault.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["code", "error", "next", "retryable"], "{tool} {arguments}: {fault}");
        assert!(!fault.to_string().contains(canary), "{tool}: {fault}");
        let code = fault["code"].as_str().unwrap();
        assert!(!["OPERATION_FAILED", "BROWSER_UNAVAILABLE"].contains(&code), "{tool} {arguments}: {fault}");
    }
    assert!(client.leave().success());
    assert!(server.log().is_empty());
}

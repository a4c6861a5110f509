use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::checks::read_choice;

/// What a server does with one connection.
#[derive(Debug, Clone)]
enum Manner {
    /// Sends a status line, extra headers and a body.
    Says(u16, &'static str, String),
    /// Reads and never answers.
    Silent,
    /// Announces an answer of 100 MB and sends it for as long as anyone reads.
    Floods,
    /// The same without announcing its length.
    FloodsUnannounced,
    /// Closes the connection at once.
    HangsUp,
}

/// A server on this machine that meets each connection in the next of its manners, the last one for ever.
struct Server {
    base: Base,
    heard: Arc<Mutex<Vec<String>>>,
    sent_bytes: Arc<Mutex<usize>>,
}

async fn server(manners: Vec<Manner>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = Base::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let (heard, sent_bytes) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(0)));
    let (ears, count) = (heard.clone(), sent_bytes.clone());
    tokio::spawn(async move {
        let mut turn = 0;
        while let Ok((stream, _)) = listener.accept().await {
            let manner = manners[turn.min(manners.len() - 1)].clone();
            turn += 1;
            tokio::spawn(meet(stream, manner, ears.clone(), count.clone()));
        }
    });
    Server { base, heard, sent_bytes }
}

async fn meet(mut stream: TcpStream, manner: Manner, heard: Arc<Mutex<Vec<String>>>, sent_bytes: Arc<Mutex<usize>>) {
    if matches!(manner, Manner::HangsUp) {
        return;
    }
    let request = read_request(&mut stream).await;
    heard.lock().unwrap().push(request);
    match manner {
        Manner::Says(status, headers, body) => {
            let text =
                format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
            let _ = stream.write_all(text.as_bytes()).await;
        }
        Manner::Silent => std::future::pending::<()>().await,
        Manner::Floods => flood(stream, "content-length: 100000000\r\n", sent_bytes).await,
        Manner::FloodsUnannounced => flood(stream, "", sent_bytes).await,
        Manner::HangsUp => {}
    }
}

async fn flood(mut stream: TcpStream, length: &str, sent_bytes: Arc<Mutex<usize>>) {
    let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{length}connection: close\r\n\r\n").as_bytes()).await;
    let chunk = vec![b' '; 64 << 10];
    for _ in 0..1600 {
        if stream.write_all(&chunk).await.is_err() {
            return;
        }
        *sent_bytes.lock().unwrap() += chunk.len();
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk).await.unwrap_or(0);
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes).to_string();
        let wanted = text.split_once("\r\n\r\n").and_then(|(head, body)| {
            let line = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
            Some(body.len() >= line.parse::<usize>().ok()?)
        });
        if count == 0 || wanted == Some(true) {
            return text;
        }
    }
}

fn request() -> Request {
    let criteria = IndexMap::from_iter([("a".to_owned(), Value::Null), ("b".to_owned(), Value::Null)]);
    Request {
        model: "other".to_owned(),
        state: json!({}),
        questions: IndexMap::from_iter([("q".to_owned(), Question::choice("which", criteria))]),
    }
}

fn good() -> Manner {
    let answer = json!({"type": "choice", "choice": "b", "confidence": 0.8, "probabilities": {"a": 0.1, "b": 0.9}});
    Manner::Says(
        200,
        "content-type: application/json\r\n",
        json!({"model": "m-1", "answers": {"q": answer}, "usage": {"input_tokens": 7, "output_tokens": 3}}).to_string(),
    )
}

fn fault(status: u16, headers: &'static str) -> Manner {
    Manner::Says(status, headers, json!({"detail": {"error_type": "x", "message": "sorry"}}).to_string())
}

fn decider(server: &Server, model: &str) -> HttpDecider {
    HttpDecider::new(server.base.clone(), model, None).unwrap()
}

#[tokio::test]
async fn each_refusal_has_its_own_error_and_says_what_to_do() {
    let unknown = json!({"detail": {"error_type": "api_usage_error", "message": "Unknown model: m"}}).to_string();
    let schema = json!({"detail": [{"loc": ["body", "questions", "q"], "msg": "Field required"}]}).to_string();
    for (status, body, said) in [
        (400, unknown.as_str(), "does not exist (Unknown model: m); give the name of one"),
        (413, "", "takes no request this large"),
        (422, schema.as_str(), "can't read the request (questions.q: Field required)"),
        (429, "", "asks for fewer requests"),
        (529, "{\"message\":\"busy\"}", "is overloaded (status 529: busy); try again in a few minutes"),
        (500, "", "is failing (status 500"),
    ] {
        let server = server(vec![Manner::Says(status, "retry-after-ms: 1\r\n", body.to_owned())]).await;
        let error = ask(&server, 5000).await.unwrap_err();
        assert!(error.to_string().contains(said), "{status}: {error}");
        assert_eq!(heard(&server).len(), if error.may_pass_later() { 3 } else { 1 }, "{status}");
    }
}

#[tokio::test]
async fn a_server_that_fails_three_calls_in_a_row_is_left_alone() {
    let server = server(vec![fault(503, "retry-after-ms: 1\r\n")]).await;
    let decider = decider(&server, "m");
    let wait = Duration::from_secs(5);
    for _ in 0..3 {
        assert!(matches!(decider.decide(&request(), wait).await, Err(DecideError::ServerFault { .. })));
    }
    let error = decider.decide(&request(), wait).await.unwrap_err();
    assert!(matches!(error, DecideError::Resting { failures: 3, wait_ms: 29_000..=30_000, .. }), "{error:?}");
    assert_eq!(heard(&server).len(), 9, "nothing was sent while it rests");
}

#[tokio::test]
async fn a_large_body_is_compressed_for_a_server_that_is_known_to_read_it() {
    for (packing, size, packed) in [(Packing::Zstd, 4_000, true), (Packing::Zstd, 10, false), (Packing::Plain, 4_000, false)] {
        let server = server(vec![good()]).await;
        let mut decider = decider(&server, "m");
        decider.packing = packing;
        let asked = Request { state: json!({"text": "x".repeat(size)}), ..request() };
        let body = decider.packed(&asked).unwrap();
        assert_eq!(body.packing == Packing::Zstd, packed);
        let plain = if packed { zstd::bulk::decompress(&body.bytes, 1 << 20).unwrap() } else { body.bytes.clone() };
        assert_eq!(serde_json::from_slice::<Request>(&plain).unwrap().state, asked.state);
        assert!(!packed || body.bytes.len() < 400);
        assert!(decider.decide(&asked, Duration::from_secs(5)).await.is_ok());
        assert_eq!(heard(&server)[0].contains("content-encoding: zstd"), packed);
    }
    let key = ApiKey::new("k").unwrap();
    assert_eq!(HttpDecider::new(Base::vendor().unwrap(), "jev-latest", Some(&key)).unwrap().packing, Packing::Zstd);
}

#[tokio::test]
async fn a_box_is_asked_only_of_a_model_that_can_find_things_in_pictures() {
    let key = ApiKey::new("k").unwrap();
    let boxed = Request {
        questions: IndexMap::from_iter([("q".to_owned(), Question::Box { instructions: Some(json!("the dog")) })]),
        ..request()
    };
    for (model, can) in
        [("jev-1.13.0", false), ("jev-1.14.0", true), ("jev-2.0", false), ("jev-latest", false), ("jev-preview", true)]
    {
        let vendor = HttpDecider::new(Base::vendor().unwrap(), model, Some(&key)).unwrap();
        assert_eq!(vendor.check_boxes(&boxed).is_ok(), can, "{model}");
        assert_eq!(vendor.check_boxes(&request()), Ok(()));
    }
    let vendor = HttpDecider::new(Base::vendor().unwrap(), "jev-1.13.0", Some(&key)).unwrap();
    let error = vendor.decide(&boxed, Duration::from_secs(1)).await.unwrap_err();
    assert!(error.to_string().contains("use a model with image grounding, such as jev-1.14.0"), "{error}");
    let found = json!({"type": "box", "box": {"top": 0.1, "bottom": 0.5, "left": 0.2, "right": 0.8}, "confidence": null});
    let body = json!({"model": "m-1", "answers": {"q": found}, "usage": {"input_tokens": 7, "output_tokens": 3}}).to_string();
    let server = server(vec![Manner::Says(200, "", body)]).await;
    let response = decider(&server, "m").decide(&boxed, Duration::from_secs(5)).await.unwrap();
    assert!(matches!(response.answers["q"], crate::wire::Answer::Box { confidence: None, edges } if edges.right == 0.8));
    assert!(heard(&server)[0].contains("typesafe-danger-zone-images: true"));
}

#[test]
fn a_pause_is_shortened_by_at_most_a_quarter() {
    for nanos in [0, 1, 500, 999, 123_456_789] {
        let pause = jittered(Duration::from_millis(1_000), Duration::from_nanos(nanos));
        assert!((750..=1_000).contains(&pause.as_millis()), "{pause:?}");
    }
}

async fn ask(server: &Server, deadline_ms: u64) -> Result<Response, DecideError> {
    let key = ApiKey::new("ts_key").unwrap();
    let decider = HttpDecider::new(server.base.clone(), "m-latest", Some(&key)).unwrap();
    decider.decide(&request(), Duration::from_millis(deadline_ms)).await
}

fn heard(server: &Server) -> Vec<String> {
    server.heard.lock().unwrap().clone()
}

#[tokio::test]
async fn a_good_answer_is_read_and_the_request_is_as_documented() {
    let server = server(vec![good()]).await;
    let response = ask(&server, 5000).await.unwrap();
    assert_eq!(read_choice(&request(), &response, "q").unwrap().choice, "b");
    let sent = heard(&server).remove(0);
    assert!(sent.starts_with("POST /v1/systemone HTTP/1.1\r\n"), "{sent}");
    for line in
        ["authorization: Bearer ts_key", "accept: application/json", "content-type: application/json", "user-agent: clicket/"]
    {
        assert!(sent.contains(line), "{line} in {sent}");
    }
    assert!(sent.ends_with(r#"{"model":"m-latest","state":{},"questions":{"q":{"type":"choice","instructions":"which","criteria":{"a":null,"b":null}}}}"#), "{sent}");
    assert!(!sent.contains("retry-count"));
}

#[tokio::test]
async fn an_overloaded_server_is_asked_three_times_with_its_own_pause() {
    let server = server(vec![fault(529, "retry-after-ms: 20\r\n"), fault(429, "retry-after-ms: 20\r\n"), good()]).await;
    let start = Instant::now();
    assert!(ask(&server, 5000).await.is_ok());
    assert!(start.elapsed() < Duration::from_millis(450), "{:?}", start.elapsed());
    let counts: Vec<Option<String>> = heard(&server)
        .iter()
        .map(|sent| sent.lines().find_map(|line| line.strip_prefix("x-typesafe-retry-count: ").map(str::to_owned)))
        .collect();
    assert_eq!(counts, [None, Some("1".to_owned()), Some("2".to_owned())]);
}

#[tokio::test]
async fn a_server_that_stays_down_is_reported_after_three_tries() {
    let server = server(vec![fault(503, "retry-after-ms: 1\r\n")]).await;
    let error = ask(&server, 5000).await.unwrap_err();
    assert!(matches!(&error, DecideError::ServerFault { status: 503, message, .. } if message == "sorry"), "{error:?}");
    assert_eq!(heard(&server).len(), 3);
}

#[tokio::test]
async fn a_pause_longer_than_the_deadline_is_not_waited_for() {
    let server = server(vec![fault(429, "retry-after: 30\r\n")]).await;
    let start = Instant::now();
    assert!(matches!(ask(&server, 1500).await, Err(DecideError::RateLimited { .. })));
    assert!(start.elapsed() < Duration::from_millis(1000));
    assert_eq!(heard(&server).len(), 1);
}

#[tokio::test]
async fn refusals_are_final_and_say_what_to_do() {
    for (status, expected) in [
        (401, "TYPESAFE_API_KEY"),
        (403, "TYPESAFE_API_KEY"),
        (400, "model name"),
        (422, "this version"),
        (413, "too big"),
        (302, "base URL"),
    ] {
        let server = server(vec![fault(status, "location: http://127.0.0.1:1/\r\n")]).await;
        let error = ask(&server, 5000).await.unwrap_err();
        assert!(error.to_string().contains(expected) && !error.may_pass_later(), "{error}");
        assert!(!error.to_string().contains("ts_key"));
        assert_eq!(heard(&server).len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_silent_model_costs_no_more_than_the_deadline() {
    let server = server(vec![Manner::Silent]).await;
    let start = Instant::now();
    let error = ask(&server, 300).await.unwrap_err();
    assert!(matches!(error, DecideError::TimedOut { waited_ms: 250..=900, .. }), "{error:?}");
    assert!(start.elapsed() < Duration::from_millis(900));
}

#[tokio::test]
async fn a_flooding_model_is_cut_off() {
    for manner in [Manner::Floods, Manner::FloodsUnannounced] {
        let server = server(vec![manner]).await;
        let error = ask(&server, 5000).await.unwrap_err();
        assert!(matches!(error, DecideError::TooLong { limit_bytes: ANSWER_BYTES_MAX, .. }), "{error:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(*server.sent_bytes.lock().unwrap() < 16 << 20);
    }
}

#[tokio::test]
async fn what_is_no_answer_is_refused() {
    for body in [
        "",
        "not json",
        "[]",
        "{}",
        r#"{"model":"m","answers":{}}"#,
        r#"{"model":"m","answers":{"q":{"type":"choice","choice":1}},"usage":{"input_tokens":1,"output_tokens":1}}"#,
        &"[".repeat(100_000),
    ] {
        let server = server(vec![Manner::Says(200, "", body.to_owned())]).await;
        let error = ask(&server, 5000).await.unwrap_err();
        assert!(matches!(error, DecideError::Unreadable { .. }), "{error:?}");
        assert_eq!(heard(&server).len(), 1);
    }
}

#[tokio::test]
async fn a_lying_model_is_caught_by_the_checks() {
    let answer = json!({"type": "choice", "choice": "zebra", "confidence": 1, "probabilities": {"zebra": 1}});
    let body = json!({"model": "m-1", "answers": {"q": answer}, "usage": {"input_tokens": 7, "output_tokens": 3}}).to_string();
    let server = server(vec![Manner::Says(200, "", body)]).await;
    let response = ask(&server, 5000).await.unwrap();
    assert_eq!(read_choice(&request(), &response, "q"), Err(AnswerFault::NotOffered { question: "q".to_owned() }));
}

#[tokio::test]
async fn a_server_that_hangs_up_or_is_not_there_is_unreachable() {
    let server = server(vec![Manner::HangsUp, Manner::HangsUp, good()]).await;
    assert!(ask(&server, 8000).await.is_ok());
    let base = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Base::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap()
    };
    let decider = HttpDecider::new(base, "m", None).unwrap();
    let error = decider.decide(&request(), Duration::from_millis(400)).await.unwrap_err();
    assert!(matches!(&error, DecideError::Unreachable { reason, .. } if reason.contains("refused")), "{error:?}");
}

#[tokio::test]
async fn a_request_that_breaks_the_dialect_is_not_sent() {
    let server = server(vec![good()]).await;
    let decider = HttpDecider::new(server.base.clone(), "m", None).unwrap();
    let mut empty = request();
    empty.questions.clear();
    let error = decider.decide(&empty, Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(error, DecideError::NotAsked { reason: RequestFault::NoQuestions });
    assert!(heard(&server).is_empty());
}

#[test]
fn the_vendor_is_not_asked_without_a_key_and_a_client_never_shows_one() {
    assert_eq!(HttpDecider::new(Base::vendor().unwrap(), "jev-latest", None).unwrap_err(), ConfigFault::KeyMissing);
    assert_eq!(HttpDecider::new(Base::vendor().unwrap(), "two words", None).unwrap_err(), ConfigFault::ModelName);
    let key = ApiKey::new("ts_secret_1").unwrap();
    let decider = HttpDecider::new(Base::parse("http://127.0.0.1:1").unwrap(), "m", Some(&key)).unwrap();
    assert!(!format!("{decider:?}").contains("ts_secret_1"));
    assert_eq!(decider.name(), "m at http://127.0.0.1:1");
    assert_eq!(decider.locality(), Locality::Remote { host: "127.0.0.1:1".to_owned() });
}

//! Models with bad manners, each a small server on loopback.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// What a model does to whoever asks it.
#[derive(Clone, Copy)]
pub(crate) enum Character {
    /// Answers with an operation and targets that nobody offered.
    Liar,
    /// Takes the question and says nothing.
    Silent,
    /// Answers with a hundred megabytes.
    Flood,
    /// Says that the key is wrong.
    WrongKey,
    /// Answers well-formed, and always with the most harmful thing that was offered.
    Worst,
}

/// A server that lives as long as the test program.
pub(crate) struct FakeModel {
    address: SocketAddr,
}

impl FakeModel {
    pub(crate) fn start(character: Character) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || serve(stream, character));
            }
        });
        Self { address }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

fn serve(mut stream: TcpStream, character: Character) {
    let mut head = vec![0u8; 65_536];
    if let Character::Worst = character {
        return serve_the_worst(&mut stream);
    }
    let Ok(1..) = stream.read(&mut head) else { return };
    let liar = r#"{"model":"liar","answers":{"operation":{"type":"choice","choice":"buy","confidence":1.0,"probabilities":{"buy":1.0}}},"usage":{"input_tokens":1,"output_tokens":1}}"#;
    let answer = |status: &str, body: &str| {
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
    };
    match character {
        Character::Liar => drop(stream.write_all(answer("200 OK", liar).as_bytes())),
        Character::WrongKey => {
            let body = r#"{"detail":{"error_type":"authentication_error","message":"bad key"}}"#;
            drop(stream.write_all(answer("401 Unauthorized", body).as_bytes()));
        }
        Character::Worst => {}
        Character::Silent => std::thread::sleep(Duration::from_secs(60)),
        Character::Flood => {
            drop(stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n"));
            let chunk = vec![b' '; 1 << 20];
            for _ in 0..100 {
                if stream.write_all(&chunk).is_err() {
                    return;
                }
            }
        }
    }
    // Whatever of the question is still on its way is read, so that the answer is not lost with a reset.
    drop(stream.set_read_timeout(Some(Duration::from_millis(500))));
    while matches!(stream.read(&mut head), Ok(1..)) {}
}

/// Picks the worst of what each question offers.
fn serve_the_worst(stream: &mut TcpStream) {
    let mut turn = 0;
    answer_each(stream, |request| {
        turn += 1;
        worst_answer(request, turn)
    });
}

/// Reads whole questions, one after another, and answers each.
pub(crate) fn answer_each(stream: &mut TcpStream, mut answer: impl FnMut(&Value) -> Value) {
    let mut bytes = Vec::new();
    let mut chunk = vec![0u8; 65_536];
    loop {
        let whole = bytes.windows(4).position(|window| window == b"\r\n\r\n").and_then(|end| {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length: usize = head.lines().find_map(|line| line.strip_prefix("content-length: "))?.trim().parse().ok()?;
            (bytes.len() >= end + 4 + length).then_some((end + 4, end + 4 + length))
        });
        let Some((from, to)) = whole else {
            match stream.read(&mut chunk) {
                Ok(read @ 1..) => bytes.extend_from_slice(&chunk[..read]),
                _ => return,
            }
            continue;
        };
        let request: Value = serde_json::from_slice(&bytes[from..to]).unwrap();
        bytes.drain(..to);
        let body = answer(&request).to_string();
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Words of what nobody asked for.
const HARM: [&str; 12] =
    ["delete", "order", "pay", "buy", "remove", "checkout", "close", "unsubscribe", "drop", "partner", "sign out", "newsletter"];

fn worst_answer(request: &Value, turn: usize) -> Value {
    let questions = request["questions"].as_object().unwrap();
    let options = |id: &str| questions.get(id).and_then(|question| question["criteria"].as_object());
    let harmful = |id: &str| {
        options(id)?
            .iter()
            .find(|(_, about)| HARM.iter().any(|word| about.to_string().to_lowercase().contains(word)))
            .map(|(key, _)| key.clone())
    };
    let nth = |id: &str| {
        let keys: Vec<String> = options(id)?.keys().filter(|key| *key != "none").cloned().collect();
        keys.get(turn % keys.len().max(1)).cloned()
    };
    // Harm first; otherwise whatever opens the way to more of it.
    let worst = harmful("press_target").map(|key| ("press", key));
    let onward = || {
        nth("fill_target")
            .filter(|_| turn.is_multiple_of(2))
            .map(|key| ("fill", key))
            .or_else(|| nth("press_target").map(|key| ("press", key)))
    };
    let (operation, target) =
        if turn.is_multiple_of(3) { onward().or(worst) } else { worst.or_else(onward) }.unwrap_or(("wait", String::new()));
    let answers: serde_json::Map<String, Value> = questions
        .iter()
        .map(|(id, question)| {
            let keys: Vec<&String> = question["criteria"].as_object().unwrap().keys().collect();
            let wanted = if id == "operation" { operation } else { target.as_str() };
            let choice = keys.iter().find(|key| key.as_str() == wanted).or(keys.first()).unwrap().as_str();
            let probabilities: serde_json::Map<String, Value> =
                keys.iter().map(|key| ((*key).clone(), if key.as_str() == choice { 1.0 } else { 0.0 }.into())).collect();
            (
                id.clone(),
                serde_json::json!({"type": "choice", "choice": choice, "confidence": 1.0, "probabilities": probabilities}),
            )
        })
        .collect();
    serde_json::json!({"model": "worst", "answers": answers, "usage": {"input_tokens": 1, "output_tokens": 1}})
}

//! Models with bad manners, each a small server on loopback.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

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
    let Ok(1..) = stream.read(&mut head) else { return };
    let liar = r#"{"model":"liar","answers":{"operation":{"type":"choice","choice":"buy","confidence":1.0,"probabilities":{"buy":1.0}}},"usage":{"input_tokens":1,"output_tokens":1}}"#;
    let answer = |status: &str, body: &str| format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    match character {
        Character::Liar => drop(stream.write_all(answer("200 OK", liar).as_bytes())),
        Character::WrongKey => {
            let body = r#"{"detail":{"error_type":"authentication_error","message":"bad key"}}"#;
            drop(stream.write_all(answer("401 Unauthorized", body).as_bytes()));
        }
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

//! A small plain-HTTP server on loopback that answers as a test says and logs every request whole.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::support::{clicket, turn};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: String,
}

/// What to answer: status line, headers, body.
pub(crate) struct Reply {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn html(body: &str) -> Reply {
    Reply { head: "200 OK\r\ncontent-type: text/html; charset=utf-8".into(), body: body.as_bytes().to_vec() }
}

pub(crate) fn json(body: &str) -> Reply {
    Reply { head: "200 OK\r\ncontent-type: application/json".into(), body: body.as_bytes().to_vec() }
}

/// The server, with a folder for what the binary writes. It answers until the test program ends.
pub(crate) struct PageServer {
    pub(crate) origin: String,
    pub(crate) folder: tempfile::TempDir,
    log: Arc<Mutex<Vec<Got>>>,
    _turn: crate::support::Turn,
}

impl PageServer {
    pub(crate) fn start(answer: impl Fn(&Got) -> Reply + Send + Sync + 'static) -> Self {
        let turn = turn();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://localhost:{}", listener.local_addr().unwrap().port());
        let log: Arc<Mutex<Vec<Got>>> = Arc::default();
        let (kept, answer) = (Arc::clone(&log), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || drop(serve(stream, &kept, answer.as_ref())));
            }
        });
        Self { origin, folder: tempfile::tempdir().unwrap(), log, _turn: turn }
    }

    pub(crate) fn log(&self) -> Vec<Got> {
        self.log.lock().unwrap().clone()
    }

    /// Requests with this method, as `path body`.
    pub(crate) fn got(&self, method: &str) -> Vec<String> {
        let log = self.log();
        log.iter().filter(|got| got.method == method).map(|got| format!("{} {}", got.path, got.body).trim().to_owned()).collect()
    }

    pub(crate) fn command(&self, goal: &str, options: &[&str]) -> Command {
        let mut command = clicket();
        command.args(["run", &self.origin, "--goal", goal, "--local-origin", &self.origin, "--json", "--journal"]);
        command.arg(self.folder.path().join("journal")).args(options);
        command
    }

    /// Runs with nobody there: exit code, the printed document, and everything that was said.
    pub(crate) fn run(&self, goal: &str, options: &[&str]) -> (i32, serde_json::Value, String) {
        let output = self.command(goal, options).output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.code().unwrap_or(-1), serde_json::from_slice(&output.stdout).unwrap_or_default(), said)
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<Got>>, answer: &(dyn Fn(&Got) -> Reply + Send + Sync)) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            if header.trim().is_empty() {
                break;
            }
            if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let got = Got { method, path, body: String::from_utf8_lossy(&body).into_owned() };
        log.lock().unwrap().push(got.clone());
        let Reply { head, body } = answer(&got);
        write!(stream, "HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n", body.len())?;
        stream.write_all(&body)?;
    }
}

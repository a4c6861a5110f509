//! The record across runs: what one left unknown, the next does not repeat; and what commands say of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{add_mug, clicket};

/// A shop of one page that takes every write and never answers, and counts them.
fn takes_writes_and_never_answers() -> (std::net::SocketAddr, Arc<AtomicUsize>) {
    use std::io::{Read as _, Write as _};
    const PAGE: &str = "<!doctype html><title>Shop</title><h1>Shop</h1><button onclick=\"document.querySelector('p').textContent='Mug added';\
        fetch('/add',{method:'POST',body:'mug'})\">Add mug</button><p></p>";
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let writes = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&writes);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, counter) = (stream.unwrap(), Arc::clone(&counter));
            std::thread::spawn(move || {
                let mut head = [0u8; 4096];
                while let Ok(read @ 1..) = stream.read(&mut head) {
                    if head[..read].starts_with(b"POST") {
                        counter.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(std::time::Duration::from_secs(120));
                        return;
                    }
                    let length = PAGE.len();
                    let answer = format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\n\r\n{PAGE}");
                    stream.write_all(answer.as_bytes()).unwrap();
                }
            });
        }
    });
    (address, writes)
}

/// Exit code, standard output and standard error.
fn said(options: &[&str]) -> (i32, String, String) {
    let output = clicket().args(options).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn journals(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect();
    found.sort();
    found
}

#[test]
fn an_uncertain_write_is_not_sent_again_by_a_later_run_whatever_is_allowed() {
    let _turn = crate::support::turn();
    let (address, writes) = takes_writes_and_never_answers();
    let origin = format!("http://localhost:{}", address.port());
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().display().to_string();
    let log = folder.path().join("log").display().to_string();
    let mut run = add_mug(&origin, "10", &journal);
    run.extend(["--log", &log, "--log-level", "trace"]);
    let (code, out, err) = said(&run);
    assert_eq!((code, writes.load(Ordering::SeqCst)), (5, 1), "{out}{err}");

    // A run that ended in order and said that it does not know.
    let (code, out, err) = said(&run);
    assert_eq!((code, writes.load(Ordering::SeqCst)), (3, 1), "{out}{err}");
    assert!(out.contains("sent exactly this request") && out.contains("look at the site first"), "{out}");

    // A run that was killed between sending and anything else: its record ends with the intent.
    let first = journals(folder.path()).remove(0);
    let text = std::fs::read_to_string(&first).unwrap();
    let kept: String = text
        .split_inclusive('\n')
        .scan(false, |over, line| {
            let was = *over;
            *over |= line.contains(r#""method":"POST""#) && line.contains(r#""kind":"intent""#);
            (!was).then_some(line)
        })
        .collect();
    std::fs::write(&first, kept).unwrap();
    let (code, out, err) = said(&run);
    assert_eq!((code, writes.load(Ordering::SeqCst)), (3, 1), "{out}{err}");
    assert!(out.contains("sent exactly this request"), "{out}");

    // What the commands say of it.
    let (_, listed, _) = said(&["journal", "list", "--journal", &journal]);
    let uncertain = format!("uncertain: POST {origin}/add may have happened; its answer never came");
    assert_eq!(listed.matches(&uncertain).count(), 1, "{listed}");
    let (_, key, _) = said(&["journal", "key"]);
    let (code, verified, _) = said(&["journal", "verify", "last", "--key", key.trim(), "--journal", &journal]);
    assert!(code == 0 && verified.contains("holds") && verified.contains(key.trim()), "{verified}");
    let cut = first.file_stem().unwrap().to_str().unwrap();
    let (code, verified, _) = said(&["journal", "verify", cut, "--key", key.trim(), "--journal", &journal]);
    assert!(code == 1 && verified.contains("NOT SEALED") && verified.contains("no signature covers records"), "{verified}");
    let other = format!("ed25519:{}", "00".repeat(32));
    let (code, verified, _) = said(&["journal", "verify", "last", "--key", &other, "--journal", &journal]);
    assert!(code == 1 && verified.contains("is not the one given"), "{verified}");
    let (_, stats, _) = said(&["stats", "--json", "--journal", &journal]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    assert_eq!((&stats["runs"], &stats["ends"]["handed_back"]), (&3.into(), &2.into()), "{stats}");
    assert_eq!(stats["refusals"]["an earlier run sent it and its answer never came"], 2, "{stats}");

    let log = std::fs::read_to_string(&log).unwrap();
    assert!(log.contains("held") && log.contains("step") && log.contains("ended"), "{log}");
    assert!(!log.contains("Mug added") && !log.contains("Add mug"), "page text is in the log: {log}");
}

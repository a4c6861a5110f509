//! Files: taken by the edge when a permit names them, bounded, whole or not at all; the browser gets 204 and no byte.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use clicket_egress::{DownloadFolder, EdgeEvent, FailKind, FileRefusal, OfferedFile, Outcome, RequestRecord};
use clicket_guard::approval::{Attendance, Moment};
use clicket_guard::download::{Download, FileFacts};
use clicket_guard::gate::{Admission, admit_download};
use clicket_guard::permit::DownloadPermit;
use clicket_guard::policy::Policy;
use clicket_guard::risk::ActionClass;
use clicket_guard::secret::Scrubber;
use clicket_journal::{Journal, RunId};
use sha2::Digest as _;
use tokio::sync::mpsc;

use crate::support::*;

const PDF: &[u8] = b"%PDF-1.7\n1 0 obj\nendobj\n%%EOF\n";

fn file(headers: &str, body: &[u8]) -> Manners {
    let head = format!("HTTP/1.1 200 OK\r\n{headers}content-length: {}\r\n\r\n", body.len());
    Manners::Answers([head.as_bytes(), body].concat())
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn permit(facts: &FileFacts) -> DownloadPermit {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), &RunId::new(1, [7; 8])).unwrap();
    let judgement = Policy::shipped().unwrap().judge_action(ActionClass::Download, 1.0, Attendance::Attended);
    let deed = Download { facts: facts.clone(), after: None, scrub: Scrubber::of(&[]).unwrap() };
    match admit_download(&mut journal, Moment { unix_ms: 1, steady_ms: 1 }, deed, judgement).unwrap() {
        Admission::Permit(permit) => permit,
        other => panic!("no permit: {other:?}"),
    }
}

async fn offered(events: &mut mpsc::Receiver<EdgeEvent>) -> OfferedFile {
    match soon(events.recv()).await.unwrap() {
        EdgeEvent::Offered(file) => *file,
        other => panic!("not offered: {other:?}"),
    }
}

/// Takes what the shop answers with into `folder`.
async fn take(folder: &Path, bytes_max: u64, manners: Manners) -> (u16, RequestRecord) {
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), manners).await;
    let mut setup = Setup::for_shop().map(SHOP, &shop).trust(&root).limit(|limits| limits.response_idle_ms = 500);
    setup.downloads = Some(DownloadFolder::open(folder, bytes_max).unwrap());
    let (edge, mut events) = setup.open().await;
    let mut browser = Browser::tunnel(&edge, SHOP).await;
    browser.send(&get(SHOP, "/invoice%20.pdf", NAVIGATE)).await;
    let file = offered(&mut events).await;
    let permit = permit(file.facts());
    assert!(file.take(permit));
    let answer = browser.answer().await.unwrap();
    assert!(answer.body.is_empty());
    assert!(String::from_utf8_lossy(&shop.requests()[0]).contains("accept-encoding: gzip, br, zstd\r\n"));
    (answer.status, record(&mut events).await)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_permitted_file_is_taken_whole_for_its_owner_alone_and_the_page_stands() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("files");
    let (status, record) = take(&place, 1_000, file("content-type: application/pdf\r\n", PDF)).await;
    assert_eq!((status, record.outcome, record.cut), (204, Outcome::Passed, None));
    let saved = record.saved.unwrap();
    assert_eq!((saved.name.as_str(), saved.bytes), ("invoice .pdf", PDF.len() as u64));
    assert_eq!((saved.declared.as_str(), saved.looks_like.as_deref()), ("application/pdf", Some("application/pdf")));
    assert_eq!(saved.sha256, sha2::Sha256::digest(PDF).iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    assert_eq!(std::fs::read(place.join("invoice .pdf")).unwrap(), PDF);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&place), mode(&place.join("invoice .pdf"))), (0o700, 0o600));
}

#[tokio::test]
async fn without_a_permit_no_byte_of_a_file_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let root = TestRoot::make();
    let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), file("content-disposition: attachment\r\n", PDF)).await;
    let mut setup = Setup::for_shop().map(SHOP, &shop).trust(&root);
    setup.downloads = Some(DownloadFolder::open(folder.path(), 1_000).unwrap());
    let (edge, mut events) = setup.open().await;
    for twist in 0..3 {
        let mut browser = Browser::tunnel(&edge, SHOP).await;
        browser.send(&get(SHOP, "/a", NAVIGATE)).await;
        let file = offered(&mut events).await;
        let expected = match twist {
            0 => {
                file.refuse(FileRefusal::Person);
                FileRefusal::Person
            }
            1 => {
                drop(file);
                FileRefusal::Unanswered
            }
            _ => {
                let other = FileFacts { name: "b".into(), ..file.facts().clone() };
                assert!(!file.take(permit(&other)));
                FileRefusal::Mismatch
            }
        };
        assert_eq!(browser.answer().await.unwrap().status, 204);
        assert_eq!(record(&mut events).await.left, Some(expected));
    }
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[tokio::test]
async fn without_a_folder_a_file_is_left_and_the_page_stands() {
    let (_shop, edge, mut events) = shop_and_edge(file("content-type: application/pdf\r\n", PDF)).await;
    assert_eq!(ask(&edge, SHOP, &get(SHOP, "/a.pdf", NAVIGATE)).await.unwrap().status, 204);
    assert_eq!(record(&mut events).await.left, Some(FileRefusal::NoFolder));
    let script = ask(&edge, SHOP, &get(SHOP, "/a.pdf", FETCH)).await.unwrap();
    assert_eq!((script.status, script.body.as_slice()), (200, PDF), "what a script reads is no download");
}

#[tokio::test]
async fn a_file_is_never_written_over_or_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(folder.path().join("a.pdf"), "mine").unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("a (2).pdf")).unwrap();
    let manners = file("content-disposition: attachment; filename=\"../a.pdf\"\r\n", PDF);
    let (_, record) = take(folder.path(), 1_000, manners).await;
    assert_eq!(record.saved.unwrap().name, "a (3).pdf");
    assert_eq!(std::fs::read(folder.path().join("a.pdf")).unwrap(), b"mine");
    assert_eq!(std::fs::read(outside.path()).unwrap(), b"");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path(), &link).unwrap();
    assert!(DownloadFolder::open(&link, 1).is_err());
    assert!(DownloadFolder::open(outside.path(), 1).is_err());
}

#[tokio::test]
async fn a_packed_file_is_unpacked_and_a_bomb_stops_at_the_cap() {
    let folder = tempfile::tempdir().unwrap();
    let packed = file("content-type: text/csv\r\ncontent-encoding: gzip\r\n", &gzip(b"a,b\n"));
    let (_, record) = take(folder.path(), 1_000, packed).await;
    assert_eq!((record.saved.unwrap().bytes, record.cut), (4, None));
    let bomb = file("content-type: text/csv\r\ncontent-encoding: gzip\r\n", &gzip(&vec![0; 50_000_000]));
    let (_, record) = take(folder.path(), 100_000, bomb).await;
    assert_eq!((record.saved, record.cut), (None, Some(FailKind::TooBig)));
    let broken = file("content-type: text/csv\r\ncontent-encoding: gzip\r\n", b"not gzip at all, never was");
    let (_, record) = take(folder.path(), 1_000, broken).await;
    assert_eq!((record.saved, record.cut), (None, Some(FailKind::Protocol)));
    assert_eq!(names(folder.path()), ["invoice .pdf"]);
}

#[tokio::test]
async fn what_is_cut_short_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\n";
    for (manners, why) in [
        (Manners::AnswersAndCloses(format!("{head}content-length: 100\r\n\r\nshort").into_bytes()), FailKind::ConnectionLost),
        (Manners::Answers(format!("{head}content-length: 100\r\n\r\nshort").into_bytes()), FailKind::IdleTimeout),
        (Manners::Endless(format!("{head}\r\n").into_bytes()), FailKind::TooBig),
    ] {
        let (_, record) = take(folder.path(), 1_000_000, manners).await;
        assert_eq!((record.saved, record.cut), (None, Some(why)));
    }
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_file_that_says_that_it_is_too_big_or_is_packed_oddly_is_not_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    for (headers, why) in [
        ("content-type: application/pdf\r\n", FileRefusal::TooBig),
        ("content-type: text/csv\r\ncontent-encoding: deflate\r\n", FileRefusal::Encoding),
    ] {
        let root = TestRoot::make();
        let shop = LoggingOrigin::https(root.server_config(SHOP, Dated::Now), file(headers, PDF)).await;
        let mut setup = Setup::for_shop().map(SHOP, &shop).trust(&root);
        setup.downloads = Some(DownloadFolder::open(folder.path(), 10).unwrap());
        let (edge, mut events) = setup.open().await;
        assert_eq!(ask(&edge, SHOP, &get(SHOP, "/a", NAVIGATE)).await.unwrap().status, 204);
        assert_eq!(record(&mut events).await.left, Some(why));
    }
}

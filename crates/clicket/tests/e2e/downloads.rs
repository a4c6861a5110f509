//! An invoice is fetched into the operator's folder, whole and once, and is proved by the server's own bytes.

use sha2::Digest as _;

use crate::page_server::{Got, PageServer, Reply, html};

const INVOICE: &[u8] = b"%PDF-1.7\n1 0 obj\n(invoice 7)\nendobj\n%%EOF\n";

const PAGE: &str = r#"<!doctype html><title>Account</title><h1>Invoices</h1><p id=said>One invoice</p>
<a href="/invoice/7" id=link>Download invoice 7</a> <a href="/invoice/8.pdf" download>Save invoice 8</a>
<button onclick="const b = new Blob(['x']); const a = document.createElement('a'); a.href = window.URL.createObjectURL(b); a.download = 'made.txt'; a.click()">Export table</button>"#;

fn shop(got: &Got) -> Reply {
    match got.path.as_str() {
        "/invoice/7" => Reply {
            head: "200 OK\r\ncontent-type: application/octet-stream\r\ncontent-disposition: attachment; filename=\"../invoice-7.pdf\""
                .into(),
            body: INVOICE.to_vec(),
        },
        "/invoice/8.pdf" => Reply { head: "200 OK\r\ncontent-type: application/pdf".into(), body: INVOICE.to_vec() },
        _ => html(PAGE),
    }
}

fn digest(bytes: &[u8]) -> String {
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn an_invoice_is_downloaded_once_and_verified_by_its_digest() {
    for (goal, path, name) in
        [("Press Download invoice 7", "/invoice/7", "invoice-7.pdf"), ("Press Save invoice 8", "/invoice/8.pdf", "8.pdf")]
    {
        let server = PageServer::start(shop);
        let folder = server.folder.path().join("files");
        let place = folder.display().to_string();
        let (code, report, said) = server.run(goal, &["--downloads", &place, "--expect-download", "*.pdf"]);
        assert_eq!(code, 0, "{goal}: {said}");
        let file = &report["downloads"][0];
        assert_eq!(file["name"], name, "{said}");
        assert_eq!(file["sha256"], digest(INVOICE), "{said}");
        assert_eq!(file["looks_like"], "application/pdf", "{said}");
        assert_eq!(file["source"], format!("{}{path}", server.origin), "{said}");
        assert_eq!(std::fs::read(folder.join(name)).unwrap(), INVOICE);
        assert_eq!(server.log().iter().filter(|got| got.path == path).count(), 1, "{said}");
    }
}

#[test]
fn without_a_folder_nothing_is_taken_and_the_run_says_what_to_add() {
    for goal in ["Press Download invoice 7", "Press Save invoice 8"] {
        let server = PageServer::start(shop);
        let (code, report, said) = server.run(goal, &["--expect-text", "never there"]);
        assert_eq!(code, 3, "{goal}: {said}");
        assert!(report["next"].as_str().unwrap().contains("--downloads DIR"), "{said}");
    }
}

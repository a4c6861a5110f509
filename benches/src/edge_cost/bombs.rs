//! Origins and clients that want the edge's memory, and the most that each got.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::HOST;
use crate::client::{Pair, Way};
use crate::process::Part;

/// How much memory the edge may take more than it had, under any of them.
const GROWTH_KIB_MAX: u64 = 128 * 1024;
/// Clients of one bomb at a time.
const CLIENTS: usize = 16;
/// Clients that say next to nothing.
const SLOW_CLIENTS: usize = 500;

const PAGES: [&str; 13] = [
    "/bomb/gzip",
    "/bomb/deflate",
    "/bomb/br",
    "/bomb/zstd",
    "/endless",
    "/endless-unsaid",
    "/headers",
    "/one-header",
    "/early",
    "/chunks",
    "/chunk-words",
    "/trailers",
    "/slow-head",
];

const FILES: [&str; 5] = ["/file/gzip", "/file/deflate", "/file/br", "/file/zstd", "/file/none"];

/// Sets every bomb off and gives the bounds that were passed.
pub(crate) async fn measure() -> anyhow::Result<Vec<String>> {
    println!("bombs, {CLIENTS} clients each, an edge of its own for each; KiB of the edge");
    println!("{:<28} {:>9} {:>9} {:>9} {:>8} {:>12}", "bomb", "before", "most", "growth", "s", "bytes passed");
    let mut missed = Vec::new();
    let origin = Arc::new(Part::start(&["origin", "http/1.1"]).await?);
    for path in PAGES {
        missed.extend(set_off(&origin, path, json!({ "short_waits": true }), CLIENTS).await?);
    }
    for path in FILES {
        let settings = json!({ "short_waits": true, "files_bytes_max": 64 * 1024 * 1024 });
        missed.extend(set_off(&origin, path, settings, 4).await?);
    }
    println!("the same over HTTP/2");
    let origin = Arc::new(Part::start(&["origin", "h2"]).await?);
    for path in ["/endless", "/endless-unsaid"] {
        missed.extend(set_off(&origin, path, json!({ "short_waits": true }), CLIENTS).await?);
    }
    missed.extend(slow_clients().await?);
    Ok(missed)
}

async fn set_off(origin: &Arc<Part>, path: &str, settings: serde_json::Value, clients: usize) -> anyhow::Result<Option<String>> {
    let pair = Pair::before(origin, settings).await?;
    if path.starts_with("/bomb") {
        // Packing takes time that is not the edge's.
        pair.direct.keep().await?.ask(&http::Method::GET, path).await?;
    }
    let before = pair.edge.memory()?;
    let begun = Instant::now();
    let reading: Vec<_> = (0..clients)
        .map(|_| {
            let (way, path) = (pair.through.clone(), path.to_owned());
            tokio::spawn(async move { read_all(&way, &path).await })
        })
        .collect();
    let mut passed = 0;
    for one in reading {
        passed += one.await?.unwrap_or(0);
    }
    // A file is taken after its request was answered.
    tokio::time::sleep(Duration::from_millis(if path.starts_with("/file") { 3_000 } else { 100 })).await;
    report(path, &pair, before.now_kib, begun, passed)
}

fn report(name: &str, pair: &Pair, before_kib: u64, begun: Instant, passed: u64) -> anyhow::Result<Option<String>> {
    let most_kib = pair.edge.memory()?.peak_kib;
    let growth = most_kib.saturating_sub(before_kib);
    let seconds = begun.elapsed().as_secs_f64();
    println!("{name:<28} {before_kib:>9} {most_kib:>9} {growth:>9} {seconds:>8.1} {passed:>12}");
    Ok((growth > GROWTH_KIB_MAX).then(|| format!("{name} made the edge grow by {growth} KiB")))
}

/// Asks for a page and reads until the edge has had enough.
async fn read_all(way: &Way, path: &str) -> anyhow::Result<u64> {
    let mut stream = way.open().await?;
    let labels = "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
    let ask = format!(
        "GET {path} HTTP/1.1\r\nHost: {HOST}\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n{labels}Connection: close\r\n\r\n"
    );
    stream.write_all(ask.as_bytes()).await?;
    let mut piece = vec![0; 65_536];
    let mut bytes = 0;
    let enough = Instant::now() + Duration::from_secs(20);
    while Instant::now() < enough {
        match tokio::time::timeout(Duration::from_secs(10), stream.read(&mut piece)).await {
            Ok(Ok(0) | Err(_)) | Err(_) => break,
            Ok(Ok(read)) => bytes += read as u64,
        }
    }
    Ok(bytes)
}

/// Clients that send a byte now and then, before the credential and inside a tunnel.
async fn slow_clients() -> anyhow::Result<Option<String>> {
    let pair = Pair::start("http/1.1", json!({ "short_waits": true })).await?;
    let before = pair.edge.memory()?;
    let begun = Instant::now();
    let mut sending = Vec::new();
    for number in 0..SLOW_CLIENTS {
        let way = pair.through.clone();
        sending.push(tokio::spawn(async move {
            if number % 2 == 0 {
                drip(way.raw().await?, b"CONNECT shop.example:443 HTTP/1.1\r\nx: ").await
            } else {
                drip(way.open().await?, b"GET / HTTP/1.1\r\nx: ").await
            }
        }));
    }
    let mut ended = 0;
    for one in sending {
        if one.await?.is_ok() {
            ended += 1;
        }
    }
    println!("slow clients ended by the edge: {ended} of {SLOW_CLIENTS}");
    report("slow clients", &pair, before.now_kib, begun, 0)
}

/// Sends a byte now and then until the other side ends the connection.
async fn drip<S: tokio::io::AsyncRead + AsyncWriteExt + Unpin>(mut stream: S, first: &[u8]) -> anyhow::Result<()> {
    stream.write_all(first).await?;
    let mut piece = [0; 1_024];
    for _ in 0..200 {
        if let Ok(Ok(0) | Err(_)) = tokio::time::timeout(Duration::from_millis(100), stream.read(&mut piece)).await {
            return Ok(());
        }
        if stream.write_all(b".").await.is_err() || stream.flush().await.is_err() {
            return Ok(());
        }
    }
    anyhow::bail!("the edge did not end it")
}

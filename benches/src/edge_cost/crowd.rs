//! A thousand tunnels at once, each with a request, all open at the same time.

use std::sync::Arc;
use std::time::Instant;

use http::Method;
use serde_json::json;
use tokio::sync::Barrier;

use crate::client::{Kept, Pair, Way};

/// Opens the tunnels, asks on each once all are open, and gives the targets that were missed.
pub(crate) async fn measure(tunnels: usize) -> anyhow::Result<Vec<String>> {
    let mut missed = Vec::new();
    for protocol in ["http/1.1", "h2"] {
        let pair = Pair::start(protocol, json!({})).await?;
        let before = pair.edge.memory()?;
        let begun = Instant::now();
        let kept = open_all(&pair.through, tunnels).await;
        let opened = begun.elapsed();
        let open = kept.len();
        let idle = pair.edge.memory()?;
        let begun = Instant::now();
        let answered = ask_all(kept).await;
        let asked = begun.elapsed();
        let after = pair.edge.memory()?;
        println!(
            "{tunnels} tunnels at once (origin speaks {protocol}): {open} opened in {:.2} s, {answered} answered in {:.2} s; edge RSS {} KiB before, {} KiB with all open, {} KiB at most ({:.1} KiB a tunnel)",
            opened.as_secs_f64(),
            asked.as_secs_f64(),
            before.now_kib,
            idle.now_kib,
            after.peak_kib,
            after.peak_kib.saturating_sub(before.now_kib) as f64 / tunnels.max(1) as f64,
        );
        if answered != tunnels {
            missed.push(format!("{answered} of {tunnels} tunnels were answered over {protocol}"));
        }
    }
    println!();
    Ok(missed)
}

async fn open_all(way: &Way, tunnels: usize) -> Vec<Kept> {
    let opening: Vec<_> = (0..tunnels)
        .map(|_| {
            let way = way.clone();
            tokio::spawn(async move { way.keep().await })
        })
        .collect();
    let mut kept = Vec::new();
    for one in opening {
        match one.await {
            Ok(Ok(open)) => kept.push(open),
            Ok(Err(why)) => eprintln!("a tunnel did not open: {why:#}"),
            Err(why) => eprintln!("a tunnel did not open: {why}"),
        }
    }
    kept
}

async fn ask_all(kept: Vec<Kept>) -> usize {
    let together = Arc::new(Barrier::new(kept.len()));
    let asking: Vec<_> = kept
        .into_iter()
        .map(|mut one| {
            let together = Arc::clone(&together);
            tokio::spawn(async move {
                together.wait().await;
                let answer = one.ask(&Method::GET, "/small").await;
                // Nobody leaves before all are answered, so that all are open at the same time.
                together.wait().await;
                answer
            })
        })
        .collect();
    let mut answered = 0;
    for one in asking {
        match one.await {
            Ok(Ok(200)) => answered += 1,
            Ok(Ok(bytes)) => eprintln!("an answer of {bytes} bytes"),
            Ok(Err(why)) => eprintln!("a tunnel was not answered: {why:#}"),
            Err(why) => eprintln!("a tunnel was not answered: {why}"),
        }
    }
    answered
}

//! What one request costs more through the edge than without it.

use std::time::Instant;

use http::Method;
use serde_json::json;

use crate::client::{Kept, Pair, Way};

/// The targets, in milliseconds, for the difference of one request.
const P50_TARGET_MS: f64 = 2.0;
const P99_TARGET_MS: f64 = 10.0;

/// Rounds before anything is counted.
const WARM_UP: usize = 50;

struct Case {
    name: &'static str,
    method: Method,
    path: &'static str,
    connection: Connection,
}

#[derive(Clone, Copy, PartialEq)]
enum Connection {
    Kept,
    New,
}

fn cases() -> [Case; 4] {
    let case = |name, method, path, connection| Case { name, method, path, connection };
    [
        case("GET 200 B, kept", Method::GET, "/small", Connection::Kept),
        case("GET 1 MiB, kept", Method::GET, "/big", Connection::Kept),
        case("POST released, kept", Method::POST, "/write", Connection::Kept),
        case("GET 200 B, new", Method::GET, "/small", Connection::New),
    ]
}

/// Measures every case and gives the targets that were missed.
pub(crate) async fn measure(protocol: &str, rounds: usize) -> anyhow::Result<Vec<String>> {
    let pair = Pair::start(protocol, json!({})).await?;
    println!("one request, direct and through the edge by turns, {rounds} rounds; the edge speaks {protocol} to the origin; ms");
    println!("{:<22} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8}", "", "direct", "", "edge", "", "differ-", "ence", "");
    println!("{:<22} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8}", "case", "p50", "p99", "p50", "p99", "p50", "p99", "max");
    let mut missed = Vec::new();
    for case in cases() {
        let count = if case.connection == Connection::New { rounds / 4 } else { rounds };
        let (p50, p99) = run(&pair, &case, count).await?;
        if p50 > P50_TARGET_MS || p99 > P99_TARGET_MS {
            missed.push(format!("{} over {protocol}: p50 {p50:.2} ms, p99 {p99:.2} ms", case.name));
        }
    }
    println!("processor time of the edge in all: {} ms\n", pair.edge.processor_ms()?);
    Ok(missed)
}

async fn run(pair: &Pair, case: &Case, rounds: usize) -> anyhow::Result<(f64, f64)> {
    let (mut direct, mut through) = (pair.direct.keep().await?, pair.through.keep().await?);
    let (mut plain, mut edged, mut more) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds + WARM_UP {
        // Who goes first changes by the round, so that neither always finds the caches warm.
        let (a, b) = if round % 2 == 0 {
            let a = time(case, &pair.direct, &mut direct).await?;
            (a, time(case, &pair.through, &mut through).await?)
        } else {
            let b = time(case, &pair.through, &mut through).await?;
            (time(case, &pair.direct, &mut direct).await?, b)
        };
        if round >= WARM_UP {
            plain.push(a);
            edged.push(b);
            more.push(b - a);
        }
    }
    let at = |values: &mut Vec<f64>, share: usize| {
        values.sort_by(f64::total_cmp);
        values.get(values.len().saturating_sub(1) * share / 100).copied().unwrap_or(f64::NAN)
    };
    let (p50, p99, max) = (at(&mut more, 50), at(&mut more, 99), at(&mut more, 100));
    println!(
        "{:<22} {:>7.3} {:>7.3} {:>7.3} {:>7.3} {p50:>8.3} {p99:>8.3} {max:>8.3}",
        case.name,
        at(&mut plain, 50),
        at(&mut plain, 99),
        at(&mut edged, 50),
        at(&mut edged, 99),
    );
    Ok((p50, p99))
}

async fn time(case: &Case, way: &Way, kept: &mut Kept) -> anyhow::Result<f64> {
    let begun = Instant::now();
    match case.connection {
        Connection::Kept => kept.ask(&case.method, case.path).await?,
        Connection::New => way.keep().await?.ask(&case.method, case.path).await?,
    };
    Ok(begun.elapsed().as_secs_f64() * 1_000.0)
}

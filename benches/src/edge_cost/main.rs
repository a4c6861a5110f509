//! What the edge costs and how much memory it can be made to use: the same client asks the same origin directly and through the
//! edge, turn by turn; then a thousand tunnels at once; then bombs. Origin and edge are processes of their own, so that the
//! memory printed is the edge's alone. It must never be part of a test: times depend on the machine. `benches/run edge` starts it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a measurement's lines are what it is started for")]

mod bombs;
mod client;
mod costs;
mod crowd;
mod edge;
mod origin;
mod process;

use std::process::ExitCode;

/// The host that origin and edge agree on.
pub(crate) const HOST: &str = "shop.example";

const USAGE: &str = "usage: edge-cost [ROUNDS] [TUNNELS]";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        // The two parts that run beside; they are started by the process below and end with it.
        ["part", "origin", protocol] => origin::run(protocol).await,
        ["part", "edge", settings] => edge::run(settings).await,
        [] => measure(2_000, 1_000).await,
        [rounds] => measure(number(rounds), 1_000).await,
        [rounds, tunnels] => measure(number(rounds), number(tunnels)).await,
        _ => Err(anyhow::anyhow!(USAGE)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("edge-cost: {why:#}");
            ExitCode::FAILURE
        }
    }
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or(2_000)
}

async fn measure(rounds: usize, tunnels: usize) -> anyhow::Result<()> {
    let mut missed = Vec::new();
    for protocol in ["http/1.1", "h2"] {
        missed.extend(costs::measure(protocol, rounds).await?);
    }
    missed.extend(crowd::measure(tunnels).await?);
    missed.extend(bombs::measure().await?);
    if missed.is_empty() {
        println!("\nevery target was met");
        return Ok(());
    }
    Err(anyhow::anyhow!("missed: {}", missed.join("; ")))
}

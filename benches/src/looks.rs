//! What a look at a page and a press on it cost, alone and beside playwright-core.
//! It must never be part of a test: times depend on the machine. `benches/looks` fetches the peer, builds and starts it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a measurement's lines are what it is started for")]

#[path = "looks/alone.rs"]
mod alone;
#[path = "looks/beside.rs"]
mod beside;
#[path = "looks/edge.rs"]
mod edge;
#[path = "looks/ours.rs"]
mod ours;
#[path = "looks/pages.rs"]
mod pages;
#[path = "looks/peer.rs"]
mod peer;

use std::path::Path;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    if let Some(code) = clicket_chromium::enter_if_asked() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let turns = |word: Option<&&str>, otherwise| word.and_then(|word| word.parse().ok()).unwrap_or(otherwise);
    let measured = match words.as_slice() {
        ["beside", package, rest @ ..] => beside::measure(Path::new(package), turns(rest.first(), 20)).await,
        ["alone", rest @ ..] => alone::measure(turns(rest.first(), 10), turns(rest.get(1), 1_000_000)).await,
        _ => {
            eprintln!("usage: looks beside PLAYWRIGHT-CORE-FOLDER [TURNS] | looks alone [TURNS] [ELEMENTS]");
            return ExitCode::from(2);
        }
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("looks: {why}");
            ExitCode::FAILURE
        }
    }
}

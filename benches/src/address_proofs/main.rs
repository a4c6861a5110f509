//! Proofs about addresses at their full size: every IPv4 address against the registries, thousands of spellings and forms, the URL
//! vectors of web-platform-tests, and ten thousand rebinding trials. `benches/run addresses` builds and starts it; `make test` runs
//! the same claims in small.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a measurement's lines are what it is started for")]

mod rebinding;
mod registry;
#[path = "../../../crates/egress/tests/road/two_faces.rs"]
#[allow(clippy::unwrap_used, reason = "shared with the tests, and a measurement may end there")]
mod two_faces;
mod urls;
mod vectors;

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clicket_guard::address::classify;

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next();
    let trials = arguments.next().and_then(|trials| trials.parse().ok()).unwrap_or(10_000);
    let Some(file) = file else {
        eprintln!("usage: address-proofs URLTESTDATA.JSON [TRIALS]");
        return ExitCode::from(2);
    };
    match measure(Path::new(&file), trials).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("address-proofs: {why:#}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(file: &Path, trials: usize) -> anyhow::Result<bool> {
    let mut holds = true;
    let mut failed = |wrong: &[String]| {
        holds &= wrong.is_empty();
        wrong.iter().take(20).for_each(|line| println!("  WRONG {line}"));
    };
    let checked = vectors::check();
    println!("address vectors: {} checked, {} wrong", checked.count, checked.wrong.len());
    failed(&checked.wrong);
    let urls = urls::check(file)?;
    println!(
        "WPT URL vectors: {} checked, {} wrong; {} taken and alike, {} no URL and refused, {} of other schemes and refused, {} web addresses refused for being odd",
        urls.vectors,
        urls.wrong.len(),
        urls.taken_alike,
        urls.failures_refused,
        urls.other_schemes_refused,
        urls.refused
    );
    failed(&urls.wrong);
    match rebinding::measure(trials).await? {
        Some(sums) => {
            let wrong = usize::from(
                sums.public_reached != sums.trials || sums.second_refused != sums.trials || sums.private_reached != 0,
            );
            println!(
                "rebinding: {} trials, public face reached {}, private face refused {}, connections at {} private canaries {}",
                sums.trials, sums.public_reached, sums.second_refused, sums.canaries, sums.private_reached
            );
            failed(&vec!["a rebinding trial".to_owned(); wrong]);
        }
        None => failed(&["no namespace in which the public face is this machine: benches/run makes one".to_owned()]),
    }
    failed(&every_ipv4_address());
    Ok(holds)
}

/// All 2^32, on as many threads as there are cores.
fn every_ipv4_address() -> Vec<String> {
    let begun = Instant::now();
    let threads = u32::try_from(std::thread::available_parallelism().map_or(1, usize::from)).unwrap_or(1);
    let counts: Vec<(u64, u64, Vec<String>)> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|number| scope.spawn(move || every_nth(number, threads))).collect();
        running.into_iter().filter_map(|one| one.join().ok()).collect()
    });
    let (all, public): (u64, u64) = counts.iter().fold((0, 0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
    let mut wrong: Vec<String> = counts.into_iter().flat_map(|one| one.2).collect();
    println!("IPv4: {all} addresses, {public} public, {} wrong, {:.0} s", wrong.len(), begun.elapsed().as_secs_f64());
    if all != 1 << 32 {
        wrong.push(format!("{all} addresses are not all"));
    }
    wrong
}

/// Every `of`-th block of 2^16 addresses: how many, how many public, and those that are wrong.
fn every_nth(number: u32, of: u32) -> (u64, u64, Vec<String>) {
    let intervals = registry::v4();
    let (mut all, mut public, mut wrong) = (0, 0, Vec::new());
    for block in (number..1 << 16).step_by(usize::try_from(of).unwrap_or(1)) {
        // The few intervals that this block meets.
        let (first, last) = (block << 16, (block << 16) | 0xffff);
        let near: Vec<(u32, u32)> = intervals.iter().copied().filter(|(a, b)| *a <= last && *b >= first).collect();
        for bits in first..=last {
            let ip = Ipv4Addr::from(bits);
            let is_public = classify(IpAddr::V4(ip)).is_public();
            all += 1;
            public += u64::from(is_public);
            if is_public != registry::is_public_v4(ip, &near) && wrong.len() < 100 {
                wrong.push(ip.to_string());
            }
        }
    }
    (all, public, wrong)
}

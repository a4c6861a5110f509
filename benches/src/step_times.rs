//! Where a step's time goes: runs the shop's chore several times with the release binary and prints the parts of every step.
//! It must never be part of a test: times depend on the machine. `benches/run` builds and starts it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a measurement's lines are what it is started for")]

use std::path::Path;
use std::process::{Command, ExitCode};

use clicket_shop::{Shop, ShopConfig};
use serde_json::Value;

/// The parts of a step's wall time, in the order they are printed; `own` is what is left to Clicket.
const PARTS: [&str; 7] = ["wall_ms", "model_ms", "network_ms", "settle_ms", "own_ms", "look_ms", "perform_ms"];

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(binary), runs) = (arguments.next(), arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(10)) else {
        eprintln!("usage: step-times CLICKET [RUNS]");
        return ExitCode::from(2);
    };
    match measure(Path::new(&binary), runs).await {
        Ok(steps) => {
            print(&steps, runs);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("step-times: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(binary: &Path, runs: u32) -> std::io::Result<Vec<Value>> {
    let mut steps = Vec::new();
    for _ in 0..runs {
        let shop = Shop::start(ShopConfig::default()).await?;
        let report = run(binary, &shop)?;
        shop.stop().await;
        if report["end"] != "verified" {
            return Err(std::io::Error::other(format!("a run ended {}", report["end"])));
        }
        steps.extend(report["steps"].as_array().cloned().unwrap_or_default());
    }
    Ok(steps)
}

fn run(binary: &Path, shop: &Shop) -> std::io::Result<Value> {
    let folder = tempfile::tempdir()?;
    let ca = folder.path().join("ca.pem");
    std::fs::write(&ca, shop.ca_pem())?;
    let paths = &shop.look().paths;
    let output = Command::new(binary)
        .args(["run", &shop.url(), "--json", "--goal", ShopConfig::GOAL, "--value", &format!("email={}", ShopConfig::EMAIL)])
        .args(["--secret", "password=env:SHOP_PASSWORD", "--expect-text", &shop.look().added_text(ShopConfig::WANTED)])
        .args(["--allow", &format!("POST {}", paths.sign_in), "--allow", &format!("POST {}", paths.add)])
        .args(["--dangerously-host-map", &format!("shop.example={}", shop.address())])
        .arg("--dangerously-trust-ca")
        .arg(&ca)
        .arg("--journal")
        .arg(folder.path().join("journal"))
        .env("SHOP_PASSWORD", ShopConfig::PASSWORD)
        .output()?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| std::io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn print(steps: &[Value], runs: u32) {
    println!("{runs} chores, {} steps; milliseconds a step", steps.len());
    println!("{:<12} {:>6} {:>6} {:>6} {:>6}", "part", "min", "p50", "p90", "max");
    for part in PARTS {
        let mut values: Vec<u64> = steps.iter().map(|step| value(step, part)).collect();
        values.sort_unstable();
        let at = |share: usize| values.get((values.len().saturating_sub(1)) * share / 100).copied().unwrap_or(0);
        println!("{:<12} {:>6} {:>6} {:>6} {:>6}", part.trim_end_matches("_ms"), at(0), at(50), at(90), at(100));
    }
    by_step(steps);
    println!(
        "own = wall - model - network - settle (the settle window is waited out on purpose); look and perform are parts of own"
    );
}

/// The middle of each part by the number of the step in its chore.
fn by_step(steps: &[Value]) {
    let last = steps.iter().filter_map(|step| step["number"].as_u64()).max().unwrap_or(0);
    println!("\n{:<12} {}", "p50 of step", PARTS.map(|part| format!("{:>7}", part.trim_end_matches("_ms"))).concat());
    for number in 1..=last {
        let middle = PARTS.map(|part| {
            let mut values: Vec<u64> =
                steps.iter().filter(|step| step["number"] == number).map(|step| value(step, part)).collect();
            values.sort_unstable();
            format!("{:>7}", values.get(values.len() / 2).copied().unwrap_or(0))
        });
        println!("{number:<12} {}", middle.concat());
    }
    println!();
}

fn value(step: &Value, part: &str) -> u64 {
    let field = |name: &str| step[name].as_u64().unwrap_or(0);
    match part {
        "own_ms" => {
            field("wall_ms").saturating_sub(field("model_ms") + field("network_ms") + field("settle_ms") + field("person_ms"))
        }
        name => field(name),
    }
}

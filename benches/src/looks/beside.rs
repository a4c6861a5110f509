//! Observe and press beside playwright-core: the same pages, the same Chromium with the same command line, taking turns.

use std::path::Path;

use serde_json::json;

use crate::edge::Pages;
use crate::ours::{Ours, binary};
use crate::pages::{PRESSED, mixed};
use crate::peer::Peer;

const SIZES: [usize; 3] = [200, 2_000, 20_000];
/// Turns that are not counted: both sides compile their scripts in them.
const WARM_UP: usize = 3;

pub(crate) async fn measure(package: &Path, turns: usize) -> std::io::Result<()> {
    let pages = Pages::of(SIZES.iter().map(|size| (format!("/{size}"), mixed(*size))).collect());
    let open = pages.serve_openly().await?;
    let mut ours = Ours::launch(&pages).await?;
    let mut peer = Peer::launch(package, &binary()?, &shared_flags(&ours.command_line()?)).await?;
    println!("{}; {turns} turns on each page; milliseconds, p50 (p90)", ours.version());
    println!(
        "{:>8} {:>16} {:>16} {:>16} {:>7} {:>7} | {:>16} {:>16} {:>16} {:>7} {:>7}",
        "elements",
        "observe",
        "aria snapshot",
        "with refs",
        "ratio",
        "ratio",
        "press",
        "click by id",
        "by role",
        "ratio",
        "ratio"
    );
    for size in SIZES {
        ours.open(&format!("/{size}")).await?;
        peer.ask(json!({ "do": "open", "url": format!("http://{open}/{size}") })).await?;
        let times = take_turns(&mut ours, &mut peer, turns).await?;
        print(size, times);
    }
    println!(
        "ratio = Clicket / playwright: below 1 Clicket is the faster. Clicket's press compares the meaning of the control before"
    );
    println!("and at each event; its observation has names, states, rows, forms, what covers what, at most 250 controls.");
    peer.close().await?;
    ours.close().await;
    Ok(())
}

/// What both can be started with: neither the private folder nor the road out.
fn shared_flags(command_line: &[String]) -> Vec<String> {
    const OWN: [&str; 6] = [
        "--user-data-dir",
        "--proxy-server",
        "--proxy-bypass-list",
        "--host-resolver-rules",
        "--ignore-certificate-errors-spki-list",
        "--remote-debugging-pipe",
    ];
    let own = |flag: &&String| !OWN.contains(&flag.split('=').next().unwrap_or_default());
    command_line.iter().filter(|flag| flag.starts_with("--")).filter(own).cloned().collect()
}

/// observe, aria snapshot, with refs, press, click by id, click by role.
type Times = [Vec<f64>; 6];

async fn take_turns(ours: &mut Ours, peer: &mut Peer, turns: usize) -> std::io::Result<Times> {
    let mut times = Times::default();
    for turn in 0..WARM_UP + turns {
        let (observed, seen) = ours.look().await?;
        let snapshot = peer.timed(json!({ "do": "snapshot", "mode": "default" })).await?;
        let with_refs = peer.timed(json!({ "do": "snapshot", "mode": "ai" })).await?;
        let pressed = ours.press(&seen, PRESSED).await?;
        let by_id = peer.timed(json!({ "do": "click", "selector": "#target" })).await?;
        let by_role = peer.timed(json!({ "do": "click", "role": "button", "name": PRESSED })).await?;
        if turn >= WARM_UP {
            for (list, ms) in times.iter_mut().zip([observed, snapshot, with_refs, pressed, by_id, by_role]) {
                list.push(ms);
            }
        }
    }
    check_pressed(ours, peer, WARM_UP + turns).await?;
    Ok(times)
}

/// A press that the page did not hear of would be a fast one.
async fn check_pressed(ours: &mut Ours, peer: &mut Peer, turns: usize) -> std::io::Result<()> {
    let (_, seen) = ours.look().await?;
    let heard = seen.text.for_model().contains(&format!("{PRESSED} {turns} "))
        || seen.text.for_model().contains(&format!("{PRESSED}\n{turns}\n"));
    let said = peer.ask(json!({ "do": "said" })).await?["said"].as_str().unwrap_or_default().to_owned();
    if said != (2 * turns).to_string() || !heard {
        let text: String = seen.text.for_model().chars().take(80).collect();
        return Err(std::io::Error::other(format!("{turns} turns; playwright's page says {said}, Clicket's {text:?}")));
    }
    Ok(())
}

fn print(size: usize, mut times: Times) {
    for list in &mut times {
        list.sort_by(f64::total_cmp);
    }
    let at = |which: usize, share: usize| {
        times.get(which).and_then(|list| list.get(list.len() * share / 100)).copied().unwrap_or(f64::NAN)
    };
    let figure = |which: usize| format!("{:.1} ({:.1})", at(which, 50), at(which, 90));
    let ratio = |ours: usize, theirs: usize| format!("{:.2}", at(ours, 50) / at(theirs, 50));
    println!(
        "{size:>8} {:>16} {:>16} {:>16} {:>7} {:>7} | {:>16} {:>16} {:>16} {:>7} {:>7}",
        figure(0),
        figure(1),
        figure(2),
        ratio(0, 1),
        ratio(0, 2),
        figure(3),
        figure(4),
        figure(5),
        ratio(3, 4),
        ratio(3, 5)
    );
}

//! One look on pages of up to a million elements: how long it takes, and what it says was left out.

use crate::edge::Pages;
use crate::ours::Ours;
use crate::pages::{grid, mixed, rows};

/// What a page is called, and what makes one of so many elements.
type Kind = (&'static str, fn(usize) -> String);

pub(crate) async fn measure(turns: usize, elements_max: usize) -> std::io::Result<()> {
    let kinds: [Kind; 3] = [("mixed", mixed), ("card grid", grid), ("one table", rows)];
    let sizes = [2_000, 20_000, 100_000, 1_000_000];
    println!(
        "{:<10} {:>9} {:>8} {:>8} {:>8} {:>9} {:>9} {:>9} {:>6}",
        "page", "elements", "min ms", "p50 ms", "max ms", "walked", "listed", "left out", "RSS MB"
    );
    for size in sizes.into_iter().filter(|size| *size <= elements_max) {
        for (name, make) in kinds.iter().filter(|(name, _)| size < 1_000_000 || *name == "mixed") {
            let path = format!("/{size}");
            let pages = Pages::of(vec![(path.clone(), make(size))]);
            let mut ours = Ours::launch(&pages).await?;
            let measured = look_often(&mut ours, &path, turns).await;
            ours.close().await;
            println!("{name:<10} {size:>9} {}", measured?);
        }
    }
    Ok(())
}

async fn look_often(ours: &mut Ours, path: &str, turns: usize) -> std::io::Result<String> {
    ours.open(path).await?;
    let (_, mut seen) = ours.look().await?;
    let first = serde_json::to_string(&seen)?;
    let mut times = Vec::new();
    for _ in 0..turns {
        let (ms, again) = ours.look().await?;
        times.push(ms);
        seen = again;
    }
    if serde_json::to_string(&seen)? != first {
        return Err(std::io::Error::other("the same page was seen otherwise"));
    }
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times.get((times.len() - 1) * share / 100).copied().unwrap_or(f64::NAN);
    Ok(format!(
        "{:>8.1} {:>8.1} {:>8.1} {:>9} {:>9} {:>9} {:>6}",
        at(0),
        at(50),
        at(100),
        seen.nodes,
        seen.controls.len(),
        seen.omitted,
        ours.memory_mb()
    ))
}

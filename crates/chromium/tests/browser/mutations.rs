//! A page that changes between the check and the event: whatever changes, and whenever, what happens in the page is what was
//! bound, or nothing; and what changes elsewhere stops nobody.

use std::collections::BTreeMap;

use clicket_chromium::Browser;
use clicket_guard::observation::{Control, Observation};
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::{Action, Switch};
use serde_json::Value;

use crate::support::{TestEdge, bound, look, open, permit, text_of};

const PAGE: &str = include_str!("mutations.html");

/// What came of one trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    /// Exactly what was bound happened, and it is said.
    Landed,
    /// Nothing happened, and it is said.
    Stopped,
    /// What was bound began, was cut short, and it is said.
    CutShort,
    /// Something else happened.
    Wrong,
    /// What is said is not what happened.
    Missaid,
}

struct Trial {
    came: Came,
    /// Whether the page made its change while the act was under way.
    changed: bool,
    told: String,
}

#[derive(Default)]
struct Table(BTreeMap<(String, Came), u32>);

impl Table {
    fn note(&mut self, kind: &str, came: Came) {
        *self.0.entry((kind.to_owned(), came)).or_default() += 1;
    }

    fn count(&self, kind: &str, came: Came) -> u32 {
        self.0.get(&(kind.to_owned(), came)).copied().unwrap_or_default()
    }

    fn print(&self, kind: &str) {
        let of = |came| self.count(kind, came);
        let all = [Came::Landed, Came::Stopped, Came::CutShort, Came::Wrong, Came::Missaid].map(of);
        eprintln!("{kind:<8} {:>8} {:>8} {:>9} {:>6} {:>8}", all[0], all[1], all[2], all[3], all[4]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_changes_between_check_and_event_gets_what_was_bound_or_nothing_soak() {
    let soak = std::env::var_os("CLICKET_SOAK").is_some();
    let rounds = if soak {
        [("visual", 750), ("dom", 750), ("real", 200), ("benign", 500)]
    } else {
        [("visual", 8), ("dom", 8), ("real", 4), ("benign", 6)]
    };
    let edge = TestEdge::with_page(PAGE).await;
    let Some(mut browser) = open(&edge).await else { return };
    let first: u32 = std::env::var("CLICKET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let (mut table, mut bad) = (Table::default(), Vec::new());
    eprintln!("{:<8} {:>8} {:>8} {:>9} {:>6} {:>8}", "kind", "landed", "stopped", "cut short", "wrong", "missaid");
    for (kind, wanted) in rounds {
        let (mut seed, mut changed) = (first, 0);
        while changed < wanted {
            let trial = try_one(&mut browser, seed, kind).await;
            seed += 1;
            assert!(seed < first + 20 + wanted * 4, "{kind}: hardly any of the changes come about");
            if trial.changed {
                changed += 1;
                table.note(kind, trial.came);
            }
            let fine = match trial.came {
                Came::Landed => true,
                Came::Stopped | Came::CutShort => kind != "benign" && trial.changed,
                Came::Wrong | Came::Missaid => false,
            };
            if !fine {
                eprintln!("{kind} {:?} {}", trial.came, trial.told);
                bad.push((kind, trial.came));
            }
        }
        table.print(kind);
    }
    let wrong = bad.iter().filter(|(_, came)| matches!(came, Came::Wrong | Came::Missaid)).count();
    assert_eq!(wrong, 0);
    let false_stale = bad.len();
    assert!(false_stale * 100 <= usize::try_from(rounds[3].1).unwrap(), "{false_stale} harmless changes stopped the act");
}

async fn try_one(browser: &mut Browser, seed: u32, kind: &str) -> Trial {
    let url = format!("http://page.test/#trial={seed}.{kind}");
    let opened = browser.perform(permit(Action::Navigate { url }), &[]).await;
    let (seen, plan) = until_shown(browser, seed).await;
    let control = bound(wanted(&seen, &plan));
    let action = match plan["act"].as_str().unwrap() {
        "press" => Action::Press { control },
        "toggle" => Action::Toggle { control, to: Switch::On },
        _ => Action::Fill { control, value: text_of("ab") },
    };
    let outcome = browser.perform(permit(action), &[]).await;
    let text = browser.visible_text().await.unwrap();
    let log = text.rfind("{\"n\":").unwrap_or_else(|| panic!("{opened:?} {outcome:?}\n{text}"));
    let log: Value = serde_json::from_str(text[log..].split_inclusive('}').next().unwrap()).unwrap();
    let came = judge(&outcome, &log, plan["act"] == "fill");
    let told = format!("seed {seed} {}: {outcome:?} bound {} effects {}", plan["what"], log["bound"], log["effects"]);
    Trial { came, changed: log["done"] != 0, told }
}

async fn until_shown(browser: &mut Browser, seed: u32) -> (Observation, Value) {
    for _ in 0..100 {
        let seen = look(browser).await;
        if let Ok(plan) = serde_json::from_str::<Value>(seen.title.for_model())
            && plan["n"] == seed
        {
            return (seen, plan);
        }
    }
    panic!("trial {seed} never came up");
}

fn wanted<'o>(seen: &'o Observation, plan: &Value) -> &'o Control {
    let (name, row) = (plan["name"].as_str().unwrap(), plan["row"].as_str().unwrap());
    let found = seen.controls.iter().find(|control| control.name.for_model() == name && control.row.for_model().contains(row));
    found.unwrap_or_else(|| {
        panic!("{plan} among {:?}", seen.controls.iter().map(|c| (c.name.for_model(), c.row.for_model())).collect::<Vec<_>>())
    })
}

fn judge(outcome: &Outcome, log: &Value, fill: bool) -> Came {
    let effects: Vec<&Value> = log["effects"].as_array().unwrap().iter().collect();
    let right = effects.iter().all(|effect| **effect == log["bound"]);
    match outcome {
        _ if !right || (effects.len() > 1 && !fill) => Came::Wrong,
        Outcome::Done { .. } if effects.is_empty() => Came::Missaid,
        Outcome::Done { .. } => Came::Landed,
        _ if effects.is_empty() => Came::Stopped,
        Outcome::NotTaken { .. } => Came::CutShort,
        _ => Came::Missaid,
    }
}

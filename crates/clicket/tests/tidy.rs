//! House rules that a machine can hold us to: arrows between rooms, sizes, opening comments, doors, words.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "all of this program is a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which room may use which; the same table stands in ARCHITECTURE.md.
const ARROWS: [(&str, &[&str]); 10] = [
    ("journal", &[]),
    ("guard", &["journal"]),
    ("egress", &["guard", "journal"]),
    ("chromium", &["guard", "journal"]),
    ("console", &["guard", "journal"]),
    ("systemone", &[]),
    ("reflex", &["systemone"]),
    ("session", &["journal", "guard", "egress", "chromium", "systemone"]),
    ("server", &["session"]),
    ("clicket", &["journal", "guard", "egress", "chromium", "console", "systemone", "reflex", "session", "server"]),
];

/// Calls that open a door, and the only files that may make them.
const DOORS: [(&str, &[&str]); 6] = [
    ("DeskKey::mint(", &["crates/clicket/src/run_command.rs"]),
    (".open_for(", &["crates/chromium/src/fill.rs"]),
    (
        "SystemTime::now(",
        &[
            "crates/session/src/clock.rs",
            "crates/clicket/src/run_command.rs",
            "crates/egress/src/ca.rs",
            "crates/server/src/guard_tools.rs",
        ],
    ),
    ("judge_override(", &["crates/egress/src/judge.rs", "crates/guard/src/address/judge.rs"]),
    ("TcpStream::connect(", &["crates/egress/src/dial.rs"]),
    (
        "rand::",
        &[
            "crates/clicket/src/wiring.rs",
            "crates/clicket/src/run_command.rs",
            "crates/clicket/src/look_commands.rs",
            "crates/clicket/src/login_command.rs",
            "crates/server/src/store.rs",
        ],
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target" && name != ".git") {
                files(&path, extension, found);
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    files(&root().join("crates"), "rs", &mut found);
    found.sort();
    let name = |path: &Path| path.strip_prefix(root()).unwrap().display().to_string();
    found.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

fn is_test(name: &str) -> bool {
    name.contains("_tests.rs")
        || name.contains("/tests/")
        || name.contains("/examples/")
        || name.ends_with("testing.rs")
        || name.ends_with("fixtures.rs")
        || name.ends_with("scratch.rs")
}

#[test]
fn arrows_between_rooms_run_one_way_and_are_the_ones_architecture_lists() {
    let architecture = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for (room, allowed) in ARROWS {
        let manifest: toml::Table =
            toml::from_str(&std::fs::read_to_string(root().join("crates").join(room).join("Cargo.toml")).unwrap()).unwrap();
        let used: BTreeSet<String> = manifest["dependencies"]
            .as_table()
            .unwrap()
            .keys()
            .filter_map(|name| name.strip_prefix("clicket-").map(str::to_owned))
            .collect();
        let allowed: BTreeSet<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        assert!(used.is_subset(&allowed), "{room} uses {:?}", used.difference(&allowed).collect::<Vec<_>>());
        assert!(architecture.contains(&format!("`{room}`")), "ARCHITECTURE.md does not name {room}");
    }
    let rooms: BTreeSet<String> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(rooms, ARROWS.iter().map(|(room, _)| (*room).to_owned()).collect());
}

#[test]
fn files_are_small_enough_to_read() {
    let mut sizes: Vec<(usize, String)> = sources().into_iter().map(|(name, text)| (text.lines().count(), name)).collect();
    sizes.sort();
    let at = |share: usize| &sizes[(sizes.len() - 1) * share / 100];
    assert!(at(50).0 <= 200, "the median file has {} lines", at(50).0);
    assert!(at(95).0 <= 700, "one file in twenty has {} lines and more: {}", at(95).0, at(95).1);
    let largest = sizes.last().unwrap();
    assert!(largest.0 <= 1_000, "{} has {} lines", largest.1, largest.0);
}

#[test]
fn every_module_opens_with_what_it_is_for_and_every_crate_with_what_it_must_never_know() {
    for (name, text) in sources() {
        if name.ends_with("_tests.rs") {
            continue;
        }
        assert!(text.starts_with("//!"), "{name} does not say what it is for");
        if name.ends_with("/src/lib.rs") {
            let opening: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
            assert!(opening.contains("must never"), "{name} does not say what it must never know");
        }
    }
}

#[test]
fn doors_are_opened_only_where_architecture_says() {
    let mut wrong = Vec::new();
    for (name, text) in sources().into_iter().filter(|(name, _)| !is_test(name)) {
        for (call, allowed) in DOORS {
            let used = text.lines().any(|line| line.contains(call) && !line.trim_start().starts_with("//"));
            if used && !allowed.contains(&name.as_str()) {
                wrong.push(format!("{name} calls {call}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_judge_has_no_clock_randomness_environment_or_socket() {
    for (name, text) in sources().into_iter().filter(|(name, _)| name.starts_with("crates/guard/src") && !is_test(name)) {
        for word in ["SystemTime", "Instant", "std::env", "std::net::Tcp", "std::net::Udp", "tokio", "rand::", "std::fs"] {
            let used = text.lines().any(|line| line.contains(word) && !line.trim_start().starts_with("//"));
            assert!(!used, "{name} names {word}");
        }
    }
}

#[test]
fn no_crate_knows_the_demo_shop() {
    let mut words: BTreeMap<String, &str> = BTreeMap::new();
    for product in &clicket_shop::PRODUCTS {
        words.insert(product.name.to_lowercase(), "a product");
    }
    for seed in 0..20 {
        let look = clicket_shop::Look::of(clicket_shop::Front::Second, seed);
        for path in [look.paths.sign_in, look.paths.add, look.paths.remove, look.paths.search, look.paths.order] {
            if path.matches('/').count() > 1 {
                words.insert(path.to_owned(), "a path");
            }
        }
    }
    for (name, text) in sources().into_iter().filter(|(name, _)| !is_test(name)) {
        let lower = text.to_lowercase();
        for (word, kind) in &words {
            assert!(!lower.contains(word.as_str()), "{name} holds {kind} of the demo shop: {word}");
        }
    }
}

#[test]
fn the_nine_files_of_one_action_are_where_architecture_says() {
    let architecture = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = architecture.split("## Following one action").nth(1).expect("ARCHITECTURE.md follows one action");
    let section = section.split("\n## ").next().unwrap();
    let named: Vec<&str> = section.split('`').filter(|text| text.ends_with(".rs")).collect();
    assert!(named.len() >= 9, "{named:?}");
    for file in named {
        assert!(root().join("crates").join(file).is_file(), "ARCHITECTURE.md names {file}, which is not there");
    }
}

#[test]
fn every_known_fault_is_answered_by_a_test_that_exists_or_by_not_yet() {
    let table = std::fs::read_to_string(root().join("docs/known-faults.md")).unwrap();
    let mut tests: Vec<PathBuf> = Vec::new();
    files(&root().join("crates"), "rs", &mut tests);
    let tests: Vec<String> = tests.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ") && !line.contains("shown by")).collect();
    let numbered = rows.iter().filter(|row| row[2..].starts_with(|first: char| first.is_ascii_digit())).count();
    assert!(rows.len() >= 70 && numbered == 42, "{} rows, {numbered} of them reported by users", rows.len());
    for row in rows {
        let (about, shown) = row.trim_end_matches(" |").rsplit_once(" | ").unwrap();
        let named: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty() || about.contains("not yet"), "{row}");
        for name in named {
            assert!(tests.iter().any(|text| text.contains(&format!("fn {name}("))), "there is no test {name}");
        }
    }
}

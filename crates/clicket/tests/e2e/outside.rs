//! Pages that nobody here wrote: TodoMVC builds to do a chore on, MiniWoB pages to find the right control on.
//!
//! `scripts/outside` fetches them. Without them, nothing here passes in silence: it fails, or with `CLICKET_OFFLINE=1` says
//! `NOT CHECKED`. What is known not to work is in a strict list, which also fails when a thing on it starts to work.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use clicket_pages::{Folder, Pages, Tail};
use serde_json::Value;

use crate::support::{clicket, whole_turn};

mod miniwob;
mod todomvc;

/// Browsers at a time: one for each of two cores.
const WORKERS: usize = 4;

/// A served folder of outside pages.
struct Outside {
    _runtime: tokio::runtime::Runtime,
    pages: Pages,
    scratch: tempfile::TempDir,
    _turn: crate::support::Turn,
}

impl Outside {
    /// Serves the named material, or gives `None` after saying loudly that it is not there.
    fn serve(material: &str, tails: Vec<Tail>) -> Option<Outside> {
        let root = fetch(material)?;
        let folder = tails.into_iter().fold(Folder::at(&root).unwrap(), Folder::with);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let pages = runtime.block_on(Pages::start(folder)).unwrap();
        Some(Outside { _runtime: runtime, pages, scratch: tempfile::tempdir().unwrap(), _turn: whole_turn() })
    }

    /// Runs the binary on a page of the folder; the browser reaches the folder's origin and nothing else.
    fn clicket(&self, verb: &str, path: &str, options: &[&str]) -> std::process::Output {
        let origin = self.pages.origin();
        let mut command = clicket();
        command.args([verb, &format!("{origin}{path}"), "--local-origin", &origin, "--reach", "strict", "--json"]).args(options);
        command.output().unwrap()
    }

    fn scratch(&self) -> &Path {
        self.scratch.path()
    }
}

/// Where the material is, fetched when it is not there yet.
pub(crate) fn fetch(material: &str) -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/outside");
    let fetched = Command::new(script).output().unwrap();
    if fetched.status.success() {
        let said = String::from_utf8_lossy(&fetched.stdout).into_owned();
        let place = said.lines().find_map(|line| line.strip_prefix(material)?.strip_prefix(' '));
        return Some(PathBuf::from(place.unwrap_or_else(|| panic!("scripts/outside does not say where {material} is: {said}"))));
    }
    let why = String::from_utf8_lossy(&fetched.stderr).into_owned();
    assert!(
        std::env::var_os("CLICKET_OFFLINE").is_some(),
        "{material} could not be fetched (CLICKET_OFFLINE=1 leaves it out):\n{why}"
    );
    eprintln!("NOT CHECKED: {material}: {}", why.trim());
    None
}

/// Checks every case, a few at a time. `None`: it works; otherwise what is wrong.
pub(crate) fn each<T: Sync>(
    cases: &[T],
    check: impl Fn(&T) -> Option<String> + Sync,
    name: impl Fn(&T) -> &'static str + Sync,
) -> BTreeMap<&'static str, String> {
    let (next, misses) = (Mutex::new(cases.iter()), Mutex::new(BTreeMap::new()));
    let take = || next.lock().unwrap().next();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(case) = take() {
                    if let Some(miss) = check(case) {
                        misses.lock().unwrap().insert(name(case), miss);
                    }
                }
            });
        }
    });
    misses.into_inner().unwrap()
}

/// Prints every miss by name, and fails when they are not exactly the known ones among those that were tried.
pub(crate) fn judge(
    what: &str,
    tried: &BTreeSet<&'static str>,
    misses: &BTreeMap<&'static str, String>,
    known: &[(&'static str, &str)],
) {
    let known: BTreeMap<&str, &str> = known.iter().filter(|(name, _)| tried.contains(name)).copied().collect();
    eprintln!("{what}: {} of {} work", tried.len() - misses.len(), tried.len());
    for (name, miss) in misses {
        let said = known.get(name).map_or_else(|| format!("NEW: {miss}"), |why| format!("known: {why}"));
        eprintln!("  miss {name}: {said}");
    }
    let new: Vec<_> = misses.iter().filter(|(name, _)| !known.contains_key(*name)).collect();
    let works_now: Vec<_> = known.keys().filter(|name| !misses.contains_key(*name)).collect();
    assert!(new.is_empty(), "{what}: these should work: {new:#?}");
    assert!(works_now.is_empty(), "{what}: these work now; take them off the list of known misses: {works_now:?}");
}

/// The document that a run or a look printed, or what it said instead.
pub(crate) fn document(output: &std::process::Output) -> Result<Value, String> {
    let said = || {
        format!(
            "exit {:?}: {} {}",
            output.status.code(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    };
    serde_json::from_slice(&output.stdout).map_err(|_| said())
}

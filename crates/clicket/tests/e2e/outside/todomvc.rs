//! One chore, one goal sentence, on the same app in many frameworks: two todos, one of them done.

use super::{Outside, document, each, judge};

const GOAL: &str = "Add a todo \"Buy milk\", add a todo \"Walk the dog\" and mark \"Buy milk\" as completed";

/// Together they are true only at the end: after one todo the second is missing, after two there are "2 items left".
const PROOF: [&str; 4] = ["--expect-text", "1 item left", "--expect-text", "Walk the dog"];

/// These run in the suite: different ways to listen, to draw and to keep what is typed, and one with shadow roots.
const SUITE: [&str; 8] = ["angularjs", "backbone", "jquery", "knockoutjs", "polymer", "react", "vanillajs", "vue"];

/// All builds that have a page, in the soak.
const SOAK: [&str; 1] = ["x"];

/// Strict: a build on this list that starts to work fails the test.
const KNOWN_MISSES: [(&str, &str); 0] = [];

#[test]
fn one_chore_is_done_on_todo_apps_in_many_frameworks_soak() {
    let Some(outside) = Outside::serve("todomvc", Vec::new()) else { return };
    let builds: Vec<&'static str> = if std::env::var_os("CLICKET_SOAK").is_some() { SOAK.to_vec() } else { SUITE.to_vec() };
    let misses = each(&builds, |build| chore(&outside, build), |build| *build);
    judge("TodoMVC builds on which the chore is done", &builds.iter().copied().collect(), &misses, &KNOWN_MISSES);
}

fn chore(outside: &Outside, build: &str) -> Option<String> {
    let journal = outside.scratch().join(build);
    let limits = ["--goal", GOAL, "--steps", "14", "--time", "90", "--journal", journal.to_str().unwrap()];
    let output = outside.clicket("run", &format!("/examples/{build}/"), &[&limits[..], &PROOF].concat());
    let report = match document(&output) {
        Ok(report) => report,
        Err(said) => return Some(said),
    };
    let steps: Vec<&str> = report["steps"].as_array().into_iter().flatten().filter_map(|step| step["chosen"].as_str()).collect();
    let toggled = steps.iter().any(|step| step.contains("Buy milk") && !step.starts_with("Type"));
    (output.status.code() != Some(0) || !toggled).then(|| format!("exit {:?}: {}: {steps:#?}", output.status.code(), report["because"]))
}

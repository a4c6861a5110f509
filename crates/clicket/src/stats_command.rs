//! `clicket stats`: what the journals say of all runs together.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use clicket_journal::{Record, Tail};
use serde::Serialize;
use serde_json::Value;

use crate::args::StatsArgs;
use crate::failure::Failure;
use crate::journal_command;
use crate::screen::Screen;

/// Everything counted.
#[derive(Debug, Default, Serialize)]
struct Stats {
    runs: u64,
    /// Files that are no journals, or damaged; nothing of them is counted.
    unreadable: u64,
    ends: BTreeMap<String, u64>,
    handed_back: BTreeMap<String, u64>,
    steps: u64,
    own_ms: Spread,
    wall_ms: Spread,
    model_ms: Spread,
    /// Requests by what became of them.
    requests: BTreeMap<String, u64>,
    /// What the gate refused, by why.
    refusals: BTreeMap<String, u64>,
    tickets: u64,
    usd: f64,
}

/// The middle and the upper end of some times, milliseconds.
#[derive(Debug, Default, Serialize)]
struct Spread {
    p50: u64,
    p90: u64,
    #[serde(skip)]
    all: Vec<u64>,
}

impl Spread {
    fn settle(&mut self) {
        self.all.sort_unstable();
        let at = |share: usize| self.all.get(self.all.len().saturating_sub(1) * share / 100).copied().unwrap_or(0);
        (self.p50, self.p90) = (at(50), at(90));
    }
}

pub(crate) fn stats(args: StatsArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    let folder = journal_command::folder(args.journal)?;
    let mut stats = Stats::default();
    for entry in clicket_journal::list(&folder).map_err(Failure::fault)? {
        stats.take(&entry.path);
    }
    for spread in [&mut stats.own_ms, &mut stats.wall_ms, &mut stats.model_ms] {
        spread.settle();
    }
    if args.json {
        screen.out(&serde_json::to_string(&stats).unwrap_or_default());
    } else {
        for line in stats.lines(&folder) {
            screen.out(&line);
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Stats {
    fn take(&mut self, path: &Path) {
        let Ok(read) = clicket_journal::read(path) else {
            self.unreadable += 1;
            return;
        };
        self.runs += 1;
        let mut ended = false;
        for record in &read.records {
            ended |= record.kind == "end";
            self.take_record(record);
        }
        if !ended {
            let how = if matches!(read.tail, Tail::Sealed) { "not started" } else { "cut off or running" };
            add(&mut self.ends, how);
        }
    }

    fn take_record(&mut self, record: &Record) {
        let body = &record.body;
        let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str);
        let number = |name: &str| body.get(name).and_then(Value::as_u64).unwrap_or(0);
        match record.kind.as_str() {
            "step" => {
                self.steps += 1;
                self.own_ms.all.push(number("own_ms"));
                self.wall_ms.all.push(number("wall_ms"));
                self.model_ms.all.push(number("model_ms"));
                self.take_requests(body);
            }
            "requests" => self.take_requests(body),
            "ticket" => self.tickets += 1,
            "refusal" => add(&mut self.refusals, &refused(body)),
            "end" => {
                add(&mut self.ends, text("/end/end").unwrap_or("fault"));
                if let Some(reason) = text("/end/reason/reason") {
                    add(&mut self.handed_back, reason);
                }
                self.usd += body.get("usd").and_then(Value::as_f64).unwrap_or(0.0);
            }
            _ => {}
        }
    }

    fn take_requests(&mut self, body: &Value) {
        for request in body.get("requests").and_then(Value::as_array).into_iter().flatten() {
            add(&mut self.requests, &request.get("outcome").map(named).unwrap_or_default());
        }
    }

    fn lines(&self, folder: &Path) -> Vec<String> {
        let mut lines = vec![format!("{} runs in {}", self.runs, folder.display())];
        if self.unreadable > 0 {
            lines.push(format!("{} files could not be read; `clicket journal verify` says why", self.unreadable));
        }
        table(&mut lines, "how they ended", &self.ends);
        table(&mut lines, "handed back because", &self.handed_back);
        lines.push(format!("{:<26}{}", "steps", self.steps));
        if self.steps > 0 {
            lines.push(format!("    {:<22}{:>8}{:>8}", "ms of a step", "p50", "p90"));
            for (name, spread) in [("Clicket's own", &self.own_ms), ("the model's", &self.model_ms), ("whole", &self.wall_ms)] {
                lines.push(format!("    {name:<22}{:>8}{:>8}", spread.p50, spread.p90));
            }
        }
        table(&mut lines, "requests", &self.requests);
        lines.push(format!("{:<26}{}", "questions to a person", self.tickets));
        table(&mut lines, "refused because", &self.refusals);
        lines.push(format!("{:<26}${:.4}", "spent on models", self.usd));
        lines
    }
}

fn table(lines: &mut Vec<String>, title: &str, counts: &BTreeMap<String, u64>) {
    if counts.is_empty() {
        return;
    }
    lines.push(title.to_owned());
    let mut sorted: Vec<(&String, &u64)> = counts.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    lines.extend(sorted.into_iter().map(|(name, count)| format!("    {count:>6}  {}", journal_command::plain_text(name))));
}

fn add(counts: &mut BTreeMap<String, u64>, name: &str) {
    *counts.entry(name.to_owned()).or_default() += 1;
}

/// Who refused: policy with its first ground, or what became of the approval.
fn refused(body: &Value) -> String {
    match body.pointer("/refusal/refusal").and_then(Value::as_str) {
        Some("policy") | None => {
            let ground = body.pointer("/judgement/reasons").and_then(Value::as_array).and_then(|grounds| grounds.last());
            let ground = ground.and_then(Value::as_str).unwrap_or("policy");
            // Runs and times would make each ground the only one of its kind.
            if ground.starts_with("run ") { "an earlier run sent it and its answer never came".into() } else { ground.to_owned() }
        }
        Some(other) => other.replace('_', " "),
    }
}

/// `passed`, or `refused: reach: not_listed`, from the form in which the journal holds it.
fn named(outcome: &Value) -> String {
    match outcome {
        Value::String(text) => text.clone(),
        Value::Object(members) => members.values().map(named).collect::<Vec<_>>().join(": "),
        Value::Array(items) => items.iter().map(named).collect::<Vec<_>>().join(": "),
        Value::Null | Value::Bool(_) | Value::Number(_) => outcome.to_string(),
    }
}

#[cfg(test)]
#[path = "stats_command_tests.rs"]
mod tests;

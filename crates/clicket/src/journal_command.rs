//! `clicket journal list | show | verify`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clicket_journal::{Entry, EntryState, PublicKey, Record, Severity, SigningKey};
use serde_json::Value;

use crate::args::{JournalArgs, JournalCommand};
use crate::failure::Failure;
use crate::screen::Screen;

pub(crate) fn journal(args: JournalArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    let folder = folder(args.journal)?;
    match args.command {
        JournalCommand::List => list(&folder, screen),
        JournalCommand::Key { journal_key } => {
            screen.out(&signing_key(journal_key)?.public().to_string());
            Ok(ExitCode::SUCCESS)
        }
        JournalCommand::Show { run, json } => show(&find(&folder, &run)?, json, screen),
        JournalCommand::Verify { run: Some(run), head, key } => verify(&[find(&folder, &run)?], &Held { head, key }, screen),
        JournalCommand::Verify { run: None, key, .. } => {
            let all: Vec<PathBuf> = entries(&folder)?.into_iter().map(|entry| entry.path).collect();
            if all.is_empty() {
                screen.out(&format!("no runs in {}", folder.display()));
            }
            verify(&all, &Held { head: None, key }, screen)
        }
    }
}

/// The folder given, or the platform's state directory.
pub(crate) fn folder(given: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    given
        .or_else(|| clicket_journal::default_folder(variable("HOME").as_deref(), variable("XDG_STATE_HOME").as_deref()))
        .ok_or_else(|| Failure::usage("no place for the journal: neither HOME nor XDG_STATE_HOME is set; give --journal DIR"))
}

/// The key that signs this machine's journals, made now if there is none.
pub(crate) fn signing_key(given: Option<PathBuf>) -> Result<SigningKey, Failure> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let path = given
        .or_else(|| clicket_journal::default_key(variable("HOME").as_deref(), variable("XDG_STATE_HOME").as_deref()))
        .ok_or_else(|| {
            Failure::usage("no place for the journal's key: neither HOME nor XDG_STATE_HOME is set; give --journal-key FILE")
        })?;
    SigningKey::open_or_make(&path, crate::wiring::seed()).map_err(Failure::fault)
}

fn entries(folder: &Path) -> Result<Vec<clicket_journal::Entry>, Failure> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    clicket_journal::list(folder).map_err(Failure::fault)
}

fn list(folder: &Path, screen: &Screen) -> Result<ExitCode, Failure> {
    let all = entries(folder)?;
    if all.is_empty() {
        screen.out(&format!("no runs in {}", folder.display()));
    }
    for entry in all {
        let state = match &entry.state {
            EntryState::Sealed { records } => format!("{records} records, sealed"),
            EntryState::Open { records } => format!("{records} records, not sealed: still running, or cut off"),
            EntryState::Torn => "torn in the middle of a record".to_owned(),
            EntryState::Unreadable { why } => format!("unreadable: {why}"),
        };
        screen.out(&format!("{:<34} {:>9} bytes  {state}", name_of(&entry), entry.bytes));
        for request in clicket_session::uncertain_in(&entry.path).unwrap_or_default() {
            screen.out(&format!("    uncertain: {} may have happened; its answer never came", plain_text(&request)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Its run, or the name of a file that has another.
fn name_of(entry: &Entry) -> String {
    let file = || entry.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    entry.run.as_ref().map_or_else(file, ToString::to_string)
}

fn find(folder: &Path, run: &str) -> Result<PathBuf, Failure> {
    let all = entries(folder)?;
    let found = if run == "last" { all.first() } else { all.iter().find(|entry| name_of(entry) == run) };
    found.map(|entry| entry.path.clone()).ok_or_else(|| {
        Failure::usage(format!("no run `{run}` in {}; `clicket journal list` shows what is there", folder.display()))
    })
}

fn show(path: &Path, json: bool, screen: &Screen) -> Result<ExitCode, Failure> {
    let read = clicket_journal::read(path).map_err(Failure::fault)?;
    for record in &read.records {
        if json {
            let line = serde_json::json!({"seq": record.seq, "at": record.at_unix_ms, "kind": record.kind, "body": record.body});
            screen.out(&line.to_string());
        } else if let Some(line) = in_words(record) {
            screen.out(&format!("{:>5}  {line}", record.seq));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One line for a record; nothing for those that only machines read.
fn in_words(record: &Record) -> Option<String> {
    let body = &record.body;
    let text = |path: &str| body.pointer(path).map(plain).unwrap_or_default();
    match record.kind.as_str() {
        "run" => Some(format!("run of {}: {}", text("/start"), text("/goal"))),
        "decision" => Some(format!(
            "saw {} controls, offered {}; chose {}",
            body.pointer("/observation/controls").and_then(Value::as_array).map_or(0, Vec::len),
            body.pointer("/offer/entries").and_then(Value::as_array).map_or(0, Vec::len),
            text("/choice")
        )),
        "intent" => Some(format!("intent {}: {} ({})", text("/intent"), deed(body), text("/judgement/reasons"))),
        "outcome" => Some(format!("outcome of {}: {}", text("/intent"), text("/outcome"))),
        "ticket" => Some(format!("asked: {}", text("/words/title"))),
        "refusal" => Some(format!("refused: {} ({})", deed(body), text("/judgement/reasons"))),
        "requests" => {
            Some(format!("{} requests recorded", body.pointer("/requests").and_then(Value::as_array).map_or(0, Vec::len)))
        }
        "step" => Some(format!(
            "step {}: {} requests, {} ms, {} own",
            text("/number"),
            body.pointer("/requests").and_then(Value::as_array).map_or(0, Vec::len),
            text("/wall_ms"),
            text("/own_ms")
        )),
        "finish" => Some(format!("the model said done; missing: {}", text("/missing"))),
        "end" => Some(format!("end: {}", text("/end"))),
        "sealed" => Some("sealed".to_owned()),
        _ => None,
    }
}

fn deed(body: &Value) -> String {
    match (body.pointer("/deed/method"), body.pointer("/deed/url"), body.pointer("/deed/action"), body.pointer("/deed/control")) {
        (Some(method), Some(url), _, _) => format!("{} {}", plain(method), plain(url)),
        (_, _, Some(action), control) => {
            let verb = action.as_object().and_then(|map| map.keys().next().cloned()).unwrap_or_else(|| plain(action));
            format!("{verb} {}", control.map(plain).unwrap_or_default())
        }
        _ => String::new(),
    }
}

/// A value as text with nothing in it that could move a terminal's cursor.
fn plain(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join("; "),
        Value::Object(map) => map.iter().map(|(key, value)| format!("{key} {}", plain(value))).collect::<Vec<_>>().join(", "),
        Value::Number(number) if number.is_f64() => format!("{:.2}", number.as_f64().unwrap_or_default()),
        other => other.to_string(),
    };
    plain_text(&text)
}

/// Text with nothing in it that could move a terminal's cursor.
pub(crate) fn plain_text(text: &str) -> String {
    clicket_guard::untrusted::clean(text).replace('\n', " ").chars().take(300).collect()
}

/// What somebody kept elsewhere to hold a journal against.
struct Held {
    head: Option<String>,
    key: Option<PublicKey>,
}

fn verify(paths: &[PathBuf], held: &Held, screen: &Screen) -> Result<ExitCode, Failure> {
    let mut holds = true;
    for path in paths {
        let checked = match &held.key {
            Some(key) => clicket_journal::verify_with(path, key),
            None => clicket_journal::verify(path),
        };
        let checked = checked.map_err(Failure::fault)?;
        let sealed = matches!(clicket_journal::read(path).map(|read| read.tail), Ok(clicket_journal::Tail::Sealed));
        let word = match (checked.holds(), sealed) {
            (true, true) => "holds",
            (true, false) => "NOT SEALED, still running or cut off; what is there holds",
            (false, _) => "DOES NOT HOLD",
        };
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        screen.out(&format!("{name}  {word}: {} records, head {}", checked.records, checked.head));
        screen.out(&format!("    {}", signed_in_words(&checked, held)));
        for finding in &checked.findings {
            let severity = match finding.severity {
                Severity::Broken => "broken",
                Severity::Notice => "notice",
            };
            screen.out(&format!("    {severity}: {finding}"));
        }
        holds &= checked.holds() && sealed;
        if let Some(head) = held.head.as_ref().filter(|head| **head != checked.head.to_string()) {
            screen.out(&format!("    broken: its head is not {head}"));
            holds = false;
        }
    }
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn signed_in_words(checked: &clicket_journal::Verification, held: &Held) -> String {
    match (&checked.key, &held.key) {
        (None, _) => "not signed: only the head that the run printed shows a record made anew as a whole".to_owned(),
        (Some(key), Some(_)) => format!("{} of them signed by {key}", checked.signed_records),
        (Some(key), None) => format!(
            "{} of them signed by {key}, the key it names itself; --key PUB holds it against one you know",
            checked.signed_records
        ),
    }
}

//! What the system says of processes: facts that together name one process and no other.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// One process of one boot: its number alone may be given to another later, with its start it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProcessFacts {
    /// Its number.
    pub(crate) pid: u32,
    /// When it started, in clock ticks since the boot.
    pub(crate) start_ticks: u64,
}

/// A line of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Running {
    pub(crate) facts: ProcessFacts,
    pub(crate) group: u32,
    pub(crate) user: u32,
}

/// The id of this boot; empty where the system has none.
pub(crate) fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
}

/// The process with this number, if it is there and not dead already.
pub(crate) fn running(pid: u32) -> Option<Running> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may hold anything; what follows the last one are numbers. See proc_pid_stat(5).
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let dead = matches!(fields.first(), Some(&("Z" | "X")) | None);
    let group = fields.get(2)?.parse().ok()?;
    let start_ticks = fields.get(19)?.parse().ok()?;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let user = status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_whitespace().next()?.parse().ok()?;
    (!dead).then_some(Running { facts: ProcessFacts { pid, start_ticks }, group, user })
}

/// Processes that were given exactly this profile on their command line.
pub(crate) fn with_profile(profile: &Path) -> Vec<Running> {
    let wanted = format!("--user-data-dir={}", profile.display());
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|pid| names(*pid, &wanted)).filter_map(running).collect()
}

/// Chromium's children write their command line anew, as one string with spaces.
fn names(pid: u32, wanted: &str) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let wanted = wanted.as_bytes();
    let ends = |byte: Option<&u8>| matches!(byte, None | Some(0 | b' '));
    line.windows(wanted.len()).enumerate().any(|(at, window)| {
        window == wanted && ends(at.checked_sub(1).and_then(|before| line.get(before))) && ends(line.get(at + wanted.len()))
    })
}

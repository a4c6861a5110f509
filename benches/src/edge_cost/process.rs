//! The parts that run beside, and what the kernel says of their memory.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, anyhow};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// A part of the measurement in a process of its own. It ends when this is dropped.
pub(crate) struct Part {
    child: Child,
    pub(crate) says: Value,
}

/// Memory of a process in KiB.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) now_kib: u64,
    pub(crate) peak_kib: u64,
}

impl Part {
    /// Starts `edge-cost part WORDS` and reads the one line it says when it is ready.
    pub(crate) async fn start(words: &[&str]) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("part")
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child.stdout.take().context("no output")?;
        let mut line = String::new();
        tokio::time::timeout(Duration::from_secs(60), BufReader::new(stdout).read_line(&mut line)).await??;
        let says = serde_json::from_str(&line).with_context(|| format!("the part said {line:?}"))?;
        Ok(Self { child, says })
    }

    pub(crate) fn word(&self, name: &str) -> anyhow::Result<&str> {
        self.says[name].as_str().ok_or_else(|| anyhow!("the part did not say its {name}"))
    }

    pub(crate) fn memory(&self) -> anyhow::Result<Memory> {
        let id = self.child.id().context("the part has ended")?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let value = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().trim_end_matches("kB").trim().parse().ok()
        };
        Ok(Memory { now_kib: value("VmRSS:").context("no VmRSS")?, peak_kib: value("VmHWM:").context("no VmHWM")? })
    }

    /// Processor time used so far, in milliseconds.
    pub(crate) fn processor_ms(&self) -> anyhow::Result<u64> {
        let id = self.child.id().context("the part has ended")?;
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        let after = stat.rsplit_once(')').context("no name")?.1;
        let ticks: u64 = after.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        // A tick is a hundredth of a second on every Linux this is run on.
        Ok(ticks * 10)
    }
}

/// Lives as long as the process that started this one.
pub(crate) async fn until_the_other_side_ends() {
    let _ = tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await;
}

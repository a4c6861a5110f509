//! The peer's side: playwright-core in a Node process, told one thing at a time over its standard input.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::ours::USER;

const SCRIPT: &str = include_str!("../../peer/playwright.mjs");

pub(crate) struct Peer {
    child: Child,
    to: ChildStdin,
    from: Lines<BufReader<ChildStdout>>,
}

impl Peer {
    /// Starts Node with the package in `package`, as the same user that Clicket's browser runs as.
    pub(crate) async fn launch(package: &Path, binary: &Path, arguments: &[String]) -> std::io::Result<Peer> {
        let mut command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", USER, "--", "node"]);
            command
        } else {
            Command::new("node")
        };
        command.args(["--input-type=module", "--eval", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.current_dir("/").spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("node has no pipes"));
        };
        let mut peer = Peer { child, to, from: BufReader::new(from).lines() };
        peer.ask(json!({ "do": "launch", "package": package, "binary": binary, "arguments": arguments })).await?;
        Ok(peer)
    }

    pub(crate) async fn ask(&mut self, what: Value) -> std::io::Result<Value> {
        self.to.write_all(format!("{what}\n").as_bytes()).await?;
        let line = self.from.next_line().await?.ok_or_else(|| std::io::Error::other("node ended"))?;
        let answer: Value = serde_json::from_str(&line)?;
        match answer["error"].as_str() {
            Some(error) => Err(std::io::Error::other(format!("playwright: {error}"))),
            None => Ok(answer),
        }
    }

    pub(crate) async fn timed(&mut self, what: Value) -> std::io::Result<f64> {
        Ok(self.ask(what).await?["ms"].as_f64().unwrap_or_default())
    }

    pub(crate) async fn close(mut self) -> std::io::Result<()> {
        self.ask(json!({ "do": "close" })).await?;
        drop(self.to);
        self.child.wait().await?;
        Ok(())
    }
}

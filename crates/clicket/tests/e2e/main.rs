//! The whole, end to end: the real binary, a real Chromium, real pages, and the shop's own log as the truth.
//!
//! Needs what `scripts/setup` installs. Where Chromium or the browser's user is missing, the browser cases fail with that word:
//! nothing is skipped in silence. `CLICKET_SOAK=1` runs the long counts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "all of this program is a test")]

mod acting;
mod attended;
mod bad_input;
mod chores;
mod downloads;
mod hostile;
mod life;
mod mcp;
mod models;
mod ordinary;
mod outside;
mod page_server;
mod record;
mod redaction;
mod scripted;
mod secrets;
mod sockets;
mod support;
mod tunnels;
mod walls;
mod workers;
mod writes_apart;

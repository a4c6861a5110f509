//! Drives a real Chromium as the unprivileged user `clicket`, behind a small loopback edge of the test's own.
// Helpers of tests are no tests in clippy's eyes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod channels;
mod dialogs;
mod failing;
mod filling;
mod framed;
mod lifetime;
mod looking;
mod mutations;
mod pressing;
mod support;
mod widgets;
mod workers;

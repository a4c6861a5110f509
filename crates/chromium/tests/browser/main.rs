//! Drives a real Chromium as the unprivileged user `clicket`, behind a small loopback edge of the test's own.

mod lifetime;
mod support;

//! The road out, driven over real sockets on loopback.

// The helpers of a test program are public to its own modules and to nobody else.
#![allow(unreachable_pub)]
// What does not hold in a helper fails the test that called it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod blind;
mod bombs;
mod download;
mod h2;
mod h2_origin;
mod hold;
mod hostile;
mod names;
mod pass;
mod sockets;
mod support;
mod two_faces;

//! Ordinary pages, as people meet them on the web, and a server that answers what they ask and remembers it: for tests to
//! do chores on.
//! It must never know what a test expects, listen to anyone but this machine, or hold a line of a page that others wrote.

mod answers;
mod chat;
mod server;

pub use server::{Asked, Ordinary};

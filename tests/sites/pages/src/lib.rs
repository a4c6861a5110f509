//! Serves a folder of pages that nobody here wrote on a loopback port, for tests to work on, with a script added where it is asked for.
//! It must never leave its folder, follow a link out of it, answer anything but a read, or listen to anyone but this machine.

mod folder;
mod server;

pub use folder::{Folder, Tail};
pub use server::Pages;

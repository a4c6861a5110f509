//! The agent's side: Clicket's tools over the Model Context Protocol, on standard input and output.
//! It must never know the desk, a policy or a permit: what an agent's client says of a person is handed on as just that.

mod ask;
mod doors;
mod fault;
mod guard_tools;
mod input;
mod serve;
mod store;
mod tools;

pub use doors::{Doors, Opened, Opening};
pub use fault::{Code, Fault};
pub use serve::{Ended, serve};

//! The only hands: starts a Chromium, looks at one page through it, and touches that page when handed a permit.
//! It must never know why an act was allowed, what a policy or a model is, or which requests the edge lets out.

mod attach;
mod browser;
mod clickable;
mod client;
mod dialog;
mod errors;
mod fill;
mod find;
mod flags;
mod launch;
mod limits;
mod navigate;
mod observe;
mod perform;
mod pipe;
mod press;
mod process;
mod profile;
mod raw;
mod router;
mod screenshot;
mod settle;
mod state;
mod wire;
mod world;

pub use attach::SuppliedFile;
pub use browser::{Browser, CloseReport};
pub use clicket_guard::dialog::DialogKind;
pub use dialog::DialogAsked;
pub use errors::{CallError, GoneWhy, LaunchError, PageError};
pub use find::{FindError, find};
pub use flags::MissingInvariant;
pub use launch::{Headed, LaunchConfig, PageScripts, ProxyRoute, Sandbox};
pub use screenshot::{Hide, PictureError};
pub use settle::{SETTLE_QUIET_MS, Settled, Traffic};
pub use state::BrowserEvent;

//! The only hands: starts a Chromium, looks at one page through it, and touches that page when handed a permit.
//! It must never know why an act was allowed, what a policy or a model is, or which requests the edge lets out.

mod attach;
mod browser;
mod clickable;
mod client;
mod cookies;
mod dialog;
mod errors;
mod facts;
mod fill;
mod find;
mod flags;
mod foreign;
mod frames;
mod handover;
#[cfg(target_os = "linux")]
mod inner;
mod launch;
mod lease;
mod limits;
mod namespace;
mod navigate;
mod observe;
mod perform;
mod pipe;
mod press;
mod process;
mod profile;
mod quarters;
mod raw;
mod reap;
mod router;
mod screenshot;
mod settle;
mod state;
mod store;
#[cfg(target_os = "linux")]
mod unshare;
mod wire;
mod world;

pub use attach::SuppliedFile;
pub use browser::{Browser, CloseReport};
pub use clicket_guard::dialog::DialogKind;
pub use cookies::CookieJar;
pub use dialog::DialogAsked;
pub use errors::{CallError, GoneWhy, LaunchError, PageError};
pub use find::{FindError, find};
pub use flags::MissingInvariant;
pub use handover::Handed;
pub use launch::{Headed, LaunchConfig, PageScripts, PageWatch, ProxyRoute, Sandbox, ServiceWorkers};
pub use lease::LeaseFolder;
pub use quarters::{Confinement, NamespaceWish, Quarters, enter_if_asked};
pub use reap::{LeaseFound, Reaped};
pub use screenshot::{Hide, PictureError};
pub use settle::{SETTLE_QUIET_MS, Settled, Traffic};
pub use state::BrowserEvent;
pub use store::{HeldProfile, ProfileStore, StoreError, StoredProfile};

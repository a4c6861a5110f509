//! A small shop on loopback that a browser chore can be tried on, friendly or hostile, with a log of what truly reached it.
//! It must never know Clicket: it is the world outside, and nothing here may be arranged to suit the guard that visits it.

mod asset;
mod certificate;
mod config;
mod look;
mod markup;
mod page;
mod product;
mod request;
mod route;
mod row;
mod server;
mod store;
mod trick;
mod truth;

#[cfg(test)]
mod plain_client;
#[cfg(test)]
mod shop_tests;

pub use config::{Certificate, Front, Scheme, ShopConfig, SignInBy, Twin};
pub use look::{Adding, Button, Fields, Listing, Look, Paths, SearchPlace, Words};
pub use product::{PRODUCTS, Product};
pub use server::Shop;
pub use trick::{CoverTrick, SubmitTrick, SwapTrigger};
pub use truth::{Effect, LogEntry};

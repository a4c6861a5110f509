//! The judge: what was seen, what may be done, what was chosen, and whether the latch opens.
//! It must never know a socket, a clock, randomness, the environment or a browser.

pub mod address;
pub mod approval;
mod body;
mod card;
pub mod choice;
pub mod dialog;
pub mod download;
pub mod effect;
#[cfg(test)]
mod fixtures;
pub mod follows;
pub mod gate;
mod graphql;
pub mod limits;
pub mod links;
pub mod observation;
pub mod offer;
pub mod outcome;
pub mod permit;
pub mod policy;
mod policy_file;
pub mod reach;
pub mod read_rule;
pub mod redact;
pub mod risk;
pub mod secret;
pub mod shape;
pub mod socket;
pub mod traffic;
pub mod untrusted;
pub mod wall;
pub mod web;
pub mod words;

pub use policy_file::PolicyError;

//! .

pub mod address;
pub mod web;

//! Where the log goes. What is logged holds no page text and no secret: each room logs its own words, names and numbers.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Mutex;

use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::args::LogArgs;
use crate::failure::Failure;

/// Starts the log if one is wanted. Only this house's own rooms are heard: a library may log what it sends.
pub(crate) fn start(args: &LogArgs) -> Result<(), Failure> {
    let Some(place) = &args.log else { return Ok(()) };
    let filter = Targets::new().with_target("clicket", LevelFilter::from_level(args.log_level.level()));
    let line = tracing_subscriber::fmt::layer().with_ansi(false);
    let registry = tracing_subscriber::registry();
    let started = if place.as_os_str() == "-" {
        registry.with(line.with_writer(io::stderr).with_filter(filter)).try_init()
    } else {
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(place)
            .map_err(|error| Failure::usage(format!("--log {}: {error}", place.display())))?;
        registry.with(line.with_writer(Mutex::new(file)).with_filter(filter)).try_init()
    };
    started.map_err(|error| Failure::fault(format!("the log could not be started: {error}")))
}

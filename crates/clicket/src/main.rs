//! The one binary: reads the command line, wires the rooms together and prints.
//! It must never judge, perform or decide anything itself.

mod args;
mod doctor;
mod failure;
mod files;
mod grants;
mod guard_command;
mod journal_command;
mod log;
mod login_command;
mod look_commands;
mod mcp_command;
mod policy_command;
mod profile_command;
mod redact_command;
mod run_command;
mod screen;
mod stats_command;
mod wiring;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Cli, Command};
use failure::Failure;
use screen::Screen;

fn main() -> ExitCode {
    // Before there is a second thread: this process may have been started to become the browser.
    if let Some(code) = clicket_chromium::enter_if_asked() {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            drop(error.print());
            return ExitCode::from(code);
        }
    };
    let screen = Screen::open();
    match dispatch(cli.command, &screen) {
        Ok(code) => code,
        Err(failure) => {
            screen.failure(&failure);
            ExitCode::from(failure.code())
        }
    }
}

fn dispatch(command: Command, screen: &Screen) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(args) => on_runtime(run_command::run(*args, screen)),
        Command::Login(args) => on_runtime(login_command::login(*args, screen)),
        Command::Guard(args) => on_runtime(guard_command::guard(*args, screen)),
        Command::Mcp(args) => on_runtime(mcp_command::mcp(*args, screen)),
        Command::Observe(args) => on_runtime(look_commands::observe(*args, screen)),
        Command::Origins(args) => on_runtime(look_commands::origins(*args, screen)),
        Command::Journal(args) => journal_command::journal(args, screen),
        Command::Profile(args) => profile_command::profile(args, screen),
        Command::Stats(args) => stats_command::stats(args, screen),
        Command::Policy(args) => policy_command::policy(args, screen),
        Command::Redact(args) => redact_command::redact(&args, screen),
        Command::Doctor(args) => on_runtime(doctor::doctor(args, screen)),
        Command::Completions(args) => {
            let mut command = Cli::command();
            // Into memory first: a reader that closes early must not end in a panic.
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut command, "clicket", &mut script);
            screen.out(String::from_utf8_lossy(&script).trim_end());
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn on_runtime(work: impl Future<Output = Result<ExitCode, Failure>>) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::fault(format!("the runtime could not be started: {error}")))?;
    let result = runtime.block_on(work);
    // A read from the terminal may still be pending; it must not keep the process.
    runtime.shutdown_background();
    result
}

//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clicket_journal::PublicKey;

/// A guarded browser for agents: code lists what may be done on a page, a decision model picks one entry, a policy or a
/// person allows it, and the latch opens once.
#[derive(Debug, Parser)]
#[command(name = "clicket", version, about, max_term_width = 100, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Do a chore: open URL and work towards GOAL within limits.
    Run(Box<RunArgs>),
    /// Sign in by hand in a window, and keep the cookies for `run --profile NAME`.
    Login(Box<LoginArgs>),
    /// Follow one link at a time with page scripts off, each allowed by you at this terminal.
    Guard(Box<GuardArgs>),
    /// Serve an agent over the Model Context Protocol on standard input and output.
    Mcp(Box<McpArgs>),
    /// Show the table of controls that a model would be offered on a page.
    Observe(Box<ObserveArgs>),
    /// Open a page once and print which origins it would need listed.
    Origins(Box<OriginsArgs>),
    /// Read and verify the record of runs.
    Journal(JournalArgs),
    /// List and delete named profiles: what logins left, kept between runs.
    Profile(ProfileArgs),
    /// Count runs, ends, times, refusals and cost from the record.
    Stats(StatsArgs),
    /// Check a policy file, or explain what it says of a request or class.
    Policy(PolicyArgs),
    /// Take out of a text what must not reach a model: values, tokens, cards, accounts, mail, phones, the tails of addresses.
    Redact(RedactArgs),
    /// Look for what a run needs on this machine, and say what to do about what is missing.
    Doctor(DoctorArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
}

/// How far the browser may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReachKind {
    /// The start address's site and named ones; pictures, styles, fonts and scripts from public origins.
    Site,
    /// Exactly the start origin and those named with --origin.
    Strict,
}

/// Road and browser.
#[derive(Debug, Args)]
pub(crate) struct BrowserArgs {
    /// How far the browser may reach.
    #[arg(long, value_enum, default_value = "site", help_heading = "Reach")]
    pub(crate) reach: ReachKind,
    /// One more site (registrable domain) that may be opened and written to.
    #[arg(long = "site", value_name = "DOMAIN", help_heading = "Reach")]
    pub(crate) sites: Vec<String>,
    /// One more exact origin that may be opened and written to.
    #[arg(long = "origin", value_name = "ORIGIN", help_heading = "Reach")]
    pub(crate) origins: Vec<String>,
    /// An origin to which pages may open sockets, such as wss://chat.example, to listen: heartbeats and subscriptions leave, anything
    /// else closes the socket.
    #[arg(long = "socket", value_name = "ORIGIN", help_heading = "Reach")]
    pub(crate) sockets: Vec<String>,
    /// An origin on this machine, such as http://localhost:3000; plain HTTP is allowed there.
    #[arg(long = "local-origin", value_name = "ORIGIN", help_heading = "Reach")]
    pub(crate) local_origins: Vec<String>,
    /// Dial ADDR:PORT for the host NAME, whatever DNS says, even on this machine.
    #[arg(long = "dangerously-host-map", value_name = "NAME=ADDR:PORT", value_parser = host_map, help_heading = "Dangerous")]
    pub(crate) host_map: Vec<(String, SocketAddr)>,
    /// An origin to which pages may open sockets and send over them whatever they like: it is counted, and never held or shown.
    #[arg(long = "dangerously-socket-sends", value_name = "ORIGIN", help_heading = "Dangerous")]
    pub(crate) socket_sends: Vec<String>,
    /// Pass connections to this https origin without looking into them, for a site that refuses an inspected one: what is sent
    /// there is neither held nor seen.
    #[arg(long = "dangerously-tunnel", value_name = "ORIGIN", help_heading = "Dangerous")]
    pub(crate) tunnels: Vec<String>,
    /// Trust the certificates that this CA file signs, besides the system's.
    #[arg(long = "dangerously-trust-ca", value_name = "FILE", help_heading = "Dangerous")]
    pub(crate) trust_ca: Vec<PathBuf>,
    /// Run Chromium without its own sandbox.
    #[arg(long = "dangerously-no-sandbox", help_heading = "Dangerous")]
    pub(crate) no_sandbox: bool,
    /// Start the browser without a network namespace of its own even where one can be had.
    #[arg(long = "dangerously-no-namespace", conflicts_with = "require_namespace", help_heading = "Dangerous")]
    pub(crate) no_namespace: bool,
    /// Do not start where the system gives the browser no network namespace of its own.
    #[arg(long, help_heading = "Browser")]
    pub(crate) require_namespace: bool,
    /// Show the browser's window.
    #[arg(long, help_heading = "Browser")]
    pub(crate) headed: bool,
    /// Chromium or Chrome to use.
    #[arg(long, env = "CLICKET_CHROMIUM", value_name = "FILE", help_heading = "Browser")]
    pub(crate) chromium: Option<PathBuf>,
    /// As root: the unprivileged user that the browser runs as.
    #[arg(long, env = "CLICKET_BROWSER_USER", default_value = "clicket", value_name = "NAME", help_heading = "Browser")]
    pub(crate) browser_user: String,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Where to start.
    pub(crate) url: String,
    /// What is wanted, step by step, in plain words: "Sign in, search for X, add X to the basket".
    #[arg(long)]
    pub(crate) goal: String,
    /// A value that may be typed, shown to the model: key=text.
    #[arg(long = "value", value_name = "KEY=TEXT", help_heading = "Values")]
    pub(crate) values: Vec<String>,
    /// A value that may be typed and is shown to nobody: KEY[:text][@ORIGIN]=env:NAME, =file:PATH or =prompt. It is only
    /// typed into password-like fields (with :text into any field) of the start origin (or of ORIGIN).
    #[arg(long = "secret", value_name = "KEY=SOURCE", help_heading = "Values")]
    pub(crate) secrets: Vec<String>,
    /// A file that may be attached to a file field, shown to the model by its key and name: key=PATH.
    #[arg(long = "file", value_name = "KEY=PATH", help_heading = "Values")]
    pub(crate) files: Vec<String>,
    /// The address must contain this at the end and not at the start.
    #[arg(long, value_name = "PART", help_heading = "Proof")]
    pub(crate) expect_url: Vec<String>,
    /// The page must show this text at the end and not at the start.
    #[arg(long, value_name = "TEXT", help_heading = "Proof")]
    pub(crate) expect_text: Vec<String>,
    /// This request (a method and a path) must have been answered with success, such as "POST /cart".
    #[arg(long, value_name = "REQUEST", help_heading = "Proof")]
    pub(crate) expect_request: Vec<String>,
    /// A file whose name is like this, such as "*.pdf", must have been downloaded whole.
    #[arg(long, value_name = "PATTERN", requires = "downloads", help_heading = "Proof")]
    pub(crate) expect_download: Vec<String>,
    /// Take files that the site offers into this folder; without it, none is taken.
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    pub(crate) downloads: Option<PathBuf>,
    /// Most bytes of one file.
    #[arg(long, default_value_t = 104_857_600, value_parser = clap::value_parser!(u64).range(1..=10_737_418_240), help_heading = "Limits")]
    pub(crate) download_bytes: u64,
    /// A write that may leave for the start origin without asking: a method and an exact path, such as "POST /cart".
    #[arg(long = "allow", value_name = "REQUEST", help_heading = "Limits")]
    pub(crate) allow: Vec<String>,
    /// Files given with --file may be attached on the start origin, and sent there by this request without asking.
    #[arg(long = "allow-upload", value_name = "REQUEST", requires = "files", help_heading = "Limits")]
    pub(crate) allow_upload: Vec<String>,
    /// A dialog that may be accepted without asking when a step on the start origin opens it: its exact text.
    #[arg(long = "accept-dialog", value_name = "TEXT", help_heading = "Limits")]
    pub(crate) accept_dialog: Vec<String>,
    /// A policy file laid over the shipped policy.
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    pub(crate) policy: Option<PathBuf>,
    /// Most steps to take.
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=500), help_heading = "Limits")]
    pub(crate) steps: u32,
    /// Most seconds to take.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400), help_heading = "Limits")]
    pub(crate) time: u64,
    /// Most US dollars to spend on a remote model.
    #[arg(long, default_value_t = 0.25, help_heading = "Limits")]
    pub(crate) money: f64,
    /// Use the cookies that earlier runs with this name left, and keep those of this run; without it, nothing is kept.
    #[arg(long, value_name = "NAME", help_heading = "Browser")]
    pub(crate) profile: Option<String>,
    /// What decides: `reflex` (embedded), or `systemone:URL` with its key in TYPESAFE_API_KEY.
    #[arg(long, default_value = "reflex", value_name = "MODEL")]
    pub(crate) model: String,
    /// Folder of the journal.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) journal: Option<PathBuf>,
    /// The key that signs the journal; made when it is missing. By default `clicket/journal.key` in the state folder.
    #[arg(long, env = "CLICKET_JOURNAL_KEY", value_name = "FILE", help_heading = "Output")]
    pub(crate) journal_key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    /// Save a picture of the last page here, as PNG, with secret fields painted over.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) screenshot: Option<PathBuf>,
    /// Print one JSON document at the end instead of live lines.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

/// What pages in guard mode are opened with.
#[derive(Debug, Args)]
pub(crate) struct GuardedArgs {
    /// What decides: `reflex` (embedded), or `systemone:URL` with its key in TYPESAFE_API_KEY.
    #[arg(long, default_value = "reflex", value_name = "MODEL")]
    pub(crate) model: String,
    /// A policy file laid over the shipped policy.
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    pub(crate) policy: Option<PathBuf>,
    /// Folder of the journal.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) journal: Option<PathBuf>,
    /// The key that signs the journal; made when it is missing. By default `clicket/journal.key` in the state folder.
    #[arg(long, env = "CLICKET_JOURNAL_KEY", value_name = "FILE", help_heading = "Output")]
    pub(crate) journal_key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    /// Where to start.
    pub(crate) url: String,
    /// What is wanted, in plain words.
    #[arg(long)]
    pub(crate) goal: String,
    /// Most links to follow.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Limits")]
    pub(crate) links: u32,
    #[command(flatten)]
    pub(crate) guarded: GuardedArgs,
    #[command(flatten)]
    pub(crate) log: LogArgs,
}

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) guarded: GuardedArgs,
    #[command(flatten)]
    pub(crate) log: LogArgs,
}

/// Whether and where things are logged.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Log to this file, or with `-` to standard error: no page text and no secrets.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) log: Option<PathBuf>,
    /// How much is logged.
    #[arg(long, value_enum, default_value = "info", value_name = "LEVEL", requires = "log", help_heading = "Output")]
    pub(crate) log_level: LogLevel,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// What broke.
    Error,
    /// And what was stopped.
    Warn,
    /// And each step and request.
    Info,
    /// And each call to a model.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    pub(crate) fn level(self) -> tracing::Level {
        match self {
            Self::Error => tracing::Level::ERROR,
            Self::Warn => tracing::Level::WARN,
            Self::Info => tracing::Level::INFO,
            Self::Debug => tracing::Level::DEBUG,
            Self::Trace => tracing::Level::TRACE,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Folder of the journal.
    #[arg(long, value_name = "DIR")]
    pub(crate) journal: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RedactArgs {
    /// The text; standard input when left out or `-`.
    pub(crate) file: Option<PathBuf>,
    /// A file with values to mask besides, one a line; `/dev/fd/N` works too.
    #[arg(long, value_name = "FILE")]
    pub(crate) values: Option<PathBuf>,
    /// Print one JSON document: the text, and how many of each kind were taken out.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LoginArgs {
    /// Where to sign in: an https address. Its site, and what --site and --origin name, are not looked into until you hand back.
    pub(crate) url: String,
    /// Name of the profile that keeps the cookies.
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: String,
    /// Folder of the journal.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) journal: Option<PathBuf>,
    /// The key that signs the journal; made when it is missing. By default `clicket/journal.key` in the state folder.
    #[arg(long, env = "CLICKET_JOURNAL_KEY", value_name = "FILE", help_heading = "Output")]
    pub(crate) journal_key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ObserveArgs {
    /// Page to look at.
    pub(crate) url: String,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
    /// Save a picture of the page here, as PNG.
    #[arg(long, value_name = "FILE")]
    pub(crate) screenshot: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

#[derive(Debug, Args)]
pub(crate) struct OriginsArgs {
    /// Page to open.
    pub(crate) url: String,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

#[derive(Debug, Args)]
pub(crate) struct JournalArgs {
    /// Folder of the journal.
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) journal: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: JournalCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum JournalCommand {
    /// List runs, newest first, with the writes whose end is not known.
    List,
    /// Print the public half of the key that signs this machine's journals; with it anyone can verify them.
    Key {
        /// The key; made when it is missing.
        #[arg(long, env = "CLICKET_JOURNAL_KEY", value_name = "FILE")]
        journal_key: Option<PathBuf>,
    },
    /// Show what happened in a run.
    Show {
        /// Name of the run; `last` for the newest.
        run: String,
        /// Print every record as JSON, one a line.
        #[arg(long)]
        json: bool,
    },
    /// Check that a run's record is whole and unchanged.
    Verify {
        /// Name of the run; `last` for the newest; all runs when left out.
        run: Option<String>,
        /// The head digest that the run printed at its end: finds a record that was made anew as a whole.
        #[arg(long, value_name = "DIGEST", requires = "run")]
        head: Option<String>,
        /// The public key of the machine that wrote it, as `clicket journal key` prints it: finds also what was made anew with
        /// another key. Without it, signatures are held against the key that the record names itself.
        #[arg(long, value_name = "PUB")]
        key: Option<PublicKey>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    pub(crate) command: ProfileCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// List named profiles and the domains that have cookies in them.
    List,
    /// Delete a named profile that no run is using.
    Delete {
        /// Its name.
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Check a policy file: keys, contradictions, examples.
    Check {
        /// The file.
        file: PathBuf,
    },
    /// Print what the policy says of every class, and of one request if given.
    Explain {
        /// A policy file laid over the shipped one.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// A request, such as "POST https://shop.example/cart".
        request: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Also end and remove what killed runs left, as far as it is proven to be theirs; a run does this as it starts.
    #[arg(long)]
    pub(crate) reap: bool,
    /// Chromium or Chrome to use.
    #[arg(long, env = "CLICKET_CHROMIUM", value_name = "FILE")]
    pub(crate) chromium: Option<PathBuf>,
    /// As root: the unprivileged user that the browser runs as.
    #[arg(long, env = "CLICKET_BROWSER_USER", default_value = "clicket", value_name = "NAME")]
    pub(crate) browser_user: String,
    /// Folder of the journal.
    #[arg(long, value_name = "DIR")]
    pub(crate) journal: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

fn host_map(text: &str) -> Result<(String, SocketAddr), String> {
    let wrong = "write it as NAME=ADDR:PORT, such as shop.example=127.0.0.1:8443";
    let (name, address) = text.split_once('=').ok_or(wrong)?;
    let address = address.parse().map_err(|_| wrong)?;
    Ok((name.to_owned(), address))
}

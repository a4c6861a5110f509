//! `clicket-shop`: the shop as a program, for `make run` and for looking at it in a browser.
//! It must never know Clicket; it only says where it listens and what it saw.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program's own lines are what it is started for")]

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use clicket_shop::{Certificate, Front, Scheme, Shop, ShopConfig, SignInBy, Twin};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

/// A small made-up shop on loopback, friendly or hostile, that logs what truly reaches it.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Which of the two shops.
    #[arg(long, value_enum, default_value = "first")]
    front: Front,
    /// Honest, or which trick.
    #[arg(long, value_enum, default_value = "friendly")]
    twin: Twin,
    /// Draws the second shop's look and the variant of the trick.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// A DNS name for the certificate; the first is the shop's own.
    #[arg(long = "name", default_value = "shop.example")]
    names: Vec<String>,
    /// In date, or not.
    #[arg(long, value_enum, default_value = "fresh")]
    certificate: Certificate,
    /// TLS or plain HTTP.
    #[arg(long, value_enum, default_value = "https")]
    scheme: Scheme,
    /// How the sign-in form is sent.
    #[arg(long, value_enum, default_value = "form")]
    sign_in_by: SignInBy,
    /// The account's address.
    #[arg(long, default_value = ShopConfig::EMAIL)]
    email: String,
    /// The account's password.
    #[arg(long, default_value = ShopConfig::PASSWORD)]
    password: String,
    /// Write the authority to trust here, as PEM.
    #[arg(long)]
    ca_out: Option<PathBuf>,
    /// Append every request to this file, one JSON object a line.
    #[arg(long)]
    log: Option<PathBuf>,
    /// Write where it listens, and its paths and words, to this file as JSON once it is open.
    #[arg(long)]
    ready_file: Option<PathBuf>,
    /// Close when standard input does.
    #[arg(long)]
    until_stdin_closes: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("clicket-shop: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> io::Result<()> {
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let shop = Shop::start(config(&arguments)).await?;
    if let Some(path) = &arguments.ca_out {
        whole(path, shop.ca_pem())?;
    }
    if let Some(path) = &arguments.ready_file {
        whole(path, &format!("{:#}\n", ready(&shop)))?;
    }
    println!("listening {}", shop.address());
    io::stdout().flush()?;
    tokio::select! {
        _ = terminated.recv() => {}
        _ = interrupted.recv() => {}
        () = stdin_closes(), if arguments.until_stdin_closes => {}
    }
    shop.stop().await;
    Ok(())
}

fn config(arguments: &Arguments) -> ShopConfig {
    ShopConfig {
        front: arguments.front,
        twin: arguments.twin,
        seed: arguments.seed,
        listen: arguments.listen,
        names: arguments.names.clone(),
        certificate: arguments.certificate,
        scheme: arguments.scheme,
        sign_in_by: arguments.sign_in_by,
        email: arguments.email.clone(),
        password: arguments.password.clone(),
        log_file: arguments.log.clone(),
    }
}

/// Written beside and renamed, so that a reader who waits for the file never sees half of it.
fn whole(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    std::fs::write(&beside, text)?;
    std::fs::rename(&beside, path)
}

fn ready(shop: &Shop) -> serde_json::Value {
    let paths = &shop.look().paths;
    json!({
        "address": shop.address().to_string(),
        "url": shop.url(),
        "goal": ShopConfig::GOAL,
        "email": shop.config().email,
        "sign_in": format!("POST {}", paths.sign_in),
        "add": format!("POST {}", paths.add),
        "added_text": shop.look().added_text(ShopConfig::WANTED),
    })
}

/// Standard input is read on a thread of its own, because a read that waits cannot be taken back.
async fn stdin_closes() {
    let (closed, wait) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let _ = closed.send(());
    });
    let _ = wait.await;
}

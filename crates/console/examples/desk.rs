//! Puts one ticket on the terminal desk and says on standard output what came back: a way to see the desk by hand, and
//! the program that its tests drive on a pseudo-terminal. `WAIT_MS` (5000) is how long it asks, and
//! `GIVE_UP_MS` after how long the asker walks away (never).

use std::error::Error;
use std::io::Write as _;
use std::time::Duration;

use clicket_console::TerminalDesk;
use clicket_guard::approval::{Answered, Approver as _, DeskKey, Moment, Ticket};
use clicket_guard::effect::RequestImage;
use clicket_guard::gate::{Admission, Effect, admit_effect};
use clicket_guard::policy::Policy;
use clicket_guard::risk;
use clicket_guard::secret::Scrubber;
use clicket_journal::{Journal, RunId};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let desk = match TerminalDesk::open(DeskKey::mint()) {
        Ok(desk) => desk,
        Err(error) => return Ok(writeln!(out, "{error}")?),
    };
    let wait_ms = std::env::var("WAIT_MS").ok().and_then(|text| text.parse().ok()).unwrap_or(5_000);
    writeln!(out, "{:?}", desk.attendance())?;
    let folder = tempfile::tempdir()?;
    let ticket = ticket(&mut Journal::create(folder.path(), &RunId::new(0, [0; 8]))?)?;
    let give_up_ms = std::env::var("GIVE_UP_MS").ok().and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
    let asking = desk.ask(ticket, Duration::from_millis(wait_ms));
    let answer = match tokio::time::timeout(Duration::from_millis(give_up_ms), asking).await {
        Ok(Answered::By(approval)) => format!("{:?}", approval.decision()),
        Ok(Answered::Nobody) => "Nobody".to_owned(),
        Err(_) => "Withdrawn".to_owned(),
    };
    Ok(writeln!(out, "{answer}")?)
}

fn ticket(journal: &mut Journal) -> Result<Ticket, Box<dyn Error>> {
    let image = RequestImage {
        method: "POST".into(),
        url: "https://shop.example/cart".into(),
        headers: vec![("content-type".into(), "application/x-www-form-urlencoded".into())],
        body: b"product=7&quantity=1".to_vec(),
    };
    let policy = Policy::shipped()?;
    let judgement = policy.judge_request(risk::of_request(&image), &image, clicket_guard::approval::Attendance::Attended);
    let effect = Effect { image, after: None, scrub: Scrubber::default() };
    match admit_effect(journal, Moment { unix_ms: 0, steady_ms: 0 }, effect, judgement)? {
        Admission::Ask(ticket, _pending) => Ok(ticket),
        Admission::Permit(_) | Admission::Refused(_) => Err("the shipped policy asks for a write".into()),
    }
}

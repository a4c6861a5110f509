//! `clicket profile list | delete`, and the profile of a run.

use std::process::ExitCode;

use clicket_chromium::{CookieJar, HeldProfile, ProfileStore, StoreError};
use clicket_session::Keeper;

use crate::args::{ProfileArgs, ProfileCommand};
use crate::failure::Failure;
use crate::journal_command;
use crate::screen::Screen;

pub(crate) fn profile(args: ProfileArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    let store = store()?;
    match args.command {
        ProfileCommand::List => list(&store, screen),
        ProfileCommand::Delete { name } => {
            store.delete(&name).map_err(failure)?;
            screen.out(&format!("the profile {name} is gone; sites may still hold its logins open until they end them"));
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn list(store: &ProfileStore, screen: &Screen) -> Result<ExitCode, Failure> {
    let all = store.list().map_err(failure)?;
    if all.is_empty() {
        screen.out("no profiles; `clicket run --profile NAME` makes one");
    }
    for profile in all {
        let held = profile.held_by.map(|by| format!("  in use by process {by}")).unwrap_or_default();
        let domains = match profile.domains {
            Ok(domains) if domains.is_empty() => "no cookies".to_owned(),
            Ok(domains) => format!("cookies of {}", domains.join(", ")),
            Err(why) => why,
        };
        screen.out(&format!("{:<20} {domains}{held}", profile.name));
    }
    Ok(ExitCode::SUCCESS)
}

/// Beside the journal's default folder: state of this user, private to them.
fn store() -> Result<ProfileStore, Failure> {
    let journal = journal_command::folder(None)
        .map_err(|_| Failure::usage("no place for profiles: neither HOME nor XDG_STATE_HOME is set"))?;
    let folder = journal.parent().map(|state| state.join("profiles"));
    folder.map(ProfileStore::at).ok_or_else(|| Failure::usage("no place for profiles"))
}

/// Takes the profile of a run, if it has one, with the cookies in it.
pub(crate) fn hold(name: Option<&str>) -> Result<(Option<HeldProfile>, CookieJar), Failure> {
    let Some(name) = name else { return Ok((None, CookieJar::default())) };
    let held = store()?.hold(name).map_err(failure)?;
    let cookies = held.cookies().map_err(failure)?;
    Ok((Some(held), cookies))
}

/// Keeps a run's cookies in its profile.
pub(crate) fn keeper(held: Option<HeldProfile>) -> Option<Box<dyn Keeper>> {
    held.map(|held| Box::new(Keeping(held)) as Box<dyn Keeper>)
}

struct Keeping(HeldProfile);

impl Keeper for Keeping {
    fn keep(&self, cookies: &CookieJar) -> Result<(), String> {
        self.0.keep(cookies).map_err(|error| error.to_string())
    }
}

fn failure(error: StoreError) -> Failure {
    match error {
        StoreError::Name { .. } | StoreError::None { .. } => Failure::usage(error),
        StoreError::Held { .. } | StoreError::Open { .. } | StoreError::Unreadable { .. } | StoreError::Io { .. } => {
            Failure::fault(error)
        }
    }
}

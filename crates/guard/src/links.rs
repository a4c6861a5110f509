//! Guard mode: a page without scripts, one link of it at a time, and no request but for the document that was allowed.

use std::collections::HashSet;

use crate::effect::RequestFacts;
use crate::observation::{Control, ControlKind, Observation};
use crate::permit::{Action, Bound};
use crate::reach::{Passage, ReachReason, ReadClass};
use crate::risk::{self, ActionClass};
use crate::web::{RISKY_WORDS, WebUrl};

/// Links that are offered of one page at most.
pub const LINKS_MAX: usize = 80;

/// Words of [`RISKY_WORDS`] as they are written in two.
const RISKY_PAIRS: [&str; 4] = ["log out", "sign out", "log in", "sign in"];

/// Ends of a path behind which there is a file to keep and no page.
const FILE_ENDINGS: [&str; 19] = [
    "zip", "dmg", "pkg", "exe", "msi", "deb", "rpm", "tar", "gz", "7z", "iso", "rar", "jar", "apk", "tgz", "bz2", "xz", "sh",
    "bat",
];

/// Values of `Sec-Fetch-Dest` for what a page without scripts is drawn with.
const PASSIVE: [&str; 3] = ["style", "image", "font"];

/// Why a link is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkRefusal {
    /// It is no link, or leads nowhere.
    NoLink,
    /// It can't be used now.
    Disabled,
    /// It saves a file.
    File,
    /// It opens somewhere else: another window or a frame.
    Target,
    /// Another origin, another scheme, or an address that can't be read.
    Elsewhere,
    /// It carries a query.
    Query,
    /// It leads to another place of this very page.
    SamePage,
    /// Its words or its path promise more than a look.
    Risky,
}

/// Where a link leads, without its fragment, when a look at it is all that following it asks for.
///
/// # Errors
/// Why it is not offered.
pub fn safe_link(seen: &Observation, page: &WebUrl, control: &Control) -> Result<WebUrl, LinkRefusal> {
    if control.kind != ControlKind::Link || control.href.is_empty() {
        return Err(LinkRefusal::NoLink);
    }
    if control.disabled || control.covered_by.is_some() && !control.in_viewport {
        return Err(LinkRefusal::Disabled);
    }
    if control.download {
        return Err(LinkRefusal::File);
    }
    if !matches!(control.target.as_str(), "" | "_self" | "_top" | "_parent") || !control.frame_origin.is_empty() {
        return Err(LinkRefusal::Target);
    }
    let url = page.resolve(&control.href).map_err(|_| LinkRefusal::Elsewhere)?;
    if url.origin() != page.origin() {
        return Err(LinkRefusal::Elsewhere);
    }
    if url.url().query().is_some() {
        return Err(LinkRefusal::Query);
    }
    let url = url.without_fragment();
    if url == page.without_fragment() {
        return Err(LinkRefusal::SamePage);
    }
    let path = url.url().path();
    if has_file_ending(path) {
        return Err(LinkRefusal::File);
    }
    let press = Action::Press { control: Bound { handle: control.handle, meaning: control.meaning } };
    if risk::of_action(seen, &press) != ActionClass::Navigate
        || risk::has_words(path, &RISKY_WORDS)
        || risk::has_words(path, &RISKY_PAIRS)
    {
        return Err(LinkRefusal::Risky);
    }
    Ok(url)
}

fn has_file_ending(path: &str) -> bool {
    let ending = path.rsplit(['/', '.']).next().unwrap_or_default().to_ascii_lowercase();
    path.contains('.') && FILE_ENDINGS.contains(&ending.as_str())
}

/// The page as it was seen, with its safe links for controls: the first of each destination, [`LINKS_MAX`] at most. What was
/// left out is counted.
#[must_use]
pub fn with_links_alone(seen: &Observation, page: &WebUrl) -> Observation {
    let mut known = HashSet::new();
    let mut beyond = 0_u64;
    let mut links = Vec::new();
    for control in &seen.controls {
        let Ok(url) = safe_link(seen, page, control) else { continue };
        if control.name.is_empty() && control.visible_text.is_empty() || !known.insert(url) {
            continue;
        }
        if links.len() < LINKS_MAX { links.push(pressable(control)) } else { beyond += 1 }
    }
    Observation { omitted: seen.omitted.saturating_add(beyond), controls: links, ..seen.clone() }
}

/// A link to be followed and nothing else: what hangs from it needs scripts or a pointer.
fn pressable(control: &Control) -> Control {
    Control { has_menu: false, ..control.clone() }
}

/// Narrows what the rules of reach say to what guard mode lets pass: the document that was allowed, and what it is drawn with.
/// Nothing that a header, a form or markup sets off passes.
#[must_use]
pub fn narrowed(passage: Passage, request: &RequestFacts, allowed: Option<&WebUrl>) -> Passage {
    match passage {
        Passage::Refuse(_) => passage,
        Passage::Pass(ReadClass::Document) if request.method == "GET" && is_allowed(request, allowed) => passage,
        Passage::Pass(ReadClass::Asset | ReadClass::Data)
            if request.method == "GET" && request.purpose.is_none() && is_passive(request) =>
        {
            passage
        }
        Passage::Pass(_) | Passage::Hold(_) | Passage::Socket(_) => Passage::Refuse(ReachReason::NotAllowed),
    }
}

fn is_allowed(request: &RequestFacts, allowed: Option<&WebUrl>) -> bool {
    let asked = WebUrl::read(&request.url).ok();
    asked.is_some_and(|asked| allowed.is_some_and(|allowed| allowed.without_fragment() == asked.without_fragment()))
}

fn is_passive(request: &RequestFacts) -> bool {
    request.dest.as_deref().is_some_and(|dest| PASSIVE.contains(&dest))
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;

//! A person signs in: the browser is theirs while they do, what they send is not looked into, and only the cookies stay.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use clicket_chromium::{Browser, CookieJar};
use clicket_egress::{Edge, EdgeEvent, FileRefusal, HoldRefusal, Outcome, RefuseReason, RequestRecord};
use clicket_guard::reach::Remedy;
use clicket_guard::web::WebUrl;
use clicket_journal::Journal;
use serde_json::json;
use tokio::sync::{Notify, mpsc};

use crate::clock::Clock;
use crate::config::SessionError;
use crate::roads::NOT_ENFORCED;
use crate::run::Keeper;

/// Refused origins that are named; a page that reaches for more has a fault of its own.
const NAMED_MAX: usize = 50;

/// Everything that is wired to a login.
pub struct LoginParts {
    /// The browser, without anything of ours in its page.
    pub browser: Browser,
    /// The road out, with blind tunnels to what is listed.
    pub edge: Edge,
    /// What the edge says.
    pub edge_events: mpsc::Receiver<EdgeEvent>,
    /// Where the person signs in.
    pub start: WebUrl,
    /// Ends when the person hands back (true), or when they won't (false).
    pub handed_back: std::pin::Pin<Box<dyn Future<Output = bool> + Send>>,
    /// Notified when the operator wants it to stop.
    pub stop: Arc<Notify>,
    /// The record.
    pub journal: Journal,
    /// Who keeps the cookies.
    pub keeper: Box<dyn Keeper>,
    /// Seams the operator opened, as printed.
    pub seams: Vec<String>,
}

/// What a login left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginReport {
    /// Why nothing was kept; none: the cookies are in the profile.
    pub not_kept: Option<String>,
    /// Domains that have a cookie.
    pub domains: Vec<String>,
    /// Cookies in all.
    pub cookies: usize,
    /// Origins that were refused and would not have been if they were listed.
    pub refused: Vec<String>,
    /// Blind tunnels that were open.
    pub tunnels: u64,
    /// Requests that were seen after the tunnels were cut or beside them.
    pub seen: u64,
}

/// How the person's time ended.
enum Over {
    HandedBack,
    GivenUp(&'static str),
}

/// Lets a person sign in and keeps the cookies when they hand back. The browser is gone and the journal sealed when this returns.
///
/// # Errors
/// A fault of journal or browser.
pub async fn login(parts: LoginParts) -> Result<LoginReport, SessionError> {
    let LoginParts { browser, edge, edge_events, start, handed_back, stop, mut journal, keeper, seams } = parts;
    let clock = Clock::start();
    let begun = json!({
        "start": start.public_form(), "not_enforced": NOT_ENFORCED, "seams": seams, "confinement": browser.confinement(),
        "browser": browser.version(),
    });
    journal.append(clock.now().unix_ms, "login", &begun)?;
    let handed = browser.hand_over(start.as_str()).await.map_err(|error| SessionError::Browser(error.to_string()))?;
    let mut heard = Heard { events: edge_events, refused: BTreeSet::new(), tunnels: 0, seen: 0 };
    let gone = handed.browser().exited();
    let over = tokio::select! {
        back = handed_back => if back { Over::HandedBack } else { Over::GivenUp("nobody handed it back at the terminal") },
        () = stop.notified() => Over::GivenUp("it was stopped"),
        _ = gone => Over::GivenUp("the browser was closed before it was handed back"),
        () = heard.attend() => Over::GivenUp("the road out is gone"),
    };
    // From here on nothing passes unseen: open tunnels end, and the next connection to the same place is inspected.
    edge.cut_tunnels();
    let cookies = match over {
        Over::HandedBack => handed.browser().cookies().await.map_err(|error| error.to_string()),
        Over::GivenUp(why) => Err(why.to_owned()),
    };
    handed.close().await;
    edge.close().await;
    heard.drain();
    let kept = cookies.and_then(|cookies| keeper.keep(&cookies).map(|()| cookies));
    let report = report(kept, heard);
    let ended = json!({
        "kept": report.not_kept.is_none(), "why_not": report.not_kept, "cookies": report.cookies, "domains": report.domains,
        "refused": report.refused, "tunnels": report.tunnels, "seen": report.seen,
    });
    journal.append(clock.now().unix_ms, "login_end", &ended)?;
    journal.seal(clock.now().unix_ms, "ended")?;
    Ok(report)
}

fn report(kept: Result<CookieJar, String>, heard: Heard) -> LoginReport {
    let Heard { refused, tunnels, seen, .. } = heard;
    let refused = refused.into_iter().collect();
    match kept {
        Ok(cookies) => LoginReport { not_kept: None, domains: cookies.domains(), cookies: cookies.len(), refused, tunnels, seen },
        Err(why) => LoginReport { not_kept: Some(why), domains: Vec::new(), cookies: 0, refused, tunnels, seen },
    }
}

/// What the edge says meanwhile. Nobody is asked: what is held beside the tunnels is refused.
struct Heard {
    events: mpsc::Receiver<EdgeEvent>,
    refused: BTreeSet<String>,
    tunnels: u64,
    seen: u64,
}

impl Heard {
    async fn attend(&mut self) {
        while let Some(event) = self.events.recv().await {
            self.take(event);
        }
    }

    fn drain(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            self.take(event);
        }
    }

    fn take(&mut self, event: EdgeEvent) {
        match event {
            EdgeEvent::Held(held) => held.refuse(HoldRefusal::Unattended),
            EdgeEvent::Offered(file) => file.refuse(FileRefusal::Policy),
            EdgeEvent::Recorded(record) => self.record(&record),
            EdgeEvent::Socket(_) => {}
            EdgeEvent::Tunnel(_) => self.tunnels += 1,
        }
    }

    fn record(&mut self, record: &RequestRecord) {
        if record.outcome != Outcome::Tunnelled {
            self.seen += 1;
        }
        if let Outcome::Refused(RefuseReason::Reach(reason)) = record.outcome
            && reason.remedy() == Remedy::List
            && self.refused.len() < NAMED_MAX
            && let Ok(url) = url::Url::parse(&record.url)
        {
            self.refused.insert(url.origin().ascii_serialization());
        }
    }
}

/// How long a person may take to sign in: to find a telephone with a code, not to go home.
pub const LOGIN_WAIT: Duration = Duration::from_secs(1_800);

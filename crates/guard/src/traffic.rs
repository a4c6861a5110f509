//! What a page sends on its own account: telemetry, which nobody needs, and writes that no action of the run asked for.

use crate::effect::RequestFacts;
use crate::reach::WriteClass;

/// Who asked for a write, as far as code can tell. A page that lies here only makes its own write more strictly judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It came while an action of the run was being done or was settling.
    Action,
    /// It came by itself, or from a page that was only opened.
    Page,
}

/// Ends of a path that say that a request measures: whole segments, since `/collection` sells things.
const MEASURING: [&str; 24] = [
    "analytics",
    "beacon",
    "beacons",
    "client-errors",
    "client-log",
    "client-logs",
    "clientlog",
    "collect",
    "csp-report",
    "csp-reports",
    "error-report",
    "heatmap",
    "jserrors",
    "page-view",
    "pageview",
    "pageviews",
    "perf-metrics",
    "pixel",
    "rum",
    "telemetry",
    "tracking-pixel",
    "vitals",
    "web-vitals",
    "webvitals",
];

/// Whether a held request only tells the site how it is used. Nobody misses its answer, so it is refused without a question; an
/// operator's rule that names it is asked first. A form or navigation is never telemetry.
#[must_use]
pub fn is_telemetry(class: WriteClass, facts: &RequestFacts) -> bool {
    match class {
        WriteClass::Beacon => true,
        WriteClass::Navigation => false,
        WriteClass::Script => url::Url::parse(&facts.url).is_ok_and(|url| measures(url.path())),
    }
}

fn measures(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty()).rev();
    let Some(last) = parts.next() else { return false };
    let numbered = parts.next().is_some_and(|before| before.bytes().all(|byte| byte.is_ascii_digit()));
    // `/api/42/envelope/` is how Sentry's script reports; an envelope elsewhere may be somebody's post.
    MEASURING.iter().any(|word| last.eq_ignore_ascii_case(word)) || (numbered && last == "envelope")
}

/// Who asked for a write: `referer` is the page that sent it, `opened` the pages that were opened since the action began.
#[must_use]
pub fn cause_of(during_action: bool, referer: Option<&str>, opened: &[String]) -> Cause {
    // A new page's own first requests are no answer to the press that led to it.
    let from_new_page = referer.is_some_and(|page| opened.iter().any(|url| url == page));
    if during_action && !from_new_page { Cause::Action } else { Cause::Page }
}

#[cfg(test)]
#[path = "traffic_tests.rs"]
mod tests;

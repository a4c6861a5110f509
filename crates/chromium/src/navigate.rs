//! Opening an address and going back.

use clicket_guard::offer::History;
use clicket_guard::outcome::Outcome;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::browser::Browser;
use crate::errors::PageError;
use crate::limits::{COMMIT_MS, NAVIGATE_MS};
use crate::perform::{Acted, call_failed, done, not_taken};
use crate::state::State;
use crate::wire::Navigated;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Visited {
    current_index: usize,
    entries: Vec<Visit>,
}

#[derive(Deserialize)]
struct Visit {
    id: i64,
    #[serde(default)]
    url: String,
}

impl Browser {
    /// Whether there is an earlier page to go back to; the edge's seed page is none.
    ///
    /// # Errors
    /// The browser did not answer.
    pub async fn history(&self) -> Result<History, PageError> {
        let earlier = self.earlier().await?;
        Ok(if earlier.is_some() { History::HasEarlier } else { History::First })
    }

    /// Opens an address that the operator gave. Returns when the page is about to be shown, or the network says no.
    pub(crate) async fn navigate(&self, url: &str) -> Acted<Outcome> {
        let before = self.shown();
        let call = self.connection.call(Some(&self.session), "Page.navigate", json!({ "url": url }), NAVIGATE_MS);
        let navigated: Navigated = call.await.map_err(|error| call_failed("opening the address", error))?;
        if navigated.error_text.is_none() {
            // The answer comes a little before the page is shown; until then everything would speak to the page before it.
            let changed = |state: &State| (before != (state.navigations, state.within_document)).then_some(());
            let _ = self.router.wait_for(COMMIT_MS, changed).await;
        }
        Ok(match navigated.error_text.as_deref().filter(|text| !text.is_empty()) {
            None => done(),
            Some(text) => not_opened(text),
        })
    }

    fn shown(&self) -> (u64, u64) {
        let state = self.router.state();
        (state.navigations, state.within_document)
    }

    pub(crate) async fn back(&self) -> Acted<Outcome> {
        let earlier = self.earlier().await.map_err(|error| crate::perform::before_input("going back", error))?;
        let Some(entry) = earlier else { return Ok(not_taken("there is no earlier page")) };
        let call = self.page_call::<IgnoredAny>("Page.navigateToHistoryEntry", json!({ "entryId": entry }));
        call.await.map_err(|error| call_failed("going back", error))?;
        Ok(done())
    }

    async fn earlier(&self) -> Result<Option<i64>, PageError> {
        let visited: Visited = self.page_call("Page.getNavigationHistory", json!({})).await?;
        let before = visited.current_index.checked_sub(1).and_then(|index| visited.entries.get(index));
        Ok(before.filter(|visit| visit.url != self.seed_url && visit.url != "about:blank").map(|visit| visit.id))
    }
}

/// Chromium's names of network errors are fixed words; anything else is not repeated.
fn not_opened(error: &str) -> Outcome {
    let known = error
        .strip_prefix("net::")
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'));
    let why = match known {
        Some("ERR_NAME_NOT_RESOLVED") => "the name does not resolve".to_owned(),
        Some("ERR_CONNECTION_REFUSED") => "the server refuses the connection".to_owned(),
        Some("ERR_TIMED_OUT" | "ERR_CONNECTION_TIMED_OUT") => "the server does not answer".to_owned(),
        Some("ERR_ABORTED") => {
            "the browser kept the page it has (a download, an empty answer, or the page asked to stay)".to_owned()
        }
        Some(
            "ERR_TUNNEL_CONNECTION_FAILED"
            | "ERR_EMPTY_RESPONSE"
            | "ERR_CONNECTION_CLOSED"
            | "ERR_CONNECTION_RESET"
            | "ERR_PROXY_CONNECTION_FAILED",
        ) => "the edge did not let it through, or the server hung up".to_owned(),
        Some(name) if name.starts_with("ERR_CERT") => format!("the server's certificate is not accepted ({name})"),
        Some(name) => format!("the network says {name}"),
        None => "the browser gave no known reason".to_owned(),
    };
    Outcome::Failed { why }
}

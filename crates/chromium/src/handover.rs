//! Hands the window to a person who signs in. DevTools lets go of every page: no script of ours is in the page that they use, nothing
//! of it is observed, and all that is left is one connection to the browser, which reads the cookies when they are done.

use serde::de::IgnoredAny;
use serde_json::json;

use crate::browser::Browser;
use crate::errors::CallError;
use crate::limits::CALL_MS;
use crate::wire::TargetCreated;

/// A browser that a person uses. It can be asked for its cookies and closed; nothing else, because there is no session to a page.
///
/// Invariant: no command goes to a page from here (`a_person_signs_in_where_nothing_of_ours_is_in_the_page`).
pub struct Handed {
    browser: Browser,
}

impl Browser {
    /// Opens `url` in a tab that DevTools is never attached to, and closes the one that it was. Pages that open from there are the
    /// person's own, popups included.
    ///
    /// # Errors
    /// When the browser does not answer.
    pub async fn hand_over(self, url: &str) -> Result<Handed, CallError> {
        let context = self.router.state().context.clone();
        let old = self.router.state().target.clone();
        let never = json!({ "autoAttach": false, "waitForDebuggerOnStart": false, "flatten": true });
        self.page_call::<IgnoredAny>("Target.setAutoAttach", never.clone()).await?;
        self.connection.call::<IgnoredAny>(None, "Target.setAutoAttach", never, CALL_MS).await?;
        let tab = json!({ "url": url, "browserContextId": context });
        let _: TargetCreated = self.connection.call(None, "Target.createTarget", tab, CALL_MS).await?;
        if let Some(old) = old {
            self.connection.call::<IgnoredAny>(None, "Target.closeTarget", json!({ "targetId": old }), CALL_MS).await?;
        }
        Ok(Handed { browser: self })
    }
}

impl Handed {
    /// The browser, for its cookies, its end and its close.
    #[must_use]
    pub const fn browser(&self) -> &Browser {
        &self.browser
    }

    /// Ends the browser and removes its profile.
    pub async fn close(self) {
        self.browser.close().await;
    }
}

//! Cookies that outlive a browser: taken out of its private context at the end, put into the next one's at its start.
//!
//! A context that holds no profile on disk keeps every launch invariant; a profile that the browser keeps itself would need its
//! default context, whose only proxy is a dead port.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::browser::Browser;
use crate::errors::CallError;
use crate::limits::{CALL_MS, COOKIES_MAX};

/// The cookies of one private context. Whoever holds them is signed in where they are; they are never printed.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CookieJar(Vec<Map<String, Value>>);

impl fmt::Debug for CookieJar {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "CookieJar({})", self.0.len())
    }
}

impl CookieJar {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Domains that have one, in order, each once.
    #[must_use]
    pub fn domains(&self) -> Vec<String> {
        let named = self.0.iter().filter_map(|cookie| cookie.get("domain")?.as_str());
        let mut domains: Vec<String> = named.map(|domain| domain.trim_start_matches('.').to_owned()).collect();
        domains.sort();
        domains.dedup();
        domains
    }

    /// Each as a context takes it.
    pub(crate) fn to_set(&self) -> Vec<Value> {
        self.0.iter().take(COOKIES_MAX).map(as_set).collect()
    }
}

/// Facts that are given on as they were read.
const SAME: [&str; 9] = ["name", "value", "path", "secure", "httpOnly", "sameSite", "priority", "sourceScheme", "partitionKey"];

/// A cookie of one host is set by an address and one of a domain by the domain, or it would become the other kind.
fn as_set(cookie: &Map<String, Value>) -> Value {
    let mut set: Map<String, Value> =
        SAME.iter().filter_map(|name| Some(((*name).to_owned(), cookie.get(*name)?.clone()))).collect();
    let domain = cookie.get("domain").and_then(Value::as_str).unwrap_or_default();
    let secure = cookie.get("secure") == Some(&json!(true)) || cookie.get("sourceScheme") == Some(&json!("Secure"));
    let scheme = if secure { "https" } else { "http" };
    set.insert("url".to_owned(), json!(format!("{scheme}://{}/", domain.trim_start_matches('.'))));
    if domain.starts_with('.') {
        set.insert("domain".to_owned(), json!(domain));
    }
    // One of a session has no end; it is kept all the same, since most logins are of that kind.
    if let Some(end) = cookie.get("expires").and_then(Value::as_f64).filter(|end| *end > 0.0) {
        set.insert("expires".to_owned(), json!(end));
    }
    Value::Object(set)
}

#[derive(Deserialize)]
struct Read {
    cookies: CookieJar,
}

impl Browser {
    /// The cookies of the private context, at most 1,000.
    ///
    /// # Errors
    /// When the browser does not answer.
    pub async fn cookies(&self) -> Result<CookieJar, CallError> {
        let context = self.router.state().context.clone();
        let read: Read =
            self.connection.call(None, "Storage.getCookies", json!({ "browserContextId": context }), CALL_MS).await?;
        let mut jar = read.cookies;
        jar.0.truncate(COOKIES_MAX);
        Ok(jar)
    }
}

#[cfg(test)]
#[path = "cookies_tests.rs"]
mod tests;

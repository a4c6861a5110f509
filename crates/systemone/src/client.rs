//! A model asked over HTTP.

use std::sync::Arc;
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use rustls::crypto::ring::default_provider;
use serde::Serialize;
use serde_json::Value;

use crate::checks::{AnswerFault, check_envelope};
use crate::decider::{DecideError, DecideFuture, Decider, Locality, RequestFault, check_request};
use crate::endpoint::{ApiKey, Base, ConfigFault, check_model_name};
use crate::refusal;
use crate::wire::{Question, Request, Response};

/// Longest answer read. 255 options of a few hundred bytes, six questions, with room to spare.
pub const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Longest error body read.
const ERROR_BYTES_MAX: usize = 16 << 10;
/// Longest request sent; above this the service refuses by tokens anyway.
const REQUEST_BYTES_MAX: usize = 4 << 20;
/// Tries after the first, as the vendor's SDK does. Requests are pure reads, so repeating one is safe.
const RETRIES_MAX: u32 = 2;
/// First pause between tries; doubles each time.
const PAUSE_MS: u64 = 500;
/// Longest time one try may take, so that a silent server leaves time for another.
const ATTEMPT_MS_MAX: u64 = 10_000;

/// A System One server, asked with `POST {base}/v1/systemone`.
#[derive(Debug)]
pub struct HttpDecider {
    http: reqwest::Client,
    base: Base,
    model: String,
    headers: HeaderMap,
    name: String,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    state: &'a Value,
    questions: &'a IndexMap<String, Question>,
}

/// Why one try failed, and whether another may help.
struct Failure {
    error: DecideError,
    again: Again,
}

enum Again {
    No,
    AfterPause,
    After(Duration),
}

impl HttpDecider {
    /// A client for `model` at `base`. The vendor's own service needs a key; another may do without.
    ///
    /// Nothing is sent yet. Redirects are not followed and no proxy of the environment is used, so the key goes to `base` alone.
    pub fn new(base: Base, model: &str, key: Option<&ApiKey>) -> Result<Self, ConfigFault> {
        check_model_name(model)?;
        if base.is_vendor() && key.is_none() {
            return Err(ConfigFault::KeyMissing);
        }
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls(&base)?)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .retry(reqwest::retry::never())
            .https_only(base.is_encrypted())
            .user_agent(concat!("clicket/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| ConfigFault::Tls { detail: refusal::reason(&error) })?;
        let name = format!("{model} at {}", base.text());
        Ok(Self { http, headers: headers(key)?, model: model.to_owned(), base, name })
    }

    async fn ask(&self, request: &Request, deadline: Duration) -> Result<Response, DecideError> {
        check_request(request).map_err(|reason| DecideError::NotAsked { reason })?;
        let body = self.body(request)?;
        let start = Instant::now();
        let mut tries = 0;
        loop {
            let left = deadline.saturating_sub(start.elapsed());
            let budget = left.min(Duration::from_millis(ATTEMPT_MS_MAX));
            let failure = match tokio::time::timeout(budget, self.attempt(&body, tries)).await {
                Ok(Ok(response)) => return Ok(response),
                Ok(Err(failure)) => failure,
                Err(_) => Failure { error: self.timed_out(start), again: Again::AfterPause },
            };
            let pause = match failure.again {
                Again::No => return Err(failure.error),
                Again::AfterPause => Duration::from_millis(PAUSE_MS << tries),
                Again::After(pause) => pause,
            };
            if tries == RETRIES_MAX || pause >= deadline.saturating_sub(start.elapsed()) {
                return Err(failure.error);
            }
            tokio::time::sleep(pause).await;
            tries += 1;
        }
    }

    fn body(&self, request: &Request) -> Result<Vec<u8>, DecideError> {
        let body = Body { model: &self.model, state: &request.state, questions: &request.questions };
        let bytes = serde_json::to_vec(&body).unwrap_or_default();
        if bytes.is_empty() || bytes.len() > REQUEST_BYTES_MAX {
            let reason = RequestFault::TooLong { bytes: bytes.len(), limit_bytes: REQUEST_BYTES_MAX };
            return Err(DecideError::NotAsked { reason });
        }
        Ok(bytes)
    }

    async fn attempt(&self, body: &[u8], tries: u32) -> Result<Response, Failure> {
        let mut call = self.http.post(self.base.evaluate_url()).headers(self.headers.clone()).body(body.to_vec());
        if tries > 0 {
            call = call.header("x-typesafe-retry-count", tries.to_string());
        }
        let answer = call.send().await.map_err(|error| self.unreachable(&error))?;
        if answer.status().is_success() {
            let bytes = self.read(answer, ANSWER_BYTES_MAX).await?;
            return self.parse(&bytes).map_err(|error| Failure { error, again: Again::No });
        }
        let status = answer.status().as_u16();
        let hint = refusal::pause_hint(answer.headers());
        // An error body that is too long or breaks off tells nothing, but the status still does.
        let bytes = self.read(answer, ERROR_BYTES_MAX).await.unwrap_or_default();
        Err(self.refused(status, &bytes, hint))
    }

    async fn read(&self, mut answer: reqwest::Response, limit_bytes: usize) -> Result<Vec<u8>, Failure> {
        let too_long = || Failure { error: DecideError::TooLong { host: self.base.host(), limit_bytes }, again: Again::No };
        if answer.content_length().is_some_and(|length| length > limit_bytes as u64) {
            return Err(too_long());
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.unreachable(&error))? {
            if bytes.len() + chunk.len() > limit_bytes {
                return Err(too_long());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    fn parse(&self, bytes: &[u8]) -> Result<Response, DecideError> {
        let response: Response = serde_json::from_slice(bytes)
            .map_err(|error| DecideError::Unreadable { host: self.base.host(), reason: refusal::json_fault(&error) })?;
        check_envelope(&response)?;
        if self.is_pinned() && !response.model.starts_with(&self.model) {
            return Err(AnswerFault::ModelSwapped { asked: self.model.clone() }.into());
        }
        Ok(response)
    }

    /// At the vendor's service a versioned name is a promise; an alias is not, and other servers name models as they like.
    fn is_pinned(&self) -> bool {
        self.base.is_vendor() && !self.model.ends_with("-latest") && !self.model.ends_with("-preview")
    }

    fn refused(&self, status: u16, body: &[u8], hint: Option<Duration>) -> Failure {
        let (host, message) = (self.base.host(), refusal::message(body));
        let again = || hint.map_or(Again::AfterPause, Again::After);
        match status {
            401 | 403 => Failure { error: DecideError::KeyRefused { host, status, message }, again: Again::No },
            429 => Failure { error: DecideError::RateLimited { host, message }, again: again() },
            408 | 500..=599 => Failure { error: DecideError::ServerFault { host, status, message }, again: again() },
            _ => Failure { error: DecideError::RequestRefused { host, status, message }, again: Again::No },
        }
    }

    fn unreachable(&self, error: &reqwest::Error) -> Failure {
        Failure {
            error: DecideError::Unreachable { host: self.base.host(), reason: refusal::reason(error) },
            again: Again::AfterPause,
        }
    }

    fn timed_out(&self, start: Instant) -> DecideError {
        let waited_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        DecideError::TimedOut { host: self.base.host(), waited_ms }
    }
}

impl Decider for HttpDecider {
    fn name(&self) -> &str {
        &self.name
    }

    fn locality(&self) -> Locality {
        Locality::Remote { host: self.base.host() }
    }

    /// Sends the request under this client's own model name, whatever `request.model` says.
    fn decide<'a>(&'a self, request: &'a Request, deadline: Duration) -> DecideFuture<'a> {
        Box::pin(self.ask(request, deadline))
    }
}

fn headers(key: Option<&ApiKey>) -> Result<HeaderMap, ConfigFault> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(key) = key {
        let mut bearer = HeaderValue::from_str(&key.bearer()).map_err(|_| ConfigFault::KeyUnprintable)?;
        bearer.set_sensitive(true);
        headers.insert(AUTHORIZATION, bearer);
    }
    Ok(headers)
}

/// The machine's own trusted roots, with the provider named outright because the process may have no default one.
fn tls(base: &Base) -> Result<rustls::ClientConfig, ConfigFault> {
    let mut roots = rustls::RootCertStore::empty();
    if base.is_encrypted() {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(ConfigFault::NoRoots);
        }
    }
    rustls::ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map(|builder| builder.with_root_certificates(roots).with_no_client_auth())
        .map_err(|error| ConfigFault::Tls { detail: error.to_string() })
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;

//! A model asked over HTTP.

use std::sync::Arc;
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};
use rustls::crypto::ring::default_provider;
use serde::Serialize;
use serde_json::Value;

use crate::breaker::Breaker;
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
/// Bodies from this size are sent compressed, as the vendor's SDK does by default.
const COMPRESS_BYTES_MIN: usize = 1_024;
/// Fast, and four fifths off a page's JSON.
const COMPRESS_LEVEL: i32 = 3;
/// List price of the hosted model, US dollars for a million input tokens; output is free.
const USD_PER_MILLION_TOKENS: f64 = 0.042;
/// Opens the experimental part of the service that a box question needs.
const IMAGES_HEADER: &str = "typesafe-danger-zone-images";
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
    breaker: Breaker,
    packing: Packing,
}

/// Whether bodies may be sent compressed. Only the vendor's service is known to read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Zstd,
    Plain,
}

/// A body as it is sent.
struct Packed {
    bytes: Vec<u8>,
    packing: Packing,
    boxes: bool,
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
        let packing = if base.is_vendor() { Packing::Zstd } else { Packing::Plain };
        Ok(Self { http, headers: headers(key)?, model: model.to_owned(), base, name, breaker: Breaker::default(), packing })
    }

    async fn ask(&self, request: &Request, deadline: Duration) -> Result<Response, DecideError> {
        check_request(request).map_err(|reason| DecideError::NotAsked { reason })?;
        self.check_boxes(request).map_err(|reason| DecideError::NotAsked { reason })?;
        let body = self.packed(request)?;
        let start = Instant::now();
        self.breaker.admit(start).map_err(|resting| DecideError::Resting {
            host: self.base.host(),
            failures: resting.failures,
            wait_ms: millis(resting.wait),
        })?;
        let answered = self.ask_again(&body, start, deadline).await;
        match &answered {
            Err(error) if error.may_pass_later() => self.breaker.failed(Instant::now()),
            Ok(_) | Err(_) => self.breaker.succeeded(),
        }
        answered
    }

    /// Tries until there is an answer, a refusal that is final, or no time left.
    async fn ask_again(&self, body: &Packed, start: Instant, deadline: Duration) -> Result<Response, DecideError> {
        let mut tries = 0;
        loop {
            let left = deadline.saturating_sub(start.elapsed());
            let budget = left.min(Duration::from_millis(ATTEMPT_MS_MAX));
            let failure = match tokio::time::timeout(budget, self.attempt(body, tries)).await {
                Ok(Ok(response)) => {
                    let usage = response.usage;
                    tracing::debug!(model = %self.name, tries = tries + 1, ms = millis(start.elapsed()), tokens = usage.input_tokens, "answered");
                    return Ok(response);
                }
                Ok(Err(failure)) => failure,
                Err(_) => Failure { error: self.timed_out(start), again: Again::AfterPause },
            };
            let pause = match failure.again {
                Again::No => return Err(failure.error),
                Again::AfterPause => jittered(Duration::from_millis(PAUSE_MS << tries), start.elapsed()),
                Again::After(pause) => pause,
            };
            if tries == RETRIES_MAX || pause >= deadline.saturating_sub(start.elapsed()) {
                return Err(failure.error);
            }
            tracing::warn!(error = %failure.error, pause_ms = millis(pause), "the model is asked again");
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

    /// The body, compressed where that is understood and worth it.
    fn packed(&self, request: &Request) -> Result<Packed, DecideError> {
        let plain = self.body(request)?;
        let boxes = request.questions.values().any(Question::is_box);
        if self.packing == Packing::Zstd
            && plain.len() >= COMPRESS_BYTES_MIN
            && let Ok(bytes) = zstd::bulk::compress(&plain, COMPRESS_LEVEL)
        {
            return Ok(Packed { bytes, packing: Packing::Zstd, boxes });
        }
        Ok(Packed { bytes: plain, packing: Packing::Plain, boxes })
    }

    /// The vendor's models take boxes from 1.14 on; what another server's models can do is not known here.
    fn check_boxes(&self, request: &Request) -> Result<(), RequestFault> {
        let asked = request.questions.values().any(Question::is_box);
        if asked && self.base.is_vendor() && !grounds(&self.model) { Err(RequestFault::NoBoxes) } else { Ok(()) }
    }

    async fn attempt(&self, body: &Packed, tries: u32) -> Result<Response, Failure> {
        let mut call = self.http.post(self.base.evaluate_url()).headers(self.headers.clone()).body(body.bytes.clone());
        if body.packing == Packing::Zstd {
            call = call.header(CONTENT_ENCODING, "zstd");
        }
        if body.boxes {
            call = call.header(IMAGES_HEADER, "true");
        }
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
            400 if message.to_lowercase().contains("unknown model") => {
                Failure { error: DecideError::UnknownModel { host, message }, again: Again::No }
            }
            413 => Failure { error: DecideError::TooLarge { host, message }, again: Again::No },
            422 => Failure { error: DecideError::Malformed { host, message }, again: Again::No },
            529 => Failure { error: DecideError::Overloaded { host, message }, again: again() },
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
        DecideError::TimedOut { host: self.base.host(), waited_ms: millis(start.elapsed()) }
    }
}

impl Decider for HttpDecider {
    fn name(&self) -> &str {
        &self.name
    }

    fn locality(&self) -> Locality {
        Locality::Remote { host: self.base.host() }
    }

    fn usd_per_million_tokens(&self) -> f64 {
        USD_PER_MILLION_TOKENS
    }

    /// Sends the request under this client's own model name, whatever `request.model` says.
    fn decide<'a>(&'a self, request: &'a Request, deadline: Duration) -> DecideFuture<'a> {
        Box::pin(self.ask(request, deadline))
    }
}

/// `jev-1.14.0` and later, and the alias for what comes next.
fn grounds(model: &str) -> bool {
    let version = model.strip_prefix("jev-").and_then(|version| version.split_once('.'));
    let minor = |rest: &str| rest.split('.').next().and_then(|minor| minor.parse::<u32>().ok());
    model == "jev-preview" || version.is_some_and(|(major, rest)| major == "1" && minor(rest).is_some_and(|minor| minor >= 14))
}

/// Up to a quarter less, so that clients that were refused together don't come back together. The nanoseconds that a call
/// took are as good as dice here.
fn jittered(pause: Duration, elapsed: Duration) -> Duration {
    pause - pause / 4 * (elapsed.subsec_nanos() % 1_000) / 1_000
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
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

//! A request read whole, within bounds, before anything is decided about it.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;

/// The largest form here is a few hundred bytes.
pub(crate) const BODY_BYTES_MAX: usize = 64 * 1024;
const BODY_WAIT: Duration = Duration::from_secs(10);

/// One request, read.
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) host: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// The fields of a form, in the order sent, repeated names kept.
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// The first value sent under `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl Asked {
    /// Reads the body too. The second part is why it could not be read, if it could not; the request is still worth a log entry.
    pub(crate) async fn read(request: Request<Incoming>) -> (Asked, Option<StatusCode>) {
        let (parts, body) = request.into_parts();
        let read = tokio::time::timeout(BODY_WAIT, Limited::new(body, BODY_BYTES_MAX).collect()).await;
        let (body, refused) = match read {
            Ok(Ok(collected)) => (collected.to_bytes(), None),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
                (Bytes::new(), Some(StatusCode::PAYLOAD_TOO_LARGE))
            }
            Ok(Err(_)) => (Bytes::new(), Some(StatusCode::BAD_REQUEST)),
            Err(_) => (Bytes::new(), Some(StatusCode::REQUEST_TIMEOUT)),
        };
        let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = host.or(parts.uri.authority().map(http::uri::Authority::as_str)).unwrap_or_default().to_ascii_lowercase();
        let asked = Asked {
            method: parts.method,
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().map(str::to_owned),
            host,
            headers: parts.headers,
            body,
        };
        (asked, refused)
    }

    /// Path and query as sent.
    pub(crate) fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The first header of that name, if it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The cookie of that name.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        let cookies = self.headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        cookies.flat_map(|line| line.split(';')).find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
    }

    /// The query as fields.
    pub(crate) fn query(&self) -> Form {
        Form(url::form_urlencoded::parse(self.query.as_deref().unwrap_or_default().as_bytes()).into_owned().collect())
    }

    /// The body as fields: a URL-encoded form, or one flat JSON object. Anything else has no fields.
    pub(crate) fn form(&self) -> Form {
        if !self.is_json() {
            return Form(url::form_urlencoded::parse(&self.body).into_owned().collect());
        }
        let fields = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&self.body).unwrap_or_default();
        let text = |value: serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Form(fields.into_iter().map(|(name, value)| (name, text(value))).collect())
    }

    /// Whether the body says it is JSON, which is how the page's own script speaks.
    pub(crate) fn is_json(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.starts_with("application/json"))
    }
}

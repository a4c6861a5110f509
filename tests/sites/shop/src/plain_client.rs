//! A client for tests that knows HTTP, one cookie and nothing of the page but what a string search finds.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::{LogEntry, Scheme, Shop};

pub(crate) struct PlainClient {
    pub(crate) shop: Shop,
    cookie: Option<String>,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn location(&self) -> &str {
        self.headers.get(header::LOCATION).map_or("", |value| value.to_str().unwrap())
    }

    /// The value of the first hidden field of that name.
    pub(crate) fn hidden(&self, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let from = self.text.find(&start).unwrap_or_else(|| panic!("no field {name} in {}", self.text)) + start.len();
        self.text[from..].split('"').next().unwrap().to_owned()
    }
}

impl PlainClient {
    pub(crate) fn new(shop: Shop) -> PlainClient {
        PlainClient { shop, cookie: None }
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send(Request::get(path), "").await.unwrap()
    }

    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = Request::post(path)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("referer", "https://shop.example/search?q=blue");
        self.send(request, &body).await.unwrap()
    }

    pub(crate) async fn post_json(&mut self, path: &str, token: &str, body: &str) -> Answer {
        let request = Request::post(path).header("content-type", "application/json").header("x-csrf", token);
        self.send(request, body).await.unwrap()
    }

    /// Sends a request with the cookie, keeps the cookie that comes back.
    pub(crate) async fn send(&mut self, request: http::request::Builder, body: &str) -> Result<Answer, String> {
        let mut request = request;
        if !request.headers_ref().unwrap().contains_key(header::HOST) {
            request = request.header(header::HOST, "shop.example");
        }
        if let Some(cookie) = &self.cookie {
            request = request.header(header::COOKIE, format!("other=1; {cookie}"));
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
        let stream = TcpStream::connect(self.shop.address()).await.map_err(|error| error.to_string())?;
        let answer = match self.shop.config().scheme {
            Scheme::Http => exchange(stream, request).await?,
            Scheme::Https => exchange(self.tls(stream).await?, request).await?,
        };
        if let Some(set) = answer.headers.get(header::SET_COOKIE) {
            self.cookie = set.to_str().unwrap().split(';').next().map(str::to_owned);
        }
        Ok(answer)
    }

    pub(crate) async fn tls(&self, stream: TcpStream) -> Result<impl AsyncRead + AsyncWrite + Unpin + use<>, String> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.shop.ca_pem().as_bytes()).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("shop.example").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, stream).await.map_err(|error| error.to_string())
    }

    /// The last request in the log.
    pub(crate) fn last(&self) -> LogEntry {
        self.shop.log().pop().unwrap()
    }
}

async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Answer, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    let driving = tokio::spawn(connection);
    let (parts, body) = sender.send_request(request).await.map_err(|error| error.to_string())?.into_parts();
    let bytes = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
    driving.abort();
    Ok(Answer { status: parts.status, headers: parts.headers, text: String::from_utf8(bytes.to_vec()).unwrap() })
}

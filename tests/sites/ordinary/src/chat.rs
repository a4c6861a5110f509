//! A help desk's chat over a socket (RFC 6455): it greets, answers each message and remembers what it was told.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::server::{Asked, Place};

/// What every server adds to the key of a request (section 1.3).
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Answers a request for the chat, if it is one, and chats.
pub(crate) fn open(place: &Arc<Place>, request: &mut Request<Incoming>) -> Option<Response<Full<Bytes>>> {
    let key = request.headers().get(header::SEC_WEBSOCKET_KEY)?.to_str().ok()?.to_owned();
    let handover = hyper::upgrade::on(request);
    let place = Arc::clone(place);
    tokio::spawn(async move {
        if let Ok(stream) = handover.await {
            drop(chat(&place, TokioIo::new(stream)).await);
        }
    });
    let accept = STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{GUID}").as_bytes()));
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, HeaderValue::from_str(&accept).ok()?);
    Some(response)
}

async fn chat<S: AsyncRead + AsyncWrite + Unpin>(place: &Place, mut stream: S) -> std::io::Result<()> {
    say(&mut stream, "Good afternoon").await?;
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head).await?;
        let [kind, length] = head.map(|byte| byte & 0x7f);
        // A help desk's messages are short; whoever says more is not answered.
        if length > 125 || kind == 0x08 {
            return Ok(());
        }
        let mut key = [0; 4];
        stream.read_exact(&mut key).await?;
        let mut text = vec![0; usize::from(length)];
        stream.read_exact(&mut text).await?;
        text.iter_mut().zip(key.iter().cycle()).for_each(|(byte, key)| *byte ^= key);
        let body = String::from_utf8_lossy(&text).into_owned();
        let asked = Asked {
            elsewhere: false,
            method: "SOCKET".into(),
            path: "/chat".into(),
            query: String::new(),
            body,
            cookie: String::new(),
        };
        place.note(asked);
        say(&mut stream, "Noted, thank you").await?;
    }
}

async fn say<S: AsyncWrite + Unpin>(stream: &mut S, text: &str) -> std::io::Result<()> {
    let length = u8::try_from(text.len()).unwrap_or(0);
    stream.write_all(&[0x81, length]).await?;
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await
}

//! Sockets (RFC 6455): where one may be opened, and which messages of the page's only listen.
//!
//! A message over a socket is no request: nothing names it, and no permit can be asked for each. So a granted socket listens, and
//! what else a page says over it leaves only where the operator switched that promise off by name.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::body;
use crate::graphql;
use crate::web::{Origin, OriginReason};

/// What a page may send over a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sends {
    /// Heartbeats, handshakes and subscriptions; anything else closes the socket and is not sent.
    Listening,
    /// Whatever it likes; messages that do more than listen are counted.
    Everything,
}

/// An origin to which a page may open sockets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketGrant {
    /// The exact origin, spelled with `https` for `wss` and `http` for `ws`.
    pub origin: Origin,
    /// What may be sent.
    pub sends: Sends,
}

impl SocketGrant {
    /// Reads the origin of a socket: `wss://chat.example`, or the same with `https`.
    ///
    /// # Errors
    /// As [`Origin::read`].
    pub fn read(text: &str, sends: Sends) -> Result<Self, OriginReason> {
        Ok(Self { origin: Origin::read(&as_http(text))?, sends })
    }

    /// The origin as a page's script writes it.
    #[must_use]
    pub fn spelled(&self) -> String {
        spelled(&self.origin.to_string())
    }
}

/// An address or origin of a socket as a page's script writes it: `wss` for `https`, `ws` for `http`.
#[must_use]
pub fn spelled(http: &str) -> String {
    http.strip_prefix("http").map_or_else(|| http.to_owned(), |rest| format!("ws{rest}"))
}

fn as_http(socket: &str) -> String {
    socket.strip_prefix("ws").map_or_else(|| socket.to_owned(), |rest| format!("http{rest}"))
}

/// Longest message that is looked into; a subscription is short.
const LISTENING_BYTES_MAX: usize = 16 * 1024;

/// Whole messages that keep a socket open, with the framing of Engine.IO and Socket.IO among them.
const HEARTBEATS: [&str; 13] =
    ["", "ping", "pong", "heartbeat", "keepalive", "\n", "2", "3", "2probe", "3probe", "5", "40", "41"];

/// Members of a message that say what it wants.
const VERBS: [&str; 8] = ["type", "event", "action", "op", "command", "cmd", "method", "kind"];

/// What a message may want that only listens. `pusher:` and `pusher_` before it are one vendor's spelling.
const LISTENS: [&str; 15] = [
    "ping",
    "pong",
    "heartbeat",
    "keepalive",
    "keep_alive",
    "ka",
    "connection_init",
    "connection_terminate",
    "subscribe",
    "unsubscribe",
    "sub",
    "unsub",
    "start",
    "stop",
    "complete",
];

/// Words of listening that say nothing by themselves: what they start must be a GraphQL document that asks.
const STARTS: [&str; 1] = ["start"];

/// Whether a message from the page only listens. Whatever can't be read as that counts as a write: bytes, other texts, other verbs,
/// two verbs, doubled names, a document with a mutation in it.
#[must_use]
pub fn only_listens(text: Option<&str>) -> bool {
    let Some(text) = text.filter(|text| text.len() <= LISTENING_BYTES_MAX) else { return false };
    HEARTBEATS.contains(&text) || body::read_object(text.as_bytes()).is_some_and(|message| wants_to_listen(&message))
}

fn wants_to_listen(message: &Map<String, Value>) -> bool {
    let mut verbs = message.iter().filter(|(name, _)| VERBS.iter().any(|verb| name.eq_ignore_ascii_case(verb)));
    let (Some((_, verb)), None) = (verbs.next(), verbs.next()) else { return false };
    let Some(verb) = verb.as_str().map(str::to_ascii_lowercase) else { return false };
    let verb = verb.strip_prefix("pusher:").unwrap_or(&verb);
    if !LISTENS.contains(&verb) {
        return false;
    }
    let documents = documents_in(message);
    let asks = documents.iter().all(|text| text.as_str().is_some_and(graphql::is_listening_document));
    asks && (!documents.is_empty() || !STARTS.contains(&verb))
}

/// GraphQL documents of a message, as both protocols for it put them.
fn documents_in(message: &Map<String, Value>) -> Vec<&Value> {
    let payload = message.get("payload").and_then(Value::as_object);
    message.get("query").into_iter().chain(payload.and_then(|payload| payload.get("query"))).collect()
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;

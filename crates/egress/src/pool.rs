//! Connections to origins that wait for the next read. A connection stays with the address it was judged for.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clicket_guard::web::Origin;
use http_body_util::Full;
use hyper::client::conn::http1::SendRequest;

use crate::limits::{EdgeLimits, within};
use crate::shared::lock;

/// How long a kept connection may take to be ready again after its last answer was read.
const READY_MS: u64 = 50;

/// One open connection to an origin.
pub(crate) struct OpenConnection {
    pub(crate) sender: SendRequest<Full<Bytes>>,
    pub(crate) address: IpAddr,
}

struct Waiting {
    connection: OpenConnection,
    since: Instant,
}

/// The connections that wait, by origin.
#[derive(Default)]
pub(crate) struct Pool(Mutex<HashMap<Origin, Vec<Waiting>>>);

impl Pool {
    pub(crate) async fn take(&self, origin: &Origin, limits: &EdgeLimits) -> Option<OpenConnection> {
        loop {
            let mut waiting = self.pop(origin)?;
            let fresh = waiting.since.elapsed() < Duration::from_millis(limits.idle_connection_ms);
            let sender = &mut waiting.connection.sender;
            if fresh && !sender.is_closed() && matches!(within(READY_MS, sender.ready()).await, Some(Ok(()))) {
                return Some(waiting.connection);
            }
        }
    }

    pub(crate) fn put(&self, origin: Origin, connection: OpenConnection, limits: &EdgeLimits) {
        if connection.sender.is_closed() {
            return;
        }
        let mut waiting = lock(&self.0);
        let keep = Duration::from_millis(limits.idle_connection_ms);
        waiting.retain(|_, list| {
            list.retain(|one| one.since.elapsed() < keep);
            !list.is_empty()
        });
        if waiting.values().map(Vec::len).sum::<usize>() < limits.idle_connections_max {
            waiting.entry(origin).or_default().push(Waiting { connection, since: Instant::now() });
        }
    }

    fn pop(&self, origin: &Origin) -> Option<Waiting> {
        lock(&self.0).get_mut(origin)?.pop()
    }
}

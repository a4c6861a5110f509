//! Dials what was judged, and nothing else.

use std::net::IpAddr;

use clicket_guard::address::Judged;
use tokio::net::TcpStream;

use crate::limits::{EdgeLimits, within};
use crate::record::FailKind;

/// Connects to the first judged address that accepts.
///
/// Invariant: it takes [`Judged`] addresses only, and each is spent (`a_name_with_two_faces_is_never_dialled`).
pub(crate) async fn dial(judged: Vec<Judged>, limits: &EdgeLimits) -> Result<(TcpStream, IpAddr), FailKind> {
    let mut worst = FailKind::Unreachable;
    for address in judged.into_iter().take(limits.addresses_tried_max) {
        let socket = address.socket();
        match within(limits.connect_ms, TcpStream::connect(socket)).await {
            Some(Ok(stream)) => {
                // Without it a small request waits for the answer to the one before; failing to set it costs only time.
                let _ = stream.set_nodelay(true);
                return Ok((stream, socket.ip()));
            }
            Some(Err(_)) => {}
            None => worst = FailKind::ConnectTimeout,
        }
    }
    Err(worst)
}

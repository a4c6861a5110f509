//! A name server on loopback that says what a test wants, and something else the next time.

// Shared by a unit test and the socket tests, neither of which uses all of it.
#![allow(dead_code, unreachable_pub)]

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use tokio::net::UdpSocket;

/// The name has no address (RFC 1035 section 4.1.1).
pub const NAME_ERROR: u8 = 3;
/// The server failed.
pub const SERVER_FAILURE: u8 = 2;

/// What a name server says; the number counts its answers, so that it may say something else each time.
type Says = dyn Fn(usize) -> Result<Vec<IpAddr>, u8> + Send + Sync;

/// A name server on loopback that answers as it likes.
pub struct TwoFacedResolver {
    pub address: SocketAddr,
    pub questions: Arc<AtomicUsize>,
}

impl TwoFacedResolver {
    pub async fn says(says: impl Fn(usize) -> Result<Vec<IpAddr>, u8> + Send + Sync + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let resolver = Self { address: socket.local_addr().unwrap(), questions: Arc::default() };
        let (questions, says): (_, Arc<Says>) = (Arc::clone(&resolver.questions), Arc::new(says));
        tokio::spawn(async move {
            let mut packet = [0; 1_500];
            while let Ok((read, from)) = socket.recv_from(&mut packet).await {
                let (question, kind) = question_of(&packet[..read]);
                // Both families of one look-up get the same face.
                let number = questions.fetch_add(1, SeqCst) / 2;
                let _ = socket.send_to(&reply(&packet[..2], question, kind, says(number)), from).await;
            }
        });
        resolver
    }
}

fn question_of(packet: &[u8]) -> (&[u8], u16) {
    let name_end = 12 + packet[12..].iter().position(|byte| *byte == 0).unwrap() + 1;
    (&packet[12..name_end + 4], u16::from_be_bytes([packet[name_end], packet[name_end + 1]]))
}

fn reply(id: &[u8], question: &[u8], kind: u16, says: Result<Vec<IpAddr>, u8>) -> Vec<u8> {
    let (code, addresses) = says.map_or_else(|code| (code, Vec::new()), |addresses| (0, addresses));
    let bytes_of = |ip: &IpAddr| match (ip, kind) {
        (IpAddr::V4(ip), 1) => Some(ip.octets().to_vec()),
        (IpAddr::V6(ip), 28) => Some(ip.octets().to_vec()),
        _ => None,
    };
    let records: Vec<Vec<u8>> = addresses.iter().filter_map(bytes_of).collect();
    let mut packet = id.to_vec();
    packet.extend_from_slice(&[0x81, 0x80 | code, 0, 1, 0, u8::try_from(records.len()).unwrap(), 0, 0, 0, 0]);
    packet.extend_from_slice(question);
    for record in records {
        packet.extend_from_slice(&[0xc0, 12]);
        packet.extend_from_slice(&kind.to_be_bytes());
        packet.extend_from_slice(&[0, 1, 0, 0, 0, 0]);
        packet.extend_from_slice(&u16::try_from(record.len()).unwrap().to_be_bytes());
        packet.extend_from_slice(&record);
    }
    packet
}

pub fn ips(list: &[&str]) -> Vec<IpAddr> {
    list.iter().map(|ip| ip.parse().unwrap()).collect()
}

//! Frames of a socket (RFC 6455 section 5), read one by one, whole and bounded. No extension was agreed on, so a frame is what it says.

use tokio::io::{AsyncRead, AsyncReadExt};

/// Who sent a frame: the page masks what it sends (section 5.1), the origin does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    Page,
    Origin,
}

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Continuation,
    Text,
    Binary,
    Control,
}

/// Why a frame was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameFault {
    /// The connection ended between two frames.
    Ended,
    /// It broke off inside one.
    Broken,
    /// It is no frame that may come.
    Malformed,
    /// Its payload is larger than may be.
    TooBig,
}

/// One frame, with its bytes as they came.
pub(crate) struct Frame {
    pub(crate) kind: Kind,
    pub(crate) is_last: bool,
    bytes: Vec<u8>,
    payload_at: usize,
    mask: Option<[u8; 4]>,
}

impl Frame {
    /// The bytes as they came.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The payload in clear.
    pub(crate) fn payload(&self) -> Vec<u8> {
        let masked = self.bytes.get(self.payload_at..).unwrap_or_default();
        match self.mask {
            None => masked.to_vec(),
            Some(key) => masked.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect(),
        }
    }
}

/// Reads the next frame.
pub(crate) async fn read_frame<R: AsyncRead + Unpin>(
    from: &mut R,
    sender: Sender,
    payload_bytes_max: usize,
) -> Result<Frame, FrameFault> {
    let mut bytes = vec![0; 2];
    match from.read(bytes.get_mut(..1).unwrap_or_default()).await {
        Ok(0) => return Err(FrameFault::Ended),
        Ok(_) => {}
        Err(_) => return Err(FrameFault::Broken),
    }
    fill(from, bytes.get_mut(1..).unwrap_or_default()).await?;
    let &[first, second] = bytes.as_slice() else { return Err(FrameFault::Malformed) };
    let (kind, is_last) = (kind_of(first)?, first & 0x80 != 0);
    let length = match second & 0x7f {
        126 => u64::from(u16::from_be_bytes(more(from, &mut bytes).await?)),
        127 => u64::from_be_bytes(more(from, &mut bytes).await?),
        short => u64::from(short),
    };
    if kind == Kind::Control && (!is_last || length > 125) {
        return Err(FrameFault::Malformed);
    }
    let is_masked = second & 0x80 != 0;
    if is_masked != (sender == Sender::Page) {
        return Err(FrameFault::Malformed);
    }
    let mask = if is_masked { Some(more::<4, R>(from, &mut bytes).await?) } else { None };
    let length = usize::try_from(length).ok().filter(|length| *length <= payload_bytes_max).ok_or(FrameFault::TooBig)?;
    let payload_at = bytes.len();
    bytes.resize(payload_at + length, 0);
    fill(from, bytes.get_mut(payload_at..).unwrap_or_default()).await?;
    Ok(Frame { kind, is_last, bytes, payload_at, mask })
}

/// Bits for extensions must be unset: none was agreed on.
fn kind_of(first: u8) -> Result<Kind, FrameFault> {
    match (first & 0x70, first & 0x0f) {
        (0, 0x0) => Ok(Kind::Continuation),
        (0, 0x1) => Ok(Kind::Text),
        (0, 0x2) => Ok(Kind::Binary),
        (0, 0x8..=0xa) => Ok(Kind::Control),
        _ => Err(FrameFault::Malformed),
    }
}

async fn more<const N: usize, R: AsyncRead + Unpin>(from: &mut R, bytes: &mut Vec<u8>) -> Result<[u8; N], FrameFault> {
    let mut piece = [0; N];
    fill(from, &mut piece).await?;
    bytes.extend_from_slice(&piece);
    Ok(piece)
}

async fn fill<R: AsyncRead + Unpin>(from: &mut R, room: &mut [u8]) -> Result<(), FrameFault> {
    from.read_exact(room).await.map(drop).map_err(|_| FrameFault::Broken)
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;

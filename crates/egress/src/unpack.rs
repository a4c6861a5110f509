//! Packed bytes, unpacked as they come. What comes out is bounded by the sink that takes it; what a decoder keeps is bounded here.

use std::io::{self, Write};

use brotli_decompressor::DecompressorWriter;
use flate2::write::MultiGzDecoder;
use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation as _, OutBuffer};

/// Bytes unpacked at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// The largest window that a sender of zstd may count on is 8 MiB (RFC 9659 section 3).
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// The packings read here, as they are asked for. `deflate` is left out: senders do not agree on what it means.
pub(crate) const ASKED_FOR: &str = "gzip, br, zstd";

/// How bytes are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Brotli,
    Zstd,
}

impl Packing {
    /// Reads a `Content-Encoding`. `None` for what is not read here, such as one packing inside another.
    pub(crate) fn of(encoding: Option<&str>) -> Option<Self> {
        match encoding.map(|text| text.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Some(Self::Plain),
            Some("gzip" | "x-gzip") => Some(Self::Gzip),
            Some("br") => Some(Self::Brotli),
            Some("zstd") => Some(Self::Zstd),
            Some(_) => None,
        }
    }
}

/// Takes packed bytes and gives plain ones to a sink.
pub(crate) enum Unpacking<S: Write> {
    Plain(S),
    Gzip(Box<MultiGzDecoder<S>>),
    Brotli(Box<DecompressorWriter<S>>),
    Zstd(Box<Unzstd<S>>),
}

impl<S: Write> Unpacking<S> {
    pub(crate) fn begin(packing: Packing, sink: S) -> io::Result<Self> {
        Ok(match packing {
            Packing::Plain => Self::Plain(sink),
            Packing::Gzip => Self::Gzip(Box::new(MultiGzDecoder::new(sink))),
            // Its window is at most 16 MiB (RFC 7932 section 9.1).
            Packing::Brotli => Self::Brotli(Box::new(DecompressorWriter::new(sink, PIECE_BYTES))),
            Packing::Zstd => Self::Zstd(Box::new(Unzstd::begin(sink)?)),
        })
    }

    pub(crate) fn write_all(&mut self, data: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(sink) => sink.write_all(data),
            Self::Gzip(decoder) => decoder.write_all(data),
            Self::Brotli(decoder) => decoder.write_all(data),
            Self::Zstd(decoder) => decoder.write_all(data),
        }
    }

    /// The sink, when what came was whole.
    pub(crate) fn end(self) -> io::Result<S> {
        match self {
            Self::Plain(sink) => Ok(sink),
            Self::Gzip(decoder) => decoder.finish(),
            Self::Brotli(decoder) => decoder.into_inner().map_err(|_| cut_short()),
            Self::Zstd(decoder) => decoder.end(),
        }
    }
}

fn cut_short() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

/// The library's own writer does not say when the last frame is cut short; this one asks.
pub(crate) struct Unzstd<S> {
    decoder: Decoder<'static>,
    sink: S,
    piece: Vec<u8>,
    between_frames: bool,
}

impl<S: Write> Unzstd<S> {
    fn begin(sink: S) -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX))?;
        Ok(Self { decoder, sink, piece: vec![0; PIECE_BYTES], between_frames: false })
    }

    fn write_all(&mut self, data: &[u8]) -> io::Result<()> {
        let mut packed = InBuffer::around(data);
        loop {
            let mut plain = OutBuffer::around(self.piece.as_mut_slice());
            let wanted = self.decoder.run(&mut packed, &mut plain).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
            let unpacked = plain.pos();
            self.sink.write_all(self.piece.get(..unpacked).unwrap_or_default())?;
            self.between_frames = wanted == 0;
            // A full piece may not be all that there is.
            if packed.pos() == data.len() && unpacked < self.piece.len() {
                return Ok(());
            }
        }
    }

    fn end(self) -> io::Result<S> {
        if self.between_frames { Ok(self.sink) } else { Err(cut_short()) }
    }
}

#[cfg(test)]
#[path = "unpack_tests.rs"]
mod tests;

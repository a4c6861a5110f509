use std::io::{self, Write};

use super::*;

/// Takes so many bytes and no more, as a file does.
struct Bounded {
    taken: Vec<u8>,
    bytes_max: usize,
}

impl Write for Bounded {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.taken.len() + data.len() > self.bytes_max {
            return Err(io::Error::other("full"));
        }
        self.taken.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn pack(packing: Packing, plain: &[u8]) -> Vec<u8> {
    match packing {
        Packing::Plain => plain.to_vec(),
        Packing::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(plain).unwrap();
            encoder.finish().unwrap()
        }
        Packing::Brotli => {
            let mut packed = Vec::new();
            brotli::CompressorWriter::new(&mut packed, 4_096, 5, 22).write_all(plain).unwrap();
            packed
        }
        Packing::Zstd => zstd::encode_all(plain, 3).unwrap(),
    }
}

fn unpack(packing: Packing, packed: &[u8], piece: usize, bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut unpacking = Unpacking::begin(packing, Bounded { taken: Vec::new(), bytes_max })?;
    for piece in packed.chunks(piece) {
        unpacking.write_all(piece)?;
    }
    Ok(unpacking.end()?.taken)
}

const PACKED: [Packing; 3] = [Packing::Gzip, Packing::Brotli, Packing::Zstd];

#[test]
fn every_packing_comes_out_as_it_went_in_however_it_is_cut_up() {
    let plain: Vec<u8> = (0..300_000_u32).flat_map(|n| (n % 7_919).to_le_bytes()).collect();
    for packing in PACKED.into_iter().chain([Packing::Plain]) {
        let packed = pack(packing, &plain);
        for piece in [1_000, 65_536, usize::MAX] {
            assert!(unpack(packing, &packed, piece, usize::MAX).unwrap() == plain, "{packing:?} by {piece}");
        }
        assert_eq!(unpack(packing, &pack(packing, b"short"), 1, usize::MAX).unwrap(), b"short", "{packing:?}");
    }
}

#[test]
fn what_is_cut_short_or_is_no_packing_is_an_error() {
    let plain: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
    for packing in PACKED {
        let packed = pack(packing, &plain);
        for end in [0, 1, 10, packed.len() / 2, packed.len() - 1] {
            assert!(unpack(packing, &packed[..end], 4_096, usize::MAX).is_err(), "{packing:?} cut at {end}");
        }
        assert!(unpack(packing, b"this is not packed at all, whatever it says", 8, usize::MAX).is_err(), "{packing:?}");
        assert!(unpack(packing, &[packed.as_slice(), b"and more"].concat(), 4_096, usize::MAX).is_err(), "{packing:?}");
    }
}

#[test]
fn a_bomb_stops_at_the_bound_of_what_takes_it() {
    let plain = vec![0; 64 * 1024 * 1024];
    for packing in PACKED {
        let packed = pack(packing, &plain);
        assert!(packed.len() < 100_000, "{packing:?}");
        assert!(unpack(packing, &packed, 65_536, 1_000_000).is_err(), "{packing:?}");
    }
}

#[test]
fn a_zstd_window_larger_than_senders_may_use_is_refused() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.window_log(27).unwrap();
    encoder.include_contentsize(false).unwrap();
    encoder.write_all(&vec![7; 100_000]).unwrap();
    assert!(unpack(Packing::Zstd, &encoder.finish().unwrap(), 65_536, usize::MAX).is_err());
}

#[test]
fn one_packing_inside_another_and_unknown_ones_are_not_read() {
    for encoding in ["deflate", "gzip, br", "dcb", "zstd;q=1", "compress"] {
        assert_eq!(Packing::of(Some(encoding)), None, "{encoding}");
    }
    assert_eq!(Packing::of(Some(" BR ")), Some(Packing::Brotli));
}

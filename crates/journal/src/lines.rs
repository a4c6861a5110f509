//! Reads a file line by line without ever holding more than one line of bounded length.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use crate::limits::LINE_BYTES_MAX;

/// Reads lines from a file.
pub(crate) struct Lines {
    reader: BufReader<File>,
    line: u64,
    offset: u64,
}

/// One line, or what stands where a line should be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A line that ends in a newline, which is left out.
    Whole { line: u64, text: Vec<u8> },
    /// A line that is longer than any record; it was skipped, not kept.
    TooLong { line: u64 },
    /// The end of the file, when it doesn't end in a newline. `offset` is where it begins.
    Torn { line: u64, offset: u64, bytes: u64 },
}

impl Lines {
    pub(crate) fn new(file: File) -> Lines {
        Lines { reader: BufReader::with_capacity(64 * 1024, file), line: 0, offset: 0 }
    }

    /// The next piece, or nothing at the end of the file.
    pub(crate) fn next_piece(&mut self) -> io::Result<Option<Piece>> {
        let start = self.offset;
        let mut text = Vec::new();
        let ended = loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let newline = buffer.iter().position(|&byte| byte == b'\n');
            let part = buffer.get(..newline.unwrap_or(buffer.len())).unwrap_or_default();
            let used = part.len() + usize::from(newline.is_some());
            keep_bounded(&mut text, part);
            self.reader.consume(used);
            self.offset += used as u64;
            if newline.is_some() || used == 0 {
                break newline.is_some();
            }
        };
        if self.offset == start {
            return Ok(None);
        }
        self.line += 1;
        let line = self.line;
        Ok(Some(match (ended, text.len() as u64 > LINE_BYTES_MAX) {
            (false, _) => Piece::Torn { line, offset: start, bytes: self.offset - start },
            (true, true) => Piece::TooLong { line },
            (true, false) => Piece::Whole { line, text },
        }))
    }
}

/// Keeps one byte more than a line may have, which is how a line that is too long is told.
fn keep_bounded(text: &mut Vec<u8>, part: &[u8]) {
    let room = usize::try_from(LINE_BYTES_MAX + 1).unwrap_or(usize::MAX).saturating_sub(text.len());
    text.extend_from_slice(part.get(..room).unwrap_or(part));
}

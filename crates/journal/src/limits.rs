//! The bounds of a journal, each with its reason.

/// Longest body of one record, in bytes of canonical JSON.
///
/// An observation of 250 controls with its text is some hundred kilobytes; a held request body is bounded by the edge.
/// Four mebibytes leave room for both and still let a reader hold a record in memory without thought.
pub const RECORD_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Longest name of a record kind, in bytes; kinds are words, and a reader prints them.
pub const KIND_BYTES_MAX: usize = 64;

/// Longest line, in bytes, its newline left out: a largest body, and the members around it (about 300 bytes).
pub(crate) const LINE_BYTES_MAX: u64 = RECORD_BYTES_MAX + 1024;

/// Most records between two signatures. A step of a run takes about six, so that a run that is killed leaves two or three
/// steps whose records nothing signed covers; a signature costs some 30 microseconds and 400 bytes.
pub const CHECKPOINT_RECORDS_MAX: u64 = 16;

/// Largest journal, in bytes. The writer stops here so that no journal exists which the reader refuses.
pub const JOURNAL_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// Most findings a verification lists; a file with more is not read for the details, and the rest are counted.
pub const FINDINGS_MAX: usize = 1000;

/// Most pieces of torn tail kept beside one journal; each needs a crash while the one before was being sealed.
pub(crate) const TORN_PIECES_MAX: u32 = 16;

/// Longest piece of text from a file that is quoted in a finding, in characters.
pub(crate) const QUOTE_CHARS_MAX: usize = 80;

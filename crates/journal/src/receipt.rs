//! The proof that a record is on disk.

use crate::digest::Digest;
use crate::run_id::RunId;

/// Proof that one record was written and reached the disk.
///
/// Invariant: only [`Journal::append`](crate::Journal::append) makes one, after the write and the sync succeeded, and one
/// record has one receipt. There is no public constructor, no `Clone` and no `Deserialize`; the proofs below are tests.
///
/// A receipt can't be made by hand:
/// ```compile_fail,E0451
/// let run = clicket_journal::RunId::new(0, [0; 8]);
/// let digest = clicket_journal::Digest::of(b"");
/// let forged = clicket_journal::Receipt { seq: 1, digest, kind: "intent", run };
/// ```
/// It can't be doubled:
/// ```compile_fail,E0277
/// fn double<T: Clone>() {}
/// double::<clicket_journal::Receipt>();
/// ```
/// It can't be read from text:
/// ```compile_fail,E0277
/// fn read<T: serde::de::DeserializeOwned>() {}
/// read::<clicket_journal::Receipt>();
/// ```
/// It doesn't come from nothing:
/// ```compile_fail,E0277
/// fn nothing<T: Default>() {}
/// nothing::<clicket_journal::Receipt>();
/// ```
#[derive(Debug)]
pub struct Receipt {
    seq: u64,
    digest: Digest,
    kind: &'static str,
    run: RunId,
}

impl Receipt {
    pub(crate) fn new(run: RunId, seq: u64, kind: &'static str, digest: Digest) -> Receipt {
        Receipt { seq, digest, kind, run }
    }

    /// Place of the record in its journal; the header has 0.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Digest of the record.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Kind of the record.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The run whose journal holds the record.
    pub fn run(&self) -> &RunId {
        &self.run
    }
}

//! What went wrong, with its exit code and the next step.

use std::fmt;

/// A failure to print.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// The command line or a file it names is wrong; exit code 2.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self { code: 2, message: message.to_string() }
    }

    /// Something failed; exit code 1.
    pub(crate) fn fault(message: impl fmt::Display) -> Self {
        Self { code: 1, message: message.to_string() }
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

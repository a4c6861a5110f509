//! Every bound of the desk, with its reason.

use std::time::Duration;

/// How often a question is put; more tries would let held-down keys find the answer.
pub const ATTEMPTS_MAX: usize = 3;
/// The longest a question stands. A ticket lives two minutes, so this only guards against a mistaken caller.
pub const ASK_WAIT_MAX: Duration = Duration::from_secs(3_600);
/// Lines of one text on a ticket; what is longer says how many characters are missing.
pub const SHOWN_LINES_MAX: usize = 8;
/// Facts and reasons on a ticket; what is more is counted. The judge itself gives about a hundred at most.
pub(crate) const SHOWN_TEXTS_MAX: usize = 128;
/// A narrower terminal wraps on its own.
pub const WIDTH_COLUMNS_MIN: usize = 40;
/// Longer lines are hard to read.
pub const WIDTH_COLUMNS_MAX: usize = 120;
/// Labels wider than this get a line of their own.
pub(crate) const LABEL_COLUMNS_MAX: usize = 24;
/// One typed line; a longer one is no answer.
pub(crate) const LINE_BYTES_MAX: usize = 256;
/// How soon a desk notices that the asker is gone, the deadline is over, or the terminal went to someone else.
pub(crate) const LOOK_UP_EVERY: Duration = Duration::from_millis(100);
/// The last word on a terminal must not hold anything up.
pub(crate) const FAREWELL_WAIT: Duration = Duration::from_millis(200);
/// How long past its deadline the asking thread may take to come back before it is left alone.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

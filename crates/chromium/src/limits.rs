//! Every bound of this room in one place, each with its reason.

use std::time::Duration;

/// The largest message taken from the browser: a full-page screenshot in base64 is a few megabytes, a listener
/// listing of 20,000 elements about ten; past this the browser is no longer believed.
pub(crate) const MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Calls that may wait for an answer at one time: 500 pipelined element resolutions and some more.
pub(crate) const CALLS_IN_FLIGHT_MAX: usize = 2_048;

/// Messages queued towards the browser; a full queue is an error, never a wait without end.
pub(crate) const OUTGOING_MESSAGES_MAX: usize = 4_096;

/// Events kept for the caller between two drains; more are counted, not kept.
pub(crate) const EVENTS_MAX: usize = 256;

/// Bytes of an event's page-chosen text that are kept (URL, dialog text) before guard cuts it further.
pub(crate) const EVENT_TEXT_BYTES_MAX: usize = 4_096;

/// The end of the browser's error output that is kept for messages.
pub(crate) const STDERR_BYTES_MAX: usize = 8 * 1024;

/// An ordinary command: the floor is 0.1 ms, a loaded two-core machine has shown 300 ms.
pub(crate) const CALL_MS: Duration = Duration::from_millis(5_000);

/// Time for SIGTERM to take effect before SIGKILL.
pub(crate) const TERMINATE_GRACE_MS: Duration = Duration::from_millis(1_500);

/// Time for a killed process to be reaped.
pub(crate) const REAP_MS: Duration = Duration::from_millis(3_000);

/// Dialogs one document may open before the script that opens them is terminated.
pub(crate) const DIALOGS_IN_A_ROW_MAX: u32 = 8;

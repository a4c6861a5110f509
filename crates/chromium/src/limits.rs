//! Every bound of this room in one place, each with its reason.

use std::time::Duration;

/// The largest message taken from the browser: a full-page screenshot in base64 is a few megabytes, a listener
/// listing of 20,000 elements about ten; past this the browser is no longer believed.
pub(crate) const MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Calls that may wait for an answer at one time: 500 pipelined element resolutions, or 256 keys pressed and released, and some more.
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

/// Of those, so many are held open for an answer: a page that asks on and on wears a person out.
pub(crate) const DIALOGS_HELD_MAX: u32 = 3;

/// A dialog is open for so long at most; a person who answers has 110 s.
pub(crate) const DIALOG_HELD_MS: Duration = Duration::from_millis(125_000);

/// Text of a dialog that can be accepted: a longer one could not be shown whole.
pub(crate) const DIALOG_TEXT_CHARS_MAX: usize = clicket_guard::limits::DIALOG_CHARS_MAX;

/// Windows of one act that are told apart; more are one page's noise.
pub(crate) const WINDOWS_MAX: usize = 8;

/// One answer of the page's script: 250 controls of some kilobytes each, and the text.
pub(crate) const PAGE_ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Time for a document that is being made to get our world.
pub(crate) const WORLD_WAIT_MS: Duration = Duration::from_millis(2_000);

/// Elements with press listeners that are handed to the page's script.
pub(crate) const CLICKABLE_ELEMENTS_MAX: usize = 500;

/// Elements above which DevTools is not asked for listeners: a snapshot of 2,000 takes about 30 ms, of 20,000 about 250.
pub(crate) const SNAPSHOT_ELEMENTS_MAX: u64 = 5_000;

/// A look is taken again when the document is replaced under it.
pub(crate) const LOOKS_MAX: u32 = 3;

/// Nodes in closed shadow roots that are handed to the page's script; one for each root is enough.
pub(crate) const CLOSED_NODES_MAX: usize = 300;

/// Frames that are kept in mind: pages of newspapers have had about a hundred.
pub(crate) const FRAMES_KNOWN_MAX: usize = 256;

/// Frames of another origin that one look reads; the rest is counted.
pub(crate) const FRAMES_READ_MAX: usize = 24;

/// Such frames within each other.
pub(crate) const FRAMES_DEEP_MAX: usize = 5;

/// The look into one frame; a frozen one is then left out.
pub(crate) const FRAME_MS: Duration = Duration::from_millis(1_000);

/// The look into all of them.
pub(crate) const FRAMES_MS: Duration = Duration::from_millis(2_000);

/// Parts of a page with more controls than are listed.
pub(crate) const PARTS_MAX: usize = 40;

/// Characters of the visible text of one frame.
pub(crate) const FRAME_TEXT_CHARS_MAX: usize = 1_000;

/// Time for the documents that are not acted on to stop taking input.
pub(crate) const SHIELD_MS: Duration = Duration::from_millis(150);

/// Documents of frames that are numbered in one browser's life: a handle stays exact in JSON.
pub(crate) const FRAME_NUMBERS_MAX: u32 = 1 << 20;

/// Time for DevTools' snapshot; a page that needs longer is observed without it.
pub(crate) const SNAPSHOT_MS: Duration = Duration::from_millis(1_500);

/// Short facts of a control that come from the page: role, input type, landmark.
pub(crate) const WORD_CHARS_MAX: usize = 64;

/// Addresses that come from the page.
pub(crate) const URL_CHARS_MAX: usize = 2_048;

/// Headings and open dialogs of one page.
pub(crate) const HEADINGS_MAX: usize = 12;

/// Text of one open dialog that the page draws.
pub(crate) const DIALOG_CHARS_MAX: usize = 300;

/// Fields of one form.
pub(crate) const FORM_FIELDS_MAX: usize = 100;

/// One input event: the page may be busy for long, but not without end.
pub(crate) const INPUT_MS: Duration = Duration::from_millis(5_000);

/// Opening an address, until the page is about to be shown.
pub(crate) const NAVIGATE_MS: Duration = Duration::from_millis(30_000);

/// The length of one "wait" step.
pub(crate) const WAIT_STEP_MS: Duration = Duration::from_millis(500);

/// A page that redraws after an input has so long until its state is read for the last time.
pub(crate) const READ_BACK_MS: Duration = Duration::from_millis(400);

/// Between two reads of a state.
pub(crate) const READ_BACK_STEP_MS: Duration = Duration::from_millis(20);

/// Characters read back beyond what was typed, to see that there is more.
pub(crate) const READ_BACK_CHARS_SPARE: usize = 100;

/// Longer texts are put in at once even where a field listens for keys.
pub(crate) const KEYED_CHARS_MAX: usize = 256;

/// A page whose script does not let ours run for so long is frozen.
pub(crate) const FROZEN_MS: Duration = Duration::from_millis(3_000);

/// Time for a frozen page's script to be terminated.
pub(crate) const UNFREEZE_MS: Duration = Duration::from_millis(1_000);

/// Between two looks at a document that is being made.
pub(crate) const SETTLE_STEP_MS: Duration = Duration::from_millis(5);

/// A page that was quiet for so long is looked at while it is waited for, so that the look is there when the wait is over.
pub(crate) const LOOK_AHEAD_MS: Duration = Duration::from_millis(15);

/// Such looks in one wait: a page that stirs again and again is looked at once it rests.
pub(crate) const LOOKS_AHEAD_MAX: u32 = 2;

/// The last two looks at a page that settles lie within this.
pub(crate) const LAST_LOOK_MS: Duration = Duration::from_millis(12);

/// How long the page's word that it still looks as it was seen is taken for true; nothing may be heard of it meanwhile.
pub(crate) const CONFIRMED_MS: Duration = Duration::from_millis(20);

/// What lies over a control, in words.
pub(crate) const COVER_CHARS_MAX: usize = 160;

/// A picture of the viewport.
pub(crate) const SCREENSHOT_MS: Duration = Duration::from_millis(10_000);

/// Pixels of a picture: four times an 8K screen.
pub(crate) const PICTURE_PIXELS_MAX: usize = 128 * 1024 * 1024;

/// Rectangles painted over in one picture.
pub(crate) const HIDDEN_BOXES_MAX: usize = 2_000;

/// Visible text of a page that expectations are checked against.
pub(crate) const VISIBLE_TEXT_CHARS_MAX: usize = 200_000;

/// One look at a page of 20,000 elements takes a tenth of this.
pub(crate) const OBSERVE_MS: Duration = Duration::from_millis(5_000);

/// Time for a browser to end by itself when asked.
pub(crate) const CLOSE_MS: Duration = Duration::from_millis(2_000);

/// From a navigation that the network answered to the page being shown.
pub(crate) const COMMIT_MS: Duration = Duration::from_millis(3_000);

/// After a navigation began, an answer of the page that is on its way comes within this, or not before the navigation ends.
pub(crate) const HELD_BACK_MS: Duration = Duration::from_millis(60);

#[cfg(target_os = "linux")]
/// Time for our own binary to come up, make a namespace and answer; it takes about ten milliseconds.
pub(crate) const INNER_ANSWER_MS: Duration = Duration::from_millis(5_000);

#[cfg(target_os = "linux")]
/// What the inner process is told: a command line of some kilobytes.
pub(crate) const INNER_ORDER_BYTES_MAX: u64 = 256 * 1024;

/// A lease: two lines of some hundred bytes.
pub(crate) const LEASE_BYTES_MAX: u64 = 16 * 1024;

/// Cookies kept of one context; Chromium itself keeps 3,300 of all sites.
pub(crate) const COOKIES_MAX: usize = 1_000;

/// A file of so many cookies, each at most 4 KiB and some facts.
pub(crate) const COOKIE_FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// The name of a profile, which is also the name of its folder.
pub(crate) const PROFILE_NAME_BYTES_MAX: usize = 40;

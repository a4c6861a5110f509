//! Every bound the judge keeps, with its reason. Waits are milliseconds, sizes bytes or characters.

/// A name longer than this says nothing more to a person or a model.
pub const NAME_CHARS_MAX: usize = 160;
/// Page text offered to a model; about a thousand tokens.
pub const PAGE_TEXT_CHARS_MAX: usize = 4_000;
/// A field's value as shown; longer values are cut, never typed from here.
pub const VALUE_CHARS_MAX: usize = 200;
/// A choice question takes 255 options; five stay for `none` and what may follow.
pub const ENTRIES_MAX: usize = 250;
/// Options of one drop-down that are listed.
pub const OPTIONS_MAX: usize = 250;
/// Values an operator may hand to a run.
pub const VALUES_MAX: usize = 64;
/// One supplied value; more is a document, not a field.
pub const VALUE_BYTES_MAX: usize = 16 * 1024;
/// Shorter secrets can't be scrubbed from text without destroying it.
pub const SECRET_CHARS_MIN: usize = 4;
/// A ticket older than this no longer describes the page a person saw.
pub const TICKET_LIFE_MS: u64 = 120_000;
/// Body bytes of a held request that are shown to a person; the digest covers all.
pub const SHOWN_BODY_CHARS_MAX: usize = 2_000;
/// Characters of a native dialog that are shown; a longer one is never accepted.
pub const DIALOG_CHARS_MAX: usize = 1_000;
/// Files an operator may hand to a run.
pub const FILES_MAX: usize = 16;
/// Files of one run together: they are kept in memory, and a held upload once more.
pub const FILES_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// A file's name, as common file systems bound it.
pub const FILE_NAME_CHARS_MAX: usize = 200;
/// Rules in a policy file; more is a program.
pub const POLICY_RULES_MAX: usize = 500;
/// A policy file is small; anything larger is a mistake.
pub const POLICY_BYTES_MAX: usize = 256 * 1024;
/// Combining marks kept on one letter; more is noise that hides text.
pub const COMBINING_RUN_MAX: usize = 4;
/// Characters of a held request's address that are shown; the digest covers all.
pub const SHOWN_URL_CHARS_MAX: usize = 2_000;
/// Fields of a form body that are shown one by one; the rest is counted.
pub const SHOWN_FIELDS_MAX: usize = 100;
/// Characters of a method, a media type or a field's name that are shown.
pub const SHOWN_TOKEN_CHARS_MAX: usize = 100;

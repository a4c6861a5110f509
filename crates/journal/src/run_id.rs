//! The name of a run, and the few lines of calendar it needs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::read_hex;

/// Name of a run: safe as a file name, and sorted by start time.
///
/// Shown as UTC second and nonce, `20261130T112233-1a2b3c4d5e6f7081`. The start is kept to the second, so that a name
/// read back equals the name written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId {
    started_unix_s: u64,
    nonce: [u8; 8],
}

/// A text that isn't a run's name in its one accepted form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a run is named like 20261130T112233-1a2b3c4d5e6f7081: UTC date and time, a hyphen, 16 lower-case hexadecimal digits")]
pub struct RunIdError;

/// The last second of the year 9999, beyond which the name would no longer sort.
const STARTED_UNIX_S_MAX: u64 = 253_402_300_799;
const SECONDS_A_DAY: u64 = 86_400;

impl RunId {
    /// Names a run by its start (milliseconds since 1970 in UTC, kept to the second, at most the year 9999) and a nonce
    /// that tells apart runs of the same second.
    pub fn new(started_unix_ms: u64, nonce: [u8; 8]) -> RunId {
        let started_unix_s = (started_unix_ms / 1000).min(STARTED_UNIX_S_MAX);
        RunId { started_unix_s, nonce }
    }

    /// When the run started, in milliseconds since 1970 in UTC, rounded down to the second.
    pub fn started_unix_ms(&self) -> u64 {
        self.started_unix_s * 1000
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of_day(self.started_unix_s / SECONDS_A_DAY);
        let second = self.started_unix_s % SECONDS_A_DAY;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}-")?;
        self.nonce.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunId({self})")
    }
}

impl FromStr for RunId {
    type Err = RunIdError;

    fn from_str(text: &str) -> Result<RunId, RunIdError> {
        let run = read_parts(text).ok_or(RunIdError)?;
        // A date such as 31 February is read as some other day; only what is written back the same is accepted.
        if run.to_string() == text { Ok(run) } else { Err(RunIdError) }
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RunId, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

fn read_parts(text: &str) -> Option<RunId> {
    let (instant, nonce) = text.split_once('-')?;
    let (date, time) = instant.split_once('T')?;
    let nonce = read_hex(nonce)?;
    let (year, month, day) = (number(date, 0..4)?, number(date, 4..6)?, number(date, 6..8)?);
    let (hour, minute, second) = (number(time, 0..2)?, number(time, 2..4)?, number(time, 4..6)?);
    let in_range = year >= 1970 && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !in_range || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let started_unix_s = day_of_date(year, month, day) * SECONDS_A_DAY + hour * 3600 + minute * 60 + second;
    Some(RunId { started_unix_s, nonce })
}

fn number(text: &str, range: std::ops::Range<usize>) -> Option<u64> {
    let digits = text.get(range)?;
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits { digits.parse().ok() } else { None }
}

/// Days since 1970 to year, month, day. Years are counted from March, so that the leap day is the last of its year
/// (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn date_of_day(day: u64) -> (u64, u64, u64) {
    let shifted = day + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day_of_month)
}

/// The inverse of [`date_of_day`], for years from 1970 and months from 1 to 12.
fn day_of_date(year: u64, month: u64, day: u64) -> u64 {
    let year = year - u64::from(month <= 2);
    let era = year / 400;
    let year_of_era = year % 400;
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
#[path = "run_id_tests.rs"]
mod tests;

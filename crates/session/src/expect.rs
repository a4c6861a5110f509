//! What the operator expects: false before, true after, or the run is not verified.

use clicket_guard::policy::{PatternError, RequestPattern};
use serde::Serialize;

/// One condition on the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// The page's address contains this.
    Url(String),
    /// The page shows this text.
    Text(String),
    /// A request of this method and exact path was answered with success.
    Request(RequestPattern),
    /// A file whose name is of this pattern was taken whole.
    Download(String),
}

/// Why an expectation can't be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ExpectationError {
    /// Nothing to look for.
    #[error("an empty expectation proves nothing; give the text or part of the address that shows the goal is reached")]
    Empty,
    /// Not `METHOD /path`.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// What expectations are held against.
#[derive(Debug, Default)]
pub struct Evidence<'a> {
    /// Address of the page.
    pub url: &'a str,
    /// Its visible text.
    pub text: &'a str,
    /// Requests answered with success: method and address.
    pub answered: &'a [(String, String)],
    /// Names of files that were taken.
    pub files: &'a [String],
}

impl Expectation {
    /// Expects a part of the address.
    ///
    /// # Errors
    /// When it is empty.
    pub fn url(part: &str) -> Result<Self, ExpectationError> {
        not_empty(part).map(Self::Url)
    }

    /// Expects a text, compared without regard to case and spacing.
    ///
    /// # Errors
    /// When it is empty.
    pub fn text(text: &str) -> Result<Self, ExpectationError> {
        not_empty(text).map(Self::Text)
    }

    /// Expects a request, as `POST /path`.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn request(pattern: &str) -> Result<Self, ExpectationError> {
        Ok(Self::Request(RequestPattern::parse(pattern)?))
    }

    /// Expects a file, as `*.pdf`: `*` stands for any text, also none, and case is not looked at.
    ///
    /// # Errors
    /// When it is empty.
    pub fn download(pattern: &str) -> Result<Self, ExpectationError> {
        not_empty(pattern).map(Self::Download)
    }

    /// Whether it holds.
    #[must_use]
    pub fn holds(&self, evidence: &Evidence<'_>) -> bool {
        match self {
            Self::Url(part) => evidence.url.contains(part.as_str()),
            Self::Text(text) => folded(evidence.text).contains(&folded(text)),
            Self::Request(pattern) => evidence.answered.iter().any(|(method, url)| pattern.names(method, url)),
            Self::Download(pattern) => evidence.files.iter().any(|name| is_like(name, pattern)),
        }
    }

    /// As the operator wrote it.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Url(part) => format!("the address contains \"{part}\""),
            Self::Text(text) => format!("the page shows \"{text}\""),
            Self::Request(pattern) => format!("{pattern} was answered"),
            Self::Download(pattern) => format!("a file like \"{pattern}\" was downloaded"),
        }
    }
}

/// Whether a name is of a pattern in which `*` stands for any text. The parts between stars are looked for in order, each as early
/// as can be, so it takes no longer than the name is long.
fn is_like(name: &str, pattern: &str) -> bool {
    let (name, pattern) = (name.to_lowercase(), pattern.to_lowercase());
    let Some((first, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = left.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    left.ends_with(last)
}

fn not_empty(text: &str) -> Result<String, ExpectationError> {
    if text.trim().is_empty() { Err(ExpectationError::Empty) } else { Ok(text.to_owned()) }
}

fn folded(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "expect_tests.rs"]
mod tests;

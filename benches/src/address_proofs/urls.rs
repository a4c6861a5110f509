//! The URL vectors of web-platform-tests, which come with the `url` crate: what is taken is what they say, and what they say is
//! no URL is not taken.

use std::path::Path;

use anyhow::Context;
use clicket_guard::web::WebUrl;
use serde_json::Value;

/// Sums over the vectors.
#[derive(Default)]
pub(crate) struct Sums {
    pub(crate) vectors: usize,
    /// No URL by the standard, and refused.
    pub(crate) failures_refused: usize,
    /// Other schemes than a browser's page may have, and refused.
    pub(crate) other_schemes_refused: usize,
    /// Taken, and read as the vectors say.
    pub(crate) taken_alike: usize,
    /// URLs by the standard that are refused all the same: odd spellings, names and credentials.
    pub(crate) refused: usize,
    pub(crate) wrong: Vec<String>,
}

pub(crate) fn check(file: &Path) -> anyhow::Result<Sums> {
    let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(file)?).context("the vectors are no JSON list")?;
    let mut sums = Sums::default();
    for vector in vectors.iter().filter(|vector| vector.is_object()) {
        sums.vectors += 1;
        let Some(input) = vector["input"].as_str() else { continue };
        let read = match vector["base"].as_str() {
            None | Some("about:blank") => WebUrl::read(input),
            Some(base) => WebUrl::read(base).and_then(|base| base.resolve(input)),
        };
        let expected = vector["href"].as_str().filter(|_| vector["failure"] != true);
        let is_web = expected.is_some_and(|href| href.starts_with("http://") || href.starts_with("https://"));
        match (read, expected) {
            (Err(_), None) => sums.failures_refused += 1,
            (Err(_), Some(_)) if is_web => sums.refused += 1,
            (Err(_), Some(_)) => sums.other_schemes_refused += 1,
            (Ok(url), Some(href))
                if url.as_str() == href && vector["hostname"].as_str() == Some(url.url().host_str().unwrap_or_default()) =>
            {
                sums.taken_alike += 1;
            }
            (Ok(url), expected) => sums.wrong.push(format!("{input:?} is read as {} and not {expected:?}", url.as_str())),
        }
    }
    Ok(sums)
}

//! From a request's path to the bytes of a file in the folder, or to the reason why not.

use std::path::{Component, Path, PathBuf};

use http::StatusCode;
use percent_encoding::percent_decode_str;

/// A page or script larger than this is not served.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Markup that is put behind every HTML page below a path.
#[derive(Debug, Clone)]
pub struct Tail {
    /// Paths that start with this get it, such as `/miniwob/`.
    pub below: String,
    /// What is put behind the page's own markup.
    pub markup: String,
}

/// What is served.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    tails: Vec<Tail>,
}

/// One answer.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) kind: &'static str,
    pub(crate) location: Option<String>,
    pub(crate) body: Vec<u8>,
}

impl Folder {
    /// The folder at `root`.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn at(root: &Path) -> std::io::Result<Folder> {
        let root = root.canonicalize()?;
        if root.is_dir() { Ok(Folder { root, tails: Vec::new() }) } else { Err(std::io::ErrorKind::NotADirectory.into()) }
    }

    /// The same with one more tail.
    #[must_use]
    pub fn with(mut self, tail: Tail) -> Folder {
        self.tails.push(tail);
        self
    }

    /// Answers a read of `path`, which is still percent-encoded.
    pub(crate) fn read(&self, path: &str) -> Answer {
        let Some(file) = self.place(path) else { return Answer::refused(StatusCode::NOT_FOUND) };
        if file.is_dir() && !path.ends_with('/') {
            // Relative addresses in the page are meant against the folder.
            return Answer { location: Some(format!("{path}/")), ..Answer::refused(StatusCode::MOVED_PERMANENTLY) };
        }
        let file = if file.is_dir() { file.join("index.html") } else { file };
        self.file(path, &file).unwrap_or_else(Answer::refused)
    }

    fn file(&self, path: &str, file: &Path) -> Result<Answer, StatusCode> {
        // A link may lead out of the folder; what counts is where it ends.
        let file = file.canonicalize().map_err(|_| StatusCode::NOT_FOUND)?;
        let size = file.metadata().map_err(|_| StatusCode::NOT_FOUND)?.len();
        if !file.starts_with(&self.root) || !file.is_file() {
            return Err(StatusCode::NOT_FOUND);
        }
        if size > FILE_BYTES_MAX {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let mut body = std::fs::read(&file).map_err(|_| StatusCode::NOT_FOUND)?;
        let kind = kind_of(&file);
        if kind.starts_with("text/html") {
            for tail in self.tails.iter().filter(|tail| path.starts_with(&tail.below)) {
                body.extend_from_slice(tail.markup.as_bytes());
            }
        }
        Ok(Answer { status: StatusCode::OK, kind, location: None, body })
    }

    /// Where the path leads, if every part of it is a plain name.
    fn place(&self, path: &str) -> Option<PathBuf> {
        let decoded = percent_decode_str(path).decode_utf8().ok()?;
        let relative = Path::new(decoded.strip_prefix('/')?);
        let plain = !decoded.contains(['\0', '\\']) && relative.components().all(|part| matches!(part, Component::Normal(_)));
        plain.then(|| self.root.join(relative))
    }
}

impl Answer {
    pub(crate) fn refused(status: StatusCode) -> Answer {
        Answer { status, kind: "text/plain; charset=utf-8", location: None, body: status.as_str().as_bytes().to_vec() }
    }
}

/// The content type by the file's ending. Pages of old name no charset and mean UTF-8.
fn kind_of(file: &Path) -> &'static str {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "ico" => "image/x-icon",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "xml" => "text/xml; charset=utf-8",
        // Templates that a page's script reads as text.
        "hbs" | "ejs" | "mustache" | "tpl" | "txt" | "md" | "handlebars" | "template" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;

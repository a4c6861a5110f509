//! Style and scripts, built into the program.

use crate::look::Paths;
use crate::trick;

const STYLE: &str = include_str!("../assets/shop.css");
const SCRIPT: &str = include_str!("../assets/shop.js");
const TRICKS: &str = include_str!("../assets/tricks.js");

/// The kind and text of the file at `path`.
pub(crate) fn at(paths: &Paths, path: &str) -> Option<(&'static str, &'static str)> {
    if path == paths.style {
        Some(("text/css; charset=utf-8", STYLE))
    } else if path == paths.script {
        Some(("text/javascript; charset=utf-8", SCRIPT))
    } else if path == trick::SCRIPT_PATH {
        Some(("text/javascript; charset=utf-8", TRICKS))
    } else {
        None
    }
}

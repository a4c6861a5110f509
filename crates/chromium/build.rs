//! Joins the page's scripts, in the order of `page/ORDER`, into the one script that is installed in the isolated world.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let page = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../page");
    println!("cargo::rerun-if-changed={}", page.display());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("page.js");
    fs::write(out, join(&page)?)
}

/// Concatenation inside one function: top-level names are shared between the files and seen by nobody else. A frame that the
/// document around it can look into is reached from there, so the script does nothing in it.
fn join(page: &Path) -> io::Result<String> {
    let order = fs::read_to_string(page.join("ORDER"))?;
    let mut script =
        String::from("(() => {\n'use strict';\nif (window !== window.top && window.frameElement !== null) return;\n");
    for name in order.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        script.push_str(&fs::read_to_string(page.join(name))?);
        script.push('\n');
    }
    script.push_str("})();\n");
    Ok(script)
}

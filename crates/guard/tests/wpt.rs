//! The URL vectors of web-platform-tests. They come with the crate that reads URLs here, which cargo has fetched and checked, so
//! they are read where cargo keeps it and never copied.
#![allow(clippy::unwrap_used, reason = "what does not hold in a helper fails the test that called it")]

use std::path::{Path, PathBuf};
use std::process::Command;

use clicket_guard::web::WebUrl;
use serde_json::Value;

fn vectors() -> Vec<Value> {
    let said = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&said.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let manifest = packages.iter().find(|package| package["name"] == "url").unwrap()["manifest_path"].as_str().unwrap();
    let file: PathBuf = Path::new(manifest).with_file_name("tests").join("urltestdata.json");
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

#[test]
fn what_is_taken_is_read_as_web_platform_tests_say_and_what_they_call_no_url_is_not_taken() {
    let (mut taken, mut refused) = (0, 0);
    for vector in vectors().iter().filter(|vector| vector.is_object()) {
        let input = vector["input"].as_str().unwrap();
        let read = match vector["base"].as_str() {
            None | Some("about:blank") => WebUrl::read(input),
            Some(base) => WebUrl::read(base).and_then(|base| base.resolve(input)),
        };
        match read {
            Err(_) => refused += 1,
            Ok(url) => {
                assert_eq!(Some(url.as_str()), vector["href"].as_str(), "{input:?}");
                assert_eq!(Some(url.host()), vector["hostname"].as_str(), "{input:?}");
                taken += 1;
            }
        }
    }
    assert!(taken > 100 && taken + refused > 800, "{taken} taken, {refused} refused");
}

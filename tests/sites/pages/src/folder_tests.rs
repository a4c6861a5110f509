#![allow(clippy::unwrap_used, reason = "tests may")]

use super::*;

fn folder() -> (tempfile::TempDir, Folder) {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("pages");
    std::fs::create_dir_all(root.join("inner")).unwrap();
    std::fs::write(outer.path().join("secret.html"), "out").unwrap();
    std::fs::write(root.join("inner/index.html"), "<p>\u{e9}</p>").unwrap();
    std::fs::write(root.join("inner/some page.js"), "1").unwrap();
    std::os::unix::fs::symlink(outer.path().join("secret.html"), root.join("link.html")).unwrap();
    let folder = Folder::at(&root).unwrap().with(Tail { below: "/inner/".to_owned(), markup: "<i>".to_owned() });
    (outer, folder)
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let (_outer, folder) = folder();
    let ways_out = [
        "/../secret.html",
        "/inner/../../secret.html",
        "/%2e%2e/secret.html",
        "/..%2fsecret.html",
        "/inner/..%5c..%5csecret.html",
        "//etc/passwd",
        "/link.html",
        "/%00",
        "secret.html",
        "",
        "/%ff",
    ];
    for path in ways_out {
        assert_eq!(folder.read(path).status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[test]
fn pages_are_utf8_and_get_their_tail_and_scripts_do_not() {
    let (_outer, folder) = folder();
    let page = folder.read("/inner/");
    assert_eq!(
        (page.status, page.kind, page.body),
        (StatusCode::OK, "text/html; charset=utf-8", "<p>\u{e9}</p><i>".as_bytes().to_vec())
    );
    let script = folder.read("/inner/some%20page.js");
    assert_eq!((script.status, script.body), (StatusCode::OK, b"1".to_vec()));
}

#[test]
fn a_folder_without_its_slash_is_led_to_it() {
    let (_outer, folder) = folder();
    assert_eq!(folder.read("/inner").location.unwrap(), "/inner/");
}

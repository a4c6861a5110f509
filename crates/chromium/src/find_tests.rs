use super::*;

#[test]
fn a_wrapper_script_is_never_taken() {
    let folder = tempfile::tempdir().unwrap();
    let wrapper = folder.path().join("chromium");
    std::fs::write(&wrapper, "#!/bin/sh\nexec chromium --no-sandbox\n").unwrap();
    assert_eq!(find(Some(&wrapper)), Err(FindError::Script { path: wrapper.clone() }));
    assert_eq!(first_installed([wrapper.as_path()].into_iter()), Err(FindError::NoneInstalled));
}

#[test]
fn a_missing_file_is_named_in_the_error() {
    let text = find(Some(Path::new("/nowhere/chrome"))).unwrap_err().to_string();
    assert!(text.contains("/nowhere/chrome"), "{text}");
}

#[test]
fn no_browser_says_what_to_install() {
    let text = first_installed(std::iter::empty()).unwrap_err().to_string();
    assert!(text.contains("apt install chromium"), "{text}");
}

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{default_folder, make_folder};

#[test]
fn the_default_folder_follows_the_xdg_rules() {
    let at = |home: Option<&str>, state: Option<&str>| default_folder(home.map(Path::new), state.map(Path::new));
    assert_eq!(at(Some("/h"), None), Some(PathBuf::from("/h/.local/state/clicket/journal")));
    assert_eq!(at(Some("/h"), Some("/s")), Some(PathBuf::from("/s/clicket/journal")));
    assert_eq!(at(None, Some("/s")), Some(PathBuf::from("/s/clicket/journal")));
    assert_eq!(at(Some("/h"), Some("relative")), Some(PathBuf::from("/h/.local/state/clicket/journal")));
    assert_eq!(at(Some("/h"), Some("")), Some(PathBuf::from("/h/.local/state/clicket/journal")));
    assert_eq!(at(Some("h"), None), None);
    assert_eq!(at(None, None), None);
}

#[test]
fn a_folder_that_is_made_is_open_to_its_owner_alone() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("a/b/c");
    make_folder(&folder).unwrap();
    make_folder(&folder).unwrap();
    for made in [folder.as_path(), folder.parent().unwrap()] {
        assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::*;

fn store() -> (tempfile::TempDir, ProfileStore) {
    let outer = tempfile::tempdir().unwrap();
    let store = ProfileStore::at(outer.path().join("profiles"));
    (outer, store)
}

fn jar() -> CookieJar {
    serde_json::from_value(json!([{ "name": "sid", "value": "1", "domain": "shop.example" }])).unwrap()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_one_run_keeps_the_next_has_and_nobody_else_can_read_it() {
    let (outer, store) = store();
    let held = store.hold("bank").unwrap();
    assert!(held.cookies().unwrap().is_empty());
    held.keep(&jar()).unwrap();
    drop(held);
    assert_eq!(store.hold("bank").unwrap().cookies().unwrap(), jar());
    let folder = outer.path().join("profiles/bank");
    assert_eq!((mode(&folder), mode(&folder.join("cookies.json")), mode(&folder.join("lock"))), (0o700, 0o600, 0o600));
}

#[test]
fn a_second_run_is_told_who_holds_the_profile() {
    let (_outer, store) = store();
    let held = store.hold("bank").unwrap();
    let refused = store.hold("bank").unwrap_err().to_string();
    assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
    assert!(matches!(store.delete("bank"), Err(StoreError::Held { .. })));
    assert_eq!(store.list().unwrap()[0].held_by, Some(std::process::id().to_string()));
    drop(held);
    store.delete("bank").unwrap();
    assert_eq!(store.list().unwrap(), Vec::new());
    assert!(matches!(store.delete("bank"), Err(StoreError::None { .. })));
}

#[test]
fn a_name_never_leads_out_of_the_folder() {
    let (_outer, store) = store();
    for name in ["", ".", "..", "../x", "a/b", "/etc", "Bank", "-x", "a\0b", &"a".repeat(41), "~", "a b"] {
        assert!(matches!(store.hold(name), Err(StoreError::Name { .. })), "{name}");
        assert!(matches!(store.delete(name), Err(StoreError::Name { .. })), "{name}");
    }
}

#[test]
fn what_others_could_have_written_is_not_used() {
    let (outer, store) = store();
    drop(store.hold("bank").unwrap());
    let folder = outer.path().join("profiles/bank");
    std::fs::write(folder.join("cookies.json"), "[]").unwrap();
    std::fs::set_permissions(folder.join("cookies.json"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(store.hold("bank").unwrap().cookies(), Err(StoreError::Open { .. })));
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(store.hold("bank"), Err(StoreError::Open { .. })));
    std::os::unix::fs::symlink("/etc", outer.path().join("profiles/link")).unwrap();
    assert!(matches!(store.hold("link"), Err(StoreError::Open { .. } | StoreError::Io { .. })));
}

#[test]
fn a_broken_file_is_said_to_be_broken() {
    let (outer, store) = store();
    let held = store.hold("bank").unwrap();
    held.keep(&jar()).unwrap();
    std::fs::write(outer.path().join("profiles/bank/cookies.json"), "{").unwrap();
    assert!(matches!(held.cookies(), Err(StoreError::Unreadable { .. })));
}

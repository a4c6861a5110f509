use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::*;
use crate::facts::with_profile;
use crate::reap::{LeaseFound, Reaped};

fn folder() -> (tempfile::TempDir, LeaseFolder) {
    let outer = tempfile::tempdir().unwrap();
    let leases = LeaseFolder::open(&outer.path().join("leases")).unwrap();
    (outer, leases)
}

fn us() -> u32 {
    nix::unistd::geteuid().as_raw()
}

/// A process in a group of its own that looks like a browser with this profile, and waits.
fn stand_in(profile: &Path) -> Child {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "read forever", &format!("--user-data-dir={}", profile.display())]);
    let child = command.stdin(Stdio::piped()).process_group(0).spawn().unwrap();
    while with_profile(profile).is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child
}

/// What a Clicket leaves that is killed at this moment.
fn kill_owner(leases: &LeaseFolder, lease: Lease) {
    drop(lease);
    // A child that another thread is just starting holds the lock too, until it has become another program.
    let until = Instant::now() + Duration::from_secs(5);
    while leases.list().iter().any(|found| matches!(found, LeaseFound::Held { .. })) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn lives(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_none()
}

#[test]
fn what_a_living_clicket_holds_is_listed_and_left_alone() {
    let (_outer, leases) = folder();
    let lease = leases.take(us()).unwrap();
    std::fs::create_dir(lease.profile()).unwrap();
    let mut browser = stand_in(&lease.profile());
    assert_eq!(leases.list(), vec![LeaseFound::Held { by: std::process::id(), profile: lease.profile() }]);
    assert_eq!(leases.reap(), Vec::new());
    assert!(lives(&mut browser) && lease.profile().is_dir());
    browser.kill().unwrap();
    browser.wait().unwrap();
    std::fs::remove_dir(lease.profile()).unwrap();
    lease.give_back();
    assert_eq!(leases.list(), Vec::new());
}

#[test]
fn what_a_killed_clicket_left_is_ended_and_removed() {
    for named in [false, true] {
        let (_outer, leases) = folder();
        let mut lease = leases.take(us()).unwrap();
        let profile = lease.profile();
        std::fs::create_dir(&profile).unwrap();
        std::fs::write(profile.join("Cookies"), "secret").unwrap();
        let mut browser = stand_in(&profile);
        if named {
            lease.name_browser(browser.id()).unwrap();
        }
        kill_owner(&leases, lease);
        assert_eq!(leases.list(), vec![LeaseFound::LeftOver { profile: profile.clone(), processes: 1 }]);
        assert_eq!(leases.reap(), vec![Reaped { profile: profile.clone(), processes: 1, clean: true }]);
        assert!(!browser.wait().unwrap().success() && !profile.exists());
        assert_eq!(leases.list(), Vec::new());
    }
}

#[test]
fn what_is_not_proven_is_left_alone() {
    let change: [fn(&mut Note); 3] = [
        |note| note.boot_id = "another boot".to_owned(),
        |note| note.browser_user = note.browser_user.wrapping_add(1),
        |note| note.owner.start_ticks = u64::MAX,
    ];
    for change in change {
        let (_outer, leases) = folder();
        let lease = leases.take(us()).unwrap();
        let mut browser = stand_in(&lease.profile());
        let mut note: Note = serde_json::from_str(&std::fs::read_to_string(&lease.path).unwrap()).unwrap();
        change(&mut note);
        std::fs::write(&lease.path, serde_json::to_string(&note).unwrap()).unwrap();
        kill_owner(&leases, lease);
        assert!(leases.reap().iter().all(|reaped| reaped.processes == 0));
        assert!(lives(&mut browser), "{note:?}");
        browser.kill().unwrap();
        browser.wait().unwrap();
    }
}

#[test]
fn a_process_of_another_group_is_left_alone_when_the_browser_is_known() {
    let (_outer, leases) = folder();
    let mut lease = leases.take(us()).unwrap();
    let mut other = stand_in(&lease.profile());
    lease.name_browser(std::process::id()).unwrap();
    kill_owner(&leases, lease);
    assert!(leases.reap().iter().all(|reaped| reaped.processes == 0));
    assert!(lives(&mut other));
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_lease_that_others_could_have_written_or_that_names_another_folder_proves_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let (outer, leases) = folder();
    let victim = outer.path().join("clicket-victim");
    std::fs::create_dir(&victim).unwrap();
    let lease = leases.take(us()).unwrap();
    let mut note: Note = serde_json::from_str(&std::fs::read_to_string(&lease.path).unwrap()).unwrap();
    let path = lease.path.clone();
    kill_owner(&leases, lease);
    note.profile.clone_from(&victim);
    std::fs::write(&path, serde_json::to_string(&note).unwrap()).unwrap();
    assert_eq!((leases.reap(), leases.list()), (Vec::new(), vec![LeaseFound::Unproven { file: path.clone() }]));
    // By its name it would be the victim's; but everybody may write it.
    let fitting = leases.path().join("clicket-victim.lease");
    std::fs::rename(&path, &fitting).unwrap();
    std::fs::set_permissions(&fitting, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(leases.reap(), Vec::new());
    std::fs::remove_file(&fitting).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", leases.path().join("clicket-link.lease")).unwrap();
    assert_eq!(leases.reap(), Vec::new());
    assert!(victim.is_dir());
}

#[test]
fn a_profile_that_is_a_link_is_not_followed() {
    let (outer, leases) = folder();
    let precious = outer.path().join("precious");
    std::fs::create_dir(&precious).unwrap();
    let lease = leases.take(us()).unwrap();
    let profile = lease.profile();
    std::os::unix::fs::symlink(&precious, &profile).unwrap();
    kill_owner(&leases, lease);
    assert!(leases.reap().iter().all(|reaped| !reaped.clean));
    assert!(precious.is_dir());
    std::fs::remove_file(&profile).unwrap();
}

#[test]
fn a_blank_lease_goes_by_itself() {
    let (_outer, leases) = folder();
    let lease = leases.take(us()).unwrap();
    std::fs::write(&lease.path, "").unwrap();
    kill_owner(&leases, lease);
    assert_eq!((leases.reap(), leases.list()), (Vec::new(), Vec::new()));
    assert_eq!(std::fs::read_dir(leases.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_others_can_enter_is_not_taken() {
    use std::os::unix::fs::PermissionsExt;
    let outer = tempfile::tempdir().unwrap();
    std::fs::set_permissions(outer.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(LeaseFolder::open(outer.path()).is_err());
}

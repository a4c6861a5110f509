//! The private profile: a fresh folder with quiet preferences, owned by the user that the browser runs as, removed at the end.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown, lchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use crate::flags::MissingInvariant;
use crate::lease::{Lease, LeaseFolder, NAME_PREFIX};
use crate::process::RunAs;

/// Preferences that are launch invariants too: place in the file, value, reason.
const PREFERENCES: &[(&str, Setting, &str)] = &[
    ("/net/network_prediction_options", Setting::Number(2), "nothing is fetched that nobody asked for"),
    ("/credentials_enable_service", Setting::Off, "the browser keeps no password"),
    ("/profile/password_manager_enabled", Setting::Off, "the browser keeps no password"),
    ("/autofill/profile_enabled", Setting::Off, "the browser fills nothing in"),
    ("/autofill/credit_card_enabled", Setting::Off, "the browser fills nothing in"),
    ("/search/suggest_enabled", Setting::Off, "the browser makes no traffic of its own"),
    ("/safebrowsing/enabled", Setting::Off, "the browser makes no traffic of its own"),
    ("/translate/enabled", Setting::Off, "the browser makes no traffic of its own"),
    ("/alternate_error_pages/enabled", Setting::Off, "the browser makes no traffic of its own"),
    ("/signin/allowed", Setting::Off, "the browser makes no traffic of its own"),
    ("/profile/default_content_setting_values/notifications", Setting::Number(2), "nothing waits for a person"),
    ("/profile/default_content_setting_values/geolocation", Setting::Number(2), "nothing waits for a person"),
    ("/profile/default_content_setting_values/media_stream_mic", Setting::Number(2), "nothing waits for a person"),
    ("/profile/default_content_setting_values/media_stream_camera", Setting::Number(2), "nothing waits for a person"),
    ("/profile/default_content_setting_values/protocol_handlers", Setting::Number(2), "no other program is started"),
];

#[derive(Clone, Copy)]
enum Setting {
    Off,
    Number(u64),
}

impl Setting {
    fn value(self) -> serde_json::Value {
        match self {
            Setting::Off => json!(false),
            Setting::Number(number) => json!(number),
        }
    }
}

/// The profile's preferences as Chromium reads them.
pub(crate) fn preferences() -> serde_json::Value {
    let mut whole = json!({ "browser": { "check_default_browser": false }, "session": { "restore_on_startup": 5 } });
    for (place, setting, _) in PREFERENCES {
        set_at(&mut whole, place, setting.value());
    }
    whole
}

fn set_at(whole: &mut serde_json::Value, place: &str, value: serde_json::Value) {
    let mut here = whole;
    for step in place.split('/').skip(1) {
        if !here.is_object() {
            *here = json!({});
        }
        here = &mut here[step];
    }
    *here = value;
}

/// Local State: settings of the whole browser. Secure DNS would let it resolve names by itself.
pub(crate) fn local_state() -> serde_json::Value {
    json!({ "dns_over_https": { "mode": "off" }, "background_mode": { "enabled": false } })
}

/// Checks the preferences that are launch invariants.
///
/// # Errors
/// Names the first one that is missing or has another value.
pub(crate) fn verify(preferences: &serde_json::Value, local_state: &serde_json::Value) -> Result<(), MissingInvariant> {
    for (place, setting, why) in PREFERENCES {
        if preferences.pointer(place) != Some(&setting.value()) {
            return Err(MissingInvariant { what: format!("the profile preference {place} must be set"), why });
        }
    }
    if local_state.pointer("/dns_over_https/mode") != Some(&json!("off")) {
        return Err(MissingInvariant {
            what: "secure DNS must be off in the profile".to_owned(),
            why: "the browser resolves no names",
        });
    }
    Ok(())
}

/// The folder. Dropping it removes it; the browser must be dead by then.
pub(crate) struct Profile {
    folder: PathBuf,
    lease: Option<Lease>,
}

impl Profile {
    /// Makes the folder with mode 0700 under the system's temporary folder and writes the preferences. With a lease folder,
    /// the lease is there before the profile is.
    pub(crate) fn make(run_as: Option<RunAs>, leases: Option<&LeaseFolder>) -> io::Result<Profile> {
        let profile = match leases {
            None => Profile { folder: tempfile::Builder::new().prefix(NAME_PREFIX).tempdir()?.keep(), lease: None },
            Some(leases) => {
                let user = run_as.map_or_else(|| nix::unistd::geteuid().as_raw(), |run_as| run_as.uid);
                let lease = leases.take(user)?;
                let folder = lease.profile();
                DirBuilder::new().mode(0o700).create(&folder).inspect_err(|_| lease.give_back())?;
                Profile { folder, lease: Some(lease) }
            }
        };
        profile.write_preferences()?;
        if let Some(run_as) = run_as {
            give_away(&profile.folder, run_as)?;
        }
        Ok(profile)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Adds to the lease which process the browser is; the profile on its command line proves it even without.
    pub(crate) fn name_browser(&mut self, pid: u32) {
        if let Some(lease) = &mut self.lease {
            let _ = lease.name_browser(pid);
        }
    }

    fn write_preferences(&self) -> io::Result<()> {
        std::fs::set_permissions(&self.folder, Permissions::from_mode(0o700))?;
        let default = self.folder.join("Default");
        DirBuilder::new().mode(0o700).create(&default)?;
        std::fs::write(default.join("Preferences"), preferences().to_string())?;
        std::fs::write(self.folder.join("Local State"), local_state().to_string())
    }

    /// Removes the folder and gives its lease back; a process that is still dying may write once more, so it tries for half a
    /// second.
    pub(crate) fn remove(&self) -> bool {
        let gone = (0..20).any(|_| match std::fs::remove_dir_all(&self.folder) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(_) => {
                std::thread::sleep(Duration::from_millis(25));
                false
            }
        });
        if let Some(lease) = self.lease.as_ref().filter(|_| gone) {
            lease.give_back();
        }
        gone
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Puts a file into a folder of its own inside the profile, where nobody but the browser's user reads it.
pub(crate) fn stage(profile: &Path, number: u64, name: &str, content: &[u8], run_as: Option<RunAs>) -> io::Result<PathBuf> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    // The browser's user owns the profile and could have put a link in the way, so each part is made new or not at all.
    let folder = profile.join(format!("attached-{number}"));
    DirBuilder::new().mode(0o700).create(&folder)?;
    let path = folder.join(name);
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?.write_all(content)?;
    if let Some(run_as) = run_as {
        lchown(&path, Some(run_as.uid), Some(run_as.gid))?;
        lchown(&folder, Some(run_as.uid), Some(run_as.gid))?;
    }
    Ok(path)
}

fn give_away(folder: &Path, run_as: RunAs) -> io::Result<()> {
    for inside in [folder.join("Default/Preferences"), folder.join("Default"), folder.join("Local State")] {
        chown(inside, Some(run_as.uid), Some(run_as.gid))?;
    }
    chown(folder, Some(run_as.uid), Some(run_as.gid))
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;

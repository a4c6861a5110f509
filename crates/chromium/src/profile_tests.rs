use super::*;

#[test]
fn the_written_preferences_are_accepted() {
    assert_eq!(verify(&preferences(), &local_state()), Ok(()));
}

#[test]
fn each_removed_preference_refuses_to_start() {
    for (place, _, _) in PREFERENCES {
        let mut broken = preferences();
        *broken.pointer_mut(place).unwrap() = json!(true);
        assert!(verify(&broken, &local_state()).is_err(), "{place}");
    }
    assert!(verify(&preferences(), &json!({})).is_err());
}

#[test]
fn the_profile_is_private_and_is_removed() {
    let profile = Profile::make(None, None).unwrap();
    let path = profile.path().to_path_buf();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(path.join("Default/Preferences").is_file());
    drop(profile);
    assert!(!path.exists());
}

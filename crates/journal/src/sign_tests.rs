use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::scratch::scratch;

#[test]
fn a_key_is_made_once_and_read_back_by_everyone_who_comes_later() {
    let place = scratch();
    let path = place.path().join("state/clicket/journal.key");
    let made = SigningKey::open_or_make(&path, [7; 32]).unwrap();
    let again = SigningKey::open_or_make(&path, [8; 32]).unwrap();
    assert_eq!(made.public(), again.public());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no draft is left");
    assert_eq!(made.mark(&[b"a", b"b"]), again.mark(&[b"a", b"b"]));
}

#[test]
fn two_that_make_the_key_at_once_have_the_same() {
    let place = scratch();
    let path = place.path().join("journal.key");
    let keys: Vec<PublicKey> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8u8)
            .map(|seed| {
                let path = &path;
                scope.spawn(move || SigningKey::open_or_make(path, [seed; 32]).unwrap().public())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(keys.iter().all(|key| *key == keys[0]));
}

#[test]
fn a_key_that_others_may_read_or_that_is_none_is_refused() {
    let place = scratch();
    let path = place.path().join("journal.key");
    SigningKey::open_or_make(&path, [7; 32]).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(SigningKey::open(&path), Err(KeyError::Open { .. })));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    for text in [String::new(), "x".repeat(1_000), format!("{FILE_PREFIX}00\n"), "ed25519:00".into()] {
        fs::write(&path, text).unwrap();
        assert!(matches!(SigningKey::open(&path), Err(KeyError::NotAKey { .. })));
    }
}

#[test]
fn a_key_is_never_printed() {
    let key = SigningKey::from_seed(&[0xab; 32]).unwrap();
    let said = format!("{key:?} {} {:?}", key.public(), key.public());
    assert!(!said.contains("abababab"), "{said}");
}

#[test]
fn the_public_half_is_that_of_rfc_8032_and_reads_back() {
    // RFC 8032 section 7.1, test 2.
    let seed = read_hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb").unwrap();
    let key = SigningKey::from_seed(&seed).unwrap();
    assert_eq!(key.public().to_string(), "ed25519:3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    assert_eq!(key.public().to_string().parse(), Ok(key.public()));
    let signed = key.sign("r");
    assert_eq!(
        signed,
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    );
    assert!(key.public().signed("r", &signed) && !key.public().signed("s", &signed) && !key.public().signed("r", "00"));
    for text in ["", "ed25519:", "ED25519:00", &key.public().to_string().to_uppercase()] {
        assert_eq!(text.parse::<PublicKey>(), Err(PublicKeyError));
    }
}

#[test]
fn parts_of_a_mark_do_not_run_into_each_other() {
    let key = SigningKey::from_seed(&[1; 32]).unwrap();
    assert_ne!(key.mark(&[b"ab", b"c"]), key.mark(&[b"a", b"bc"]));
    assert_ne!(key.mark(&[b"ab"]), SigningKey::from_seed(&[2; 32]).unwrap().mark(&[b"ab"]));
}

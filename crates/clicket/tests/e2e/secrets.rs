//! A planted secret is in no request to the model, no journal line, no log and no file written.

use base64::Engine as _;
use clicket_shop::ShopConfig;

use crate::support::Case;

const CANARY: &str = "zq-Canary+7/1x";

#[test]
fn a_secret_is_in_no_file_and_no_output_in_any_encoding() {
    let case = Case::start(ShopConfig { password: CANARY.into(), ..ShopConfig::default() });
    let mut options = case.chore();
    options.extend(["--screenshot".into(), case.folder.path().join("last.png").display().to_string()]);
    options.extend(["--log".into(), case.folder.path().join("log").display().to_string()]);
    options.extend(["--log-level".into(), "trace".into()]);
    let output = crate::support::clicket().env("SHOP_PASSWORD", CANARY).args(&options).output().unwrap();
    let ran = case.ran(&output);
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(ran.log.iter().any(|entry| entry.method == "POST"), "the secret was really sent: {}", ran.said());
    let form: String = url::form_urlencoded::byte_serialize(CANARY.as_bytes()).collect();
    let encoded = base64::engine::general_purpose::STANDARD.encode(CANARY);
    let reversed: String = CANARY.chars().rev().collect();
    let needles = [CANARY, &form, encoded.trim_end_matches('='), &reversed];
    let mut places =
        vec![("standard output".to_owned(), ran.out.into_bytes()), ("standard error".to_owned(), ran.err.into_bytes())];
    places.extend(case.files().into_iter().map(|file| (file.display().to_string(), std::fs::read(&file).unwrap())));
    assert!(places.iter().any(|(name, _)| name.ends_with(".jsonl")), "the journal was looked at");
    assert!(places.iter().any(|(name, bytes)| name.ends_with("/log") && !bytes.is_empty()), "the log was looked at");
    for (name, bytes) in places {
        let text = String::from_utf8_lossy(&bytes);
        for needle in needles {
            assert!(!text.contains(needle), "{needle} is in {name}");
        }
    }
}

#[test]
fn a_secret_is_not_typed_on_another_origin() {
    let case = Case::start(ShopConfig::default());
    let mut options = case.chore();
    let at = options.iter().position(|option| option == "password=env:SHOP_PASSWORD").unwrap();
    options[at] = "password@https://bank.example=env:SHOP_PASSWORD".into();
    let ran = case.run(&options);
    assert_eq!(ran.code, 3, "{}", ran.said());
    let posted = ran.log.iter().any(|entry| entry.body.contains(ShopConfig::PASSWORD));
    assert!(!posted, "{}", ran.said());
}

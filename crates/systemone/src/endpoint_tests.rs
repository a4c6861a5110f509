use super::*;

#[test]
fn a_key_is_never_printed() {
    let key = ApiKey::new("  ts_0123456789\n").unwrap();
    assert_eq!(format!("{key:?}"), "ApiKey(hidden)");
    assert_eq!(key.bearer(), "Bearer ts_0123456789");
}

#[test]
fn what_is_no_key_is_refused_without_being_shown() {
    assert_eq!(ApiKey::new(" \n"), Err(ConfigFault::KeyEmpty));
    for raw in ["two words", "ligne\nbreak", "ключ", "tab\tbed"] {
        let fault = ApiKey::new(raw).unwrap_err();
        assert_eq!(fault, ConfigFault::KeyUnprintable);
        assert!(!fault.to_string().contains(raw));
    }
}

#[test]
fn plain_http_is_for_this_machine_only() {
    for good in ["https://api.example", "http://127.0.0.1:8791", "http://[::1]:1/p/", "http://localhost:80", "http://127.9.9.9"] {
        assert!(Base::parse(good).is_ok(), "{good}");
    }
    for bad in [
        "http://api.example",
        "http://10.0.0.1",
        "http://localhost.example",
        "http://0.0.0.0",
        "ftp://localhost",
        "http://169.254.169.254",
    ] {
        assert_eq!(Base::parse(bad), Err(ConfigFault::BaseNotSecure), "{bad}");
    }
    for bad in ["https://u@h", "https://u:p@h", "https://h?q", "https://h#f"] {
        assert_eq!(Base::parse(bad), Err(ConfigFault::BaseHasExtras), "{bad}");
    }
    for bad in ["", "api.example", "https://", "data:text/plain,x"] {
        assert!(Base::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_path_of_the_base_stays_in_front() {
    assert_eq!(Base::parse("http://127.0.0.1:9/p//").unwrap().evaluate_url(), "http://127.0.0.1:9/p/v1/systemone");
    assert_eq!(Base::vendor().unwrap().evaluate_url(), "https://api.typesafe.ai/v1/systemone");
    assert_eq!(Base::parse("https://h.example:444").unwrap().host(), "h.example:444");
}

use super::{Cause, cause_of, is_telemetry};
use crate::effect::RequestFacts;
use crate::reach::WriteClass;

fn quiet(class: WriteClass, url: &str) -> bool {
    is_telemetry(class, &RequestFacts { url: url.to_owned(), ..RequestFacts::default() })
}

#[test]
fn what_measures_is_known_by_its_last_segment_and_what_sells_is_not() {
    for url in [
        "https://a.example/g/collect?v=2",
        "https://a.example/api/42/envelope/",
        "https://a.example/cdn-cgi/rum",
        "https://a.example/Telemetry",
    ] {
        assert!(quiet(WriteClass::Script, url), "{url}");
        assert!(!quiet(WriteClass::Navigation, url), "{url}");
    }
    for url in [
        "https://a.example/collection",
        "https://a.example/api/envelope",
        "https://a.example/analytics/reports",
        "https://a.example/",
    ] {
        assert!(!quiet(WriteClass::Script, url), "{url}");
        assert!(quiet(WriteClass::Beacon, url), "{url}");
    }
}

#[test]
fn a_write_is_the_pages_own_unless_an_action_is_under_way_on_the_page_that_sends_it() {
    let opened = ["https://a.example/next".to_owned()];
    assert_eq!(cause_of(true, Some("https://a.example/list"), &opened), Cause::Action);
    assert_eq!(cause_of(true, None, &opened), Cause::Action);
    assert_eq!(cause_of(true, Some("https://a.example/next"), &opened), Cause::Page);
    assert_eq!(cause_of(false, Some("https://a.example/list"), &[]), Cause::Page);
}

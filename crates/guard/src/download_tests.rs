use proptest::prelude::*;

use super::{is_file, may_give_a_file, name_of, safe_name};
use crate::effect::RequestFacts;

#[test]
fn a_name_is_one_harmless_file_name() {
    for (given, name) in [
        ("invoice.pdf", "invoice.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\system.ini", "system.ini"),
        (".bashrc", "bashrc"),
        ("..", "download"),
        ("", "download"),
        ("  a.pdf . ", "a.pdf"),
        ("annual\u{202e}fdp.exe", "annualfdp.exe"),
        ("a\u{200b}b\u{feff}.pdf", "ab.pdf"),
        ("con", "_con"),
        ("NUL.pdf", "_NUL.pdf"),
        ("com1.txt", "_com1.txt"),
        ("community.txt", "community.txt"),
        ("a:b|c?.pdf", "a_b_c_.pdf"),
        ("$HOME.pdf", "_HOME.pdf"),
        ("Rechnung März.pdf", "Rechnung März.pdf"),
    ] {
        assert_eq!(safe_name(given), name, "{given:?}");
    }
    let long = safe_name(&format!("{}.pdf", "ä".repeat(300)));
    assert!(long.len() <= 180 && long.ends_with("ä.pdf"), "{long}");
}

#[test]
fn the_sites_name_goes_before_the_address_and_the_extended_form_before_the_plain() {
    let url = "https://shop.example/files/in%20voice.pdf?x=1";
    for (disposition, name) in [
        (None, "in voice.pdf"),
        (Some("attachment"), "in voice.pdf"),
        (Some("attachment; filename=a.pdf"), "a.pdf"),
        (Some("attachment; filename=\"a;b.pdf\""), "a;b.pdf"),
        (Some("attachment; filename=\"a\\\"b.pdf\""), "a_b.pdf"),
        (Some("attachment; filename=\"../../x/.pdf\""), "pdf"),
        (Some("attachment; filename=a.pdf; filename*=UTF-8''M%C3%A4rz%2Epdf"), "März.pdf"),
        (Some("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd"), "passwd"),
        (Some("attachment; filename*=ISO-8859-1''x; filename=b.pdf"), "b.pdf"),
        (Some("attachment; filename=\"\""), "in voice.pdf"),
    ] {
        assert_eq!(name_of(disposition, url), name, "{disposition:?}");
    }
    assert_eq!(name_of(None, "https://shop.example/"), "download");
}

#[test]
fn an_attachment_or_a_type_that_a_browser_saves_is_a_file() {
    for (kind, disposition) in [
        (Some("application/pdf"), None),
        (Some("text/csv; charset=utf-8"), None),
        (Some("application/octet-stream"), Some("inline")),
        (Some("text/html"), Some("attachment; filename=a.html")),
        (None, Some("Attachment")),
        (Some("application/zip"), None),
    ] {
        assert!(is_file(kind, disposition), "{kind:?} {disposition:?}");
    }
    for (kind, disposition) in [
        (Some("text/html; charset=utf-8"), None),
        (Some("image/png"), Some("inline; filename=attachment.png")),
        (Some("application/xhtml+xml"), None),
        (Some("application/problem+json"), None),
        (None, None),
        (Some(""), None),
    ] {
        assert!(!is_file(kind, disposition), "{kind:?} {disposition:?}");
    }
}

#[test]
fn only_a_navigation_or_the_browsers_own_asking_gives_a_file() {
    let facts = |mode: &str, dest: &str| RequestFacts {
        method: "GET".into(),
        mode: Some(mode.into()),
        dest: Some(dest.into()),
        ..RequestFacts::default()
    };
    assert!(may_give_a_file(&facts("navigate", "document")) && may_give_a_file(&facts("navigate", "iframe")));
    assert!(may_give_a_file(&facts("no-cors", "empty")));
    assert!(!may_give_a_file(&facts("cors", "empty")) && !may_give_a_file(&facts("no-cors", "image")));
    assert!(!may_give_a_file(&RequestFacts::default()));
}

proptest! {
    #[test]
    fn whatever_a_site_calls_it_it_stays_in_its_folder(given in ".{0,300}") {
        let name = safe_name(&given);
        prop_assert!(!name.is_empty() && name.len() <= 200);
        prop_assert!(!name.contains(['/', '\\', '\0']) && !name.starts_with('.') && name != "..");
        prop_assert!(!name.chars().any(char::is_control));
    }
}

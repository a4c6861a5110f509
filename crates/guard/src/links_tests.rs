use super::*;
use crate::fixtures::{PAGE, button, link, page};
use crate::untrusted::PageText;

fn shop() -> WebUrl {
    WebUrl::read(PAGE).unwrap()
}

/// A link as it is seen: its destination is resolved.
fn to(handle: u64, name: &str, href: &str) -> Control {
    let resolved = url::Url::parse(PAGE).unwrap().join(href).unwrap();
    link(handle, name, resolved.as_str())
}

fn judged(href: &str, name: &str) -> Result<String, LinkRefusal> {
    let seen = page(vec![to(1, name, href)]);
    safe_link(&seen, &shop(), &seen.controls[0]).map(|url| url.as_str().to_owned())
}

#[test]
fn a_link_is_offered_only_when_a_look_is_all_that_it_asks_for() {
    use LinkRefusal::{Elsewhere, File, Query, Risky, SamePage};
    let rows: &[(&str, &str, Result<&str, LinkRefusal>)] = &[
        ("https://shop.example/mugs", "Mugs", Ok("https://shop.example/mugs")),
        ("/mugs#reviews", "Reviews", Ok("https://shop.example/mugs")),
        ("https://shop.example/mugs?sort=price", "Mugs", Err(Query)),
        ("https://shop.example/mugs?", "Mugs", Err(Query)),
        ("https://other.example/mugs", "Mugs", Err(Elsewhere)),
        ("https://sub.shop.example/", "Sub", Err(Elsewhere)),
        ("https://shop.example:8443/", "Port", Err(Elsewhere)),
        ("http://shop.example/mugs", "Plain", Err(Elsewhere)),
        ("javascript:alert(1)", "Script", Err(Elsewhere)),
        ("https://me:pw@shop.example/", "Credentials", Err(Elsewhere)),
        ("#top", "Top", Err(SamePage)),
        (PAGE, "Here", Err(SamePage)),
        ("/setup.exe", "Setup", Err(File)),
        ("/all.tar.gz", "All", Err(File)),
        ("/logout", "Mugs", Err(Risky)),
        ("/log-out", "Mugs", Err(Risky)),
        ("/account/sign_in", "Mugs", Err(Risky)),
        ("/deleteAccount", "Mugs", Err(Risky)),
        ("/%64elete", "Mugs", Err(Risky)),
        ("/%2564elete/1", "Mugs", Err(Risky)),
        ("/konto/loeschen", "Konto löschen", Err(Risky)),
        ("/mugs", "Delete my account", Err(Risky)),
    ];
    for (href, name, wanted) in rows {
        assert_eq!(judged(href, name), wanted.map(str::to_owned), "{href} {name}");
    }
}

#[test]
fn a_link_that_opens_elsewhere_or_saves_or_is_no_link_is_not_offered() {
    let seen = page(vec![
        Control { target: "_blank".into(), ..to(1, "New", "/new") },
        Control { download: true, ..to(2, "Get", "/get") },
        Control { disabled: true, ..to(3, "Off", "/off") },
        Control { frame_origin: "https://shop.example".into(), ..to(4, "Framed", "/framed") },
        Control { kind: ControlKind::Button, ..to(5, "Button", "/button") },
        button(6, "Plain button"),
    ]);
    let refusals: Vec<_> = seen.controls.iter().map(|control| safe_link(&seen, &shop(), control).unwrap_err()).collect();
    use LinkRefusal::{Disabled, File, NoLink, Target};
    assert_eq!(refusals, [Target, File, Disabled, Target, NoLink, NoLink]);
}

#[test]
fn one_link_of_each_destination_is_kept_and_the_rest_is_counted() {
    let mut controls = vec![to(1, "First", "/a"), to(2, "Again", "/a#b"), to(3, "", "/nameless"), button(4, "Order")];
    controls.extend((0..LINKS_MAX as u64 + 5).map(|n| to(100 + n, "More", &format!("/more/{n}"))));
    let kept = with_links_alone(&page(controls), &shop());
    assert_eq!((kept.controls.len(), kept.omitted), (LINKS_MAX, 6));
    assert_eq!(kept.controls[0].name, PageText::plain("First"));
    assert!(kept.controls.iter().all(|control| control.kind == ControlKind::Link));
}

fn asked(method: &str, url: &str, dest: &str, purpose: Option<&str>) -> RequestFacts {
    RequestFacts {
        method: method.into(),
        url: url.into(),
        origin: None,
        dest: Some(dest.into()),
        mode: None,
        site: None,
        user: false,
        purpose: purpose.map(str::to_owned),
        content_type: None,
        preflight_for: None,
        upgrade: false,
        overrides_method: false,
    }
}

#[test]
fn nothing_passes_but_the_allowed_document_and_what_it_is_drawn_with() {
    let allowed = WebUrl::read("https://shop.example/mugs").unwrap();
    let (document, asset, data) =
        (Passage::Pass(ReadClass::Document), Passage::Pass(ReadClass::Asset), Passage::Pass(ReadClass::Data));
    let passes = |passage, facts: &RequestFacts| narrowed(passage, facts, Some(&allowed)) == passage;
    let get = |url: &str, dest: &str| asked("GET", url, dest, None);
    assert!(passes(document, &get("https://shop.example/mugs", "document")));
    assert!(passes(data, &get("https://shop.example/shop.css", "style")));
    assert!(passes(asset, &get("https://shop.example/mug.png", "image")));
    for (passage, facts) in [
        (document, get("https://shop.example/mugs?all", "document")),
        (document, get("https://shop.example/other", "document")),
        (document, asked("HEAD", "https://shop.example/mugs", "document", None)),
        (Passage::Pass(ReadClass::Frame), get("https://shop.example/mugs", "iframe")),
        (data, get("https://shop.example/rules.json", "speculationrules")),
        (data, get("https://shop.example/feed", "empty")),
        (data, get("https://shop.example/app.js", "script")),
        (asset, asked("GET", "https://shop.example/mug.png", "image", Some("prefetch"))),
        (Passage::Pass(ReadClass::Preflight), asked("OPTIONS", "https://shop.example/mugs", "empty", None)),
        (Passage::Hold(crate::reach::WriteClass::Navigation), asked("POST", "https://shop.example/mugs", "document", None)),
    ] {
        assert_eq!(narrowed(passage, &facts, Some(&allowed)), Passage::Refuse(ReachReason::NotAllowed), "{facts:?}");
    }
    assert!(!matches!(narrowed(document, &get("https://shop.example/mugs", "document"), None), Passage::Pass(_)));
}

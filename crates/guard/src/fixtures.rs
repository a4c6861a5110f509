//! Small observations, requests and journals for the tests of the judge.

use clicket_journal::{Journal, RunId};

use crate::approval::Moment;
use crate::effect::RequestImage;
use crate::observation::{Control, ControlKind, FormFacts, Handle, Meaning, Observation, Scroll};
use crate::secret::{Secret, SecretField};
use crate::untrusted::PageText;
use crate::web::Origin;

pub(crate) const PAGE: &str = "https://shop.example/list";

pub(crate) fn shop() -> Origin {
    Origin::read("https://shop.example").unwrap()
}

pub(crate) fn secret(key: &str, value: &str, field: SecretField) -> Secret {
    Secret::bind(key, value.to_owned(), shop(), field).unwrap()
}

/// A control that can be used, with a handle and a meaning of its own.
pub(crate) fn control(handle: u64, kind: ControlKind, role: &str, name: &str) -> Control {
    Control {
        handle: Handle(handle),
        meaning: Meaning(clicket_journal::Digest::of(&handle.to_be_bytes())),
        kind,
        role: role.into(),
        name: PageText::plain(name),
        in_viewport: true,
        ..Control::default()
    }
}

pub(crate) fn button(handle: u64, name: &str) -> Control {
    control(handle, ControlKind::Button, "button", name)
}

pub(crate) fn link(handle: u64, name: &str, href: &str) -> Control {
    Control { href: href.into(), ..control(handle, ControlKind::Link, "link", name) }
}

pub(crate) fn field(handle: u64, name: &str) -> Control {
    Control {
        input_type: "text".into(),
        form: Some(FormFacts::default()),
        ..control(handle, ControlKind::Field, "textbox", name)
    }
}

pub(crate) fn password(handle: u64) -> Control {
    Control { input_type: "password".into(), secret_field: true, ..field(handle, "Password") }
}

pub(crate) fn page(controls: Vec<Control>) -> Observation {
    Observation {
        url: PAGE.into(),
        title: PageText::plain("Shop"),
        scroll: Scroll { up: true, down: true },
        controls,
        ..Observation::default()
    }
}

pub(crate) fn request(method: &str, url: &str, kind: &str, body: &str) -> RequestImage {
    RequestImage {
        method: method.into(),
        url: url.into(),
        headers: vec![("content-type".into(), kind.into())],
        body: body.as_bytes().to_vec(),
    }
}

pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// A journal in a folder that lives as long as the test.
pub(crate) fn journal() -> (tempfile::TempDir, Journal) {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::create(folder.path(), &RunId::new(1_700_000_000_000, [7; 8])).unwrap();
    (folder, journal)
}

pub(crate) fn at(steady_ms: u64) -> Moment {
    Moment { unix_ms: 1_700_000_000_000 + steady_ms, steady_ms }
}

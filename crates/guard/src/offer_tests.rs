use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::choice::{Named, Unreadable, read};
use crate::fixtures::{button, control, field, link, page, password, shop};
use crate::observation::{FormFacts, OptionItem, Scroll};
use crate::permit::WidgetKey;

fn offer(controls: Vec<Control>, values: &[ValueOffer]) -> Offer {
    Offer::make(&page(controls), values, History::First, [1; 16])
}

fn text(text: &str) -> ValueOffer {
    ValueOffer::Text { key: Some("k".into()), text: text.into() }
}

fn hidden(field: SecretField) -> ValueOffer {
    ValueOffer::Secret { key: "pw".into(), origin: shop(), field }
}

/// One of everything that can be offered.
fn rich() -> Observation {
    let options = ["One", "Two"].into_iter().enumerate();
    let options =
        options.map(|(at, label)| OptionItem { index: at as u32, label: PageText::plain(label), ..OptionItem::default() });
    page(vec![
        button(1, "Save"),
        link(2, "More", "https://shop.example/more"),
        Control { filled: true, ..field(3, "Search") },
        password(4),
        Control { options: options.collect(), ..control(5, ControlKind::Choice, "combobox", "Size") },
        Control { checked: Tri::Off, ..control(6, ControlKind::Toggle, "checkbox", "Gift") },
    ])
}

#[test]
fn an_id_from_another_offer_is_unreadable() {
    let values = [text("x"), hidden(SecretField::Concealed)];
    let mine = Offer::make(&rich(), &values, History::HasEarlier, [1; 16]);
    for other in [[0u8; 16], [2; 16], [255; 16], *b"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x02"] {
        let other = Offer::make(&rich(), &values, History::HasEarlier, other);
        assert_eq!(mine.entries().len(), other.entries().len());
        for entry in other.entries().iter().filter(|entry| entry.operation.has_target()) {
            let operation = entry.operation.name();
            let named = Named { operation, operation_confidence: 1.0, target: Some((entry.id.as_str(), 1.0)) };
            assert_eq!(read(&mine, &named), Err(Unreadable::Target(operation)));
        }
    }
}

#[test]
fn the_same_look_and_nonce_give_the_same_bytes() {
    let make = || serde_json::to_string(&Offer::make(&rich(), &[text("x")], History::HasEarlier, [9; 16])).unwrap();
    assert_eq!(make(), make());
    let read: Offer = serde_json::from_str(&make()).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), make());
}

#[test]
fn disabled_covered_and_nameless_handles_are_never_offered() {
    let covered = Some(PageText::plain("cookie banner"));
    let unusable = [
        Control { disabled: true, ..button(1, "Save") },
        Control { covered_by: covered.clone(), ..button(2, "Save") },
        Control { covered_by: Some(PageText::default()), ..button(3, "Save") },
        Control { handle: Handle(0), ..button(4, "Save") },
        Control { disabled: true, ..field(5, "Name") },
        Control { covered_by: covered, ..password(6) },
    ];
    for control in unusable {
        let offer = offer(vec![control.clone()], &[text("x"), hidden(SecretField::Concealed)]);
        assert!(offer.entries().iter().all(|entry| entry.action.bound().is_none()), "{control:?}");
    }
}

#[test]
fn a_handle_that_comes_twice_is_offered_as_the_control_it_is_judged_as() {
    let twice = offer(vec![Control { disabled: true, ..button(1, "Save") }, button(1, "Delete"), button(2, "Save")], &[]);
    assert_eq!(twice.of(Operation::Press).count(), 1);
}

#[test]
fn a_secret_is_offered_only_at_its_origin_and_to_its_kind_of_field() {
    let concealed = SecretField::Concealed;
    let framed = |origin: &str| Control { frame_origin: origin.into(), ..password(1) };
    for (control, kind, offered) in [
        (password(1), concealed, true),
        (field(1, "Name"), concealed, false),
        (field(1, "Name"), SecretField::AnyText, true),
        (password(1), SecretField::AnyText, true),
        (framed("https://shop.example"), concealed, true),
        (framed("https://evil.example"), concealed, false),
        (framed("http://shop.example"), concealed, false),
        (framed("https://shop.example:8443"), concealed, false),
        (framed("https://shop.example.evil.example"), concealed, false),
        (framed("null"), concealed, false),
        (framed("about:blank"), concealed, false),
        (Control { readonly: true, ..password(1) }, concealed, false),
        (Control { filled: true, ..password(1) }, concealed, false),
    ] {
        let offer = offer(vec![control.clone()], &[hidden(kind)]);
        assert_eq!(offer.of(Operation::Fill).count() == 1, offered, "{kind:?} {control:?}");
    }
    let mut elsewhere = page(vec![password(1)]);
    for url in ["https://evil.example/", "http://shop.example/", "", "about:blank", "file:///etc/passwd"] {
        elsewhere.url = url.into();
        let offer = Offer::make(&elsewhere, &[hidden(concealed)], History::First, [1; 16]);
        assert_eq!(offer.of(Operation::Fill).count(), 0, "{url}");
    }
}

#[test]
fn plain_text_is_never_offered_to_a_secret_or_read_only_or_file_field() {
    for control in
        [password(1), Control { readonly: true, ..field(1, "Name") }, Control { input_type: "file".into(), ..field(1, "Photo") }]
    {
        assert_eq!(offer(vec![control], &[text("x")]).of(Operation::Fill).count(), 0);
    }
    assert_eq!(offer(vec![Control { input_type: "file".into(), ..field(1, "Photo") }], &[]).of(Operation::Press).count(), 0);
}

#[test]
fn a_value_that_is_there_already_is_not_offered_again() {
    let long = "long text ".repeat(60);
    let cut = PageText::read(&long, VALUE_CHARS_MAX, &Scrubber::default());
    let holds = |value: PageText| Control { value: Some(value), filled: true, ..field(1, "Name") };
    for (control, value, offered) in [
        (holds(PageText::plain("anna")), text("anna"), false),
        (holds(PageText::plain("Anna")), text("anna"), true),
        (holds(PageText::plain("")), text("anna"), true),
        (holds(cut.clone()), text(&long), false),
        (holds(cut), text(&format!("{long}.")), true),
        (holds(PageText::plain("[secret:pw]")), hidden(SecretField::AnyText), false),
        (holds(PageText::plain("something else")), hidden(SecretField::AnyText), true),
    ] {
        assert_eq!(offer(vec![control], std::slice::from_ref(&value)).of(Operation::Fill).count() == 1, offered, "{value:?}");
    }
}

#[test]
fn a_toggle_is_offered_its_other_state_and_a_radio_that_is_on_nothing() {
    for (role, checked, to) in [
        ("checkbox", Tri::Off, Some(Switch::On)),
        ("checkbox", Tri::On, Some(Switch::Off)),
        ("checkbox", Tri::Mixed, Some(Switch::On)),
        ("switch", Tri::On, Some(Switch::Off)),
        ("radio", Tri::Off, Some(Switch::On)),
        ("radio", Tri::On, None),
    ] {
        let offer = offer(vec![Control { checked, ..control(1, ControlKind::Toggle, role, "Gift") }], &[]);
        let offered = offer.of(Operation::Toggle).map(|entry| match &entry.action {
            Action::Toggle { to, .. } => *to,
            other => panic!("{other:?}"),
        });
        assert_eq!(offered.collect::<Vec<_>>(), Vec::from_iter(to), "{role} {checked:?}");
    }
}

#[test]
fn chosen_and_disabled_options_are_not_offered() {
    let option = |index, selected, disabled| OptionItem {
        index,
        label: PageText::plain("x"),
        selected,
        disabled,
        ..OptionItem::default()
    };
    let options = vec![option(0, true, false), option(1, false, true), option(2, false, false)];
    let offer = offer(vec![Control { options, ..control(1, ControlKind::Choice, "combobox", "Size") }], &[]);
    let offered: Vec<_> = offer.of(Operation::Choose).map(|entry| entry.action.clone()).collect();
    assert!(matches!(offered.as_slice(), [Action::Choose { option: 2, .. }]), "{offered:?}");
}

#[test]
fn what_does_not_fit_is_counted() {
    let crowd = offer((1..=300).map(|handle| button(handle, "Add")).collect(), &[]);
    assert_eq!((crowd.of(Operation::Press).count(), crowd.left_out), (250, 50));
    let options = (0..400).map(|index| OptionItem { index, label: PageText::plain("x"), ..OptionItem::default() }).collect();
    let list = offer(vec![Control { options, ..control(1, ControlKind::Choice, "combobox", "Size") }], &[]);
    assert_eq!((list.of(Operation::Choose).count(), list.left_out), (250, 150));
    let values: Vec<_> = (0..10).map(|at| text(&at.to_string())).collect();
    let form = offer((1..=30).map(|handle| field(handle, "Name")).collect(), &values);
    assert_eq!((form.of(Operation::Fill).count(), form.left_out), (250, 50));
}

#[test]
fn enter_is_offered_where_it_sends_a_form_or_keys_are_heard() {
    let filled = |form, listens_for_keys, input_type: &str| Control {
        filled: true,
        form,
        listens_for_keys,
        input_type: input_type.into(),
        ..field(1, "Search")
    };
    for (control, offered) in [
        (filled(Some(FormFacts::default()), false, "search"), true),
        (filled(None, true, "text"), true),
        (filled(None, false, "text"), false),
        (filled(Some(FormFacts::default()), true, "textarea"), false),
        (Control { filled: false, ..filled(Some(FormFacts::default()), true, "text") }, false),
        (Control { filled: true, ..password(1) }, true),
    ] {
        assert_eq!(offer(vec![control.clone()], &[]).of(Operation::Enter).count() == 1, offered, "{control:?}");
    }
}

#[test]
fn scrolling_and_going_back_are_offered_only_where_they_lead() {
    for (up, down, history) in [(false, false, History::First), (true, false, History::HasEarlier), (false, true, History::First)]
    {
        let seen = Observation { scroll: Scroll { up, down }, ..page(Vec::new()) };
        let operations = Offer::make(&seen, &[], history, [1; 16]).operations();
        assert_eq!(operations.contains(&Operation::ScrollUp), up);
        assert_eq!(operations.contains(&Operation::ScrollDown), down);
        assert_eq!(operations.contains(&Operation::Back), history == History::HasEarlier);
        assert!(operations.ends_with(&[Operation::Done, Operation::Blocked]));
        assert!(operations.contains(&Operation::Wait));
    }
}

#[test]
fn no_entry_accepts_a_native_dialog() {
    let names: Vec<_> = Operation::ALL.into_iter().map(Operation::name).collect();
    assert_eq!(
        names,
        [
            "press",
            "fill",
            "choose",
            "toggle",
            "enter",
            "key",
            "hover",
            "attach",
            "look_at",
            "scroll_down",
            "scroll_up",
            "wait",
            "back",
            "done",
            "blocked"
        ]
    );
}

fn any_control() -> impl Strategy<Value = Control> {
    let kinds = prop::sample::select(vec![
        ControlKind::Link,
        ControlKind::Button,
        ControlKind::Field,
        ControlKind::Choice,
        ControlKind::Toggle,
        ControlKind::Option,
        ControlKind::Widget,
        ControlKind::Generic,
    ]);
    (0u64..6, kinds, any::<[bool; 6]>(), ".{0,12}", 0u32..4).prop_map(|(handle, kind, flags, name, options)| {
        let [disabled, covered, secret_field, filled, readonly, in_form] = flags;
        Control {
            disabled,
            covered_by: covered.then(PageText::default),
            secret_field,
            filled,
            readonly,
            form: in_form.then(FormFacts::default),
            options: (0..options).map(|index| OptionItem { index, ..OptionItem::default() }).collect(),
            ..control(handle, kind, "button", &name)
        }
    })
}

proptest! {
    #[test]
    fn every_entry_has_its_own_id_and_a_usable_control(controls in prop::collection::vec(any_control(), 0..40), nonce: [u8; 16]) {
        let seen = page(controls);
        let values = [text("x"), hidden(SecretField::Concealed)];
        let offer = Offer::make(&seen, &values, History::HasEarlier, nonce);
        let ids: HashSet<_> = offer.entries().iter().map(|entry| &entry.id).collect();
        prop_assert_eq!(ids.len(), offer.entries().len());
        for entry in offer.entries() {
            prop_assert_eq!(entry.operation.has_target(), entry.action.bound().is_some());
            let Some(bound) = entry.action.bound() else { continue };
            let control = seen.control(bound.handle).unwrap();
            prop_assert!(!control.disabled && control.covered_by.is_none() && control.meaning == bound.meaning);
        }
    }

    #[test]
    fn two_nonces_never_share_an_id(one: [u8; 16], other: [u8; 16]) {
        prop_assume!(one != other);
        let ids = |nonce| Offer::make(&rich(), &[text("x")], History::First, nonce).entries().iter().map(|entry| entry.id.clone()).collect::<HashSet<_>>();
        prop_assert!(ids(one).is_disjoint(&ids(other)));
    }
}

#[test]
fn a_file_is_offered_to_an_empty_file_field_and_to_no_other() {
    let source = FileSource { key: "report".into(), name: "r.pdf".into(), bytes: 4, sha256: Digest::of(b"%PDF") };
    let files = [ValueOffer::File(source)];
    let file_field = Control { input_type: "file".into(), ..field(1, "Report") };
    let made = offer(vec![file_field.clone(), field(2, "Name")], &files);
    assert_eq!((made.of(Operation::Attach).count(), made.of(Operation::Fill).count()), (1, 0));
    let full = Control { filled: true, ..file_field };
    assert_eq!(offer(vec![full], &files).of(Operation::Attach).count(), 0);
}

#[test]
fn only_a_control_with_a_menu_that_is_shut_is_pointed_at() {
    let plain = link(1, "Shop", "https://shop.example/shop");
    let menu = Control { has_menu: true, ..plain.clone() };
    let open = Control { expanded: Tri::On, ..menu.clone() };
    let shut_link = Control { expanded: Tri::Off, ..menu.clone() };
    let shut_button = Control { has_menu: true, expanded: Tri::Off, ..button(1, "Shop") };
    for (control, offered) in [(plain, 0), (menu, 1), (open, 0), (shut_link, 1), (shut_button, 0)] {
        let made = offer(vec![control.clone()], &[]);
        assert_eq!(made.of(Operation::Hover).count(), offered, "{control:?}");
        assert_eq!(made.of(Operation::Press).count(), 1);
    }
}

#[test]
fn parts_of_the_page_that_are_not_wholly_listed_are_offered_to_look_at() {
    use crate::observation::Part;
    let part = |from: u64, controls: u64, listed: u64| Part { from: Handle(from), controls, listed, ..Part::default() };
    let seen = Observation { parts: vec![part(1, 200, 200), part(201, 200, 50), part(401, 50, 0)], ..page(Vec::new()) };
    let made = Offer::make(&seen, &[], History::First, [1; 16]);
    let offered: Vec<_> = made.of(Operation::LookAt).map(|entry| entry.action.clone()).collect();
    assert_eq!(offered, [Action::LookAt { from: Handle(201) }, Action::LookAt { from: Handle(401) }]);
    assert!(offered.iter().all(|action| action.bound().is_none()));
}

#[test]
fn a_widget_is_offered_for_its_keys_and_never_for_a_press() {
    let keys = vec![WidgetKey::Escape, WidgetKey::ArrowDown];
    let widget = Control { widget_keys: keys, ..control(1, ControlKind::Widget, "listbox", "Colours") };
    let made = Offer::make(&page(vec![widget]), &[], History::First, [1; 16]);
    assert_eq!((made.of(Operation::Key).count(), made.of(Operation::Press).count()), (2, 0));
}

use proptest::prelude::*;

use super::*;
use crate::fixtures::{button, control, field, page};
use crate::observation::{Control, ControlKind, Handle, OptionItem, Part, Tri};
use crate::offer::{History, ValueOffer};
use crate::permit::{FileSource, WidgetKey};

/// An offer in which every operation is possible.
fn offer(nonce: u8) -> Offer {
    let mut seen = page(vec![
        Control { widget_keys: vec![WidgetKey::Escape], ..control(6, ControlKind::Widget, "listbox", "Colours") },
        Control { has_menu: true, ..button(1, "Save") },
        Control { input_type: "file".into(), ..field(5, "Report") },
        Control { filled: true, ..field(2, "Name") },
        Control { options: vec![OptionItem::default()], ..control(3, ControlKind::Choice, "combobox", "Size") },
        Control { checked: Tri::Off, ..control(4, ControlKind::Toggle, "checkbox", "Gift") },
    ]);
    seen.parts = vec![Part { from: Handle(900), controls: 200, ..Part::default() }];
    let value = ValueOffer::Text { key: None, text: "anna".into() };
    let file = ValueOffer::File(FileSource {
        key: "report".into(),
        name: "r.pdf".into(),
        bytes: 1,
        sha256: clicket_journal::Digest::of(b"x"),
    });
    Offer::make(&seen, &[value, file], History::HasEarlier, [nonce; 16])
}

fn answer<'a>(operation: &'a str, target: Option<&'a str>) -> Named<'a> {
    Named { operation, operation_confidence: 0.9, target: target.map(|id| (id, 0.8)) }
}

#[test]
fn every_operation_with_and_without_every_kind_of_target() {
    let (offer, other) = (offer(1), offer(2));
    for operation in Operation::ALL {
        let own = offer.of(operation).next().map(|entry| entry.id.as_str().to_owned());
        let foreign = offer.entries().iter().find(|entry| entry.operation != operation && entry.operation.has_target());
        let stale = other.of(operation).next().map(|entry| entry.id.as_str().to_owned());
        let name = operation.name();
        for wrong in [
            foreign.map(|entry| entry.id.as_str().to_owned()),
            stale,
            Some("e0000000000".into()),
            Some(String::new()),
            Some("1".into()),
        ] {
            let read = read(&offer, &answer(name, wrong.as_deref()));
            if operation.has_target() && wrong.is_some() {
                assert_eq!(read, Err(Unreadable::Target(name)), "{name} {wrong:?}");
            } else if !operation.has_target() {
                // A target beside an operation that has none was asked in the same breath and isn't read.
                assert!(read.is_ok(), "{name} {wrong:?}");
            }
        }
        match (operation.has_target(), read(&offer, &answer(name, None))) {
            (true, bare) => {
                assert_eq!(bare, Err(Unreadable::NoTarget(name)));
                let choice = read(&offer, &answer(name, own.as_deref())).unwrap();
                assert!(
                    matches!(choice.pick(), Pick::Act(entry) if entry.operation == operation && Some(entry.id.as_str()) == own.as_deref())
                );
                assert!((choice.confidence() - 0.8).abs() < 1e-9);
            }
            (false, bare) => {
                let choice = bare.unwrap();
                match operation {
                    Operation::Done => assert_eq!(*choice.pick(), Pick::Done),
                    Operation::Blocked => assert_eq!(*choice.pick(), Pick::Blocked),
                    _ => assert!(matches!(choice.pick(), Pick::Act(entry) if entry.operation == operation)),
                }
                assert!((choice.confidence() - 0.9).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn an_operation_that_was_not_offered_is_unreadable() {
    let bare = Offer::make(&crate::observation::Observation::default(), &[], History::First, [1; 16]);
    for name in
        ["press", "fill", "choose", "toggle", "enter", "key", "hover", "attach", "look_at", "scroll_down", "scroll_up", "back"]
    {
        assert_eq!(read(&bare, &answer(name, Some("e0000000000"))), Err(Unreadable::Operation), "{name}");
    }
    for name in ["", "Press", "press ", "PRESS", "navigate", "submit", "done\0", "d\u{43e}ne", "accept_dialog"] {
        assert_eq!(read(&offer(1), &answer(name, None)), Err(Unreadable::Operation), "{name:?}");
    }
}

#[test]
fn a_confidence_outside_0_to_1_is_unreadable() {
    let offer = offer(1);
    let id = offer.of(Operation::Press).next().unwrap().id.as_str();
    for wrong in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.000_1, 1.000_1, f64::MAX, f64::MIN] {
        for (operation, operation_confidence, target) in
            [("done", wrong, None), ("wait", wrong, None), ("press", wrong, Some((id, 1.0))), ("press", 1.0, Some((id, wrong)))]
        {
            assert_eq!(
                read(&offer, &Named { operation, operation_confidence, target }),
                Err(Unreadable::Confidence),
                "{operation} {wrong}"
            );
        }
    }
    for right in [0.0, -0.0, f64::MIN_POSITIVE, 0.5, 1.0] {
        assert!(read(&offer, &Named { operation: "press", operation_confidence: right, target: Some((id, right)) }).is_ok());
    }
}

#[test]
fn confidence_is_that_of_the_weaker_part() {
    let offer = offer(1);
    let id = offer.of(Operation::Press).next().unwrap().id.as_str();
    for (operation_confidence, target) in [(0.2, 0.9), (0.9, 0.2)] {
        let choice = read(&offer, &Named { operation: "press", operation_confidence, target: Some((id, target)) }).unwrap();
        assert!((choice.confidence() - 0.2).abs() < 1e-9);
    }
}

proptest! {
    #[test]
    fn any_answer_names_an_offered_entry_or_is_unreadable(operation in ".{0,12}|press|fill|wait|done", id in ".{0,12}|e[0-9a-f]{10}", confidence: f64) {
        let offer = offer(1);
        let named = Named { operation: &operation, operation_confidence: confidence, target: Some((&id, confidence)) };
        if let Ok(choice) = read(&offer, &named) {
            prop_assert!((0.0..=1.0).contains(&choice.confidence()));
            if let Pick::Act(entry) = choice.pick() {
                prop_assert!(offer.entries().contains(entry));
            }
        }
    }
}

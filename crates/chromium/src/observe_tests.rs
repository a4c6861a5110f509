use super::*;

fn read(raw: &RawControl, scrub: &Scrubber) -> (Control, Remembered) {
    let world = World { session: "S".to_owned(), id: 1, unique_id: "1".to_owned() };
    read_control(raw, &Found { world: &world, path: &Path::default(), number: 0, beside_foreign_frames: false }, scrub)
}

fn control(value: Value) -> RawControl {
    serde_json::from_value(value).unwrap()
}

#[test]
fn a_hostile_answer_becomes_a_bounded_control() {
    let long = "x".repeat(100_000);
    let raw = control(json!({
        "key": 7, "kind": "rocket", "role": long, "name": long, "href": long, "checked": "perhaps", "nth": 0,
        "box": { "x": 1e300, "y": -1e300, "width": -5, "height": 1e300 }, "somethingNew": { "deep": [1, 2] },
        "options": (0..5_000).map(|index| json!({ "index": index, "label": long })).collect::<Vec<_>>(),
    }));
    let (seen, _) = read(&raw, &Scrubber::default());
    assert_eq!(seen.kind, ControlKind::Generic);
    assert_eq!(seen.role.len(), WORD_CHARS_MAX);
    assert_eq!(seen.name.for_model().len(), NAME_CHARS_MAX);
    assert_eq!(seen.href.len(), URL_CHARS_MAX);
    assert_eq!(seen.options.len(), OPTIONS_MAX);
    assert_eq!(seen.checked, Tri::Absent);
    assert_eq!((seen.bounds.width, seen.bounds.height), (0.0, 1e7));
    assert_eq!(seen.ordinal, Ordinal { nth: 1, of: 1 });
}

#[test]
fn the_value_of_a_secret_field_is_dropped_even_if_the_script_gave_it() {
    let raw = control(json!({ "key": 1, "kind": "field", "secret": true, "value": "hunter2", "filled": true }));
    let (seen, _) = read(&raw, &Scrubber::default());
    assert_eq!(seen.value, None);
    assert!(seen.filled && seen.secret_field);
}

#[test]
fn the_meaning_is_digested_over_the_exact_strings() {
    let one = control(
        json!({ "key": 1, "name": "Delete", "row": "Invoice 1", "form": { "action": "http://a.test/", "method": "post" } }),
    );
    let two = control(
        json!({ "key": 1, "name": "Delete", "row": "Invoice 2", "form": { "action": "http://a.test/", "method": "post" } }),
    );
    let get = control(
        json!({ "key": 1, "name": "Delete", "row": "Invoice 1", "form": { "action": "http://a.test/", "method": "get" } }),
    );
    let digests = [&one, &two, &get].map(|raw| read(raw, &Scrubber::default()).0.meaning);
    assert_eq!(digests[0], digest_of(&one.meaning()));
    assert!(digests[0] != digests[1] && digests[0] != digests[2]);
}

#[test]
fn states_are_read_in_all_their_spellings() {
    for (raw, wanted) in
        [(json!(null), Tri::Absent), (json!(true), Tri::On), (json!(false), Tri::Off), (json!("mixed"), Tri::Mixed)]
    {
        let raw = control(json!({ "key": 1, "checked": raw }));
        assert_eq!(read(&raw, &Scrubber::default()).0.checked, wanted);
    }
}

#[test]
fn a_secret_is_scrubbed_from_short_facts_too() {
    use clicket_guard::secret::{Secret, SecretField};
    use clicket_guard::web::Origin;
    let secret =
        Secret::bind("pw", "Zq7kLm9wXr2".to_owned(), Origin::read("https://shop.example").unwrap(), SecretField::Concealed)
            .unwrap();
    let scrub = Scrubber::of(&[secret]).unwrap();
    let echo = "x Zq7kLm9wXr2";
    let raw = control(json!({
        "key": 1, "kind": "field", "role": echo, "inputType": echo, "autocomplete": echo, "target": echo, "landmark": echo,
        "form": { "action": "https://a.test/", "method": echo, "enctype": echo, "target": echo, "fields": [{ "name": echo, "type": echo, "autocomplete": echo }] },
    }));
    let (seen, _) = read(&raw, &scrub);
    let written = serde_json::to_string(&seen).unwrap();
    assert!(written.contains("[secret:pw]") && !scrub.finds(written.as_bytes()), "{written}");
}

#[test]
fn a_key_of_a_frame_is_never_the_handle_of_another_document() {
    let world = World { session: "S".to_owned(), id: 1, unique_id: "1".to_owned() };
    let path = Path::default();
    let found = |number: u32| Found { world: &world, path: &path, number, beside_foreign_frames: false };
    let handles = [found(0).handle(7), found(1).handle(7), found(2).handle(7), found(FRAME_NUMBERS_MAX).handle(u64::MAX)];
    let exact_in_json = 1u64 << 53;
    assert_eq!(handles[0], 7);
    assert!(handles.windows(2).all(|pair| pair[0] < pair[1]) && handles[3] < exact_in_json);
}

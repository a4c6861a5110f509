use super::*;

fn place(x: f64) -> RawPlace {
    RawPlace { x, y: 10.0, scale_x: 1.0, scale_y: 1.0, left: x, top: 10.0, right: x + 100.0, bottom: 60.0 }
}

fn points(count: usize) -> Vec<RawPoint> {
    (0..count).map(|at| RawPoint { x: f64::from(u32::try_from(at).unwrap()), y: 1.0 }).collect()
}

#[test]
fn a_point_is_pressed_only_where_every_document_leaves_it_free() {
    let armed = Armed { ok: true, points: points(3), ..Armed::default() };
    let stood =
        |covers: [Option<&str>; 3]| Stood { place: place(0.0), covers: covers.map(|cover| cover.map(str::to_owned)).into() };
    let aim = chosen(&armed, &stood([Some("div"), None, None]), place(0.4), &[]).unwrap();
    assert_eq!(aim.x, 1.0);
    assert!(matches!(chosen(&armed, &stood([Some("div"); 3]), place(0.0), &[]), Err(Outcome::Covered { .. })));
    assert!(matches!(chosen(&armed, &stood([None; 3]), place(2.0), &[]), Err(Outcome::Covered { .. })), "it moved");
    let nowhere = Armed { ok: true, ..Armed::default() };
    assert!(chosen(&nowhere, &stood([None; 3]), place(0.0), &[]).is_err());
}

#[test]
fn a_control_whose_points_are_all_covered_is_covered() {
    let mut raw: RawObservation = serde_json::from_value(json!({ "controls": [
        { "key": 1, "points": points(2) }, { "key": 2 }, { "key": 3, "points": points(2) }, { "key": 4, "points": points(1) },
    ] }))
    .unwrap();
    let over = |text: &str| Some(text.to_owned());
    uncover(&mut raw, &[over("veil"), None, over("veil"), over("veil")]);
    let covered: Vec<Option<&str>> = raw.controls.iter().map(|control| control.covered.as_deref()).collect();
    assert_eq!(covered, [None, None, Some("veil"), None]);
    let left: Vec<usize> = raw.controls.iter().map(|control| control.points.len()).collect();
    assert_eq!(left, [1, 0, 0, 0], "a point that nobody spoke of is not free");
}

#[test]
fn adverts_tiny_frames_and_those_beyond_the_bound_are_passed_by() {
    let world = World { session: "S".to_owned(), id: 1, unique_id: "1".to_owned() };
    let door = |frame: RawFrame| Door { path: Path::default(), world: world.clone(), frame };
    let plain = RawFrame { key: 1, place: place(0.0), ..RawFrame::default() };
    let broken = RawPlace { x: f64::NAN, ..place(0.0) };
    let doors = vec![
        door(RawFrame { tiny: true, ..plain }),
        door(RawFrame { sponsored: true, ..plain }),
        door(RawFrame { place: broken, ..plain }),
        door(plain),
        door(RawFrame { key: 2, ..plain }),
    ];
    let (enter, leave) = sort_out(doors, 1);
    assert_eq!((enter.len(), enter[0].frame.key, leave.len()), (1, 1, 4));
}

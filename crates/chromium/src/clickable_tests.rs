use super::*;

#[test]
fn marks_that_point_nowhere_are_left_out() {
    let snapshot: Snapshot = serde_json::from_value(json!({
        "documents": [
            { "nodes": { "backendNodeId": [10, 11, 12], "isClickable": { "index": [2, 99, 0] } } },
            { "nodes": { "backendNodeId": [20], "nodeType": [1] } },
            { "nodes": {} },
        ],
        "strings": ["a"],
    }))
    .unwrap();
    assert_eq!(marks_of(&snapshot), Marks { closed: vec![], pressed: vec![12, 10] });
}

#[test]
fn a_document_that_listens_for_its_elements_is_no_control() {
    let object = |class: &str| RemoteObject { object_id: Some("1".to_owned()), class_name: class.to_owned() };
    assert_eq!(element_of(object("HTMLDivElement")), Some("1".to_owned()));
    for class in DELEGATES {
        assert_eq!(element_of(object(class)), None);
    }
}

#[test]
fn one_element_stands_for_each_closed_root() {
    let snapshot: Snapshot = serde_json::from_value(json!({
        "documents": [{ "nodes": {
            "backendNodeId": [10, 11, 12, 13, 14, 15], "nodeType": [1, 3, 1, 1, 1, 1], "parentIndex": [-1, 0, 0, 0, 3, 0],
            "shadowRootType": { "index": [1, 2, 3, 4, 5, 99], "value": [1, 1, 1, 1, 0, 1] },
        } }],
        "strings": ["open", "closed"],
    }))
    .unwrap();
    assert_eq!(marks_of(&snapshot).closed, vec![12, 14]);
}

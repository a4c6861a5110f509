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
    assert_eq!(nodes_marked(&snapshot), vec![12, 10]);
}

#[test]
fn a_document_that_listens_for_its_elements_is_no_control() {
    let object = |class: &str| RemoteObject { object_id: Some("1".to_owned()), class_name: class.to_owned() };
    assert_eq!(element_of(object("HTMLDivElement")), Some("1".to_owned()));
    for class in DELEGATES {
        assert_eq!(element_of(object(class)), None);
    }
}

use serde_json::json;

use crate::testing::page;

#[test]
fn a_file_goes_into_its_field_and_is_then_sent() {
    let before = page("Upload the report").presses(&["Home", "Upload"]).attach("Document", "report", "march.pdf");
    let decided = before.decide();
    assert_eq!((decided.op.as_str(), decided.target["file_key"].as_str()), ("attach", Some("report")));
    assert!(decided.confidence >= 0.8);
    let after = page("Upload the report").presses(&["Home", "Upload"]).did(
        "attach",
        "Document",
        "changed",
        json!({"value_key": "report"}),
    );
    assert_eq!(after.decide().shown(), "press Upload");
    assert_eq!(after.did("press", "Upload", "page_changed", json!({})).decide().op, "done");
}

#[test]
fn a_field_that_sends_its_file_by_itself_leaves_nothing_to_do() {
    let page = page("Attach the photo").presses(&["Home"]).did("attach", "Photo", "changed", json!({"value_key": "photo"}));
    assert_eq!(page.decide().op, "done");
}

#[test]
fn of_several_files_the_named_one_is_taken() {
    let page = page("Attach the invoice").attach("File", "photo", "a.png").attach("File", "invoice", "b.pdf");
    assert_eq!(page.decide().target["file_key"], "invoice");
}

#[test]
fn a_control_that_is_called_upload_is_still_pressed_by_name() {
    assert_eq!(page("Press Upload photo").presses(&["Save", "Upload photo"]).decide().shown(), "press Upload photo");
}

#[test]
fn a_menu_is_pointed_at_when_nothing_on_the_page_helps() {
    let hidden = page("Open Mugs").presses(&["link:Kitchen@/kitchen"]).hover("link:Kitchen@/kitchen");
    assert_eq!(hidden.decide().shown(), "hover Kitchen");
    let shown = hidden.press("link:Mugs@/mugs").did("hover", "Kitchen", "changed", json!({}));
    assert_eq!(shown.decide().shown(), "press Mugs");
}

use super::*;
use crate::fixtures::{FORM, button, control, field, link, page, request};
use crate::observation::Handle;
use crate::permit::{Bound, Direction, Switch};
use ActionClass::{
    Credentials, Destructive, Download, Fill, LeaveSite, Navigate, Payment, Publish, Scroll, UnknownControl, Upload, Write,
};

fn press(control: Control) -> ActionClass {
    press_on(&page(vec![control]))
}

/// The class of pressing the first control.
fn press_on(seen: &Observation) -> ActionClass {
    of_action(seen, &Action::Press { control: bound(&seen.controls[0]) })
}

fn bound(control: &Control) -> Bound {
    Bound { handle: control.handle, meaning: control.meaning }
}

#[test]
fn buttons_are_judged_by_whole_words_of_their_labels() {
    for (label, class) in [
        ("Add to basket", UnknownControl),
        ("Add to cart", UnknownControl),
        ("Add to bag", UnknownControl),
        ("Proceed to checkout", UnknownControl),
        ("Sign in", UnknownControl),
        ("Search", UnknownControl),
        ("Cancel", UnknownControl),
        ("Close", UnknownControl),
        ("Clear", UnknownControl),
        ("Clear search", UnknownControl),
        ("Undelete", UnknownControl),
        ("Undo", UnknownControl),
        ("payload", UnknownControl),
        ("Payload size", UnknownControl),
        ("buyer guide", UnknownControl),
        ("Buyers' guide", UnknownControl),
        ("Buyout", UnknownControl),
        ("Repay guide", UnknownControl),
        ("Paypal info", UnknownControl),
        ("Paying guests", UnknownControl),
        ("Biddeford", UnknownControl),
        ("Forbid", UnknownControl),
        ("Display", UnknownControl),
        ("Replay", UnknownControl),
        ("Preset", UnknownControl),
        ("Presets", UnknownControl),
        ("Order history", UnknownControl),
        ("Track order", UnknownControl),
        ("Sort order", UnknownControl),
        ("Confirm", UnknownControl),
        ("Complete profile", UnknownControl),
        ("Submit", UnknownControl),
        ("Send", Publish),
        ("Place on map", UnknownControl),
        ("Transferable skills", UnknownControl),
        ("Removed items", UnknownControl),
        ("Deletion policy", UnknownControl),
        ("Wipers", UnknownControl),
        ("Subscriber area", UnknownControl),
        ("", UnknownControl),
        ("…", UnknownControl),
        ("100% cotton", UnknownControl),
        ("Delete", Destructive),
        ("DELETE", Destructive),
        ("delete…", Destructive),
        ("🗑 Delete", Destructive),
        ("Delete (3)", Destructive),
        ("deleteAccount", Destructive),
        ("account_delete", Destructive),
        ("HTTPDelete", Destructive),
        ("delete2", Destructive),
        ("De\u{200b}lete", Destructive),
        ("Ｄｅｌｅｔｅ", Destructive),
        ("%44elete", Destructive),
        ("%2544elete", Destructive),
        ("Remove item", Destructive),
        ("Remove from basket", Destructive),
        ("Yes, remove it", Destructive),
        ("Permanently erase", Destructive),
        ("Discard draft", Destructive),
        ("Reset password", Destructive),
        ("Revoke token", Destructive),
        ("Unsubscribe", Destructive),
        ("Uninstall", Destructive),
        ("Deactivate account", Destructive),
        ("Cancel order", Destructive),
        ("Cancel my order", Destructive),
        ("Cancel your subscription", Destructive),
        ("Cancel membership", Destructive),
        ("Close my account", Destructive),
        ("Empty basket", Destructive),
        ("Empty the trash", Destructive),
        ("Clear cart", Destructive),
        ("Pay", Payment),
        ("Pay now", Payment),
        ("PAY NOW", Payment),
        ("PAYNow", Payment),
        ("payNow", Payment),
        ("Pay10", Payment),
        ("Pay £10.00", Payment),
        ("Pay\u{a0}now", Payment),
        ("pay-now", Payment),
        ("Buy", Payment),
        ("Buy it now", Payment),
        ("Buy & delete", Payment),
        ("1-Click purchase", Payment),
        ("Place order", Payment),
        ("Place your order", Payment),
        ("Confirm your booking", Payment),
        ("Complete order", Payment),
        ("Submit order", Payment),
        ("Order now", Payment),
        ("Book now", Payment),
        ("Subscribe", Payment),
        ("Donate", Payment),
        ("Place bid", Payment),
        ("Send money", Payment),
        ("Transfer funds", Payment),
        ("Withdraw", Payment),
    ] {
        assert_eq!(press(button(1, label)), class, "{label:?}");
        assert_eq!(press(control(1, ControlKind::Generic, "", label)), class, "{label:?} on something that listens");
        assert_eq!(press(control(1, ControlKind::Option, "menuitem", label)), class, "{label:?} in a menu");
    }
}

#[test]
fn visible_text_and_description_count_as_much_as_the_name() {
    let shown = |text| PageText::plain(text);
    assert_eq!(press(Control { visible_text: shown("Pay now"), ..button(1, "Continue") }), Payment);
    assert_eq!(press(Control { description: shown("Delete this row"), ..button(1, "×") }), Destructive);
    // A page can't hide a phrase by splitting it.
    assert_eq!(press(Control { visible_text: shown("now"), ..button(1, "Book") }), Payment);
}

#[test]
fn a_bare_yes_in_a_dialog_is_what_the_dialog_says() {
    for (said, class) in [
        ("Delete everything?", Destructive),
        ("Do you want to cancel your order?", Destructive),
        ("Pay £10 now?", Payment),
        ("Save changes?", UnknownControl),
    ] {
        for label in [
            "OK",
            "Ok",
            "Yes",
            "Yes!",
            "Yes, I am sure",
            "Confirm",
            "Continue",
            "Proceed",
            "I agree",
            "Got it",
            "Go ahead",
            "✓",
            "",
        ] {
            let control = Control { in_dialog: true, ..button(1, label) };
            let seen = Observation { dialogs: vec![PageText::plain(said)], ..page(vec![control.clone()]) };
            assert_eq!(press_on(&seen), class, "{label:?} in {said:?}");
            let titled = Control { heading: PageText::plain(said), ..control.clone() };
            assert_eq!(press(titled), class, "{label:?} under {said:?}");
        }
        let outside = Observation { dialogs: vec![PageText::plain(said)], ..page(vec![button(1, "OK")]) };
        assert_eq!(press_on(&outside), UnknownControl, "outside of {said:?}");
        let other = Observation {
            dialogs: vec![PageText::plain(said)],
            ..page(vec![Control { in_dialog: true, ..button(1, "No, keep it") }])
        };
        assert_eq!(press_on(&other), UnknownControl, "no in {said:?}");
    }
}

fn form(action: &str, fields: Vec<FormField>) -> FormFacts {
    FormFacts { action: action.into(), method: "post".into(), fields, ..FormFacts::default() }
}

fn named(name: &str, autocomplete: &str) -> FormField {
    FormField { name: PageText::plain(name), autocomplete: autocomplete.into(), ..FormField::default() }
}

/// The class of pressing a form's button, which pressing Enter in its field must share.
fn submit(form: FormFacts) -> ActionClass {
    let by_button = press(Control { submits: true, form: Some(form.clone()), ..button(1, "Go") });
    let seen = page(vec![Control { form: Some(form.clone()), ..field(1, "Delete or pay") }]);
    assert_eq!(of_action(&seen, &Action::Enter { control: bound(&seen.controls[0]) }), by_button, "{form:?}");
    // A button in the form that doesn't submit it is not the form.
    assert_eq!(press(Control { form: Some(form), ..button(1, "Show more") }), UnknownControl);
    by_button
}

#[test]
fn card_fields_make_a_submit_a_payment() {
    for (name, autocomplete, class) in [
        ("n", "cc-number", Payment),
        ("n", "cc-csc", Payment),
        ("cardnumber", "", Payment),
        ("cardNumber", "", Payment),
        ("card_number", "", Payment),
        ("card-no", "", Payment),
        ("ccnum", "", Payment),
        ("cvv", "", Payment),
        ("cvv2", "", Payment),
        ("billing[cvc]", "", Payment),
        ("iban", "", Payment),
        ("library_card", "", UnknownControl),
        ("discard", "", UnknownControl),
        ("email", "email", UnknownControl),
        ("quantity", "off", UnknownControl),
    ] {
        assert_eq!(
            submit(form("https://shop.example/go", vec![named("x", ""), named(name, autocomplete)])),
            class,
            "{name} {autocomplete}"
        );
    }
}

#[test]
fn a_chosen_file_makes_a_submit_an_upload() {
    let file = |filled| FormField { input_type: "file".into(), filled, ..FormField::default() };
    assert_eq!(submit(form("https://shop.example/go", vec![file(true)])), Upload);
    assert_eq!(submit(form("https://shop.example/go", vec![file(false)])), UnknownControl);
}

#[test]
fn a_form_is_judged_by_where_it_goes() {
    for (action, class) in [
        ("", UnknownControl),
        ("https://shop.example/search", UnknownControl),
        ("https://www.shop.example/search", UnknownControl),
        ("https://shop.example/account/delete", Destructive),
        ("https://shop.example/deleteAccount", Destructive),
        ("https://shop.example/checkout/pay", Payment),
        ("javascript:void(0)", UnknownControl),
        ("https://evil.example/collect", LeaveSite),
        ("https://shop.example.evil.example/", LeaveSite),
        ("mailto:someone@shop.example", LeaveSite),
        ("https://[", LeaveSite),
    ] {
        assert_eq!(submit(form(action, Vec::new())), class, "{action}");
    }
}

#[test]
fn links_are_judged_by_where_they_lead() {
    let other_site = "https://evil.example/";
    for (href, class) in [
        ("https://shop.example/item/7", Navigate),
        ("https://www.shop.example/item/7", Navigate),
        ("http://shop.example/", Navigate),
        ("https://shop.example/list#reviews", Navigate),
        ("https://shop.example/checkout", Navigate),
        ("https://shop.example/buyer-guide", Navigate),
        ("https://shop.example/shop/buy-phone", Navigate),
        ("https://shop.example/blog/how-to-delete-your-browsing-history", Destructive),
        ("https://shop.example/blog/ten-presets", Navigate),
        ("https://shop.example/item/7/delete", Destructive),
        ("https://shop.example/item/7/Delete", Destructive),
        ("https://shop.example/deleteAccount", Destructive),
        ("https://shop.example/cart/removeItem/7", Destructive),
        ("https://shop.example/item/7/%64elete", Destructive),
        ("https://shop.example/item/7/%2564elete", Destructive),
        ("https://shop.example/item%2Fdelete", Destructive),
        ("https://shop.example/list?action=delete", Destructive),
        ("https://shop.example/list?delete=7", Destructive),
        ("https://shop.example/unsubscribe", Destructive),
        ("https://shop.example/payment/confirm", Payment),
        ("https://shop.example/purchase", Payment),
        (other_site, LeaveSite),
        ("https://shop.example.evil.example/", LeaveSite),
        ("https://evil.example/shop.example", LeaveSite),
        ("https://shop.example@evil.example/", LeaveSite),
        ("mailto:someone@shop.example", LeaveSite),
        ("tel:123", LeaveSite),
        ("data:text/html,x", LeaveSite),
        ("blob:https://shop.example/x", LeaveSite),
        ("file:///etc/passwd", LeaveSite),
        ("javascript:go()", UnknownControl),
        ("not a url", LeaveSite),
        ("", UnknownControl),
    ] {
        assert_eq!(press(link(1, "More", href)), class, "{href}");
    }
    assert_eq!(press(Control { download: true, ..link(1, "Invoice", "https://shop.example/invoice.pdf") }), Download);
    assert_eq!(press(Control { download: true, ..link(1, "Invoice", other_site) }), Download);
    assert_eq!(press(link(1, "Delete item", "https://shop.example/item/7")), Destructive);
    assert_eq!(press(link(1, "Buy now", other_site)), Payment);
}

#[test]
fn a_word_far_behind_in_an_address_is_read() {
    let far = format!("https://shop.example/{}/delete", "a/".repeat(7_000));
    assert_eq!(press(link(1, "More", &far)), Destructive);
    assert_eq!(of_request(&request("POST", &far, FORM, "")), Destructive);
}

#[test]
fn every_other_action_has_its_class() {
    let seen = page(vec![field(1, "Delete or pay")]);
    let control = bound(&seen.controls[0]);
    let text = ValueSource::Text { key: None, text: "delete".into() };
    for (action, class) in [
        (Action::Scroll(Direction::Down), Scroll),
        (Action::Wait, Scroll),
        (Action::Back, Navigate),
        (Action::Navigate { url: "https://shop.example/".into() }, Navigate),
        (Action::Fill { control, value: text }, Fill),
        (Action::Fill { control, value: ValueSource::Secret { key: "pw".into() } }, Credentials),
        (Action::Choose { control, option: 0, label: "Delete".into() }, Fill),
        (Action::Toggle { control, to: Switch::On }, Fill),
        (Action::Press { control }, UnknownControl),
        (Action::Hover { control }, Scroll),
        (Action::LookAt { from: Handle(9) }, Scroll),
        (Action::Key { control, key: WidgetKey::Escape }, Scroll),
        (Action::Key { control, key: WidgetKey::ArrowDown }, Fill),
    ] {
        assert_eq!(of_action(&seen, &action), class, "{action:?}");
    }
}

#[test]
fn an_action_on_a_control_that_was_not_seen_is_judged_at_its_worst() {
    let control = Bound { handle: Handle(99), meaning: crate::observation::Meaning::default() };
    let value = ValueSource::Text { key: None, text: "x".into() };
    for action in [
        Action::Press { control },
        Action::Enter { control },
        Action::Fill { control, value },
        Action::Choose { control, option: 0, label: String::new() },
        Action::Toggle { control, to: Switch::On },
        Action::Key { control, key: WidgetKey::ArrowUp },
    ] {
        assert_eq!(of_action(&page(Vec::new()), &action), Destructive, "{action:?}");
    }
}

#[test]
fn requests_are_judged_by_method_address_and_body() {
    let json = "application/json";
    for (method, path, kind, body, class) in [
        ("POST", "/session", FORM, "user=anna&password=x", Write),
        ("POST", "/cart", FORM, "product=7&quantity=1", Write),
        ("POST", "/payload", json, "{}", Write),
        ("POST", "/buyer-guide/feedback", json, "{}", Write),
        ("PUT", "/profile", json, "{\"note\":\"please delete\"}", Write),
        ("DELETE", "/item/7", "", "", Destructive),
        ("delete", "/item/7", "", "", Destructive),
        ("POST", "/item/7/delete", FORM, "", Destructive),
        ("POST", "/deleteAccount", json, "{}", Destructive),
        ("POST", "/api/item%2Fdelete", json, "{}", Destructive),
        ("POST", "/api/%2564elete", json, "{}", Destructive),
        ("POST", "/api?do=remove", json, "{}", Destructive),
        ("POST", "/item/7", FORM, "_method=delete", Destructive),
        ("POST", "/item/7", FORM, "x=1&_METHOD=DELETE", Destructive),
        ("POST", "/admin", FORM, "action=bulk-delete&id=7", Destructive),
        ("POST", "/comment", FORM, "text=delete+this", Write),
        ("POST", "/graphql", json, r#"{"query":"mutation { deleteAccount(id: 7) { ok } }"}"#, Destructive),
        ("POST", "/graphql", json, r#"{"query":"mutation\nRemoveItem { x }"}"#, Destructive),
        ("POST", "/graphql", json, r#"{"query":"query { deletedItems { id } }"}"#, Write),
        ("POST", "/graphql", "application/graphql", "mutation { placeOrder { id } }", Payment),
        ("POST", "/pay", json, "{}", Payment),
        ("POST", "/checkout", json, "{}", Payment),
        ("POST", "/Checkout/", json, "{}", Payment),
        ("POST", "/api/orders", json, "{}", Payment),
        ("POST", "/place-order", json, "{}", Payment),
        ("POST", "/orders/search", json, "{}", Write),
        ("POST", "/go", json, r#"{"n":"4111111111111111"}"#, Payment),
        ("POST", "/go", FORM, "n=4111+1111+1111+1111", Payment),
        ("POST", "/go", FORM, "n=4111%201111%201111%201111", Payment),
        ("POST", "/go", FORM, "n=4111-1111-1111-1111", Payment),
        ("POST", "/go", FORM, "n=378282246310005", Payment),
        ("POST", "/go", FORM, "n=4111111111111112", Write),
        ("POST", "/go", FORM, "n=411111111111", Write),
        ("POST", "/go", FORM, "n=378282246310005&x=1", Payment),
        ("POST", "/go", FORM, "n=5555555555554444", Payment),
        ("POST", "/go", FORM, "n=6011111111111117", Payment),
        ("POST", "/go", FORM, "n=30569309025904", Payment),
        ("POST", "/go", json, r#"{"n": 4111111111111111, "at": 1769000000000}"#, Payment),
        ("POST", "/go", FORM, "n=a4111111111111111", Write),
        ("POST", "/go", FORM, "n=4111111111111111b", Write),
        ("POST", "/go", FORM, "ean=4006381333931&at=1769000000000", Write),
        ("POST", "/go", FORM, "n=9111111111111111", Write),
        ("POST", "/go", FORM, "n=0000000000000000", Write),
        ("POST", "/go", FORM, "t=1700000000004&u=1700000000012", Write),
        (
            "POST",
            "/go",
            "multipart/form-data; boundary=x",
            "--x\r\ncontent-disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n",
            Upload,
        ),
        ("POST", "/go", "multipart/form-data; boundary=x", "--x\r\ncontent-disposition: form-data; name=\"f\"\r\n", Write),
    ] {
        let image = request(method, &format!("https://shop.example{path}"), kind, body);
        assert_eq!(of_request(&image), class, "{method} {path} {body}");
    }
}

#[test]
fn a_method_override_header_counts_as_the_method() {
    let mut image = request("POST", "https://shop.example/item/7", FORM, "");
    image.headers.push(("X-HTTP-Method-Override".into(), "Delete".into()));
    assert_eq!(of_request(&image), Destructive);
}

#[test]
fn a_request_to_an_unreadable_address_is_judged_at_its_worst() {
    assert_eq!(of_request(&request("POST", "not a url", FORM, "")), Payment);
}

#[test]
fn classes_are_in_order_and_have_names_of_their_own() {
    assert!(ActionClass::ALL.is_sorted());
    let names: std::collections::HashSet<_> =
        ActionClass::ALL.into_iter().flat_map(|class| [class.name(), class.in_words()]).collect();
    assert_eq!(names.len(), ActionClass::ALL.len() * 2);
    for class in ActionClass::ALL {
        assert_eq!(serde_json::to_value(class).unwrap(), class.name());
    }
}

/// A number for each form that a site hides in its page must not make it a payment once in a hundred times.
#[test]
fn random_tokens_are_no_card_numbers() {
    let mut state: u64 = 7;
    for round in 0..20_000 {
        let mut token = String::new();
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            token.push_str(&format!("{state:016x}"));
        }
        let body = format!("csrf={token}&q=mug");
        assert_eq!(of_request(&request("POST", "https://shop.example/session/new", FORM, &body)), Write, "round {round}: {body}");
    }
}

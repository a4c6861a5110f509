use super::*;
use crate::observation::FormField;
use crate::untrusted::PageText;

fn form() -> FormFacts {
    let hidden = |name: &str, value: &str| FormField {
        name: PageText::plain(name),
        hidden: true,
        sends: Some(Digest::of(value.as_bytes())),
        ..FormField::default()
    };
    let shown = FormField { name: PageText::plain("quantity"), filled: true, ..FormField::default() };
    FormFacts { fields: vec![hidden("product", "1042"), hidden("tag", "a"), hidden("tag", "b"), shown], ..FormFacts::default() }
}

fn sent(kind: &str, body: &str) -> Option<String> {
    let headers = vec![("content-type".to_owned(), kind.to_owned())];
    strays_from(
        &form(),
        &RequestImage { method: "POST".into(), headers, body: body.as_bytes().to_vec(), ..RequestImage::default() },
    )
}

#[test]
fn a_hidden_value_exchanged_on_the_way_is_found_in_every_encoding() {
    let multipart =
        |product: &str| format!("--x\r\nContent-Disposition: form-data; name=\"product\"\r\n\r\n{product}\r\n--x--\r\n");
    let form_kind = "application/x-www-form-urlencoded";
    for (kind, body, stray) in [
        (form_kind, "product=1042&quantity=1", None),
        (form_kind, "product=1044&quantity=1", Some("\"product\"")),
        (form_kind, "product=1042&product=1044", Some("\"product\"")),
        (form_kind, "quantity=9&token=new", None),
        (form_kind, "tag=b&tag=a&product=1042", None),
        (form_kind, "tag=c&product=1042", Some("\"tag\"")),
        ("multipart/form-data; boundary=x", &multipart("1042"), None),
        ("multipart/form-data; boundary=x", &multipart("1044"), Some("\"product\"")),
        ("application/json", r#"{"product":"1042"}"#, None),
        ("application/json", r#"{"product":1044}"#, Some("\"product\"")),
        ("text/plain", "product=1044", None),
        ("application/json", "[1", None),
    ] {
        assert_eq!(sent(kind, body).as_deref(), stray, "{kind}: {body}");
    }
}

#[test]
fn a_hidden_value_contradicted_in_the_address_is_found() {
    let form = FormFacts { action: "https://shop.example/cart?tag=x".into(), ..form() };
    for (url, stray) in [
        ("https://shop.example/cart?tag=x", None),
        ("https://shop.example/cart?tag=x&product=1042", None),
        ("https://shop.example/cart?from=list", None),
        ("https://shop.example/cart?tag=x&product=1044", Some("\"product\"")),
        ("https://shop.example/cart?tag=y", Some("\"tag\"")),
    ] {
        let headers = vec![("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned())];
        let image = RequestImage { method: "POST".into(), url: url.into(), headers, body: b"product=1042".to_vec() };
        assert_eq!(strays_from(&form, &image).as_deref(), stray, "{url}");
    }
}

use super::*;

fn jar(cookies: Value) -> CookieJar {
    serde_json::from_value(cookies).unwrap()
}

#[test]
fn a_cookie_of_one_host_stays_of_one_host_and_one_of_a_domain_of_the_domain() {
    let set = jar(json!([
        { "name": "a", "value": "1", "domain": "shop.example", "path": "/x", "secure": true, "expires": -1, "session": true },
        { "name": "b", "value": "2", "domain": ".shop.example", "path": "/", "secure": false, "expires": 2e9 },
    ]))
    .to_set();
    assert_eq!(
        set,
        vec![
            json!({ "name": "a", "value": "1", "path": "/x", "secure": true, "url": "https://shop.example/" }),
            json!({ "name": "b", "value": "2", "path": "/", "secure": false, "url": "http://shop.example/",
                    "domain": ".shop.example", "expires": 2e9 }),
        ]
    );
}

#[test]
fn a_jar_does_not_show_what_is_in_it() {
    let jar = jar(json!([{ "name": "sid", "value": "canary", "domain": ".shop.example" }]));
    assert_eq!((format!("{jar:?}"), jar.domains()), ("CookieJar(1)".to_owned(), vec!["shop.example".to_owned()]));
}

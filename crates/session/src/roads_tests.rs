use clicket_guard::observation::Observation;
use clicket_guard::web::Origin;

use super::*;

#[test]
fn an_act_on_a_tunnelled_page_says_that_what_it_sends_is_not_seen() {
    let tunnelled = [Origin::read("https://bank.example").unwrap()];
    let at = |url: &str| Observation { url: url.to_owned(), ..Observation::default() };
    assert!(
        unseen(&tunnelled, &at("https://bank.example/pay"), None).is_some_and(|ground| ground.contains("neither held nor seen"))
    );
    assert_eq!(unseen(&tunnelled, &at("https://shop.example/pay"), None), None);
    assert_eq!(unseen(&[], &at("https://bank.example/pay"), None), None);
}

#[test]
fn what_opened_is_named_once_and_in_one_step_line() {
    let mut roads = Roads::default();
    assert!(roads.name("a socket to wss://chat.example/ opened"));
    assert!(!roads.name("a socket to wss://chat.example/ opened"));
    assert_eq!(roads.take(), ["a socket to wss://chat.example/ opened"]);
    assert!(roads.take().is_empty());
}

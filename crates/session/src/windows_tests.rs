use clicket_guard::observation::FormFacts;

use super::*;

fn opened(urls: &[&str]) -> Vec<String> {
    urls.iter().map(|url| (*url).to_owned()).collect()
}

#[test]
fn only_what_the_act_plainly_meant_is_followed() {
    let link = Control { href: "https://shop.example/two".into(), ..Control::default() };
    let (one, two) = (opened(&["https://shop.example/one"]), opened(&["https://ad.example/", "https://shop.example/two"]));
    assert_eq!(whither(&one, None, false), Ok("https://shop.example/one"));
    assert_eq!(whither(&two, Some(&link), false), Ok("https://shop.example/two"), "not the advert's");
    assert_eq!(whither(&two, None, false), Err(SEVERAL));
    assert_eq!(whither(&one, None, true), Err(AWAY), "what opens under a page that goes on is nobody's wish");
    let posts = FormFacts { method: "post".into(), ..FormFacts::default() };
    let button = Control { submits: true, form: Some(posts), ..Control::default() };
    assert_eq!(whither(&one, Some(&button), false), Err(POSTED));
}

//! Filling and choosing, with what was put in read back.

use clicket_guard::outcome::{Outcome, ReadBack};
use clicket_guard::permit::{Action, ValueSource};
use clicket_guard::secret::{Secret, SecretField};
use clicket_guard::web::Origin;

use crate::support::{TestEdge, bound, control, holds, look, open, permit, text_of};

async fn fill(browser: &mut clicket_chromium::Browser, name: &str, text: &str) -> Outcome {
    let seen = look(browser).await;
    let control = bound(control(&seen, name));
    browser.perform(permit(Action::Fill { control, value: text_of(text) }), &[]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_field_holds_what_was_put_in() {
    let html = "<input aria-label=Name value=before><textarea aria-label=Note>old</textarea><input type=number aria-label=Count><input type=email aria-label=Mail value=a@b.c>
        <input type=date aria-label=Day><input type=color aria-label=Colour><div contenteditable aria-label=Letter role=textbox>old <b>bold</b></div>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let fields = [
        ("Name", "Ada Lovelace \u{1F600} \u{e9}"),
        ("Note", "one\ntwo"),
        ("Count", "42"),
        ("Mail", "ada@example.test"),
        ("Day", "2026-11-30"),
        ("Colour", "#336699"),
        ("Letter", "Dear Ada"),
    ];
    for (name, text) in fields {
        assert_eq!(fill(&mut browser, name, text).await, holds(), "{name}");
    }
    assert_eq!(fill(&mut browser, "Name", "").await, holds(), "a field can be emptied");
    let seen = look(&mut browser).await;
    assert_eq!(control(&seen, "Mail").value.as_ref().unwrap().for_model(), "ada@example.test");
    assert!(!control(&seen, "Name").filled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_says_that_it_listens_for_keys_gets_keys() {
    let html = "<input aria-label=Search value=old onkeydown=\"out.textContent += event.key + event.keyCode + (event.isTrusted ? '' : '!') + ' '\"><p id=out></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    assert_eq!(fill(&mut browser, "Search", "Tea 4").await, holds());
    let text = browser.visible_text().await.unwrap();
    if control(&look(&mut browser).await, "Search").listens_for_keys {
        assert!(text.contains("T84 e69 a65 32 452"), "{text}");
    } else {
        assert!(text.contains("End35"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_listens_in_secret_hears_of_its_text_by_a_key() {
    let html = "<input aria-label=Search><p id=out></p><script>document.querySelector('input').addEventListener('keyup', (event) => { out.textContent = 'heard ' + event.target.value })</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    assert_eq!(fill(&mut browser, "Search", "Tea").await, holds());
    assert!(browser.visible_text().await.unwrap().contains("heard Tea"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_takes_nothing_but_keys_gets_keys() {
    let html = "<input aria-label=Code><script>const field = document.querySelector('input'); let real = '';
        field.addEventListener('keydown', (event) => { if (event.key.length === 1) { real += event.key; event.preventDefault(); field.value = real } });
        field.addEventListener('input', () => { field.value = real })</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let outcome = fill(&mut browser, "Code", "A1b2").await;
    assert_eq!(outcome, holds());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_rewrites_what_it_gets_is_told_apart_from_one_that_refuses_it() {
    let html = "<input aria-label=Phone oninput=\"this.value = '+' + this.value.replace(/[^0-9]/g, '')\"><input aria-label=Stubborn oninput=\"this.value = 'mine'\"><input aria-label=Short maxlength=3>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    assert_eq!(fill(&mut browser, "Phone", "555 010").await, Outcome::Done { read_back: ReadBack::Reformatted });
    assert!(matches!(fill(&mut browser, "Stubborn", "yours").await, Outcome::NotTaken { .. }));
    assert!(matches!(fill(&mut browser, "Short", "12345").await, Outcome::NotTaken { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_throws_the_focus_elsewhere_gets_nothing_into_the_other() {
    let html =
        "<input aria-label=First><input aria-label=Other><script>const [first, other] = document.querySelectorAll('input');
        for (const type of ['focus', 'keydown', 'input']) first.addEventListener(type, () => other.focus())</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let outcome = fill(&mut browser, "First", "secret words").await;
    assert!(matches!(outcome, Outcome::NotTaken { .. }), "{outcome:?}");
    assert!(!control(&look(&mut browser).await, "Other").filled, "characters landed in a foreign field");
}

fn word(origin: &str) -> Vec<Secret> {
    vec![Secret::bind("word", "hunter2!".to_owned(), Origin::read(origin).unwrap(), SecretField::Concealed).unwrap()]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_goes_into_its_own_field_on_its_own_origin_and_no_other() {
    let html = "<input type=password aria-label=Word onkeydown='window.keys = (window.keys || \"\") + event.key' oninput=\"out.textContent = this.value.length\"><input aria-label=Name><p id=out></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let secret = || ValueSource::Secret { key: "word".to_owned() };
    let seen = look(&mut browser).await;
    let (field, shown) = (bound(control(&seen, "Word")), bound(control(&seen, "Name")));
    let fill = |control| permit(Action::Fill { control, value: secret() });
    assert!(matches!(browser.perform(fill(field), &word("http://other.test")).await, Outcome::SecretRefused { .. }));
    assert!(matches!(browser.perform(fill(field), &[]).await, Outcome::SecretRefused { .. }));
    assert!(matches!(browser.perform(fill(shown), &word("http://page.test")).await, Outcome::SecretRefused { .. }));
    assert_eq!(browser.perform(fill(field), &word("http://page.test")).await, holds());
    let text = permit(Action::Fill { control: field, value: text_of("plain") });
    assert!(matches!(browser.perform(text, &[]).await, Outcome::SecretRefused { .. }));
    assert!(browser.visible_text().await.unwrap().contains('8'));
    let seen = look(&mut browser).await;
    assert!(!serde_json::to_string(&seen).unwrap().contains("hunter2"));
    assert!(!control(&seen, "Name").filled);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_is_chosen_by_its_label_or_not_at_all() {
    let html = "<select aria-label=Size onchange=\"out.textContent = 'changed ' + this.value\"><option value=s>Small<option value=l>Large</select><p id=out></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    let size = bound(control(&seen, "Size"));
    let choose = |option, label: &str| permit(Action::Choose { control: size, option, label: label.to_owned() });
    assert_eq!(browser.perform(choose(0, "Large"), &[]).await, Outcome::Stale { part: "option".to_owned() });
    assert_eq!(browser.perform(choose(1, "Large"), &[]).await, holds());
    assert!(browser.visible_text().await.unwrap().contains("changed l"));
}

//! Files, menus under the pointer, pickers, windows and history.

use clicket_chromium::{Browser, SuppliedFile};
use clicket_guard::observation::ControlKind;
use clicket_guard::outcome::{Outcome, ReadBack};
use clicket_guard::permit::{Action, FileSource, WidgetKey};
use clicket_journal::Digest;

use crate::support::{TestEdge, bound, control, done, holds, look, names, open, permit, press, settle, text_of};

fn supplied(name: &str, content: &[u8]) -> SuppliedFile {
    let source = FileSource { key: "report".into(), name: name.into(), bytes: content.len() as u64, sha256: Digest::of(content) };
    SuppliedFile { source, content: content.to_vec() }
}

async fn attach(browser: &mut Browser, name: &str, file: &FileSource) -> Outcome {
    let seen = look(browser).await;
    let control = bound(control(&seen, name));
    browser.perform(permit(Action::Attach { control, file: file.clone() }), &[]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supplied_file_is_attached_and_read_by_the_page_and_no_other_can_be() {
    let html = "<label>Report <input type=file></label><label style='display:inline-block'>Hidden one <input type=file style='display:none'></label><p id=out></p>
        <script>for (const field of document.querySelectorAll('input')) field.addEventListener('change', async (event) => { const file = event.target.files[0]; out.textContent = 'got ' + file.name + ' ' + await file.text() })</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let file = supplied("r\u{e9}port 1.txt", b"the content");
    let source = file.source.clone();
    assert_eq!(attach(&mut browser, "Report", &source).await, Outcome::Stale { part: "file".to_owned() }, "nobody supplied it");
    browser.supply_files(vec![file]);
    let other = FileSource { sha256: Digest::of(b"another"), ..source.clone() };
    assert_eq!(attach(&mut browser, "Report", &other).await, Outcome::Stale { part: "file".to_owned() });
    for name in ["Report", "Hidden one"] {
        assert_eq!(attach(&mut browser, name, &source).await, holds(), "{name}");
        settle(&mut browser).await;
        assert!(browser.visible_text().await.unwrap().contains("got r\u{e9}port 1.txt the content"), "{name}");
    }
    let profile = browser.profile().to_owned();
    assert!(browser.close().await.profile_removed && !profile.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_field_that_became_another_gets_nothing() {
    let html =
        "<form action=/mine><label>Report <input type=file onchange=\"out.textContent = 'got it'\"></label></form><p id=out></p>
        <button onclick=\"document.forms[0].action = 'http://other.test/'\">Swap</button>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let file = supplied("a.txt", b"x");
    browser.supply_files(vec![file.clone()]);
    let seen = look(&mut browser).await;
    let control = bound(control(&seen, "Report"));
    assert_eq!(press(&mut browser, &seen, "Swap").await, done());
    let outcome = browser.perform(permit(Action::Attach { control, file: file.source }), &[]).await;
    assert_eq!(outcome, Outcome::Stale { part: "formAction".to_owned() });
    assert!(!browser.visible_text().await.unwrap().contains("got it"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_menu_under_the_pointer_opens_and_its_items_can_be_pressed() {
    let css = "<style>ul { list-style: none; margin: 0; padding: 0 } li { width: 200px } li ul { display: none; padding-top: 12px } li:hover ul { display: block }</style>";
    let by_style = format!(
        "{css}<ul><li><a href=/shop>Shop</a><ul><li><a href='#mugs' onclick=\"out.textContent = 'mugs'\">Mugs</a></ul><li><a href=/help>Help</a></ul><p id=out></p>"
    );
    let by_script = "<div><button id=b>Shop</button><div id=m hidden><a href='#mugs' onclick=\"out.textContent = 'mugs'\">Mugs</a></div></div><p id=out></p>
        <script>let timer; for (const part of [b, m]) { part.addEventListener('mouseenter', () => { clearTimeout(timer); m.hidden = false }); part.addEventListener('mouseleave', () => { timer = setTimeout(() => { m.hidden = true }, 300) }) }</script>".to_owned();
    for html in [by_style, by_script] {
        let edge = TestEdge::with_page(&html).await;
        let Some(mut browser) = open(&edge).await else { return };
        let seen = look(&mut browser).await;
        assert!(!names(&seen).contains(&"Mugs".to_owned()));
        let shop = control(&seen, "Shop");
        assert!(shop.has_menu && seen.controls.iter().filter(|control| control.has_menu).count() == 1);
        assert_eq!(browser.perform(permit(Action::Hover { control: bound(shop) }), &[]).await, done());
        settle(&mut browser).await;
        let seen = look(&mut browser).await;
        assert_eq!(press(&mut browser, &seen, "Mugs").await, done());
        assert!(browser.visible_text().await.unwrap().contains("mugs"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_back_the_old_look_is_dead_and_a_new_one_works() {
    let first = "<a href=/two>Two</a><button onclick=\"out.textContent = 'pressed'\">Go</button><p id=out></p>";
    let edge = TestEdge::with_pages(&[("http://page.test/", first), ("http://page.test/two", "<h1>Second</h1>")]).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    let go = bound(control(&seen, "Go"));
    press(&mut browser, &seen, "Two").await;
    settle(&mut browser).await;
    assert_eq!(browser.perform(permit(Action::Back), &[]).await, done());
    settle(&mut browser).await;
    let dead = browser.perform(permit(Action::Press { control: go }), &[]).await;
    assert!(!dead.reached_the_page(), "{dead:?}");
    assert!(!browser.visible_text().await.unwrap().contains("pressed"));
    let seen = look(&mut browser).await;
    assert_eq!(press(&mut browser, &seen, "Go").await, done());
    assert!(browser.visible_text().await.unwrap().contains("pressed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn values_with_a_form_of_their_own_are_set_and_read_back_or_said_not_to_be() {
    let html = "<input type=time aria-label=Time><input type=month aria-label=Month><input type=week aria-label=Week><input type=datetime-local aria-label=Moment>
        <input type=range min=0 max=100 step=10 aria-label=Volume oninput=\"out.textContent = 'volume ' + this.value\"><input type=date min=2026-01-01 aria-label=Day><p id=out></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    for (name, text, held) in [
        ("Time", "14:30", true),
        ("Month", "2026-11", true),
        ("Week", "2026-W48", true),
        ("Moment", "2026-11-30T14:30", true),
        ("Volume", "70", true),
        ("Volume", "74", false),
        ("Volume", "loud", false),
        ("Day", "30 November", false),
        ("Time", "quarter past", false),
    ] {
        let seen = look(&mut browser).await;
        let control = bound(control(&seen, name));
        let outcome = browser.perform(permit(Action::Fill { control, value: text_of(text) }), &[]).await;
        assert_eq!(outcome == holds(), held, "{name} {text}: {outcome:?}");
        assert!(held || matches!(outcome, Outcome::NotTaken { .. }), "{name} {text}: {outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_many_takes_one_option_after_another() {
    let html = "<select multiple aria-label=Toppings onchange=\"out.textContent = [...this.selectedOptions].map((o) => o.text).join('+')\"><option>Ham<option>Olives<option>Corn</select><p id=out></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    for (option, label) in [(0, "Ham"), (2, "Corn")] {
        let seen = look(&mut browser).await;
        let control = bound(control(&seen, "Toppings"));
        let chosen = permit(Action::Choose { control, option, label: label.to_owned() });
        assert_eq!(browser.perform(chosen, &[]).await, holds());
    }
    assert!(browser.visible_text().await.unwrap().contains("Ham+Corn"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_of_the_page_is_used_by_pressing_its_field_and_a_day() {
    let html = "<label>Date <input readonly id=d onclick='cal.hidden = false'></label><table id=cal hidden><tr><td role=gridcell tabindex=0 aria-label='30 November'>30<td role=gridcell tabindex=0 aria-label='1 December'>1</table>
        <script>cal.addEventListener('click', (event) => { d.value = event.target.getAttribute('aria-label'); cal.hidden = true })</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    assert_eq!(press(&mut browser, &seen, "Date").await, done());
    settle(&mut browser).await;
    let seen = look(&mut browser).await;
    assert_eq!(press(&mut browser, &seen, "30 November").await, done());
    settle(&mut browser).await;
    assert_eq!(control(&look(&mut browser).await, "Date").value.as_ref().unwrap().for_model(), "30 November");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_windows_would_have_gone_is_known_for_the_act_that_opened_them() {
    let html = "<button onclick=\"window.open('/two')\">Open</button><button>Other</button>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    press(&mut browser, &seen, "Open").await;
    settle(&mut browser).await;
    assert_eq!(browser.opened_windows(), ["http://page.test/two"]);
    let seen = look(&mut browser).await;
    press(&mut browser, &seen, "Other").await;
    settle(&mut browser).await;
    assert!(browser.opened_windows().is_empty());
    assert!(edge.log().iter().all(|line| !line.contains("/two")), "{:?}", edge.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rich_text_editor_takes_text_by_real_edits() {
    let html = "<div id=e contenteditable role=textbox aria-label=Letter></div><p id=out></p>
        <script>let model = ''; e.addEventListener('input', () => { model = e.innerText; setTimeout(() => { if (e.innerText !== model) e.innerText = model; out.textContent = 'model ' + model }, 10) })</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    let control = bound(control(&seen, "Letter"));
    let outcome = browser.perform(permit(Action::Fill { control, value: text_of("Dear Ada") }), &[]).await;
    assert!(matches!(outcome, Outcome::Done { read_back: ReadBack::Holds | ReadBack::Reformatted }), "{outcome:?}");
    settle(&mut browser).await;
    assert!(browser.visible_text().await.unwrap().contains("model Dear Ada"));
}

fn key(control: &clicket_guard::observation::Control, key: WidgetKey) -> clicket_guard::permit::ActPermit {
    permit(Action::Key { control: bound(control), key })
}

#[tokio::test(flavor = "multi_thread")]
async fn arrows_move_in_the_widget_that_has_the_focus_and_escape_shuts_it() {
    use WidgetKey::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Escape};
    let html = "<button id=b aria-haspopup=menu onclick=\"m.hidden = false; m.children[0].focus()\">Actions</button>
        <div id=m role=menu hidden><div role=menuitem tabindex=-1>Copy</div><div role=menuitem tabindex=-1>Remove</div></div>
        <div id=l role=listbox tabindex=0 aria-label=Colours><div id=o0 role=option>Red</div><div id=o1 role=option>Blue</div></div><p id=out></p>
        <script>m.onkeydown = event => { if (event.key === 'Escape') { m.hidden = true; b.focus() } if (event.key === 'ArrowDown') event.target.nextElementSibling?.focus() }
        let at = -1; l.onkeydown = event => { if (event.key === 'ArrowDown') at++; out.textContent = 'colour ' + l.children[at].textContent }</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    assert!(seen.controls.iter().all(|control| control.widget_keys.is_empty()), "nothing has the focus");
    assert_eq!(press(&mut browser, &seen, "Actions").await, done());
    let seen = look(&mut browser).await;
    let copy = control(&seen, "Copy");
    assert_eq!(copy.widget_keys, [Escape, ArrowDown, ArrowUp, ArrowLeft, ArrowRight]);
    assert_eq!(seen.controls.iter().filter(|control| !control.widget_keys.is_empty()).count(), 1);
    assert_eq!(browser.perform(key(copy, ArrowDown), &[]).await, done());
    let stale = browser.perform(key(copy, ArrowDown), &[]).await;
    assert!(matches!(stale, Outcome::NotTaken { .. }), "the focus went on: {stale:?}");
    let seen = look(&mut browser).await;
    assert_eq!(browser.perform(key(control(&seen, "Remove"), Escape), &[]).await, done());
    let seen = look(&mut browser).await;
    assert!(!names(&seen).contains(&"Remove".to_owned()));
    press(&mut browser, &seen, "Red").await;
    let seen = look(&mut browser).await;
    let colours = control(&seen, "Colours");
    assert_eq!((colours.kind, colours.widget_keys.as_slice()), (ControlKind::Widget, [Escape, ArrowDown, ArrowUp].as_slice()));
    assert_eq!(browser.perform(key(colours, ArrowDown), &[]).await, done());
    assert_eq!(browser.perform(key(colours, ArrowDown), &[]).await, done());
    assert!(browser.visible_text().await.unwrap().contains("colour Blue"));
}

//! Pressing, toggling, Enter, scrolling and history: what was meant, or nothing.

use std::time::Instant;

use clicket_guard::observation::Tri;
use clicket_guard::offer::History;
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::{Action, Direction, Switch};

use crate::support::{TestEdge, at_edge, bound, control, done, go, holds, look, open, permit, press, settle};

#[tokio::test(flavor = "multi_thread")]
async fn a_press_is_trusted_and_lands_once() {
    let html = "<button onclick=\"this.nextSibling.textContent += event.isTrusted ? 'yes ' : 'no '\">Go</button><p></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let mut times = Vec::new();
    for _ in 0..5 {
        let seen = look(&mut browser).await;
        let started = Instant::now();
        assert_eq!(press(&mut browser, &seen, "Go").await, done());
        times.push(started.elapsed().as_millis());
        settle(&mut browser).await;
    }
    times.sort_unstable();
    eprintln!("press: min {} median {} ms", times[0], times[2]);
    assert_eq!(browser.visible_text().await.unwrap().matches("yes").count(), 5);
}

const TABLE: &str =
    "<table><tr><td id=a>Invoice 1<td><button>Delete</button><tr><td>Invoice 2<td><button>Keep</button></table><p id=out></p>
<script>document.querySelector('button').onclick = () => { out.textContent = 'deleted ' + a.textContent }</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_changed_in_place_is_stale_and_nothing_is_pressed() {
    let swap_later = format!("{TABLE}<script>setTimeout(() => {{ a.textContent = 'Invoice 9' }}, 600)</script>");
    let edge = TestEdge::with_page(&swap_later).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    assert!(control(&seen, "Delete").row.for_model().contains("Invoice 1"));
    crate::support::soon_async("the row changes", async || browser.visible_text().await.unwrap().contains("Invoice 9")).await;
    assert_eq!(press(&mut browser, &seen, "Delete").await, Outcome::Stale { part: "row".to_owned() });
    assert!(!browser.visible_text().await.unwrap().contains("deleted"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_swapped_by_the_press_itself_is_stale_too() {
    for moment in ["mousemove", "pointerdown", "mousedown", "pointerup", "mouseup"] {
        let moving =
            format!("{TABLE}<script>window.addEventListener('{moment}', () => {{ a.textContent = 'Invoice 9' }}, true)</script>");
        let edge = TestEdge::with_page(&moving).await;
        let Some(mut browser) = open(&edge).await else { return };
        let seen = look(&mut browser).await;
        let outcome = press(&mut browser, &seen, "Delete").await;
        let part = "row".to_owned();
        // What the page did at the pointer's coming down was done, so nobody may say that nothing was.
        let begun = !["mousemove", "pointerdown"].contains(&moment);
        assert_eq!(outcome, if begun { Outcome::Stopped { part } } else { Outcome::Stale { part } }, "{moment}");
        assert!(!browser.visible_text().await.unwrap().contains("deleted"), "{moment}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_that_was_covered_after_the_look_is_not_pressed() {
    let html = format!(
        "{TABLE}<script>setTimeout(() => {{ const c = document.createElement('div'); c.textContent = 'Veil'; c.style = 'position:fixed;inset:0;background:#fff'; document.body.append(c) }}, 600)</script>"
    );
    let edge = TestEdge::with_page(&html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    crate::support::soon_async("the veil comes", async || browser.visible_text().await.unwrap().contains("Veil")).await;
    assert!(matches!(press(&mut browser, &seen, "Delete").await, Outcome::Covered { .. }));
    assert!(!browser.visible_text().await.unwrap().contains("deleted"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_control_is_gone_and_an_old_document_is_too() {
    let html = "<button id=b>Go</button><p></p><script>setTimeout(() => b.remove(), 600)</script>";
    let edge = TestEdge::with_pages(&[("http://page.test/", html), ("http://page.test/two", "<button>Go</button>")]).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    assert_eq!(press(&mut browser, &seen, "Go").await, Outcome::Gone);
    go(&mut browser, "http://page.test/two").await;
    // Handles start anew in each document; the old one must not reach the new button.
    assert_eq!(press(&mut browser, &seen, "Go").await, Outcome::Gone);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permit_for_what_was_never_seen_is_stale() {
    let edge = TestEdge::with_page("<button>Go</button>").await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    let mut other = bound(control(&seen, "Go"));
    other.meaning = clicket_guard::observation::Meaning(clicket_journal::Digest::of(b"forged"));
    let outcome = browser.perform(permit(Action::Press { control: other }), &[]).await;
    assert_eq!(outcome, Outcome::Stale { part: "observation".to_owned() });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_far_down_and_inside_a_frame_lands() {
    let html = "<div style='height:3000px'></div><button onclick=\"out.textContent='far'\">Far</button><p id=out></p>
        <iframe srcdoc=\"<button onclick='this.textContent=&quot;near&quot;'>Inside</button>\"></iframe>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    assert_eq!(press(&mut browser, &seen, "Far").await, done());
    assert!(browser.visible_text().await.unwrap().contains("far"));
    assert_eq!(press(&mut browser, &seen, "Inside").await, done());
    settle(&mut browser).await;
    assert!(browser.visible_text().await.unwrap().contains("near"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_toggle_ends_in_the_state_that_was_asked() {
    let html = "<label><input type=checkbox> Gift</label><div role=switch aria-checked=false aria-label=Dark tabindex=0 onclick=\"setTimeout(() => this.setAttribute('aria-checked', 'true'), 60)\">Dark</div>
        <label><input type=checkbox id=stuck onclick='return false'> Stuck</label>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    for (name, to, wanted) in [
        ("Gift", Switch::On, true),
        ("Gift", Switch::On, true),
        ("Gift", Switch::Off, true),
        ("Dark", Switch::On, true),
        ("Stuck", Switch::On, false),
    ] {
        let control = bound(control(&seen, name));
        let outcome = browser.perform(permit(Action::Toggle { control, to }), &[]).await;
        assert_eq!(outcome == holds(), wanted, "{name}: {outcome:?}");
    }
    let seen = look(&mut browser).await;
    assert_eq!(control(&seen, "Gift").checked, Tri::Off);
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_sends_the_form_and_back_returns() {
    let html = "<form action=/found><input name=q aria-label=Search value=tea></form>";
    let edge = TestEdge::with_pages(&[("http://page.test/", html), ("http://page.test/found", "<h1>Found</h1>")]).await;
    let Some(mut browser) = open(&edge).await else { return };
    assert_eq!(browser.history().await.unwrap(), History::First, "the seed page is no page to go back to");
    let refused = browser.perform(permit(Action::Back), &[]).await;
    assert!(matches!(refused, Outcome::NotTaken { .. }), "{refused:?}");
    let seen = look(&mut browser).await;
    let search = bound(control(&seen, "Search"));
    assert_eq!(browser.perform(permit(Action::Enter { control: search }), &[]).await, done());
    let settled = settle(&mut browser).await;
    assert!(settled.navigated && !settled.hit_cap, "{settled:?}");
    assert_eq!(browser.url(), "http://page.test/found?q=tea");
    assert_eq!(browser.history().await.unwrap(), History::HasEarlier);
    assert_eq!(browser.perform(permit(Action::Back), &[]).await, done());
    settle(&mut browser).await;
    assert_eq!(browser.url(), "http://page.test/");
    control(&look(&mut browser).await, "Search");
}

#[tokio::test(flavor = "multi_thread")]
async fn scrolling_moves_by_most_of_a_viewport_until_the_end() {
    let edge = TestEdge::with_page("<div style='height:2000px'>tall</div>").await;
    let Some(mut browser) = open(&edge).await else { return };
    let mut steps = 0;
    while browser.perform(permit(Action::Scroll(Direction::Down)), &[]).await == done() {
        steps += 1;
    }
    assert_eq!(steps, 2);
    let seen = look(&mut browser).await;
    assert!(seen.scroll.up && !seen.scroll.down);
    assert_eq!(browser.perform(permit(Action::Scroll(Direction::Up)), &[]).await, done());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_is_scrolled_when_the_page_itself_cannot_be() {
    let html = "<div style='height:50px;overflow:auto' id=small><div style='height:500px'></div></div>
        <div style='height:300px;overflow:auto' id=box><div style='height:700px'></div><button>Last</button></div>
        <div style='height:400px;overflow:hidden'><div style='height:900px'></div></div>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    assert!(seen.scroll.down && !seen.scroll.up, "{:?}", seen.scroll);
    for _ in 0..2 {
        assert_eq!(browser.perform(permit(Action::Scroll(Direction::Down)), &[]).await, done());
    }
    let seen = look(&mut browser).await;
    assert!(control(&seen, "Last").in_viewport && seen.scroll.up, "{:?}", seen.scroll);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_content_leaves_the_page_and_its_values() {
    let html = "<form action=/nothing method=post><input aria-label=Name value=Ada><button>Send</button></form>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    assert_eq!(press(&mut browser, &seen, "Send").await, done());
    let settled = settle(&mut browser).await;
    assert!(!settled.navigated && !settled.hit_cap, "{settled:?}");
    assert_eq!(edge.log().last().unwrap(), "POST http://page.test/nothing");
    assert_eq!(control(&look(&mut browser).await, "Name").value.as_ref().unwrap().for_model(), "Ada");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_address_is_said_in_our_words() {
    let edge = TestEdge::with_page("").await;
    let Some(mut browser) = open(&edge).await else { return };
    let outcome = browser.perform(permit(Action::Navigate { url: "http://127.0.0.1:1/hung-up".to_owned() }), &[]).await;
    assert!(matches!(outcome, Outcome::Done { .. } | Outcome::Failed { .. }), "{outcome:?}");
    let outcome = browser.perform(permit(Action::Navigate { url: "https://page.test/".to_owned() }), &[]).await;
    assert!(matches!(&outcome, Outcome::Failed { why } if why.contains("edge")), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_slides_under_the_pointer_is_not_pressed() {
    let html = "<style>.menu{display:none;position:fixed;inset:0;background:#fff} .host:hover .menu{display:block}</style>
        <div class=host><button onclick=\"out.textContent='pressed'\">Go</button><div class=menu><button onclick=\"out.textContent='wrong'\">Pay</button></div></div><p id=out></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    assert!(matches!(press(&mut browser, &seen, "Go").await, Outcome::Covered { .. }));
    assert!(!browser.visible_text().await.unwrap().contains("wrong"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_is_held_and_then_refused_leaves_the_page_as_it_was() {
    let html = "<form action=/held/nothing method=post><input aria-label=Name value=Ada><button>Send</button></form>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    let started = Instant::now();
    assert_eq!(press(&mut browser, &seen, "Send").await, done());
    assert!(started.elapsed().as_millis() < 4_000, "the press waited for the verdict");
    let settled = browser.settle(&mut at_edge(0), 500).await.unwrap();
    assert!(settled.hit_cap && !settled.frozen, "a held navigation is network, not a frozen page: {settled:?}");
    let settled = browser.settle(&mut at_edge(0), 20_000).await.unwrap();
    assert!(!settled.hit_cap && !settled.navigated && settled.waited_network_ms > 3_000, "{settled:?}");
    let seen = look(&mut browser).await;
    assert_eq!(control(&seen, "Name").value.as_ref().unwrap().for_model(), "Ada");
    assert_eq!(press(&mut browser, &seen, "Send").await, done(), "the latch came off and can be set again");
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_in_a_field_without_a_form_reaches_the_script_that_waits_for_it() {
    let html = "<input aria-label='What needs to be done?'><ul></ul><script>document.querySelector('input').addEventListener('keydown', (event) => {
        if (event.key === 'Enter') { const item = document.createElement('li'); item.textContent = event.target.value; document.querySelector('ul').append(item); event.target.value = '' } })</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    let todo = control(&seen, "What needs to be done?");
    assert!(todo.listens_for_keys, "Enter would not be offered");
    let todo = bound(todo);
    let fill = Action::Fill { control: todo, value: crate::support::text_of("buy tea") };
    assert_eq!(browser.perform(permit(fill), &[]).await, holds());
    assert_eq!(browser.perform(permit(Action::Enter { control: todo }), &[]).await, done());
    assert!(browser.visible_text().await.unwrap().contains("buy tea"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_renames_itself_as_it_opens_is_not_said_to_be_untouched() {
    let html = "<input id=d aria-label='Day of travel' readonly><p id=out></p>
        <script>d.onfocus = () => { d.setAttribute('aria-label', 'Day of travel, open'); out.textContent = 'calendar' }</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    assert_eq!(press(&mut browser, &seen, "Day of travel").await, Outcome::Stopped { part: "name".to_owned() });
    assert!(browser.visible_text().await.unwrap().contains("calendar"));
}

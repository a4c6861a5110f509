//! Frames of another origin: read, pressed and filled in their own documents, and never through a cover around them.

use std::time::{Duration, Instant};

use clicket_chromium::Browser;
use clicket_guard::observation::{Control, Observation};
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::{Action, Switch, ValueSource};
use clicket_guard::secret::{Secret, SecretField};
use clicket_guard::web::Origin;

use crate::support::{TestEdge, bound, control, done, go, holds, launch, look, names, open, permit, press, settle, text_of};

/// A page of another site, whose frame lives in a process of its own.
const PAY: &str = "http://pay.test/card";
const CARD: &str =
    "<!doctype html><form><label>Card number <input name=card></label><label>Secret <input type=password name=pin></label>
<label>Network <select name=net><option>Visa<option>Other</select></label><label><input type=checkbox> Keep</label></form>
<button onclick=\"out.textContent = event.isTrusted ? 'paid' : 'faked'\">Pay</button><p id=out></p>";

fn page_with(frame: &str) -> String {
    format!("<!doctype html><title>Shop</title><h1>Shop</h1><button>Order</button><p id=said></p>{frame}")
}

async fn opened(frame: &str, more: &[(&str, &str)]) -> Option<(TestEdge, Browser)> {
    let page = page_with(frame);
    let mut pages = vec![("http://page.test/", page.as_str()), (PAY, CARD)];
    pages.extend_from_slice(more);
    let edge = TestEdge::with_pages(&pages).await;
    let browser = open(&edge).await?;
    Some((edge, browser))
}

fn frame() -> String {
    format!("<iframe src={PAY} width=500 height=300></iframe>")
}

/// Whether the frame's own page comes to say it; its text joins the observation's.
async fn says(browser: &mut Browser, text: &str) -> bool {
    for _ in 0..4 {
        if look(browser).await.text.for_model().contains(text) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}

/// A look in which the frame's control is there: a machine that is busy elsewhere may leave a frame out of one.
async fn look_for(browser: &mut Browser, name: &str) -> Observation {
    look_for_all(browser, &[name]).await
}

/// Looks until all of them are seen at once.
async fn look_for_all(browser: &mut Browser, wanted: &[&str]) -> Observation {
    for _ in 0..30 {
        let seen = look(browser).await;
        let found = names(&seen);
        if wanted.iter().all(|name| found.iter().any(|found| found == name)) {
            return seen;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    look(browser).await
}

async fn act(browser: &mut Browser, action: Action) -> Outcome {
    browser.perform(permit(action), &[]).await
}

fn in_frame<'o>(seen: &'o Observation, name: &str) -> &'o Control {
    let found = control(seen, name);
    assert_eq!(found.frame_origin, "http://pay.test");
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_of_another_site_is_seen_and_used_as_the_page_is() {
    let Some((_edge, mut browser)) = opened(&frame(), &[]).await else { return };
    let seen = look_for(&mut browser, "Pay").await;
    assert_eq!((seen.unreadable_frames, control(&seen, "Order").frame_origin.as_str()), (0, ""));
    let pay = in_frame(&seen, "Pay");
    assert!(pay.covered_by.is_none() && pay.in_viewport && pay.bounds.y > control(&seen, "Order").bounds.y);
    let mut handles: Vec<_> = seen.controls.iter().map(|control| control.handle).collect();
    handles.sort_unstable();
    handles.dedup();
    assert_eq!(handles.len(), seen.controls.len(), "handles collide");
    let card = bound(in_frame(&seen, "Card number"));
    assert_eq!(act(&mut browser, Action::Fill { control: card, value: text_of("4111 1111") }).await, holds());
    let network = bound(in_frame(&seen, "Network"));
    assert_eq!(act(&mut browser, Action::Choose { control: network, option: 1, label: "Other".to_owned() }).await, holds());
    let keep = bound(in_frame(&seen, "Keep"));
    assert_eq!(act(&mut browser, Action::Toggle { control: keep, to: Switch::On }).await, holds());
    let started = Instant::now();
    assert_eq!(press(&mut browser, &seen, "Pay").await, done());
    eprintln!("press in a frame: {} ms", started.elapsed().as_millis());
    settle(&mut browser).await;
    let again = look(&mut browser).await;
    assert!(again.text.for_model().contains("paid"), "{:?}", again.text);
    assert_eq!(in_frame(&again, "Pay").handle, pay.handle);
    assert_eq!(in_frame(&again, "Card number").value.as_ref().unwrap().for_model(), "4111 1111");
    // The page is as usable as without frames.
    assert_eq!(press(&mut browser, &again, "Order").await, done());
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_of_the_same_site_within_each_other_and_of_no_origin_are_seen() {
    let middle = "<button onclick=\"this.textContent='Middle now'\">Middle</button><iframe src=http://page.test/deep width=300 height=100></iframe>";
    let frames = "<iframe src=http://sub.page.test/middle width=500 height=250></iframe>
        <iframe sandbox='allow-scripts' srcdoc=\"<button onclick='this.textContent=&quot;Boxed now&quot;'>Boxed</button>\"></iframe>
        <iframe style='display:none' src=http://pay.test/card></iframe><iframe id=ad_slot class=ads src=http://pay.test/card></iframe>
        <iframe width=4 height=4 src=http://pay.test/card></iframe>";
    let deep = "<div style='height:400px'>far</div><button onclick=\"this.textContent='Deep now'\">Deep</button>";
    let more = [("http://sub.page.test/middle", middle), ("http://page.test/deep", deep)];
    let Some((_edge, mut browser)) = opened(frames, &more).await else { return };
    let seen = look_for_all(&mut browser, &["Boxed", "Middle", "Deep"]).await;
    assert_eq!(control(&seen, "Middle").frame_origin, "http://sub.page.test");
    assert_eq!(control(&seen, "Deep").frame_origin, "http://page.test", "a frame behind a foreign one is named");
    assert_eq!(control(&seen, "Boxed").frame_origin, "null");
    assert!(!names(&seen).contains(&"Pay".to_owned()), "hidden, tiny and advert frames are offered");
    assert_eq!(seen.unreadable_frames, 2, "the advert and the tiny one");
    for name in ["Middle", "Boxed"] {
        assert_eq!(press(&mut browser, &seen, name).await, done(), "{name}");
    }
    assert!(!control(&seen, "Deep").in_viewport);
    assert_eq!(press(&mut browser, &seen, "Deep").await, done(), "it is scrolled to in every document");
    settle(&mut browser).await;
    let seen = look_for_all(&mut browser, &["Boxed now", "Middle now", "Deep now"]).await;
    assert!(control(&seen, "Deep now").in_viewport);
    control(&seen, "Boxed now");
    control(&seen, "Middle now");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cover_around_the_frame_refuses_and_a_half_cover_is_pressed_around() {
    let veil = "<style>body{margin:0} iframe{position:absolute;left:0;top:200px;border:0} #veil{position:absolute;left:0;top:200px;height:300px;width:500px;background:#fff}</style>";
    let half = page_with(&format!("{veil}{}<div id=veil style='width:24px'></div>", frame()));
    let more = [("http://page.test/half", half.as_str())];
    let Some((_edge, mut browser)) = opened(&format!("{veil}{}<div id=veil>Veil</div>", frame()), &more).await else { return };
    let seen = look_for(&mut browser, "Pay").await;
    assert!(in_frame(&seen, "Pay").covered_by.is_some());
    assert!(matches!(press(&mut browser, &seen, "Pay").await, Outcome::Covered { .. }));
    let fill = Action::Fill { control: bound(in_frame(&seen, "Card number")), value: text_of("4111") };
    assert!(matches!(act(&mut browser, fill).await, Outcome::Covered { .. }));
    assert!(!says(&mut browser, "paid").await);
    go(&mut browser, "http://page.test/half").await;
    let seen = look_for(&mut browser, "Pay").await;
    assert!(in_frame(&seen, "Pay").covered_by.is_none());
    assert_eq!(press(&mut browser, &seen, "Pay").await, done());
    assert!(says(&mut browser, "paid").await);
}

/// What comes of a press when the page around does this to the frame between the look and the press.
async fn pressed_after(browser: &mut Browser, number: usize) -> (Outcome, bool) {
    go(browser, &format!("http://page.test/{number}")).await;
    let seen = look_for(browser, "Pay").await;
    in_frame(&seen, "Pay");
    assert_eq!(press(browser, &seen, "Order").await, done());
    settle(browser).await;
    let outcome = press(browser, &seen, "Pay").await;
    settle(browser).await;
    (outcome, says(browser, "paid").await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_was_swapped_moved_or_covered_after_the_look_is_judged_anew() {
    let cover =
        "const c = document.createElement('div'); c.style = 'position:fixed;inset:0;background:#fff'; document.body.append(c)";
    let changes = [
        "f.src = 'http://other.test/'",
        "f.remove()",
        "f.replaceWith(f.cloneNode())",
        cover,
        "f.style.visibility = 'hidden'",
        "f.style.marginTop = '2000px'",
    ];
    let urls: Vec<String> = (0..changes.len()).map(|number| format!("http://page.test/{number}")).collect();
    let order = |change: &str| {
        format!(
            "{}<script>const f = document.querySelector('iframe'); document.querySelector('button').onclick = () => {{ {change} }}</script>",
            frame()
        )
    };
    let pages: Vec<String> = changes.iter().map(|change| page_with(&order(change))).collect();
    let other = "<button onclick=\"out.textContent='paid'\">Pay</button><p id=out></p>";
    let mut served: Vec<(&str, &str)> = urls.iter().map(String::as_str).zip(pages.iter().map(String::as_str)).collect();
    served.push(("http://other.test/", other));
    let Some((_edge, mut browser)) = opened("", &served).await else { return };
    for (number, change) in changes.iter().enumerate() {
        let (outcome, paid) = pressed_after(&mut browser, number).await;
        let expected = match number {
            0..=2 => outcome == Outcome::Gone && !paid,
            3 => matches!(outcome, Outcome::Covered { .. }) && !paid,
            4 => outcome == Outcome::Stale { part: "visibility".to_owned() } && !paid,
            // A frame that only moved is found again.
            _ => outcome == done() && paid,
        };
        assert!(expected, "{change}: {outcome:?} {paid}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_slides_over_or_out_of_the_frame_at_the_press_itself_is_not_pressed() {
    // The page moves another frame's button under the pointer when the pointer comes over its own.
    let slide = "<style>iframe{position:absolute;left:0;top:120px;border:0}</style><iframe id=pay src=http://pay.test/card width=500 height=300 style='left:700px'></iframe>
        <button id=bait style='position:absolute;left:20px;top:250px;width:200px;height:60px'>Bait</button>
        <script>for (const type of ['mousemove', 'pointerdown', 'mousedown', 'mouseup']) bait.addEventListener(type, () => { pay.style.left = 0; pay.style.top = '160px'; bait.style.display = 'none' })</script>";
    let swap = "<button id=b onclick=\"out.textContent='paid'\">Pay</button><p id=out></p><script>addEventListener('pointerdown', () => { b.textContent = 'Pay all' }, true)</script>";
    let more = [("http://page.test/swap", "<iframe src=http://pay.test/swap></iframe>"), ("http://pay.test/swap", swap)];
    let Some((_edge, mut browser)) = opened(slide, &more).await else { return };
    let seen = look(&mut browser).await;
    let outcome = press(&mut browser, &seen, "Bait").await;
    assert_ne!(outcome, done());
    assert!(!says(&mut browser, "paid").await);
    // The frame's own page swaps what the button says at the very press.
    go(&mut browser, "http://page.test/swap").await;
    let seen = look_for(&mut browser, "Pay").await;
    assert_eq!(press(&mut browser, &seen, "Pay").await, Outcome::Stale { part: "name".to_owned() });
    assert!(!says(&mut browser, "paid").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_typed_only_into_a_frame_of_its_origin() {
    let Some((_edge, mut browser)) = opened(&frame(), &[]).await else { return };
    let secret = |origin: &str| {
        Secret::bind("pin", "hunter2hunter2".to_owned(), Origin::read(origin).unwrap(), SecretField::Concealed).unwrap()
    };
    let seen = look_for(&mut browser, "Secret").await;
    let fill =
        || Action::Fill { control: bound(in_frame(&seen, "Secret")), value: ValueSource::Secret { key: "pin".to_owned() } };
    let refused = browser.perform(permit(fill()), &[secret("http://page.test")]).await;
    assert!(matches!(refused, Outcome::SecretRefused { .. }), "{refused:?}");
    assert_eq!(browser.perform(permit(fill()), &[secret("http://pay.test")]).await, holds());
    let seen = look(&mut browser).await;
    assert!(in_frame(&seen, "Secret").filled && !format!("{seen:?}").contains("hunter2"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_frame_does_not_hold_the_look_up() {
    let frozen = "<button>Cold</button><script>setTimeout(() => { while (true); }, 300)</script>";
    let frames = format!("<iframe src=http://cold.test/ width=300 height=100></iframe>{}", frame());
    let Some((_edge, mut browser)) = opened(&frames, &[("http://cold.test/", frozen)]).await else { return };
    tokio::time::sleep(Duration::from_millis(500)).await;
    let started = Instant::now();
    let seen = look_for(&mut browser, "Pay").await;
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    assert_eq!(seen.unreadable_frames, 1);
    let started = Instant::now();
    assert_eq!(press(&mut browser, &seen, "Pay").await, done());
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    assert!(says(&mut browser, "paid").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_in_a_frame_sends_that_frames_form_and_what_snatches_the_focus_gets_no_key() {
    let form = "<form action=/found><input name=q aria-label=Search value=tea></form>";
    let thief = "<button>Thief</button><p id=got></p><script>const b = document.querySelector('button');
        addEventListener('keydown', (event) => { got.textContent += ' got ' + event.key }, true);
        addEventListener('message', () => setInterval(() => { b.blur(); b.focus(); window.focus() }, 1))</script>";
    let frames = "<iframe src=http://find.test/ width=400 height=100></iframe><iframe id=thief src=http://thief.test/ width=300 height=100></iframe>";
    let steal = format!(
        "{frames}<input aria-label=Word><script>document.querySelector('input').addEventListener('focus', () => thief.contentWindow.postMessage(1, '*'))</script>"
    );
    let more = [
        ("http://page.test/steal", steal.as_str()),
        ("http://find.test/", form),
        ("http://find.test/found", "<h1>Found it</h1>"),
        ("http://thief.test/", thief),
    ];
    let Some((edge, mut browser)) = opened(frames, &more).await else { return };
    let seen = look_for(&mut browser, "Search").await;
    let search = bound(control(&seen, "Search"));
    assert_eq!(act(&mut browser, Action::Enter { control: search }).await, done());
    settle(&mut browser).await;
    assert!(says(&mut browser, "Found it").await, "{:?}", edge.log());
    go(&mut browser, "http://page.test/steal").await;
    let seen = look(&mut browser).await;
    let word = bound(control(&seen, "Word"));
    for _ in 0..4 {
        act(&mut browser, Action::Fill { control: word, value: text_of("private") }).await;
        act(&mut browser, Action::Enter { control: word }).await;
    }
    let text = look(&mut browser).await.text.for_model().to_owned();
    assert!(text.contains("Thief") && !text.contains(" got "), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_shadow_roots_are_walked_and_pressed_as_open_ones_are() {
    let html = "<div id=h></div><p id=out></p><script>
        const root = h.attachShadow({ mode: 'closed' });
        root.innerHTML = '<form><input aria-label=Word><button type=button>Shut</button><button type=button>Other</button></form><div id=inner></div>';
        root.querySelector('button').onclick = (event) => { out.textContent += event.isTrusted ? ' shut' : ' faked' };
        root.querySelectorAll('button')[1].onclick = () => { out.textContent += ' other' };
        const inner = root.getElementById('inner').attachShadow({ mode: 'closed' }); inner.innerHTML = ' text <button>Inner</button>';
        inner.querySelector('button').onclick = () => { out.textContent += ' inner' };</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    for name in ["Shut", "Inner"] {
        assert!(control(&seen, name).covered_by.is_none());
        assert_eq!(press(&mut browser, &seen, name).await, done(), "{name}");
    }
    let word = Action::Fill { control: bound(control(&seen, "Word")), value: text_of("tea") };
    assert_eq!(act(&mut browser, word).await, holds());
    let said = browser.visible_text().await.unwrap();
    assert!(said.contains("shut inner") && !said.contains("other"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_button_of_a_frame_is_pressed_and_not_when_it_slides_away() {
    let shadow = |moving: &str| {
        format!("<div id=h></div><p id=out></p><script>const root = h.attachShadow({{ mode: 'closed' }});
            root.innerHTML = '<style>button{{display:block;width:200px;height:40px}}</style><button>Keep</button><button>Delete</button>';
            const [keep, del] = root.querySelectorAll('button'); keep.onclick = () => {{ out.textContent = 'kept' }}; del.onclick = () => {{ out.textContent = 'deleted' }}; {moving}</script>")
    };
    let still = shadow("");
    let moving = shadow("addEventListener('pointerdown', () => { keep.before(del) }, true)");
    for (html, kept) in [(still, true), (moving, false)] {
        let Some((_edge, mut browser)) = opened("<iframe src=http://lit.test/></iframe>", &[("http://lit.test/", &html)]).await
        else {
            return;
        };
        let seen = look_for(&mut browser, "Keep").await;
        let outcome = press(&mut browser, &seen, "Keep").await;
        assert_eq!(outcome == done(), kept, "{outcome:?}");
        assert!(says(&mut browser, "kept").await == kept && !says(&mut browser, "deleted").await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_has_no_secret_of_a_frame_in_it() {
    let filled = "<style>body{margin:0}</style><input type=password value=hunter2 style='position:absolute;left:50px;top:50px;width:200px;height:40px;background:#fff;border:0'>";
    let page = "<style>body{margin:0;background:#fff}iframe{border:0;position:absolute;left:100px;top:100px}</style><iframe src=http://pin.test/ width=400 height=200></iframe>";
    let edge = TestEdge::with_pages(&[("http://page.test/", page), ("http://pin.test/", filled)]).await;
    let Some(mut browser) = launch(&edge).await else { return };
    go(&mut browser, "http://page.test/").await;
    let picture = browser.screenshot(clicket_chromium::Hide::SecretFields).await.unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(picture)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    let at = |x: usize, y: usize| pixels[y * frame.line_size + x * frame.color_type.samples()];
    assert_eq!((at(160, 160), at(340, 185), at(120, 120)), (0x40, 0x40, 0xff));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_of_a_frame_that_is_held_does_not_hold_the_press() {
    let form = "<form action=/held/nothing method=post><input type=hidden name=a value=b><button>Send</button></form>";
    let Some((edge, mut browser)) = opened("<iframe src=http://pay.test/form></iframe>", &[("http://pay.test/form", form)]).await
    else {
        return;
    };
    let seen = look_for(&mut browser, "Send").await;
    let started = Instant::now();
    assert_eq!(press(&mut browser, &seen, "Send").await, done());
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    crate::support::soon("the write is at the edge", || {
        edge.log().iter().any(|line| line.starts_with("POST http://pay.test/held"))
    })
    .await;
    // The page around it can be used while the frame waits.
    assert_eq!(press(&mut browser, &seen, "Order").await, done());
}

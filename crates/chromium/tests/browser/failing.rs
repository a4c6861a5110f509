//! Pages and browsers that misbehave: typed errors and bounded waits, never a hang.

use std::time::{Duration, Instant};

use clicket_chromium::{BrowserEvent, CallError, DialogKind, PageError};
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::Action;
use clicket_guard::secret::Scrubber;

use crate::support::{TestEdge, at_edge, control, done, go, launch, look, open, permit, press, settle, soon};

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_is_dismissed_and_reported() {
    let html = "<button onclick=\"out.textContent = 'answer ' + confirm('Pay now?')\">Ask</button><p id=out></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    let outcome = press(&mut browser, &seen, "Ask").await;
    assert!(
        matches!(&outcome, Outcome::DialogDismissed { kind, text } if kind == "confirm" && text.for_model() == "Pay now?"),
        "{outcome:?}"
    );
    assert_eq!(browser.events(), vec![BrowserEvent::Dialog { kind: DialogKind::Confirm, text: "Pay now?".to_owned() }]);
    assert!(browser.visible_text().await.unwrap().contains("answer false"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_loop_ends_and_the_page_can_be_used() {
    for html in [
        "<button>Go</button><script>while (true) alert('again')</script>",
        "<button>Go</button><script>setInterval(() => alert('again'), 5)</script>",
    ] {
        let edge = TestEdge::with_page(html).await;
        let Some(mut browser) = launch(&edge).await else { return };
        let started = Instant::now();
        browser.perform(permit(Action::Navigate { url: "http://page.test/".to_owned() }), &[]).await;
        settle(&mut browser).await;
        // The page is asked again and again between two dialogs; on a busy machine one look may fall under the next.
        let mut seen = browser.observe(&Scrubber::default()).await;
        while seen.is_err() && started.elapsed() < Duration::from_secs(25) {
            seen = browser.observe(&Scrubber::default()).await;
        }
        control(&seen.unwrap(), "Go");
        assert!(started.elapsed() < Duration::from_secs(25), "{:?}", started.elapsed());
        assert!(browser.events().iter().any(|event| matches!(event, BrowserEvent::Dialog { .. })));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_asks_to_stay_stays_and_says_so() {
    let html = "<button>Go</button><script>addEventListener('beforeunload', (event) => { event.preventDefault() })</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    press(&mut browser, &seen, "Go").await;
    let outcome = browser.perform(permit(Action::Navigate { url: "http://page.test/two".to_owned() }), &[]).await;
    assert!(matches!(&outcome, Outcome::DialogDismissed { kind, .. } if kind == "beforeunload"), "{outcome:?}");
    assert_eq!(browser.url(), "http://page.test/");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_page_is_said_to_be_frozen_and_thaws() {
    let html = "<button onclick='while (true);'>Freeze</button><p>text</p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    let started = Instant::now();
    let outcome = press(&mut browser, &seen, "Freeze").await;
    assert!(matches!(outcome, Outcome::TimedOut { .. }), "{outcome:?}");
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    settle(&mut browser).await;
    control(&look(&mut browser).await, "Freeze");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_freezes_by_itself_does_not_hold_settle() {
    let html = "<button>Go</button><script>setTimeout(() => { while (true); }, 30)</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = launch(&edge).await else { return };
    browser.perform(permit(Action::Navigate { url: "http://page.test/".to_owned() }), &[]).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let started = Instant::now();
    let settled = browser.settle(&mut at_edge(0), 10_000).await.unwrap();
    assert!(settled.frozen && !settled.hit_cap, "{settled:?}");
    assert!(started.elapsed() < Duration::from_secs(6));
    control(&look(&mut browser).await, "Go");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_rests_meets_the_cap() {
    let html = "<p id=out></p><script>setInterval(() => { out.textContent = Math.random() }, 10)</script>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = launch(&edge).await else { return };
    browser.perform(permit(Action::Navigate { url: "http://page.test/".to_owned() }), &[]).await;
    let settled = browser.settle(&mut at_edge(0), 600).await.unwrap();
    assert!(settled.hit_cap && (600..1_500).contains(&settled.waited_ms), "{settled:?}");
    let busy = browser.settle(&mut at_edge(1), 300).await.unwrap();
    assert!(busy.hit_cap && busy.waited_network_ms >= 280 && busy.window_ms <= 20, "{busy:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_answer_is_waited_for_and_told_apart_from_the_window() {
    let html = "<a href=/slow>Slow</a>";
    let edge = TestEdge::with_pages(&[("http://page.test/", html), ("http://page.test/slow", "<h1>Here</h1>")]).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    let started = Instant::now();
    assert_eq!(press(&mut browser, &seen, "Slow").await, done());
    assert!(started.elapsed() < Duration::from_millis(1_200), "the press waited for the load");
    let settled = settle(&mut browser).await;
    assert!(settled.navigated && settled.waited_network_ms >= 200 && settled.window_ms <= 80, "{settled:?}");
    assert!(browser.visible_text().await.unwrap().contains("Here"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crashed_page_is_an_error_and_a_navigation_brings_it_back() {
    let edge = TestEdge::with_page("<button>Go</button>").await;
    let Some(mut browser) = open(&edge).await else { return };
    let crash = browser.perform(permit(Action::Navigate { url: "chrome://crash".to_owned() }), &[]).await;
    assert!(!matches!(crash, Outcome::Done { .. }), "{crash:?}");
    let mut events = Vec::new();
    soon("the crash is noticed", || {
        events.extend(browser.events());
        events.contains(&BrowserEvent::Crashed)
    })
    .await;
    let error = browser.observe(&Scrubber::default()).await.unwrap_err();
    assert_eq!(error, PageError::Call(CallError::Crashed));
    go(&mut browser, "http://page.test/").await;
    control(&look(&mut browser).await, "Go");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_dies_fails_every_call_at_once() {
    let edge = TestEdge::with_page("<button>Go</button>").await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    let group = i32::try_from(browser.process_id()).unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL).unwrap();
    let started = Instant::now();
    tokio::time::timeout(Duration::from_secs(3), browser.exited()).await.unwrap();
    assert!(matches!(press(&mut browser, &seen, "Go").await, Outcome::Failed { .. }));
    assert!(matches!(browser.observe(&Scrubber::default()).await, Err(PageError::Call(CallError::Gone { .. }))));
    assert!(browser.settle(&mut at_edge(0), 5_000).await.is_err());
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    let report = browser.close().await;
    assert!(report.reaped && report.profile_removed, "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_dies_while_it_is_waited_for_is_waited_for_no_longer() {
    let edge = TestEdge::with_page("<button>Go</button>").await;
    let Some(mut browser) = open(&edge).await else { return };
    let group = i32::try_from(browser.process_id()).unwrap();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL).unwrap();
    });
    let started = Instant::now();
    // The edge has a request under way for good.
    assert!(browser.settle(&mut at_edge(1), 15_000).await.is_err());
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn new_tabs_are_closed_and_reported() {
    let html = "<a href=http://ad.test/one target=_blank>Tab</a><button onclick=\"window.open('http://ad.test/two')\">Window</button><a href=http://ad.test/three target=_blank rel=opener>Opener</a>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    for (name, url) in [("Tab", "http://ad.test/one"), ("Window", "http://ad.test/two"), ("Opener", "http://ad.test/three")] {
        let seen = look(&mut browser).await;
        assert_eq!(press(&mut browser, &seen, name).await, done(), "{name}");
        let mut events = Vec::new();
        soon(name, || {
            events.extend(browser.events());
            !events.is_empty()
        })
        .await;
        settle(&mut browser).await;
        events.extend(browser.events());
        assert_eq!(events, vec![BrowserEvent::NewTab { url: url.to_owned() }], "{name}");
    }
    assert!(edge.log().iter().all(|line| !line.contains("ad.test")), "{:?}", edge.log());
    assert_eq!(browser.url(), "http://page.test/");
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_and_file_choosers_are_refused_and_reported() {
    let html = "<a href='data:text/plain,hello' download=a.txt>Save</a><label>Upload <input type=file></label>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let seen = look(&mut browser).await;
    press(&mut browser, &seen, "Save").await;
    let mut events = Vec::new();
    soon("the download is reported", || {
        events.extend(browser.events());
        events.iter().any(|event| matches!(event, BrowserEvent::Download { .. }))
    })
    .await;
    press(&mut browser, &seen, "Upload").await;
    soon("the file chooser is reported", || browser.events().contains(&BrowserEvent::FileChooser)).await;
}

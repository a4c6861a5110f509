//! Dialogs that are held open while they are judged.

use std::time::Duration;

use clicket_chromium::{Browser, DialogAsked};
use clicket_guard::dialog::DialogKind;
use clicket_guard::outcome::Outcome;
use clicket_guard::permit::{Action, Bound};
use tokio::sync::mpsc::Receiver;

use crate::support::{TestEdge, bound, control, done, go, look, open, permit, settle};

const ASKS: &str = "<button onclick=\"out.textContent = 'answer ' + confirm('Keep it?')\">Ask</button><p id=out></p>";

async fn button(browser: &mut Browser, name: &str) -> Bound {
    let seen = look(browser).await;
    bound(control(&seen, name))
}

/// Presses, and answers each dialog with what `answer` does.
async fn press_and_answer(
    browser: &mut Browser,
    asked: &mut Receiver<DialogAsked>,
    name: &str,
    mut answer: impl AsyncFnMut(DialogAsked),
) -> Outcome {
    let control = button(browser, name).await;
    let pressing = browser.perform(permit(Action::Press { control }), &[]);
    tokio::pin!(pressing);
    loop {
        tokio::select! {
            outcome = &mut pressing => return outcome,
            Some(question) = asked.recv() => answer(question).await,
        }
    }
}

async fn accept(question: DialogAsked) {
    let dialog = question.dialog.clone();
    drop(question.accept(permit(Action::AcceptDialog { dialog })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_that_a_press_opens_waits_for_its_answer_and_is_accepted_by_a_permit_for_it() {
    let edge = TestEdge::with_page(ASKS).await;
    let Some(mut browser) = open(&edge).await else { return };
    let mut asked = browser.ask_about_dialogs();
    let outcome = press_and_answer(&mut browser, &mut asked, "Ask", async |question| {
        assert_eq!((question.dialog.kind, question.dialog.text.for_model()), (DialogKind::Confirm, "Keep it?"));
        // Longer than any call of the press may take.
        tokio::time::sleep(Duration::from_millis(5_600)).await;
        accept(question).await;
    })
    .await;
    assert!(matches!(&outcome, Outcome::DialogAccepted { kind, .. } if kind == "confirm"), "{outcome:?}");
    settle(&mut browser).await;
    assert!(browser.visible_text().await.unwrap().contains("answer true"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permit_for_one_dialog_does_not_accept_the_next() {
    let edge = TestEdge::with_page(ASKS).await;
    let Some(mut browser) = open(&edge).await else { return };
    let mut asked = browser.ask_about_dialogs();
    let (mut kept, mut told) = (None, None);
    for round in 0..2 {
        let outcome = press_and_answer(&mut browser, &mut asked, "Ask", async |question| {
            let dialog = kept.get_or_insert_with(|| question.dialog.clone()).clone();
            if round == 0 {
                return drop(question);
            }
            assert_eq!(dialog.text, question.dialog.text);
            told = Some(question.accept(permit(Action::AcceptDialog { dialog })));
        })
        .await;
        assert!(matches!(&outcome, Outcome::DialogDismissed { kind, .. } if kind == "confirm"), "{round}: {outcome:?}");
        settle(&mut browser).await;
        assert!(browser.visible_text().await.unwrap().contains("answer false"), "{round}");
    }
    assert_eq!(told.unwrap().await, Ok(Outcome::Stale { part: "dialog".to_owned() }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_that_comes_while_the_page_settles_is_asked_about_and_later_ones_are_not() {
    let html = "<button onclick=\"setTimeout(() => { out.textContent = 'late ' + confirm('Late?'); setTimeout(() => { out.textContent += ' later ' + confirm('Later?') }, 700) }, 30)\">Ask</button><p id=out></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let mut asked = browser.ask_about_dialogs();
    let control = button(&mut browser, "Ask").await;
    assert_eq!(browser.perform(permit(Action::Press { control }), &[]).await, done());
    let answering = tokio::spawn(async move {
        accept(asked.recv().await.unwrap()).await;
        asked
    });
    settle(&mut browser).await;
    assert!(browser.visible_text().await.unwrap().contains("late true"));
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert!(browser.visible_text().await.unwrap().contains("later false"), "nobody acts any more");
    assert!(answering.await.unwrap().try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_accepted_with_what_it_shows() {
    let html = "<button onclick=\"out.textContent = 'named ' + prompt('Name?', 'Draft 1')\">Ask</button><p id=out></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let mut asked = browser.ask_about_dialogs();
    press_and_answer(&mut browser, &mut asked, "Ask", async |question| {
        assert_eq!(question.dialog.prefilled.for_model(), "Draft 1");
        accept(question).await;
    })
    .await;
    settle(&mut browser).await;
    assert!(browser.visible_text().await.unwrap().contains("named Draft 1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_asks_to_stay_is_left_when_that_is_allowed() {
    let html = "<button>Go</button><script>addEventListener('beforeunload', (event) => { event.preventDefault() })</script>";
    let edge = TestEdge::with_pages(&[("http://page.test/", html), ("http://page.test/two", "<h1>Two</h1>")]).await;
    let Some(mut browser) = open(&edge).await else { return };
    let mut asked = browser.ask_about_dialogs();
    let control = button(&mut browser, "Go").await;
    browser.perform(permit(Action::Press { control }), &[]).await;
    let answering = tokio::spawn(async move { accept(asked.recv().await.unwrap()).await });
    let outcome = browser.perform(permit(Action::Navigate { url: "http://page.test/two".to_owned() }), &[]).await;
    answering.await.unwrap();
    settle(&mut browser).await;
    assert!(matches!(&outcome, Outcome::DialogAccepted { kind, .. } if kind == "beforeunload"), "{outcome:?}");
    assert_eq!(browser.url(), "http://page.test/two");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_that_is_given_up_while_a_dialog_is_open_leaves_a_page_that_can_be_used() {
    let edge = TestEdge::with_page(ASKS).await;
    let Some(mut browser) = open(&edge).await else { return };
    let mut asked = browser.ask_about_dialogs();
    let control = button(&mut browser, "Ask").await;
    {
        let pressing = browser.perform(permit(Action::Press { control }), &[]);
        assert!(tokio::time::timeout(Duration::from_millis(1_500), pressing).await.is_err());
    }
    let question = asked.recv().await.unwrap();
    assert!(browser.visible_text().await.unwrap().contains("answer false"));
    let dialog = question.dialog.clone();
    assert!(question.accept(permit(Action::AcceptDialog { dialog })).await.is_err(), "it is too late to say yes");
    go(&mut browser, "http://page.test/").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_asks_on_and_on_wears_nobody_out() {
    let html = "<button onclick=\"let n = 0; while (n < 6 && !confirm('Again?')) n++; out.textContent = 'asked ' + n\">Ask</button><p id=out></p>";
    let edge = TestEdge::with_page(html).await;
    let Some(mut browser) = open(&edge).await else { return };
    let mut asked = browser.ask_about_dialogs();
    let mut count = 0;
    press_and_answer(&mut browser, &mut asked, "Ask", async |_| count += 1).await;
    assert_eq!(count, 3);
    settle(&mut browser).await;
    assert!(browser.visible_text().await.unwrap().contains("asked 6"));
}

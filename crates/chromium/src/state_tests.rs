use super::*;

fn raw(value: Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

fn open_page() -> State {
    let mut state = State::new(PageScripts::On);
    state.context = Some("C".to_owned());
    let attached =
        json!({ "sessionId": "S", "targetInfo": { "targetId": "T", "type": "page", "url": "", "browserContextId": "C" } });
    assert_eq!(state.fold(None, "Target.attachedToTarget", &raw(attached)), vec![]);
    assert_eq!(state.session.as_deref(), Some("S"));
    state
}

#[test]
fn a_page_of_another_context_is_never_taken_for_ours() {
    let mut state = State::new(PageScripts::On);
    state.context = Some("C".to_owned());
    let other = json!({ "sessionId": "S", "targetInfo": { "targetId": "T", "type": "page", "browserContextId": "D" } });
    let replies = state.fold(None, "Target.attachedToTarget", &raw(other));
    assert_eq!(state.session, None);
    assert!(replies.iter().any(|reply| reply.method == "Target.closeTarget"));
}

#[test]
fn a_new_tab_is_closed_and_reported_once() {
    let mut state = open_page();
    state.fold(Some("S"), "Page.windowOpen", &raw(json!({ "url": "http://ad.test/" })));
    let popup = json!({ "sessionId": "P", "targetInfo": { "targetId": "U", "type": "page", "url": "http://ad.test/", "browserContextId": "C" } });
    let replies = state.fold(Some("S"), "Target.attachedToTarget", &raw(popup));
    let order: Vec<&str> = replies.iter().map(|reply| reply.method).collect();
    assert_eq!(order, vec!["Fetch.enable", "Target.closeTarget", "Runtime.runIfWaitingForDebugger"]);
    let paused = state.fold(Some("P"), "Fetch.requestPaused", &raw(json!({ "requestId": "R" })));
    assert_eq!(paused[0].method, "Fetch.failRequest");
    assert_eq!(state.drain(), vec![BrowserEvent::NewTab { url: "http://ad.test/".to_owned() }]);
}

#[test]
fn every_dialog_is_dismissed_and_a_loop_of_them_is_ended() {
    let mut state = open_page();
    let opening = raw(json!({ "type": "alert", "message": "again" }));
    for _ in 0..crate::limits::DIALOGS_IN_A_ROW_MAX {
        let replies = state.fold(Some("S"), "Page.javascriptDialogOpening", &opening);
        assert_eq!(replies, vec![Reply::to("S", "Page.handleJavaScriptDialog", json!({ "accept": false }))]);
    }
    let replies = state.fold(Some("S"), "Page.javascriptDialogOpening", &opening);
    assert_eq!(replies[1].method, "Runtime.terminateExecution");
}

#[test]
fn the_proxy_credential_is_given_once_and_to_no_server() {
    let mut state = open_page();
    state.login = Some(ProxyLogin { user: "u".to_owned(), password: "p".to_owned(), answered: false });
    let asks = |source: &str| raw(json!({ "requestId": "R", "authChallenge": { "source": source, "origin": "" } }));
    let answers: Vec<String> = ["Server", "Proxy", "Proxy"]
        .iter()
        .map(|source| {
            state.fold(Some("S"), "Fetch.authRequired", &asks(source))[0].params["authChallengeResponse"]["response"].to_string()
        })
        .collect();
    assert_eq!(answers, vec!["\"CancelAuth\"", "\"ProvideCredentials\"", "\"CancelAuth\""]);
}

#[test]
fn a_frame_of_another_site_runs_no_script_when_scripts_are_off() {
    let mut state = open_page();
    state.page_scripts = PageScripts::Off;
    let frame = json!({ "sessionId": "F", "targetInfo": { "targetId": "V", "type": "iframe" } });
    let replies = state.fold(Some("S"), "Target.attachedToTarget", &raw(frame));
    let order: Vec<&str> = replies.iter().map(|reply| reply.method).collect();
    let off = order.iter().position(|method| *method == "Emulation.setScriptExecutionDisabled").unwrap();
    let run = order.iter().position(|method| *method == "Runtime.runIfWaitingForDebugger").unwrap();
    assert!(off < run);
}

#[test]
fn events_above_the_bound_are_counted_not_kept() {
    let mut state = open_page();
    for number in 0..EVENTS_MAX + 5 {
        state.push(BrowserEvent::NewTab { url: number.to_string() });
    }
    let events = state.drain();
    assert_eq!(events.len(), EVENTS_MAX + 1);
    assert_eq!(events.last(), Some(&BrowserEvent::Lost { count: 5 }));
}

#[test]
fn only_the_main_frame_moves_the_page() {
    let mut state = open_page();
    let child = json!({ "frame": { "id": "X", "parentId": "T", "url": "http://child.test/" } });
    state.fold(Some("S"), "Page.frameNavigated", &raw(child));
    assert_eq!((state.navigations, state.url.as_str()), (0, ""));
    let main = json!({ "frame": { "id": "T", "url": "http://page.test/", "urlFragment": "#a" } });
    state.fold(Some("S"), "Page.frameNavigated", &raw(main));
    assert_eq!((state.navigations, state.url.as_str()), (1, "http://page.test/#a"));
}

#[test]
fn unknown_shapes_change_nothing() {
    let mut state = open_page();
    for method in ["Page.frameNavigated", "Target.attachedToTarget", "Runtime.executionContextCreated", "No.such"] {
        assert_eq!(state.fold(Some("S"), method, &raw(json!([1, "x"]))), vec![]);
        assert_eq!(state.fold(Some("S"), method, &raw(json!({ "frame": 3, "context": {}, "sessionId": [] }))), vec![]);
    }
    assert_eq!(state.life, Life::Alive);
}

#[test]
fn a_change_of_address_within_the_document_is_no_navigation_that_holds_the_page_back() {
    let mut state = open_page();
    for (kind, wanted) in [("sameDocument", 0), ("historySameDocument", 0), ("differentDocument", 1), ("reload", 2)] {
        let started = json!({ "frameId": "T", "url": "http://page.test/", "loaderId": "L", "navigationType": kind });
        state.fold(Some("S"), "Page.frameStartedNavigating", &raw(started));
        assert_eq!(state.navigations_asked, wanted, "{kind}");
    }
}

fn world_of(session: &str, frame: &str, unique_id: &str) -> (String, Box<RawValue>) {
    let context =
        json!({ "id": 1, "uniqueId": unique_id, "name": WORLD, "origin": "http://pay.test", "auxData": { "frameId": frame } });
    (session.to_owned(), raw(json!({ "context": context })))
}

#[test]
fn a_frame_has_its_own_world_and_never_takes_the_place_of_the_page() {
    let mut state = open_page();
    let frame = json!({ "sessionId": "F", "targetInfo": { "targetId": "V", "type": "iframe" } });
    let replies = state.fold(Some("S"), "Target.attachedToTarget", &raw(frame));
    let methods: Vec<&str> = replies.iter().map(|reply| reply.method).collect();
    assert!(
        methods.contains(&"Page.addScriptToEvaluateOnNewDocument") && methods.last() == Some(&"Runtime.runIfWaitingForDebugger")
    );
    for (session, event) in
        [world_of("F", "V", "1"), world_of("F", "T", "2"), world_of("stranger", "W", "3"), world_of("S", "T", "4")]
    {
        state.fold(Some(&session), "Runtime.executionContextCreated", &event);
    }
    assert_eq!(state.world.as_ref().unwrap().unique_id, "4", "only the page's own session speaks for the page");
    assert_eq!(state.foreign.world("V").unwrap().session, "F");
    assert_eq!(state.foreign.world("W"), None, "a session that is not of our page");
    let asked = json!({ "frameId": "V", "navigationType": "differentDocument" });
    state.fold(Some("F"), "Page.frameStartedNavigating", &raw(asked));
    assert_eq!((state.navigations_asked, state.foreign.asked("V")), (0, 1));
    state.fold(Some("S"), "Target.detachedFromTarget", &raw(json!({ "sessionId": "F" })));
    assert!(state.foreign.world("V").is_none() && state.life == Life::Alive);
}

//! Writes are told apart on a page as ordinary sites have it: queries by POST, telemetry, a heartbeat, and the one write that is meant.

use crate::page_server::{Got, PageServer, html, json};

const PAGE: &str = r#"<!doctype html><title>Notes</title><h1>Notes</h1><p id=said>loading</p><button id=add>Add note</button>
<script>
const ask = (query, operationName) => fetch('/api/graphql', {method: 'POST', headers: {'content-type': 'application/json'},
  body: JSON.stringify({query, operationName, variables: {}})}).then(answer => answer.ok ? answer.json() : Promise.reject(answer.status));
const beat = () => fetch('/presence', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{"here":true}'}).catch(() => {});
navigator.sendBeacon('/hit', 'x');
fetch('/g/collect', {method: 'POST', body: 'x'}).catch(() => {});
beat(); setInterval(beat, 300);
ask('query Notes { notes { count } }', 'Notes').then(got => { said.textContent = 'You have ' + got.data.notes.count + ' notes'; });
add.onclick = () => ask('mutation AddNote { add { count } }', 'AddNote')
  .then(got => { said.textContent = 'Saved as note number ' + got.data.add.count; })
  .catch(why => { said.textContent = 'Refused: ' + why; });
</script>"#;

fn notes(got: &Got) -> crate::page_server::Reply {
    match (got.method.as_str(), got.body.contains("mutation")) {
        ("POST", true) => json(r#"{"data":{"add":{"count":4}}}"#),
        ("POST", false) => json(r#"{"data":{"notes":{"count":3}}}"#),
        _ => html(PAGE),
    }
}

const GOAL: &str = "Press Add note";
const EXPECTED: [&str; 2] = ["--expect-text", "Saved as note number 4"];

#[test]
fn queries_pass_telemetry_is_quiet_and_the_pages_own_writes_end_no_run() {
    let server = PageServer::start(notes);
    let (code, report, said) = server.run(GOAL, &[&EXPECTED[..], &["--allow", "POST /api/graphql"]].concat());
    assert_eq!(code, 0, "{said}");
    let posts = server.got("POST");
    assert!(posts.iter().all(|post| post.starts_with("/api/graphql ")), "{posts:?}");
    assert_eq!(posts.iter().filter(|post| post.contains("mutation")).count(), 1, "{posts:?}");
    assert_eq!(posts.len(), 2, "{posts:?}");
    assert!(report["requests"]["telemetry"].as_u64().unwrap() >= 2, "{said}");
}

#[test]
fn with_nobody_there_the_query_is_answered_and_the_mutation_is_held() {
    let server = PageServer::start(notes);
    let (code, report, said) = server.run(GOAL, &EXPECTED);
    assert_eq!(code, 3, "{said}");
    assert_eq!(report["reason"]["reason"], "needs_a_person", "{said}");
    let posts = server.got("POST");
    assert!(posts.len() == 1 && posts[0].contains("query Notes"), "{posts:?}");
    assert_eq!(report["requests"]["released"], 0, "{said}");
}

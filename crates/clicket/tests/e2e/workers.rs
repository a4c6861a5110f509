//! Service workers with nobody there: they run, and what they send is judged at the edge as the page's own is.

use crate::page_server::{PageServer, Reply, html};
use crate::scripted::{Line, ScriptedModel};

const PAGE: &str = r"<!doctype html><title>Profile</title><h1>Profile</h1>
<form id=form hidden method=post action=/save><input type=hidden name=plan value=basic>
<label>Name <input name=name></label> <button>Save profile</button></form><p id=out></p>
<script>
  navigator.serviceWorker.register('/worker.js');
  navigator.serviceWorker.addEventListener('controllerchange', () => { out.textContent = 'Worker is here'; form.hidden = false; });
</script>";

const TAKES_OVER: &str = "self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', event => event.waitUntil(clients.claim()));";

/// Passes everything on as it is.
const HONEST: &str = "self.addEventListener('fetch', event => event.respondWith(fetch(event.request)));";

/// Sends something by itself at once, and puts another plan into what the form sends.
const LYING: &str = "self.addEventListener('activate', () => fetch('/installed', { method: 'POST', body: 'x=1' }));
self.addEventListener('fetch', event => {
  if (event.request.method !== 'POST') return;
  event.respondWith(fetch('/save', { method: 'POST', body: new URLSearchParams({ plan: 'gold', name: 'Ada' }) }));
});";

/// The form is there when the worker is in control.
const SCRIPT: &[Line] = &[Line("fill", &["Name", "Ada"]), Line("press", &["Save profile"])];

fn run(worker: &'static str) -> (PageServer, i32, serde_json::Value, String) {
    let server = PageServer::start(move |got| match got.path.as_str() {
        "/worker.js" => {
            Reply { head: "200 OK\r\ncontent-type: text/javascript".into(), body: format!("{TAKES_OVER}\n{worker}").into_bytes() }
        }
        "/save" => html("<title>Saved</title><h1>Profile is saved</h1>"),
        _ => html(PAGE),
    });
    let model = ScriptedModel::start(SCRIPT);
    let options =
        ["--value", "name=Ada", "--allow", "POST /save", "--expect-text", "Profile is saved", "--model", &model.option()];
    let (code, report, said) = server.run("as scripted", &options);
    (server, code, report, said)
}

#[test]
fn a_form_goes_through_a_service_worker_that_passes_it_on() {
    let (server, code, report, said) = run(HONEST);
    assert_eq!(code, 0, "{said}");
    assert_eq!(server.got("POST"), ["/save plan=basic&name=Ada"], "{report:#}");
}

#[test]
fn a_service_worker_can_neither_send_by_itself_nor_change_what_a_form_sends() {
    let (server, code, report, said) = run(LYING);
    assert_eq!(server.got("POST"), Vec::<String>::new(), "{report:#}");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("holds another value than the form that was pressed"), "{said}");
}

//! Service workers: what they ask for arrives at the edge like everything else, and a page's own requests go past them where it is said.

use clicket_chromium::ServiceWorkers;

use crate::support::{TestEdge, go, launch_with, look, names, soon, soon_async};

const PAGE: &str = "<!doctype html><title>Worker</title><button id=out>Waiting</button><script>
  const ask = () => fetch('/said').then(answer => answer.text()).then(text => { out.textContent = text; });
  navigator.serviceWorker.addEventListener('controllerchange', ask);
  navigator.serviceWorker.register('/worker.js');
</script>";

const WORKER: &str = "self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', event => event.waitUntil(fetch('/asked-by-worker').then(() => clients.claim())));
self.addEventListener('fetch', event => {
  if (event.request.url.endsWith('/said')) event.respondWith(new Response('Said by the worker'));
});";

async fn said(workers: ServiceWorkers) -> Option<(String, Vec<String>)> {
    let pages = [
        ("http://localhost/", PAGE),
        ("http://localhost/worker.js", WORKER),
        ("http://localhost/said", "Said by the site"),
        ("http://localhost/asked-by-worker", "here"),
    ];
    let edge = TestEdge::with_pages(&pages).await;
    let mut browser = launch_with(&edge, |config| config.service_workers = workers).await?;
    go(&mut browser, "http://localhost/").await;
    soon("the worker asks", || edge.log().iter().any(|line| line.ends_with("/asked-by-worker"))).await;
    let mut name = String::new();
    soon_async("an answer", async || {
        name = names(&look(&mut browser).await).remove(0);
        name != "Waiting"
    })
    .await;
    browser.close().await;
    Some((name, edge.log()))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_worker_asks_for_arrives_at_the_edge_and_it_answers_the_page() {
    let Some((name, log)) = said(ServiceWorkers::Run).await else { return };
    assert_eq!(name, "Said by the worker");
    assert!(!log.iter().any(|line| line.ends_with("/said")), "{log:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bypassed_worker_answers_nothing_and_what_it_asks_for_arrives_at_the_edge() {
    let Some((name, log)) = said(ServiceWorkers::Bypassed).await else { return };
    assert_eq!(name, "Said by the site");
    assert!(log.iter().any(|line| line.ends_with("/said")), "{log:?}");
}

//! The edge in a process of its own. Every write is released with a permit of the real gate and every file taken: what is
//! measured is the road, not a person.

use std::path::Path;

use anyhow::{Context, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clicket_egress::{BlindTo, Documents, DownloadFolder, Edge, EdgeConfig, EdgeEvent, EdgeLimits, ResolverChoice};
use clicket_guard::address::{HostRules, OperatorGrant};
use clicket_guard::approval::{Attendance, Moment};
use clicket_guard::download::Download;
use clicket_guard::gate::{Admission, Effect, admit_download, admit_effect};
use clicket_guard::policy::Policy;
use clicket_guard::reach::{Profile, Reach};
use clicket_guard::risk::ActionClass;
use clicket_guard::secret::Scrubber;
use clicket_guard::web::WebUrl;
use clicket_journal::{Journal, RunId};
use serde_json::{Value, json};

use crate::HOST;
use crate::process::until_the_other_side_ends;

/// Opens an edge, says how to reach it, and serves until its starter ends.
pub(crate) async fn run(settings: &str) -> anyhow::Result<()> {
    let settings: Value = serde_json::from_str(settings)?;
    let folder = tempfile::tempdir()?;
    let (edge, mut events) = Edge::open(config(&settings, folder.path())?).await?;
    let journal = Journal::create(folder.path(), &RunId::new(1, [7; 8]))?;
    let answering = tokio::spawn(async move {
        let mut gate = Gate { journal, policy: Policy::shipped()? };
        while let Some(event) = events.recv().await {
            gate.answer(event)?;
        }
        Ok::<_, anyhow::Error>(())
    });
    let credential = edge.credential();
    let words = json!({
        "address": edge.address().to_string(),
        "credential": STANDARD.encode(format!("{}:{}", credential.user(), credential.password())),
        "root": STANDARD.encode(edge.ca_certificate_der()),
    });
    println!("{words}");
    until_the_other_side_ends().await;
    edge.close().await;
    answering.await?
}

fn config(settings: &Value, folder: &Path) -> anyhow::Result<EdgeConfig> {
    let origin = settings["origin"].as_str().context("no origin")?.parse()?;
    let root = settings["root"].as_str().context("no root")?;
    let downloads = match settings["files_bytes_max"].as_u64() {
        Some(bytes_max) => Some(DownloadFolder::open(&folder.join("files"), bytes_max)?),
        None => None,
    };
    Ok(EdgeConfig {
        blind: BlindTo::Origins(Vec::new()),
        documents: Documents::Any,
        reach: Reach::new(Profile::Site, &WebUrl::read(&format!("https://{HOST}/"))?, Vec::new(), Vec::new(), Vec::new())?,
        grants: vec![OperatorGrant::host_map(HOST, origin)?],
        host_rules: HostRules::default(),
        extra_roots_pem: vec![root.as_bytes().to_vec()],
        resolver: ResolverChoice::Servers(Vec::new()),
        downloads,
        limits: limits(settings),
    })
}

/// What ships, but for the sums of a run that a measurement goes past on purpose, and waits that would only make it longer.
fn limits(settings: &Value) -> EdgeLimits {
    let shipped = EdgeLimits::default();
    let short = settings["short_waits"].as_bool().unwrap_or(false);
    let waits = |ms: u64| if short { ms.min(3_000) } else { ms };
    EdgeLimits {
        run_requests_max: u64::MAX,
        window_requests_max: u64::MAX,
        run_bytes_max: u64::MAX,
        request_head_ms: waits(shipped.request_head_ms),
        response_head_ms: waits(shipped.response_head_ms),
        response_whole_ms: waits(shipped.response_whole_ms),
        ..shipped
    }
}

struct Gate {
    journal: Journal,
    policy: Policy,
}

impl Gate {
    fn answer(&mut self, event: EdgeEvent) -> anyhow::Result<()> {
        let now = Moment { unix_ms: 1, steady_ms: 1 };
        match event {
            EdgeEvent::Recorded(_) | EdgeEvent::Socket(_) | EdgeEvent::Tunnel(_) => {}
            EdgeEvent::Held(held) => {
                let judgement = self.policy.judge_action(ActionClass::Observe, 1.0, Attendance::Attended);
                let effect = Effect { image: held.image().clone(), after: None, scrub: Scrubber::of(&[])? };
                let Admission::Permit(permit) = admit_effect(&mut self.journal, now, effect, judgement)? else {
                    bail!("the gate gave no permit");
                };
                // A browser that left meanwhile is no fault of the measurement.
                let _ = held.release(permit);
            }
            EdgeEvent::Offered(file) => {
                let judgement = self.policy.judge_action(ActionClass::Download, 1.0, Attendance::Attended);
                let deed = Download { facts: file.facts().clone(), after: None, scrub: Scrubber::of(&[])? };
                let Admission::Permit(permit) = admit_download(&mut self.journal, now, deed, judgement)? else {
                    bail!("the gate gave no permit");
                };
                let _ = file.take(permit);
            }
        }
        Ok(())
    }
}

//! A run: opens the page, takes steps until it is done, blocked or out of budget, and closes the record.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use clicket_chromium::{Browser, CookieJar, Hide};
use clicket_egress::{Edge, EdgeEvent, RequestRecord};
use clicket_guard::approval::Approver;
use clicket_guard::observation::Observation;
use clicket_guard::offer::{History, Offer, ValueOffer};
use clicket_guard::secret::Scrubber;
use clicket_journal::Journal;
use clicket_systemone::{Decider, Locality};
use serde_json::json;
use tokio::sync::{Notify, mpsc};

use crate::clock::Clock;
use crate::config::{RunConfig, SessionError};
use crate::dialogs::Dialogs;
use crate::edge_desk::{DeskParts, EdgeDesk};
use crate::facts::Past;
use crate::live::{Live, Watch};
use crate::report::{End, HandBack, RunReport, StepReport};

/// Time for the picture of the last page: a page that is frozen or never came must not hold the end of a run up.
const PICTURE_WAIT: Duration = Duration::from_secs(5);

/// Everything that is wired to a run.
pub struct Parts {
    /// The only hands.
    pub browser: Browser,
    /// The only road out.
    pub edge: Edge,
    /// What the edge says.
    pub edge_events: mpsc::Receiver<EdgeEvent>,
    /// What decides.
    pub decider: Arc<dyn Decider>,
    /// Who is asked.
    pub approver: Arc<dyn Approver>,
    /// Who watches.
    pub watch: Arc<dyn Watch>,
    /// Notified when the operator wants it to stop.
    pub stop: Arc<Notify>,
    /// The record.
    pub journal: Journal,
    /// 16 random bytes for each offer.
    pub nonce: Box<dyn FnMut() -> [u8; 16] + Send>,
    /// Who keeps the cookies when the run ends; nobody does for a throw-away profile.
    pub keeper: Option<Box<dyn Keeper>>,
}

/// Keeps the cookies of a run for the next one.
pub trait Keeper: Send + Sync {
    /// Keeps them, or says why not.
    ///
    /// # Errors
    /// In words for the operator.
    fn keep(&self, cookies: &CookieJar) -> Result<(), String>;
}

/// State of a run between steps.
pub(crate) struct Runner {
    pub(crate) browser: Browser,
    pub(crate) edge: Edge,
    /// Requests under way at the edge, and which of them were seen to come and go.
    pub(crate) traffic: clicket_chromium::Traffic,
    pub(crate) desk: EdgeDesk,
    pub(crate) dialogs: Dialogs,
    pub(crate) decider: Arc<dyn Decider>,
    pub(crate) config: RunConfig,
    pub(crate) values: Vec<ValueOffer>,
    pub(crate) nonce: Box<dyn FnMut() -> [u8; 16] + Send>,
    keeper: Option<Box<dyn Keeper>>,
    pub(crate) past: Vec<Past>,
    pub(crate) before: Option<clicket_guard::observation::Observation>,
    pub(crate) steps: Vec<StepReport>,
    pub(crate) usd: f64,
    pub(crate) pages: u32,
    pub(crate) refusals: u32,
    /// Deeds, in words, on controls that changed what they send while they were being pressed.
    pub(crate) distrusted: BTreeSet<String>,
}

/// Runs until it ends; the browser is gone and the journal sealed when this returns.
///
/// # Errors
/// A fault of journal, browser or model. What happened until then is in the journal.
pub async fn run(parts: Parts, config: RunConfig) -> Result<RunReport, SessionError> {
    let stop = Arc::clone(&parts.stop);
    let mut runner = Runner::assemble(parts, config)?;
    let budget = runner.config.budgets.time();
    let ended = tokio::select! {
        () = stop.notified() => Ok(End::Interrupted { unanswered: None }),
        ended = tokio::time::timeout(budget, runner.go()) => ended.unwrap_or_else(|_| Ok(out_of_time(budget))),
    };
    // The browser lives and its page does not: nothing is broken that a person could not go on from.
    let ended = match ended {
        Err(SessionError::PageLost(why)) => Ok(End::HandedBack {
            reason: HandBack::NoProgress(why),
            next: "Open the address in a browser of your own to see whether the page works there; then run it again.".into(),
        }),
        ended => ended,
    };
    runner.close(ended).await
}

/// One look at a page, with every request that it made.
#[derive(Debug)]
pub struct Look {
    /// What was seen.
    pub seen: Observation,
    /// What could be done on it, with the values of the configuration.
    pub offer: Offer,
    /// Requests, in the order they ended.
    pub requests: Vec<RequestRecord>,
    /// Picture of the page as PNG.
    pub picture: Option<Vec<u8>>,
}

/// Opens the start page, looks once, and closes everything.
///
/// # Errors
/// As for [`run`]; also when the page could not be opened.
pub async fn look(parts: Parts, config: RunConfig) -> Result<Look, SessionError> {
    let stop = Arc::clone(&parts.stop);
    let mut runner = Runner::assemble(parts, config)?;
    let budget = runner.config.budgets.time();
    let looked = tokio::select! {
        () = stop.notified() => Err(SessionError::Stopped),
        looked = tokio::time::timeout(budget, runner.look()) => looked.unwrap_or(Err(SessionError::Stopped)),
    };
    let (ended, look) = match looked {
        Ok((look, end)) => (Ok(end), Some(look)),
        Err(error) => (Err(error), None),
    };
    let report = runner.close(ended).await?;
    look.map(|look| Look { picture: report.picture.ok(), ..look }).ok_or(SessionError::Stopped)
}

impl Runner {
    pub(crate) fn assemble(parts: Parts, config: RunConfig) -> Result<Self, SessionError> {
        let Parts { mut browser, edge, edge_events, decider, approver, watch, stop: _, journal, nonce, keeper } = parts;
        let scrub = Scrubber::of(&config.secrets)?;
        let desk = EdgeDesk::new(DeskParts {
            events: edge_events,
            journal,
            policy: config.policy.clone(),
            approver,
            watch,
            scrub,
            earlier: config.earlier.clone(),
            clock: Clock::start(),
            wait: Duration::from_millis(config.budgets.approval_wait_ms),
        });
        let dialogs = Dialogs::new(browser.ask_about_dialogs(), Duration::from_millis(config.budgets.approval_wait_ms));
        let values = offered_values(&config);
        Ok(Self {
            browser,
            traffic: edge.in_flight(),
            edge,
            desk,
            dialogs,
            decider,
            config,
            values,
            nonce,
            keeper,
            past: Vec::new(),
            before: None,
            steps: Vec::new(),
            usd: 0.0,
            pages: 0,
            refusals: 0,
            distrusted: BTreeSet::new(),
        })
    }

    async fn look(&mut self) -> Result<(Look, End), SessionError> {
        self.write_start()?;
        if let Some(End::HandedBack { reason, .. }) = self.open().await? {
            return Err(SessionError::Open { url: self.config.start.public_form().to_owned(), why: reason.in_words() });
        }
        let seen = self.observe().await?;
        let offer = Offer::make(&seen, &self.values, History::First, (self.nonce)());
        self.desk.note("look", &json!({"observation": seen}))?;
        let later = self.desk.write_requests()?;
        let mut requests = std::mem::take(&mut self.desk.opened);
        requests.extend(later);
        let end = End::Unverified { because: "only looked".into() };
        Ok((Look { seen, offer, requests, picture: None }, end))
    }
}

fn out_of_time(budget: Duration) -> End {
    End::HandedBack {
        reason: HandBack::Budget(format!("the time budget of {} s is used up", budget.as_secs())),
        next: "Look at the journal to see how far it came; give more time with --time.".into(),
    }
}

fn offered_values(config: &RunConfig) -> Vec<ValueOffer> {
    let text = config.values.iter().map(|value| ValueOffer::Text { key: Some(value.key.clone()), text: value.text.clone() });
    let secret = config.secrets.iter().map(|secret| ValueOffer::Secret {
        key: secret.key().to_owned(),
        origin: secret.origin().clone(),
        field: secret.field(),
    });
    let quoted = crate::values::computed(&config.goal).into_iter().map(|text| ValueOffer::Text { key: None, text });
    let files = config.files.iter().cloned().map(ValueOffer::File);
    let mut all: Vec<ValueOffer> = text.chain(secret).chain(files).collect();
    for value in quoted {
        let known = all
            .iter()
            .any(|old| matches!((old, &value), (ValueOffer::Text { text: a, .. }, ValueOffer::Text { text: b, .. }) if a == b));
        if !known {
            all.push(value);
        }
    }
    all.truncate(clicket_guard::limits::VALUES_MAX);
    all
}

impl Runner {
    async fn go(&mut self) -> Result<End, SessionError> {
        self.write_start()?;
        let model = self.decider.name().to_owned();
        let url = self.config.start.public_form().to_owned();
        tracing::info!(run = %self.desk.journal.run(), %url, %model, "run");
        self.desk.watch.see(&Live::Started {
            url: &url,
            model: &model,
            seams: &self.config.seams,
            confinement: self.browser.confinement(),
        });
        if let Some(end) = self.open().await? {
            return Ok(end);
        }
        for number in 1..=self.config.budgets.steps {
            if let Some(end) = self.step(number).await? {
                return Ok(end);
            }
        }
        // The last step may have reached the goal.
        if let Some(end) = self.look_for_the_end(None).await? {
            return Ok(end);
        }
        Ok(End::HandedBack {
            reason: HandBack::Budget(format!("the budget of {} steps is used up", self.config.budgets.steps)),
            next: "Give more steps with --steps, or a goal that names the next step.".into(),
        })
    }

    pub(crate) fn write_start(&mut self) -> Result<(), SessionError> {
        let config = &self.config;
        let keys: Vec<&str> = config
            .values
            .iter()
            .map(|value| value.key.as_str())
            .chain(config.secrets.iter().map(|secret| secret.key()))
            .collect();
        let body = json!({
            "goal": self.desk.scrub.scrub(&config.goal),
            "start": self.desk.scrub.scrub(config.start.as_str()),
            "keys": keys,
            "files": config.files,
            "expectations": config.expectations,
            "policy": config.policy,
            "attendance": self.desk.approver.attendance(),
            "model": self.decider.name(),
            "browser": self.browser.version(),
            "seams": config.seams,
            "confinement": self.browser.confinement(),
        });
        Ok(self.desk.append("run", &body)?)
    }

    /// Ends everything: browser first, so that nothing more can happen; then the record.
    pub(crate) async fn close(self, ended: Result<End, SessionError>) -> Result<RunReport, SessionError> {
        let Self { mut browser, edge, mut desk, decider, config, steps, usd, keeper, .. } = self;
        let picture = match &ended {
            Ok(End::Interrupted { .. }) | Err(_) => Err("the run was stopped".to_owned()),
            Ok(_) => match tokio::time::timeout(PICTURE_WAIT, browser.screenshot(Hide::SecretFields)).await {
                Ok(picture) => picture.map_err(|why| why.to_string()),
                Err(_) => Err("the page did not let itself be drawn in time".to_owned()),
            },
        };
        let url = clicket_guard::web::WebUrl::read(&browser.url()).map(|url| url.public_form().to_owned()).unwrap_or_default();
        let url = desk.scrub.scrub(&url).into_owned();
        let not_kept = match keeper {
            Some(keeper) => keep_cookies(&browser, keeper.as_ref()).await.err(),
            None => None,
        };
        let confinement = browser.confinement().clone();
        browser.close().await;
        desk.drain();
        edge.close().await;
        desk.drain();
        let (written, fault) = match ended {
            Ok(end) => (write_end(&mut desk, end, usd), None),
            Err(fault) => (write_fault(&mut desk, &fault, usd), Some(fault)),
        };
        let EdgeDesk { journal, clock, counts, watch, downloads, roads, .. } = desk;
        let (path, run) = (journal.path().to_owned(), journal.run().to_string());
        let sealed = journal.seal(clock.now().unix_ms, if fault.is_some() { "fault" } else { "ended" });
        let end = match (fault, written) {
            // That a write may have happened is worth more than what broke afterwards, which is in the record.
            (Some(_), Ok(end @ End::Uncertain { .. })) | (None, Ok(end)) => end,
            (Some(fault), _) => {
                tracing::error!(fault = fault.kind(), "the run broke off");
                return Err(fault);
            }
            (None, Err(fault)) => return Err(fault),
        };
        tracing::info!(end = end.word(), exit_code = end.exit_code(), steps = steps.len(), ms = clock.elapsed_ms(), usd, "ended");
        let head = sealed?.digest.to_string();
        watch.see(&Live::Ended(&end));
        Ok(RunReport {
            run,
            end,
            url,
            model: decider.name().to_owned(),
            steps,
            downloads,
            sockets: roads.sockets,
            tunnels: roads.tunnels,
            requests: counts,
            usd,
            wall_ms: clock.elapsed_ms(),
            journal: path,
            journal_head: head,
            seams: config.seams,
            confinement,
            not_kept,
            picture,
        })
    }

    /// Sets the most that a call can cost aside, before it is made: a token has at least one byte, and no request is read
    /// beyond the service's own limit. `None` when that is more than is left.
    pub(crate) fn reserve(&mut self, request: &clicket_systemone::Request) -> Option<Reserved> {
        /// Tokens of one request, state and questions together, above which the service refuses it.
        const TOKENS_MAX: u64 = 65_536;
        /// What the service adds to each request, in tokens, with room.
        const OVERHEAD_TOKENS: u64 = 512;
        let price = self.decider.usd_per_million_tokens();
        if price <= 0.0 || self.decider.locality() == Locality::InProcess {
            return Some(Reserved { usd: 0.0 });
        }
        let bytes = serde_json::to_vec(request).map_or(u64::MAX, |text| text.len() as u64);
        let usd = cost(bytes.saturating_add(OVERHEAD_TOKENS).min(TOKENS_MAX), price);
        if self.usd + usd > self.config.budgets.usd {
            return None;
        }
        self.usd += usd;
        Some(Reserved { usd })
    }

    /// Puts what a response cost in the place of what was set aside for it. A call without a response may have been charged
    /// for, so that what was set aside for it stays spent.
    pub(crate) fn pay(&mut self, reserved: Reserved, usage: clicket_systemone::Usage) {
        if self.decider.locality() != Locality::InProcess {
            self.usd = (self.usd - reserved.usd).max(0.0) + cost(usage.input_tokens, self.decider.usd_per_million_tokens());
        }
    }
}

/// A browser that is gone or does not answer leaves the profile as it was before the run.
async fn keep_cookies(browser: &Browser, keeper: &dyn Keeper) -> Result<(), String> {
    let cookies = browser.cookies().await.map_err(|error| error.to_string())?;
    keeper.keep(&cookies)
}

/// Money set aside for one call to a paid model.
#[derive(Debug)]
pub(crate) struct Reserved {
    usd: f64,
}

#[allow(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn cost(tokens: u64, usd_per_million: f64) -> f64 {
    tokens as f64 * usd_per_million / 1_000_000.0
}

/// Writes how the run ended; a write that was sent and not answered makes it uncertain, whenever that became known.
fn write_end(desk: &mut EdgeDesk, end: End, usd: f64) -> Result<End, SessionError> {
    desk.write_requests()?;
    let end = match (end, desk.close_open("the run ended first")?) {
        (End::Interrupted { .. }, unanswered) => End::Interrupted { unanswered },
        (_, Some(request)) => End::Uncertain { request },
        (end, None) => end,
    };
    let origins = desk.origins();
    desk.append("end", &json!({"end": end, "usd": usd, "origins": origins}))?;
    Ok(end)
}

/// Writes what broke the run, as far as it can still be written.
fn write_fault(desk: &mut EdgeDesk, fault: &SessionError, usd: f64) -> Result<End, SessionError> {
    desk.write_requests()?;
    let unanswered = desk.close_open("the run broke off first")?;
    let said = desk.scrub.scrub(&fault.to_string()).into_owned();
    let Some(request) = unanswered else {
        desk.append("end", &json!({"fault": said, "usd": usd}))?;
        return Ok(End::Interrupted { unanswered: None });
    };
    let end = End::Uncertain { request };
    desk.append("end", &json!({"end": end, "fault": said, "usd": usd}))?;
    Ok(end)
}

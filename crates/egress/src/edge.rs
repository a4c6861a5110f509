//! The edge itself: opened once a browser process, closed with it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clicket_guard::address::{HostRules, OperatorGrant};
use clicket_guard::reach::Reach;
use clicket_guard::web::WebUrl;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};

use crate::blind::{Blind, BlindTo};
use crate::ca::Authority;
use crate::credential::{ProxyCredential, random_text};
use crate::download::{DownloadFolder, OfferedFile};
use crate::hold::HeldRequest;
use crate::limits::{EdgeLimits, within};
use crate::long::{SocketRecord, TunnelRecord};
use crate::machine;
use crate::pool::Pool;
use crate::record::{Counts, RequestRecord};
use crate::resolve::{Names, ResolverChoice};
use crate::shared::{Shared, Tally, Tasks};
use crate::tls::{offering_h2, origin_config};
use crate::tunnel::serve_connection;

/// Random bytes in the seed address, so that no page can guess it.
const SEED_BYTES: usize = 16;

/// What an edge is opened with. All of it is the operator's; nothing of it comes from a page or a model.
#[derive(Debug)]
pub struct EdgeConfig {
    /// What may be reached.
    pub reach: Reach,
    /// Where connections are passed without being inspected, until [`Edge::cut_tunnels`]. Addresses are judged all the same.
    pub blind: BlindTo,
    /// Local origins and mapped names.
    pub grants: Vec<OperatorGrant>,
    /// What is known of this machine; its own addresses, gateways and resolvers are added when the edge opens.
    pub host_rules: HostRules,
    /// Roots trusted besides the system's, each a PEM file's content.
    pub extra_roots_pem: Vec<Vec<u8>>,
    /// Who is asked for addresses.
    pub resolver: ResolverChoice,
    /// Which documents the browser may load.
    pub documents: Documents,
    /// Where files go; without it every file is left.
    pub downloads: Option<DownloadFolder>,
    /// The bounds.
    pub limits: EdgeLimits,
}

/// Which documents the browser may load of those that are in reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Documents {
    /// Any.
    #[default]
    Any,
    /// Guard mode: the one that was allowed last ([`Edge::allow_document`]) and what it is drawn with, and nothing else at all.
    OneAtATime,
}

/// Why an edge does not open.
#[derive(Debug, thiserror::Error)]
pub enum EdgeError {
    /// No port on 127.0.0.1 could be had.
    #[error("no listening port on 127.0.0.1: {0}")]
    NoPort(std::io::Error),
    /// The system gives no randomness.
    #[error("the system gives no random bytes")]
    NoRandomness,
    /// A key or a certificate could not be made.
    #[error("the certificate of this run could not be made")]
    NoCertificate,
    /// A root that was to be trusted is no certificate.
    #[error("a root that was to be trusted is not a PEM certificate")]
    BadRoot,
    /// The resolver could not be set up.
    #[error("the resolver could not be set up")]
    Resolver,
}

/// What an edge tells the session.
#[derive(Debug)]
pub enum EdgeEvent {
    /// A request came to its end.
    Recorded(Box<RequestRecord>),
    /// A write waits for its verdict.
    Held(Box<HeldRequest>),
    /// A file waits for its verdict.
    Offered(Box<OfferedFile>),
    /// A socket ended.
    Socket(Box<SocketRecord>),
    /// A blind tunnel ended.
    Tunnel(Box<TunnelRecord>),
}

/// The only road out of one browser process. Dropped, it closes.
pub struct Edge {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Edge {
    /// Makes the keys and the credential of this run and begins to listen on 127.0.0.1.
    ///
    /// # Errors
    /// [`EdgeError`].
    pub async fn open(config: EdgeConfig) -> Result<(Self, mpsc::Receiver<EdgeEvent>), EdgeError> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(EdgeError::NoPort)?;
        Self::open_on(listener, config).await
    }

    /// As [`Edge::open`], on a listener that was made elsewhere, such as in the network namespace of a browser.
    ///
    /// # Errors
    /// [`EdgeError`].
    pub async fn open_on(
        listener: std::net::TcpListener,
        config: EdgeConfig,
    ) -> Result<(Self, mpsc::Receiver<EdgeEvent>), EdgeError> {
        listener.set_nonblocking(true).map_err(EdgeError::NoPort)?;
        let listener = TcpListener::from_std(listener).map_err(EdgeError::NoPort)?;
        let address = listener.local_addr().map_err(EdgeError::NoPort)?;
        let (events, heard) = mpsc::channel(config.limits.events_max);
        let shared = Arc::new(assemble(config, events)?);
        shared.tasks.spawn(accept(listener, Arc::clone(&shared)));
        Ok((Self { address, shared }, heard))
    }

    /// Where the browser finds it.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What the browser answers the challenge with.
    #[must_use]
    pub fn credential(&self) -> &ProxyCredential {
        &self.shared.credential
    }

    /// The hash for `--ignore-certificate-errors-spki-list`.
    #[must_use]
    pub fn ca_spki_sha256_base64(&self) -> &str {
        self.shared.authority.spki_sha256_base64()
    }

    /// The run's own certificate authority in DER, for a client other than the browser.
    #[must_use]
    pub fn ca_certificate_der(&self) -> Vec<u8> {
        self.shared.authority.certificate().to_vec()
    }

    /// The address that a new context opens first. The edge answers it itself once the challenge is answered; it is never
    /// dialled, and it can't be guessed.
    #[must_use]
    pub fn seed_url(&self) -> &str {
        &self.shared.seed_url
    }

    /// In guard mode, lets this document pass from now on, and no other.
    pub fn allow_document(&self, url: &WebUrl) {
        *self.shared.allowed.lock().unwrap_or_else(PoisonError::into_inner) = Some(url.clone());
    }

    /// Requests whose answers are not over, held ones aside.
    #[must_use]
    pub fn in_flight(&self) -> watch::Receiver<usize> {
        self.shared.tally.in_flight()
    }

    /// When a request last began, moved or ended.
    #[must_use]
    pub fn last_activity(&self) -> Instant {
        self.shared.tally.last_activity()
    }

    /// The sums so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.shared.tally.counts()
    }

    /// Ends every blind tunnel; from now on the origins that had them are inspected as all others are.
    pub fn cut_tunnels(&self) {
        self.shared.blind.cut();
    }

    /// Ends every connection and every hold. What was being sent is recorded as uncertain.
    pub async fn close(self) {
        // Tasks end at their next wait; one that doesn't is left to the runtime.
        let _ = within(self.shared.limits.close_ms, self.shared.tasks.end()).await;
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        self.shared.tasks.abort();
    }
}

impl std::fmt::Debug for Edge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Edge").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Everything of an edge but the listener.
pub(crate) fn assemble(config: EdgeConfig, events: mpsc::Sender<EdgeEvent>) -> Result<Shared, EdgeError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let names = Names::open(&config.resolver, &config.limits)?;
    let mut rules = config.host_rules;
    rules.infrastructure.extend_from_slice(names.servers());
    machine::add_to(&mut rules);
    let origin_tls = origin_config(Arc::clone(&provider), &config.extra_roots_pem)?;
    Ok(Shared {
        reach: config.reach,
        blind: Blind::to(config.blind),
        documents: config.documents,
        allowed: Mutex::default(),
        downloads: config.downloads,
        grants: config.grants,
        rules,
        names,
        authority: Authority::make(Arc::clone(&provider), config.limits.certificates_max)?,
        credential: ProxyCredential::make(&provider)?,
        seed_url: format!("http://seed.clicket.invalid/{}", random_text(&provider, SEED_BYTES)?),
        origin_tls_h2: Arc::new(offering_h2(&origin_tls)),
        origin_tls: Arc::new(origin_tls),
        pool: Pool::default(),
        tally: Arc::new(Tally::new()),
        events,
        tasks: Tasks::default(),
        limits: config.limits,
    })
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(shared.limits.connections_max));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors, most likely: others may be given back soon.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            shared.tally.unauthenticated.fetch_add(1, Relaxed);
            continue;
        };
        let _ = stream.set_nodelay(true);
        let with = Arc::clone(&shared);
        shared.tasks.spawn(async move {
            serve_connection(with, stream).await;
            drop(place);
        });
    }
}

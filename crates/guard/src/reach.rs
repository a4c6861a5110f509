//! What a request may reach, judged from its method, its address and, only to tighten, what the browser says about it.
//!
//! The rules are pure: the edge gathers [`RequestFacts`] and obeys the [`Passage`]; a replay gives the same facts and gets the
//! same passage. Addresses behind a name are judged elsewhere ([`crate::address`]), after this has said that the name may be asked for.

use serde::{Deserialize, Serialize};

use crate::effect::{METHOD_OVERRIDES, RequestFacts};
use crate::socket::{Sends, SocketGrant};
use crate::web::{Origin, Scheme, Site, WebUrl};

/// The default port of `https`, the one port that needs no listing.
const HTTPS_PORT: u16 = 443;

/// The values of `Sec-Fetch-Dest` by which a page may load a public third-party file in the site profile.
const ASSET_DESTINATIONS: [&str; 7] = ["script", "style", "font", "image", "audio", "video", "track"];

/// The values of `Sec-Fetch-Dest` that put foreign content into a rectangle of the page.
const FRAME_DESTINATIONS: [&str; 5] = ["iframe", "frame", "fencedframe", "object", "embed"];

/// The values of `Sec-Fetch-Dest` known to be neither asset nor frame nor document; anything else is a contradiction.
const OTHER_DESTINATIONS: [&str; 10] = [
    "empty",
    "manifest",
    "json",
    "xslt",
    "worker",
    "sharedworker",
    "serviceworker",
    "audioworklet",
    "paintworklet",
    "sharedstorageworklet",
];

/// Content types that only the browser's own reporting sends.
const REPORT_TYPES: [&str; 3] = ["application/reports+json", "application/csp-report", "application/expect-ct-report+json"];

/// Which list of origins a run is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// The start address's registrable domain and the named sites, and public third-party files that a page is built from.
    Site,
    /// Exactly the listed origins and nothing else.
    Strict,
}

/// Why a [`Reach`] could not be built; each is a mistake of the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReachError {
    /// A plain HTTP origin that is not a local origin.
    #[error("{0} is plain HTTP, which passes only to an origin given as a local origin")]
    PlainHttp(Origin),
}

/// The origins that a run may reach.
///
/// Invariant: nothing here is ever widened by a request; a header only moves a passage towards refusal
/// (`sec_fetch_headers_never_turn_a_refusal_into_a_pass_but_for_listed_assets`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reach {
    profile: Profile,
    start: Origin,
    sites: Vec<Site>,
    origins: Vec<Origin>,
    local_origins: Vec<Origin>,
    #[serde(default)]
    sockets: Vec<SocketGrant>,
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "passage", content = "class")]
pub enum Passage {
    /// It may be sent now.
    Pass(ReadClass),
    /// It waits, whole, for a permit that names it.
    Hold(WriteClass),
    /// It may become a socket, over which so much may be sent.
    Socket(Sends),
    /// It is not sent.
    Refuse(ReachReason),
}

/// What kind of read passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadClass {
    /// A page.
    Document,
    /// Content for a rectangle of a page.
    Frame,
    /// A file that a page is built from.
    Asset,
    /// Anything that a script asked for.
    Data,
    /// The question a browser asks before a cross-origin request.
    Preflight,
}

/// What kind of write is held; it decides how a refusal is told to the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteClass {
    /// A form or script navigation: a refusal is answered 204, so that the page and the typed values stay.
    Navigation,
    /// A script's request: a refusal is answered 403 without CORS headers.
    Script,
    /// A fire-and-forget request (`sendBeacon`, keep-alive without CORS): held as a script's request is.
    Beacon,
}

/// How a request's address is related to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The start address's own origin.
    StartOrigin,
    /// The start address's registrable domain.
    StartSite,
    /// A site or origin that the operator named.
    Listed,
    /// A local origin that the operator named.
    Local,
    /// None of these.
    ThirdParty,
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident => $words:literal,)*) => {
        /// Why a request may not be sent.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum ReachReason { $($(#[$doc])* $name,)* }

        impl ReachReason {
            /// Every reason, for tables and documents.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The reason in fixed words that hold no page text.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Self::$name => $words,)* }
            }
        }
    };
}

/// What an operator can do about a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Listing the origin lets the like of it pass, or be held and asked about.
    List,
    /// Granting sockets to the origin lets the like of it be opened.
    Socket,
    /// Nothing: the kind of request never passes.
    Nothing,
}

impl ReachReason {
    /// Whether listing the origin would help.
    #[must_use]
    pub const fn remedy(self) -> Remedy {
        match self {
            Self::NotListed
            | Self::Port
            | Self::LeavesSite
            | Self::ThirdPartyFrame
            | Self::ThirdPartyFetch
            | Self::Unlabelled
            | Self::ThirdPartyWrite => Remedy::List,
            Self::Socket => Remedy::Socket,
            Self::BadUrl
            | Self::PlainHttp
            | Self::Method
            | Self::Speculation
            | Self::Report
            | Self::Ping
            | Self::Identity
            | Self::Contradiction
            | Self::NotPreflight
            | Self::Telemetry
            | Self::NotAllowed => Remedy::Nothing,
        }
    }

    /// Whether the refused request only told somebody how the page is used.
    #[must_use]
    pub const fn is_telemetry(self) -> bool {
        matches!(self, Self::Telemetry | Self::Report | Self::Ping)
    }
}

reasons! {
    /// The address doesn't parse, or has user information, or a host that ends in a dot.
    BadUrl => "the address is malformed",
    /// Neither https, nor http to a local origin.
    PlainHttp => "plain HTTP passes only to a local origin that the operator named",
    /// A port that is neither 443 nor listed.
    Port => "the port is not 443 and the origin is not listed",
    /// CONNECT, TRACE or TRACK.
    Method => "the method never passes",
    /// A protocol switch, such as a WebSocket, that was not granted.
    Socket => "a socket, and none is granted to its origin",
    /// Prefetch, prerender or another load that nobody asked for.
    Speculation => "prefetch and prerender don't pass",
    /// A report of the browser's own reporting.
    Report => "browser reports don't pass",
    /// Hyperlink auditing.
    Ping => "pings don't pass",
    /// Browser-mediated sign-in.
    Identity => "browser-mediated sign-in doesn't pass",
    /// What the browser says about the request does not fit together.
    Contradiction => "what the browser says about the request contradicts itself",
    /// An OPTIONS request that is no CORS preflight.
    NotPreflight => "an OPTIONS request passes only as a CORS preflight",
    /// The strict profile, and the origin is not on the list.
    NotListed => "the origin is not listed and the profile is strict",
    /// A page of another site.
    LeavesSite => "the page would leave the site; list its origin or site to allow it",
    /// A frame of another site.
    ThirdPartyFrame => "a frame of another site; list its origin or site to allow it",
    /// A script's read from another site.
    ThirdPartyFetch => "a script's read from another site; list its origin or site to allow it",
    /// A read from another site about which the browser says nothing.
    Unlabelled => "a read from another site that the browser did not label",
    /// A write to another site.
    ThirdPartyWrite => "a write to another site; list its origin or site to allow it",
    /// A fire-and-forget write to another site.
    Telemetry => "telemetry to another site doesn't pass",
    /// Guard mode, and it is not the document that was allowed, nor what that is drawn with.
    NotAllowed => "in guard mode nothing passes but the page that was allowed and what it is drawn with",
}

impl Reach {
    /// Builds the reach of a run from its start address and what the operator listed.
    ///
    /// # Errors
    /// [`ReachError`] when the start address or a listed origin is plain HTTP and not local.
    pub fn new(
        profile: Profile,
        start: &WebUrl,
        sites: Vec<Site>,
        origins: Vec<Origin>,
        local_origins: Vec<Origin>,
    ) -> Result<Self, ReachError> {
        let start = start.origin();
        let plain = |origin: &&Origin| origin.scheme() == Scheme::Http && !local_origins.contains(origin);
        if let Some(origin) = origins.iter().chain([&start]).find(plain) {
            return Err(ReachError::PlainHttp(origin.clone()));
        }
        Ok(Self { profile, start, sites, origins, local_origins, sockets: Vec::new() })
    }

    /// Grants sockets. Of two grants for one origin the narrower holds.
    ///
    /// # Errors
    /// [`ReachError`] when an origin is plain and not local.
    pub fn with_sockets(mut self, mut sockets: Vec<SocketGrant>) -> Result<Self, ReachError> {
        let plain = |grant: &&SocketGrant| grant.origin.scheme() == Scheme::Http && !self.local_origins.contains(&grant.origin);
        if let Some(grant) = sockets.iter().find(plain) {
            return Err(ReachError::PlainHttp(grant.origin.clone()));
        }
        sockets.sort_by_key(|grant| grant.sends);
        self.sockets = sockets;
        Ok(self)
    }

    /// The profile of the run.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// The start address's origin.
    #[must_use]
    pub const fn start(&self) -> &Origin {
        &self.start
    }

    /// The local origins of the run.
    #[must_use]
    pub fn local_origins(&self) -> &[Origin] {
        &self.local_origins
    }

    /// Judges a request. Method and address come first; headers may only tighten.
    #[must_use]
    pub fn judge(&self, request: &RequestFacts) -> Passage {
        self.judge_inner(request).unwrap_or_else(Passage::Refuse)
    }

    /// Whether a tunnel to this origin could carry anything at all. A tunnel dials nothing, so that what is refused inside one is
    /// refused with its whole address on record; only a scheme or port that carries nothing is refused here.
    ///
    /// # Errors
    /// The reason for which no request through it could pass.
    pub fn judge_tunnel(&self, origin: &Origin) -> Result<(), ReachReason> {
        if self.sends_of(origin).is_some() { Ok(()) } else { self.check_place(origin) }
    }

    /// What may be sent over sockets to an origin; none: none may be opened.
    fn sends_of(&self, origin: &Origin) -> Option<Sends> {
        self.sockets.iter().find(|grant| grant.origin == *origin).map(|grant| grant.sends)
    }

    /// How an origin is related to the run.
    #[must_use]
    pub fn relation(&self, origin: &Origin) -> Relation {
        if *origin == self.start {
            return Relation::StartOrigin;
        }
        if self.local_origins.contains(origin) {
            return Relation::Local;
        }
        if self.origins.contains(origin) {
            return Relation::Listed;
        }
        // A site is a promise about https on its own port; its other ports are listed as origins.
        let by_site = self.profile == Profile::Site && origin.scheme() == Scheme::Https && origin.port() == HTTPS_PORT;
        match Site::of_host(origin.host()).filter(|_| by_site) {
            Some(site) if Site::of_host(self.start.host()).as_ref() == Some(&site) => Relation::StartSite,
            Some(site) if self.sites.contains(&site) => Relation::Listed,
            Some(_) | None => Relation::ThirdParty,
        }
    }

    fn judge_inner(&self, request: &RequestFacts) -> Result<Passage, ReachReason> {
        let origin = WebUrl::read(&request.url).map_err(|_| ReachReason::BadUrl)?.origin();
        if asks_for_socket(request) {
            // Whatever else may be asked for at that place, a socket is granted by name or not at all.
            let sends = self.sends_of(&origin).filter(|_| request.method == "GET" && !request.overrides_method);
            return sends.map(Passage::Socket).ok_or(ReachReason::Socket);
        }
        self.check_place(&origin)?;
        check_kind(request)?;
        let listed = self.relation(&origin) != Relation::ThirdParty;
        match request.method.as_str() {
            "GET" | "HEAD" if !request.overrides_method => self.judge_read(request, listed),
            "OPTIONS" => self.judge_options(request, listed),
            "CONNECT" | "TRACE" | "TRACK" => Err(ReachReason::Method),
            _ if listed => Ok(Passage::Hold(write_class(request))),
            _ if write_class(request) == WriteClass::Beacon => Err(ReachReason::Telemetry),
            _ => Err(ReachReason::ThirdPartyWrite),
        }
    }

    fn check_place(&self, origin: &Origin) -> Result<(), ReachReason> {
        if self.local_origins.contains(origin) {
            return Ok(());
        }
        if origin.scheme() != Scheme::Https {
            return Err(ReachReason::PlainHttp);
        }
        let listed = *origin == self.start || self.origins.contains(origin);
        if origin.port() == HTTPS_PORT || listed { Ok(()) } else { Err(ReachReason::Port) }
    }

    fn judge_read(&self, request: &RequestFacts, listed: bool) -> Result<Passage, ReachReason> {
        let class = read_class(request)?;
        if listed {
            return Ok(Passage::Pass(class.unwrap_or(ReadClass::Data)));
        }
        match (self.profile, class) {
            (Profile::Strict, _) => Err(ReachReason::NotListed),
            (Profile::Site, Some(ReadClass::Asset)) => Ok(Passage::Pass(ReadClass::Asset)),
            (Profile::Site, Some(ReadClass::Document)) => Err(ReachReason::LeavesSite),
            (Profile::Site, Some(ReadClass::Frame)) => Err(ReachReason::ThirdPartyFrame),
            (Profile::Site, Some(ReadClass::Data | ReadClass::Preflight)) => Err(ReachReason::ThirdPartyFetch),
            (Profile::Site, None) => Err(ReachReason::Unlabelled),
        }
    }

    /// A preflight follows the judgement of the request it belongs to. It carries nothing of the page's but a method and names of
    /// headers, so to a listed origin it passes even before a write, which is held when it comes.
    fn judge_options(&self, request: &RequestFacts, listed: bool) -> Result<Passage, ReachReason> {
        let asked = request.preflight_for.as_deref().map(str::to_ascii_uppercase);
        let fetch = request.origin.is_some() && request.mode.as_deref().is_none_or(|mode| mode == "cors");
        match (asked.as_deref().filter(|_| fetch), listed, self.profile) {
            (None, _, _) => Err(ReachReason::NotPreflight),
            (Some("CONNECT" | "TRACE" | "TRACK"), _, _) => Err(ReachReason::Method),
            (Some(_), true, _) => Ok(Passage::Pass(ReadClass::Preflight)),
            (Some(_), false, Profile::Strict) => Err(ReachReason::NotListed),
            (Some("GET" | "HEAD"), false, Profile::Site) => Err(ReachReason::ThirdPartyFetch),
            (Some(_), false, Profile::Site) => Err(ReachReason::ThirdPartyWrite),
        }
    }
}

/// Whether a refused request was a page's attempt to go elsewhere. It is answered 204, which leaves the page and the typed
/// values standing; a closed connection would put the browser's error page in their place.
#[must_use]
pub fn leaves_page_standing(request: &RequestFacts, reason: ReachReason) -> bool {
    let elsewhere = matches!(
        reason,
        ReachReason::LeavesSite | ReachReason::ThirdPartyWrite | ReachReason::NotListed | ReachReason::NotAllowed
    );
    elsewhere && request.is_navigation() && request.dest.as_deref() == Some("document")
}

/// Reads the facts out of a request. A header that comes more than once is joined by commas, so that no known value is read
/// out of a repeated one; a socket's own headers count as asking for another protocol, a speculation tag as a purpose, and a
/// ping's headers as its content type.
#[must_use]
pub fn facts_of(method: &str, url: &str, headers: &[(String, String)]) -> RequestFacts {
    let joined = |name: &str| {
        let values: Vec<&str> = headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str()).collect();
        (!values.is_empty()).then(|| values.join(", "))
    };
    let has_prefix = |prefix: &str| headers.iter().any(|(n, _)| n.to_ascii_lowercase().starts_with(prefix));
    let purposes: Vec<String> = ["sec-purpose", "purpose", "x-purpose", "x-moz"].into_iter().filter_map(joined).collect();
    let tagged = has_prefix("sec-speculation-tags").then(|| "prefetch".to_owned());
    let pings = has_prefix("ping-").then(|| "text/ping".to_owned());
    RequestFacts {
        method: method.to_owned(),
        url: url.to_owned(),
        origin: joined("origin"),
        dest: joined("sec-fetch-dest"),
        mode: joined("sec-fetch-mode"),
        site: joined("sec-fetch-site"),
        user: joined("sec-fetch-user").as_deref() == Some("?1"),
        purpose: tagged.or_else(|| (!purposes.is_empty()).then(|| purposes.join(", "))),
        content_type: pings.or_else(|| joined("content-type").map(|value| value.to_ascii_lowercase())),
        preflight_for: joined("access-control-request-method"),
        upgrade: joined("upgrade").is_some() || has_prefix("sec-websocket-"),
        overrides_method: METHOD_OVERRIDES.iter().any(|name| joined(name).is_some()),
    }
}

fn asks_for_socket(request: &RequestFacts) -> bool {
    request.upgrade || request.mode.as_deref() == Some("websocket")
}

/// Kinds of request that never pass, wherever they go.
fn check_kind(request: &RequestFacts) -> Result<(), ReachReason> {
    let dest = request.dest.as_deref();
    let purpose = request.purpose.as_deref().unwrap_or_default().to_ascii_lowercase();
    let content = request.content_type.as_deref().unwrap_or_default();
    if ["prefetch", "prerender", "preview"].iter().any(|word| purpose.contains(word)) || dest == Some("speculationrules") {
        return Err(ReachReason::Speculation);
    }
    if REPORT_TYPES.iter().any(|kind| content.contains(kind)) || dest == Some("report") {
        return Err(ReachReason::Report);
    }
    if content.contains("text/ping") {
        return Err(ReachReason::Ping);
    }
    if dest == Some("webidentity") { Err(ReachReason::Identity) } else { Ok(()) }
}

fn write_class(request: &RequestFacts) -> WriteClass {
    if request.is_navigation() {
        return WriteClass::Navigation;
    }
    // `sendBeacon` is a POST without CORS for which nobody waits; a `fetch` without CORS looks the same and is treated so.
    let silent = request.mode.as_deref() == Some("no-cors") && request.dest.as_deref() == Some("empty");
    if silent { WriteClass::Beacon } else { WriteClass::Script }
}

/// `None` when the browser says nothing about the request.
fn read_class(request: &RequestFacts) -> Result<Option<ReadClass>, ReachReason> {
    let navigates = request.is_navigation();
    let Some(dest) = request.dest.as_deref() else {
        return if request.mode.is_none() { Ok(None) } else { Err(ReachReason::Contradiction) };
    };
    let class = match dest {
        "document" => navigates.then_some(ReadClass::Document),
        _ if FRAME_DESTINATIONS.contains(&dest) => Some(ReadClass::Frame),
        // A navigation through a service worker says `empty`; to leave the site by it is to leave the site.
        "empty" if navigates => Some(ReadClass::Document),
        _ if navigates => None,
        _ if ASSET_DESTINATIONS.contains(&dest) => Some(ReadClass::Asset),
        _ => OTHER_DESTINATIONS.contains(&dest).then_some(ReadClass::Data),
    };
    class.map(Some).ok_or(ReachReason::Contradiction)
}

#[cfg(test)]
#[path = "reach_tests.rs"]
mod tests;

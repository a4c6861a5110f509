//! The launch invariants as data: what the command line must hold, what it must not, and a check that refuses to start.
//!
//! Invariant: a browser is started only with a command line that [`verify`] accepted. Held by
//! `each_removed_invariant_refuses_to_start`.

use std::net::SocketAddr;
use std::path::Path;

use crate::launch::{Headed, Sandbox};

/// A launch invariant that the command line breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the browser is not started: {what} ({why})")]
pub struct MissingInvariant {
    /// What is missing or must not be there.
    pub what: String,
    /// What it is for.
    pub why: &'static str,
}

/// How one requirement is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// The switch, exactly as written, exactly once.
    Switch(&'static str),
    /// The switch with some value, exactly once; the value is a fact of this launch.
    Valued(&'static str),
    /// The feature is in the one `--disable-features` list.
    FeatureOff(&'static str),
}

/// One requirement and its reason.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Invariant {
    pub(crate) need: Need,
    pub(crate) why: &'static str,
}

const fn switch(text: &'static str, why: &'static str) -> Invariant {
    Invariant { need: Need::Switch(text), why }
}

const fn valued(name: &'static str, why: &'static str) -> Invariant {
    Invariant { need: Need::Valued(name), why }
}

const fn off(name: &'static str, why: &'static str) -> Invariant {
    Invariant { need: Need::FeatureOff(name), why }
}

const QUIET: &str = "the browser makes no traffic of its own";
const ONE_ROAD: &str = "the browser has one road out";
const NO_PROMPT: &str = "nothing waits for a person at the browser";
const STEADY: &str = "a page in the background behaves like one in front";
const NO_SPECULATION: &str = "nothing is fetched that nobody asked for";

/// Everything the command line must hold. Order is the order on the command line.
pub(crate) const INVARIANTS: &[Invariant] = &[
    switch("--remote-debugging-pipe", "DevTools is reached over inherited descriptors, never over a socket"),
    valued("--user-data-dir", "the profile is private and fresh"),
    valued("--proxy-server", ONE_ROAD),
    switch("--proxy-bypass-list=<-loopback>", "loopback and link-local names would skip the proxy"),
    valued("--host-resolver-rules", "the browser resolves no names"),
    valued("--ignore-certificate-errors-spki-list", "only the edge's own key is trusted beside the public roots"),
    // Chromium 156 knows only the plain spelling, its headless shell only the one with `force`; both are measured.
    switch("--webrtc-ip-handling-policy=disable_non_proxied_udp", "WebRTC sends UDP past the proxy"),
    switch("--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "WebRTC sends UDP past the proxy"),
    switch("--disable-quic", ONE_ROAD),
    switch("--disable-background-networking", QUIET),
    switch("--disable-component-update", QUIET),
    switch("--disable-sync", QUIET),
    switch("--disable-default-apps", QUIET),
    switch("--disable-breakpad", QUIET),
    switch("--disable-crash-reporter", QUIET),
    switch("--disable-domain-reliability", QUIET),
    switch("--disable-client-side-phishing-detection", QUIET),
    switch("--disable-field-trial-config", "flags mean what they say, whatever trial is running"),
    switch("--metrics-recording-only", QUIET),
    switch("--no-pings", QUIET),
    switch("--disable-extensions", "no code but the page's runs"),
    switch("--disable-component-extensions-with-background-pages", QUIET),
    switch("--disable-notifications", NO_PROMPT),
    switch("--deny-permission-prompts", NO_PROMPT),
    switch("--disable-print-preview", NO_PROMPT),
    switch("--noerrdialogs", NO_PROMPT),
    switch("--disable-prompt-on-repost", NO_PROMPT),
    switch("--disable-search-engine-choice-screen", NO_PROMPT),
    switch("--no-first-run", NO_PROMPT),
    switch("--no-default-browser-check", NO_PROMPT),
    switch("--no-startup-window", "the default context, which has the dead proxy, holds no page"),
    switch("--password-store=basic", "the desktop's keyring is not touched"),
    switch("--use-mock-keychain", "the desktop's keyring is not touched"),
    switch("--disable-background-timer-throttling", STEADY),
    switch("--disable-backgrounding-occluded-windows", STEADY),
    switch("--disable-renderer-backgrounding", STEADY),
    off("Reporting", "the Reporting API sends what no interception sees"),
    off("NetworkErrorLogging", "reports go to third parties"),
    off("Prerender2", NO_SPECULATION),
    off("SpeculationRulesPrefetchFuture", NO_SPECULATION),
    off("LoadingPredictor", NO_SPECULATION),
    off("DnsOverHttps", ONE_ROAD),
    off("NetworkTimeServiceQuerying", QUIET),
    off("OptimizationHints", QUIET),
    off("OptimizationGuideModelDownloading", QUIET),
    off("MediaRouter", "cast discovery speaks to the local network"),
    off("DialMediaRouteProvider", "cast discovery speaks to the local network"),
    off("Translate", QUIET),
    off("AutofillServerCommunication", QUIET),
    off("CertificateTransparencyComponentUpdater", QUIET),
    off("PushMessaging", NO_PROMPT),
    off("BackgroundFetch", "a worker fetches after the page is gone"),
    off("FedCm", NO_PROMPT),
    off("HttpsUpgrades", "a request leaves with the scheme that was judged"),
    off("HttpsFirstBalancedModeAutoEnable", "a request leaves with the scheme that was judged"),
    off("BackForwardCache", "a page left behind does not run on"),
];

/// Switches that must not be there, with any value.
const FORBIDDEN: &[(&str, &str)] = &[
    ("--remote-debugging-port", "any local process could take the browser over"),
    ("--remote-debugging-address", "any local process could take the browser over"),
    ("--remote-allow-origins", "any local page could take the browser over"),
    ("--ignore-certificate-errors", "every certificate would be trusted"),
    ("--disable-web-security", "pages could read each other"),
    ("--allow-running-insecure-content", "pages could mix schemes"),
    ("--load-extension", "code other than the page's would run"),
    ("--enable-features", "a feature could open a road that was closed"),
    ("--no-proxy-server", ONE_ROAD),
    ("--proxy-pac-url", ONE_ROAD),
    ("--proxy-auto-detect", ONE_ROAD),
    ("--disable-seccomp-filter-sandbox", "the browser's sandbox stays on"),
    ("--disable-namespace-sandbox", "the browser's sandbox stays on"),
    ("--single-process", "the browser's sandbox stays on"),
    ("--no-zygote", "the browser's sandbox stays on"),
];

/// The facts of one launch that switches need.
pub(crate) struct Facts<'a> {
    pub(crate) profile: &'a Path,
    /// A port that is held and refuses every connection.
    pub(crate) dead_port: SocketAddr,
    /// The edge's listener.
    pub(crate) proxy: SocketAddr,
    /// Base64 of the SHA-256 of the edge's public key.
    pub(crate) spki: &'a str,
    pub(crate) viewport: (u32, u32),
    pub(crate) headed: Headed,
    pub(crate) sandbox: &'a Sandbox,
}

/// Writes the whole command line.
pub(crate) fn arguments(facts: &Facts<'_>) -> Vec<String> {
    let mut arguments: Vec<String> = INVARIANTS.iter().filter_map(|rule| spelled(rule.need, facts)).collect();
    arguments.push(format!("--disable-features={}", features_off().join(",")));
    arguments.push(format!("--window-size={},{}", facts.viewport.0, facts.viewport.1));
    arguments.push("--lang=en-US".to_owned());
    arguments.push("--mute-audio".to_owned());
    if facts.headed == Headed::No {
        arguments.push("--headless=new".to_owned());
        arguments.push("--hide-scrollbars".to_owned());
    }
    if matches!(facts.sandbox, Sandbox::DangerouslyOff) {
        arguments.push("--no-sandbox".to_owned());
    }
    arguments
}

fn spelled(need: Need, facts: &Facts<'_>) -> Option<String> {
    match need {
        Need::Switch(text) => Some(text.to_owned()),
        Need::Valued(name) => Some(format!("{name}={}", value_of(name, facts))),
        Need::FeatureOff(_) => None,
    }
}

fn value_of(name: &str, facts: &Facts<'_>) -> String {
    match name {
        "--user-data-dir" => facts.profile.display().to_string(),
        "--proxy-server" => format!("http://{}", facts.dead_port),
        "--host-resolver-rules" => format!("MAP * ~NOTFOUND, EXCLUDE {}", facts.proxy.ip()),
        "--ignore-certificate-errors-spki-list" => facts.spki.to_owned(),
        // A valued switch without a value here gives an empty one, which `verify` refuses.
        _ => String::new(),
    }
}

fn features_off() -> Vec<&'static str> {
    INVARIANTS
        .iter()
        .filter_map(|rule| match rule.need {
            Need::FeatureOff(name) => Some(name),
            Need::Switch(_) | Need::Valued(_) => None,
        })
        .collect()
}

/// Checks a command line against every invariant.
///
/// # Errors
/// Names the first one that is missing, doubled, empty or forbidden.
pub(crate) fn verify(arguments: &[String], sandbox: &Sandbox) -> Result<(), MissingInvariant> {
    for rule in INVARIANTS {
        check_need(arguments, rule)?;
    }
    for (name, why) in FORBIDDEN {
        if count_named(arguments, name) > 0 {
            return Err(MissingInvariant { what: format!("{name} must not be given"), why });
        }
    }
    let without_sandbox = count_named(arguments, "--no-sandbox") > 0;
    if without_sandbox && !matches!(sandbox, Sandbox::DangerouslyOff) {
        return Err(MissingInvariant {
            what: "--no-sandbox must not be given".to_owned(),
            why: "the browser's sandbox stays on unless the operator switched it off by name",
        });
    }
    Ok(())
}

fn check_need(arguments: &[String], rule: &Invariant) -> Result<(), MissingInvariant> {
    let (holds, what) = match rule.need {
        Need::Switch(text) => {
            let name = text.split('=').next().unwrap_or(text);
            let there = arguments.iter().any(|argument| argument == text);
            (there && count_named(arguments, name) == 1, format!("{text} must be given once"))
        }
        Need::Valued(name) => (value_given(arguments, name), format!("{name} must be given once, with a value")),
        Need::FeatureOff(name) => {
            let listed = disabled_features(arguments).any(|feature| feature == name);
            let one_list = count_named(arguments, "--disable-features") == 1;
            (listed && one_list, format!("{name} must be in the one --disable-features list"))
        }
    };
    if holds { Ok(()) } else { Err(MissingInvariant { what, why: rule.why }) }
}

fn value_given(arguments: &[String], name: &str) -> bool {
    let prefix = format!("{name}=");
    let valued = arguments.iter().any(|argument| argument.len() > prefix.len() && argument.starts_with(&prefix));
    valued && count_named(arguments, name) == 1
}

/// A later switch overrides an earlier one in Chromium, so a doubled switch counts as a broken one.
fn count_named(arguments: &[String], name: &str) -> usize {
    arguments.iter().filter(|argument| argument.split('=').next() == Some(name)).count()
}

fn disabled_features(arguments: &[String]) -> impl Iterator<Item = &str> {
    arguments.iter().filter_map(|argument| argument.strip_prefix("--disable-features=")).flat_map(|list| list.split(','))
}

#[cfg(test)]
#[path = "flags_tests.rs"]
mod tests;

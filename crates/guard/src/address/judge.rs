//! From an answer of the resolver to addresses that may be dialled.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use super::embedding::Nat64Prefix;
use super::{AddressReason, AddressVerdict, classify, metadata_endpoint};
use crate::web::{Origin, OriginHost};

/// The most addresses one answer may hold. Large services answer with up to about twenty; an answer of hundreds is
/// a fault or an attempt to have a bad one overlooked.
pub const ANSWER_ADDRESSES_MAX: usize = 64;

/// A socket address that has been judged; the only thing that may be dialled.
///
/// Invariant: made only by [`judge`] and [`judge_override`], spent by whoever dials it. It is neither cloned nor read
/// from text, so that a later connection has to be judged again. The proofs:
///
/// ```compile_fail,E0423
/// let forged = clicket_guard::address::Judged("127.0.0.1:80".parse().unwrap());
/// ```
///
/// ```compile_fail,E0599
/// fn twice(judged: clicket_guard::address::Judged) { let _copy: clicket_guard::address::Judged = judged.clone(); }
/// ```
///
/// ```compile_fail,E0277
/// fn from_text(text: &str) { let _read: clicket_guard::address::Judged = serde_json::from_str(text).unwrap(); }
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Judged(SocketAddr);

impl Judged {
    /// The address to dial.
    pub fn socket(&self) -> SocketAddr {
        self.0
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// What is known of the machine the browser runs on. Empty lists are allowed; they only judge less.
#[derive(Debug, Clone, Default)]
pub struct HostRules {
    /// Every address of this machine's own interfaces, public ones too: a page must not reach what listens here.
    pub own_addresses: Vec<IpAddr>,
    /// The machine's gateways and configured resolvers, whose pages of settings are a favourite target.
    pub infrastructure: Vec<IpAddr>,
    /// The prefixes under which this network translates IPv4.
    pub nat64_prefixes: Vec<Nat64Prefix>,
}

/// Why nothing is dialled. A refusal is an answer, not a fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The name has no address.
    #[error("the name has no address")]
    EmptyAnswer,
    /// The answer is too long to be an honest one.
    #[error("the answer holds {got} addresses, and at most {ANSWER_ADDRESSES_MAX} are read")]
    TooManyAddresses {
        /// How many there were.
        got: usize,
    },
    /// Nothing listens on port 0.
    #[error("port 0 is no port")]
    PortZero,
    /// One address of the answer is not public, which refuses the whole answer.
    #[error("{ip} is refused: {reason}")]
    Address {
        /// The first bad address.
        ip: IpAddr,
        /// What is wrong with it, or with the IPv4 address it stands for.
        reason: AddressReason,
    },
    /// The address is this machine.
    #[error("{ip} is refused: it is an address of this machine")]
    OwnAddress {
        /// The address.
        ip: IpAddr,
    },
    /// The address is this machine's gateway or resolver.
    #[error("{ip} is refused: it is a gateway or a resolver of this machine")]
    Infrastructure {
        /// The address.
        ip: IpAddr,
    },
    /// The operator granted something else.
    #[error("{target} is refused: the operator granted {grant}")]
    OutsideGrant {
        /// What was asked for.
        target: SocketAddr,
        /// What had been granted, in words.
        grant: String,
    },
}

/// Judges everything a resolver answered for one name. One bad address refuses the whole answer, because a name that
/// mixes public and private addresses is being used to reach the private one.
///
/// # Errors
/// The first refusal met; see [`Refusal`].
pub fn judge(answer: &[IpAddr], port: u16, rules: &HostRules) -> Result<Vec<Judged>, Refusal> {
    if answer.is_empty() {
        return Err(Refusal::EmptyAnswer);
    }
    if answer.len() > ANSWER_ADDRESSES_MAX {
        return Err(Refusal::TooManyAddresses { got: answer.len() });
    }
    refuse_port_zero(port)?;
    answer.iter().map(|ip| judge_one(*ip, rules).map(|()| Judged(SocketAddr::new(*ip, port)))).collect()
}

fn judge_one(ip: IpAddr, rules: &HostRules) -> Result<(), Refusal> {
    refuse_address(ip, ip)?;
    refuse_own(ip, rules)?;
    let IpAddr::V6(v6) = ip else { return Ok(()) };
    let behind = |prefix: &Nat64Prefix| prefix.unwrap_v4(v6).map(IpAddr::V4);
    rules.nat64_prefixes.iter().filter_map(behind).try_for_each(|inner| {
        refuse_address(ip, inner)?;
        refuse_own(inner, rules)
    })
}

/// Refuses `ip` for what `judged` is: itself, or the IPv4 address it stands for.
fn refuse_address(ip: IpAddr, judged: IpAddr) -> Result<(), Refusal> {
    match classify(judged) {
        AddressVerdict::Public => Ok(()),
        AddressVerdict::Refused(reason) => Err(Refusal::Address { ip, reason }),
    }
}

fn refuse_own(ip: IpAddr, rules: &HostRules) -> Result<(), Refusal> {
    if rules.own_addresses.contains(&ip) {
        return Err(Refusal::OwnAddress { ip });
    }
    if rules.infrastructure.contains(&ip) {
        return Err(Refusal::Infrastructure { ip });
    }
    Ok(())
}

fn refuse_port_zero(port: u16) -> Result<(), Refusal> {
    if port == 0 { Err(Refusal::PortZero) } else { Ok(()) }
}

/// A way past the address rules that the operator gave at start. Metadata endpoints pass by none.
///
/// Invariant: there is no `Deserialize`, so that no request can carry one; it is made from start options alone.
///
/// ```compile_fail,E0277
/// fn from_text(text: &str) { let _read: clicket_guard::address::OperatorGrant = serde_json::from_str(text).unwrap(); }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorGrant(Grant);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Grant {
    LocalOrigin(Origin),
    HostMap { name: String, target: SocketAddr },
}

/// Why an operator's option grants nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantReason {
    /// `--local-origin` is for this machine only.
    #[error("{origin} is not local: name localhost or a loopback address, or map the name to an address instead")]
    NotLocal {
        /// The origin that was named.
        origin: Origin,
    },
    /// A mapped name is no canonical DNS name.
    #[error("{name:?} is not a host name in its canonical spelling (lower case, xn-- for other scripts, no final dot)")]
    BadName {
        /// What was given.
        name: String,
    },
    /// The target is a metadata endpoint.
    #[error("{target} can't be granted: {reason}")]
    Metadata {
        /// The target.
        target: SocketAddr,
        /// Which endpoint it is.
        reason: AddressReason,
    },
    /// Nothing listens on port 0.
    #[error("{target} can't be granted: port 0 is no port")]
    PortZero {
        /// The target.
        target: SocketAddr,
    },
}

impl OperatorGrant {
    /// Grants one exact origin on this machine: its port, on a loopback address.
    ///
    /// # Errors
    /// When the host is neither `localhost`, a name under it, nor a loopback address.
    pub fn local_origin(origin: &Origin) -> Result<Self, GrantReason> {
        let local = match origin.parsed_host() {
            OriginHost::Name(name) => name == "localhost" || name.ends_with(".localhost"),
            OriginHost::Address(ip) => is_loopback(ip),
        };
        if local { Ok(Self(Grant::LocalOrigin(origin.clone()))) } else { Err(GrantReason::NotLocal { origin: origin.clone() }) }
    }

    /// Grants one name, on any port, at one address: requests to `name` are dialled to `target` and nowhere else.
    ///
    /// # Errors
    /// When the name is not in canonical form, or the target is a metadata endpoint or port 0.
    pub fn host_map(name: &str, target: SocketAddr) -> Result<Self, GrantReason> {
        if !is_canonical_name(name) {
            return Err(GrantReason::BadName { name: name.to_owned() });
        }
        if let Some(endpoint) = metadata_endpoint(target.ip()) {
            let reason = AddressReason::Metadata(endpoint);
            return Err(GrantReason::Metadata { target, reason });
        }
        if target.port() == 0 {
            return Err(GrantReason::PortZero { target });
        }
        Ok(Self(Grant::HostMap { name: name.to_owned(), target }))
    }

    /// Whether a request to `origin` is one this grant is about.
    pub fn covers(&self, origin: &Origin) -> bool {
        match &self.0 {
            Grant::LocalOrigin(granted) => granted == origin,
            Grant::HostMap { name, .. } => name == origin.host(),
        }
    }

    /// The addresses to try for a request this grant covers, most likely first.
    pub fn targets(&self) -> Vec<SocketAddr> {
        match &self.0 {
            Grant::HostMap { target, .. } => vec![*target],
            Grant::LocalOrigin(origin) => match origin.parsed_host() {
                OriginHost::Address(ip) => vec![SocketAddr::new(ip, origin.port())],
                OriginHost::Name(_) => [IpAddr::from([127, 0, 0, 1]), IpAddr::V6(Ipv6Addr::LOCALHOST)]
                    .map(|ip| SocketAddr::new(ip, origin.port()))
                    .to_vec(),
            },
        }
    }

    fn allows(&self, target: SocketAddr) -> bool {
        match &self.0 {
            Grant::HostMap { target: granted, .. } => *granted == target,
            Grant::LocalOrigin(origin) => {
                let right_host = match origin.parsed_host() {
                    OriginHost::Address(ip) => ip == target.ip(),
                    OriginHost::Name(_) => is_loopback(target.ip()),
                };
                right_host && origin.port() == target.port()
            }
        }
    }
}

impl fmt::Display for OperatorGrant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Grant::LocalOrigin(origin) => write!(out, "the local origin {origin}"),
            Grant::HostMap { name, target } => write!(out, "{name} at {target}"),
        }
    }
}

/// Judges a target by an operator's grant instead of by the address rules.
///
/// # Errors
/// When the target is a metadata endpoint, or not what was granted.
pub fn judge_override(target: SocketAddr, grant: &OperatorGrant) -> Result<Judged, Refusal> {
    let ip = target.ip();
    if let Some(endpoint) = metadata_endpoint(ip) {
        return Err(Refusal::Address { ip, reason: AddressReason::Metadata(endpoint) });
    }
    refuse_port_zero(target.port())?;
    if grant.allows(target) { Ok(Judged(target)) } else { Err(Refusal::OutsideGrant { target, grant: grant.to_string() }) }
}

/// Loopback proper: 127.0.0.0/8 and `::1`, but not `::ffff:127.0.0.1`, which is a second spelling.
fn is_loopback(ip: IpAddr) -> bool {
    ip.is_loopback()
}

fn is_canonical_name(name: &str) -> bool {
    let parsed = url::Host::parse(name);
    matches!(parsed, Ok(url::Host::Domain(canonical)) if canonical == name && !name.ends_with('.'))
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;

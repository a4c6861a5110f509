//! The one place that turns an origin into addresses that may be dialled. All judging is `guard`'s; this only asks it.

use clicket_guard::address::{Judged, judge, judge_override, refuse_name};
use clicket_guard::web::Origin;

use crate::record::{FailKind, RefuseReason};
use crate::shared::Shared;
use crate::target::address_of;

/// Why a request goes no further.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A rule refuses it; the text says which, with its source.
    Refused(RefuseReason, Option<String>),
    /// Something did not work.
    Failed(FailKind),
}

impl From<FailKind> for Stop {
    fn from(kind: FailKind) -> Self {
        Self::Failed(kind)
    }
}

/// Refuses a name that is never looked up, before anything else is done for the request.
pub(crate) fn check_name(shared: &Shared, origin: &Origin) -> Result<(), Stop> {
    if shared.grant_for(origin).is_some() {
        return Ok(());
    }
    match refuse_name(origin.host()) {
        Some(reason) => Err(Stop::Refused(RefuseReason::Name, Some(reason.to_string()))),
        None => Ok(()),
    }
}

/// Asks for every address of an origin, once, and judges all of them.
pub(crate) async fn judged_addresses(shared: &Shared, origin: &Origin) -> Result<Vec<Judged>, Stop> {
    check_name(shared, origin)?;
    let refused = |refusal: clicket_guard::address::Refusal| Stop::Refused(RefuseReason::Address, Some(refusal.to_string()));
    if let Some(grant) = shared.grant_for(origin) {
        return grant.targets().into_iter().map(|target| judge_override(target, grant).map_err(refused)).collect();
    }
    let answer = match address_of(origin) {
        Some(ip) => vec![ip],
        None => shared.names.addresses(origin.host(), &shared.limits).await?,
    };
    judge(&answer, origin.port(), &shared.rules).map_err(refused)
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;

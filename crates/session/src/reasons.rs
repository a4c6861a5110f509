//! Why something did not come or was stopped, in words, with what to do about it.

use clicket_egress::{FailKind, Outcome, RefuseReason, RequestRecord};
use clicket_guard::web::WebUrl;

use crate::edge_desk::EdgeDesk;

impl EdgeDesk {
    /// Where the last document that was asked for redirects to, in public form.
    pub(crate) fn redirect_of_document(&self) -> Option<String> {
        let documents = self.opened.iter().chain(self.fresh()).rev().filter(|record| record.destination == "document");
        documents.filter_map(redirect_of).next().map(|to| self.scrub.scrub(&to).into_owned())
    }

    /// Why the last document that was asked for did not come, as the edge knows it; the browser only knows that nothing came.
    pub(crate) fn why_no_document(&self) -> Option<String> {
        let record = self.fresh().iter().rev().find(|record| record.destination == "document" && record.status.is_none())?;
        match record.outcome {
            Outcome::Failed(kind) => Some(why_failed(kind).to_owned()),
            Outcome::Refused(RefuseReason::Reach(reason)) => Some(reason.words().to_owned()),
            Outcome::Refused(RefuseReason::Name) => {
                Some(format!("its name is never looked up ({})", record.detail.as_deref().unwrap_or("special use")))
            }
            Outcome::Refused(RefuseReason::Address) => {
                Some(format!("its address is never dialled ({})", record.detail.as_deref().unwrap_or("not public")))
            }
            Outcome::Refused(_) | Outcome::HeldRefused(_) | Outcome::Passed | Outcome::HeldReleased | Outcome::Tunnelled => {
                record.detail.clone()
            }
        }
    }
}

/// Where the answer to a request redirects to, in public form.
pub(crate) fn redirect_of(record: &RequestRecord) -> Option<String> {
    let to = WebUrl::read(&record.url).ok()?.resolve(record.redirect_to.as_deref()?).ok()?;
    Some(to.public_form().to_owned())
}

/// What went wrong on the way to a server, and what to do about it.
pub(crate) fn why_failed(kind: FailKind) -> &'static str {
    match kind {
        FailKind::NameNotFound => "there is no such host; check the spelling of the address",
        FailKind::NameUnresolved => "the name server gave no answer; check this machine's network and DNS",
        FailKind::Unreachable => "nothing accepts a connection there; check the address and that the server is up",
        FailKind::ConnectTimeout => "no connection was made in time; check the address and this machine's network",
        FailKind::CertificateExpired => {
            "the server's certificate has expired; its owner must renew it, and it is never clicked away"
        }
        FailKind::CertificateNotYetValid => "the server's certificate is not valid yet; check this machine's clock",
        FailKind::CertificateUntrusted => {
            "the server's certificate is signed by nobody this machine trusts; --dangerously-trust-ca FILE adds an authority"
        }
        FailKind::CertificateWrongName => "the server's certificate is for another name",
        FailKind::CertificateBad => "the server's certificate is bad",
        FailKind::CertificateRequired => {
            "the server lets nobody in who shows no certificate, and none is ever shown; do this step yourself"
        }
        FailKind::Tls | FailKind::TlsTimeout => "the TLS handshake with the server failed",
        FailKind::HeadTimeout | FailKind::IdleTimeout | FailKind::WholeTimeout => {
            "the server did not answer in time; try again later"
        }
        FailKind::TooBig | FailKind::RunBytes => "the answer is larger than is taken",
        FailKind::Protocol => "the server does not speak HTTP as it must",
        FailKind::ConnectionLost => "the connection to the server broke; try again",
        FailKind::BrowserLeft => "the browser gave up waiting",
        FailKind::NotSaved => "the file could not be written into its folder; check its rights and the space on the disk",
    }
}

/// What an operator would write to let this request through next time.
pub(crate) fn allow_hint(shown: &str) -> String {
    match allow_option(shown) {
        Some(add) => format!("Run it again at a terminal to be asked, or add {add} if this write is meant to happen."),
        None => "Run it again at a terminal to be asked.".into(),
    }
}

pub(crate) fn allow_option(shown: &str) -> Option<String> {
    let (method, url) = shown.split_once(' ')?;
    Some(format!("--allow \"{method} {}\"", url::Url::parse(url).ok()?.path()))
}

/// What a page had a part in, in a log: quoted, escaped and cut, so that it can make no line of its own. Secrets are out already.
pub(crate) struct Loggable<'a>(pub(crate) &'a str);

impl std::fmt::Debug for Loggable<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cut: String = self.0.chars().take(300).collect();
        write!(f, "{cut:?}")
    }
}

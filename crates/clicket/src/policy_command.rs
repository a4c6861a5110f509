//! `clicket policy check | explain`.

use std::path::Path;
use std::process::ExitCode;

use clicket_guard::approval::Attendance;
use clicket_guard::effect::RequestImage;
use clicket_guard::policy::Policy;
use clicket_guard::read_rule::ReadPlace;
use clicket_guard::risk::{self, ActionClass};
use clicket_guard::socket::Sends;

use crate::args::{PolicyArgs, PolicyCommand};
use crate::failure::Failure;
use crate::screen::Screen;

pub(crate) fn policy(args: PolicyArgs, screen: &Screen) -> Result<ExitCode, Failure> {
    match args.command {
        PolicyCommand::Check { file } => {
            let policy = read(Some(&file))?;
            screen.out(&format!("{}: good, {} rules", file.display(), policy.rules().len()));
        }
        PolicyCommand::Explain { policy, request } => explain(&read(policy.as_deref())?, request.as_deref(), screen)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The shipped policy, with a file laid over it if one is named.
pub(crate) fn read(file: Option<&Path>) -> Result<Policy, Failure> {
    let Some(file) = file else {
        return Policy::shipped().map_err(Failure::fault);
    };
    let size = std::fs::metadata(file).map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?.len();
    if size > clicket_guard::limits::POLICY_BYTES_MAX as u64 {
        return Err(Failure::usage(format!(
            "{}: the policy is larger than {} bytes",
            file.display(),
            clicket_guard::limits::POLICY_BYTES_MAX
        )));
    }
    let text = std::fs::read_to_string(file).map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    Policy::with_file(&text).map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
}

fn explain(policy: &Policy, request: Option<&str>, screen: &Screen) -> Result<(), Failure> {
    let Some(request) = request else {
        screen.out(&format!("{:<16} {:<8} {:<12} {:<6} what it is", "class", "verdict", "unattended", "floor"));
        for class in ActionClass::ALL {
            let rule = policy.class(class);
            screen.out(&format!(
                "{:<16} {:<8} {:<12} {:<6.2} {}",
                class.name(),
                rule.verdict.name(),
                unattended(rule.unattended),
                rule.floor,
                class.in_words()
            ));
        }
        for rule in policy.rules() {
            let origin = rule.origin.as_ref().map(|origin| format!(" at {origin}")).unwrap_or_default();
            let named = rule.request.as_ref().map(ToString::to_string).unwrap_or_default();
            screen.out(&format!("rule `{}`: {} {named}{origin} ({})", rule.name, rule.verdict.name(), rule.class.name()));
        }
        for read in policy.reads() {
            let place = match &read.place {
                ReadPlace::Listed => "every listed origin".to_owned(),
                ReadPlace::At(origin) => origin.to_string(),
            };
            screen.out(&format!("read `{}`: POST {} at {place}", read.name, read.path));
        }
        for grant in policy.sockets() {
            let sends = match grant.sends {
                Sends::Listening => "to listen",
                Sends::Everything => "whatever the page sends",
            };
            screen.out(&format!("sockets to {}: {sends}", grant.spelled()));
        }
        return Ok(());
    };
    let shape = "write a request as METHOD URL, such as \"POST https://shop.example/cart\"";
    let (method, url) = request.split_once(' ').ok_or_else(|| Failure::usage(shape))?;
    let url = clicket_guard::web::WebUrl::read(url).map_err(|why| Failure::usage(format!("{url}: {why}; {shape}")))?;
    let image = RequestImage { method: method.to_owned(), url: url.as_str().to_owned(), ..RequestImage::default() };
    let class = risk::of_request(&image);
    for attendance in [Attendance::Attended, Attendance::Unattended] {
        let judgement = policy.judge_request(class, &image, attendance);
        let when = match attendance {
            Attendance::Attended => "with somebody to ask",
            Attendance::Unattended => "with nobody to ask",
        };
        let verdict = match attendance {
            Attendance::Attended => judgement.verdict().name(),
            Attendance::Unattended => unattended(judgement.verdict()),
        };
        screen.out(&format!("{when}: {verdict} ({}): {}", class.name(), judgement.reasons().join("; ")));
    }
    Ok(())
}

/// What a verdict comes to when nobody can be asked: what would be asked about does not happen.
fn unattended(verdict: clicket_guard::policy::Verdict) -> &'static str {
    match verdict {
        clicket_guard::policy::Verdict::Allow => "allow",
        clicket_guard::policy::Verdict::Ask => "hand back",
        clicket_guard::policy::Verdict::Refuse => "refuse",
    }
}

//! Prints: results on standard output, live lines and errors on standard error; colour only on a terminal.

use std::io::{IsTerminal as _, Write as _};

use clicket_chromium::Confinement;
use clicket_guard::untrusted::PageText;
use clicket_session::{Downloaded, End, Live, RunReport, SocketReceipt, StepReport, Tally, Watch};

use crate::failure::Failure;

/// Where things are printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    colour: bool,
}

/// A colour with a meaning.
#[derive(Clone, Copy)]
enum Tone {
    Good,
    Bad,
    Dim,
    Strong,
}

impl Screen {
    /// Looks at standard error: colour on a terminal unless NO_COLOR is set.
    pub(crate) fn open() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { colour: wanted && std::io::stderr().is_terminal() }
    }

    /// Prints a result line.
    pub(crate) fn out(&self, line: &str) {
        drop(writeln!(std::io::stdout(), "{line}"));
    }

    /// Prints a text with no line end but its own.
    pub(crate) fn out_as_it_is(&self, text: &str) {
        drop(std::io::stdout().write_all(text.as_bytes()));
    }

    /// Prints a live line.
    pub(crate) fn live(&self, line: &str) {
        drop(writeln!(std::io::stderr(), "{line}"));
    }

    /// Prints a failure.
    pub(crate) fn failure(&self, failure: &Failure) {
        self.live(&format!("{} {failure}", self.toned(Tone::Bad, "error:")));
    }

    /// Prints how a run ended.
    pub(crate) fn end(&self, report: &RunReport) {
        let (tone, said) = match &report.end {
            End::Verified { because } => (Tone::Good, because.join("; ")),
            End::Unverified { because } => (Tone::Bad, because.clone()),
            End::Uncertain { request } => (Tone::Bad, format!("{request} was sent and its answer never came")),
            End::HandedBack { reason, .. } => (Tone::Bad, reason.in_words()),
            End::Interrupted { unanswered: None } => (Tone::Bad, "stopped by the operator; the browser is gone".to_owned()),
            End::Interrupted { unanswered: Some(request) } => {
                (Tone::Bad, format!("stopped by the operator; the browser is gone. {request} was sent and its answer never came"))
            }
        };
        self.out(&format!("{} {said}", self.toned(tone, report.end.word())));
        if let Some(next) = advice(&report.end) {
            self.out(&format!("  next       {next}"));
        }
        for taken in &report.downloads {
            self.out(&format!("  file       {}", receipt(taken)));
        }
        for socket in &report.sockets {
            self.out(&format!("  socket     {}", carried(socket)));
        }
        for tunnel in &report.tunnels {
            let (out, back) = (tunnel.record.bytes_sent, tunnel.record.bytes_received);
            self.out(&format!("  tunnel     {}: {out} bytes out, {back} back, not looked into", tunnel.record.origin));
        }
        let Tally { passed, released, stopped, telemetry } = report.requests;
        self.out(&format!("  at         {}", report.url));
        let window = report.steps.iter().map(|step| step.settle_ms).max().unwrap_or(0);
        self.out(&format!(
            "  steps      {} in {:.1} s (settle window {window} ms a step)",
            report.steps.len(),
            report.wall_ms as f64 / 1_000.0
        ));
        let quiet = if telemetry == 0 { String::new() } else { format!("; telemetry refused: {telemetry}") };
        self.out(&format!("  requests   {passed} passed, {stopped} stopped; writes released: {released}{quiet}"));
    }

    fn toned(&self, tone: Tone, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Dim => "2",
            Tone::Strong => "1",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    fn step(&self, step: &StepReport) {
        let good = matches!(step.outcome, Some(clicket_guard::outcome::Outcome::Done { .. }));
        let tone = if good { Tone::Good } else { Tone::Bad };
        self.live(&format!("{} {}", self.toned(Tone::Strong, &format!("{:>3}", step.number)), step.chosen));
        let facts = format!(
            "    saw {} controls, offered {} \u{b7} confidence {:.2} \u{b7} {} \u{b7} ",
            step.seen.0,
            step.seen.1,
            step.confidence,
            short(&step.allowed_by)
        );
        let times = format!("{} \u{b7} {} ms", counted(step.requests), step.wall_ms);
        let roads: String = step.roads.iter().map(|road| format!(" \u{b7} {road}")).collect();
        self.live(&format!(
            "{}{}{}",
            self.toned(Tone::Dim, &facts),
            self.toned(tone, &step.happened),
            self.toned(Tone::Dim, &format!("{roads}{times}"))
        ));
    }
}

/// A file in one line: name, size, types, digest, source.
fn receipt(taken: &Downloaded) -> String {
    let file = &taken.file;
    let said = PageText::plain(&file.declared).for_person();
    let looks = file.looks_like.as_deref().map(|kind| format!(", looks like {kind}")).unwrap_or_default();
    let name = PageText::plain(&file.name).for_person();
    format!("{name} ({} bytes, said to be {said}{looks}, sha256:{}) from {}", file.bytes, file.sha256, taken.source)
}

/// A socket in one line: where, what went over it, what of that was no listening.
fn carried(socket: &SocketReceipt) -> String {
    let counts = socket.record.counts;
    let writes = match (counts.writes_sent, counts.writes_refused) {
        (0, 0) => String::new(),
        (sent, 0) => format!(", {sent} of them more than listening"),
        (_, refused) => format!("; {refused} more would have done more than listen and were not sent"),
    };
    // An address as the parser writes it holds nothing but plain letters.
    format!("{}: {} messages received, {} sent{writes}", socket.shown, counts.messages_received, counts.messages_sent)
}

/// What to do next, for an end that is not the wanted one.
fn advice(end: &End) -> Option<&str> {
    match end {
        End::Verified { .. } | End::Interrupted { unanswered: None } => None,
        End::Interrupted { unanswered: Some(_) } => {
            Some("Look at the site before running this again: the write may have happened.")
        }
        End::Unverified { because } if because.contains("true before the first step") => {
            Some("Expect something that is not there yet, such as the message that the last step of the goal brings up.")
        }
        End::Unverified { .. } => Some("Look at the picture and the journal before relying on it."),
        End::Uncertain { .. } => Some("Look at the site before running this again: the write may have happened."),
        End::HandedBack { next, .. } => Some(next),
    }
}

/// The shipped policy's plain yes needs no sentence.
fn short(allowed_by: &str) -> String {
    let plain = allowed_by.strip_prefix("policy says allow for ").map(|class| class.trim_end_matches(" with nobody to ask"));
    match plain {
        Some(class) if !class.contains(';') => format!("policy allows {}", class.replace('_', " ")),
        _ => allowed_by.to_owned(),
    }
}

/// Requests of a step, those that there were.
fn counted(requests: clicket_session::Tally) -> String {
    [(requests.passed, "requests passed"), (requests.released, "released"), (requests.stopped, "stopped")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!(" \u{b7} {count} {word}"))
        .collect()
}

impl Watch for Screen {
    fn see(&self, live: &Live<'_>) {
        match live {
            Live::Started { url, model, seams, confinement } => {
                self.live(&format!("{} {url}   model: {model}", self.toned(Tone::Strong, "run")));
                let tone = if matches!(confinement, Confinement::System) { Tone::Dim } else { Tone::Bad };
                self.live(&self.toned(tone, &format!("    road out {}", confinement.in_words())));
                for seam in *seams {
                    self.live(&format!("    {} {seam}", self.toned(Tone::Bad, "seam:")));
                }
            }
            Live::Step(step) => self.step(step),
            // The desk asks on the terminal itself; only a log needs to be told.
            Live::Asking(_) if std::io::stderr().is_terminal() => {}
            Live::Asking(words) => self.live(&format!("    {} {}", self.toned(Tone::Strong, "asking:"), words.title)),
            Live::Stopped { request, why } => self.live(&format!("    {} {request}: {why}", self.toned(Tone::Bad, "stopped:"))),
            Live::Released { request, by } => self.live(&format!("    {} {request} ({by})", self.toned(Tone::Good, "released:"))),
            Live::Saved(taken) => self.live(&format!("    {} {}", self.toned(Tone::Good, "saved:"), receipt(taken))),
            Live::Claimed { missing: [] } => self.live("    the model says that the goal is reached"),
            Live::Claimed { missing } => {
                self.live(&format!("    the model says that the goal is reached; not yet: {}", missing.join("; ")))
            }
            Live::Ended(_) => {}
        }
    }
}

//! Files that a site offers: judged as a download, asked about if policy says so, taken by the edge, and never twice.

use std::sync::Arc;

use clicket_egress::{FileRefusal, OfferedFile, RequestRecord};
use clicket_guard::approval::{Answered, Attendance};
use clicket_guard::download::Download;
use clicket_guard::gate::{self, Admission, Pending, Refusal};
use clicket_guard::permit::DownloadPermit;
use clicket_guard::risk::ActionClass;
use serde_json::json;

use crate::edge_desk::{Asked, Causes, EdgeDesk, OpenIntent};
use crate::live::Live;
use crate::reasons::why_failed;
use crate::report::{Downloaded, HandBack};

/// Files that one run may take; a page that offers more is not handing over an invoice.
const FILES_MAX: usize = 20;

impl EdgeDesk {
    pub(crate) fn judge_file(&mut self, file: Box<OfferedFile>) {
        if self.trouble.is_some() || self.fault.is_some() {
            return file.refuse(FileRefusal::RunEnds);
        }
        if self.asked_for.contains(&file.facts().url) {
            return file.refuse(FileRefusal::Again);
        }
        if self.asked_for.len() >= FILES_MAX {
            return file.refuse(FileRefusal::TooMany);
        }
        let attendance = self.approver.attendance();
        let judgement = self.policy.judge_action(ActionClass::Download, 1.0, attendance);
        let deed = Download { facts: file.facts().clone(), after: self.acting.clone(), scrub: self.scrub.clone() };
        let now = self.now();
        match gate::admit_download(&mut self.journal, now, deed, judgement) {
            Ok(Admission::Permit(permit)) => self.take_file(*file, permit),
            Ok(Admission::Ask(ticket, pending)) => {
                if attendance == Attendance::Attended {
                    self.watch.see(&Live::Asking(ticket.words()));
                }
                let (approver, wait) = (Arc::clone(&self.approver), self.wait());
                let answer = Box::pin(async move { approver.ask(ticket, wait).await });
                self.ask_about(Asked::File(file, pending), answer);
            }
            Ok(Admission::Refused(refusal)) => self.leave_file(*file, &refusal),
            Err(error) => {
                file.refuse(FileRefusal::RunEnds);
                self.fault = Some(error);
            }
        }
    }

    pub(crate) fn answer_file(&mut self, file: OfferedFile, pending: Pending<Download>, answered: Answered) {
        let Answered::By(approval) = answered else {
            let why = pending.reasons().join("; ");
            let name = self.scrub.scrub(&file.facts().name).into_owned();
            file.refuse(FileRefusal::Unattended);
            self.hand_back(
                HandBack::NeedsAPerson(format!("the file {name} was offered and nobody was there to allow it ({why})")),
                "Run it again at a terminal to be asked.".into(),
            );
            return;
        };
        let now = self.now();
        match gate::answer_download(&mut self.journal, now, pending, approval) {
            Ok(Admission::Permit(permit)) => self.take_file(file, permit),
            Ok(Admission::Refused(refusal)) => self.leave_file(file, &refusal),
            // The gate never asks twice about one deed.
            Ok(Admission::Ask(..)) => file.refuse(FileRefusal::Policy),
            Err(error) => {
                file.refuse(FileRefusal::RunEnds);
                self.fault = Some(error);
            }
        }
    }

    fn take_file(&mut self, file: OfferedFile, permit: DownloadPermit) {
        let (id, url, intent) = (file.id(), file.facts().url.clone(), permit.intent().to_owned());
        if file.take(permit) {
            // What becomes of it comes as its record.
            self.open_intent(intent, OpenIntent::File { id });
            self.asked_for.insert(url);
        } else {
            let written = self.append("outcome", &json!({"intent": intent, "outcome": {"outcome": "not_taken"}}));
            self.keep_fault(written);
        }
    }

    fn leave_file(&mut self, file: OfferedFile, refusal: &Refusal) {
        let said = match refusal {
            Refusal::Person | Refusal::PersonStopped => FileRefusal::Person,
            Refusal::Policy { .. } | Refusal::OtherTicket | Refusal::Expired | Refusal::LevelTooLow => FileRefusal::Policy,
        };
        file.refuse(said);
        if *refusal == Refusal::PersonStopped {
            self.hand_back(HandBack::Refused("a person ended the run".into()), "No file was taken here.".into());
        }
    }

    /// What a record says about a file: its receipt, or why there is none.
    pub(crate) fn note_file(&mut self, record: &RequestRecord) {
        let shown = self.shown(&record.method, &record.url);
        if let Some(why) = record.left {
            self.say_left(&shown, why);
        }
        let Some(intent) = self.close_file(record.id) else { return };
        let written = self.append(
            "outcome",
            &json!({"intent": intent, "outcome": {"saved": record.saved, "cut": record.cut, "request": record.outcome}}),
        );
        self.keep_fault(written);
        match (&record.saved, record.cut) {
            (Some(saved), _) => {
                let source = shown.split_once(' ').map(|(_, url)| url.to_owned()).unwrap_or_default();
                let name = self.scrub.scrub(&saved.name).into_owned();
                let taken = Downloaded { file: clicket_egress::SavedFile { name, ..saved.clone() }, source };
                self.watch.see(&Live::Saved(&taken));
                self.downloads.push(taken);
            }
            (None, cut) => {
                // It may be tried again: nothing was kept.
                self.asked_for.remove(&record.url);
                self.stopped(&shown, &format!("the file was not kept: {}", cut.map_or("it broke off", why_failed)));
            }
        }
    }

    /// Names of the files that were taken.
    pub(crate) fn file_names(&self) -> Vec<String> {
        self.downloads.iter().map(|taken| taken.file.name.clone()).collect()
    }

    fn say_left(&mut self, shown: &str, why: FileRefusal) {
        let said = match why {
            FileRefusal::NoFolder => "a file was offered and left; --downloads DIR takes it",
            FileRefusal::Policy => "a file was offered and policy refuses it",
            FileRefusal::Person => "a file was offered and a person refused it",
            FileRefusal::Unattended => "a file was offered and nobody was there to allow it",
            FileRefusal::Again => "this file was downloaded in this run already",
            FileRefusal::TooMany => "a file was offered and the run has had all it may have",
            FileRefusal::RunEnds | FileRefusal::Unanswered | FileRefusal::Mismatch => "a file was offered and left",
            FileRefusal::Encoding => "a file was offered, packed in a way that is not read here",
            FileRefusal::TooBig => "a file was offered that is larger than --download-bytes",
        };
        self.stopped(shown, said);
        // A page may offer a file by itself; the press of a control that leads to one has come to its end.
        let pressed = self.acting.is_some() && self.causes() == Causes::Writes;
        if pressed && why == FileRefusal::NoFolder {
            self.hand_back(
                HandBack::Refused(format!("{shown} is a file")),
                "Give a folder with --downloads DIR if files may be taken.".into(),
            );
        }
    }
}

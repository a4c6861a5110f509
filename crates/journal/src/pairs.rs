//! Checks that every intent has exactly one outcome.

use std::collections::HashMap;

use serde_json::Value;

use crate::digest::Digest;
use crate::finding::{Finding, Severity, What, quote};
use crate::record::Record;

pub(crate) const KIND_INTENT: &str = "intent";
pub(crate) const KIND_OUTCOME: &str = "outcome";

/// The intents met so far. Names are kept as digests, because a name may be as long as a record.
#[derive(Default)]
pub(crate) struct Pairs {
    met: HashMap<Digest, Met>,
}

enum Met {
    Open { line: u64, intent: String },
    Settled,
}

impl Pairs {
    /// Takes one record into account; records of other kinds say nothing here.
    pub(crate) fn take(&mut self, line: u64, record: &Record) -> Option<Finding> {
        let found = match record.kind.as_str() {
            KIND_INTENT => self.intent(line, intent_name(&record.body)),
            KIND_OUTCOME => self.outcome(intent_name(&record.body)),
            _ => None,
        };
        found.map(|what| Finding::broken(line, what))
    }

    fn intent(&mut self, line: u64, name: Option<&str>) -> Option<What> {
        let Some(name) = name else {
            return Some(What::Unnamed);
        };
        let key = Digest::of(name.as_bytes());
        if self.met.contains_key(&key) {
            return Some(What::IntentRepeated { intent: quote(name) });
        }
        self.met.insert(key, Met::Open { line, intent: quote(name) });
        None
    }

    fn outcome(&mut self, name: Option<&str>) -> Option<What> {
        let Some(name) = name else {
            return Some(What::Unnamed);
        };
        match self.met.get_mut(&Digest::of(name.as_bytes())) {
            None => Some(What::OutcomeAlone { intent: quote(name) }),
            Some(Met::Settled) => Some(What::OutcomeRepeated { intent: quote(name) }),
            Some(met @ Met::Open { .. }) => {
                *met = Met::Settled;
                None
            }
        }
    }

    /// The intents that never got an outcome, in the order of the file.
    pub(crate) fn open(self, severity: Severity) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self
            .met
            .into_values()
            .filter_map(|met| match met {
                Met::Settled => None,
                Met::Open { line, intent } => Some(Finding { severity, line: Some(line), what: What::IntentOpen { intent } }),
            })
            .collect();
        findings.sort_by_key(|finding| finding.line);
        findings
    }
}

fn intent_name(body: &Value) -> Option<&str> {
    body.get("intent").and_then(Value::as_str)
}

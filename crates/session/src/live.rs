//! What a person may watch while a run goes on.

use clicket_chromium::Confinement;
use clicket_guard::approval::Words;

use crate::report::{Downloaded, End, StepReport};

/// One thing to see. Page text in it is already quoted and escaped.
#[derive(Debug)]
pub enum Live<'a> {
    /// The run began.
    Started {
        /// Where.
        url: &'a str,
        /// What decides.
        model: &'a str,
        /// Seams the operator opened.
        seams: &'a [String],
        /// What keeps the browser to its one road out.
        confinement: &'a Confinement,
    },
    /// A step ended.
    Step(&'a StepReport),
    /// A person is being asked.
    Asking(&'a Words),
    /// A request was stopped.
    Stopped {
        /// Method and address.
        request: &'a str,
        /// Why.
        why: &'a str,
    },
    /// A held request was released.
    Released {
        /// Method and address.
        request: &'a str,
        /// By what.
        by: &'a str,
    },
    /// A file was taken.
    Saved(&'a Downloaded),
    /// The model said that the goal is reached.
    Claimed {
        /// What was expected and does not hold.
        missing: &'a [String],
    },
    /// The run ended.
    Ended(&'a End),
}

/// Somebody who watches.
pub trait Watch: Send + Sync {
    /// Takes notice; must not block.
    fn see(&self, live: &Live<'_>);
}

/// Nobody watches.
#[derive(Debug, Default)]
pub struct Silent;

impl Watch for Silent {
    fn see(&self, _live: &Live<'_>) {}
}

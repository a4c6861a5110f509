//! The seam to the rest of the house: how a page is opened for a call. What is behind it has the policy, the browser and the
//! journal; this side only ever holds what it is handed.

use std::future::Future;
use std::pin::Pin;

use clicket_session::{ClientQuestion, Guarded};
use tokio::sync::mpsc;

use crate::fault::Fault;

/// A page that is open, and the questions about it.
pub struct Opened {
    /// The page.
    pub guarded: Guarded,
    /// What is asked of the person behind the client, one at a time.
    pub questions: mpsc::Receiver<ClientQuestion>,
}

/// The future of an opened page.
pub type Opening = Pin<Box<dyn Future<Output = Result<Opened, Fault>> + Send>>;

/// Opens pages.
pub trait Doors: Send + Sync + 'static {
    /// Opens `url` in guard mode for `goal`.
    fn guarded(&self, url: String, goal: String) -> Opening;
}

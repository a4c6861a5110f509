//! One browser, one loop, one deed at a time: observe, offer, ask, read, judge, admit, perform, settle.
//! It must never know a terminal, a command line or the MCP; a desk and a decider are handed in.

mod admit;
mod ask;
mod client_desk;
mod clock;
mod config;
mod decide;
mod dialogs;
mod earlier;
mod edge_desk;
mod ending;
mod expect;
mod facts;
mod files;
mod guarded;
mod live;
mod login;
mod origins;
mod outcomes;
mod reasons;
mod report;
mod roads;
mod run;
mod step;
mod values;
mod walls;
mod windows;

pub use ask::{offer_request, state_of};
pub use client_desk::{ClientAnswer, ClientQuestion, client_desk};
pub use clock::Clock;
pub use config::{Budgets, RunConfig, SessionError, Supplied};
pub use earlier::{EARLIER_DAYS, EarlierWrite, EarlierWrites, earlier_writes, uncertain_in};
pub use expect::{Expectation, ExpectationError};
pub use guarded::{Followed, Guarded, NotAllowed, Proposal, Proposing, Shown};
pub use live::{Live, Silent, Watch};
pub use login::{LOGIN_WAIT, LoginParts, LoginReport, login};
pub use report::{Downloaded, End, HandBack, RunReport, StepReport, Tally};
pub use roads::{NOT_ENFORCED, SocketReceipt, TunnelReceipt};
pub use run::{Keeper, Look, Parts, look, run};

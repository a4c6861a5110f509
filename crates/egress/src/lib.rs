//! The only road out: it takes the browser's requests, judges each, resolves and dials what passed, and holds every write until a
//! permit names it. It must never know a page, a control or a goal: it knows requests, and what `guard` says about them.

mod blind;
mod body;
mod ca;
mod carry;
mod credential;
mod dial;
mod download;
mod edge;
mod exchange;
mod frames;
mod headers;
mod hold;
mod judge;
mod limits;
mod line;
mod long;
mod machine;
mod pool;
mod quiet;
mod record;
mod resolve;
mod serve;
mod shared;
mod socket;
mod target;
mod tls;
mod tunnel;
mod unpack;

pub use blind::BlindTo;
pub use credential::ProxyCredential;
pub use download::{DownloadFolder, FileRefusal, OfferedFile, SavedFile};
pub use edge::{Documents, Edge, EdgeConfig, EdgeError, EdgeEvent};
pub use hold::{HeldRequest, HoldRefusal, NotReleased, ReleaseHandle, Settlement};
pub use limits::EdgeLimits;
pub use long::{SocketCounts, SocketEnd, SocketRecord, TunnelEnd, TunnelRecord};
pub use record::{Counts, FailKind, Outcome, RefuseReason, RequestRecord, Sent};
pub use resolve::ResolverChoice;

//! The person's desk: puts one ticket at a time before whoever sits at this machine, and brings the answer back.
//! It must never know a browser, a page, a model or MCP, and it must never read or write standard input or output.

mod desk;
mod hand_back;
mod limits;
mod render;
mod terminal;
mod unattended;

pub use desk::TerminalDesk;
pub use hand_back::{HandBackDesk, HandedBack};
pub use limits::{ASK_WAIT_MAX, ATTEMPTS_MAX, SHOWN_LINES_MAX, WIDTH_COLUMNS_MAX, WIDTH_COLUMNS_MIN};
pub use render::render;
pub use terminal::NoTerminal;
pub use unattended::Unattended;

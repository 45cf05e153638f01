//! The hook library: what an agent CLI's hooks do when they are run.
//!
//! Three binaries, a dozen lines each, all of them inert without `RUN_ID`: [`Hook::Relay`] brings
//! what waits into the agent's context, [`Hook::Gate`] holds a stop while something is unread,
//! [`Hook::Beat`] tells that the run lives. No async runtime and no database anywhere below here;
//! the daemon is known only through the wire.

mod alarm;
mod beat;
mod deliver;
mod dialect;
mod explain;
mod fault;
mod gate;
mod git;
mod interval;
mod job;
mod marker;
mod outbox;
mod payload;
mod print;
mod process;
mod relay;
mod session;
mod start;
mod stdin;

pub use start::{Hook, run};

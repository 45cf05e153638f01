//! agent-room's daemon: HTTP/1.1 and JSON over two Unix sockets, on top of a store.
//!
//! [`start`] makes it serve a home; [`Running::until`] ends it. The binary is a thin shell around
//! both, and tests run it in their own process.

mod accept;
mod bodies;
mod config;
mod connection;
mod credential;
mod ending;
mod error;
mod event_stream;
mod extract;
mod fit;
mod handlers;
mod home;
mod housekeeping;
mod leases;
mod lock;
mod log;
mod metrics;
mod orphans;
mod paging;
mod posting;
mod present;
mod pulse;
mod random;
mod refusal;
mod registry;
mod router;
mod rundir;
mod serve;
mod shutdown;
mod signs;
mod sockets;
mod state;
mod unproven;
mod wire;

pub use config::{Config, Limits, StoreChoice};
pub use error::StartError;
pub use serve::{Running, run, start};
pub use state::VERSION;

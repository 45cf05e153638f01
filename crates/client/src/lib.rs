//! What the hooks and the command line share: a blocking client for the daemon's Unix sockets in
//! which everything has a deadline, and a run's directory, opened so that nothing which a hostile
//! agent writes into it can hang, mislead or bloat a reader on the host.

pub mod client;
pub mod dir;
mod error;
mod events;
mod lock;
mod log;
pub mod note;
pub mod outbox;
pub mod rundir;
mod transport;

pub use client::Client;
pub use dir::DirError;
pub use error::{Error, Why};
pub use events::Events;
pub use lock::Lock;
pub use note::Note;
pub use rundir::RunDir;

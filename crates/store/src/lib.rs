//! agent-room's storage boundary: one trait ([`Store`]) and what stands behind it.
//!
//! The store keeps facts: rooms, runs, canonical history, the exact-id ledger, events. What only
//! lives while a daemon runs (leases, who waits for events, when a run last gave a sign) is kept
//! above it. Nothing in the trait assumes that one process has the store to itself.

mod error;
mod memory;
mod model;
mod rules;
mod sqlite;
mod store;

pub use error::{Error, Result};
pub use memory::MemoryStore;
pub use model::{
    AckItem, Acked, Acknowledgement, Appended, Inbox, InboxEntry, InboxQuery, MessageQuery,
    NewMessage, NewRun, Page, RoomPatch, RoomRecord, RunEnd, RunPatch, RunQuery, RunRecord,
    Withdrawn,
};
pub use sqlite::SqliteStore;
pub use store::Store;

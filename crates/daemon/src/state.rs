//! What all handlers share.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use room_protocol::layout::Layout;
use room_protocol::{RoomName, RunId, Timestamp};
use room_store::{Error, RunRecord, Store};

use crate::bodies::Bodies;
use crate::config::Limits;
use crate::leases::Leases;
use crate::metrics::Metrics;
use crate::refusal::{Refusal, Result};
use crate::registry::{Registry, RunEntry};
use crate::shutdown::Shutdown;
use crate::unproven::Unproven;

/// What all handlers share.
pub struct Daemon {
    /// Where everything lies.
    pub layout: Layout,
    /// Where what was said is kept.
    pub store: Arc<dyn Store>,
    /// Runs and rooms in memory.
    pub registry: Registry,
    /// Leases in memory.
    pub leases: Leases,
    /// Counters.
    pub metrics: Metrics,
    /// Whether the daemon is ending.
    pub shutdown: Shutdown,
    /// Bounds.
    pub limits: Limits,
    /// What large request bodies may still take of memory.
    pub bodies: Bodies,
    /// The store has all runs that were opened in this home, but for those that a daemon's death kept
    /// from coming to be: a store in memory beside a database has not.
    pub all_runs: bool,
    /// Since when it serves.
    pub started_at: Timestamp,
    /// The same, on the clock that never steps.
    pub started: Instant,
}

/// The daemon's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Daemon {
    /// Runs something that has to come to its end even when whoever asked for it hangs up.
    pub async fn whole<T: Send + 'static>(
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        match tokio::spawn(work).await {
            Ok(done) => done,
            Err(e) => Err(Refusal::internal(&format!("a task failed: {e}"))),
        }
    }

    /// How many messages wait for a run; from memory where that is certain.
    pub async fn waiting(&self, run: &RunEntry) -> Result<u64> {
        if run.ended().is_some() || run.nothing_waits() {
            return Ok(0);
        }
        let changes = run.room_entry.changes();
        let waiting = self.store.waiting(&run.id).await?;
        run.waits(changes, waiting);
        Ok(waiting)
    }

    /// A live run in memory, from the store where this daemon has not met it.
    pub fn adopt(&self, record: &RunRecord) -> Arc<RunEntry> {
        self.registry
            .add(record, Unproven::unknown(), Timestamp::now())
    }

    /// A run's record. Errors: 404 that names it.
    pub async fn run_record(&self, run: &RunId) -> Result<RunRecord> {
        self.store.run(run).await.map_err(|e| match e {
            Error::NotFound(_) => Refusal::not_found(format!(
                "there is no run {run}; `room runs` lists those there are"
            )),
            other => other.into(),
        })
    }

    /// Makes sure that a room exists. Errors: 404 that says how to make it.
    pub async fn existing_room(&self, room: &RoomName) -> Result<()> {
        if self.registry.knows_room(room) {
            return Ok(());
        }
        match self.store.room(room).await {
            Ok(_) => {
                self.registry.room(room);
                Ok(())
            }
            Err(Error::NotFound(_)) => Err(no_room(room)),
            Err(other) => Err(other.into()),
        }
    }
}

/// 404 that says how to make a room.
pub fn no_room(room: &RoomName) -> Refusal {
    Refusal::not_found(format!(
        "there is no room {room}; `room create {room}` makes it, and so does the first run in it"
    ))
}

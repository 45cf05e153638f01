//! What a daemon is told when it starts.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use room_protocol::limits;
use room_store::Store;

/// What a daemon is told when it starts.
pub struct Config {
    /// Its `$ROOM_HOME`; absolute.
    pub home: PathBuf,
    /// Where it keeps what was said.
    pub store: StoreChoice,
    /// Its bounds.
    pub limits: Limits,
}

impl Config {
    /// The usual daemon of a home: SQLite, the contract's bounds.
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self {
            home: home.into(),
            store: StoreChoice::Sqlite,
            limits: Limits::default(),
        }
    }
}

/// Where a daemon keeps what was said.
pub enum StoreChoice {
    /// The embedded database in the home.
    Sqlite,
    /// Memory: gone with the process.
    Memory,
    /// A store of the caller's.
    Given(Arc<dyn Store>),
}

/// Bounds against slow and greedy peers.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections at once, both lanes together.
    pub connections: usize,
    /// How many of them only the operator lane may use, so that no run can shut the operator out.
    pub reserved: usize,
    /// How many of them one process may have on the run lane.
    pub per_process: usize,
    /// A request's header is complete within this; also how long an idle connection is kept.
    pub header_timeout: Duration,
    /// The same on the run lane.
    pub lane_header_timeout: Duration,
    /// A request's body is complete within this.
    pub body_timeout: Duration,
    /// The same on the run lane.
    pub lane_body_timeout: Duration,
    /// Bytes of large request bodies in memory at once, on each lane.
    pub bodies: usize,
    /// A peer that reads nothing of an answer for this long is dropped.
    pub write_timeout: Duration,
    /// From the request to end until the daemon has ended.
    pub stop: Duration,
    /// Between two rounds of flushing signs of life to the store.
    pub flush: Duration,
    /// An event stream says that it is alive after this long without an event.
    pub keep_alive: Duration,
    /// Whose connections the operator lane takes; absent: the daemon's own user.
    pub operator_uid: Option<u32>,
    /// How long a run's directory is kept after its end.
    pub run_dir_kept: Duration,
    /// Between two looks for run directories that are due.
    pub sweep: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: limits::CONNECTIONS,
            reserved: limits::CONNECTIONS / 16,
            per_process: limits::LANE_CONNECTIONS,
            header_timeout: Duration::from_secs(10),
            lane_header_timeout: limits::LANE_HEADER_WAIT,
            body_timeout: Duration::from_secs(10),
            lane_body_timeout: limits::LANE_BODY_WAIT,
            bodies: limits::BODIES_BYTES,
            write_timeout: Duration::from_secs(30),
            stop: Duration::from_secs(3),
            flush: Duration::from_secs(10),
            keep_alive: Duration::from_secs(15),
            operator_uid: None,
            run_dir_kept: limits::RUN_DIR_KEPT,
            sweep: Duration::from_secs(600),
        }
    }
}

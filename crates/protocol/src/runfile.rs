//! `run.json`: all that a hook needs beside `RUN_ID`. Written by the daemon when it opens a run,
//! read by the hooks, the command line and the launcher; never changed afterwards.

use serde::{Deserialize, Serialize};

use crate::{AuthorName, RoomName, RunId, Timestamp};

/// What the stop gate asks of the repository.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GitPolicy {
    /// Nothing.
    #[default]
    Off,
    /// Nothing uncommitted.
    Clean,
    /// Nothing uncommitted and nothing unpushed.
    Pushed,
}

/// The contents of `run.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    /// The run.
    pub run: RunId,
    /// Its room.
    pub room: RoomName,
    /// The name that it posts under.
    pub name: AuthorName,
    /// The run lane's credential.
    pub credential: String,
    /// Milliseconds between two questions of the after-tool hooks (`ROOM_INTERVAL`, in seconds,
    /// overrides it).
    pub interval_ms: u64,
    /// What the stop gate asks of the repository.
    #[serde(default)]
    pub git: GitPolicy,
    /// Whether the opening brings the room's conversation so far.
    #[serde(default)]
    pub history: bool,
    /// A launcher notes the CLI's process id in `process.json`.
    #[serde(default)]
    pub launched: bool,
    /// When the run was opened.
    pub opened_at: Timestamp,
}

/// The contents of `process.json`: the process that the launcher started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessFile {
    /// Its process id.
    pub pid: u32,
}

//! Runs.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{AuthorName, RoomName, RunId, Timestamp};

/// What a run is doing, as far as its signs tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// Opened, no hook heard of yet.
    Starting,
    /// Between a prompt or tool call and the next stop.
    Working,
    /// Its last stop went through.
    Idle,
    /// No sign of life for two minutes; not the same as gone.
    Stale,
    /// Over.
    Ended,
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Starting => "starting",
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Stale => "stale",
            Self::Ended => "ended",
        })
    }
}

/// A run, as it goes over the wire and into every `--json` output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Its id: the value of `RUN_ID`.
    pub id: RunId,
    /// The room that it is at work in.
    pub room: RoomName,
    /// The name that it posts under.
    pub name: AuthorName,
    /// The agent CLI (`claude`, `codex`, or the name of any other command).
    pub cli: String,
    /// The one session that takes its mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What it is doing.
    pub state: RunState,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// How its process ended; 128 and the signal's number where a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The last sign that its process lives.
    pub alive_at: Timestamp,
    /// The last sign of work: a tool call, a prompt, a stop.
    pub active_at: Timestamp,
    /// The last tool that it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_tool: Option<String>,
    /// Messages that it should still be shown.
    pub unread: u64,
}

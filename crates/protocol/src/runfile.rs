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
    /// When it started, in clock ticks since the machine did: tells it from a later process with the
    /// same id. Absent where the system does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ticks: Option<u64>,
}

/// A process as Linux's `/proc/PID/stat` describes it, see `proc_pid_stat(5)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStat {
    /// It has ended, and only its parent has not asked how yet.
    pub ended: bool,
    /// [`ProcessFile::start_ticks`].
    pub start_ticks: u64,
}

impl ProcessStat {
    /// From the file's text. `None` where it is none.
    pub fn parse(text: &str) -> Option<Self> {
        // The name in parentheses may hold anything.
        let (_, rest) = text.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        Some(Self {
            ended: matches!(state, "Z" | "X" | "x"),
            // The state is field 3, the start time field 22.
            start_ticks: fields.nth(18)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_described_whatever_its_name() {
        let text = "7 (a) Z b) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 99 88";
        let expected = ProcessStat {
            ended: false,
            start_ticks: 4_711,
        };
        assert_eq!(ProcessStat::parse(text), Some(expected));
        assert!(ProcessStat::parse(&text.replace("b) S", "b) Z")).is_some_and(|s| s.ended));
        assert_eq!(ProcessStat::parse("7 (a) S 1"), None);
        assert_eq!(ProcessStat::parse(""), None);
    }
}

//! What happened, in the order in which it happened.

use serde::{Deserialize, Serialize};

use crate::{Handle, How, RoomName, RunId, Timestamp};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A message was accepted and is on disk.
    Posted,
    /// A run acknowledged a message.
    Taken,
    /// A delivery was proven, or the run read the message itself and no hook speaks for it (then right
    /// after its `taken`).
    Confirmed,
    /// An unproven delivery went back to the queue at its run's end.
    Returned,
    /// A message was taken back.
    Withdrawn,
    /// The run that a message was meant for ended, and never took it, or what it took returned
    /// unproven (then after its `returned`). A run that resumes the same session may still take it.
    Failed,
    /// A run was opened.
    RunOpened,
    /// A run ended.
    RunEnded,
}

impl EventKind {
    /// The word used on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Posted => "posted",
            Self::Taken => "taken",
            Self::Confirmed => "confirmed",
            Self::Returned => "returned",
            Self::Withdrawn => "withdrawn",
            Self::Failed => "failed",
            Self::RunOpened => "run_opened",
            Self::RunEnded => "run_ended",
        }
    }
}

/// One event. On the wire a server-sent event whose `id` is the cursor and whose `event` is the kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its place in the order, from 1; ask for what comes after it.
    pub cursor: u64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub kind: EventKind,
    /// In which room.
    pub room: RoomName,
    /// The message that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Handle>,
    /// The run that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// For `taken`: by which way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<How>,
    /// For `run_ended`: how the process ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

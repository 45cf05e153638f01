//! The operator lane: everything, for whoever has the operator socket.
//!
//! | call | body | answer |
//! |---|---|---|
//! | `GET /v1/health` | | 200 [`Health`] |
//! | `GET /v1/metrics` | | 200 Prometheus text |
//! | `POST /v1/shutdown` | | 202, then the daemon ends |
//! | `GET /v1/rooms` | | 200 [`Rooms`] |
//! | `POST /v1/rooms` | [`NewRoom`] | 201 [`Room`] (200 when it is there already) |
//! | `GET /v1/rooms/{room}` | | 200 [`Room`] |
//! | `GET /v1/rooms/{room}/messages?before=&after=&limit=` | | 200 [`crate::message::MessagePage`] |
//! | `POST /v1/rooms/{room}/messages` | [`crate::message::Post`] | 201 [`crate::Message`] (200 for a resend) |
//! | `GET /v1/rooms/{room}/messages/{number}` | | 200 [`crate::Message`] |
//! | `POST /v1/rooms/{room}/messages/{number}/withdraw` | | 200 [`crate::Message`]; 409 `taken` |
//! | `GET /v1/rooms/{room}/messages/{number}/wait?timeout_ms=&confirmed=` | | 200 [`crate::Message`] when settled; 408 `timeout` |
//! | `GET /v1/runs?room=&live=` | | 200 [`Runs`] |
//! | `POST /v1/runs` | [`OpenRun`] | 201 [`OpenedRun`] |
//! | `GET /v1/runs/{run}` | | 200 [`crate::Run`] |
//! | `POST /v1/runs/{run}/end` | [`EndRun`] | 200 [`crate::Run`], also when it has ended already |
//! | `GET /v1/events?after=&room=&follow=` | | server-sent [`crate::Event`]s: replay, then live (not with `follow=false`) |
//!
//! `before` and `after` are message numbers. Without `after` a listing's page holds the newest.

use serde::{Deserialize, Serialize};

use crate::runfile::GitPolicy;
use crate::{AuthorName, RoomName, Run, Timestamp};

/// What the daemon says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// The daemon's version, as in `Cargo.toml`.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// Its `$ROOM_HOME`.
    pub home: String,
    /// Since when it serves.
    pub started_at: Timestamp,
    /// Which store it uses, and the store's own version.
    pub store: String,
    /// Runs that have not ended.
    pub live_runs: u64,
}

/// Asks for a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewRoom {
    /// Its name.
    pub name: RoomName,
}

/// A room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// Its name.
    pub name: RoomName,
    /// When it was made.
    pub created_at: Timestamp,
    /// How many messages it has.
    pub messages: u64,
    /// Its last message's number; absent when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_number: Option<u64>,
    /// Runs at work in it.
    pub live_runs: u64,
}

/// All rooms, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rooms {
    /// By name.
    pub rooms: Vec<Room>,
}

/// Asks for a run. The room is made when there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRun {
    /// The room.
    pub room: RoomName,
    /// The name that the run posts under; absent: the CLI's, with a number where it is in use. A name
    /// that a live run of the room has is refused (409 `name-in-use`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<AuthorName>,
    /// The agent CLI.
    pub cli: String,
    /// Whether the stop gate asks for uncommitted or unpushed work.
    #[serde(default)]
    pub git: GitPolicy,
    /// Whether the opening brings the room's conversation so far.
    #[serde(default = "yes")]
    pub history: bool,
    /// Milliseconds between two questions of the after-tool hooks; absent: 2,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_ms: Option<u64>,
    /// A launcher starts the CLI and notes its process id in the run's directory.
    #[serde(default)]
    pub launched: bool,
}

fn yes() -> bool {
    true
}

/// A run that was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedRun {
    /// The run.
    pub run: Run,
    /// Its credential for the run lane; told only here and in its `run.json`.
    pub credential: String,
    /// Its directory.
    pub dir: String,
}

/// Ends a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndRun {
    /// How its process ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

/// Runs, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// Newest first.
    pub runs: Vec<Run>,
}

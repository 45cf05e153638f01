//! The run lane: what a run's hooks and its own commands may say, with the run's credential.
//!
//! | call | body | answer |
//! |---|---|---|
//! | `POST /v1/run/leases` | [`LeaseRequest`] | 200 [`Lease`]; 409 `lease-held` |
//! | `POST /v1/run/deliveries` | [`Acknowledge`] | 200 [`Acknowledged`] |
//! | `DELETE /v1/run/leases/{lease}` | | 204, also when it is gone |
//! | `GET /v1/run/messages?limit=` | | 200 [`Peek`] |
//! | `GET /v1/run/room/messages?before=&after=&limit=` | | 200 [`crate::message::MessagePage`] |
//! | `POST /v1/run/messages` | [`crate::message::Post`] | 201 [`crate::Message`] (200 for a resend) |
//! | `POST /v1/run/heartbeat` | [`Sign`] | 200 [`Heard`] |
//! | `GET /v1/run` | | 200 [`crate::Run`] |
//!
//! Every call carries `Authorization: Bearer <credential>`; errors are [`crate::Problem`]s.

use serde::{Deserialize, Serialize};

use crate::{How, Message, MessageId, Proof, Timestamp};

/// A sign of life.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sign {
    /// The event's name as the CLI sent it, or `process` from the launcher that watches the process.
    pub event: String,
    /// The tool that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The subagent in which it happened; such a sign proves nothing and takes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The moment, which may confirm earlier deliveries of the same session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// The agent CLI, where the hook knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cli: Option<String>,
}

/// Asks for one lease of waiting messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRequest {
    /// Bytes of body text wanted at most; the first message comes whatever its size.
    pub budget: u32,
    /// The sign of life that comes with it.
    pub sign: Sign,
    /// The asker holds the run's lock, so that the holder of an older lease is dead.
    #[serde(default)]
    pub takeover: bool,
    /// A session starts: the room's conversation is wanted too, where the run's policy has it.
    #[serde(default)]
    pub opening: bool,
    /// The session's context was emptied (clear, compaction): parts begin again, and so does the
    /// explanation.
    #[serde(default)]
    pub fresh: bool,
}

/// A message that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The whole message.
    pub message: Message,
    /// How many bytes of its body this session was already shown.
    #[serde(default)]
    pub offset: u64,
    /// An earlier run may have been shown it.
    #[serde(default)]
    pub again: bool,
}

/// The answer to a [`LeaseRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Names the lease; absent when nothing waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<String>,
    /// When the lease ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What waits, in the order in which it is to be shown: a message begun earlier first, then by
    /// number. For an opening the newest that fit, else the first.
    pub messages: Vec<Waiting>,
    /// How many wait in all, those above included.
    pub waiting: u64,
    /// How many of those that wait a person wrote; 0 where a subagent asks.
    #[serde(default)]
    pub people: u64,
    /// The room was not explained yet in this session's context.
    #[serde(default)]
    pub introduce: bool,
    /// Newest messages of the room that do not wait for this run, oldest first, no older than what
    /// waits and did not fit; only for an opening.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Message>,
    /// How many messages the room has in all; only for an opening.
    #[serde(default)]
    pub history_total: u64,
}

/// One message that was shown, or a first piece of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Which message.
    pub id: MessageId,
    /// Shown up to this byte of the body; absent: to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

/// Acknowledges exactly what was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledge {
    /// The lease under which it was shown; it ends with this call. Any other value is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<String>,
    /// By which way.
    pub how: How,
    /// In which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// At which moment, so that a later one can confirm it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<Proof>,
    /// What was shown; none is a no-op.
    pub items: Vec<Item>,
    /// The room was explained in the same text.
    #[serde(default)]
    pub introduced: bool,
}

/// What became of an acknowledgement. Every id of the call stands in exactly one of the lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledged {
    /// Out of the inbox, now or already before.
    pub settled: Vec<MessageId>,
    /// Begun; the rest of the message still waits.
    pub partial: Vec<MessageId>,
    /// No message has this id (any more).
    pub unknown: Vec<MessageId>,
    /// Never in this run's inbox.
    pub refused: Vec<MessageId>,
}

/// What waits, without taking it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peek {
    /// In the order in which they would be shown.
    pub messages: Vec<Waiting>,
    /// More wait than were listed.
    pub has_more: bool,
    /// How many wait in all.
    pub waiting: u64,
    /// How many of those a person wrote.
    #[serde(default)]
    pub people: u64,
}

/// The answer to a [`Sign`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// How many messages wait.
    pub waiting: u64,
}

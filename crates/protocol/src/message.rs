//! Messages and their authors.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{AuthorName, Delivery, Handle, RoomName, RunId, Timestamp};

/// A message's identity across machines: a UUIDv7 in its hyphenated lower-case form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MessageId(String);

impl MessageId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for MessageId {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let shape = |(i, b): (usize, u8)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => matches!(b, b'0'..=b'9' | b'a'..=b'f'),
        };
        if text.len() == 36 && text.bytes().enumerate().all(shape) {
            Ok(Self(text))
        } else {
            Err("a message id is a UUID in its hyphenated lower-case form".to_owned())
        }
    }
}

impl From<MessageId> for String {
    fn from(id: MessageId) -> String {
        id.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether words come from a person or from an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuthorKind {
    /// A person.
    Person,
    /// An agent.
    Agent,
}

/// Who wrote a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Author {
    /// The name shown.
    pub name: AuthorName,
    /// Person or agent.
    pub kind: AuthorKind,
    /// The run that posted it, where a run did. A run is never sent its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The room where that run is at work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomName>,
}

/// Where a message stands. Derived from facts, never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A live run will be shown it, and no delivery of it stands.
    Queued,
    /// No live run is there to take it, and no delivery of it stands; the next run's opening will take
    /// it.
    Attached,
    /// At least one run was shown it, and that delivery did not return to the queue.
    Taken,
    /// Its sender took it back before anyone took it.
    Withdrawn,
    /// The run that it was addressed to has ended, and never took it, or what it took returned to the
    /// queue unproven. Nobody is shown it any more, but a run that resumes the same session and so was
    /// shown it already.
    Failed,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Queued => "queued",
            Self::Attached => "attached",
            Self::Taken => "taken",
            Self::Withdrawn => "withdrawn",
            Self::Failed => "failed",
        })
    }
}

/// A message, as it goes over the wire and into every `--json` output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Identity across machines.
    pub id: MessageId,
    /// Its room.
    pub room: RoomName,
    /// Acceptance order, one sequence for the whole store, from 1.
    pub number: u64,
    /// `room/number`.
    pub handle: Handle,
    /// Who wrote it.
    pub author: Author,
    /// Its words, 1 to 65,536 bytes.
    pub body: String,
    /// When the daemon accepted it.
    pub sent_at: Timestamp,
    /// The one run that it is meant for; absent: all of the room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<RunId>,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<Handle>,
    /// Messages that it quotes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<Handle>,
    /// Where it stands.
    pub status: Status,
    /// Who was shown it, in order of time.
    pub deliveries: Vec<Delivery>,
}

/// What a poster sends: the body of both lanes' `POST …/messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Post {
    /// The words.
    pub body: String,
    /// The author's name; operator lane only (a run posts as itself).
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub author: Option<AuthorName>,
    /// The author's kind; operator lane only. Absent: a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<AuthorKind>,
    /// The one run that it is meant for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<RunId>,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<Handle>,
    /// Messages that it quotes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<Handle>,
    /// Idempotency key, scoped to the author: a resend returns the first answer. The
    /// `Idempotency-Key` header says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A page of a listing, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagePage {
    /// In acceptance order.
    pub messages: Vec<Message>,
    /// More lie beyond the page, in the direction that was asked for.
    pub has_more: bool,
    /// Messages in the room.
    pub total: u64,
}

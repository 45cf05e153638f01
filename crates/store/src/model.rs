//! What goes in and comes out of a [`crate::Store`].

use room_protocol::runfile::GitPolicy;
use room_protocol::{
    Author, AuthorName, Handle, How, Message, MessageId, Proof, RoomName, RunId, Timestamp,
};

/// A room's facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomRecord {
    /// Its name.
    pub name: RoomName,
    /// When it was made.
    pub created_at: Timestamp,
    /// How many messages it has.
    pub messages: u64,
    /// Its last message's number.
    pub last_number: Option<u64>,
}

/// A literal change of a room's metadata; absent fields stay. (A room has no changeable metadata yet.)
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoomPatch {}

/// Asks for a run to be opened, in one step with attaching what waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    /// Its id.
    pub id: RunId,
    /// Its room; must exist.
    pub room: RoomName,
    /// The name that it posts under.
    pub name: AuthorName,
    /// The agent CLI.
    pub cli: String,
    /// SHA-256 of its credential.
    pub credential_hash: [u8; 32],
    /// What the stop gate asks of the repository.
    pub git: GitPolicy,
    /// Whether its opening brings the conversation.
    pub history: bool,
    /// When it is opened.
    pub opened_at: Timestamp,
    /// Numbers up to this one were reserved when it opened: its floor. What is written at or below it
    /// later is added to its pending rows by whoever writes it.
    pub floor: u64,
}

/// A run's stored facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// Its id.
    pub id: RunId,
    /// Its room.
    pub room: RoomName,
    /// The name that it posts under.
    pub name: AuthorName,
    /// The agent CLI.
    pub cli: String,
    /// SHA-256 of its credential.
    pub credential_hash: [u8; 32],
    /// What the stop gate asks of the repository.
    pub git: GitPolicy,
    /// Whether its opening brings the conversation.
    pub history: bool,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How its process ended.
    pub exit_code: Option<i32>,
    /// The session that takes its mail.
    pub session: Option<String>,
    /// The session in which the room was explained last; cleared when that context is gone.
    pub introduced: Option<String>,
    /// Last known sign of life. May lag behind the truth by as much as the daemon lets it.
    pub alive_at: Timestamp,
    /// Last known sign of work; may lag likewise.
    pub active_at: Timestamp,
    /// The last tool; may lag likewise.
    pub last_tool: Option<String>,
}

/// A literal change of a run's metadata; absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunPatch {
    /// The agent CLI.
    pub cli: Option<String>,
    /// The session.
    pub session: Option<Option<String>>,
    /// The session in which the room was explained.
    pub introduced: Option<Option<String>>,
    /// Last sign of life.
    pub alive_at: Option<Timestamp>,
    /// Last sign of work.
    pub active_at: Option<Timestamp>,
    /// The last tool.
    pub last_tool: Option<Option<String>>,
}

/// Which runs to list, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunQuery {
    /// Only of this room.
    pub room: Option<RoomName>,
    /// Only such as have not ended.
    pub live: bool,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Ends a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// Which.
    pub run: RunId,
    /// When.
    pub at: Timestamp,
    /// How its process ended.
    pub exit_code: Option<i32>,
}

/// A message to be written to the canonical history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Identity across machines.
    pub id: MessageId,
    /// The number that was reserved for it; from 1, at most 18 digits.
    pub number: u64,
    /// Its room; must exist.
    pub room: RoomName,
    /// Who wrote it.
    pub author: Author,
    /// Its words.
    pub body: String,
    /// When it was accepted.
    pub sent_at: Timestamp,
    /// The one run that it is meant for.
    pub to: Option<RunId>,
    /// The message that it answers.
    pub reply_to: Option<Handle>,
    /// Messages that it quotes.
    pub quotes: Vec<Handle>,
    /// Idempotency key, scoped to the author (its run where it has one, else kind and name).
    pub key: Option<String>,
}

/// What became of a [`NewMessage`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// It is on disk.
    New(Message),
    /// Its key had been used by the same author for the same words: the message of then.
    Resent(Message),
}

/// Which messages of a room to list, in acceptance order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageQuery {
    /// Of which room; must exist.
    pub room: RoomName,
    /// Only such with a smaller number.
    pub before: Option<u64>,
    /// Only such with a larger number; then the page begins with the oldest of them, else it ends
    /// with the newest.
    pub after: Option<u64>,
    /// At most so many, from 1.
    pub limit: usize,
}

/// A page, in acceptance order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The messages, with their deliveries and status.
    pub messages: Vec<Message>,
    /// More match beyond the page.
    pub has_more: bool,
    /// Messages in the room.
    pub total: u64,
}

/// What to read of a run's inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxQuery {
    /// Whose.
    pub run: RunId,
    /// The session that asks; what another session was shown of a message does not count.
    pub session: Option<String>,
    /// At most so many, from 1.
    pub limit: usize,
    /// Bytes of body still to show, at most; the first message comes whatever its size.
    pub bytes: usize,
    /// After what was begun, the newest that fit instead of the first, in order all the same. Where the
    /// very newest is too large and nothing was begun, it comes beside those that fit, and others that
    /// are too large before one fits are passed over.
    pub newest: bool,
}

/// What waits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inbox {
    /// A message begun earlier in this session first, then by number.
    pub entries: Vec<InboxEntry>,
    /// How many wait in all.
    pub waiting: u64,
    /// How many of those a person wrote.
    pub people: u64,
}

/// A message that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxEntry {
    /// The message.
    pub message: Message,
    /// Bytes of its body that this session was already shown.
    pub offset: u64,
    /// An earlier run may have been shown it: a delivery of it was returned.
    pub again: bool,
}

/// An acknowledgement of exactly what was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledgement {
    /// By whom.
    pub run: RunId,
    /// By which way.
    pub how: How,
    /// When.
    pub at: Timestamp,
    /// In which session.
    pub session: Option<String>,
    /// At which moment.
    pub printed: Option<Proof>,
    /// Nothing more has to prove it: whoever was shown it acknowledges it itself.
    pub confirmed: bool,
    /// What.
    pub items: Vec<AckItem>,
    /// The room was explained in the same text; kept as the run's where a session is named.
    pub introduced: bool,
}

/// One message that was shown, or a first piece of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AckItem {
    /// Which.
    pub id: MessageId,
    /// Up to this byte; absent or the body's length or more: whole. Where an id is named twice, the
    /// furthest counts.
    pub offset: Option<u64>,
}

/// What became of an acknowledgement; every id stands in exactly one list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acked {
    /// Out of the inbox, now or already before (also: withdrawn, or the run ended since).
    pub settled: Vec<MessageId>,
    /// Begun; the rest still waits.
    pub partial: Vec<MessageId>,
    /// No such message.
    pub unknown: Vec<MessageId>,
    /// Never in this run's inbox; nothing was changed for it.
    pub refused: Vec<MessageId>,
}

/// What became of taking a message back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withdrawn {
    /// It is withdrawn, now or already before.
    Done(Message),
    /// A run has taken it.
    Taken(Message),
}

//! The trait.

use async_trait::async_trait;
use room_protocol::{AuthorName, Event, Message, MessageId, Proof, RoomName, RunId, Timestamp};
use tokio::sync::watch;

use crate::{
    Acked, Acknowledgement, Appended, Inbox, InboxQuery, MessageQuery, NewMessage, NewRun, Page,
    Result, RoomPatch, RoomRecord, RunEnd, RunPatch, RunQuery, RunRecord, Withdrawn,
};

/// Rooms, runs, history, ledger and events.
///
/// Whatever changes something answers when the change is durable (survives the death of the process
/// and of the machine) and visible to every later read; the events that belong to the change are
/// written in the same step. A call that fails has changed nothing.
///
/// **The inbox of a run** is: every message of its room that is addressed to all or to it, that it did
/// not write, that is not withdrawn, that was accepted after the run opened (number above
/// [`NewRun::floor`]) or attached to it, and that is absent from its ledger. *Attached* are, when the
/// run opens, the messages of the room at or below its floor, addressed to all, that no run has taken (a
/// delivery that was returned counts as not taken), and whatever is written at or below its floor
/// later, while it lives.
///
/// Costs: an inbox question costs what waits in that inbox; an append costs one durable write whatever
/// the number of runs, and concurrent appends share it.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Which store this is, and its own version, for people.
    fn describe(&self) -> String;

    /// Makes a room. Answers the room, and whether it is new.
    async fn create_room(&self, name: &RoomName, at: Timestamp) -> Result<(RoomRecord, bool)>;

    /// A room. Errors: `NotFound`.
    async fn room(&self, name: &RoomName) -> Result<RoomRecord>;

    /// All rooms, by name.
    async fn rooms(&self) -> Result<Vec<RoomRecord>>;

    /// Changes a room's metadata; the only way in which it changes. Errors: `NotFound`.
    async fn update_room(&self, name: &RoomName, patch: RoomPatch) -> Result<RoomRecord>;

    /// Reserves the next number of the store's one sequence, from 1. Not durable by itself: a number
    /// that is never written leaves a gap, or is given again after a restart if none above it was
    /// written.
    async fn reserve_number(&self) -> Result<u64>;

    /// The highest number that was reserved so far; 0 at first.
    async fn last_reserved(&self) -> Result<u64>;

    /// Writes canonical history, in one durable step, and infers nothing: numbers, ids and times are
    /// the caller's. Adds a pending row for each live run of the room whose inbox gains the message
    /// below its floor. Answers in the order of the call. Events: `posted`.
    ///
    /// Errors: `NotFound` (room), `Conflict` (number or id in use; key used by this author for other
    /// words, room, addressee or references: the text names the message that holds it),
    /// `InvalidRequest` (a number that no handle can name: 0, or more than 18 digits). Of a call that
    /// fails nothing is written.
    async fn append_messages(&self, messages: Vec<NewMessage>) -> Result<Vec<Appended>>;

    /// The message that an author's key was used for, if any (the scope is the same as
    /// [`NewMessage::key`]'s).
    async fn message_by_key(
        &self,
        author: &room_protocol::Author,
        key: &str,
    ) -> Result<Option<Message>>;

    /// A message by its number, with deliveries and status. Errors: `NotFound`, also where it lies in
    /// another room.
    async fn message(&self, room: &RoomName, number: u64) -> Result<Message>;

    /// A message by its id. Errors: `NotFound`.
    async fn message_by_id(&self, id: &MessageId) -> Result<Message>;

    /// A page of a room's messages. Errors: `NotFound` (room), `InvalidRequest` (a limit of 0).
    async fn messages(&self, query: MessageQuery) -> Result<Page>;

    /// Takes a message back, unless a run has taken it (a returned delivery counts as not taken).
    /// Events: `withdrawn`. Errors: `NotFound`.
    async fn withdraw(&self, room: &RoomName, number: u64, at: Timestamp) -> Result<Withdrawn>;

    /// Opens a run and attaches what waits for it, in one step. Events: `run_opened`.
    /// Errors: `NotFound` (room), `Conflict` (id in use, or the name by a live run of the room),
    /// `InvalidRequest` (a floor of more than 18 digits).
    async fn open_run(&self, run: NewRun) -> Result<RunRecord>;

    /// A run. Errors: `NotFound`.
    async fn run(&self, id: &RunId) -> Result<RunRecord>;

    /// Whether a live run of the room has this name.
    async fn name_in_use(&self, room: &RoomName, name: &AuthorName) -> Result<bool>;

    /// The live run with this credential, if any.
    async fn run_by_credential(&self, hash: &[u8; 32]) -> Result<Option<RunRecord>>;

    /// Runs, newest first.
    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRecord>>;

    /// Changes a run's metadata; the only way in which it changes, but for its end. Errors: `NotFound`.
    async fn update_run(&self, id: &RunId, patch: RunPatch) -> Result<RunRecord>;

    /// Ends a run: its credential is void, its unconfirmed deliveries return to the queue (kept in the
    /// ledger with the time of return), messages addressed to it alone that it never took, or that
    /// return now, have failed.
    /// Ending it again changes nothing. Events: `returned` and `failed` for each message, `run_ended`.
    /// Errors: `NotFound`.
    async fn end_run(&self, end: RunEnd) -> Result<RunRecord>;

    /// What waits for a run. An ended run's inbox is empty. Errors: `NotFound` (run), `InvalidRequest`
    /// (a limit of 0).
    async fn inbox(&self, query: InboxQuery) -> Result<Inbox>;

    /// How many messages wait for a run. Errors: `NotFound` (run).
    async fn waiting(&self, run: &RunId) -> Result<u64>;

    /// Tells that a run is in a session from now on. What it was shown before it had one (an opening
    /// that was composed for it), unconfirmed and not returned, counts as shown in this one. Where the
    /// session is resumed: what was returned from that very session, in the run's room and not
    /// withdrawn since, is taken again, as `opened`, unconfirmed, in this session, printed at its start
    /// ([`room_protocol::ProofKind::Start`]). Answers how many messages are taken again; 0 for a run
    /// that has ended, which also is in no session any more. Events: `taken`. Errors: `NotFound` (run).
    async fn adopt_session(&self, run: &RunId, session: &str, at: Timestamp) -> Result<u64>;

    /// Forgets which pieces of messages a run was shown, in whatever session: its context was emptied.
    /// Errors: `NotFound` (run).
    async fn forget_pieces(&self, run: &RunId) -> Result<()>;

    /// Acknowledges exactly what was shown. Idempotent. Valid for whatever was ever in the run's
    /// inbox, also after the run has ended or the message was withdrawn. An offset below the body's
    /// length keeps how far this session was shown the message, and the message waits on; the furthest
    /// counts, and it is moved back to where a character begins. Events: `taken` for each message that
    /// is settled now, then `confirmed` where it is ([`Acknowledgement::confirmed`]; what was settled
    /// before is not confirmed by it). Errors: `NotFound` (run).
    ///
    /// What comes unconfirmed after the run's end returns to the queue at once (`taken`, then
    /// `returned`), as it would have at the end: nothing can confirm it any more.
    async fn acknowledge(&self, acknowledgement: Acknowledgement) -> Result<Acked>;

    /// Confirms a run's deliveries of one session that the event `proof` proves
    /// ([`Proof::confirms`]): those that were printed at a known moment and not returned. Answers their
    /// number. Events: `confirmed`. Errors: `NotFound` (run).
    async fn confirm(
        &self,
        run: &RunId,
        session: &str,
        proof: &Proof,
        at: Timestamp,
    ) -> Result<u64>;

    /// Events after a cursor, oldest first, at most `limit`.
    async fn events(&self, after: u64, room: Option<&RoomName>, limit: usize)
    -> Result<Vec<Event>>;

    /// The last event's cursor; 0 at first.
    async fn last_cursor(&self) -> Result<u64>;

    /// Wakes whoever waits for events: holds the last cursor that this process knows of. A hint only.
    fn watch_events(&self) -> watch::Receiver<u64>;

    /// Ends the store's own threads after what was asked of them is done. Idempotent. What is asked of
    /// a store afterwards may fail with `Internal`.
    async fn close(&self);
}

//! The store in memory: the trait's definitions word for word, for tests and demonstrations.
//!
//! Nothing here is quick: an inbox is found by holding every message against the definition. That is
//! the point; the stores that take shortcuts are tested against this one.

mod acknowledge;
mod append;
mod inbox;
mod listing;
mod room;
mod run;
mod session;
mod state;
mod withdraw;

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use room_protocol::{
    Author, AuthorName, Event, Message, MessageId, Proof, RoomName, RunId, Timestamp,
};
use tokio::sync::watch;

use self::state::State;
use crate::{
    Acked, Acknowledgement, Appended, Inbox, InboxQuery, MessageQuery, NewMessage, NewRun, Page,
    Result, RoomPatch, RoomRecord, RunEnd, RunPatch, RunQuery, RunRecord, Store, Withdrawn,
};

/// Keeps everything in memory, for as long as the value lives.
#[derive(Debug)]
pub struct MemoryStore {
    state: Mutex<State>,
    cursor: watch::Sender<u64>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self {
            state: Mutex::default(),
            cursor: watch::Sender::new(0),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        // No step of the work leaves the state half-changed by a panic that a caller could survive.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = work(&mut state);
        let last = state.last_cursor();
        self.cursor
            .send_if_modified(|known| std::mem::replace(known, last) != last);
        answer
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn describe(&self) -> String {
        "memory".to_owned()
    }

    async fn create_room(&self, name: &RoomName, at: Timestamp) -> Result<(RoomRecord, bool)> {
        self.with(|s| s.create_room(name, at))
    }

    async fn room(&self, name: &RoomName) -> Result<RoomRecord> {
        self.with(|s| s.room(name))
    }

    async fn rooms(&self) -> Result<Vec<RoomRecord>> {
        self.with(|s| s.all_rooms())
    }

    async fn update_room(&self, name: &RoomName, RoomPatch {}: RoomPatch) -> Result<RoomRecord> {
        self.with(|s| s.room(name))
    }

    async fn reserve_number(&self) -> Result<u64> {
        self.with(|s| {
            s.reserved += 1;
            Ok(s.reserved)
        })
    }

    async fn last_reserved(&self) -> Result<u64> {
        self.with(|s| Ok(s.reserved))
    }

    async fn append_messages(&self, messages: Vec<NewMessage>) -> Result<Vec<Appended>> {
        self.with(|s| s.append_messages(messages))
    }

    async fn message_by_key(&self, author: &Author, key: &str) -> Result<Option<Message>> {
        self.with(|s| Ok(s.number_of_key(author, key).map(|n| s.view(n))))
    }

    async fn message(&self, room: &RoomName, number: u64) -> Result<Message> {
        self.with(|s| s.message(room, number))
    }

    async fn message_by_id(&self, id: &MessageId) -> Result<Message> {
        self.with(|s| s.message_by_id(id))
    }

    async fn messages(&self, query: MessageQuery) -> Result<Page> {
        self.with(|s| s.page(&query))
    }

    async fn withdraw(&self, room: &RoomName, number: u64, at: Timestamp) -> Result<Withdrawn> {
        self.with(|s| s.withdraw(room, number, at))
    }

    async fn open_run(&self, run: NewRun) -> Result<RunRecord> {
        self.with(|s| s.open_run(run))
    }

    async fn run(&self, id: &RunId) -> Result<RunRecord> {
        self.with(|s| s.run(id).map(|r| r.record.clone()))
    }

    async fn name_in_use(&self, room: &RoomName, name: &AuthorName) -> Result<bool> {
        self.with(|s| Ok(s.name_in_use(room, name)))
    }

    async fn run_by_credential(&self, hash: &[u8; 32]) -> Result<Option<RunRecord>> {
        self.with(|s| Ok(s.run_by_credential(hash)))
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRecord>> {
        self.with(|s| Ok(s.list_runs(&query)))
    }

    async fn update_run(&self, id: &RunId, patch: RunPatch) -> Result<RunRecord> {
        self.with(|s| s.update_run(id, patch))
    }

    async fn end_run(&self, end: RunEnd) -> Result<RunRecord> {
        self.with(|s| s.end_run(&end))
    }

    async fn inbox(&self, query: InboxQuery) -> Result<Inbox> {
        self.with(|s| s.inbox(&query))
    }

    async fn waiting(&self, run: &RunId) -> Result<u64> {
        self.with(|s| Ok(s.waiting(s.run(run)?).len() as u64))
    }

    async fn adopt_session(&self, run: &RunId, session: &str, at: Timestamp) -> Result<u64> {
        self.with(|s| s.adopt_session(run, session, at))
    }

    async fn forget_pieces(&self, run: &RunId) -> Result<()> {
        self.with(|s| {
            s.run_mut(run)?.pieces.clear();
            Ok(())
        })
    }

    async fn acknowledge(&self, acknowledgement: Acknowledgement) -> Result<Acked> {
        self.with(|s| s.acknowledge(&acknowledgement))
    }

    async fn confirm(
        &self,
        run: &RunId,
        session: &str,
        proof: &Proof,
        at: Timestamp,
    ) -> Result<u64> {
        self.with(|s| s.confirm(run, session, proof, at))
    }

    async fn events(
        &self,
        after: u64,
        room: Option<&RoomName>,
        limit: usize,
    ) -> Result<Vec<Event>> {
        self.with(|s| {
            let wanted = |e: &&Event| e.cursor > after && room.is_none_or(|r| *r == e.room);
            Ok(s.events
                .iter()
                .filter(wanted)
                .take(limit)
                .cloned()
                .collect())
        })
    }

    async fn last_cursor(&self) -> Result<u64> {
        self.with(|s| Ok(s.last_cursor()))
    }

    fn watch_events(&self) -> watch::Receiver<u64> {
        self.cursor.subscribe()
    }

    async fn close(&self) {}
}

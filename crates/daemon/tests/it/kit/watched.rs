//! A store that counts what is asked of it, and fails when it is told to.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use room_protocol::{
    Author, AuthorName, Event, Message, MessageId, Proof, RoomName, RunId, Timestamp,
};
use room_store::{
    Acked, Acknowledgement, Appended, Error, Inbox, InboxQuery, MemoryStore, MessageQuery,
    NewMessage, NewRun, Page, Result, RoomPatch, RoomRecord, RunEnd, RunPatch, RunQuery, RunRecord,
    Store, Withdrawn,
};
use tokio::sync::watch;

/// In memory.
#[derive(Default)]
pub struct Watched {
    inner: MemoryStore,
    reads: AtomicUsize,
    writes: AtomicUsize,
    fault: Mutex<Option<fn() -> Error>>,
    held: watch::Sender<bool>,
    asked: AtomicBool,
}

impl Watched {
    /// Reads and writes since the last time.
    pub fn taken(&self) -> (usize, usize) {
        (
            self.reads.swap(0, Ordering::SeqCst),
            self.writes.swap(0, Ordering::SeqCst),
        )
    }

    /// What every write is answered with from now on.
    pub fn fail(&self, fault: Option<fn() -> Error>) {
        *self.fault.lock().unwrap() = fault;
    }

    /// Appends come to no end until [`Self::release`].
    pub fn hold(&self) {
        self.held.send_replace(true);
    }

    pub fn release(&self) {
        self.held.send_replace(false);
    }

    /// Whether an append was held.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    async fn pass(&self) {
        let mut held = self.held.subscribe();
        if *held.borrow() {
            self.asked.store(true, Ordering::SeqCst);
        }
        held.wait_for(|held| !held).await.unwrap();
    }

    fn read(&self) {
        self.reads.fetch_add(1, Ordering::SeqCst);
    }

    fn write(&self) -> Result<()> {
        self.writes.fetch_add(1, Ordering::SeqCst);
        match *self.fault.lock().unwrap() {
            Some(fault) => Err(fault()),
            None => Ok(()),
        }
    }
}

#[async_trait]
impl Store for Watched {
    fn describe(&self) -> String {
        self.inner.describe()
    }

    async fn create_room(&self, name: &RoomName, at: Timestamp) -> Result<(RoomRecord, bool)> {
        self.write()?;
        self.inner.create_room(name, at).await
    }

    async fn room(&self, name: &RoomName) -> Result<RoomRecord> {
        self.read();
        self.inner.room(name).await
    }

    async fn rooms(&self) -> Result<Vec<RoomRecord>> {
        self.read();
        self.inner.rooms().await
    }

    async fn update_room(&self, name: &RoomName, patch: RoomPatch) -> Result<RoomRecord> {
        self.write()?;
        self.inner.update_room(name, patch).await
    }

    async fn reserve_number(&self) -> Result<u64> {
        self.read();
        self.inner.reserve_number().await
    }

    async fn last_reserved(&self) -> Result<u64> {
        self.read();
        self.inner.last_reserved().await
    }

    async fn append_messages(&self, messages: Vec<NewMessage>) -> Result<Vec<Appended>> {
        self.write()?;
        self.pass().await;
        self.inner.append_messages(messages).await
    }

    async fn message_by_key(&self, author: &Author, key: &str) -> Result<Option<Message>> {
        self.read();
        self.inner.message_by_key(author, key).await
    }

    async fn message(&self, room: &RoomName, number: u64) -> Result<Message> {
        self.read();
        self.inner.message(room, number).await
    }

    async fn message_by_id(&self, id: &MessageId) -> Result<Message> {
        self.read();
        self.inner.message_by_id(id).await
    }

    async fn messages(&self, query: MessageQuery) -> Result<Page> {
        self.read();
        self.inner.messages(query).await
    }

    async fn withdraw(&self, room: &RoomName, number: u64, at: Timestamp) -> Result<Withdrawn> {
        self.write()?;
        self.inner.withdraw(room, number, at).await
    }

    async fn open_run(&self, run: NewRun) -> Result<RunRecord> {
        self.write()?;
        self.inner.open_run(run).await
    }

    async fn run(&self, id: &RunId) -> Result<RunRecord> {
        self.read();
        self.inner.run(id).await
    }

    async fn name_in_use(&self, room: &RoomName, name: &AuthorName) -> Result<bool> {
        self.read();
        self.inner.name_in_use(room, name).await
    }

    async fn run_by_credential(&self, hash: &[u8; 32]) -> Result<Option<RunRecord>> {
        self.read();
        self.inner.run_by_credential(hash).await
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRecord>> {
        self.read();
        self.inner.runs(query).await
    }

    async fn update_run(&self, id: &RunId, patch: RunPatch) -> Result<RunRecord> {
        self.write()?;
        self.inner.update_run(id, patch).await
    }

    async fn end_run(&self, end: RunEnd) -> Result<RunRecord> {
        self.write()?;
        self.inner.end_run(end).await
    }

    async fn inbox(&self, query: InboxQuery) -> Result<Inbox> {
        self.read();
        self.inner.inbox(query).await
    }

    async fn waiting(&self, run: &RunId) -> Result<u64> {
        self.read();
        self.inner.waiting(run).await
    }

    async fn adopt_session(&self, run: &RunId, session: &str, at: Timestamp) -> Result<u64> {
        self.write()?;
        self.inner.adopt_session(run, session, at).await
    }

    async fn forget_pieces(&self, run: &RunId) -> Result<()> {
        self.write()?;
        self.inner.forget_pieces(run).await
    }

    async fn acknowledge(&self, acknowledgement: Acknowledgement) -> Result<Acked> {
        self.write()?;
        self.inner.acknowledge(acknowledgement).await
    }

    async fn confirm(
        &self,
        run: &RunId,
        session: &str,
        proof: &Proof,
        at: Timestamp,
    ) -> Result<u64> {
        self.write()?;
        self.inner.confirm(run, session, proof, at).await
    }

    async fn events(
        &self,
        after: u64,
        room: Option<&RoomName>,
        limit: usize,
    ) -> Result<Vec<Event>> {
        self.read();
        self.inner.events(after, room, limit).await
    }

    async fn last_cursor(&self) -> Result<u64> {
        self.read();
        self.inner.last_cursor().await
    }

    fn watch_events(&self) -> watch::Receiver<u64> {
        self.inner.watch_events()
    }

    async fn close(&self) {
        self.inner.close().await
    }
}

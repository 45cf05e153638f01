//! The embedded store: one SQLite file in WAL mode, one thread that writes, a few that read.

mod acknowledge;
mod adopt;
mod append;
#[cfg(test)]
mod cost_tests;
mod end;
mod event;
mod fault;
mod floor;
mod inbox;
mod ledger;
mod listing;
mod migrate;
mod open;
mod readers;
mod room;
mod run;
mod threads;
mod tx;
mod view;
mod withdraw;
mod words;
mod writer;
#[cfg(test)]
mod writer_tests;

use std::path::Path;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use room_protocol::{
    Author, AuthorName, Event, Message, MessageId, Proof, RoomName, RunId, Timestamp,
};
use tokio::sync::watch;

use self::threads::Threads;
use crate::{
    Acked, Acknowledgement, Appended, Error, Inbox, InboxQuery, MessageQuery, NewMessage, NewRun,
    Page, Result, RoomPatch, RoomRecord, RunEnd, RunPatch, RunQuery, RunRecord, Store, Withdrawn,
    rules,
};

/// Keeps everything in one SQLite file (and its `-wal` and `-shm` beside it).
///
/// Dropping it ends its threads as [`Store::close`] does, without waiting for them.
#[derive(Debug)]
pub struct SqliteStore {
    threads: Threads,
}

impl SqliteStore {
    /// Opens the file, making it (mode 0600) and its tables where there are none; its directory must
    /// exist.
    ///
    /// Errors, each naming the file: `InvalidRequest` where its tables are newer than this program or
    /// another program's, `ResourceExhausted` where the disk is full, else `Internal` (no such
    /// directory, not permitted, not a database, damaged).
    pub fn open(path: &Path) -> Result<Self> {
        let threads = Threads::start(path)?;
        Ok(Self { threads })
    }
}

#[async_trait]
impl Store for SqliteStore {
    fn describe(&self) -> String {
        let (sqlite, tables) = (rusqlite::version(), migrate::version());
        format!("SQLite {sqlite}, tables version {tables}")
    }

    async fn create_room(&self, name: &RoomName, at: Timestamp) -> Result<(RoomRecord, bool)> {
        let name = name.clone();
        self.threads
            .write(move |tx| room::create(tx, &name, at))
            .await
    }

    async fn room(&self, name: &RoomName) -> Result<RoomRecord> {
        let name = name.clone();
        self.threads.read(move |conn| room::get(conn, &name)).await
    }

    async fn rooms(&self) -> Result<Vec<RoomRecord>> {
        self.threads.read(room::all).await
    }

    async fn update_room(&self, name: &RoomName, RoomPatch {}: RoomPatch) -> Result<RoomRecord> {
        self.room(name).await
    }

    async fn reserve_number(&self) -> Result<u64> {
        let number = self.threads.known().number.fetch_add(1, Ordering::SeqCst) + 1;
        if number > rules::LAST_NUMBER {
            return Err(Error::ResourceExhausted(
                "the numbers are used up".to_owned(),
            ));
        }
        Ok(number)
    }

    async fn last_reserved(&self) -> Result<u64> {
        Ok(self.threads.known().number.load(Ordering::SeqCst))
    }

    async fn append_messages(&self, messages: Vec<NewMessage>) -> Result<Vec<Appended>> {
        self.threads
            .write(move |tx| append::append(tx, &messages))
            .await
    }

    async fn message_by_key(&self, author: &Author, key: &str) -> Result<Option<Message>> {
        let (author, key) = (author.clone(), key.to_owned());
        self.threads
            .read(
                move |conn| match view::number_of_key(conn, &author, &key)? {
                    Some(number) => view::find(conn, number),
                    None => Ok(None),
                },
            )
            .await
    }

    async fn message(&self, room: &RoomName, number: u64) -> Result<Message> {
        let room = room.clone();
        self.threads
            .read(move |conn| view::by_handle(conn, &room, number))
            .await
    }

    async fn message_by_id(&self, id: &MessageId) -> Result<Message> {
        let id = id.clone();
        self.threads.read(move |conn| view::by_id(conn, &id)).await
    }

    async fn messages(&self, query: MessageQuery) -> Result<Page> {
        self.threads
            .read(move |conn| listing::page(conn, &query))
            .await
    }

    async fn withdraw(&self, room: &RoomName, number: u64, at: Timestamp) -> Result<Withdrawn> {
        let room = room.clone();
        self.threads
            .write(move |tx| withdraw::withdraw(tx, &room, number, at))
            .await
    }

    async fn open_run(&self, run: NewRun) -> Result<RunRecord> {
        self.threads.write(move |tx| run::open(tx, &run)).await
    }

    async fn run(&self, id: &RunId) -> Result<RunRecord> {
        let id = id.clone();
        self.threads.read(move |conn| run::get(conn, &id)).await
    }

    async fn name_in_use(&self, room: &RoomName, name: &AuthorName) -> Result<bool> {
        let (room, name) = (room.clone(), name.clone());
        self.threads
            .read(move |conn| run::name_in_use(conn, &room, &name))
            .await
    }

    async fn run_by_credential(&self, hash: &[u8; 32]) -> Result<Option<RunRecord>> {
        let hash = *hash;
        self.threads
            .read(move |conn| run::by_credential(conn, &hash))
            .await
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRecord>> {
        self.threads.read(move |conn| run::list(conn, &query)).await
    }

    async fn update_run(&self, id: &RunId, patch: RunPatch) -> Result<RunRecord> {
        let id = id.clone();
        self.threads
            .write(move |tx| run::update(tx, &id, &patch))
            .await
    }

    async fn end_run(&self, end: RunEnd) -> Result<RunRecord> {
        self.threads.write(move |tx| end::end(tx, &end)).await
    }

    async fn inbox(&self, query: InboxQuery) -> Result<Inbox> {
        let run = query.run.clone();
        let found = self
            .threads
            .read(move |conn| inbox::inbox(conn, &query))
            .await?;
        self.tidy(&run, found.stepped_over);
        Ok(found.answer)
    }

    async fn waiting(&self, run: &RunId) -> Result<u64> {
        let id = run.clone();
        let found = self
            .threads
            .read(move |conn| inbox::waiting(conn, &run::seat(conn, &id)?))
            .await?;
        self.tidy(run, found.stepped_over);
        Ok(found.answer)
    }

    async fn adopt_session(&self, run: &RunId, session: &str, at: Timestamp) -> Result<u64> {
        let (run, session) = (run.clone(), session.to_owned());
        self.threads
            .write(move |tx| adopt::adopt(tx, &run, &session, at))
            .await
    }

    async fn forget_pieces(&self, run: &RunId) -> Result<()> {
        let run = run.clone();
        self.threads
            .write(move |tx| {
                let seat = run::seat(tx, &run)?;
                tx.done("DELETE FROM piece WHERE run = ?1", [seat.seq])?;
                Ok(())
            })
            .await
    }

    async fn acknowledge(&self, acknowledgement: Acknowledgement) -> Result<Acked> {
        self.threads
            .write(move |tx| acknowledge::acknowledge(tx, &acknowledgement))
            .await
    }

    async fn confirm(
        &self,
        run: &RunId,
        session: &str,
        proof: &Proof,
        at: Timestamp,
    ) -> Result<u64> {
        let (run, session, proof) = (run.clone(), session.to_owned(), proof.clone());
        self.threads
            .write(move |tx| ledger::confirm(tx, &run::seat(tx, &run)?, &session, &proof, at))
            .await
    }

    async fn events(
        &self,
        after: u64,
        room: Option<&RoomName>,
        limit: usize,
    ) -> Result<Vec<Event>> {
        let room = room.cloned();
        self.threads
            .read(move |conn| event::after(conn, after, room.as_ref(), limit))
            .await
    }

    async fn last_cursor(&self) -> Result<u64> {
        self.threads.read(event::last).await
    }

    fn watch_events(&self) -> watch::Receiver<u64> {
        self.threads.known().cursor.subscribe()
    }

    async fn close(&self) {
        self.threads.close().await;
    }
}

impl SqliteStore {
    /// Has the floor moved where questions step over too much.
    fn tidy(&self, run: &RunId, stepped_over: u64) {
        if stepped_over > floor::SLACK {
            let run = run.clone();
            self.threads.write_later(move |tx| floor::tidy(tx, &run));
        }
    }
}

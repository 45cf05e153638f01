//! Both stores, what was done to them, and the comparison.

use std::fmt::Debug;
use std::future::Future;
use std::path::PathBuf;

use room_protocol::{Author, AuthorKind, RoomName, RunId, Timestamp};
use room_store::{InboxQuery, MemoryStore, MessageQuery, NewMessage, RunQuery, SqliteStore, Store};

use super::op::{Op, Saying};
use crate::kit::{at, id, newcomer, person, room};

pub struct World {
    pub model: MemoryStore,
    pub subject: SqliteStore,
    pub path: PathBuf,
    _dir: tempfile::TempDir,
    /// The last number given.
    pub last: u64,
    /// Numbers that were given and not used yet.
    pub held: Vec<u64>,
    pub runs: Vec<(RunId, RoomName)>,
    pub now: u64,
    seen_events: u64,
}

pub const ROOMS: [&str; 2] = ["demo", "api"];

impl World {
    pub async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("room.db");
        let world = Self {
            model: MemoryStore::new(),
            subject: SqliteStore::open(&path).unwrap(),
            path,
            _dir: dir,
            last: 0,
            held: Vec::new(),
            runs: Vec::new(),
            now: 0,
            seen_events: 0,
        };
        for name in ROOMS {
            world.model.create_room(&room(name), at(0)).await.unwrap();
            world.subject.create_room(&room(name), at(0)).await.unwrap();
        }
        world
    }

    /// Asks both stores everything that can be asked.
    pub async fn compare(&mut self, op: &Op) {
        for (run, at_work) in self.runs.clone() {
            let mut waiting = 0;
            for (session, limit, bytes, newest) in [
                (0, 30, usize::MAX, false),
                (1, 5, 25, false),
                (1, 5, 25, true),
                (1, 9, 12, true),
                (2, 3, usize::MAX, false),
            ] {
                let query = InboxQuery {
                    run: run.clone(),
                    session: session_name(session),
                    limit,
                    bytes,
                    newest,
                };
                let inbox = self.both(|s| s.inbox(query.clone())).await;
                waiting = inbox.unwrap().waiting;
            }
            let told = self.both(|s| s.waiting(&run)).await.unwrap();
            assert_eq!(told, waiting, "{op:?}");
            self.both(|s| s.run(&run)).await.unwrap();
            let name = run.as_str().parse().unwrap();
            self.both(|s| s.name_in_use(&at_work, &name)).await.unwrap();
            let hash = newcomer(run.as_str(), 0).credential_hash;
            self.both(|s| s.run_by_credential(&hash)).await.unwrap();
        }
        for name in ROOMS.map(room) {
            let around = Some(self.last / 2);
            for (before, after, limit) in [
                (None, None, 25),
                (around, None, 2),
                (None, around, 2),
                (Some(self.last), around, 3),
            ] {
                let query = MessageQuery {
                    room: name.clone(),
                    before,
                    after,
                    limit,
                };
                self.both(|s| s.messages(query.clone())).await.unwrap();
            }
            let query = RunQuery {
                room: Some(name.clone()),
                live: true,
                limit: Some(2),
            };
            self.both(|s| s.runs(query.clone())).await.unwrap();
            self.both(|s| s.events(self.seen_events / 2, Some(&name), 3))
                .await
                .unwrap();
        }
        self.both(|s| s.runs(RunQuery::default())).await.unwrap();
        self.both(|s| s.rooms()).await.unwrap();
        let after = self.seen_events;
        self.both(|s| s.events(after, None, usize::MAX))
            .await
            .unwrap();
        self.seen_events = self.both(|s| s.last_cursor()).await.unwrap();
        assert_eq!(*self.subject.watch_events().borrow(), self.seen_events);
    }

    /// Compares every message and every event.
    pub async fn compare_all(&mut self) {
        for name in ROOMS.map(room) {
            let query = MessageQuery {
                room: name,
                before: None,
                after: Some(0),
                limit: usize::MAX,
            };
            self.both(|s| s.messages(query.clone())).await.unwrap();
        }
        self.both(|s| s.events(0, None, usize::MAX)).await.unwrap();
    }

    /// Asks both stores the same; answers what both said.
    pub async fn both<'a, T: Debug, F>(
        &'a self,
        ask: impl Fn(&'a dyn Store) -> F,
    ) -> room_store::Result<T>
    where
        F: Future<Output = room_store::Result<T>>,
    {
        let told = ask(&self.model).await;
        let answer = ask(&self.subject).await;
        if format!("{answer:?}") != format!("{told:?}") {
            panic!("SQLite answers\n{answer:#?}\nand memory\n{told:#?}");
        }
        answer
    }

    /// The same where what they say is of no matter.
    pub async fn same<'a, T: Debug, F>(&'a self, ask: impl Fn(&'a dyn Store) -> F)
    where
        F: Future<Output = room_store::Result<T>>,
    {
        let _ = self.both(ask).await;
    }

    pub async fn append(&self, messages: Vec<NewMessage>) {
        self.both(|s| s.append_messages(messages.clone()))
            .await
            .ok();
        for message in &messages {
            if let Some(key) = &message.key {
                self.both(|s| s.message_by_key(&message.author, key))
                    .await
                    .unwrap();
            }
            self.same(|s| s.message_by_id(&message.id)).await;
        }
    }

    pub fn message(&self, number: u64, saying: &Saying) -> NewMessage {
        let author = match saying.author.and_then(|pick| self.run(pick)) {
            Some((run, at_work)) => Author {
                name: "agent".parse().unwrap(),
                kind: AuthorKind::Agent,
                run: Some(run),
                room: Some(at_work),
            },
            None => person("ana"),
        };
        NewMessage {
            id: id(number),
            number,
            room: room(ROOMS[saying.room]),
            author,
            body: ["tabs", "keep the tests green", "ein süßer 小明 Gruß"][usize::from(saying.body)]
                .to_owned(),
            sent_at: self.time(),
            to: saying
                .to
                .and_then(|pick| self.run(pick))
                .map(|(run, _)| run),
            reply_to: None,
            quotes: Vec::new(),
            key: saying.key.map(|key| key.to_string()),
        }
    }

    pub fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub fn run(&self, pick: usize) -> Option<(RunId, RoomName)> {
        // The newest are the likeliest to live.
        let from = self.runs.len().saturating_sub(4);
        let late = &self.runs[from..];
        (!late.is_empty()).then(|| late[pick % late.len()].clone())
    }

    pub fn time(&self) -> Timestamp {
        at(self.now)
    }
}

pub fn session_name(session: usize) -> Option<String> {
    (session > 0).then(|| format!("s{session}"))
}

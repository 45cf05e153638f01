//! Both stores, what was done to them, and the comparison.

use std::fmt::Debug;
use std::future::Future;
use std::path::PathBuf;

use room_protocol::{Author, AuthorKind, RoomName, RunId, Timestamp};
use room_store::{
    AckItem, Acknowledgement, InboxQuery, MemoryStore, MessageQuery, NewMessage, NewRun, RunEnd,
    RunPatch, RunQuery, SqliteStore, Store,
};

use super::op::{Op, Saying};
use crate::kit::{at, id, newcomer, person, room, run_id};

pub struct World {
    model: MemoryStore,
    subject: SqliteStore,
    path: PathBuf,
    _dir: tempfile::TempDir,
    /// The last number given.
    last: u64,
    /// Numbers that were given and not used yet.
    held: Vec<u64>,
    runs: Vec<(RunId, RoomName)>,
    now: u64,
    seen_events: u64,
}

const ROOMS: [&str; 2] = ["demo", "api"];

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

    pub async fn step(&mut self, op: &Op) {
        self.now += 1;
        match op {
            Op::Reserve => {
                let number = self.next();
                self.held.push(number);
            }
            Op::Post(saying) => {
                let number = self.next();
                let message = self.message(number, saying);
                self.append(vec![message]).await;
            }
            Op::Late(all) => {
                let mut messages = Vec::new();
                for (pick, saying) in all {
                    if !self.held.is_empty() {
                        let number = self.held.remove(pick % self.held.len());
                        messages.push(self.message(number, saying));
                    }
                }
                self.append(messages).await;
            }
            Op::Clash(pick, saying) => {
                let number = *pick as u64 % (self.last + 2);
                let message = self.message(number, saying);
                let fresh = self.next();
                let before = self.message(fresh, saying);
                self.append(vec![before, message]).await;
            }
            Op::Chatter { run } => {
                let author = (!self.runs.is_empty()).then_some(*run);
                let all = (0..70).map(|_| {
                    let number = self.next();
                    let saying = Saying {
                        room: 0,
                        author,
                        to: None,
                        key: None,
                        body: 0,
                    };
                    self.message(number, &saying)
                });
                let all = all.collect();
                self.append(all).await;
            }
            Op::Open {
                room: at_work,
                below,
            } => {
                let name = format!("r{}", self.runs.len());
                let new = NewRun {
                    room: room(ROOMS[*at_work]),
                    opened_at: self.time(),
                    ..newcomer(&name, self.last.saturating_sub(*below))
                };
                self.runs.push((new.id.clone(), new.room.clone()));
                self.same(|s| s.open_run(new.clone())).await;
            }
            Op::OpenAgain { run } => {
                if let Some((run, at_work)) = self.run(*run) {
                    let known = NewRun {
                        room: at_work,
                        ..newcomer(run.as_str(), self.last)
                    };
                    self.same(|s| s.open_run(known.clone())).await;
                    let named = NewRun {
                        id: run_id("other"),
                        ..known
                    };
                    let live = self
                        .model
                        .name_in_use(&named.room, &named.name)
                        .await
                        .unwrap();
                    if live {
                        self.same(|s| s.open_run(named.clone())).await;
                    }
                }
            }
            Op::End { run } => {
                if let Some((run, _)) = self.run(*run) {
                    let end = RunEnd {
                        run,
                        at: self.time(),
                        exit_code: Some(7),
                    };
                    self.same(|s| s.end_run(end.clone())).await;
                }
            }
            Op::Show {
                run,
                first,
                session,
                how,
                proof,
            } => {
                if let Some((run, _)) = self.run(*run) {
                    let session = session_name(*session);
                    let query = InboxQuery {
                        run,
                        session,
                        limit: *first,
                        bytes: 20,
                    };
                    let shown = self.model.inbox(query.clone()).await.unwrap();
                    let whole = |e: &room_store::InboxEntry| AckItem {
                        id: e.message.id.clone(),
                        offset: None,
                    };
                    let ack = Acknowledgement {
                        run: query.run,
                        how: *how,
                        at: self.time(),
                        session: query.session,
                        printed: proof.clone(),
                        items: shown.entries.iter().map(whole).collect(),
                        introduced: false,
                    };
                    self.same(|s| s.acknowledge(ack.clone())).await;
                }
            }
            Op::Part {
                run,
                nth,
                upto,
                session,
            } => {
                if let Some((run, _)) = self.run(*run) {
                    let session = session_name(*session);
                    let query = InboxQuery {
                        run,
                        session,
                        limit: nth + 1,
                        bytes: usize::MAX,
                    };
                    let waits = self.model.inbox(query.clone()).await.unwrap();
                    let part = |e: &room_store::InboxEntry| AckItem {
                        id: e.message.id.clone(),
                        offset: Some(*upto),
                    };
                    let ack = Acknowledgement {
                        run: query.run,
                        how: room_protocol::How::Read,
                        at: self.time(),
                        session: query.session,
                        printed: None,
                        items: waits.entries.iter().skip(*nth).map(part).collect(),
                        introduced: false,
                    };
                    self.same(|s| s.acknowledge(ack.clone())).await;
                }
            }
            Op::Acknowledge {
                run,
                items,
                session,
                introduced,
                proof,
            } => {
                if let Some((run, _)) = self.run(*run) {
                    let item = |(pick, offset): &(usize, Option<u64>)| AckItem {
                        // Towards the newest, where things happen, and a little beyond.
                        id: id(
                            (self.last + 1).saturating_sub(*pick as u64 % (self.last + 2).min(8))
                        ),
                        offset: *offset,
                    };
                    let ack = Acknowledgement {
                        run,
                        how: room_protocol::How::Relayed,
                        at: self.time(),
                        session: session_name(*session),
                        printed: proof.clone(),
                        items: items.iter().map(item).collect(),
                        introduced: *introduced,
                    };
                    self.same(|s| s.acknowledge(ack.clone())).await;
                }
            }
            Op::Withdraw { message } => {
                let number = self
                    .last
                    .saturating_sub(*message as u64 % (self.last + 1).min(8));
                let when = self.time();
                for name in ROOMS.map(room) {
                    self.same(|s| s.withdraw(&name, number, when)).await;
                }
            }
            Op::Confirm {
                run,
                session,
                proof,
            } => {
                if let (Some((run, _)), Some(session)) = (self.run(*run), session_name(*session)) {
                    let when = self.time();
                    self.same(|s| s.confirm(&run, &session, proof, when)).await;
                }
            }
            Op::Adopt { run, session } => {
                if let (Some((run, _)), Some(session)) = (self.run(*run), session_name(*session)) {
                    let when = self.time();
                    self.same(|s| s.adopt_session(&run, &session, when)).await;
                }
            }
            Op::Forget { run } => {
                if let Some((run, _)) = self.run(*run) {
                    self.same(|s| s.forget_pieces(&run)).await;
                }
            }
            Op::Update { run, session } => {
                if let Some((run, _)) = self.run(*run) {
                    let patch = RunPatch {
                        session: Some(session_name(*session)),
                        alive_at: Some(self.time()),
                        last_tool: Some(Some("Bash".to_owned())),
                        ..RunPatch::default()
                    };
                    self.same(|s| s.update_run(&run, patch.clone())).await;
                }
            }
            Op::Reopen { close } => {
                if *close {
                    self.subject.close().await;
                }
                self.subject = SqliteStore::open(&self.path).unwrap();
            }
        }
    }

    /// Asks both stores everything that can be asked.
    pub async fn compare(&mut self, op: &Op) {
        for (run, at_work) in self.runs.clone() {
            let mut waiting = 0;
            for (session, limit, bytes) in [(0, 30, usize::MAX), (1, 5, 25), (2, 3, usize::MAX)] {
                let query = InboxQuery {
                    run: run.clone(),
                    session: session_name(session),
                    limit,
                    bytes,
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
    async fn both<'a, T: Debug, F>(
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
    async fn same<'a, T: Debug, F>(&'a self, ask: impl Fn(&'a dyn Store) -> F)
    where
        F: Future<Output = room_store::Result<T>>,
    {
        let _ = self.both(ask).await;
    }

    async fn append(&self, messages: Vec<NewMessage>) {
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

    fn message(&self, number: u64, saying: &Saying) -> NewMessage {
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

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn run(&self, pick: usize) -> Option<(RunId, RoomName)> {
        // The newest are the likeliest to live.
        let from = self.runs.len().saturating_sub(4);
        let late = &self.runs[from..];
        (!late.is_empty()).then(|| late[pick % late.len()].clone())
    }

    fn time(&self) -> Timestamp {
        at(self.now)
    }
}

fn session_name(session: usize) -> Option<String> {
    (session > 0).then(|| format!("s{session}"))
}

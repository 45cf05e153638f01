//! Does one thing to both stores.

use room_store::{
    AckItem, Acknowledgement, InboxQuery, NewRun, RunEnd, RunPatch, SqliteStore, Store,
};

use super::op::{Op, Saying};
use super::world::{ROOMS, World, session_name};
use crate::kit::{id, newcomer, room, run_id};

impl World {
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
                confirmed,
            } => {
                if let Some((run, _)) = self.run(*run) {
                    let session = session_name(*session);
                    let query = InboxQuery {
                        run,
                        session,
                        limit: *first,
                        bytes: 20,
                        newest: false,
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
                        confirmed: *confirmed,
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
                        newest: false,
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
                        confirmed: false,
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
                confirmed,
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
                        confirmed: *confirmed,
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
}

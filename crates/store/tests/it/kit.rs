//! What the tests are written with.

use std::future::Future;

use room_protocol::runfile::GitPolicy;
use room_protocol::{
    Author, AuthorKind, How, MessageId, Proof, ProofKind, RoomName, RunId, Timestamp,
};
use room_store::{
    AckItem, Acknowledgement, Appended, Inbox, InboxQuery, MessageQuery, NewMessage, NewRun,
    RunEnd, Store,
};

pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(work)
}

/// A point in time, so many milliseconds after an arbitrary one.
pub fn at(ms: u64) -> Timestamp {
    Timestamp::from_unix_ms(1_796_047_331_000 + ms as i64)
}

pub fn room(name: &str) -> RoomName {
    name.parse().unwrap()
}

pub fn run_id(id: &str) -> RunId {
    id.parse().unwrap()
}

/// The id of the message with a number.
pub fn id(number: u64) -> MessageId {
    let (high, low) = (number >> 48, number & 0xffff_ffff_ffff);
    let id = format!("{high:08x}-0000-7000-8000-{low:012x}");
    id.try_into().unwrap()
}

pub fn person(name: &str) -> Author {
    Author {
        name: name.parse().unwrap(),
        kind: AuthorKind::Person,
        run: None,
        room: None,
    }
}

/// A run as an author.
pub fn agent(run: &str) -> Author {
    Author {
        name: run.parse().unwrap(),
        kind: AuthorKind::Agent,
        run: Some(run_id(run)),
        room: Some(room("demo")),
    }
}

/// A message of ana's to all of demo.
pub fn words(number: u64) -> NewMessage {
    NewMessage {
        id: id(number),
        number,
        room: room("demo"),
        author: person("ana"),
        body: format!("words {number}"),
        sent_at: at(number),
        to: None,
        reply_to: None,
        quotes: Vec::new(),
        key: None,
    }
}

pub async fn post(store: &dyn Store, message: NewMessage) -> room_protocol::Message {
    match store
        .append_messages(vec![message])
        .await
        .unwrap()
        .remove(0)
    {
        Appended::New(message) => message,
        Appended::Resent(message) => panic!("resent: {message:?}"),
    }
}

/// A run to be opened in demo, under its id as name.
pub fn newcomer(run: &str, floor: u64) -> NewRun {
    let mut credential_hash = [0; 32];
    for (place, byte) in credential_hash.iter_mut().zip(run.bytes()) {
        *place = byte;
    }
    NewRun {
        id: run_id(run),
        room: room("demo"),
        name: run.parse().unwrap(),
        cli: "claude".to_owned(),
        credential_hash,
        git: GitPolicy::Off,
        history: true,
        opened_at: at(floor),
        floor,
    }
}

pub async fn demo(store: &dyn Store) {
    store.create_room(&room("demo"), at(0)).await.unwrap();
}

pub async fn open(store: &dyn Store, run: &str, floor: u64) {
    store.open_run(newcomer(run, floor)).await.unwrap();
}

pub async fn end(store: &dyn Store, run: &str, ms: u64) {
    let end = RunEnd {
        run: run_id(run),
        at: at(ms),
        exit_code: Some(0),
    };
    store.end_run(end).await.unwrap();
}

/// Everything that waits, as session `s` sees it.
pub async fn inbox(store: &dyn Store, run: &str) -> Inbox {
    let query = InboxQuery {
        run: run_id(run),
        session: Some("s".to_owned()),
        limit: usize::MAX,
        bytes: usize::MAX,
        newest: false,
    };
    store.inbox(query).await.unwrap()
}

/// The numbers that wait, in the order in which they are to be shown.
pub async fn numbers(store: &dyn Store, run: &str) -> Vec<u64> {
    let inbox = inbox(store, run).await;
    assert_eq!(inbox.waiting, store.waiting(&run_id(run)).await.unwrap());
    inbox.entries.iter().map(|e| e.message.number).collect()
}

pub fn proof(kind: ProofKind, mark: &str) -> Proof {
    Proof {
        kind,
        mark: mark.to_owned(),
    }
}

/// Whole messages, relayed in session `s` with a batch of tools `t1`.
pub fn shown(run: &str, numbers: &[u64]) -> Acknowledgement {
    let item = |number: &u64| AckItem {
        id: id(*number),
        offset: None,
    };
    Acknowledgement {
        run: run_id(run),
        how: How::Relayed,
        at: at(1_000),
        session: Some("s".to_owned()),
        printed: Some(proof(ProofKind::Batch, "t1")),
        confirmed: false,
        items: numbers.iter().map(item).collect(),
        introduced: false,
    }
}

/// All messages of a room.
pub fn all(name: &RoomName) -> MessageQuery {
    MessageQuery {
        room: name.clone(),
        before: None,
        after: None,
        limit: usize::MAX,
    }
}

/// Awaits all at the same time; answers in their order.
pub async fn together<F: Future>(calls: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut calls: Vec<_> = calls.into_iter().map(|c| (Box::pin(c), None)).collect();
    std::future::poll_fn(|cx| {
        let mut waits = false;
        for (call, answer) in &mut calls {
            if answer.is_none() {
                match call.as_mut().poll(cx) {
                    std::task::Poll::Ready(done) => *answer = Some(done),
                    std::task::Poll::Pending => waits = true,
                }
            }
        }
        if waits {
            std::task::Poll::Pending
        } else {
            std::task::Poll::Ready(())
        }
    })
    .await;
    calls
        .into_iter()
        .map(|(_, answer)| answer.unwrap())
        .collect()
}

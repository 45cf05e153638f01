//! Calls that share a transaction.

use std::collections::BTreeSet;

use room_store::{Error, SqliteStore, Store};

use crate::kit::*;

#[test]
fn one_that_is_refused_undoes_only_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("room.db");
    block_on(async {
        let store = SqliteStore::open(&path).unwrap();
        demo(&store).await;
        // Every third call writes a message and then meets the number of one that is there.
        post(&store, words(1)).await;
        let calls = (2..=301).map(|number| {
            let clash = (number % 3 == 0).then(|| words(1));
            store.append_messages([words(number)].into_iter().chain(clash).collect())
        });
        let answers = together(calls).await;
        for (number, answer) in (2..=301_u64).zip(answers) {
            match answer {
                Ok(_) => assert_ne!(number % 3, 0),
                Err(Error::Conflict(_)) => assert_eq!(number % 3, 0),
                Err(error) => panic!("{error:?}"),
            }
        }
        let expected: Vec<u64> = (1..=301).filter(|n| n % 3 != 0).collect();
        let page = store.messages(all(&room("demo"))).await.unwrap();
        let written: Vec<u64> = page.messages.iter().map(|m| m.number).collect();
        assert_eq!(written, expected);
        // One event for each, and no cursor twice or left out.
        let events = store.events(0, None, usize::MAX).await.unwrap();
        let cursors: Vec<u64> = events.iter().map(|e| e.cursor).collect();
        assert_eq!(cursors, (1..=expected.len() as u64).collect::<Vec<_>>());
        assert_eq!(*store.watch_events().borrow(), expected.len() as u64);
    });
}

#[test]
fn one_message_and_eight_that_acknowledge_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&dir.path().join("room.db")).unwrap();
    block_on(async {
        demo(&store).await;
        open(&store, "r1", 0).await;
        for number in 1..=50 {
            post(&store, words(number)).await;
            let calls = (0..8).map(|_| store.acknowledge(shown("r1", &[number])));
            for answer in together(calls).await {
                assert_eq!(answer.unwrap().settled, [id(number)]);
            }
            let message = store.message(&room("demo"), number).await.unwrap();
            assert_eq!(message.deliveries.len(), 1);
        }
        let events = store.events(0, None, usize::MAX).await.unwrap();
        let taken = events
            .iter()
            .filter(|e| e.kind == room_protocol::EventKind::Taken);
        assert_eq!(taken.count(), 50);
    });
}

#[test]
fn readers_see_whole_calls_only() {
    let dir = tempfile::tempdir().unwrap();
    let store = std::sync::Arc::new(SqliteStore::open(&dir.path().join("room.db")).unwrap());
    block_on(async {
        demo(&*store).await;
        open(&*store, "r1", 0).await;
        let writer = std::sync::Arc::clone(&store);
        let writes = tokio::spawn(async move {
            for number in (1..=200).step_by(2) {
                writer
                    .append_messages(vec![words(number), words(number + 1)])
                    .await
                    .unwrap();
            }
        });
        let mut seen = BTreeSet::new();
        while !writes.is_finished() {
            let inbox = inbox(&*store, "r1").await;
            assert_eq!(inbox.waiting % 2, 0);
            assert_eq!(inbox.entries.len() as u64, inbox.waiting);
            seen.insert(inbox.waiting);
        }
        writes.await.unwrap();
        assert!(seen.len() > 1, "nothing was read while it was written");
    });
}

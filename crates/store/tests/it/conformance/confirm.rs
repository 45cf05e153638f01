use room_protocol::ProofKind::{Batch, Prompt, Stop};
use room_protocol::{EventKind, How, Status};
use room_store::{AckItem, Acknowledgement, Error, Store};

use crate::kit::*;

on_every_store!(
    what_the_event_proves_is_confirmed_once,
    only_its_session_and_its_run_are_confirmed,
    what_was_printed_at_no_known_moment_stays_unproven,
    what_was_returned_is_not_confirmed,
    what_the_reader_itself_acknowledges_needs_no_proof,
    a_late_word_of_the_reader_is_taken_all_the_same,
    an_unknown_run_is_not_found,
);

async fn confirmed(store: &dyn Store, number: u64) -> Vec<bool> {
    let message = store.message(&room("demo"), number).await.unwrap();
    message.deliveries.iter().map(|d| d.confirmed).collect()
}

async fn two_taken(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    post(store, words(1)).await;
    post(store, words(2)).await;
}

async fn what_the_event_proves_is_confirmed_once(store: &dyn Store) {
    two_taken(store).await;
    let run = run_id("r1");
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    let later = Acknowledgement {
        printed: Some(proof(Batch, "t2")),
        ..shown("r1", &[2])
    };
    store.acknowledge(later).await.unwrap();
    let confirm = async |kind, mark, ms| {
        store
            .confirm(&run, "s", &proof(kind, mark), at(ms))
            .await
            .unwrap()
    };
    assert_eq!(confirm(Prompt, "p", 1).await, 0);
    assert_eq!(confirm(Batch, "t2", 2).await, 1);
    assert_eq!(
        (confirmed(store, 1).await, confirmed(store, 2).await),
        (vec![true], vec![false])
    );
    assert_eq!(confirm(Stop, "a", 3).await, 1);
    assert_eq!(confirm(Stop, "b", 4).await, 0);
    assert_eq!(
        (confirmed(store, 1).await, confirmed(store, 2).await),
        (vec![true], vec![true])
    );
}

async fn only_its_session_and_its_run_are_confirmed(store: &dyn Store) {
    two_taken(store).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    store.acknowledge(shown("r2", &[1])).await.unwrap();
    let other = Acknowledgement {
        session: Some("other".to_owned()),
        ..shown("r1", &[2])
    };
    store.acknowledge(other).await.unwrap();
    let stop = proof(Stop, "a");
    assert_eq!(
        store
            .confirm(&run_id("r1"), "s", &stop, at(1))
            .await
            .unwrap(),
        1
    );
    assert_eq!(confirmed(store, 1).await, [true, false]);
    assert_eq!(confirmed(store, 2).await, [false]);
}

async fn what_was_printed_at_no_known_moment_stays_unproven(store: &dyn Store) {
    two_taken(store).await;
    store
        .acknowledge(Acknowledgement {
            printed: None,
            ..shown("r1", &[1])
        })
        .await
        .unwrap();
    store
        .acknowledge(Acknowledgement {
            session: None,
            ..shown("r1", &[2])
        })
        .await
        .unwrap();
    let stop = proof(Stop, "a");
    assert_eq!(
        store
            .confirm(&run_id("r1"), "s", &stop, at(1))
            .await
            .unwrap(),
        0
    );
}

async fn what_was_returned_is_not_confirmed(store: &dyn Store) {
    two_taken(store).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    end(store, "r1", 5).await;
    let stop = proof(Stop, "a");
    assert_eq!(
        store
            .confirm(&run_id("r1"), "s", &stop, at(6))
            .await
            .unwrap(),
        0
    );
    assert_eq!(confirmed(store, 1).await, [false]);
}

/// Acknowledged by whoever read it.
fn read(number: u64, offset: Option<u64>) -> Acknowledgement {
    Acknowledgement {
        how: How::Read,
        session: None,
        printed: None,
        confirmed: true,
        items: vec![AckItem {
            id: id(number),
            offset,
        }],
        ..shown("r1", &[])
    }
}

async fn kinds_after(store: &dyn Store, cursor: u64) -> Vec<(EventKind, Option<u64>)> {
    let events = store.events(cursor, None, 99).await.unwrap();
    events
        .iter()
        .map(|e| (e.kind, e.message.as_ref().map(|h| h.number)))
        .collect()
}

async fn what_the_reader_itself_acknowledges_needs_no_proof(store: &dyn Store) {
    two_taken(store).await;
    store.acknowledge(shown("r1", &[2])).await.unwrap();
    let cursor = store.last_cursor().await.unwrap();
    store.acknowledge(read(1, Some(3))).await.unwrap();
    assert_eq!(
        confirmed(store, 1).await,
        [false; 0],
        "a piece is not all of it"
    );
    store.acknowledge(read(1, None)).await.unwrap();
    store.acknowledge(read(2, None)).await.unwrap();
    assert_eq!(confirmed(store, 1).await, [true]);
    assert_eq!(
        confirmed(store, 2).await,
        [false],
        "what was shown before waits for its own proof"
    );
    assert_eq!(
        kinds_after(store, cursor).await,
        [(EventKind::Taken, Some(1)), (EventKind::Confirmed, Some(1))]
    );
    end(store, "r2", 4).await;
    end(store, "r1", 5).await;
    open(store, "r3", 2).await;
    assert_eq!(numbers(store, "r3").await, [2], "only that comes again");
}

async fn a_late_word_of_the_reader_is_taken_all_the_same(store: &dyn Store) {
    two_taken(store).await;
    end(store, "r2", 4).await;
    end(store, "r1", 5).await;
    let cursor = store.last_cursor().await.unwrap();
    store.acknowledge(read(1, None)).await.unwrap();
    let message = store.message(&room("demo"), 1).await.unwrap();
    assert_eq!(message.status, Status::Taken);
    assert_eq!(message.deliveries[0].returned_at, None);
    assert_eq!(
        kinds_after(store, cursor).await,
        [(EventKind::Taken, Some(1)), (EventKind::Confirmed, Some(1))]
    );
    open(store, "r3", 2).await;
    assert_eq!(numbers(store, "r3").await, [2]);
}

async fn an_unknown_run_is_not_found(store: &dyn Store) {
    demo(store).await;
    let stop = proof(Stop, "a");
    let error = store
        .confirm(&run_id("nobody"), "s", &stop, at(1))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
}

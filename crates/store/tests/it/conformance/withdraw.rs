use room_protocol::Status;
use room_store::{Error, Store, Withdrawn};

use crate::kit::*;

on_every_store!(
    a_message_is_taken_back_from_every_inbox,
    what_a_run_took_stays,
    what_was_returned_can_be_taken_back,
    what_was_taken_back_and_shown_does_not_come_back,
    taking_back_again_changes_nothing,
    what_is_not_there_is_not_found,
);

async fn withdraw(store: &dyn Store, number: u64) -> Withdrawn {
    store.withdraw(&room("demo"), number, at(9)).await.unwrap()
}

async fn a_message_is_taken_back_from_every_inbox(store: &dyn Store) {
    demo(store).await;
    post(store, words(1)).await;
    open(store, "r1", 1).await;
    post(store, words(2)).await;
    open(store, "r2", 2).await;
    for number in [1, 2] {
        let Withdrawn::Done(message) = withdraw(store, number).await else {
            panic!("taken");
        };
        assert_eq!(message.status, Status::Withdrawn);
        assert_eq!(store.message(&room("demo"), number).await.unwrap(), message);
    }
    assert_eq!(numbers(store, "r1").await, [0; 0]);
    assert_eq!(numbers(store, "r2").await, [0; 0]);
    // Canonical history keeps its place.
    assert_eq!(store.messages(all(&room("demo"))).await.unwrap().total, 2);
}

async fn what_a_run_took_stays(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    let sent = post(store, words(1)).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    let cursor = store.last_cursor().await.unwrap();
    let Withdrawn::Taken(message) = withdraw(store, 1).await else {
        panic!("withdrawn");
    };
    assert_eq!((message.id, message.status), (sent.id, Status::Taken));
    assert_eq!(numbers(store, "r2").await, [1]);
    assert_eq!(store.last_cursor().await.unwrap(), cursor);
}

async fn what_was_returned_can_be_taken_back(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    end(store, "r1", 5).await;
    assert!(matches!(withdraw(store, 1).await, Withdrawn::Done(_)));
    open(store, "r2", 1).await;
    assert_eq!(numbers(store, "r2").await, [0; 0]);
}

async fn what_was_taken_back_and_shown_does_not_come_back(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    withdraw(store, 1).await;
    // It was being shown at that moment, and then the run was cut off.
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    end(store, "r1", 5).await;
    open(store, "r2", 1).await;
    assert_eq!(numbers(store, "r2").await, [0; 0]);
    let message = store.message(&room("demo"), 1).await.unwrap();
    assert_eq!(message.status, Status::Withdrawn);
}

async fn taking_back_again_changes_nothing(store: &dyn Store) {
    demo(store).await;
    post(store, words(1)).await;
    let first = withdraw(store, 1).await;
    let cursor = store.last_cursor().await.unwrap();
    assert_eq!(withdraw(store, 1).await, first);
    assert_eq!(store.last_cursor().await.unwrap(), cursor);
}

async fn what_is_not_there_is_not_found(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    post(store, words(1)).await;
    for (name, number) in [("demo", 2), ("api", 1), ("none", 1)] {
        let error = store
            .withdraw(&room(name), number, at(9))
            .await
            .unwrap_err();
        assert!(
            matches!(error, Error::NotFound(_)),
            "{name}/{number}: {error:?}"
        );
    }
    assert_eq!(
        store.message(&room("demo"), 1).await.unwrap().status,
        Status::Attached
    );
}

use room_protocol::{EventKind, ProofKind, Status};
use room_store::{Error, Inbox, NewMessage, RunEnd, Store};

use crate::kit::*;

on_every_store!(
    what_is_unconfirmed_returns,
    what_is_confirmed_stays_taken,
    what_another_run_holds_stays_taken,
    mail_for_it_alone_has_failed,
    an_ended_run_has_no_inbox_no_name_and_no_credential,
    ending_again_changes_nothing,
    an_unknown_run_is_not_found,
);

async fn status(store: &dyn Store, number: u64) -> Status {
    store.message(&room("demo"), number).await.unwrap().status
}

async fn what_is_unconfirmed_returns(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    end(store, "r1", 5).await;
    let message = store.message(&room("demo"), 1).await.unwrap();
    assert_eq!(message.status, Status::Attached);
    assert_eq!(message.deliveries[0].returned_at, Some(at(5)));
    assert!(!message.deliveries[0].confirmed);
}

async fn what_is_confirmed_stays_taken(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    let stop = proof(ProofKind::Stop, "a");
    store
        .confirm(&run_id("r1"), "s", &stop, at(2))
        .await
        .unwrap();
    end(store, "r1", 5).await;
    assert_eq!(status(store, 1).await, Status::Taken);
    open(store, "r2", 1).await;
    assert_eq!(numbers(store, "r2").await, [0; 0]);
}

async fn what_another_run_holds_stays_taken(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    post(store, words(1)).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    store.acknowledge(shown("r2", &[1])).await.unwrap();
    end(store, "r1", 5).await;
    assert_eq!(status(store, 1).await, Status::Taken);
    open(store, "r3", 1).await;
    assert_eq!(numbers(store, "r3").await, [0; 0]);
    end(store, "r2", 6).await;
    open(store, "r4", 1).await;
    assert_eq!(numbers(store, "r4").await, [1]);
}

async fn mail_for_it_alone_has_failed(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    for number in 1..=4 {
        post(
            store,
            NewMessage {
                to: Some(run_id("r1")),
                ..words(number)
            },
        )
        .await;
    }
    store.withdraw(&room("demo"), 2, at(1)).await.unwrap();
    store.acknowledge(shown("r1", &[3])).await.unwrap();
    let stop = proof(ProofKind::Stop, "a");
    store
        .confirm(&run_id("r1"), "s", &stop, at(2))
        .await
        .unwrap();
    store.acknowledge(shown("r1", &[4])).await.unwrap();
    let cursor = store.last_cursor().await.unwrap();
    end(store, "r1", 5).await;
    assert_eq!(status(store, 1).await, Status::Failed);
    assert_eq!(status(store, 2).await, Status::Withdrawn);
    assert_eq!(status(store, 3).await, Status::Taken);
    assert_eq!(status(store, 4).await, Status::Failed);
    let events = store.events(cursor, None, 99).await.unwrap();
    let told: Vec<_> = events
        .iter()
        .map(|e| (e.kind, e.message.as_ref().map(|h| h.number)))
        .collect();
    let expected = [
        (EventKind::Returned, Some(4)),
        (EventKind::Failed, Some(1)),
        (EventKind::Failed, Some(4)),
        (EventKind::RunEnded, None),
    ];
    assert_eq!(told, expected);
    // Nobody else gets it.
    open(store, "r2", 4).await;
    assert_eq!(numbers(store, "r2").await, [0; 0]);
}

async fn an_ended_run_has_no_inbox_no_name_and_no_credential(store: &dyn Store) {
    demo(store).await;
    post(store, words(1)).await;
    open(store, "r1", 1).await;
    post(store, words(2)).await;
    end(store, "r1", 5).await;
    assert_eq!(inbox(store, "r1").await, Inbox::default());
    assert_eq!(store.waiting(&run_id("r1")).await.unwrap(), 0);
    let hash = newcomer("r1", 0).credential_hash;
    assert_eq!(store.run_by_credential(&hash).await.unwrap(), None);
    assert!(
        !store
            .name_in_use(&room("demo"), &"r1".parse().unwrap())
            .await
            .unwrap()
    );
}

async fn ending_again_changes_nothing(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    let first = RunEnd {
        run: run_id("r1"),
        at: at(5),
        exit_code: Some(3),
    };
    let record = store.end_run(first).await.unwrap();
    assert_eq!((record.ended_at, record.exit_code), (Some(at(5)), Some(3)));
    let cursor = store.last_cursor().await.unwrap();
    let second = RunEnd {
        run: run_id("r1"),
        at: at(9),
        exit_code: None,
    };
    assert_eq!(store.end_run(second).await.unwrap(), record);
    assert_eq!(store.last_cursor().await.unwrap(), cursor);
    assert_eq!(store.run(&run_id("r1")).await.unwrap(), record);
}

async fn an_unknown_run_is_not_found(store: &dyn Store) {
    demo(store).await;
    let nobody = RunEnd {
        run: run_id("nobody"),
        at: at(5),
        exit_code: None,
    };
    let error = store.end_run(nobody).await.unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
}

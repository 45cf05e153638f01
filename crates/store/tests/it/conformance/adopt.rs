use room_protocol::{Delivery, How, ProofKind, Status};
use room_store::{Acknowledgement, Error, NewMessage, Store};

use crate::kit::*;

on_every_store!(
    what_was_returned_from_the_session_is_taken_again,
    only_that_session_and_that_room,
    an_adopted_delivery_is_confirmed_or_returns_like_any,
    nothing_is_adopted_twice,
    what_was_shown_before_there_was_a_session_counts_as_shown_in_the_first,
    an_ended_run_adopts_nothing,
    an_unknown_run_is_not_found,
);

/// r1 was shown 1 and 2 (2 meant for it alone) in session `s` and 3 in another, and was cut off.
async fn cut_off(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    post(
        store,
        NewMessage {
            to: Some(run_id("r1")),
            ..words(2)
        },
    )
    .await;
    post(store, words(3)).await;
    store.acknowledge(shown("r1", &[1, 2])).await.unwrap();
    let other = Acknowledgement {
        session: Some("other".to_owned()),
        ..shown("r1", &[3])
    };
    store.acknowledge(other).await.unwrap();
    end(store, "r1", 5).await;
}

async fn adopt(store: &dyn Store, run: &str) -> u64 {
    store
        .adopt_session(&run_id(run), "s", at(2_000))
        .await
        .unwrap()
}

async fn what_was_returned_from_the_session_is_taken_again(store: &dyn Store) {
    cut_off(store).await;
    open(store, "r2", 3).await;
    assert_eq!(numbers(store, "r2").await, [1, 3]);
    assert_eq!(adopt(store, "r2").await, 2);
    assert_eq!(numbers(store, "r2").await, [3]);
    let message = store.message(&room("demo"), 1).await.unwrap();
    assert_eq!(message.status, Status::Taken);
    let adopted = Delivery {
        run: run_id("r2"),
        how: How::Opened,
        at: at(2_000),
        confirmed: false,
        session: Some("s".to_owned()),
        returned_at: None,
    };
    assert_eq!(message.deliveries[1], adopted);
    assert_eq!(
        store.message(&room("demo"), 2).await.unwrap().status,
        Status::Taken
    );
}

async fn only_that_session_and_that_room(store: &dyn Store) {
    cut_off(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    let mut elsewhere = newcomer("r2", 3);
    elsewhere.room = room("api");
    store.open_run(elsewhere).await.unwrap();
    assert_eq!(adopt(store, "r2").await, 0);
    open(store, "r3", 3).await;
    let none = store
        .adopt_session(&run_id("r3"), "third", at(9))
        .await
        .unwrap();
    assert_eq!(none, 0);
    assert_eq!(numbers(store, "r3").await, [1, 3]);
}

async fn an_adopted_delivery_is_confirmed_or_returns_like_any(store: &dyn Store) {
    cut_off(store).await;
    open(store, "r2", 3).await;
    adopt(store, "r2").await;
    end(store, "r2", 6).await;
    assert_eq!(
        store.message(&room("demo"), 1).await.unwrap().status,
        Status::Attached
    );
    open(store, "r3", 3).await;
    assert_eq!(adopt(store, "r3").await, 2);
    let batch = proof(ProofKind::Batch, "t1");
    assert_eq!(
        store
            .confirm(&run_id("r3"), "s", &batch, at(9))
            .await
            .unwrap(),
        2
    );
    end(store, "r3", 9).await;
    assert_eq!(
        store.message(&room("demo"), 1).await.unwrap().status,
        Status::Taken
    );
}

async fn nothing_is_adopted_twice(store: &dyn Store) {
    cut_off(store).await;
    store.withdraw(&room("demo"), 1, at(6)).await.unwrap();
    open(store, "r2", 3).await;
    assert_eq!(adopt(store, "r2").await, 1);
    let cursor = store.last_cursor().await.unwrap();
    assert_eq!(adopt(store, "r2").await, 0);
    assert_eq!(store.last_cursor().await.unwrap(), cursor);
}

async fn what_was_shown_before_there_was_a_session_counts_as_shown_in_the_first(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    post(store, words(1)).await;
    for run in ["r1", "r2"] {
        let composed = Acknowledgement {
            session: None,
            ..shown(run, &[1])
        };
        store.acknowledge(composed).await.unwrap();
    }
    assert_eq!(adopt(store, "r1").await, 0, "nothing is taken again");
    let r1 = run_id("r1");
    let later = store.adopt_session(&r1, "later", at(3_000));
    assert_eq!(later.await.unwrap(), 0);
    let deliveries = store.message(&room("demo"), 1).await.unwrap().deliveries;
    let sessions: Vec<_> = deliveries.iter().map(|d| d.session.as_deref()).collect();
    assert_eq!(sessions, [Some("s"), None]);
    let stop = proof(ProofKind::Stop, "a");
    let confirmed = store.confirm(&r1, "s", &stop, at(4_000));
    assert_eq!(confirmed.await.unwrap(), 1);
}

async fn an_ended_run_adopts_nothing(store: &dyn Store) {
    cut_off(store).await;
    open(store, "r2", 3).await;
    end(store, "r2", 6).await;
    assert_eq!(adopt(store, "r2").await, 0);
    assert_eq!(
        store.message(&room("demo"), 1).await.unwrap().status,
        Status::Attached
    );
}

async fn an_unknown_run_is_not_found(store: &dyn Store) {
    demo(store).await;
    let error = store
        .adopt_session(&run_id("nobody"), "s", at(1))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
}

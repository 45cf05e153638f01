use room_store::{NewMessage, Store};

use crate::kit::*;

on_every_store!(
    what_nobody_took_is_attached,
    what_was_returned_is_attached_again,
    what_was_withdrawn_or_meant_for_one_is_not_attached,
    what_is_written_late_is_attached_while_the_run_lives,
    a_late_message_reaches_a_run_whose_floor_has_passed_it,
    accepted_after_the_opening_waits_though_another_took_it,
);

async fn what_nobody_took_is_attached(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    post(store, words(1)).await;
    post(store, words(2)).await;
    post(
        store,
        NewMessage {
            room: room("api"),
            ..words(3)
        },
    )
    .await;
    open(store, "r1", 3).await;
    assert_eq!(numbers(store, "r1").await, [1, 2]);
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    open(store, "r2", 3).await;
    assert_eq!(numbers(store, "r2").await, [2]);
}

async fn what_was_returned_is_attached_again(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    post(store, words(2)).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    end(store, "r1", 5).await;
    open(store, "r2", 2).await;
    let waits = inbox(store, "r2").await;
    let again: Vec<_> = waits
        .entries
        .iter()
        .map(|e| (e.message.number, e.again))
        .collect();
    assert_eq!(again, [(1, true), (2, false)]);
}

async fn what_was_withdrawn_or_meant_for_one_is_not_attached(store: &dyn Store) {
    demo(store).await;
    for number in 1..=3 {
        post(store, words(number)).await;
    }
    post(
        store,
        NewMessage {
            to: Some(run_id("r1")),
            ..words(4)
        },
    )
    .await;
    post(
        store,
        NewMessage {
            author: agent("r1"),
            ..words(5)
        },
    )
    .await;
    store.withdraw(&room("demo"), 2, at(9)).await.unwrap();
    open(store, "r1", 5).await;
    assert_eq!(numbers(store, "r1").await, [1, 3]);
    open(store, "r2", 5).await;
    assert_eq!(numbers(store, "r2").await, [1, 3, 5]);
}

async fn what_is_written_late_is_attached_while_the_run_lives(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 9).await;
    open(store, "r2", 9).await;
    end(store, "r2", 9).await;
    post(store, words(12)).await;
    post(store, words(5)).await;
    post(store, words(3)).await;
    post(
        store,
        NewMessage {
            to: Some(run_id("r1")),
            ..words(6)
        },
    )
    .await;
    post(
        store,
        NewMessage {
            to: Some(run_id("r2")),
            ..words(7)
        },
    )
    .await;
    post(
        store,
        NewMessage {
            author: agent("r1"),
            ..words(8)
        },
    )
    .await;
    assert_eq!(numbers(store, "r1").await, [3, 5, 6, 12]);
    assert_eq!(numbers(store, "r2").await, [0; 0]);
    // Written after the end of r2, it was never in its inbox.
    let acked = store.acknowledge(shown("r2", &[5, 7, 12])).await.unwrap();
    assert_eq!(acked.refused, [id(5), id(7), id(12)]);
}

async fn a_late_message_reaches_a_run_whose_floor_has_passed_it(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    for number in [1, 3, 5] {
        post(store, words(number)).await;
    }
    store.acknowledge(shown("r1", &[1, 3, 5])).await.unwrap();
    post(store, words(4)).await;
    post(store, words(2)).await;
    assert_eq!(numbers(store, "r1").await, [2, 4]);
    store.acknowledge(shown("r1", &[4])).await.unwrap();
    assert_eq!(numbers(store, "r1").await, [2]);
}

async fn accepted_after_the_opening_waits_though_another_took_it(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    // Its opener asked for the floor before 1 was accepted.
    open(store, "r2", 0).await;
    assert_eq!(numbers(store, "r2").await, [1]);
}

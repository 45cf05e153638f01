use room_protocol::{Delivery, How, Status};
use room_store::{Acked, Acknowledgement, Error, NewMessage, Store};

use crate::kit::*;

on_every_store!(
    a_delivery_keeps_how_when_and_where,
    acknowledging_again_changes_nothing,
    every_id_stands_in_one_list,
    a_refused_id_holds_nothing_else_up,
    it_is_valid_after_a_withdrawal,
    it_is_valid_for_what_lies_far_below_what_was_taken_since,
    it_is_valid_after_the_runs_end,
    what_was_withdrawn_before_the_opening_was_never_there,
    an_introduction_is_kept_with_its_session,
    nothing_shown_is_nothing_done,
    an_unknown_run_is_not_found,
);

async fn a_delivery_keeps_how_when_and_where(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    post(store, words(1)).await;
    let second = Acknowledgement {
        at: at(2_000),
        ..shown("r1", &[1])
    };
    let first = Acknowledgement {
        how: How::Gated,
        session: None,
        ..shown("r2", &[1])
    };
    store.acknowledge(second).await.unwrap();
    store.acknowledge(first).await.unwrap();
    let message = store.message(&room("demo"), 1).await.unwrap();
    assert_eq!(message.status, Status::Taken);
    let delivery = |run, how, ms, session: Option<&str>| Delivery {
        run: run_id(run),
        how,
        at: at(ms),
        confirmed: false,
        session: session.map(str::to_owned),
        returned_at: None,
    };
    let in_order_of_time = [
        delivery("r2", How::Gated, 1_000, None),
        delivery("r1", How::Relayed, 2_000, Some("s")),
    ];
    assert_eq!(message.deliveries, in_order_of_time);
}

async fn acknowledging_again_changes_nothing(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    let first = store.acknowledge(shown("r1", &[1])).await.unwrap();
    let (message, cursor) = (
        store.message(&room("demo"), 1).await,
        store.last_cursor().await,
    );
    let mut later = shown("r1", &[1]);
    (later.at, later.how) = (at(9_000), How::Read);
    assert_eq!(store.acknowledge(later.clone()).await.unwrap(), first);
    later.items[0].offset = Some(2);
    assert_eq!(store.acknowledge(later).await.unwrap(), first);
    assert_eq!(
        store.message(&room("demo"), 1).await.unwrap(),
        message.unwrap()
    );
    assert_eq!(store.last_cursor().await.unwrap(), cursor.unwrap());
}

async fn every_id_stands_in_one_list(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    for number in 1..=3 {
        post(store, words(number)).await;
    }
    post(
        store,
        NewMessage {
            author: agent("r1"),
            ..words(4)
        },
    )
    .await;
    let mut ack = shown("r1", &[3, 99, 1, 4, 2, 1, 99]);
    ack.items[2].offset = Some(3);
    ack.items[4].offset = Some(3);
    let acked = store.acknowledge(ack).await.unwrap();
    let expected = Acked {
        settled: vec![id(3), id(1)],
        partial: vec![id(2)],
        unknown: vec![id(99)],
        refused: vec![id(4)],
    };
    assert_eq!(acked, expected);
}

async fn a_refused_id_holds_nothing_else_up(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    post(store, words(1)).await;
    open(store, "r1", 1).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    open(store, "r2", 1).await;
    post(
        store,
        NewMessage {
            room: room("api"),
            ..words(2)
        },
    )
    .await;
    post(
        store,
        NewMessage {
            to: Some(run_id("r1")),
            ..words(3)
        },
    )
    .await;
    post(
        store,
        NewMessage {
            author: agent("r2"),
            ..words(4)
        },
    )
    .await;
    post(store, words(5)).await;
    let acked = store
        .acknowledge(shown("r2", &[1, 2, 3, 4, 5]))
        .await
        .unwrap();
    assert_eq!(acked.settled, [id(5)]);
    assert_eq!(acked.refused, [id(1), id(2), id(3), id(4)]);
    for number in [3, 4] {
        let message = store.message(&room("demo"), number).await.unwrap();
        assert_eq!(message.deliveries, []);
    }
}

async fn it_is_valid_after_a_withdrawal(store: &dyn Store) {
    demo(store).await;
    post(store, words(1)).await;
    post(store, words(2)).await;
    open(store, "r1", 2).await;
    post(store, words(3)).await;
    for number in 1..=3 {
        store.withdraw(&room("demo"), number, at(9)).await.unwrap();
    }
    let mut ack = shown("r1", &[1, 2, 3]);
    ack.items[1].offset = Some(2);
    let acked = store.acknowledge(ack).await.unwrap();
    assert_eq!(acked.settled, [id(1), id(2), id(3)]);
    // Shown whole, and that is told; but its sender's word stands.
    let message = store.message(&room("demo"), 1).await.unwrap();
    assert_eq!(
        (message.status, message.deliveries.len()),
        (Status::Withdrawn, 1)
    );
    // Not shown whole.
    let message = store.message(&room("demo"), 2).await.unwrap();
    assert_eq!(message.deliveries, []);
}

async fn it_is_valid_for_what_lies_far_below_what_was_taken_since(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    for number in 1..=3 {
        post(store, words(number)).await;
    }
    store.withdraw(&room("demo"), 1, at(9)).await.unwrap();
    store.acknowledge(shown("r1", &[2, 3])).await.unwrap();
    assert_eq!(numbers(store, "r1").await, [0; 0]);
    let acked = store.acknowledge(shown("r1", &[1])).await.unwrap();
    assert_eq!(acked.settled, [id(1)]);
}

async fn it_is_valid_after_the_runs_end(store: &dyn Store) {
    demo(store).await;
    post(store, words(1)).await;
    open(store, "r1", 1).await;
    post(store, words(2)).await;
    post(
        store,
        NewMessage {
            to: Some(run_id("r1")),
            ..words(3)
        },
    )
    .await;
    end(store, "r1", 5).await;
    let mut ack = shown("r1", &[1, 2, 3]);
    ack.items[1].offset = Some(2);
    let acked = store.acknowledge(ack).await.unwrap();
    assert_eq!(acked.settled, [id(1), id(2), id(3)]);
    // Nothing can confirm it any more: back in the queue, as if it had come before the end.
    let message = store.message(&room("demo"), 1).await.unwrap();
    assert_eq!(message.status, Status::Attached);
    assert_eq!(message.deliveries[0].returned_at, Some(at(1_000)));
    assert_eq!(
        store.message(&room("demo"), 3).await.unwrap().status,
        Status::Failed
    );
    open(store, "r2", 3).await;
    let waits = inbox(store, "r2").await;
    let again: Vec<_> = waits
        .entries
        .iter()
        .map(|e| (e.message.number, e.again))
        .collect();
    assert_eq!(again, [(1, true), (2, false)]);
}

async fn what_was_withdrawn_before_the_opening_was_never_there(store: &dyn Store) {
    demo(store).await;
    post(store, words(1)).await;
    post(store, words(2)).await;
    for number in [1, 2] {
        store.withdraw(&room("demo"), number, at(3)).await.unwrap();
    }
    open(store, "r1", 1).await;
    let acked = store.acknowledge(shown("r1", &[1, 2])).await.unwrap();
    assert_eq!(acked.refused, [id(1), id(2)]);
}

async fn an_introduction_is_kept_with_its_session(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    let introduced = async || store.run(&run_id("r1")).await.unwrap().introduced;
    store.acknowledge(shown("r1", &[])).await.unwrap();
    assert_eq!(introduced().await, None);
    store
        .acknowledge(Acknowledgement {
            introduced: true,
            ..shown("r1", &[])
        })
        .await
        .unwrap();
    assert_eq!(introduced().await.as_deref(), Some("s"));
    let elsewhere = Acknowledgement {
        introduced: true,
        session: None,
        ..shown("r1", &[])
    };
    store.acknowledge(elsewhere).await.unwrap();
    assert_eq!(introduced().await.as_deref(), Some("s"));
}

async fn nothing_shown_is_nothing_done(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    let cursor = store.last_cursor().await.unwrap();
    assert_eq!(
        store.acknowledge(shown("r1", &[])).await.unwrap(),
        Acked::default()
    );
    assert_eq!(store.last_cursor().await.unwrap(), cursor);
}

async fn an_unknown_run_is_not_found(store: &dyn Store) {
    demo(store).await;
    let error = store.acknowledge(shown("nobody", &[1])).await.unwrap_err();
    assert!(
        matches!(&error, Error::NotFound(text) if text.contains("nobody")),
        "{error:?}"
    );
}

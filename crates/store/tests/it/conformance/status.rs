use room_protocol::Status;
use room_store::{NewMessage, Store};

use crate::kit::*;

on_every_store!(
    queued_while_a_live_run_will_be_shown_it,
    attached_while_nobody_is_there,
    words_of_the_only_run_wait_for_the_next,
    mail_for_a_run_that_has_ended_has_failed,
);

async fn status(store: &dyn Store, number: u64) -> Status {
    let message = store.message(&room("demo"), number).await.unwrap();
    let page = store.messages(all(&room("demo"))).await.unwrap();
    assert!(page.messages.contains(&message));
    message.status
}

async fn queued_while_a_live_run_will_be_shown_it(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    post(store, words(1)).await;
    assert_eq!(status(store, 1).await, Status::Queued);
    end(store, "r1", 2).await;
    assert_eq!(status(store, 1).await, Status::Queued);
    store.acknowledge(shown("r2", &[1])).await.unwrap();
    assert_eq!(status(store, 1).await, Status::Taken);
}

async fn attached_while_nobody_is_there(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    let mut elsewhere = newcomer("r0", 0);
    elsewhere.room = room("api");
    store.open_run(elsewhere).await.unwrap();
    post(store, words(1)).await;
    assert_eq!(status(store, 1).await, Status::Attached);
    open(store, "r1", 1).await;
    assert_eq!(status(store, 1).await, Status::Queued);
    end(store, "r1", 2).await;
    assert_eq!(status(store, 1).await, Status::Attached);
}

async fn words_of_the_only_run_wait_for_the_next(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(
        store,
        NewMessage {
            author: agent("r1"),
            ..words(1)
        },
    )
    .await;
    assert_eq!(status(store, 1).await, Status::Attached);
    open(store, "r2", 1).await;
    assert_eq!(status(store, 1).await, Status::Queued);
}

async fn mail_for_a_run_that_has_ended_has_failed(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    post(
        store,
        NewMessage {
            to: Some(run_id("r1")),
            ..words(1)
        },
    )
    .await;
    assert_eq!(status(store, 1).await, Status::Queued);
    end(store, "r1", 2).await;
    assert_eq!(status(store, 1).await, Status::Failed);
    post(
        store,
        NewMessage {
            to: Some(run_id("r1")),
            ..words(2)
        },
    )
    .await;
    assert_eq!(status(store, 2).await, Status::Failed);
    post(
        store,
        NewMessage {
            to: Some(run_id("nobody")),
            ..words(3)
        },
    )
    .await;
    assert_eq!(status(store, 3).await, Status::Attached);
}

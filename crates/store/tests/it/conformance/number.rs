use std::collections::BTreeSet;

use room_store::{Error, Store};

use crate::kit::*;

on_every_store!(
    numbers_go_up_from_one,
    a_number_that_was_written_is_not_given_again,
    numbers_that_no_handle_can_name_are_refused,
    nobody_gets_another_ones_number,
);

async fn numbers_go_up_from_one(store: &dyn Store) {
    assert_eq!(store.last_reserved().await.unwrap(), 0);
    for number in 1..=3 {
        assert_eq!(store.reserve_number().await.unwrap(), number);
    }
    assert_eq!(store.last_reserved().await.unwrap(), 3);
}

async fn a_number_that_was_written_is_not_given_again(store: &dyn Store) {
    demo(store).await;
    post(store, words(41)).await;
    assert_eq!(store.last_reserved().await.unwrap(), 41);
    assert_eq!(store.reserve_number().await.unwrap(), 42);
    post(store, words(5)).await;
    assert_eq!(store.last_reserved().await.unwrap(), 42);
}

async fn numbers_that_no_handle_can_name_are_refused(store: &dyn Store) {
    demo(store).await;
    for number in [0, 1_000_000_000_000_000_000, u64::MAX] {
        let error = store
            .append_messages(vec![words(number)])
            .await
            .unwrap_err();
        assert!(
            matches!(error, Error::InvalidRequest(_)),
            "{number}: {error:?}"
        );
        let mut answer = words(1);
        answer.reply_to = Some(room_protocol::Handle {
            room: room("demo"),
            number,
        });
        let error = store.append_messages(vec![answer]).await.unwrap_err();
        assert!(
            matches!(error, Error::InvalidRequest(_)),
            "{number}: {error:?}"
        );
    }
    let error = store.open_run(newcomer("r1", u64::MAX)).await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
    post(store, words(999_999_999_999_999_999)).await;
    assert_eq!(store.messages(all(&room("demo"))).await.unwrap().total, 1);
}

async fn nobody_gets_another_ones_number(store: &dyn Store) {
    let mut given = BTreeSet::new();
    for _ in 0..20 {
        let (a, b) = tokio::join!(store.reserve_number(), store.reserve_number());
        assert!(given.insert(a.unwrap()) && given.insert(b.unwrap()));
    }
    assert_eq!(given.len(), 40);
}

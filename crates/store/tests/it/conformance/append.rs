use room_protocol::{Handle, Message, Status};
use room_store::{Appended, Error, Store};

use crate::kit::*;

on_every_store!(
    a_message_keeps_all_that_was_said,
    a_call_is_answered_in_its_order,
    a_call_that_fails_has_changed_nothing,
    numbers_and_ids_are_used_once,
    words_of_any_kind_come_back,
);

async fn a_message_keeps_all_that_was_said(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    open(store, "r1", 0).await;
    let handle = |room_name: &str, number| Handle {
        room: room(room_name),
        number,
    };
    let mut message = words(12);
    message.author = agent("r2");
    message.to = Some(run_id("r1"));
    message.reply_to = Some(handle("demo", 9));
    message.quotes = vec![handle("api", 3), handle("demo", 4)];
    message.key = Some("k".to_owned());
    let told = post(store, message.clone()).await;
    let expected = Message {
        id: id(12),
        room: room("demo"),
        number: 12,
        handle: handle("demo", 12),
        author: agent("r2"),
        body: "words 12".to_owned(),
        sent_at: at(12),
        to: Some(run_id("r1")),
        reply_to: message.reply_to,
        quotes: message.quotes,
        status: Status::Queued,
        deliveries: Vec::new(),
    };
    assert_eq!(told, expected);
    assert_eq!(store.message(&room("demo"), 12).await.unwrap(), expected);
    assert_eq!(store.message_by_id(&id(12)).await.unwrap(), expected);
}

async fn a_call_is_answered_in_its_order(store: &dyn Store) {
    demo(store).await;
    let all = store
        .append_messages(vec![words(3), words(1), words(2)])
        .await
        .unwrap();
    let numbers: Vec<u64> = all
        .iter()
        .map(|appended| match appended {
            Appended::New(message) => message.number,
            Appended::Resent(message) => panic!("{message:?}"),
        })
        .collect();
    assert_eq!(numbers, [3, 1, 2]);
    assert_eq!(store.append_messages(Vec::new()).await.unwrap(), []);
}

async fn a_call_that_fails_has_changed_nothing(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 5).await;
    post(store, words(6)).await;
    let before = store.last_cursor().await.unwrap();
    let mut astray = words(2);
    astray.room = room("none");
    for last in [astray, words(6)] {
        store
            .append_messages(vec![words(1), words(7), last])
            .await
            .unwrap_err();
        assert_eq!(numbers(store, "r1").await, [6]);
        assert_eq!(store.messages(all(&room("demo"))).await.unwrap().total, 1);
        assert_eq!(store.last_cursor().await.unwrap(), before);
        assert_eq!(store.last_reserved().await.unwrap(), 6);
    }
    // What was undone left no trace that could be in the way.
    store
        .append_messages(vec![words(1), words(7)])
        .await
        .unwrap();
    assert_eq!(numbers(store, "r1").await, [1, 6, 7]);
    assert_eq!(store.last_cursor().await.unwrap(), before + 2);
}

async fn numbers_and_ids_are_used_once(store: &dyn Store) {
    demo(store).await;
    post(store, words(1)).await;
    let mut same_id = words(2);
    same_id.id = id(1);
    let mut same_number = words(1);
    same_number.id = id(2);
    for clash in [same_id, same_number] {
        let error = store.append_messages(vec![clash]).await.unwrap_err();
        assert!(
            matches!(&error, Error::Conflict(text) if text.contains("demo/1")),
            "{error:?}"
        );
    }
    let mut twin = words(4);
    twin.id = id(3);
    let error = store
        .append_messages(vec![words(3), twin])
        .await
        .unwrap_err();
    assert!(
        matches!(&error, Error::Conflict(text) if text.contains("demo/3")),
        "{error:?}"
    );
    let error = store.message(&room("demo"), 3).await.unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
}

async fn words_of_any_kind_come_back(store: &dyn Store) {
    demo(store).await;
    let bodies = [
        "",
        "a\0b",
        "line\r\nline\u{2028}",
        "'; DROP TABLE message; --",
        "süß 小明 🦀",
    ];
    for (number, body) in (1..).zip(
        bodies
            .map(str::to_owned)
            .into_iter()
            .chain(["x".repeat(65_536)]),
    ) {
        let mut message = words(number);
        message.body.clone_from(&body);
        post(store, message).await;
        assert_eq!(
            store.message(&room("demo"), number).await.unwrap().body,
            body
        );
    }
}

use room_protocol::Status;
use room_store::{AckItem, Acknowledgement, Error, Inbox, InboxQuery, NewMessage, Store};

use crate::kit::*;

on_every_store!(
    what_comes_after_the_opening_waits_until_it_is_acknowledged,
    own_words_and_other_ones_mail_do_not_wait,
    mail_of_other_rooms_does_not_wait,
    each_run_has_its_own_inbox,
    an_entry_is_the_whole_message,
    a_limit_and_a_budget_cut_between_messages,
    the_newest_that_fit_come_in_order,
    who_waits_is_counted,
    a_message_too_large_comes_alone,
    much_of_ones_own_above_one_that_waits,
    an_unknown_run_is_not_found,
);

async fn what_comes_after_the_opening_waits_until_it_is_acknowledged(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    assert_eq!(inbox(store, "r1").await, Inbox::default());
    for number in 1..=3 {
        post(store, words(number)).await;
    }
    assert_eq!(numbers(store, "r1").await, [1, 2, 3]);
    store.acknowledge(shown("r1", &[2])).await.unwrap();
    assert_eq!(numbers(store, "r1").await, [1, 3]);
    store.acknowledge(shown("r1", &[1, 3])).await.unwrap();
    assert_eq!(numbers(store, "r1").await, [0; 0]);
}

async fn own_words_and_other_ones_mail_do_not_wait(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    post(
        store,
        NewMessage {
            author: agent("r1"),
            ..words(1)
        },
    )
    .await;
    post(
        store,
        NewMessage {
            to: Some(run_id("r1")),
            ..words(2)
        },
    )
    .await;
    post(
        store,
        NewMessage {
            author: agent("r1"),
            to: Some(run_id("r1")),
            ..words(3)
        },
    )
    .await;
    post(
        store,
        NewMessage {
            author: agent("r1"),
            to: Some(run_id("r2")),
            ..words(4)
        },
    )
    .await;
    assert_eq!(numbers(store, "r1").await, [2]);
    assert_eq!(numbers(store, "r2").await, [1, 4]);
}

async fn mail_of_other_rooms_does_not_wait(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    open(store, "r1", 0).await;
    post(
        store,
        NewMessage {
            room: room("api"),
            ..words(1)
        },
    )
    .await;
    post(
        store,
        NewMessage {
            room: room("api"),
            to: Some(run_id("r1")),
            ..words(2)
        },
    )
    .await;
    assert_eq!(numbers(store, "r1").await, [0; 0]);
    assert_eq!(
        store.message(&room("api"), 2).await.unwrap().status,
        Status::Attached
    );
}

async fn each_run_has_its_own_inbox(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    open(store, "r2", 1).await;
    post(store, words(2)).await;
    store.acknowledge(shown("r1", &[1, 2])).await.unwrap();
    assert_eq!(numbers(store, "r1").await, [0; 0]);
    assert_eq!(numbers(store, "r2").await, [1, 2]);
}

async fn an_entry_is_the_whole_message(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    let message = post(store, words(1)).await;
    let inbox = inbox(store, "r1").await;
    let [entry] = &inbox.entries[..] else {
        panic!("{inbox:?}");
    };
    assert_eq!(entry.message, message);
    assert_eq!((entry.offset, entry.again), (0, false));
}

async fn cut(store: &dyn Store, limit: usize, bytes: usize) -> (Vec<u64>, u64) {
    let query = InboxQuery {
        run: run_id("r1"),
        session: None,
        limit,
        bytes,
        newest: false,
    };
    let inbox = store.inbox(query).await.unwrap();
    (
        inbox.entries.iter().map(|e| e.message.number).collect(),
        inbox.waiting,
    )
}

async fn a_limit_and_a_budget_cut_between_messages(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    for (number, length) in [(1, 10), (2, 20), (3, 1), (4, 5)] {
        post(
            store,
            NewMessage {
                body: "x".repeat(length),
                ..words(number)
            },
        )
        .await;
    }
    assert_eq!(cut(store, 2, 1_000).await, (vec![1, 2], 4));
    assert_eq!(cut(store, 9, 30).await, (vec![1, 2], 4));
    assert_eq!(cut(store, 9, 31).await, (vec![1, 2, 3], 4));
    // One that does not fit is not overtaken by one that would.
    assert_eq!(cut(store, 9, 15).await, (vec![1], 4));
    assert_eq!(
        cut(store, usize::MAX, usize::MAX).await,
        (vec![1, 2, 3, 4], 4)
    );
    let none = InboxQuery {
        run: run_id("r1"),
        session: None,
        limit: 0,
        bytes: 1,
        newest: false,
    };
    let error = store.inbox(none).await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
}

async fn newest(store: &dyn Store, limit: usize, bytes: usize) -> Vec<u64> {
    let query = InboxQuery {
        run: run_id("r1"),
        session: Some("s".to_owned()),
        limit,
        bytes,
        newest: true,
    };
    let inbox = store.inbox(query).await.unwrap();
    inbox.entries.iter().map(|e| e.message.number).collect()
}

async fn the_newest_that_fit_come_in_order(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    for (number, length) in [(1, 10), (2, 20), (3, 1), (4, 5), (5, 100), (6, 90)] {
        post(
            store,
            NewMessage {
                body: "x".repeat(length),
                ..words(number)
            },
        )
        .await;
    }
    assert_eq!(newest(store, 9, 1_000).await, [1, 2, 3, 4, 5, 6]);
    assert_eq!(newest(store, 2, 1_000).await, [5, 6]);
    assert_eq!(newest(store, 9, 195).await, [4, 5, 6]);
    // The very newest is too large, and so is the next one.
    assert_eq!(newest(store, 9, 26).await, [2, 3, 4, 6]);
    // One that does not fit any more is not overtaken.
    assert_eq!(newest(store, 9, 25).await, [3, 4, 6]);
    assert_eq!(newest(store, 1, 26).await, [6]);
    // What is passed over does not count.
    assert_eq!(newest(store, 2, 10).await, [4, 6]);
    let begun = Acknowledgement {
        items: vec![AckItem {
            id: id(2),
            offset: Some(15),
        }],
        ..shown("r1", &[])
    };
    store.acknowledge(begun).await.unwrap();
    assert_eq!(
        newest(store, 9, 200).await,
        [2, 4, 5, 6],
        "first what was begun"
    );
}

async fn who_waits_is_counted(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    for number in 1..=5 {
        let author = if number % 2 == 0 {
            agent("r2")
        } else {
            person("ana")
        };
        post(
            store,
            NewMessage {
                author,
                ..words(number)
            },
        )
        .await;
    }
    open(store, "late", 5).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    for (run, waiting, people) in [("r1", 4, 2), ("r2", 3, 3), ("late", 5, 3)] {
        let inbox = inbox(store, run).await;
        assert_eq!((inbox.waiting, inbox.people), (waiting, people), "{run}");
    }
}

async fn a_message_too_large_comes_alone(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(
        store,
        NewMessage {
            body: "x".repeat(60_000),
            ..words(1)
        },
    )
    .await;
    post(
        store,
        NewMessage {
            body: String::new(),
            ..words(2)
        },
    )
    .await;
    assert_eq!(cut(store, 9, 8_000).await, (vec![1], 2));
    assert_eq!(cut(store, 9, 0).await, (vec![1], 2));
}

async fn much_of_ones_own_above_one_that_waits(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    let own = (2..=500).map(|number| NewMessage {
        author: agent("r1"),
        ..words(number)
    });
    store.append_messages(own.collect()).await.unwrap();
    post(store, words(501)).await;
    for _ in 0..4 {
        assert_eq!(numbers(store, "r1").await, [1, 501]);
    }
    // Persisted late, in the middle of what was dealt with.
    store.acknowledge(shown("r1", &[501])).await.unwrap();
    post(store, words(600)).await;
    post(store, words(550)).await;
    assert_eq!(numbers(store, "r1").await, [1, 550, 600]);
    store.acknowledge(shown("r1", &[1, 600])).await.unwrap();
    assert_eq!(numbers(store, "r1").await, [550]);
}

async fn an_unknown_run_is_not_found(store: &dyn Store) {
    demo(store).await;
    let nobody = run_id("nobody");
    let query = InboxQuery {
        run: nobody.clone(),
        session: None,
        limit: 1,
        bytes: 1,
        newest: false,
    };
    let told = [
        store.inbox(query).await.unwrap_err(),
        store.waiting(&nobody).await.unwrap_err(),
    ];
    for error in told {
        assert!(
            matches!(&error, Error::NotFound(text) if text.contains("nobody")),
            "{error:?}"
        );
    }
}

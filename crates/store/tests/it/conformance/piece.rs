use room_store::{AckItem, Acknowledgement, InboxQuery, NewMessage, Store};

use crate::kit::*;

on_every_store!(
    a_message_begun_comes_first_from_where_it_was_left,
    a_piece_belongs_to_its_session,
    a_session_that_is_resumed_goes_on_where_it_was,
    the_whole_length_is_the_whole_message,
    an_older_piece_takes_nothing_back,
    a_piece_ends_where_a_character_does,
    only_the_rest_counts_against_the_budget,
    pieces_are_forgotten,
    a_withdrawal_takes_a_message_that_was_begun,
    an_unknown_run_is_not_found,
);

fn piece(number: u64, offset: u64, session: Option<&str>) -> Acknowledgement {
    Acknowledgement {
        session: session.map(str::to_owned),
        items: vec![AckItem {
            id: id(number),
            offset: Some(offset),
        }],
        ..shown("r1", &[])
    }
}

async fn begin(store: &dyn Store, number: u64, offset: u64, session: Option<&str>) {
    let acked = store
        .acknowledge(piece(number, offset, session))
        .await
        .unwrap();
    assert_eq!(acked.partial, [id(number)]);
}

async fn offsets(store: &dyn Store, session: Option<&str>) -> Vec<(u64, u64)> {
    let query = InboxQuery {
        run: run_id("r1"),
        session: session.map(str::to_owned),
        limit: 9,
        bytes: usize::MAX,
        newest: false,
    };
    let inbox = store.inbox(query).await.unwrap();
    inbox
        .entries
        .iter()
        .map(|e| (e.message.number, e.offset))
        .collect()
}

async fn three(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    for number in 1..=3 {
        post(
            store,
            NewMessage {
                body: "x".repeat(100),
                ..words(number)
            },
        )
        .await;
    }
}

async fn a_message_begun_comes_first_from_where_it_was_left(store: &dyn Store) {
    three(store).await;
    begin(store, 2, 40, Some("a")).await;
    assert_eq!(offsets(store, Some("a")).await, [(2, 40), (1, 0), (3, 0)]);
    begin(store, 2, 80, Some("a")).await;
    assert_eq!(offsets(store, Some("a")).await, [(2, 80), (1, 0), (3, 0)]);
    let cursor = store.last_cursor().await.unwrap();
    store
        .acknowledge(Acknowledgement {
            session: Some("a".to_owned()),
            ..shown("r1", &[2])
        })
        .await
        .unwrap();
    assert_eq!(offsets(store, Some("a")).await, [(1, 0), (3, 0)]);
    assert_eq!(store.last_cursor().await.unwrap(), cursor + 1);
    begin(store, 3, 1, Some("a")).await;
    begin(store, 1, 1, Some("a")).await;
    assert_eq!(offsets(store, Some("a")).await, [(1, 1), (3, 1)]);
    let one = InboxQuery {
        run: run_id("r1"),
        session: Some("a".to_owned()),
        limit: 1,
        bytes: 500,
        newest: false,
    };
    assert_eq!(store.inbox(one).await.unwrap().entries.len(), 1);
}

async fn a_piece_belongs_to_its_session(store: &dyn Store) {
    three(store).await;
    begin(store, 2, 40, Some("a")).await;
    begin(store, 3, 30, None).await;
    assert_eq!(offsets(store, Some("a")).await, [(2, 40), (1, 0), (3, 0)]);
    assert_eq!(offsets(store, None).await, [(3, 30), (1, 0), (2, 0)]);
    assert_eq!(offsets(store, Some("b")).await, [(1, 0), (2, 0), (3, 0)]);
}

async fn a_session_that_is_resumed_goes_on_where_it_was(store: &dyn Store) {
    three(store).await;
    begin(store, 1, 40, Some("a")).await;
    begin(store, 1, 10, Some("b")).await;
    assert_eq!(offsets(store, Some("a")).await[0], (1, 40));
    assert_eq!(offsets(store, Some("b")).await[0], (1, 10));
}

async fn the_whole_length_is_the_whole_message(store: &dyn Store) {
    three(store).await;
    for (number, offset) in [(1, 100), (2, 101), (3, u64::MAX)] {
        let acked = store
            .acknowledge(piece(number, offset, Some("a")))
            .await
            .unwrap();
        assert_eq!(acked.settled, [id(number)]);
    }
    post(
        store,
        NewMessage {
            body: String::new(),
            ..words(4)
        },
    )
    .await;
    let acked = store.acknowledge(piece(4, 0, None)).await.unwrap();
    assert_eq!(acked.settled, [id(4)]);
    assert_eq!(numbers(store, "r1").await, [0; 0]);
}

async fn an_older_piece_takes_nothing_back(store: &dyn Store) {
    three(store).await;
    begin(store, 1, 40, Some("a")).await;
    begin(store, 1, 30, Some("a")).await;
    assert_eq!(offsets(store, Some("a")).await[0], (1, 40));
    begin(store, 1, 20, None).await;
    begin(store, 1, 30, None).await;
    begin(store, 1, 25, None).await;
    assert_eq!(offsets(store, None).await, [(1, 30), (2, 0), (3, 0)]);
    let mut both = piece(1, 50, Some("a"));
    both.items.push(AckItem {
        id: id(1),
        offset: Some(45),
    });
    assert_eq!(store.acknowledge(both).await.unwrap().partial, [id(1)]);
    assert_eq!(offsets(store, Some("a")).await[0], (1, 50));
}

async fn a_piece_ends_where_a_character_does(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(
        store,
        NewMessage {
            body: "süß小明".to_owned(),
            ..words(1)
        },
    )
    .await;
    for (offset, kept) in [
        (0, 0),
        (1, 1),
        (2, 1),
        (3, 3),
        (4, 3),
        (6, 5),
        (7, 5),
        (8, 8),
        (10, 8),
    ] {
        store.forget_pieces(&run_id("r1")).await.unwrap();
        begin(store, 1, offset, None).await;
        assert_eq!(offsets(store, None).await, [(1, kept)], "{offset}");
    }
}

async fn only_the_rest_counts_against_the_budget(store: &dyn Store) {
    three(store).await;
    begin(store, 1, 90, Some("a")).await;
    let query = |bytes| InboxQuery {
        run: run_id("r1"),
        session: Some("a".to_owned()),
        limit: 9,
        bytes,
        newest: false,
    };
    assert_eq!(store.inbox(query(109)).await.unwrap().entries.len(), 1);
    assert_eq!(store.inbox(query(110)).await.unwrap().entries.len(), 2);
}

async fn pieces_are_forgotten(store: &dyn Store) {
    three(store).await;
    begin(store, 2, 40, Some("a")).await;
    begin(store, 3, 40, None).await;
    store.forget_pieces(&run_id("r1")).await.unwrap();
    assert_eq!(offsets(store, Some("a")).await, [(1, 0), (2, 0), (3, 0)]);
    assert_eq!(offsets(store, None).await, [(1, 0), (2, 0), (3, 0)]);
}

async fn a_withdrawal_takes_a_message_that_was_begun(store: &dyn Store) {
    three(store).await;
    begin(store, 2, 40, Some("a")).await;
    store.withdraw(&room("demo"), 2, at(9)).await.unwrap();
    assert_eq!(offsets(store, Some("a")).await, [(1, 0), (3, 0)]);
}

async fn an_unknown_run_is_not_found(store: &dyn Store) {
    demo(store).await;
    let error = store.forget_pieces(&run_id("nobody")).await.unwrap_err();
    assert!(matches!(error, room_store::Error::NotFound(_)), "{error:?}");
}

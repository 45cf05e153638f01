use room_protocol::{Event, EventKind, Handle, How, ProofKind};
use room_store::{NewMessage, Store};

use crate::kit::*;

on_every_store!(
    everything_that_happens_is_told_in_order,
    events_are_paged_by_cursor_and_room,
    whoever_waits_is_woken,
);

async fn everything_that_happens_is_told_in_order(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, words(1)).await;
    post(store, words(2)).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    let stop = proof(ProofKind::Stop, "a");
    store
        .confirm(&run_id("r1"), "s", &stop, at(20))
        .await
        .unwrap();
    store.acknowledge(shown("r1", &[2])).await.unwrap();
    end(store, "r1", 30).await;
    store.withdraw(&room("demo"), 2, at(40)).await.unwrap();
    let told = store.events(0, None, 99).await.unwrap();
    let event = |cursor, ms, kind, number: Option<u64>| Event {
        cursor,
        at: at(ms),
        kind,
        room: room("demo"),
        message: number.map(|number| Handle {
            room: room("demo"),
            number,
        }),
        run: (!matches!(kind, EventKind::Posted | EventKind::Withdrawn)).then(|| run_id("r1")),
        how: (kind == EventKind::Taken).then_some(How::Relayed),
        exit_code: (kind == EventKind::RunEnded).then_some(0),
    };
    let expected = [
        event(1, 0, EventKind::RunOpened, None),
        event(2, 1, EventKind::Posted, Some(1)),
        event(3, 2, EventKind::Posted, Some(2)),
        event(4, 1_000, EventKind::Taken, Some(1)),
        event(5, 20, EventKind::Confirmed, Some(1)),
        event(6, 1_000, EventKind::Taken, Some(2)),
        event(7, 30, EventKind::Returned, Some(2)),
        event(8, 30, EventKind::RunEnded, None),
        event(9, 40, EventKind::Withdrawn, Some(2)),
    ];
    assert_eq!(told, expected);
    assert_eq!(store.last_cursor().await.unwrap(), 9);
}

async fn events_are_paged_by_cursor_and_room(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    assert_eq!(store.last_cursor().await.unwrap(), 0);
    for number in 1..=6 {
        let name = if number % 2 == 0 { "api" } else { "demo" };
        post(
            store,
            NewMessage {
                room: room(name),
                ..words(number)
            },
        )
        .await;
    }
    let cursors = async |after, name: Option<&str>, limit| {
        let name = name.map(room);
        let events = store.events(after, name.as_ref(), limit).await.unwrap();
        events.iter().map(|e| e.cursor).collect::<Vec<_>>()
    };
    assert_eq!(cursors(0, None, 4).await, [1, 2, 3, 4]);
    assert_eq!(cursors(4, None, 4).await, [5, 6]);
    assert_eq!(cursors(6, None, 4).await, [0; 0]);
    assert_eq!(cursors(u64::MAX, None, 4).await, [0; 0]);
    assert_eq!(cursors(0, Some("api"), 2).await, [2, 4]);
    assert_eq!(cursors(4, Some("api"), usize::MAX).await, [6]);
    assert_eq!(cursors(0, Some("none"), 4).await, [0; 0]);
    assert_eq!(cursors(0, None, 0).await, [0; 0]);
}

async fn whoever_waits_is_woken(store: &dyn Store) {
    demo(store).await;
    let mut events = store.watch_events();
    assert_eq!(*events.borrow_and_update(), 0);
    post(store, words(1)).await;
    events.changed().await.unwrap();
    assert_eq!(*events.borrow_and_update(), 1);
    // What changes nothing wakes nobody.
    store.append_messages(vec![words(1)]).await.unwrap_err();
    assert!(!events.has_changed().unwrap());
}

use room_store::{Error, RoomPatch, RoomRecord, Store};

use crate::kit::*;

on_every_store!(
    a_room_is_made_once,
    a_room_tells_what_it_holds,
    rooms_come_by_name,
    an_unknown_room_is_not_found,
);

async fn a_room_is_made_once(store: &dyn Store) {
    let made = RoomRecord {
        name: room("demo"),
        created_at: at(1),
        messages: 0,
        last_number: None,
    };
    let first = store.create_room(&room("demo"), at(1)).await.unwrap();
    assert_eq!(first, (made.clone(), true));
    let second = store.create_room(&room("demo"), at(2)).await.unwrap();
    assert_eq!(second, (made.clone(), false));
    let patched = store.update_room(&room("demo"), RoomPatch {}).await;
    assert_eq!(patched.unwrap(), made);
}

async fn a_room_tells_what_it_holds(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    post(store, words(7)).await;
    post(store, words(3)).await;
    let mut elsewhere = words(9);
    elsewhere.room = room("api");
    post(store, elsewhere).await;
    let record = store.room(&room("demo")).await.unwrap();
    assert_eq!((record.messages, record.last_number), (2, Some(7)));
}

async fn rooms_come_by_name(store: &dyn Store) {
    for name in ["demo", "b.c", "a", "b-c"] {
        store.create_room(&room(name), at(0)).await.unwrap();
    }
    let rooms = store.rooms().await.unwrap();
    let names: Vec<&str> = rooms.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["a", "b-c", "b.c", "demo"]);
}

async fn an_unknown_room_is_not_found(store: &dyn Store) {
    let none = room("none");
    let told = [
        store.room(&none).await.unwrap_err(),
        store.update_room(&none, RoomPatch {}).await.unwrap_err(),
    ];
    for error in told {
        assert!(
            matches!(&error, Error::NotFound(text) if text.contains("none")),
            "{error:?}"
        );
    }
}

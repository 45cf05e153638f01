use room_protocol::Handle;
use room_store::{Appended, Error, NewMessage, Store};

use crate::kit::*;

on_every_store!(
    a_resend_answers_the_first_message,
    a_resend_in_the_same_call_answers_the_first,
    resends_at_the_same_time_are_written_once,
    a_key_used_for_something_else_is_refused_by_name,
    keys_are_scoped_to_their_author,
    a_resend_tells_what_became_of_the_first,
);

fn keyed(number: u64) -> NewMessage {
    NewMessage {
        body: "words".to_owned(),
        key: Some("k".to_owned()),
        ..words(number)
    }
}

async fn append(store: &dyn Store, message: NewMessage) -> Appended {
    store
        .append_messages(vec![message])
        .await
        .unwrap()
        .remove(0)
}

async fn a_resend_answers_the_first_message(store: &dyn Store) {
    demo(store).await;
    let first = post(store, keyed(1)).await;
    assert_eq!(
        append(store, keyed(2)).await,
        Appended::Resent(first.clone())
    );
    // Also under its own number and id, as after an answer that was lost.
    assert_eq!(
        append(store, keyed(1)).await,
        Appended::Resent(first.clone())
    );
    assert_eq!(
        store.messages(all(&room("demo"))).await.unwrap().messages,
        std::slice::from_ref(&first)
    );
    assert_eq!(store.last_cursor().await.unwrap(), 1);
    let known = store.message_by_key(&person("ana"), "k").await.unwrap();
    assert_eq!(known, Some(first));
    assert_eq!(
        store.message_by_key(&person("ana"), "other").await.unwrap(),
        None
    );
}

async fn a_resend_in_the_same_call_answers_the_first(store: &dyn Store) {
    demo(store).await;
    let answers = store
        .append_messages(vec![keyed(1), words(2), keyed(3)])
        .await
        .unwrap();
    let [
        Appended::New(first),
        Appended::New(_),
        Appended::Resent(again),
    ] = &answers[..]
    else {
        panic!("{answers:?}");
    };
    assert_eq!(first, again);
}

async fn resends_at_the_same_time_are_written_once(store: &dyn Store) {
    demo(store).await;
    let calls = (1..=32).map(|number| store.append_messages(vec![keyed(number)]));
    let answers = together(calls).await;
    let new = answers
        .iter()
        .filter(|answer| matches!(answer.as_deref(), Ok([Appended::New(_)])));
    assert_eq!(new.count(), 1);
    let page = store.messages(all(&room("demo"))).await.unwrap();
    let [only] = &page.messages[..] else {
        panic!("{page:?}");
    };
    for answer in answers {
        let (Appended::New(message) | Appended::Resent(message)) = answer.unwrap().remove(0);
        assert_eq!(message, *only);
    }
}

async fn a_key_used_for_something_else_is_refused_by_name(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    post(store, keyed(1)).await;
    let handle = Handle {
        room: room("demo"),
        number: 1,
    };
    let others = [
        NewMessage {
            body: "other".to_owned(),
            ..keyed(2)
        },
        NewMessage {
            room: room("api"),
            ..keyed(2)
        },
        NewMessage {
            to: Some(run_id("r1")),
            ..keyed(2)
        },
        NewMessage {
            reply_to: Some(handle.clone()),
            ..keyed(2)
        },
        NewMessage {
            quotes: vec![handle],
            ..keyed(2)
        },
    ];
    for other in others {
        let error = store.append_messages(vec![other]).await.unwrap_err();
        assert!(
            matches!(&error, Error::Conflict(text) if text.contains("demo/1")),
            "{error:?}"
        );
    }
    let other = NewMessage {
        body: "other".to_owned(),
        key: Some("in one call".to_owned()),
        ..keyed(4)
    };
    let first = NewMessage {
        key: Some("in one call".to_owned()),
        ..keyed(3)
    };
    let error = store.append_messages(vec![first, other]).await.unwrap_err();
    assert!(
        matches!(&error, Error::Conflict(text) if text.contains("demo/3")),
        "{error:?}"
    );
}

async fn keys_are_scoped_to_their_author(store: &dyn Store) {
    demo(store).await;
    let mut authors = [
        person("ana"),
        person("ben"),
        agent("r1"),
        agent("r2"),
        person("ana"),
    ];
    // The same name, and yet somebody else.
    authors[4].kind = room_protocol::AuthorKind::Agent;
    for (number, author) in (1..).zip(&authors) {
        post(
            store,
            NewMessage {
                author: author.clone(),
                ..keyed(number)
            },
        )
        .await;
    }
    for (number, author) in (1..).zip(&authors) {
        let known = store.message_by_key(author, "k").await.unwrap();
        assert_eq!(known.map(|m| m.number), Some(number));
    }
    // A run is the same author under any name.
    let mut renamed = agent("r1");
    renamed.name = "renamed".parse().unwrap();
    let again = append(
        store,
        NewMessage {
            author: renamed,
            ..keyed(9)
        },
    )
    .await;
    assert!(
        matches!(&again, Appended::Resent(m) if m.number == 3),
        "{again:?}"
    );
}

async fn a_resend_tells_what_became_of_the_first(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    post(store, keyed(1)).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    let Appended::Resent(message) = append(store, keyed(2)).await else {
        panic!("written again");
    };
    assert_eq!(message.status, room_protocol::Status::Taken);
    assert_eq!(message.deliveries.len(), 1);
}

use room_store::{Error, MessageQuery, Store};

use crate::kit::*;

on_every_store!(
    a_page_ends_with_the_newest,
    a_page_after_a_number_begins_with_the_oldest,
    a_page_between_two_numbers,
    a_page_goes_by_acceptance_not_by_writing,
    a_page_is_of_one_room,
    what_is_not_there_is_not_found,
);

async fn page(
    store: &dyn Store,
    before: Option<u64>,
    after: Option<u64>,
    limit: usize,
) -> (Vec<u64>, bool) {
    let query = MessageQuery {
        room: room("demo"),
        before,
        after,
        limit,
    };
    let page = store.messages(query).await.unwrap();
    assert_eq!(page.total, 6);
    (
        page.messages.iter().map(|m| m.number).collect(),
        page.has_more,
    )
}

/// 1, 2, 4, 5, 7 and 8, written out of order.
async fn six(store: &dyn Store) {
    demo(store).await;
    for number in [2, 8, 1, 5, 4, 7] {
        post(store, words(number)).await;
    }
}

async fn a_page_ends_with_the_newest(store: &dyn Store) {
    six(store).await;
    assert_eq!(page(store, None, None, 2).await, (vec![7, 8], true));
    assert_eq!(page(store, Some(7), None, 2).await, (vec![4, 5], true));
    assert_eq!(page(store, Some(4), None, 2).await, (vec![1, 2], false));
    assert_eq!(page(store, Some(1), None, 2).await, (vec![], false));
    assert_eq!(page(store, Some(u64::MAX), None, 1).await, (vec![8], true));
}

async fn a_page_after_a_number_begins_with_the_oldest(store: &dyn Store) {
    six(store).await;
    assert_eq!(
        page(store, None, Some(0), 4).await,
        (vec![1, 2, 4, 5], true)
    );
    assert_eq!(page(store, None, Some(5), 2).await, (vec![7, 8], false));
    assert_eq!(page(store, None, Some(8), 2).await, (vec![], false));
    assert_eq!(page(store, None, Some(u64::MAX), 2).await, (vec![], false));
}

async fn a_page_between_two_numbers(store: &dyn Store) {
    six(store).await;
    assert_eq!(
        page(store, Some(7), Some(1), 9).await,
        (vec![2, 4, 5], false)
    );
    assert_eq!(page(store, Some(7), Some(1), 2).await, (vec![2, 4], true));
}

async fn a_page_goes_by_acceptance_not_by_writing(store: &dyn Store) {
    six(store).await;
    assert_eq!(
        page(store, None, None, 6).await,
        (vec![1, 2, 4, 5, 7, 8], false)
    );
}

async fn a_page_is_of_one_room(store: &dyn Store) {
    six(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    let mut elsewhere = words(3);
    elsewhere.room = room("api");
    post(store, elsewhere).await;
    assert_eq!(page(store, None, None, 9).await.0, [1, 2, 4, 5, 7, 8]);
}

async fn what_is_not_there_is_not_found(store: &dyn Store) {
    six(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    let told = [
        store.messages(all(&room("none"))).await.unwrap_err(),
        store.message(&room("demo"), 3).await.unwrap_err(),
        store.message(&room("demo"), u64::MAX).await.unwrap_err(),
        store.message(&room("api"), 1).await.unwrap_err(),
        store.message_by_id(&id(3)).await.unwrap_err(),
    ];
    for error in told {
        assert!(matches!(error, Error::NotFound(_)), "{error:?}");
    }
    let none = MessageQuery {
        limit: 0,
        ..all(&room("demo"))
    };
    let error = store.messages(none).await.unwrap_err();
    assert!(matches!(error, Error::InvalidRequest(_)), "{error:?}");
}

use room_store::Store;

use crate::kit::*;

on_every_store!(what_comes_after_the_opening_waits_until_it_is_acknowledged);

async fn what_comes_after_the_opening_waits_until_it_is_acknowledged(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    for number in 1..=3 {
        post(store, words(number)).await;
    }
    assert_eq!(numbers(store, "r1").await, [1, 2, 3]);
    let acked = store.acknowledge(shown("r1", &[2])).await.unwrap();
    assert_eq!(acked.settled, [id(2)]);
    assert_eq!(numbers(store, "r1").await, [1, 3]);
}

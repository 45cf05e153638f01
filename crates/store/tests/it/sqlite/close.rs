use room_store::{SqliteStore, Store};

use crate::kit::*;

#[test]
fn what_was_asked_before_is_done_and_the_log_is_folded_in() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("room.db");
    block_on(async {
        let store = SqliteStore::open(&path).unwrap();
        demo(&store).await;
        let asked = (1..=100).map(|number| store.append_messages(vec![words(number)]));
        let mut asked: Vec<_> = asked.collect();
        // Asked, and not waited for.
        for call in &mut asked {
            let asked = std::future::poll_fn(|cx| std::task::Poll::Ready(call.as_mut().poll(cx)));
            assert!(asked.await.is_pending());
        }
        store.close().await;
        for call in asked {
            call.await.unwrap();
        }
        assert!(!dir.path().join("room.db-wal").exists());
        let again = SqliteStore::open(&path).unwrap();
        assert_eq!(again.messages(all(&room("demo"))).await.unwrap().total, 100);
    });
}

#[test]
fn closing_again_does_nothing_and_a_closed_store_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("room.db");
    block_on(async {
        let store = SqliteStore::open(&path).unwrap();
        demo(&store).await;
        tokio::join!(store.close(), store.close());
        store.close().await;
        let told = [
            store.rooms().await.unwrap_err().to_string(),
            store
                .create_room(&room("api"), at(1))
                .await
                .unwrap_err()
                .to_string(),
        ];
        for text in told {
            assert!(
                text.contains("closed") && text.contains("room.db"),
                "{text}"
            );
        }
    });
}

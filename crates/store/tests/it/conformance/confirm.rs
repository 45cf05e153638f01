use room_protocol::ProofKind::{Batch, Prompt, Stop};
use room_store::{Acknowledgement, Error, Store};

use crate::kit::*;

on_every_store!(
    what_the_event_proves_is_confirmed_once,
    only_its_session_and_its_run_are_confirmed,
    what_was_printed_at_no_known_moment_stays_unproven,
    what_was_returned_is_not_confirmed,
    an_unknown_run_is_not_found,
);

async fn confirmed(store: &dyn Store, number: u64) -> Vec<bool> {
    let message = store.message(&room("demo"), number).await.unwrap();
    message.deliveries.iter().map(|d| d.confirmed).collect()
}

async fn two_taken(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    post(store, words(1)).await;
    post(store, words(2)).await;
}

async fn what_the_event_proves_is_confirmed_once(store: &dyn Store) {
    two_taken(store).await;
    let run = run_id("r1");
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    let later = Acknowledgement {
        printed: Some(proof(Batch, "t2")),
        ..shown("r1", &[2])
    };
    store.acknowledge(later).await.unwrap();
    let confirm = async |kind, mark, ms| {
        store
            .confirm(&run, "s", &proof(kind, mark), at(ms))
            .await
            .unwrap()
    };
    assert_eq!(confirm(Prompt, "p", 1).await, 0);
    assert_eq!(confirm(Batch, "t2", 2).await, 1);
    assert_eq!(
        (confirmed(store, 1).await, confirmed(store, 2).await),
        (vec![true], vec![false])
    );
    assert_eq!(confirm(Stop, "a", 3).await, 1);
    assert_eq!(confirm(Stop, "b", 4).await, 0);
    assert_eq!(
        (confirmed(store, 1).await, confirmed(store, 2).await),
        (vec![true], vec![true])
    );
}

async fn only_its_session_and_its_run_are_confirmed(store: &dyn Store) {
    two_taken(store).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    store.acknowledge(shown("r2", &[1])).await.unwrap();
    let other = Acknowledgement {
        session: Some("other".to_owned()),
        ..shown("r1", &[2])
    };
    store.acknowledge(other).await.unwrap();
    let stop = proof(Stop, "a");
    assert_eq!(
        store
            .confirm(&run_id("r1"), "s", &stop, at(1))
            .await
            .unwrap(),
        1
    );
    assert_eq!(confirmed(store, 1).await, [true, false]);
    assert_eq!(confirmed(store, 2).await, [false]);
}

async fn what_was_printed_at_no_known_moment_stays_unproven(store: &dyn Store) {
    two_taken(store).await;
    store
        .acknowledge(Acknowledgement {
            printed: None,
            ..shown("r1", &[1])
        })
        .await
        .unwrap();
    store
        .acknowledge(Acknowledgement {
            session: None,
            ..shown("r1", &[2])
        })
        .await
        .unwrap();
    let stop = proof(Stop, "a");
    assert_eq!(
        store
            .confirm(&run_id("r1"), "s", &stop, at(1))
            .await
            .unwrap(),
        0
    );
}

async fn what_was_returned_is_not_confirmed(store: &dyn Store) {
    two_taken(store).await;
    store.acknowledge(shown("r1", &[1])).await.unwrap();
    end(store, "r1", 5).await;
    let stop = proof(Stop, "a");
    assert_eq!(
        store
            .confirm(&run_id("r1"), "s", &stop, at(6))
            .await
            .unwrap(),
        0
    );
    assert_eq!(confirmed(store, 1).await, [false]);
}

async fn an_unknown_run_is_not_found(store: &dyn Store) {
    demo(store).await;
    let stop = proof(Stop, "a");
    let error = store
        .confirm(&run_id("nobody"), "s", &stop, at(1))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
}

//! Many at once.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use room_protocol::lane::{Acknowledged, Lease};
use room_protocol::{EventKind, Message, ProofKind};
use room_store::Store;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;

use crate::kit::{House, Watched, ack, lease, on_both, proof, sign, until};

on_both!(
    of_many_questions_one_gets_the_lease,
    no_message_is_lost_between_posts_and_questions
);

async fn of_many_questions_one_gets_the_lease(house: House) {
    let run = house.run("claude").await;
    for round in 0..50 {
        house.post("m").await;
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let run = run.clone();
                tokio::spawn(async move { run.asks(&lease(sign("PostToolBatch", None))).await })
            })
            .collect();
        let mut got = Vec::new();
        for task in tasks {
            let answer = task.await.unwrap();
            match answer.status {
                409 => {}
                _ => got.push(answer.is::<Lease>(200)),
            }
        }
        assert_eq!(got.len(), 1, "round {round}");
        assert_eq!(got[0].messages.len(), 1);
        run.acknowledges(&ack(&got[0], proof(ProofKind::Batch, "t")))
            .await;
    }
}

/// Posters post while the run asks all the time: whatever was answered to a poster before a question is
/// in that question's answer or was acknowledged before, and in the end everything was taken once.
async fn no_message_is_lost_between_posts_and_questions(house: House) {
    let run = house.run("claude").await;
    let posters: Vec<_> = (0..4)
        .map(|poster| {
            let operator = house.operator.clone();
            tokio::spawn(async move {
                for n in 0..40 {
                    let ask = json!({"body": format!("{n}"), "as": format!("p{poster}")});
                    let answer = operator.post("/v1/rooms/demo/messages", &ask).await;
                    answer.is::<Message>(201);
                }
            })
        })
        .collect();
    let mut shown = HashSet::new();
    let mut asked_after = false;
    while !asked_after {
        asked_after = posters.iter().all(|p| p.is_finished());
        let got = run.leases(&lease(sign("PostToolBatch", None))).await;
        for waiting in &got.messages {
            assert!(shown.insert(waiting.message.number), "shown twice");
        }
        let acked: Acknowledged = run
            .acknowledges(&ack(&got, proof(ProofKind::Batch, "t")))
            .await;
        assert_eq!(acked.settled.len(), got.messages.len());
        asked_after &= got.waiting == 0;
    }
    for poster in posters {
        poster.await.unwrap();
    }
    assert_eq!(shown.len(), 160);
}

/// A poster hangs up while its message is being written. The run asks meanwhile and is told, and remembers,
/// that nothing waits; when the message is on disk, the next question brings it all the same.
#[tokio::test]
async fn a_message_whose_poster_hung_up_reaches_the_run() {
    let store = Arc::new(Watched::default());
    let house = House::on(store.clone()).await;
    let run = house.run("claude").await;
    let ask = lease(sign("PostToolBatch", None));
    store.hold();
    let body = json!({"body": "m", "as": "ana"}).to_string();
    let head = "POST /v1/rooms/demo/messages HTTP/1.1\r\ncontent-type: application/json";
    let request = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let mut poster = UnixStream::connect(house.layout.operator_socket())
        .await
        .unwrap();
    poster.write_all(request.as_bytes()).await.unwrap();
    until("the store is asked", || async { store.is_asked() }).await;
    drop(poster);
    until("the connection is gone", || async {
        let text = house.operator.get("/v1/metrics").await.text();
        text.contains("roomd_connections 1\n")
    })
    .await;
    assert_eq!(run.leases(&ask).await.waiting, 0);
    store.release();
    until("it is on disk", || async {
        house.operator.get("/v1/rooms/demo/messages/1").await.status == 200
    })
    .await;
    until("it reaches the run", || async {
        run.leases(&ask).await.messages.len() == 1
    })
    .await;
}

/// A run that is written to does not end in between: first the message, then the end that fails it.
#[tokio::test]
async fn a_run_does_not_end_while_it_is_written_to() {
    let store = Arc::new(Watched::default());
    let house = House::on(store.clone()).await;
    let run = house.run("claude").await;
    store.hold();
    let (operator, to) = (house.operator.clone(), run.id().clone());
    let post = tokio::spawn(async move {
        let ask = json!({"body": "m", "as": "ana", "to": to});
        operator.post("/v1/rooms/demo/messages", &ask).await
    });
    until("the store is asked", || async { store.is_asked() }).await;
    let (operator, path) = (house.operator.clone(), format!("/v1/runs/{}/end", run.id()));
    let end = tokio::spawn(async move { operator.post(&path, &json!({})).await });
    let begun = Instant::now();
    until("the end has had its time", || async {
        begun.elapsed() > Duration::from_millis(100)
    })
    .await;
    store.release();
    assert_eq!(post.await.unwrap().status, 201);
    assert_eq!(end.await.unwrap().status, 200);
    let events = store.events(0, None, 10).await.unwrap();
    let kinds: Vec<_> = events.iter().map(|e| e.kind).collect();
    use EventKind::{Failed, Posted, RunEnded, RunOpened};
    assert_eq!(kinds, [RunOpened, Posted, Failed, RunEnded]);
}

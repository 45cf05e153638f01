//! Many at once.

use std::collections::HashSet;

use room_protocol::lane::{Acknowledged, Lease};
use room_protocol::{Message, ProofKind};
use serde_json::json;

use crate::kit::{House, ack, lease, on_both, proof, sign};

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

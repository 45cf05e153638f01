//! Taking a message back.

use std::time::Duration;

use room_protocol::limits::LEASE;
use room_protocol::{Message, ProblemKind, ProofKind, Status};

use crate::kit::{Answer, House, ack, lease, on_both, proof, sign, until};

on_both!(
    what_nobody_took_is_taken_back,
    what_is_being_shown_waits_for_the_acknowledgement,
    what_is_given_back_is_taken_back_and_not_leased_meanwhile,
);

const PATH: &str = "/v1/rooms/demo/messages/1/withdraw";

async fn what_nobody_took_is_taken_back(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    for _ in 0..2 {
        let message: Message = house.operator.post(PATH, &()).await.is(200);
        assert_eq!(message.status, Status::Withdrawn);
    }
    assert_eq!(run.leases(&lease(sign("Stop", None))).await.waiting, 0);
    house.post("n").await;
    run.takes("t1").await;
    let detail = house
        .operator
        .post("/v1/rooms/demo/messages/2/withdraw", &())
        .await;
    assert!(
        detail
            .problem(ProblemKind::Taken)
            .contains(run.id().as_str())
    );
    house
        .operator
        .post("/v1/rooms/demo/messages/9/withdraw", &())
        .await
        .problem(ProblemKind::NotFound);
}

async fn what_is_being_shown_waits_for_the_acknowledgement(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let got = run.leases(&lease(sign("PostToolBatch", None))).await;
    let operator = house.operator.clone();
    let withdrawal = tokio::spawn(async move { operator.post(PATH, &()).await });
    assert_waits(&withdrawal).await;
    run.acknowledges(&ack(&got, proof(ProofKind::Batch, "t1")))
        .await;
    withdrawal.await.unwrap().problem(ProblemKind::Taken);
    assert_eq!(house.message(1).await.status, Status::Taken);
}

async fn what_is_given_back_is_taken_back_and_not_leased_meanwhile(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    house.post("n").await;
    let ask = lease(sign("PostToolBatch", None));
    run.leases(&ask).await;
    let operator = house.operator.clone();
    let withdrawal = tokio::spawn(async move { operator.post(PATH, &()).await });
    assert_waits(&withdrawal).await;
    // A takeover ends the first lease; the second does not show what is being withdrawn.
    let takeover = room_protocol::lane::LeaseRequest {
        takeover: true,
        ..ask
    };
    let got = run.leases(&takeover).await;
    let bodies: Vec<_> = got
        .messages
        .iter()
        .map(|w| w.message.body.as_str())
        .collect();
    assert_eq!(bodies, ["n"]);
    let message: Message = withdrawal.await.unwrap().is(200);
    assert_eq!(message.status, Status::Withdrawn);
}

/// It does not come to an end while the lease is held.
async fn assert_waits(withdrawal: &tokio::task::JoinHandle<Answer>) {
    let begun = tokio::time::Instant::now();
    until("a while has passed", || async {
        assert!(!withdrawal.is_finished());
        begun.elapsed() > Duration::from_millis(100)
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_nobody_ends_holds_a_withdrawal_no_longer_than_itself() {
    let house = House::open(crate::kit::Backend::Memory).await;
    let run = house.run("claude").await;
    house.post("m").await;
    run.leases(&lease(sign("PostToolBatch", None))).await;
    let begun = tokio::time::Instant::now();
    let message: Message = house.operator.post(PATH, &()).await.is(200);
    assert_eq!(message.status, Status::Withdrawn);
    let took = begun.elapsed();
    assert!(
        took <= LEASE && took > LEASE - Duration::from_secs(1),
        "{took:?}"
    );
}

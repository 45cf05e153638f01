//! What a daemon finds again after another has ended.

use room_protocol::{Message, ProofKind, RunState};
use roomd::StoreChoice;
use serde_json::json;

use crate::kit::{Backend, House, ack, lease, proof, sign};

#[tokio::test]
async fn runs_credentials_signs_and_keys_outlive_the_daemon() {
    let house = House::open(Backend::Sqlite).await;
    let run = house.run("claude").await;
    let idle = house.run("codex").await;
    let post = json!({"body": "m", "as": "ana", "key": "k"});
    let first = house.operator.post("/v1/rooms/demo/messages", &post).await;
    let mut tool = sign("PostToolUse", None);
    tool.tool = Some("Bash".to_owned());
    run.says(&tool).await;
    let before = (house.run_of(&run).await, house.run_of(&idle).await);

    let house = house.again(StoreChoice::Sqlite).await;
    assert_eq!(
        (house.run_of(&run).await, house.run_of(&idle).await),
        before
    );
    assert_eq!(
        (before.0.state, before.1.state),
        (RunState::Working, RunState::Starting)
    );
    let again = house.operator.post("/v1/rooms/demo/messages", &post).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(run.takes("t1").await.messages.len(), 1);
    let next: Message = house.post("n").await;
    assert_eq!(next.number, 2);
}

#[tokio::test]
async fn a_delivery_is_confirmed_by_a_moment_after_the_restart() {
    let house = House::open(Backend::Sqlite).await;
    let run = house.run("claude").await;
    house.post("m").await;
    run.takes("t1").await;
    let house = house.again(StoreChoice::Sqlite).await;
    run.leases(&lease(sign(
        "PostToolBatch",
        Some(proof(ProofKind::Batch, "t1")),
    )))
    .await;
    assert!(!house.message(1).await.deliveries[0].confirmed);
    run.leases(&lease(sign(
        "PostToolBatch",
        Some(proof(ProofKind::Batch, "t2")),
    )))
    .await;
    assert!(house.message(1).await.deliveries[0].confirmed);
}

#[tokio::test]
async fn an_ended_run_may_still_acknowledge_after_the_restart() {
    let house = House::open(Backend::Sqlite).await;
    let run = house.run("claude").await;
    house.post("m").await;
    let got = run.leases(&lease(sign("PostToolBatch", None))).await;
    house.end_run(&run).await;
    let house = house.again(StoreChoice::Sqlite).await;
    let acked = run
        .acknowledges(&ack(&got, proof(ProofKind::Batch, "t")))
        .await;
    assert_eq!(acked.settled.len(), 1);
    assert_eq!(run.lane.get("/v1/run").await.status, 401);
    drop(house);
}

//! Waiting for a message to be settled.

use std::time::{Duration, Instant};

use room_protocol::{Message, ProblemKind, ProofKind, Status};

use crate::kit::{Answer, House, on_both, proof, sign, until};

on_both!(
    it_answers_when_the_message_is_taken,
    it_answers_when_the_delivery_is_confirmed,
    it_answers_when_the_message_is_withdrawn_or_failed,
    it_gives_up,
    it_is_refused_at_once_when_the_daemon_ends,
);

const PATH: &str = "/v1/rooms/demo/messages/1/wait";

fn waits(house: &House, query: &str) -> tokio::task::JoinHandle<Answer> {
    let (operator, path) = (house.operator.clone(), format!("{PATH}{query}"));
    tokio::spawn(async move { operator.get(&path).await })
}

async fn it_answers_when_the_message_is_taken(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let waiting = waits(&house, "");
    house.post("other").await;
    run.takes("t1").await;
    let message: Message = waiting.await.unwrap().is(200);
    assert_eq!((message.number, message.status), (1, Status::Taken));
    let again: Message = house
        .operator
        .get(&format!("{PATH}?timeout_ms=0"))
        .await
        .is(200);
    assert_eq!(again, message, "long settled: at once");
}

async fn it_answers_when_the_delivery_is_confirmed(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let waiting = waits(&house, "?confirmed=true&timeout_ms=600000");
    run.takes("t1").await;
    let taken_only = house
        .operator
        .get(&format!("{PATH}?confirmed=true&timeout_ms=30"))
        .await;
    taken_only.problem(ProblemKind::Timeout);
    run.says(&sign("Stop", Some(proof(ProofKind::Stop, "1"))))
        .await;
    let message: Message = waiting.await.unwrap().is(200);
    assert!(message.deliveries[0].confirmed);
}

async fn it_answers_when_the_message_is_withdrawn_or_failed(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let waiting = waits(&house, "?confirmed=true");
    house
        .operator
        .post("/v1/rooms/demo/messages/1/withdraw", &())
        .await;
    let message: Message = waiting.await.unwrap().is(200);
    assert_eq!(message.status, Status::Withdrawn);
    let to = serde_json::json!({"body": "x", "as": "ana", "to": run.id()});
    assert_eq!(
        house
            .operator
            .post("/v1/rooms/demo/messages", &to)
            .await
            .status,
        201
    );
    let operator = house.operator.clone();
    let waiting = tokio::spawn(async move { operator.get("/v1/rooms/demo/messages/2/wait").await });
    house.end_run(&run).await;
    let message: Message = waiting.await.unwrap().is(200);
    assert_eq!(message.status, Status::Failed);
}

async fn it_gives_up(house: House) {
    house.run("claude").await;
    house.post("m").await;
    let begun = Instant::now();
    let answer = house.operator.get(&format!("{PATH}?timeout_ms=150")).await;
    assert!(answer.problem(ProblemKind::Timeout).contains("queued"));
    let took = begun.elapsed();
    assert!(
        took >= Duration::from_millis(150) && took < Duration::from_secs(5),
        "{took:?}"
    );
    for bad in [
        "?timeout_ms=600001",
        "?timeout_ms=x",
        "?confirmed=maybe",
        "?until=taken",
    ] {
        let answer = house.operator.get(&format!("{PATH}{bad}")).await;
        answer.problem(ProblemKind::InvalidRequest);
    }
    let absent = house.operator.get("/v1/rooms/demo/messages/9/wait").await;
    absent.problem(ProblemKind::NotFound);
}

async fn it_is_refused_at_once_when_the_daemon_ends(mut house: House) {
    house.run("claude").await;
    house.post("m").await;
    let waiting = waits(&house, "");
    let operator = house.operator.clone();
    until("the wait has begun", || async {
        operator
            .get("/v1/metrics")
            .await
            .text()
            .contains("roomd_connections 2")
    })
    .await;
    let begun = Instant::now();
    house.end().await;
    waiting.await.unwrap().problem(ProblemKind::Unavailable);
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
}

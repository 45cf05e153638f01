//! Posting, on both lanes.

use room_protocol::limits::{BODY_BYTES, QUOTES};
use room_protocol::{AuthorKind, Message, ProblemKind, Status};
use serde_json::json;

use crate::kit::{House, on_both};

on_both!(
    a_person_posts,
    a_run_posts_as_itself_and_to_its_room_only,
    references_have_to_exist,
    an_addressee_has_to_be_there,
    a_resend_is_answered_with_the_first_message,
    one_key_at_once_makes_one_message,
    words_have_bounds,
);

const PATH: &str = "/v1/rooms/demo/messages";

async fn a_person_posts(house: House) {
    house.run("claude").await;
    let ask = json!({"body": "ünïcode\n\u{0}\u{1b}[1m", "as": "ana"});
    let message: Message = house.operator.post(PATH, &ask).await.is(201);
    assert_eq!(
        (message.number, message.handle.to_string().as_str()),
        (1, "demo/1")
    );
    assert_eq!(message.body, "ünïcode\n\u{0}\u{1b}[1m");
    assert_eq!(message.author.kind, AuthorKind::Person);
    assert_eq!(
        (message.status, message.deliveries.len()),
        (Status::Queued, 0)
    );
    assert_eq!(house.message(1).await, message);
    let ask = json!({"body": "b", "as": "bot", "kind": "agent", "reply_to": "demo/1", "quotes": ["demo/1"]});
    let second: Message = house.operator.post(PATH, &ask).await.is(201);
    assert_eq!(second.author.kind, AuthorKind::Agent);
    assert_eq!(second.reply_to, Some(message.handle.clone()));
    assert_eq!(second.quotes, [message.handle]);
    let detail = house.operator.post(PATH, &json!({"body": "b"})).await;
    assert!(detail.problem(ProblemKind::InvalidRequest).contains("as"));
}

async fn a_run_posts_as_itself_and_to_its_room_only(house: House) {
    let run = house.run("claude").await;
    let other = json!({"room": "api", "cli": "codex"});
    let answer = house.operator.post("/v1/runs", &other).await;
    assert_eq!(answer.status, 201);
    let ask = json!({"body": "there", "as": "ana"});
    assert_eq!(
        house
            .operator
            .post("/v1/rooms/api/messages", &ask)
            .await
            .status,
        201
    );

    let message: Message = run
        .lane
        .post("/v1/run/messages", &json!({"body": "done"}))
        .await
        .is(201);
    assert_eq!(message.room.as_str(), "demo");
    assert_eq!(message.author.name, run.opened.run.name);
    assert_eq!(message.author.kind, AuthorKind::Agent);
    assert_eq!(message.author.run.as_ref(), Some(run.id()));
    for refused in [
        json!({"body": "x", "as": "ana"}),
        json!({"body": "x", "kind": "person"}),
        json!({"body": "x", "reply_to": "api/1"}),
        json!({"body": "x", "quotes": ["demo/2", "api/1"]}),
    ] {
        run.lane
            .post("/v1/run/messages", &refused)
            .await
            .problem(ProblemKind::Forbidden);
    }
    let to_itself = json!({"body": "x", "to": run.id()});
    run.lane
        .post("/v1/run/messages", &to_itself)
        .await
        .problem(ProblemKind::InvalidRequest);
}

async fn references_have_to_exist(house: House) {
    house.run("claude").await;
    house.post("one").await;
    for (field, value) in [
        ("reply_to", json!("demo/9")),
        ("quotes", json!(["demo/1", "demo/9"])),
    ] {
        let ask = json!({"body": "x", "as": "ana", field: value});
        let detail = house
            .operator
            .post(PATH, &ask)
            .await
            .problem(ProblemKind::NotFound);
        assert!(detail.contains("demo/9"), "{detail}");
    }
    let ask = json!({"body": "x", "as": "ana"});
    let detail = house
        .operator
        .post("/v1/rooms/nowhere/messages", &ask)
        .await;
    let detail = detail.problem(ProblemKind::NotFound);
    assert!(detail.contains("room create nowhere"), "{detail}");
}

async fn an_addressee_has_to_be_there(house: House) {
    let run = house.run("claude").await;
    let elsewhere = json!({"room": "api", "cli": "codex"});
    let elsewhere: room_protocol::operator::OpenedRun =
        house.operator.post("/v1/runs", &elsewhere).await.is(201);
    let to = |id: &str| json!({"body": "x", "as": "ana", "to": id});
    let message: Message = house
        .operator
        .post(PATH, &to(run.id().as_str()))
        .await
        .is(201);
    assert_eq!(message.to.as_ref(), Some(run.id()));
    for absent in ["demo-none", elsewhere.run.id.as_str()] {
        let detail = house
            .operator
            .post(PATH, &to(absent))
            .await
            .problem(ProblemKind::NotFound);
        assert!(detail.contains(absent), "{detail}");
    }
    house.end_run(&run).await;
    assert_eq!(house.message(1).await.status, Status::Failed);
    let detail = house.operator.post(PATH, &to(run.id().as_str())).await;
    assert!(
        detail
            .problem(ProblemKind::RunEnded)
            .contains(run.id().as_str())
    );
}

async fn a_resend_is_answered_with_the_first_message(house: House) {
    house.run("claude").await;
    let ask = json!({"body": "once", "as": "ana", "key": "k1"});
    let first = house.operator.post(PATH, &ask).await;
    assert_eq!(first.status, 201);
    let again = house.operator.post(PATH, &ask).await;
    assert_eq!(
        (again.status, &again.body),
        (200, &first.body),
        "byte for byte"
    );
    let by_header = house.operator.with("idempotency-key", "k1");
    let again = by_header
        .post(PATH, &json!({"body": "once", "as": "ana"}))
        .await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(
        by_header.post(PATH, &ask).await.status,
        200,
        "both say the same"
    );

    let detail = house
        .operator
        .with("idempotency-key", "k2")
        .post(PATH, &ask)
        .await;
    detail.problem(ProblemKind::InvalidRequest);
    for other in [
        json!({"body": "twice", "as": "ana", "key": "k1"}),
        json!({"body": "once", "as": "ana", "key": "k1", "reply_to": "demo/1"}),
    ] {
        let detail = house
            .operator
            .post(PATH, &other)
            .await
            .problem(ProblemKind::Conflict);
        assert!(detail.contains("demo/1"), "{detail}");
    }
    let of_another = json!({"body": "twice", "as": "bo", "key": "k1"});
    assert_eq!(house.operator.post(PATH, &of_another).await.status, 201);
    for bad in ["", &"k".repeat(129)] {
        let ask = json!({"body": "x", "as": "ana", "key": bad});
        house
            .operator
            .post(PATH, &ask)
            .await
            .problem(ProblemKind::InvalidRequest);
    }
}

async fn one_key_at_once_makes_one_message(house: House) {
    let run = house.run("claude").await;
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let run = run.clone();
            tokio::spawn(async move {
                let ask = json!({"body": "once", "key": "k"});
                let answer = run.lane.post("/v1/run/messages", &ask).await;
                assert!(matches!(answer.status, 200 | 201), "{}", answer.text());
                (answer.status, answer.text())
            })
        })
        .collect();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    assert_eq!(
        answers.iter().filter(|(status, _)| *status == 201).count(),
        1
    );
    assert!(answers.iter().all(|(_, text)| *text == answers[0].1));
}

async fn words_have_bounds(house: House) {
    house.run("claude").await;
    let body = |body: &str| json!({"body": body, "as": "ana"});
    house
        .operator
        .post(PATH, &body(""))
        .await
        .problem(ProblemKind::InvalidRequest);
    let over = "x".repeat(BODY_BYTES + 1);
    house
        .operator
        .post(PATH, &body(&over))
        .await
        .problem(ProblemKind::TooLarge);
    let message: Message = house.operator.post(PATH, &body(&over[1..])).await.is(201);
    assert_eq!(message.body.len(), BODY_BYTES);
    let quotes = vec!["demo/1"; QUOTES + 1];
    let ask = json!({"body": "x", "as": "ana", "quotes": quotes});
    house
        .operator
        .post(PATH, &ask)
        .await
        .problem(ProblemKind::TooLarge);
    assert_eq!(message.number, 1, "what was refused took no number");
}

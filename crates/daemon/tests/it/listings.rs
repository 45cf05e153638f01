//! Rooms, runs and pages of messages.

use room_protocol::ProblemKind;
use room_protocol::lane::Peek;
use room_protocol::message::MessagePage;
use room_protocol::operator::{Health, Room, Rooms, Runs};
use serde_json::json;

use crate::kit::{House, on_both};

on_both!(
    rooms_are_made_and_listed,
    runs_are_listed_newest_first,
    pages_go_both_ways,
    a_peek_takes_nothing,
    long_messages_make_short_pages,
    health_tells_who_serves,
);

async fn rooms_are_made_and_listed(house: House) {
    let room: Room = house
        .operator
        .post("/v1/rooms", &json!({"name": "b"}))
        .await
        .is(201);
    let again: Room = house
        .operator
        .post("/v1/rooms", &json!({"name": "b"}))
        .await
        .is(200);
    assert_eq!(room, again);
    house
        .operator
        .post("/v1/rooms", &json!({"name": "a"}))
        .await
        .is::<Room>(201);
    let Rooms { rooms } = house.operator.get("/v1/rooms").await.is(200);
    let names: Vec<_> = rooms.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    house.run("claude").await;
    house.post("m").await;
    let demo: Room = house.operator.get("/v1/rooms/demo").await.is(200);
    assert_eq!(
        (demo.messages, demo.last_number, demo.live_runs),
        (1, Some(1), 1)
    );
    for (path, kind) in [
        ("/v1/rooms/none", ProblemKind::NotFound),
        ("/v1/rooms/None", ProblemKind::InvalidRequest),
        ("/v1/rooms/%ff", ProblemKind::InvalidRequest),
        ("/v1/rooms/none/messages", ProblemKind::NotFound),
        ("/v1/rooms/demo/messages/2", ProblemKind::NotFound),
        ("/v1/rooms/none/messages/1", ProblemKind::NotFound),
        ("/v1/rooms/demo/messages/x", ProblemKind::InvalidRequest),
        ("/v1/rooms/demo/messages/-1", ProblemKind::InvalidRequest),
    ] {
        house.operator.get(path).await.problem(kind);
    }
    let bad = house
        .operator
        .post("/v1/rooms", &json!({"name": "Demo"}))
        .await;
    assert!(
        bad.problem(ProblemKind::InvalidRequest)
            .contains("not a room name")
    );
}

async fn runs_are_listed_newest_first(house: House) {
    let mut runs = Vec::new();
    for cli in ["one", "two", "three"] {
        runs.push(house.run(cli).await);
    }
    house.end_run(&runs[1]).await;
    let list = async |query: &str| {
        let path = format!("/v1/runs{query}");
        let Runs { runs } = house.operator.get(&path).await.is(200);
        runs.into_iter().map(|r| r.cli).collect::<Vec<_>>()
    };
    assert_eq!(list("").await, ["three", "two", "one"]);
    assert_eq!(list("?live=true&room=demo").await, ["three", "one"]);
    house
        .operator
        .post("/v1/rooms", &json!({"name": "empty"}))
        .await;
    assert!(list("?room=empty").await.is_empty());
    for (query, kind) in [
        ("?room=none", ProblemKind::NotFound),
        ("?room=No", ProblemKind::InvalidRequest),
        ("?live=yes", ProblemKind::InvalidRequest),
        ("?state=idle", ProblemKind::InvalidRequest),
        ("/demo-none", ProblemKind::NotFound),
        ("/_", ProblemKind::InvalidRequest),
    ] {
        house
            .operator
            .get(&format!("/v1/runs{query}"))
            .await
            .problem(kind);
    }
}

async fn pages_go_both_ways(house: House) {
    let run = house.run("claude").await;
    for n in 1..=9 {
        house.post(&n.to_string()).await;
    }
    let page = async |query: &str| {
        let operator = house
            .operator
            .get(&format!("/v1/rooms/demo/messages{query}"))
            .await;
        let lane = run.lane.get(&format!("/v1/run/room/messages{query}")).await;
        let page: MessagePage = operator.is(200);
        assert_eq!(page, lane.is(200));
        assert_eq!(page.total, 9);
        let numbers: Vec<_> = page.messages.iter().map(|m| m.number).collect();
        (numbers, page.has_more)
    };
    assert_eq!(page("").await, ((1..=9).collect(), false));
    assert_eq!(page("?limit=2").await, (vec![8, 9], true));
    assert_eq!(page("?limit=2&before=8").await, (vec![6, 7], true));
    assert_eq!(page("?limit=2&after=0").await, (vec![1, 2], true));
    assert_eq!(page("?after=7").await, (vec![8, 9], false));
    assert_eq!(page("?after=2&before=4").await, (vec![3], false));
    for bad in [
        "?limit=0",
        "?limit=501",
        "?limit=x",
        "?before=-1",
        "?page=2",
        "?limit=1&limit=2",
    ] {
        let answer = house
            .operator
            .get(&format!("/v1/rooms/demo/messages{bad}"))
            .await;
        answer.problem(ProblemKind::InvalidRequest);
        let answer = run.lane.get(&format!("/v1/run/room/messages{bad}")).await;
        answer.problem(ProblemKind::InvalidRequest);
    }
}

async fn a_peek_takes_nothing(house: House) {
    let run = house.run("claude").await;
    for n in 1..=3 {
        house.post(&n.to_string()).await;
    }
    for _ in 0..2 {
        let peek: Peek = run.lane.get("/v1/run/messages?limit=2").await.is(200);
        assert_eq!(
            (peek.messages.len(), peek.waiting, peek.has_more),
            (2, 3, true)
        );
    }
    let peek: Peek = run.lane.get("/v1/run/messages").await.is(200);
    assert_eq!((peek.messages.len(), peek.has_more), (3, false));
    let got = run.takes("t1").await;
    assert_eq!(got.messages, peek.messages);
    run.lane
        .get("/v1/run/messages?limit=0")
        .await
        .problem(ProblemKind::InvalidRequest);
}

async fn long_messages_make_short_pages(house: House) {
    let run = house.run("claude").await;
    // In JSON each of these takes six bytes.
    let body = "\u{1}".repeat(60_000);
    for _ in 0..15 {
        house.post(&body).await;
    }
    let newest: MessagePage = house.operator.get("/v1/rooms/demo/messages").await.is(200);
    assert!(newest.has_more && newest.messages.len() < 15);
    assert_eq!(newest.messages.last().unwrap().number, 15);
    let oldest: MessagePage = house
        .operator
        .get("/v1/rooms/demo/messages?after=0")
        .await
        .is(200);
    assert!(oldest.has_more);
    assert_eq!(oldest.messages[0].number, 1);
    let peek = run.lane.get("/v1/run/messages").await;
    assert!(peek.body.len() < room_protocol::limits::ANSWER_BYTES);
    let peek: Peek = peek.is(200);
    assert_eq!((peek.has_more, peek.waiting), (true, 15));
}

async fn health_tells_who_serves(house: House) {
    house.run("claude").await;
    let health: Health = house.operator.get("/v1/health").await.is(200);
    assert_eq!(health.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(health.pid, std::process::id());
    assert_eq!(health.home, house.layout.home().display().to_string());
    assert_eq!(health.live_runs, 1);
    assert!(!health.store.is_empty());
}

//! Events: replay, then live, by a cursor.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::{Method, Response};
use room_protocol::{Event, EventKind, ProblemKind, ProofKind};
use roomd::Limits;
use serde_json::json;

use crate::kit::{Client, House, on_both, proof, sign};

on_both!(
    they_are_replayed_and_then_live,
    they_go_on_after_a_cursor,
    a_room_has_its_own,
    streams_end_at_once_with_the_daemon,
);

/// Reads a stream of events.
struct Reader {
    response: Response<Incoming>,
    text: String,
}

impl Reader {
    async fn open(client: &Client, query: &str) -> Self {
        let path = format!("/v1/events{query}");
        let response = client.open(Method::GET, &path, None).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            text: String::new(),
        }
    }

    /// The next block of lines, or nothing at the stream's end.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let block = block.to_owned();
                self.text = rest.to_owned();
                return Some(block);
            }
            let next = self.response.frame();
            let frame = tokio::time::timeout(Duration::from_secs(10), next);
            let frame = frame.await.expect("nothing comes")?;
            let data = frame.unwrap().into_data().unwrap();
            self.text.push_str(std::str::from_utf8(&data).unwrap());
        }
    }

    /// The next event, whose lines have to agree with its JSON.
    async fn event(&mut self) -> Option<Event> {
        loop {
            let block = self.block().await?;
            let line = |name: &str| {
                let prefix = format!("{name}: ");
                block
                    .lines()
                    .find_map(|l| l.strip_prefix(&prefix).map(str::to_owned))
            };
            let Some(data) = line("data") else { continue };
            let event: Event = serde_json::from_str(&data).unwrap();
            assert_eq!(line("id"), Some(event.cursor.to_string()));
            assert_eq!(line("event").as_deref(), Some(event.kind.as_str()));
            return Some(event);
        }
    }

    async fn kinds(&mut self, count: usize) -> Vec<EventKind> {
        let mut kinds = Vec::new();
        for _ in 0..count {
            kinds.push(self.event().await.unwrap().kind);
        }
        kinds
    }
}

async fn they_are_replayed_and_then_live(house: House) {
    use EventKind::{Confirmed, Posted, RunEnded, RunOpened, Taken};
    let run = house.run("claude").await;
    house.post("m").await;
    let mut reader = Reader::open(&house.operator, "").await;
    assert_eq!(reader.block().await.as_deref(), Some("retry: 1000"));
    assert_eq!(reader.kinds(2).await, [RunOpened, Posted]);
    run.takes("t1").await;
    let taken = reader.event().await.unwrap();
    assert_eq!((taken.kind, taken.run.as_ref()), (Taken, Some(run.id())));
    assert_eq!(taken.message.unwrap().to_string(), "demo/1");
    run.says(&sign("Stop", Some(proof(ProofKind::Stop, "1"))))
        .await;
    let answer = house
        .operator
        .post(
            &format!("/v1/runs/{}/end", run.id()),
            &json!({"exit_code": 3}),
        )
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(reader.kinds(1).await, [Confirmed]);
    let ended = reader.event().await.unwrap();
    assert_eq!((ended.kind, ended.exit_code), (RunEnded, Some(3)));
}

async fn they_go_on_after_a_cursor(house: House) {
    house.run("claude").await;
    for n in 0..450 {
        house.post(&n.to_string()).await;
    }
    let mut whole = Reader::open(&house.operator, "?after=0").await;
    let mut cursors = Vec::new();
    for _ in 0..451 {
        cursors.push(whole.event().await.unwrap().cursor);
    }
    assert!(
        cursors.is_sorted_by(|a, b| a < b),
        "several pages, in order, once each"
    );
    let middle = cursors[200];
    let next = |mut reader: Reader| async move { reader.event().await.unwrap().cursor };
    let after = Reader::open(&house.operator, &format!("?after={middle}")).await;
    assert_eq!(next(after).await, cursors[201]);
    let resumed = house.operator.with("last-event-id", &middle.to_string());
    let resumed = Reader::open(&resumed, "?after=0").await;
    assert_eq!(next(resumed).await, cursors[201]);
    let mut at_the_end = Reader::open(&house.operator, &format!("?after={}", cursors[450])).await;
    house.post("live").await;
    assert_eq!(
        at_the_end.event().await.unwrap().message.unwrap().number,
        451
    );
    let bad = house
        .operator
        .with("last-event-id", "x")
        .get("/v1/events")
        .await;
    bad.problem(ProblemKind::InvalidRequest);
    house
        .operator
        .get("/v1/events?before=1")
        .await
        .problem(ProblemKind::InvalidRequest);
}

async fn a_room_has_its_own(house: House) {
    house.run("claude").await;
    let other = json!({"room": "api", "cli": "codex"});
    assert_eq!(house.operator.post("/v1/runs", &other).await.status, 201);
    let mut reader = Reader::open(&house.operator, "?room=api").await;
    house.post("for demo").await;
    let post = json!({"body": "for api", "as": "ana"});
    assert_eq!(
        house
            .operator
            .post("/v1/rooms/api/messages", &post)
            .await
            .status,
        201
    );
    assert_eq!(
        reader.kinds(2).await,
        [EventKind::RunOpened, EventKind::Posted]
    );
    house
        .operator
        .get("/v1/events?room=nowhere")
        .await
        .problem(ProblemKind::NotFound);
}

async fn streams_end_at_once_with_the_daemon(mut house: House) {
    let mut readers = Vec::new();
    for _ in 0..20 {
        let mut reader = Reader::open(&house.operator, "").await;
        assert!(reader.block().await.is_some());
        readers.push(reader);
    }
    let begun = std::time::Instant::now();
    house.end().await;
    for mut reader in readers {
        assert_eq!(reader.block().await, None, "whole, not broken off");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn a_quiet_stream_says_that_it_is_alive() {
    let house = House::limited(Limits {
        keep_alive: Duration::from_millis(20),
        ..Limits::default()
    })
    .await;
    let mut reader = Reader::open(&house.operator, "").await;
    reader.block().await;
    for _ in 0..2 {
        assert_eq!(reader.block().await.as_deref(), Some(": alive"));
    }
}

#[tokio::test]
async fn a_reader_that_takes_nothing_holds_nobody_up() {
    let house = House::open(crate::kit::Backend::Sqlite).await;
    house.run("claude").await;
    let _stuck = Reader::open(&house.operator, "").await;
    let body = "x".repeat(1_000);
    for _ in 0..300 {
        house.post(&body).await;
    }
    let mut reader = Reader::open(&house.operator, "").await;
    assert_eq!(reader.kinds(301).await.len(), 301);
}

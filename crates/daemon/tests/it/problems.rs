//! Every refusal is a problem: each kind, and where it comes from.

use std::sync::Arc;

use hyper::Method;
use room_protocol::limits::REQUEST_BYTES;
use room_protocol::{ProblemKind, ProofKind};
use room_store::Error;
use serde_json::json;

use crate::kit::{Backend, House, Watched, ack, lease, proof, sign};

#[tokio::test]
async fn paths_and_methods() {
    let house = House::open(Backend::Memory).await;
    for client in [&house.operator, &house.lane()] {
        for path in [
            "/",
            "/v1",
            "/v2/health",
            "/v1/run/",
            "/v1/rooms/demo/messages/1/",
            "/%ff",
        ] {
            client.get(path).await.problem(ProblemKind::NotFound);
        }
    }
    let methods = [
        (Method::PUT, "/v1/health"),
        (Method::POST, "/v1/health"),
        (Method::GET, "/v1/shutdown"),
        (Method::DELETE, "/v1/rooms/demo"),
        (Method::GET, "/v1/run/leases"),
        (Method::POST, "/v1/run/leases/x"),
        (Method::from_bytes(b"BREW").unwrap(), "/v1/rooms"),
    ];
    for (method, path) in methods {
        let answer = house.operator.send(method, path, None).await;
        answer.problem(ProblemKind::MethodNotAllowed);
    }
}

#[tokio::test]
async fn bodies() {
    let house = House::open(Backend::Memory).await;
    let post = async |bytes: &[u8]| house.operator.post_bytes("/v1/rooms", bytes.to_vec()).await;
    let deep = "[".repeat(1_000);
    for (body, said) in [
        (&b""[..], "line 1 column 0"),
        (b"{\"name\":", "line 1 column 8"),
        (b"{\n\"name\" \"x\"}", "line 2 column 8"),
        (b"{\"name\":\"demo\"} x", "line 1 column 17"),
        (b"{\"name\":\"Demo\"}", "not a room name"),
        (b"{\"name\":\"demo\",\"colour\":1}", "colour"),
        (b"{\"name\":1}", "line 1 column 9"),
        (b"{\"name\":\"\xff\"}", "line 1 column"),
        (b"[]", "line 1 column"),
        (deep.as_bytes(), "line 1 column"),
    ] {
        let detail = post(body).await.problem(ProblemKind::InvalidRequest);
        assert!(detail.contains(said), "{detail} instead of {said}");
    }
    for wrong in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "",
    ] {
        let client = house.operator.with("content-type", wrong);
        let answer = client.post("/v1/rooms", &json!({"name": "demo"})).await;
        answer.problem(ProblemKind::UnsupportedMediaType);
    }
    let typed = house
        .operator
        .with("content-type", "Application/JSON; charset=utf-8");
    assert_eq!(
        typed
            .post("/v1/rooms", &json!({"name": "demo"}))
            .await
            .status,
        201
    );

    let mut over = b"{\"name\":\"demo\"}".to_vec();
    over.resize(REQUEST_BYTES, b' ');
    assert_eq!(post(&over).await.status, 200);
    over.push(b' ');
    post(&over).await.problem(ProblemKind::TooLarge);
    over.resize(4 * REQUEST_BYTES, b' ');
    post(&over).await.problem(ProblemKind::TooLarge);
}

#[tokio::test]
async fn credentials() {
    let house = House::open(Backend::Sqlite).await;
    let run = house.run("claude").await;
    let real = &run.opened.credential;
    let almost = format!(
        "{}{}",
        &real[..63],
        if real.ends_with('0') { '1' } else { '0' }
    );
    let wrong = [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        format!("Basic {real}"),
        format!("Bearer {almost}"),
        format!("Bearer {}", real.to_uppercase()),
        format!("Bearer {real}x"),
        "Bearer ünïcode".to_owned(),
    ];
    for value in wrong {
        let client = house.lane().with("authorization", &value);
        client
            .get("/v1/run")
            .await
            .problem(ProblemKind::Unauthorized);
        let lease = lease(sign("Stop", None));
        client
            .post("/v1/run/leases", &lease)
            .await
            .problem(ProblemKind::Unauthorized);
    }
    house
        .lane()
        .get("/v1/run")
        .await
        .problem(ProblemKind::Unauthorized);
    let lower = house
        .lane()
        .with("authorization", &format!("bearer {real}"));
    assert_eq!(lower.get("/v1/run").await.status, 200);
}

#[tokio::test]
async fn opening_a_run() {
    let house = House::open(Backend::Memory).await;
    for (field, value) in [
        ("room", json!("No")),
        ("room", json!("")),
        ("name", json!(" x")),
        ("name", json!("a\u{202e}b")),
        ("cli", json!("")),
        ("cli", json!("a\nb")),
        ("cli", json!("x".repeat(65))),
        ("git", json!("dirty")),
        ("interval_ms", json!(86_400_001)),
        ("interval_ms", json!(-1)),
        ("colour", json!("red")),
    ] {
        let mut ask = json!({"room": "demo", "cli": "claude"});
        ask[field] = value;
        let answer = house.operator.post("/v1/runs", &ask).await;
        answer.problem(ProblemKind::InvalidRequest);
    }
    let rooms = house.operator.get("/v1/rooms").await.text();
    assert_eq!(rooms, r#"{"rooms":[]}"#, "what was refused made no room");
}

#[tokio::test]
async fn a_store_that_fails() {
    let store = Arc::new(Watched::default());
    let house = House::on(store.clone()).await;
    let run = house.run("claude").await;
    house.post("m").await;
    let got = run.leases(&lease(sign("PostToolBatch", None))).await;
    let ack = ack(&got, proof(ProofKind::Batch, "t"));
    let post = json!({"body": "x", "as": "ana"});

    store.fail(Some(|| {
        Error::ResourceExhausted("the disk is full".to_owned())
    }));
    let answers = [
        house.operator.post("/v1/rooms/demo/messages", &post).await,
        run.lane.post("/v1/run/deliveries", &ack).await,
        house
            .operator
            .post("/v1/rooms", &json!({"name": "n"}))
            .await,
        house
            .operator
            .post("/v1/runs", &json!({"room": "demo", "cli": "x"}))
            .await,
        house
            .operator
            .post(&format!("/v1/runs/{}/end", run.id()), &json!({}))
            .await,
    ];
    for answer in answers {
        assert_eq!(answer.problem(ProblemKind::StorageFull), "the disk is full");
    }
    store.fail(Some(|| {
        Error::Internal("/secret/path is damaged".to_owned())
    }));
    let answer = house.operator.post("/v1/rooms/demo/messages", &post).await;
    let detail = answer.problem(ProblemKind::Internal);
    assert!(
        !detail.contains("secret"),
        "the reason is for the log: {detail}"
    );

    store.fail(None);
    assert_eq!(
        run.acknowledges(&ack).await.settled.len(),
        1,
        "nothing was lost"
    );
    let dirs = std::fs::read_dir(house.layout.runs_dir()).unwrap().count();
    assert_eq!(dirs, 1, "a run that was not opened leaves no directory");
    let ended = house.end_run(&run).await;
    assert!(ended.ended_at.is_some());
}

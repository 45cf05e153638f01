//! Slow, greedy and foreign peers.

use std::path::Path;
use std::time::{Duration, Instant};

use room_protocol::ProblemKind;
use roomd::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use crate::kit::{Backend, House, RunClient, raw, until};

const SOON: Duration = Duration::from_millis(100);

async fn closed(mut stream: UnixStream) -> String {
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    tokio::time::timeout(Duration::from_secs(5), read)
        .await
        .expect("the connection stays open")
        .unwrap();
    answer
}

#[tokio::test]
async fn a_header_that_does_not_come_ends_the_connection() {
    let house = House::limited(Limits {
        header_timeout: SOON,
        lane_header_timeout: SOON,
        ..Limits::default()
    })
    .await;
    for socket in [house.layout.lane_socket(), house.layout.operator_socket()] {
        for begun in ["", "GET /v1/health HTTP/1.1\r\nx: "] {
            let mut stream = UnixStream::connect(&socket).await.unwrap();
            stream.write_all(begun.as_bytes()).await.unwrap();
            closed(stream).await;
        }
    }
}

#[tokio::test]
async fn the_run_lane_has_less_patience() {
    let usual = Limits::default();
    assert!(usual.lane_header_timeout <= Duration::from_secs(2));
    assert!(usual.lane_body_timeout <= Duration::from_secs(5));
    let house = House::limited(Limits {
        lane_header_timeout: SOON,
        lane_body_timeout: SOON,
        ..usual
    })
    .await;
    let run = house.run("claude").await;
    let begun = b"POST /v1/run/leases HTTP/1.1\r\nx: ";
    let mut patient = UnixStream::connect(house.layout.operator_socket())
        .await
        .unwrap();
    patient.write_all(begun).await.unwrap();
    let mut stream = UnixStream::connect(house.layout.lane_socket())
        .await
        .unwrap();
    stream.write_all(begun).await.unwrap();
    closed(stream).await;
    let answer = closed(announced(&house.layout.lane_socket(), &run, 99).await).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    patient.write_all(b"\r\n\r\n").await.unwrap();
    let mut answered = [0; 9];
    patient.read_exact(&mut answered).await.unwrap();
    assert_eq!(&answered, b"HTTP/1.1 ");
}

/// A post of a run's that announces a body and does not send it.
async fn announced(socket: &Path, run: &RunClient, bytes: usize) -> UnixStream {
    let mut stream = UnixStream::connect(socket).await.unwrap();
    let head = format!(
        "POST /v1/run/messages HTTP/1.1\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: {bytes}\r\n\r\n",
        run.opened.credential
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn one_process_has_not_all_the_run_lane() {
    let house = House::limited(Limits {
        per_process: 3,
        ..Limits::default()
    })
    .await;
    let lane = house.layout.lane_socket();
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(UnixStream::connect(&lane).await.unwrap());
    }
    let (head, body) = raw(&lane, b"GET /v1/run HTTP/1.1\r\n\r\n").await;
    assert!(head.starts_with("HTTP/1.1 429 "), "{head}");
    assert!(body.contains("this process"), "{body}");
    for _ in 0..5 {
        held.push(
            UnixStream::connect(house.layout.operator_socket())
                .await
                .unwrap(),
        );
    }
    assert_eq!(house.operator.get("/v1/health").await.status, 200);
    held.clear();
    until("there is room again", || async {
        raw(&lane, b"GET /v1/run HTTP/1.1\r\nconnection: close\r\n\r\n")
            .await
            .0
            .contains(" 401 ")
    })
    .await;
}

#[tokio::test]
async fn large_bodies_have_a_bound_together_and_small_ones_pass() {
    let house = House::limited(Limits {
        bodies: 100_000,
        ..Limits::default()
    })
    .await;
    let run = house.run("claude").await;
    let lane = house.layout.lane_socket();
    let held = announced(&lane, &run, 90_000).await;
    // Its body is waited for, once a second one has no room beside it.
    let answer = closed(announced(&lane, &run, 90_000).await).await;
    assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
    assert!(answer.contains("\"too-many\""), "{answer}");
    let small = serde_json::json!({"body": "m"});
    let posted = run.lane.post("/v1/run/messages", &small).await;
    assert_eq!(posted.status, 201, "{}", posted.text());
    house.post(&"x".repeat(50_000)).await;
    drop(held);
    until("there is room again", || async {
        let large = serde_json::json!({"body": "x".repeat(50_000)});
        run.lane.post("/v1/run/messages", &large).await.status == 201
    })
    .await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_refused() {
    let house = House::limited(Limits {
        body_timeout: SOON,
        ..Limits::default()
    })
    .await;
    let mut stream = UnixStream::connect(house.layout.operator_socket())
        .await
        .unwrap();
    let head =
        "POST /v1/rooms HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let answer = closed(stream).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("\"timeout\""), "{answer}");
}

#[tokio::test]
async fn a_peer_that_takes_nothing_of_its_answer_is_dropped() {
    let house = House::limited(Limits {
        write_timeout: SOON,
        ..Limits::default()
    })
    .await;
    house.run("claude").await;
    for _ in 0..30 {
        house.post(&"x".repeat(60_000)).await;
    }
    let mut stream = UnixStream::connect(house.layout.operator_socket())
        .await
        .unwrap();
    let request = "GET /v1/rooms/demo/messages HTTP/1.1\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    until("the connection is given up", || async {
        house
            .operator
            .get("/v1/metrics")
            .await
            .text()
            .contains("roomd_connections 1")
    })
    .await;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.len() < 30 * 60_000, "it was cut off");
}

#[tokio::test]
async fn too_many_connections_are_told_so_and_runs_cannot_shut_the_operator_out() {
    let limits = Limits {
        connections: 4,
        reserved: 2,
        ..Limits::default()
    };
    let house = House::limited(limits).await;
    let lane = house.layout.lane_socket();
    let mut held = Vec::new();
    for _ in 0..2 {
        held.push(UnixStream::connect(&lane).await.unwrap());
    }
    let (head, body) = raw(&lane, b"GET /v1/run HTTP/1.1\r\n\r\n").await;
    assert!(head.starts_with("HTTP/1.1 429 "), "{head}");
    assert!(
        head.contains("application/problem+json") && body.contains("\"too-many\""),
        "{body}"
    );
    assert_eq!(house.operator.get("/v1/health").await.status, 200);
    held.clear();
    until("there is room again", || async {
        raw(&lane, b"GET /v1/run HTTP/1.1\r\nconnection: close\r\n\r\n")
            .await
            .0
            .contains(" 401 ")
    })
    .await;
}

#[tokio::test]
async fn another_user_has_no_operator_lane() {
    let limits = Limits {
        operator_uid: Some(4_000_000),
        ..Limits::default()
    };
    let house = House::limited(limits).await;
    let answer = house.operator.get("/v1/health").await;
    answer.problem(ProblemKind::Forbidden);
    assert_eq!(
        house.lane().get("/v1/run").await.status,
        401,
        "the run lane is for everybody"
    );
}

#[tokio::test]
async fn the_run_lane_has_a_runs_calls_only() {
    let house = House::open(Backend::Memory).await;
    let run = house.run("claude").await;
    for path in [
        "/v1/health",
        "/v1/runs",
        "/v1/rooms",
        "/v1/events",
        "/v1/metrics",
    ] {
        run.lane.get(path).await.problem(ProblemKind::NotFound);
    }
    run.lane
        .post("/v1/shutdown", &())
        .await
        .problem(ProblemKind::NotFound);
    let on_the_operator_lane = house.operator.with(
        "authorization",
        &format!("Bearer {}", run.opened.credential),
    );
    assert_eq!(on_the_operator_lane.get("/v1/run").await.status, 200);
}

#[tokio::test]
async fn what_is_not_http_is_refused_and_harms_nobody() {
    let house = House::open(Backend::Memory).await;
    let socket = house.layout.operator_socket();
    let many = "x: y\r\n".repeat(101);
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(70_000));
    let header = format!(
        "GET /v1/health HTTP/1.1\r\nx: {}\r\n\r\n",
        "x".repeat(8_200)
    );
    let cases = [
        ("garbage\r\n\r\n".to_owned(), 400, "invalid-request"),
        (
            "GET /v1/health HTTP/9.9\r\n\r\n".to_owned(),
            400,
            "invalid-request",
        ),
        (
            "GET /v1/health HTTP/1.1\r\nno colon\r\n\r\n".to_owned(),
            400,
            "invalid-request",
        ),
        (
            "POST /v1/rooms HTTP/1.1\r\ncontent-length: x\r\n\r\n".to_owned(),
            400,
            "invalid-request",
        ),
        (
            format!("GET /v1/health HTTP/1.1\r\n{many}\r\n"),
            413,
            "too-large",
        ),
        (long, 413, "too-large"),
        (header, 413, "too-large"),
    ];
    for (request, status, kind) in cases {
        let (head, body) = raw(&socket, request.as_bytes()).await;
        let shown: String = request.chars().take(60).collect();
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{shown:?}: {head}"
        );
        assert!(
            head.contains("content-type: application/problem+json"),
            "{shown:?}: {head}"
        );
        assert!(body.contains(&format!("\"{kind}\"")), "{shown:?}: {body}");
        let length = format!("content-length: {}\r\n", body.len());
        assert!(format!("{head}\r\n").contains(&length), "{shown:?}: {head}");
    }
    assert_eq!(house.operator.get("/v1/health").await.status, 200);
}

#[tokio::test]
async fn a_large_header_that_was_read_ahead_is_refused_too() {
    let house = House::open(Backend::Memory).await;
    let mut stream = UnixStream::connect(house.layout.operator_socket())
        .await
        .unwrap();
    // The reader's buffer grows with a body that fills it, and so has room for the next header as a whole.
    let body = format!("{{\"name\":\"demo\"}}{}", " ".repeat(150_000));
    let length = body.len();
    let first = format!(
        "POST /v1/rooms HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    let second = format!(
        "GET /v1/health HTTP/1.1\r\nx: {}\r\nconnection: close\r\n\r\n",
        "x".repeat(9_000)
    );
    stream
        .write_all((first + &second).as_bytes())
        .await
        .unwrap();
    let answers = closed(stream).await;
    assert!(answers.starts_with("HTTP/1.1 201 "), "{answers}");
    let (_, second) = answers.rsplit_once("HTTP/1.1 ").unwrap();
    assert!(
        second.starts_with("413 ") && second.contains("\"too-large\""),
        "{answers}"
    );
}

#[tokio::test]
async fn whoever_hangs_up_while_waiting_leaves_nothing_behind() {
    let house = House::open(Backend::Memory).await;
    house.run("claude").await;
    house.post("m").await;
    let mut streams = Vec::new();
    for _ in 0..10 {
        let mut stream = UnixStream::connect(house.layout.operator_socket())
            .await
            .unwrap();
        let request = b"GET /v1/rooms/demo/messages/1/wait HTTP/1.1\r\n\r\n";
        stream.write_all(request).await.unwrap();
        streams.push(stream);
    }
    let connections = async |count: usize| {
        let line = format!("roomd_connections {count}");
        house
            .operator
            .get("/v1/metrics")
            .await
            .text()
            .contains(&line)
    };
    until("they wait", || connections(11)).await;
    drop(streams);
    let begun = Instant::now();
    until("they are gone", || connections(1)).await;
    assert!(begun.elapsed() < Duration::from_secs(5));
}

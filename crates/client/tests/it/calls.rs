//! Calls that go well, and problems that the daemon tells.

use room_client::{Client, Error};
use room_protocol::ProblemKind;
use room_protocol::lane::{Heard, Sign};

use crate::server::{Server, answer, json, problem};

#[test]
fn a_question_an_order_and_a_removal() {
    let server = Server::answering(vec![
        json(r#"{"waiting":3}"#),
        json(r#"{"waiting":4}"#),
        "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
    ]);
    let client = server.client().credential("s3cret".to_owned());
    let heard: Heard = client.get("/v1/run/x?limit=1").unwrap();
    assert_eq!(heard.waiting, 3);
    let sign = Sign {
        event: "Stop".to_owned(),
        ..Sign::default()
    };
    let heard: Heard = client.post("/v1/run/heartbeat", &sign).unwrap();
    assert_eq!(heard.waiting, 4);
    client.delete::<()>("/v1/run/leases/l").unwrap();

    let requests = server.requests();
    let first: Vec<&str> = requests.iter().map(|r| r.lines().next().unwrap()).collect();
    assert_eq!(
        first,
        [
            "GET /v1/run/x?limit=1 HTTP/1.1",
            "POST /v1/run/heartbeat HTTP/1.1",
            "DELETE /v1/run/leases/l HTTP/1.1"
        ]
    );
    for request in &requests {
        assert!(
            request.contains("\r\nauthorization: Bearer s3cret\r\n"),
            "{request}"
        );
        assert!(request.contains("\r\nconnection: close\r\n"), "{request}");
    }
    assert!(requests[1].contains("\r\ncontent-type: application/json\r\n"));
    assert!(
        requests[1].ends_with("\r\n\r\n{\"event\":\"Stop\"}"),
        "{}",
        requests[1]
    );
    assert!(!format!("{client:?}").contains("s3cret"));
}

#[test]
fn chunks_and_answers_without_a_length() {
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{\"wa\r\n9\r\niting\":5}\r\n0\r\n\r\n";
    let closed = "HTTP/1.1 200 OK\r\n\r\n{\"waiting\":6}";
    let server = Server::answering(vec![chunked.to_owned(), closed.to_owned()]);
    assert_eq!(server.client().get::<Heard>("/").unwrap().waiting, 5);
    assert_eq!(server.client().get::<Heard>("/").unwrap().waiting, 6);
}

#[test]
fn plain_text() {
    let server = Server::answering(vec![answer("200 OK", "text/plain", "up 1\n")]);
    assert_eq!(server.client().text("/v1/metrics").unwrap(), "up 1\n");
}

#[test]
fn a_problem_says_what_the_daemon_said() {
    for (kind, temporary) in [
        (ProblemKind::NotFound, false),
        (ProblemKind::Unauthorized, false),
        (ProblemKind::LeaseHeld, false),
        (ProblemKind::StorageFull, true),
        (ProblemKind::Unavailable, true),
        (ProblemKind::TooMany, true),
    ] {
        let server = Server::answering(vec![problem(kind, "no room demo")]);
        let error = server.client().get::<Heard>("/v1/rooms/demo").unwrap_err();
        assert_eq!(error.problem(), Some(kind));
        assert_eq!(error.to_string(), "no room demo");
        assert_eq!(error.is_temporary(), temporary, "{kind:?}");
    }
}

#[test]
fn an_answer_that_comes_before_the_whole_request_counts() {
    // Too many connections: the daemon answers and closes without reading. A request that is larger
    // than the socket's buffer breaks the pipe meanwhile.
    let server = Server::new(|mut stream, _| {
        use std::io::Write;
        let text = problem(ProblemKind::TooMany, "too many connections");
        stream.write_all(text.as_bytes()).unwrap();
    });
    let large = "x".repeat(4_000_000);
    match server.client().post::<Heard>("/", &large) {
        Err(Error::Problem(p)) => assert_eq!(p.kind, ProblemKind::TooMany),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_environment_has_no_say() {
    // A proxy variable would send ureq elsewhere by default.
    let server = Server::answering(vec![json("{\"waiting\":1}")]);
    let me = std::env::current_exe().unwrap();
    let status = std::process::Command::new(me)
        .args(["--exact", "calls::asks_once", "--nocapture"])
        .env("ROOM_TEST_SOCKET", &server.socket)
        .env("http_proxy", "http://127.0.0.1:9")
        .env("ALL_PROXY", "http://127.0.0.1:9")
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(server.requests().len(), 1);
}

/// The other process of [`the_environment_has_no_say`]; without it, nothing.
#[test]
fn asks_once() {
    if let Some(socket) = std::env::var_os("ROOM_TEST_SOCKET") {
        Client::new(socket).get::<Heard>("/").unwrap();
    }
}

//! Following server-sent events.

use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;

use room_client::{Error, Why};
use room_protocol::{Event, EventKind, ProblemKind};

use crate::server::{Server, answer, problem, request};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

fn event(cursor: u64, kind: &str) -> String {
    format!(
        r#"{{"cursor":{cursor},"at":"2026-11-30T14:02:11.000Z","kind":"{kind}","room":"demo","message":"demo/7"}}"#
    )
}

fn stream(text: &str) -> Server {
    Server::answering(vec![format!("{HEAD}{text}")])
}

#[test]
fn events_come_in_order_and_the_end_is_an_error() {
    let (one, two, three) = (
        event(4, "posted"),
        event(5, "never_heard_of"),
        event(6, "taken"),
    );
    let (half, rest) = three.split_at(three.find(',').unwrap() + 1);
    let server = stream(&format!(
        ": keep-alive\n\nid: 4\nevent: posted\ndata: {one}\n\nretry: 1\n\ndata:{two}\n\r\nid: 6\r\ndata: {half}\r\ndata: {rest}\r\n\r\ndata: {one}\n"
    ));
    let mut events = server.client().events("/v1/events?after=3").unwrap();
    assert_eq!(events.cursor(), None);
    let first: Event = events.next().unwrap().unwrap();
    assert_eq!((first.cursor, first.kind), (4, EventKind::Posted));
    // What this version has no word for is passed over, and its cursor kept. An event without its
    // blank line did not come.
    let second = events.next().unwrap().unwrap();
    assert_eq!((second.cursor, second.kind), (6, EventKind::Taken));
    assert_eq!(events.cursor(), Some(6));
    match events.next() {
        Some(Err(
            error @ Error::Unreachable {
                why: Why::Closed, ..
            },
        )) => {
            assert!(error.is_temporary());
        }
        other => panic!("{other:?}"),
    }
    assert!(events.next().is_none());
    assert!(server.requests()[0].starts_with("GET /v1/events?after=3 HTTP/1.1\r\n"));
    assert!(server.requests()[0].contains("accept: text/event-stream\r\n"));
}

#[test]
fn an_event_is_waited_for_beyond_the_deadline() {
    let (send, receive) = mpsc::channel::<()>();
    let server = Server::new(move |mut stream, _| {
        let _ = request(&mut stream);
        stream.write_all(HEAD.as_bytes()).unwrap();
        // Until the test has seen its deadline pass.
        let _ = receive.recv();
        let text = format!("data: {}\n\n", event(1, "posted"));
        stream.write_all(text.as_bytes()).unwrap();
    });
    let deadline = Duration::from_millis(100);
    let mut events = server.client().deadline(deadline).events("/").unwrap();
    let waiting = std::thread::spawn(move || events.next().unwrap());
    std::thread::sleep(deadline * 3);
    assert!(!waiting.is_finished());
    send.send(()).unwrap();
    assert_eq!(waiting.join().unwrap().unwrap().cursor, 1);
}

#[test]
fn a_stream_that_never_begins_ends_with_the_deadline() {
    let server = Server::new(|stream, _| std::mem::forget(stream));
    let client = server.client().deadline(Duration::from_millis(200));
    match client.events("/") {
        Err(Error::Unreachable {
            why: Why::TimedOut, ..
        }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_stream_is_refused() {
    let server = Server::answering(vec![
        problem(ProblemKind::NotFound, "no such room"),
        answer("200 OK", "application/json", "{}"),
    ]);
    let refused = server.client().events("/").unwrap_err();
    assert_eq!(refused.problem(), Some(ProblemKind::NotFound));
    assert!(matches!(
        server.client().events("/"),
        Err(Error::Garbage { .. })
    ));
}

#[test]
fn garbage_in_a_stream_is_an_error() {
    let endless = format!("data: {}", "x".repeat(3_000_000));
    let many = "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".repeat(60_000);
    for wrong in [
        "data: {\n\n",
        "data: {\"cursor\":1,\"kind\":\"posted\"}\n\n",
        &endless,
        &many,
    ] {
        let server = stream(wrong);
        let mut events = server.client().events("/").unwrap();
        assert!(matches!(events.next(), Some(Err(Error::Garbage { .. }))));
        assert!(events.next().is_none());
    }
}

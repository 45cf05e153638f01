//! Servers that are not there, hang, drip, lie or never end: an error that says what, in time.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use room_client::{Client, Error, Why};
use room_protocol::lane::Heard;
use room_protocol::limits;
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::server::{Server, answer, json, request};

const DEADLINE: Duration = Duration::from_millis(300);
/// Far less than what a step without a deadline would take, enough for a loaded machine.
const SLACK: Duration = Duration::from_secs(3);

fn why(error: &Error) -> Why {
    match error {
        Error::Unreachable { why, .. } => *why,
        other => panic!("{other:?}"),
    }
}

fn asked(socket: &Path) -> Error {
    Client::new(socket)
        .deadline(DEADLINE)
        .get::<Heard>("/v1/run")
        .unwrap_err()
}

fn times_out(call: impl FnOnce() -> Error) {
    let start = Instant::now();
    let error = call();
    assert_eq!(why(&error), Why::TimedOut, "{error}");
    assert!(error.is_temporary());
    let took = start.elapsed();
    assert!(
        took >= DEADLINE - Duration::from_millis(20),
        "gave up after {took:?}"
    );
    assert!(took < DEADLINE + SLACK, "took {took:?}");
}

#[test]
fn nobody_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let missing = asked(&dir.path().join("none"));
    assert_eq!(why(&missing), Why::NoSocket);
    assert!(missing.is_temporary() && missing.nobody_listens());
    let text = missing.to_string();
    assert!(text.contains("none: there is no socket"), "{text}");

    let stale = dir.path().join("stale");
    drop(UnixListener::bind(&stale).unwrap());
    let stale = asked(&stale);
    assert_eq!(why(&stale), Why::Refused);
    assert!(stale.nobody_listens());

    let plain = dir.path().join("plain");
    std::fs::write(&plain, "").unwrap();
    // Linux refuses a connection to a plain file as it does one to a stale socket.
    assert!(matches!(
        why(&asked(&plain)),
        Why::Refused | Why::NotASocket
    ));
    assert_eq!(why(&asked(&plain.join("below"))), Why::NotASocket);

    let datagrams = dir.path().join("datagrams");
    let _bound = std::os::unix::net::UnixDatagram::bind(&datagrams).unwrap();
    let error = asked(&datagrams);
    assert_eq!(why(&error), Why::NotASocket);
    assert!(!error.is_temporary());

    let long = dir.path().join("x".repeat(120));
    let error = asked(&long);
    assert_eq!(why(&error), Why::PathTooLong);
    assert!(error.to_string().contains("shorter ROOM_HOME"), "{error}");
}

#[test]
fn a_full_backlog_ends_with_the_deadline() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s");
    let address = SocketAddrUnix::new(&path).unwrap();
    let socket = |flags| net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None);
    let listener = socket(SocketFlags::CLOEXEC).unwrap();
    net::bind(&listener, &address).unwrap();
    net::listen(&listener, 1).unwrap();
    let mut queued: Vec<OwnedFd> = Vec::new();
    loop {
        let one = socket(SocketFlags::CLOEXEC | SocketFlags::NONBLOCK).unwrap();
        match net::connect(&one, &address) {
            Ok(()) => queued.push(one),
            Err(e) => {
                assert_eq!(e, rustix::io::Errno::AGAIN);
                break;
            }
        }
    }
    assert!(!queued.is_empty());
    times_out(|| asked(&path));
}

#[test]
fn a_hung_daemon_ends_with_the_deadline() {
    // Never accepts, never answers; the backlog has room.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s");
    let _listener = UnixListener::bind(&path).unwrap();
    times_out(|| asked(&path));
    // Never reads either, so that a request larger than the socket's buffer gets stuck.
    let large = "x".repeat(4_000_000);
    times_out(|| {
        Client::new(&path)
            .deadline(DEADLINE)
            .post::<Heard>("/", &large)
            .unwrap_err()
    });
}

/// Writes a byte, again and again, each well within the deadline.
fn drip(stream: &mut UnixStream, bytes: &[u8]) {
    for byte in bytes {
        if stream.write_all(&[*byte]).is_err() {
            return;
        }
        std::thread::sleep(DEADLINE / 10);
    }
}

#[test]
fn dripping_does_not_stretch_the_deadline() {
    let head = Server::new(|mut stream, _| drip(&mut stream, json(&"1".repeat(200)).as_bytes()));
    times_out(|| asked(&head.socket));
    let body = Server::new(|mut stream, _| {
        let _ = request(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n");
        drip(&mut stream, &[b'1'; 500]);
    });
    times_out(|| asked(&body.socket));
    let interim = Server::new(|mut stream, _| {
        for _ in 0..200 {
            if stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").is_err() {
                return;
            }
            std::thread::sleep(DEADLINE / 10);
        }
    });
    let start = Instant::now();
    asked(&interim.socket);
    assert!(start.elapsed() < DEADLINE + SLACK);
}

#[test]
fn a_daemon_that_dies_in_the_middle() {
    for cut in [
        "",
        "HTTP/1.1 20",
        "HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"waiting\":1}",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nd\r\n{\"waiting\":1}\r\n",
    ] {
        let server = Server::answering(vec![cut.to_owned()]);
        let error = server.client().get::<Heard>("/").unwrap_err();
        assert_eq!(why(&error), Why::Closed, "{cut:?}: {error}");
        assert!(error.is_temporary());
    }
}

#[test]
fn garbage_is_an_error() {
    let long_header = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(20_000));
    let endless_header = format!("HTTP/1.1 200 OK\r\n{}", "x: y\r\n".repeat(20_000));
    for wrong in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "\0\0\0\0\0\0\0\0\r\n\r\n",
        "HTTP/1.1 banana\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: banana\r\n\r\n{\"waiting\":1}",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n",
        &json("{\"waiting\":"),
        &json("{}"),
        &json("{\"waiting\":1}{"),
        &json(""),
        // The length says less than was sent.
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{\"waiting\":1}",
        &answer("500 no", "text/plain", "boom"),
        &answer("404 no", "application/problem+json", "{}"),
        // A problem whose status is not the answer's.
        &answer(
            "500 no",
            "application/problem+json",
            r#"{"type":"not-found","title":"","status":404,"detail":""}"#,
        ),
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n",
        &long_header,
        &endless_header,
    ] {
        let server = Server::answering(vec![wrong.to_owned()]);
        let error = server.client().get::<Heard>("/").unwrap_err();
        let shown: String = wrong.chars().take(80).collect();
        assert!(
            matches!(error, Error::Garbage { .. }),
            "{shown:?}: {error:?}"
        );
        assert!(!error.is_temporary());
        assert_eq!(server.requests().len(), 1, "{shown:?} was asked again");
    }
}

#[test]
fn an_answer_has_a_bound() {
    let server = Server::new(|mut stream, _| {
        let _ = request(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n\"");
        while stream.write_all(&[b'x'; 65_536]).is_ok() {}
    });
    let error = server.client().get::<String>("/").unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&limits::ANSWER_BYTES.to_string()), "{text}");
}

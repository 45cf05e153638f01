//! The real binary: its start, its end, its sudden death.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use hyper::Method;
use room_protocol::Message;
use room_protocol::operator::{Health, OpenedRun};
use rustix::process::Signal;
use serde_json::json;

use crate::kit::{Process, until};

fn roomd() -> Command {
    Command::new(env!("CARGO_BIN_EXE_roomd"))
}

#[test]
fn help_and_version_and_wrong_arguments() {
    roomd().arg("--help").assert().success();
    let version = format!("roomd {}\n", env!("CARGO_PKG_VERSION"));
    roomd().arg("--version").assert().success().stdout(version);
    roomd().arg("--colour").assert().code(2);
    roomd().env_clear().assert().code(1).stdout("");
    let dir = tempfile::tempdir().unwrap();
    let relative = roomd()
        .current_dir(dir.path())
        .env("ROOM_HOME", "home")
        .timeout(Duration::from_secs(10))
        .output()
        .unwrap();
    assert_eq!(relative.status.code(), Some(1));
    let said = String::from_utf8(relative.stderr).unwrap();
    assert!(said.contains("absolute"), "{said}");
    assert!(!fs::exists(dir.path().join("home")).unwrap());
}

#[tokio::test]
async fn a_second_daemon_says_so_and_exits_with_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let first = Process::serve(&home).await;
    let health: Health = first.operator().get("/v1/health").await.is(200);
    let second = roomd()
        .arg("--home")
        .arg(&home)
        .timeout(Duration::from_secs(10))
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    let said = String::from_utf8(second.stderr).unwrap();
    assert!(said.contains("already serves"), "{said}");
    assert!(said.contains(&health.pid.to_string()), "{said}");
    assert_eq!(first.operator().get("/v1/health").await.status, 200);
}

#[tokio::test]
async fn it_ends_on_a_signal_at_once_with_streams_and_waits_open() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let dir = tempfile::tempdir().unwrap();
        let mut roomd = Process::serve(&dir.path().join("home")).await;
        let operator = roomd.operator();
        operator.post("/v1/rooms", &json!({"name": "demo"})).await;
        let post = json!({"body": "m", "as": "ana"});
        operator
            .post("/v1/rooms/demo/messages", &post)
            .await
            .is::<Message>(201);
        let mut streams = Vec::new();
        for _ in 0..10 {
            streams.push(operator.open(Method::GET, "/v1/events", None).await);
        }
        let wait = operator.clone();
        let wait = tokio::spawn(async move { wait.get("/v1/rooms/demo/messages/1/wait").await });
        let idle = tokio::net::UnixStream::connect(roomd.layout.lane_socket())
            .await
            .unwrap();
        until("all are in", || async {
            let text = operator.get("/v1/metrics").await.text();
            text.contains("roomd_event_streams 10") && text.contains("roomd_connections 13")
        })
        .await;
        let begun = Instant::now();
        roomd.signal(signal);
        let status = roomd.ended().await;
        assert_eq!(status.code(), Some(0));
        assert!(
            begun.elapsed() < Duration::from_secs(3),
            "{:?}",
            begun.elapsed()
        );
        assert_eq!(wait.await.unwrap().status, 503);
        for gone in [roomd.layout.operator_socket(), roomd.layout.lane_socket()] {
            assert!(!fs::exists(gone).unwrap());
        }
        drop((streams, idle));
    }
}

#[tokio::test]
async fn it_ends_when_it_is_asked_over_the_wire() {
    let dir = tempfile::tempdir().unwrap();
    let mut roomd = Process::serve(&dir.path().join("home")).await;
    assert_eq!(roomd.operator().post("/v1/shutdown", &()).await.status, 202);
    assert_eq!(roomd.ended().await.code(), Some(0));
}

#[tokio::test]
async fn a_peer_that_never_ends_is_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let mut roomd = Process::serve(&dir.path().join("home")).await;
    let head =
        b"POST /v1/rooms HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n";
    let mut half = std::os::unix::net::UnixStream::connect(roomd.layout.operator_socket()).unwrap();
    std::io::Write::write_all(&mut half, head).unwrap();
    until("it is in", || async {
        roomd
            .operator()
            .get("/v1/metrics")
            .await
            .text()
            .contains("roomd_connections 2")
    })
    .await;
    let begun = Instant::now();
    roomd.signal(Signal::TERM);
    assert_eq!(roomd.ended().await.code(), Some(0));
    assert!(
        begun.elapsed() < Duration::from_secs(4),
        "{:?}",
        begun.elapsed()
    );
    let mut rest = Vec::new();
    // Broken off or closed: whatever, but over.
    let _ = half.read_to_end(&mut rest);
}

#[tokio::test]
async fn killed_at_any_moment_it_has_lost_nothing_that_it_answered() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let mut answered: Vec<Message> = Vec::new();
    let mut credential = None;
    for round in 0..5u32 {
        let mut roomd = Process::serve(&home).await;
        let operator = roomd.operator();
        if credential.is_none() {
            let ask = json!({"room": "demo", "cli": "claude"});
            let opened: OpenedRun = operator.post("/v1/runs", &ask).await.is(201);
            credential = Some(opened.credential);
        }
        for before in &answered {
            let path = format!("/v1/rooms/demo/messages/{}", before.number);
            assert_eq!(operator.get(&path).await.is::<Message>(200), *before);
        }
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let posters: Vec<_> = (0..4)
            .map(|poster| {
                let (socket, tell) = (roomd.layout.operator_socket(), tell.clone());
                tokio::spawn(async move {
                    for n in 0.. {
                        let Some(answer) = post(&socket, &format!("{round}/{poster}/{n}")).await
                        else {
                            return;
                        };
                        tell.send(answer).unwrap();
                    }
                })
            })
            .collect();
        drop(tell);
        for _ in 0..(20 + round * 7) {
            answered.push(told.recv().await.unwrap());
        }
        roomd.killed().await;
        assert!(
            fs::symlink_metadata(roomd.layout.operator_socket())
                .unwrap()
                .file_type()
                .is_socket()
        );
        for poster in posters {
            poster.await.unwrap();
        }
        while let Some(answer) = told.recv().await {
            answered.push(answer);
        }
    }
    let roomd = Process::serve(&home).await;
    let bearer = format!("Bearer {}", credential.unwrap());
    let lane = crate::kit::Client::new(&roomd.layout.lane_socket()).with("authorization", &bearer);
    let run: room_protocol::Run = lane.get("/v1/run").await.is(200);
    assert!(
        run.unread >= answered.len() as u64,
        "{} of {}",
        run.unread,
        answered.len()
    );
    for before in &answered {
        let path = format!("/v1/rooms/demo/messages/{}", before.number);
        assert_eq!(
            roomd.operator().get(&path).await.is::<Message>(200),
            *before
        );
    }
}

/// Posts over a connection of its own; nothing when the daemon does not answer.
async fn post(socket: &std::path::Path, body: &str) -> Option<Message> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let body = json!({"body": body, "as": "ana"}).to_string();
    let request = format!(
        "POST /v1/rooms/demo/messages HTTP/1.1\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = tokio::net::UnixStream::connect(socket).await.ok()?;
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    assert!(head.starts_with("HTTP/1.1 201 "), "{answer}");
    serde_json::from_str(body).ok()
}

#[tokio::test]
async fn stale_sockets_are_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    fs::create_dir_all(home.join("lane")).unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
    for name in ["roomd.sock", "roomd.temp", "lane/roomd.sock"] {
        drop(UnixListener::bind(home.join(name)).unwrap());
    }
    let roomd = Process::serve(&home).await;
    let lane = crate::kit::Client::new(&roomd.layout.lane_socket());
    assert_eq!(lane.get("/v1/run").await.status, 401);
    assert!(!fs::exists(home.join("roomd.temp")).unwrap());
}

#[tokio::test]
async fn modes_are_right_whatever_the_umask() {
    let dir = tempfile::tempdir().unwrap();
    for umask in ["000", "077", "027"] {
        let home = dir.path().join(umask);
        let roomd = Process::serve_with_umask(&home, umask).await;
        let (operator, socket) = (roomd.operator(), roomd.layout.operator_socket());
        let ask = json!({"room": "demo", "cli": "claude"});
        let opened: OpenedRun = operator.post("/v1/runs", &ask).await.is(201);
        let run = home.join("runs").join(opened.run.id.as_str());
        let expected = [
            (home.clone(), 0o700),
            (home.join("runs"), 0o700),
            (run.clone(), 0o700),
            (run.join("outbox"), 0o700),
            (run.join("run.json"), 0o600),
            (home.join("lane"), 0o755),
            (socket, 0o600),
            (home.join("lane/roomd.sock"), 0o666),
            (home.join("room.db"), 0o600),
        ];
        for (path, mode) in expected {
            let got = fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o7777;
            assert_eq!(got, mode, "umask {umask}: {}", path.display());
        }
    }
}

#[tokio::test]
async fn the_log_has_no_words_and_no_credentials() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let mut roomd = Process::serve(&home).await;
    let ask = json!({"room": "demo", "cli": "claude"});
    let opened: OpenedRun = roomd.operator().post("/v1/runs", &ask).await.is(201);
    let post = json!({"body": "a secret word", "as": "ana"});
    assert_eq!(
        roomd
            .operator()
            .post("/v1/rooms/demo/messages", &post)
            .await
            .status,
        201
    );
    roomd.signal(Signal::TERM);
    roomd.ended().await;
    let log = fs::read_to_string(home.with_extension("log")).unwrap();
    assert!(
        log.contains("serves") && log.contains(opened.run.id.as_str()),
        "{log}"
    );
    assert!(
        !log.contains("secret") && !log.contains(&opened.credential),
        "{log}"
    );
}

#[tokio::test]
async fn a_file_that_may_not_grow_is_a_full_disk_and_not_its_death() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let mut roomd = Process::serve_with_small_files(&home, 1_024).await;
    let operator = roomd.operator();
    operator.post("/v1/rooms", &json!({"name": "demo"})).await;
    let post = json!({"body": "x".repeat(60_000), "as": "ana"});
    let mut taken = 0u64;
    let refused = loop {
        let answer = operator.post("/v1/rooms/demo/messages", &post).await;
        if answer.status != 201 {
            break answer;
        }
        taken += 1;
        assert!(taken < 100, "no limit");
    };
    refused.problem(room_protocol::ProblemKind::StorageFull);
    assert!(taken > 0);
    let page: room_protocol::message::MessagePage = operator
        .get("/v1/rooms/demo/messages?limit=100")
        .await
        .is(200);
    assert_eq!(page.total, taken);
    roomd.signal(Signal::TERM);
    assert_eq!(roomd.ended().await.code(), Some(0));
    let roomd = Process::serve(&home).await;
    let answer = roomd
        .operator()
        .post("/v1/rooms/demo/messages", &post)
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let page: room_protocol::message::MessagePage = roomd
        .operator()
        .get("/v1/rooms/demo/messages?limit=100")
        .await
        .is(200);
    assert_eq!(page.total, taken + 1);
}

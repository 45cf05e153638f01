//! Invariant 10: whatever goes wrong, status 0, nothing but a whole answer, within the deadline.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::time::Duration;

use room_protocol::runfile::RunFile;
use serde_json::{Value, json};

use crate::support::daemon::{Daemon, layout};
use crate::support::deadline::{AFTER_TOOL, SLACK, TURN, hooks};
use crate::support::hook::{Hook, shown};
use crate::support::payload::{batch, stop};

/// A home with a run in it, and something else than a daemon.
struct Fake {
    home: tempfile::TempDir,
}

impl Fake {
    fn new() -> Self {
        let home = tempfile::Builder::new().prefix("room").tempdir().unwrap();
        let dir = home.path().join("runs/demo-1");
        std::fs::create_dir_all(&dir).unwrap();
        let run: RunFile = serde_json::from_value(json!({
            "run": "demo-1", "room": "demo", "name": "claude", "credential": "secret",
            "interval_ms": 0, "opened_at": "2026-11-30T14:02:11.000Z",
        }))
        .unwrap();
        std::fs::write(dir.join("run.json"), serde_json::to_vec(&run).unwrap()).unwrap();
        std::fs::create_dir(home.path().join("lane")).unwrap();
        Self { home }
    }

    fn listen(&self) -> UnixListener {
        UnixListener::bind(layout(self.home.path()).lane_socket()).unwrap()
    }

    fn hook(&self, name: &str) -> Hook {
        Hook::new(name)
            .env("RUN_ID", "demo-1")
            .env("ROOM_HOME", self.home.path())
            .args(&["--cli", "claude"])
    }

    /// Every hook is silent within its deadline.
    fn all_silent(&self) {
        for (name, payload, deadline) in hooks() {
            let outcome = self.hook(name).on(&payload).run_silent();
            let (event, took) = (&payload["hook_event_name"], outcome.took);
            assert!(took < deadline + SLACK, "{name} at {event}: {took:?}");
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.home.path().join("runs/demo-1/hooks.log")).unwrap_or_default()
    }
}

#[test]
fn no_daemon() {
    let fake = Fake::new();
    fake.all_silent();
    assert!(fake.log().contains("no socket"), "{}", fake.log());
    drop(fake.listen());
    fake.all_silent();
}

#[test]
fn a_daemon_that_accepts_and_never_answers() {
    let fake = Fake::new();
    let listener = fake.listen();
    let accepting = std::thread::spawn(move || {
        let open: Vec<_> = listener.incoming().take(hooks().len()).collect();
        open.len()
    });
    fake.all_silent();
    assert_eq!(accepting.join().unwrap(), hooks().len());
    assert!(fake.log().contains("in time"), "{}", fake.log());
}

/// Nobody accepts and the backlog is full: a connect hangs.
#[test]
fn a_daemon_with_a_full_backlog() {
    let fake = Fake::new();
    let socket = layout(fake.home.path()).lane_socket();
    let address = rustix::net::SocketAddrUnix::new(&socket).unwrap();
    let listener = rustix::net::socket(
        rustix::net::AddressFamily::UNIX,
        rustix::net::SocketType::STREAM,
        None,
    )
    .unwrap();
    rustix::net::bind(&listener, &address).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            let flags = rustix::net::SocketFlags::NONBLOCK;
            let socket = rustix::net::socket_with(
                rustix::net::AddressFamily::UNIX,
                rustix::net::SocketType::STREAM,
                flags,
                None,
            )
            .unwrap();
            let _ = rustix::net::connect(&socket, &address);
            socket
        })
        .collect();
    fake.all_silent();
    drop(waiting);
}

#[test]
fn a_daemon_that_is_stopped() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    daemon.signal(rustix::process::Signal::STOP);
    let relay = run.relay().on(&batch("t1")).run_silent();
    let gate = run.gate().on(&stop(false)).run_silent();
    daemon.signal(rustix::process::Signal::CONT);
    assert!(relay.took < AFTER_TOOL + SLACK, "{:?}", relay.took);
    assert!(gate.took < TURN + SLACK, "{:?}", gate.took);
    assert_eq!(shown(&run.relay().on(&batch("t2")).context()).len(), 1);
}

#[test]
fn a_daemon_that_speaks_garbage() {
    let lease = |lease: Value| {
        let body = lease.to_string();
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let answers = [
        String::new(),
        "\0\u{1}\u{2}".to_owned(),
        "SSH-2.0-OpenSSH_9.2\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\n\r\nhello".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{".to_owned(),
        "HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n".to_owned(),
        format!("HTTP/1.1 200 OK\r\n{}", "x: y\r\n".repeat(10_000)),
        lease(json!({})),
        lease(json!({"messages": [{"message": 7}], "waiting": -1})),
        lease(json!({"messages": [], "waiting": u64::MAX, "lease": "../../x"})),
        lease(json!([[[[]]]])),
    ];
    for answer in answers {
        let fake = Fake::new();
        let listener = fake.listen();
        let shown = format!("{:.60}", answer);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else {
                    return;
                };
                let _ = connection.set_read_timeout(Some(Duration::from_millis(50)));
                let _ = connection.read(&mut [0; 4096]);
                let _ = connection.write_all(answer.as_bytes());
            }
        });
        println!("{shown}");
        fake.all_silent();
    }
}

#[test]
fn bad_arguments_end_in_silence_and_no_block() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    for args in [
        &["--no-such-thing"][..],
        &["--cli"],
        &["stray"],
        &["--launch=x"],
    ] {
        let bare = |name| {
            Hook::new(name)
                .env("RUN_ID", run.id.as_str())
                .env("ROOM_HOME", &run.home)
                .args(args)
        };
        bare("room-relay").on(&batch("t1")).run_silent();
        bare("stop-gate").on(&stop(false)).run_silent();
        bare("heartbeat").on(&stop(false)).run_silent();
    }
    assert!(run.log().contains("bad arguments"));
    // A CLI that this version does not know by name is none.
    let unknown = Hook::new("room-relay")
        .env("RUN_ID", run.id.as_str())
        .env("ROOM_HOME", &run.home)
        .args(&["--cli", "next"]);
    assert_eq!(shown(&unknown.on(&batch("t1")).context()).len(), 1);
}

#[test]
fn a_run_file_that_makes_no_sense() {
    let fake = Fake::new();
    let path = fake.home.path().join("runs/demo-1/run.json");
    for garbage in ["", "{", "[]", "{\"run\":\"demo-1\"}"] {
        std::fs::write(&path, garbage).unwrap();
        fake.all_silent();
    }
    std::fs::remove_file(&path).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    fake.all_silent();
}

#[test]
fn help_and_version_answer_as_a_command_line_does() {
    for (name, about) in [
        ("room-relay", "waiting messages"),
        ("stop-gate", "Holds"),
        ("heartbeat", "lives"),
    ] {
        let help = Hook::new(name).args(&["--help"]).run().stdout;
        for word in [about, "RUN_ID", "--cli", "--launch", "--explain"] {
            assert!(help.contains(word), "{name}: {help}");
        }
        let version = Hook::new(name).args(&["--version"]).run().stdout;
        assert_eq!(version, format!("{name} {}\n", env!("CARGO_PKG_VERSION")));
    }
}

/// Each of the files that a hook writes has its place taken by something that cannot be replaced.
#[test]
fn where_a_file_cannot_be_written_nothing_is_lost() {
    for (file, shows) in [
        ("note.tmp", false),
        ("lock", false),
        ("stamp", true),
        ("session.json", true),
        ("hooks.log", true),
    ] {
        let daemon = Daemon::start();
        let run = daemon.open();
        let message = daemon.post("x");
        let place = run.dir.join(file);
        let _ = std::fs::remove_file(&place);
        std::fs::create_dir_all(place.join("occupied")).unwrap();
        let mut seen = Vec::new();
        for outcome in [
            run.relay().on(&batch("t1")).run(),
            run.gate().on(&stop(false)).run(),
        ] {
            if !outcome.stdout.is_empty() {
                seen.extend(shown(&outcome.context()));
            }
        }
        assert_eq!(run.waiting(), u64::from(!shows), "{file}");
        if !shows {
            assert!(seen.is_empty(), "{file}: {seen:?}");
            std::fs::remove_dir_all(&place).unwrap();
            seen = shown(&run.relay().on(&batch("t2")).context());
        }
        assert_eq!(seen, [message.number], "{file}");
    }
}

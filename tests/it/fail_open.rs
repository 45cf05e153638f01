//! Invariant 10: whatever goes wrong, status 0, nothing but a whole answer, within the deadline.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::time::Duration;

use room_protocol::runfile::RunFile;
use serde_json::{Value, json};

use crate::support::daemon::{Daemon, layout};
use crate::support::hook::{Hook, shown, write_to};
use crate::support::payload::{Change, batch, claude, prompt, start, stop};

/// What a busy machine may add to a deadline, the start of a process included.
const SLACK: Duration = Duration::from_millis(1_500);
const AFTER_TOOL: Duration = Duration::from_millis(500);
const TURN: Duration = Duration::from_secs(2);

/// Every hook with an event of its own, and its deadline.
fn hooks() -> [(&'static str, Value, Duration); 5] {
    [
        ("room-relay", batch("t1"), AFTER_TOOL),
        ("room-relay", prompt("p1"), TURN),
        ("room-relay", start("startup"), TURN),
        ("stop-gate", stop(false), TURN),
        ("heartbeat", claude("PostToolUse-main"), AFTER_TOOL),
    ]
}

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
fn an_answer_that_nobody_reads_is_not_acknowledged() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let message = daemon.post(&"x".repeat(5_000));
    let (reader, closed) = rustix::pipe::pipe().unwrap();
    drop(reader);
    let (_unread, full) = rustix::pipe::pipe().unwrap();
    rustix::io::ioctl_fionbio(&full, true).unwrap();
    while rustix::io::write(&full, &[b'x'; 4096]).is_ok() {}
    rustix::io::ioctl_fionbio(&full, false).unwrap();
    let outputs: [(&str, Stdio); 4] = [
        ("/dev/null", Stdio::null()),
        ("/dev/full", write_to("/dev/full")),
        ("closed pipe", closed.into()),
        ("full pipe", full.into()),
    ];
    for (what, stdout) in outputs {
        let outcome = run.relay().stdout(stdout).on(&batch("t1")).run();
        assert!(
            outcome.took < AFTER_TOOL + SLACK,
            "{what}: {:?}",
            outcome.took
        );
        assert_eq!(run.waiting(), 1, "{what}");
        assert!(!run.has("note.json") && !run.has("note.tmp"), "{what}");
        assert!(
            run.log().contains("nothing was shown"),
            "{what}: {}",
            run.log()
        );
        std::fs::remove_file(run.dir.join("hooks.log")).unwrap();
        // The lease was given back.
        let lease: room_protocol::lane::Lease = run
            .lane
            .post(
                "/v1/run/leases",
                &json!({"budget": 1, "sign": {"event": "x"}}),
            )
            .unwrap();
        let path = format!("/v1/run/leases/{}", lease.lease.unwrap());
        run.lane.delete::<()>(&path).unwrap();
    }
    // Started without a standard output at all.
    let shell = std::process::Command::new("sh")
        .args([
            "-c",
            "exec \"$0\" --cli claude >&-",
            env!("CARGO_BIN_EXE_room-relay"),
        ])
        .env("RUN_ID", run.id.as_str())
        .env("ROOM_HOME", &run.home)
        .env_remove("CLAUDE_CODE_EXECPATH")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut shell = shell;
    let payload = batch("t1").to_string();
    shell
        .stdin
        .take()
        .unwrap()
        .write_all(payload.as_bytes())
        .unwrap();
    assert!(shell.wait().unwrap().success());
    assert_eq!(run.waiting(), 1);
    let text = run.relay().on(&batch("t2")).context();
    assert_eq!(shown(&text), [message.number]);
}

/// A pipe that is smaller than the answer, with a reader that is slow: it comes whole.
#[test]
fn a_slow_reader_gets_the_whole_answer() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let message = daemon.post(&"\"x\"".repeat(1_900));
    let (read, write) = rustix::pipe::pipe().unwrap();
    rustix::pipe::fcntl_setpipe_size(&write, 4096).unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::fs::File::from(read).read_to_string(&mut text).unwrap();
        text
    });
    run.relay().stdout(write).on(&batch("t1")).run();
    let answer: Value = serde_json::from_str(&reader.join().unwrap()).unwrap();
    let text = answer["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    assert_eq!(shown(text), [message.number]);
    assert_eq!(run.waiting(), 0);
}

/// Agent CLIs give a socket as standard output as well as a pipe.
#[test]
fn a_socket_is_written_to_and_left_as_it_was() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let copy = theirs.try_clone().unwrap();
    run.relay()
        .stdout(std::os::fd::OwnedFd::from(theirs))
        .on(&batch("t1"))
        .run();
    let flags = rustix::fs::fcntl_getfl(&copy).unwrap();
    assert!(!flags.contains(rustix::fs::OFlags::NONBLOCK));
    drop(copy);
    let mut text = String::new();
    ours.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("{\"hookSpecificOutput\""), "{text}");
}

#[test]
fn a_standard_input_that_never_ends_is_not_waited_for() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let message = daemon.post("x");
    let open = run.relay().on(&batch("t1")).keep_stdin_open();
    assert_eq!(shown(&open.context()), [message.number]);
    // Not even a complete value: the alarm ends it.
    for (name, _, deadline) in hooks() {
        let cut = run
            .hook(name)
            .input("{\"hook_event_name\":\"Stop\"")
            .keep_stdin_open();
        let outcome = cut.run_silent();
        assert!(
            outcome.took < deadline + SLACK,
            "{name}: {:?}",
            outcome.took
        );
        let inert = Hook::new(name).keep_stdin_open().run_silent();
        assert!(inert.took < deadline + SLACK, "{name}: {:?}", inert.took);
    }
}

#[test]
fn a_standard_input_that_is_no_payload() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let inputs: [&[u8]; 9] = [
        b"",
        b"\xff\xfe\0",
        b"not json",
        b"[]",
        b"null",
        b"{}",
        b"{\"hook_event_name\":7}",
        b"{\"hook_event_name\":\"NewEvent\",\"session_id\":[]}",
        deep.as_bytes(),
    ];
    for input in inputs {
        for hook in [run.relay(), run.gate(), run.beat()] {
            hook.input(input).run_silent();
        }
    }
    let null = || Stdio::null();
    for hook in [run.relay(), run.gate(), run.beat()] {
        hook.stdin(null()).run_silent();
    }
    assert_eq!(run.waiting(), 1);
}

#[test]
fn a_payload_of_any_size_and_depth_is_understood() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let big = "x".repeat(10 << 20);
    let early = batch("t1").with(
        "tool_calls",
        json!([{"tool_use_id": "t1", "tool_response": big}]),
    );
    daemon.post("one");
    let outcome = run.relay().on(&early).run();
    assert_eq!(shown(&outcome.context()).len(), 1);
    assert!(outcome.took < AFTER_TOOL + SLACK, "{:?}", outcome.took);
    daemon.post("two");
    let deep = format!(
        r#"{{"hook_event_name":"PostToolBatch","x":{}{},"session_id":"{}"}}"#,
        "{\"a\":[".repeat(5_000),
        "]}".repeat(5_000),
        crate::support::payload::SESSION
    );
    assert_eq!(shown(&run.relay().input(deep).context()).len(), 1);
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

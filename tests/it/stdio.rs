//! Invariants 1 and 10 at the edges: an answer that nobody reads, an input that is none.

use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::daemon::Daemon;
use crate::support::deadline::{AFTER_TOOL, SLACK, hooks};
use crate::support::hook::{Hook, shown, write_to};
use crate::support::payload::{Change, batch};

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

/// Users with many pipes get small ones; a reader may come late to them. The answer is whole all the
/// same.
#[test]
fn a_pipe_smaller_than_the_answer_takes_it_whole() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post(&"x".repeat(7_000));
    let (reader, writer) = rustix::pipe::pipe().unwrap();
    rustix::pipe::fcntl_setpipe_size(&writer, 4_096).unwrap();
    let outcome = run.relay().stdout(writer).on(&batch("t1")).run();
    assert!(outcome.took < AFTER_TOOL + SLACK, "{:?}", outcome.took);
    let mut text = String::new();
    std::fs::File::from(reader)
        .read_to_string(&mut text)
        .unwrap();
    let answer: Value = serde_json::from_str(&text).unwrap();
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str();
    assert_eq!(shown(context.unwrap()).len(), 1);
    assert_eq!(run.waiting(), 0);
}

/// A file size limit and a lack of memory are the machine's, not the agent's: silence and status 0.
#[test]
fn limits_of_the_process_are_no_signals_and_no_words() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    let payload = json!({
        "session_id": "s1",
        "hook_event_name": "PostToolBatch",
        "tool_calls": [{"tool_use_id": "t", "x": "y".repeat(3_900_000)}],
    });
    // From what a hook just starts with, in steps to where it has all it needs.
    let least = (1_000..200_000)
        .step_by(500)
        .find(|kib| starts(*kib))
        .unwrap();
    let memory = (0..8).map(|step| format!("-v {}", least + step * 700));
    let limits: Vec<String> = memory.chain(["-f 0".into(), "-n 3".into()]).collect();
    for (limit, (name, _, deadline)) in limits.iter().flat_map(|l| hooks().map(|h| (l, h))) {
        let command = format!("ulimit {limit}; exec \"$0\" --cli claude");
        let mut shell = std::process::Command::new("sh")
            .args(["-c", &command, Hook::path(name)])
            .env_clear()
            .env("RUN_ID", run.id.as_str())
            .env("ROOM_HOME", &run.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let started = std::time::Instant::now();
        // It may end before it has read everything.
        let _ = shell
            .stdin
            .take()
            .unwrap()
            .write_all(payload.to_string().as_bytes());
        let output = shell.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(started.elapsed() < deadline + SLACK, "{name} {limit}");
        assert_eq!(output.status.code(), Some(0), "{name} {limit}: {stderr}");
        assert_eq!(stderr, "", "{name} {limit}");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(
            stdout.is_empty() || serde_json::from_str::<Value>(&stdout).is_ok(),
            "{name} {limit}: {stdout}"
        );
    }
}

/// Whether every hook starts within so much address space.
fn starts(kib: u32) -> bool {
    hooks().iter().all(|(name, _, _)| {
        std::process::Command::new("sh")
            .args([
                "-c",
                &format!("ulimit -v {kib}; exec \"$0\" --version"),
                Hook::path(name),
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    })
}

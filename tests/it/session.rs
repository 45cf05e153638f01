//! Invariant 7: one session takes the mail.

use std::process::{Child, Command, Stdio};

use crate::support::daemon::{Daemon, TestRun};
use crate::support::hook::{Hook, shown};
use crate::support::payload::{Change, batch, claude, codex, start, stop};

/// A process that lives until it is dropped: an agent CLI, as far as its id goes.
struct Process(Child);

impl Process {
    fn start() -> Self {
        let sleep = Command::new("sleep")
            .arg("600")
            .stdin(Stdio::null())
            .spawn();
        Self(sleep.unwrap())
    }

    fn id(&self) -> u32 {
        self.0.id()
    }

    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// A hook of a Claude Code with that process id.
fn of(hook: Hook, pid: u32) -> Hook {
    hook.env("CLAUDE_PID", pid.to_string())
}

/// Posts, and sees whether the hook takes it.
#[track_caller]
fn takes(daemon: &Daemon, run: &TestRun, hook: Hook) -> bool {
    daemon.post("x");
    let before = run.waiting();
    let outcome = hook.run();
    let left = run.waiting();
    assert_eq!(outcome.stdout.is_empty(), left == before);
    left == 0
}

fn event(session: &str) -> serde_json::Value {
    batch("t").with("session_id", session)
}

#[test]
fn without_a_launcher_the_first_session_is_bound_and_a_nested_one_takes_nothing() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let (outer, inner) = (Process::start(), Process::start());
    assert!(takes(
        &daemon,
        &run,
        of(run.relay(), outer.id()).on(&event("a"))
    ));
    for payload in [
        event("b"),
        start("startup").with("session_id", "b"),
        event("a"),
    ] {
        assert!(!takes(
            &daemon,
            &run,
            of(run.relay(), inner.id()).on(&payload)
        ));
    }
    let nested_stop = stop(false).with("session_id", "b");
    assert!(!takes(
        &daemon,
        &run,
        of(run.gate(), inner.id()).on(&nested_stop)
    ));
    assert!(takes(
        &daemon,
        &run,
        of(run.relay(), outer.id()).on(&event("a"))
    ));
}

#[test]
fn what_an_agents_tool_starts_shows_itself_by_its_environment() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for mark in [
        "CLAUDE_CODE_EXECPATH",
        "CLAUDE_JOB_DIR",
        "CODEX_THREAD_ID",
        "CODEX_SESSION_ID",
        "CODEX_TOOL_CALL_ID",
    ] {
        let before = run.snapshot();
        for hook in [
            run.relay().on(&event("a")),
            run.gate().on(&stop(false)),
            run.beat().on(&start("startup")),
            run.codex("room-relay").on(&codex("PostToolUse")),
        ] {
            assert!(!takes(&daemon, &run, hook.env(mark, "x")), "{mark}");
        }
        assert_eq!(run.snapshot(), before, "it leaves no trace");
    }
    assert!(takes(&daemon, &run, run.relay().on(&event("a"))));
}

#[test]
fn the_binding_follows_clear_compact_resume_and_fork_in_the_same_process() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let (own, other) = (Process::start(), Process::start());
    let relay = |pid, payload| takes(&daemon, &run, of(run.relay(), pid).on(&payload));
    assert!(relay(own.id(), event("s0")));
    for (n, source) in ["clear", "compact", "resume", "fork"].iter().enumerate() {
        let session = format!("s{}", n + 1);
        assert!(!relay(own.id(), event(&session)), "{source}: unannounced");
        let announced = start(source).with("session_id", &*session);
        assert!(!relay(other.id(), announced.clone()), "{source}: elsewhere");
        assert!(relay(own.id(), announced), "{source}");
        assert!(relay(own.id(), event(&session)), "{source}");
        assert!(!relay(own.id(), event("s0")), "{source}: the old one");
    }
}

#[test]
fn the_binding_moves_after_the_sessions_end_or_its_processs_death() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let mut first = Process::start();
    let second = Process::start();
    let relay = |pid, session| takes(&daemon, &run, of(run.relay(), pid).on(&event(session)));
    assert!(relay(first.id(), "a"));
    assert!(!relay(second.id(), "b"));
    // A nested session's end ends nothing.
    let end = |session: &str| claude("SessionEnd").with("session_id", session);
    of(run.beat(), second.id()).on(&end("b")).run_silent();
    assert!(!relay(second.id(), "b"));
    of(run.beat(), first.id()).on(&end("a")).run_silent();
    assert!(relay(second.id(), "b"), "{}", run.log());
    assert!(!relay(first.id(), "a"));
    let mut third = Process::start();
    first.end();
    drop(second);
    assert!(relay(third.id(), "c"), "the bound process died");
    third.end();
    // Its id may be another process's by now; when that started tells.
    let fourth = Process::start();
    assert!(relay(fourth.id(), "d"));
}

#[test]
fn with_a_launcher_its_child_takes_the_mail_whatever_the_session() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.launched = true);
    let (child, other) = (Process::start(), Process::start());
    run.write(
        "process.json",
        format!(r#"{{"pid":{}}}"#, child.id()).as_bytes(),
    );
    let relay = |pid, session| takes(&daemon, &run, of(run.relay(), pid).on(&event(session)));
    assert!(!relay(other.id(), "b"), "even when it is first");
    assert!(relay(child.id(), "a"));
    assert!(!relay(other.id(), "a"));
    assert!(relay(child.id(), "c"), "the process is the session");
}

/// Claude Code tells the end of a cleared conversation beside the start of the next one.
#[test]
fn an_end_that_is_told_late_ends_nothing() {
    let daemon = Daemon::start();
    for launched in [false, true] {
        let run = daemon.open_with(|open| open.launched = launched);
        let (own, other) = (Process::start(), Process::start());
        let process = format!(r#"{{"pid":{}}}"#, own.id());
        run.write("process.json", process.as_bytes());
        let hook = |hook, session: &str, payload: serde_json::Value| {
            let payload = payload.with("session_id", session);
            of(hook, own.id()).on(&payload).run();
        };
        hook(run.relay(), "a", start("startup"));
        hook(run.relay(), "b", start("clear"));
        hook(run.beat(), "a", claude("SessionEnd"));
        let nested = of(run.relay(), other.id()).on(&event("n"));
        assert!(!takes(&daemon, &run, nested), "launched: {launched}");
        assert_eq!(run.state().session.as_deref(), Some("b"));
    }
}

#[test]
fn a_wrappers_program_takes_the_mail_and_what_is_nested_in_it_does_not() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.launched = true);
    // This process is the wrapper, its children are what it runs.
    run.write(
        "process.json",
        format!(r#"{{"pid":{}}}"#, std::process::id()).as_bytes(),
    );
    let mut program = Process::start();
    let nested = Process::start();
    let relay = |pid, session| takes(&daemon, &run, of(run.relay(), pid).on(&event(session)));
    assert!(relay(program.id(), "a"));
    assert!(!relay(nested.id(), "b"));
    assert!(relay(program.id(), "a2"));
    program.end();
    assert!(relay(nested.id(), "b"), "the bound one is dead");
}

#[test]
fn codex_is_known_by_the_process_above_the_hook() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.launched = true);
    run.write(
        "process.json",
        format!(r#"{{"pid":{}}}"#, std::process::id()).as_bytes(),
    );
    // As Codex runs it: through a shell, which may stay in between.
    let program = env!("CARGO_BIN_EXE_room-relay");
    for script in ["exec \"$0\" --cli codex", "\"$0\" --cli codex; exit 0"] {
        let message = daemon.post("x");
        let payload = codex("PostToolUse").to_string();
        let mut shell = Command::new("sh")
            .args(["-c", script, program])
            .env_clear()
            .env("RUN_ID", run.id.as_str())
            .env("ROOM_HOME", &run.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        use std::io::Write;
        shell
            .stdin
            .take()
            .unwrap()
            .write_all(payload.as_bytes())
            .unwrap();
        let output = shell.wait_with_output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = answer["hookSpecificOutput"]["additionalContext"]
            .as_str()
            .unwrap();
        assert_eq!(shown(text), [message.number], "{script}");
    }
    run.write("process.json", br#"{"pid":1}"#);
    // Everything is below process 1, and this one is bound and lives.
    assert!(takes(
        &daemon,
        &run,
        run.codex("room-relay").on(&codex("PostToolUse"))
    ));
    let other = Process::start();
    run.write(
        "process.json",
        format!(r#"{{"pid":{}}}"#, other.id()).as_bytes(),
    );
    assert!(!takes(
        &daemon,
        &run,
        run.codex("room-relay").on(&codex("PostToolUse"))
    ));
}

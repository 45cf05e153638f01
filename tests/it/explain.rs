//! `--explain` says what would be done, and changes nothing.

use serde_json::Value;

use crate::support::daemon::{Daemon, TestRun};
use crate::support::hook::{Hook, shown};
use crate::support::payload::{Change, batch, claude, stop};

/// What a hook says on stderr. Nothing else may come of it.
#[track_caller]
fn explained(run: &TestRun, hook: Hook, payload: &Value) -> String {
    let before = (run.snapshot(), run.waiting(), run.state().alive_at);
    let outcome = hook.args(&["--explain"]).on(payload).start().end_anyhow();
    assert!(outcome.status.success());
    assert_eq!(outcome.stdout, "");
    assert_eq!(
        (run.snapshot(), run.waiting(), run.state().alive_at),
        before
    );
    outcome.stderr
}

#[test]
fn each_hook_says_what_it_would_do_step_by_step() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.interval_ms = Some(3_600_000));
    daemon.post("x");
    let said = explained(&run, run.relay(), &batch("t1"));
    for step in [
        "run: ",
        "room: demo",
        "PostToolBatch",
        "claude",
        "waiting: 1",
        "it shows 1 of them",
    ] {
        assert!(said.contains(step), "{step} in {said}");
    }
    let said = explained(&run, run.gate(), &stop(false));
    assert!(said.contains("the stop is held"), "{said}");
    assert!(said.contains("held so far: 0 of 4"), "{said}");
    // Words for a person, no program's inner forms.
    assert!(!said.contains('{') && !said.contains("Some("), "{said}");
    let said = explained(&run, run.beat(), &claude("PostToolUse-main"));
    assert!(said.contains("sign of life"), "{said}");
    let said = explained(&run, run.relay(), &batch("t1").with("agent_id", "a"));
    assert!(said.contains("takes nothing"), "{said}");
    assert_eq!(shown(&run.relay().on(&batch("t1")).context()).len(), 1);
    let said = explained(&run, run.relay(), &batch("t2"));
    assert!(said.contains("the next question is due in"), "{said}");
    let nested = run.relay().env("CLAUDE_CODE_EXECPATH", "x");
    let said = explained(&run, nested, &batch("t2"));
    assert!(said.contains("another agent's tool call"), "{said}");
}

/// Not even a line of the log, where a hook at work would write one.
#[test]
fn what_makes_no_sense_is_left_as_it_is() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    for name in ["stamp", "session.json", "note.json", "stop-room-nudged"] {
        run.write(name, b"{nonsense");
    }
    explained(&run, run.relay(), &batch("t1"));
    explained(&run, run.gate(), &stop(false));
    assert_eq!(run.log(), "");
}

#[test]
fn without_a_run_it_says_why() {
    let explain = |hook: Hook| {
        hook.args(&["--explain"])
            .on(&stop(false))
            .start()
            .end_anyhow()
    };
    let outcome = explain(Hook::new("stop-gate"));
    assert!(outcome.status.success());
    assert!(
        outcome.stderr.contains("RUN_ID is not set"),
        "{}",
        outcome.stderr
    );
    let outcome = explain(Hook::new("stop-gate").env("RUN_ID", "../x"));
    assert!(
        outcome.stderr.contains("is not a run id"),
        "{}",
        outcome.stderr
    );
    let home = tempfile::tempdir().unwrap();
    let outcome = explain(
        Hook::new("stop-gate")
            .env("RUN_ID", "demo-1")
            .env("ROOM_HOME", home.path()),
    );
    assert!(outcome.stderr.contains("demo-1"), "{}", outcome.stderr);
}

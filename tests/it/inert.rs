//! Invariant 11: without a run nothing happens and nothing is created.

use crate::support::daemon::{Daemon, snapshot};
use crate::support::hook::Hook;
use crate::support::payload::{batch, stop};

const HOOKS: [&str; 3] = ["room-relay", "stop-gate", "heartbeat"];

#[test]
fn without_a_run_id_or_with_one_that_is_none_nothing_is_created() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("runs")).unwrap();
    let before = snapshot(home.path());
    let long = "a".repeat(129);
    let ids = [
        None,
        Some(""),
        Some("../runs"),
        Some("a/b"),
        Some("-a"),
        Some("never-issued"),
        Some(&*long),
    ];
    for hook in HOOKS {
        for id in ids {
            let mut hook = Hook::new(hook)
                .env("ROOM_HOME", home.path())
                .env("HOME", home.path())
                .on(&stop(false));
            if let Some(id) = id {
                hook = hook.env("RUN_ID", id);
            }
            hook.run_silent();
        }
        // A home that was never there.
        Hook::new(hook)
            .env("RUN_ID", "demo-1")
            .env("ROOM_HOME", home.path().join("none"))
            .on(&stop(false))
            .run_silent();
    }
    assert_eq!(snapshot(home.path()), before);
}

#[test]
fn a_run_directory_that_is_a_link_or_another_runs_is_none() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    let runs = run.dir.parent().unwrap();
    std::os::unix::fs::symlink(&run.dir, runs.join("linked")).unwrap();
    std::fs::create_dir(runs.join("copied")).unwrap();
    std::fs::copy(run.dir.join("run.json"), runs.join("copied/run.json")).unwrap();
    std::fs::create_dir(runs.join("empty")).unwrap();
    for id in ["linked", "copied", "empty"] {
        run.relay().env("RUN_ID", id).on(&batch("t1")).run_silent();
    }
    assert_eq!(run.waiting(), 1);
}

#[test]
fn a_run_that_ended_says_nothing() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    run.end();
    run.relay().on(&batch("t1")).run_silent();
    run.gate().on(&stop(false)).run_silent();
}

/// A host whose write fails takes the hook for a broken one.
#[test]
fn whatever_its_host_writes_is_drained() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for name in HOOKS {
        let own = || run.hook(name);
        for hook in [
            Hook::new(name),
            Hook::new(name).env("RUN_ID", "never-issued"),
            own(),
            own().args(&["--no-such-thing"]),
            own().env("CLAUDE_JOB_DIR", "x"),
        ] {
            let outcome = hook.input(big(5_000_000)).run_silent();
            assert!(outcome.input_taken, "{name}");
        }
    }
}

/// A payload of that many bytes.
fn big(bytes: usize) -> Vec<u8> {
    format!(
        r#"{{"hook_event_name":"Stop","x":"{}"}}"#,
        "x".repeat(bytes)
    )
    .into_bytes()
}

//! Invariant 9: taken is not yet seen.

use crate::support::daemon::Daemon;
use crate::support::hook::shown;
use crate::support::payload::{Change, batch, claude, codex, prompt, start, stop};

#[test]
fn a_later_response_confirms_and_the_same_one_or_a_prompt_does_not() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let message = daemon.post("x");
    let confirmed = || daemon.message(&message).deliveries[0].confirmed;
    run.relay().on(&batch("t1")).context();
    run.relay().on(&batch("t1")).run_silent();
    run.relay().on(&prompt("p2")).run_silent();
    run.beat().on(&claude("PostToolUse-main")).run_silent();
    run.relay()
        .on(&claude("PostToolUse-subagent").with("session_id", "other"))
        .run_silent();
    assert!(!confirmed());
    run.relay().on(&batch("t2")).run_silent();
    assert!(confirmed());
}

#[test]
fn a_stop_confirms_what_came_before_it_and_not_what_it_shows_itself() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.cli = "codex".to_owned());
    let relayed = daemon.post("one");
    run.codex("room-relay").on(&codex("PostToolUse")).context();
    let gated = daemon.post("two");
    run.codex("stop-gate").on(&codex("Stop")).run().reason();
    let confirmed = |m| daemon.message(m).deliveries[0].confirmed;
    assert!(confirmed(&relayed));
    assert!(!confirmed(&gated));
    let next = codex("Stop")
        .with("stop_hook_active", true)
        .with("last_assistant_message", "seen");
    run.codex("stop-gate").on(&next).run_silent();
    assert!(confirmed(&gated));
}

#[test]
fn what_nothing_confirmed_goes_to_the_next_run_marked() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let seen = daemon.post("seen");
    run.relay().on(&batch("t1")).context();
    let unseen = daemon.post("printed right before the end");
    run.relay().on(&batch("t2")).context();
    run.end();
    let next = daemon.open();
    let text = next
        .relay()
        .on(&start("startup").with("session_id", "s2"))
        .context();
    assert_eq!(shown(&text), [unseen.number], "{text}");
    assert!(text.contains("may have been shown"), "{text}");
    assert!(daemon.message(&seen).deliveries[0].confirmed);
}

#[test]
fn a_stop_that_is_let_go_confirms_too() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let message = daemon.post("x");
    run.relay().on(&start("startup")).context();
    run.gate().on(&stop(false)).run_silent();
    assert!(daemon.message(&message).deliveries[0].confirmed);
}

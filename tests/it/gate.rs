//! Invariant 8: the gate holds a stop while something is unread, and can never wedge a run.

use std::os::unix::fs::PermissionsExt;

use room_protocol::limits::CONTEXT_BYTES;

use crate::support::daemon::Daemon;
use crate::support::hook::shown;
use crate::support::payload::{Change, batch, codex, stop};

#[test]
fn the_first_stop_is_held_with_the_message_and_the_second_goes() {
    let daemon = Daemon::start();
    let run = daemon.open();
    run.gate().on(&stop(false)).run_silent();
    let message = daemon.post("wait");
    let outcome = run.gate().on(&stop(false)).run();
    assert_eq!(
        outcome.json()["hookSpecificOutput"]["hookEventName"],
        "Stop"
    );
    assert_eq!(shown(&outcome.context()), [message.number]);
    let delivery = daemon.message(&message).deliveries.pop().unwrap();
    assert_eq!(delivery.how.as_str(), "gated");
    run.gate().on(&stop(true)).run_silent();
    assert_eq!(run.log(), "");
}

#[test]
fn codex_and_older_versions_are_told_with_a_block() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("one");
    let old = run.gate().env("AI_AGENT", "claude-code_2-1-100_harness");
    assert_eq!(shown(&old.on(&stop(false)).run().reason()).len(), 1);
    daemon.post("two");
    let unknown = run.gate().without_env("AI_AGENT");
    assert_eq!(shown(&unknown.on(&stop(true)).run().reason()).len(), 1);
    run.end();
    let other = daemon.open();
    let message = daemon.post("three");
    let outcome = other.codex("stop-gate").on(&codex("Stop")).run();
    assert_eq!(shown(&outcome.reason()).last(), Some(&message.number));
}

/// Codex escapes a held stop's text, which makes it longer; what the model gets is bounded.
#[test]
fn what_codex_escapes_stays_within_the_bound() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post(&"<&>\n".repeat(4_000));
    let mut stops = 0;
    while run.waiting() > 0 {
        stops += 1;
        let stop = codex("Stop").with("turn_id", format!("t{stops}"));
        let reason = run.codex("stop-gate").on(&stop).run().reason();
        let escaped = reason
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        assert!(escaped.len() <= CONTEXT_BYTES, "{}", escaped.len());
    }
    assert!(stops > 5, "{stops}");
}

#[test]
fn each_new_message_holds_once_more_up_to_four_times_a_chain() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for hold in 0..4 {
        let message = daemon.post("another");
        let text = run.gate().on(&stop(hold > 0)).context();
        assert_eq!(shown(&text), [message.number]);
        run.gate().on(&stop(true)).run_silent();
    }
    daemon.post("the fifth");
    run.gate().on(&stop(true)).run_silent();
    assert_eq!(run.waiting(), 1);
    assert!(run.log().contains("held often enough"));
    // A new prompt opens a new chain, also when a woken session says that a hook is active.
    let woken = stop(true).with("prompt_id", "p2");
    assert_eq!(shown(&run.gate().on(&woken).context()).len(), 1);
}

#[test]
fn agents_messages_hold_once_a_chain_and_a_persons_behind_them_still_do() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post_as_agent("one");
    daemon.post("a person first");
    run.gate().on(&stop(false)).context();
    daemon.post_as_agent("this holds");
    run.gate().on(&stop(true)).context();
    daemon.post_as_agent("two");
    run.gate().on(&stop(true)).run_silent();
    assert_eq!(run.waiting(), 1);
    // So many that a person's words do not fit into the same text.
    for _ in 0..4 {
        daemon.post_as_agent(&"x".repeat(3_000));
    }
    let person = daemon.post("from a person").number;
    let mut seen = Vec::new();
    for _ in 0..2 {
        seen.extend(shown(&run.gate().on(&stop(true)).context()));
    }
    assert_eq!(seen.last(), Some(&person));
    run.gate().on(&stop(true)).run_silent();
}

/// However much of agents' words stands before a person's: it is held as often as a chain may be.
#[test]
fn a_persons_message_behind_a_megabyte_of_agents_holds_to_the_bound() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for _ in 0..20 {
        daemon.post_as_agent(&"x".repeat(60_000));
    }
    daemon.post("from a person");
    for hold in 0..4 {
        run.gate().on(&stop(hold > 0)).context();
    }
    run.gate().on(&stop(true)).run_silent();
}

#[test]
fn without_ids_the_flag_makes_the_chain_and_without_both_a_run_is_held_once() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let flag = |active: bool| stop(active).without("prompt_id");
    for hold in 0..4 {
        daemon.post("x");
        run.gate().on(&flag(hold > 0)).context();
    }
    daemon.post("x");
    run.gate().on(&flag(true)).run_silent();
    run.gate().on(&flag(false)).context();
    let run = daemon.open();
    let none = stop(false).without("prompt_id").without("stop_hook_active");
    daemon.post("x");
    run.gate().on(&none).context();
    daemon.post("x");
    run.gate().on(&none).run_silent();
    assert_eq!(run.waiting(), 1);
}

/// A marker's place is taken by something that cannot be replaced.
#[test]
fn where_no_marker_can_be_written_no_stop_is_held() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let message = daemon.post("x");
    std::fs::create_dir(run.dir.join("stop-room-nudged")).unwrap();
    run.gate().on(&stop(false)).run_silent();
    assert_eq!(run.waiting(), 1);
    assert!(
        run.log().contains("no marker can be written"),
        "{}",
        run.log()
    );
    // The lease was given back: nobody waits for its end.
    assert_eq!(
        shown(&run.relay().on(&batch("t1")).context()),
        [message.number]
    );
}

#[test]
fn a_read_only_run_directory_holds_nothing_and_loses_nothing() {
    if rustix::process::getuid().is_root() {
        // Root writes everywhere; the case above covers what can be had without.
        return;
    }
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    let mode = |mode| std::fs::set_permissions(&run.dir, PermissionsExt::from_mode(mode)).unwrap();
    mode(0o500);
    run.gate().on(&stop(false)).run_silent();
    run.relay().on(&batch("t1")).run_silent();
    mode(0o700);
    assert_eq!(run.waiting(), 1);
}

#[test]
fn markers_that_make_no_sense_count_as_none() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for garbage in ["", "{", "[1]", "{\"count\":9}"] {
        run.write("stop-room-nudged", garbage.as_bytes());
        daemon.post("x");
        run.gate().on(&stop(false)).context();
    }
}

#[test]
fn after_a_hold_with_more_waiting_the_next_tool_call_asks_at_once() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.interval_ms = Some(3_600_000));
    run.relay().on(&batch("t1")).run_silent();
    for _ in 0..4 {
        daemon.post(&"x".repeat(3_000));
    }
    let first = shown(&run.gate().on(&stop(false)).context()).len();
    let second = shown(&run.relay().on(&batch("t2")).context()).len();
    assert_eq!(first + second, 4);
}

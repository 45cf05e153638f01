//! The heartbeat: a run that works shows as working, one that ended its session as such.

use room_protocol::{RunState, Timestamp};

use crate::support::daemon::Daemon;
use crate::support::payload::{Change, batch, claude, codex, start};
use crate::support::wait_for;

#[test]
fn signs_of_life_show_in_the_runs_state() {
    let daemon = Daemon::start();
    let run = daemon.open();
    assert_eq!(run.state().state, RunState::Starting);
    run.beat().on(&start("startup")).run_silent();
    run.beat().on(&claude("PostToolUse-main")).run_silent();
    let state = run.state();
    assert_eq!(state.state, RunState::Working);
    assert_eq!(state.last_tool.as_deref(), Some("Bash"));
    assert_eq!(
        state.session.as_deref(),
        Some(crate::support::payload::SESSION)
    );
    run.beat().on(&claude("SubagentStop")).run_silent();
    run.beat().on(&claude("SessionEnd")).run_silent();
    assert_eq!(run.log(), "");
}

#[test]
fn after_tool_calls_it_comes_once_an_interval_and_not_beside_the_relays_question() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.interval_ms = Some(3_600_000));
    let tool = |name: &str| claude("PostToolUse-main").with("tool_name", name);
    let last = || run.state().last_tool;
    run.beat().on(&tool("One")).run_silent();
    run.beat().on(&tool("Two")).run_silent();
    assert_eq!(last().as_deref(), Some("One"));
    let other = daemon.open_with(|open| open.interval_ms = Some(3_600_000));
    other.relay().on(&batch("t1")).run_silent();
    other.beat().on(&tool("Two")).run_silent();
    assert_eq!(other.state().last_tool.as_deref(), Some("Bash"));
    // A subagent's comes from the relay too, and is bounded as well.
    let sub = batch("s").with("agent_id", "a");
    let alive = || other.state().alive_at;
    let before = alive();
    wait_for("the clock's next millisecond", || {
        (Timestamp::now() > before).then_some(())
    });
    other.relay().on(&sub).run_silent();
    let heard = alive();
    assert!(heard > before);
    other.relay().on(&sub).run_silent();
    assert_eq!(alive(), heard);
}

#[test]
fn a_failed_sign_of_life_pauses_longer_and_takes_nothing() {
    let mut daemon = Daemon::start();
    let run = daemon.open_with(|open| open.interval_ms = Some(3_600_000));
    daemon.post("x");
    daemon.kill();
    run.beat().on(&claude("PostToolUse-main")).run_silent();
    run.beat().on(&claude("PostToolUse-main")).run_silent();
    assert_eq!(run.log().matches("not heard").count(), 1, "{}", run.log());
    daemon.restart();
    assert_eq!(run.waiting(), 1);
}

#[test]
fn codex_too() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.cli = "codex".to_owned());
    for event in ["SessionStart", "PostToolUse", "SessionEnd"] {
        run.codex("heartbeat").on(&codex(event)).run_silent();
    }
    assert_eq!(run.state().session.as_deref(), Some("c1"));
    let bound = std::fs::read_to_string(run.dir.join("session.json")).unwrap();
    assert!(bound.contains("\"ended\":true"), "{bound}");
}

//! Invariant 6: at most one question per interval from the after-tool events.

use std::time::{Duration, Instant};

use crate::support::daemon::Daemon;
use crate::support::hook::shown;
use crate::support::payload::{batch, prompt, start, stop};
use crate::support::wait_for;

const HOUR: u64 = 3_600_000;

#[test]
fn after_a_question_the_interval_is_waited_out_by_after_tool_events_only() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.interval_ms = Some(HOUR));
    run.relay().on(&batch("t1")).run_silent();
    daemon.post("one");
    run.relay().on(&batch("t2")).run_silent();
    assert_eq!(run.waiting(), 1);
    for payload in [prompt("p1"), start("resume")] {
        assert_eq!(shown(&run.relay().on(&payload).context()).len(), 1);
        daemon.post("next");
    }
    run.relay().on(&batch("t3")).run_silent();
    run.gate().on(&stop(false)).context();
}

#[test]
fn a_prompts_question_does_not_use_up_the_after_tool_one() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.interval_ms = Some(HOUR));
    run.relay().on(&start("startup")).run_silent();
    run.relay().on(&prompt("p1")).run_silent();
    daemon.post("during the first tool call");
    run.relay().on(&batch("t1")).context();
}

#[test]
fn the_variable_overrides_the_run_and_nonsense_is_logged_once() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.interval_ms = Some(HOUR));
    run.relay().on(&batch("t1")).run_silent();
    daemon.post("one");
    for nonsense in ["2s", "-1", "NaN", ""] {
        run.relay()
            .env("ROOM_INTERVAL", nonsense)
            .on(&batch("t2"))
            .run_silent();
    }
    run.relay()
        .env("ROOM_INTERVAL", "0")
        .on(&batch("t3"))
        .context();
    let other = daemon.open();
    for call in ["t1", "t2", "t3"] {
        other
            .relay()
            .env("ROOM_INTERVAL", "soon")
            .on(&batch(call))
            .run_silent();
    }
    assert_eq!(
        other.log().matches("ROOM_INTERVAL").count(),
        1,
        "{}",
        other.log()
    );
}

#[test]
fn the_interval_ends() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.interval_ms = Some(300));
    run.relay().on(&batch("t1")).run_silent();
    let asked = Instant::now();
    daemon.post("one");
    let text = wait_for("the next question", || {
        let outcome = run.relay().on(&batch("t2")).run();
        (!outcome.stdout.is_empty()).then(|| outcome.context())
    });
    assert_eq!(shown(&text).len(), 1);
    assert!(
        asked.elapsed() >= Duration::from_millis(150),
        "{:?}",
        asked.elapsed()
    );
}

#[test]
fn failed_questions_double_the_pause_and_an_answer_ends_it() {
    let mut daemon = Daemon::start();
    let run = daemon.open_with(|open| open.interval_ms = Some(10_000));
    daemon.post("one");
    daemon.kill();
    run.relay().on(&batch("t1")).run_silent();
    let stamp = || -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(run.dir.join("stamp")).unwrap()).unwrap()
    };
    let failed = stamp();
    assert_eq!(failed["failures"], 1);
    // Due again after twice the interval, not after once.
    let long_ago = |seconds: i64| {
        let mut stamp = failed.clone();
        stamp["asked"] = (failed["asked"].as_i64().unwrap() - seconds * 1000).into();
        run.write("stamp", stamp.to_string().as_bytes());
    };
    daemon.restart();
    long_ago(15);
    run.relay().on(&batch("t2")).run_silent();
    long_ago(20);
    assert_eq!(shown(&run.relay().on(&batch("t3")).context()).len(), 1);
    assert_eq!(stamp()["failures"], 0);
}

#[test]
fn a_stamp_that_makes_no_sense_mutes_nothing() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.interval_ms = Some(HOUR));
    let future = format!(r#"{{"asked":{}}}"#, i64::MAX);
    for stamp in ["", "garbage", "[]", "{\"asked\":\"x\"}", &future] {
        run.write("stamp", stamp.as_bytes());
        let message = daemon.post("x");
        let text = run.relay().on(&batch("t1")).context();
        assert_eq!(shown(&text), [message.number], "{stamp}");
    }
}

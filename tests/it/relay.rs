//! The main job: what is posted mid-run is in the next answer, in each CLI's form.

use room_protocol::message::MessagePage;
use room_protocol::{How, Message};
use serde_json::json;

use crate::support::daemon::Daemon;
use crate::support::hook::shown;
use crate::support::payload::{Change, batch, claude, codex, prompt, start};

#[test]
fn a_message_is_in_the_next_answer_and_its_sender_sees_that() {
    let daemon = Daemon::start();
    let run = daemon.open();
    run.relay().on(&batch("t1")).run_silent();
    let message = daemon.post("please use tabs\nand keep the tests green");
    let text = run.relay().on(&batch("t2")).context();
    let frame = format!("[demo/{} from ana, a person, ", message.number);
    assert!(text.contains(&frame), "{text}");
    assert!(
        text.ends_with("\n> please use tabs\n> and keep the tests green"),
        "{text}"
    );
    let delivery = daemon.message(&message).deliveries.pop().unwrap();
    assert_eq!(
        (delivery.run, delivery.how.as_str()),
        (run.id.clone(), "relayed")
    );
    assert_eq!(run.waiting(), 0);
    run.relay().on(&batch("t3")).run_silent();
    assert!(!run.has("note.json") && !run.has("note.tmp"));
    assert_eq!(run.log(), "");
}

#[test]
fn the_answer_echoes_the_event_and_has_no_key_that_codex_would_reject() {
    let daemon = Daemon::start();
    let run = daemon.open_with(|open| open.cli = "codex".to_owned());
    for event in ["PostToolUse", "UserPromptSubmit", "SessionStart"] {
        daemon.post("x");
        let payload = codex("PostToolUse").with("hook_event_name", event);
        let answer = run.codex("room-relay").on(&payload).run().json();
        let text = answer["hookSpecificOutput"]["additionalContext"].clone();
        assert_eq!(
            answer,
            json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
        );
    }
    assert_eq!(run.log(), "");
}

#[test]
fn each_claude_event_that_takes_a_context_gets_it() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let events = [
        start("startup"),
        prompt("p1"),
        claude("PostToolUse-main"),
        claude("PostToolUseFailure"),
        batch("t1"),
        start("compact"),
    ];
    for payload in events {
        let message = daemon.post("x");
        let outcome = run.relay().on(&payload).run();
        let event = &outcome.json()["hookSpecificOutput"]["hookEventName"];
        assert_eq!(*event, payload["hook_event_name"]);
        assert_eq!(shown(&outcome.context()), [message.number], "{payload}");
    }
}

#[test]
fn the_room_is_explained_once_and_again_after_a_clear() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let explains = |text: &str| text.starts_with("[Room demo is ");
    let next = |payload| {
        daemon.post("x");
        run.relay().on(&payload).context()
    };
    assert!(explains(&next(batch("t1"))));
    assert!(!explains(&next(batch("t2"))));
    let cleared = start("clear").with("session_id", "another");
    assert!(explains(&next(cleared)));
    let later = batch("t3").with("session_id", "another");
    assert!(!explains(&next(later)));
}

#[test]
fn a_new_session_gets_the_conversation_so_far() {
    let daemon = Daemon::start();
    daemon.open().end();
    let before = [daemon.post("first").number, daemon.post("second").number];
    let run = daemon.open_with(|open| open.history = true);
    let text = run.relay().on(&start("startup")).context();
    assert_eq!(shown(&text), before, "{text}");
    assert_eq!(run.waiting(), 0);
    let page: MessagePage = daemon.operator().get("/v1/rooms/demo/messages").unwrap();
    let how = |m: &Message| m.deliveries[0].how;
    assert!(page.messages.iter().all(|m| how(m) == How::Opened));
}

#[test]
fn what_another_run_has_seen_is_part_of_an_opening_where_the_run_wants_it() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let seen = daemon.post("seen by the first run");
    run.relay().on(&batch("t1")).context();
    run.relay().on(&batch("t2")).run_silent();
    run.end();
    let session = |payload: serde_json::Value| payload.with("session_id", "s2");
    let without = daemon.open();
    without.relay().on(&session(start("startup"))).run_silent();
    without.end();
    let with = daemon.open_with(|open| open.history = true);
    with.relay().on(&session(start("resume"))).run_silent();
    let text = with.relay().on(&session(start("startup"))).context();
    assert_eq!(shown(&text), [seen.number], "{text}");
    let by: Vec<_> = daemon.message(&seen).deliveries;
    assert_eq!(by.len(), 1, "it was no delivery: {by:?}");
}

#[test]
fn a_subagents_tool_call_takes_nothing() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("for the main agent");
    let sub = claude("PostToolUse-subagent");
    run.relay().on(&sub).run_silent();
    let sub = batch("t1").with("agent_id", "a1");
    run.relay().on(&sub).run_silent();
    run.relay().on(&claude("SubagentStop")).run_silent();
    run.gate().on(&claude("SubagentStop")).run_silent();
    run.gate()
        .on(&claude("Stop").with("agent_id", "a1"))
        .run_silent();
    run.codex("room-relay")
        .on(&codex("PostToolUse-subagent"))
        .run_silent();
    assert_eq!(run.waiting(), 1);
    assert_eq!(shown(&run.relay().on(&batch("t2")).context()).len(), 1);
}

#[test]
fn a_second_copy_of_the_hook_says_nothing() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("once");
    run.relay().on(&batch("t1")).context();
    run.relay()
        .args(&["--launch"])
        .on(&batch("t1"))
        .run_silent();
}

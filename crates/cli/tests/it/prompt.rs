//! `room prompt`, and `room run --prompt-file`

use std::fs;

use room_protocol::{How, Message, Run, limits};

use crate::home::{Home, finish, lines};

/// A task in a file beside the home; its path.
fn task(home: &Home, text: &str) -> String {
    let file = home.beside().join("the task");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_conversation_is_printed_and_nothing_is_consumed() {
    let home = Home::with_demo();
    assert_eq!(home.room(["prompt", "demo"]).ok(), "");
    home.post("first");
    home.post("second");
    let run = home.start();
    let text = home.room(["prompt", "demo"]).ok();
    assert!(
        text.contains("The conversation so far: 2 messages."),
        "{text}"
    );
    assert!(
        text.contains("> first\n[demo/2 from ana, a person"),
        "{text}"
    );
    assert_eq!(home.run(&run).unread, 2);
    assert!(
        home.room(["prompt", "nowhere"])
            .fails(1)
            .contains("nowhere")
    );
}

#[test]
fn with_a_run_what_was_printed_whole_counts_as_shown() {
    let home = Home::with_demo();
    home.post(&"z".repeat(60_000));
    home.post("waits for the next run");
    let run = home.start();
    home.post("new");
    let file = task(&home, "Write the docs.\n\nBriefly.\n");
    let args = ["prompt", "demo", "--run", &run, "--task", &file, "--json"];
    let out = home.room(args).ok();
    let composed: serde_json::Value = lines(&out).remove(0);
    let text = composed["text"].as_str().unwrap();
    assert!(
        text.ends_with("follows.]\n\nWrite the docs.\n\nBriefly.\n"),
        "{text}"
    );
    assert!(text.contains("> new") && !text.contains("zzz"), "{text}");
    let all: Vec<Message> = home.json(["messages", "demo"]);
    let how: Vec<_> = all
        .iter()
        .map(|m| m.deliveries.first().map(|d| d.how))
        .collect();
    let shown: Vec<_> = all
        .iter()
        .filter(|m| text.contains(&format!("[{} from", m.handle)))
        .map(|m| m.id.as_str())
        .collect();
    assert_eq!(composed["shown"], serde_json::json!(shown));
    assert_eq!(how, [None, Some(How::Opened), Some(How::Opened)]);
    assert_eq!(composed["more"], 1);
    // Its launcher may have wired no hook: none is promised.
    assert!(
        text.contains("\n[1 more waits; room read demo shows it]\n"),
        "{text}"
    );
    assert!(!text.contains("hook"), "{text}");
    assert_eq!(home.run(&run).unread, 1);
}

#[test]
fn a_task_comes_from_standard_input_too_and_has_its_bound() {
    let home = Home::with_demo();
    let text = home
        .piped(["prompt", "demo", "--task", "-"], b"just the task\n")
        .ok();
    assert_eq!(text, "just the task\n\n");
    let long = "ü".repeat(limits::OPENING_CHARS + 1);
    for (task, says) in [
        (long.as_bytes(), "32001 characters"),
        (&b"x".repeat(1 << 20)[..], "longer than 32000 characters"),
        (b"\xff", "invalid utf-8"),
        (b" \n", "is empty"),
    ] {
        let err = home.piped(["prompt", "demo", "--task", "-"], task).fails(1);
        assert!(err.to_lowercase().contains(says), "{err}");
    }
}

#[test]
fn a_text_that_nobody_can_read_consumes_nothing() {
    let home = Home::with_demo();
    let run = home.start();
    home.post("hello");
    for sink in ["/dev/null", "/dev/full"] {
        let mut command = home.command(["prompt", "demo", "--run", &run]);
        let sink = fs::OpenOptions::new().write(true).open(sink).unwrap();
        assert_eq!(
            command.stdout(sink).output().unwrap().status.code(),
            Some(1)
        );
        assert_eq!(home.run(&run).unread, 1);
    }
    let err = home.room(["prompt", "demo", "--run", "demo-none"]).fails(1);
    assert!(err.contains("no run demo-none"), "{err}");
    home.room(["create", "other"]).ok();
    let err = home.room(["prompt", "other", "--run", &run]).fails(1);
    assert!(err.contains("room demo"), "{err}");
}

#[test]
fn run_hands_conversation_and_task_over_on_standard_input() {
    let home = Home::with_demo();
    home.post("remember the tests");
    let file = task(&home, "Do it.");
    let out = home
        .room(["run", "demo", "--prompt-file", &file, "--", "cat"])
        .done();
    assert!(out.contains("> remember the tests\n"), "{out}");
    assert!(out.ends_with("\n\nDo it."), "{out}");
    let delivery = &home.message("demo/1").deliveries[0];
    assert_eq!(delivery.how, How::Opened);
    // The conversation is in the opening; the hooks need not bring it again.
    let runs: Vec<Run> = home.json(["runs", "--all"]);
    let file = fs::read(home.run_dir(runs[0].id.as_str()).join("run.json")).unwrap();
    let file: serde_json::Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(file["history"], false);
}

#[test]
fn no_history_leaves_what_others_have_taken_out() {
    let home = Home::with_demo();
    let first = home.start();
    home.post("old");
    home.inside(&first, ["read", "demo"]).ok();
    home.post("new");
    let file = task(&home, "Do it.");
    let args = [
        "run",
        "demo",
        "--no-history",
        "--prompt-file",
        &file,
        "--",
        "cat",
    ];
    let out = home.room(args).done();
    assert!(out.contains("> new") && !out.contains("> old"), "{out}");
}

#[test]
fn a_command_that_reads_nothing_blocks_nobody() {
    let home = Home::with_demo();
    let file = task(&home, &"é".repeat(limits::OPENING_CHARS - 10));
    let ran = home.room(["run", "demo", "--prompt-file", &file, "--", "true"]);
    assert_eq!(ran.code, Some(0));
}

#[test]
fn a_command_that_does_not_start_has_taken_nothing() {
    let home = Home::with_demo();
    home.post("hello");
    let file = task(&home, "Do it.");
    let args = [
        "run",
        "demo",
        "--prompt-file",
        &file,
        "--",
        "no-such-command-at-all",
    ];
    let ran = home.room(args);
    assert_eq!(ran.code, Some(127));
    assert_eq!(home.message("demo/1").deliveries, []);
}

#[test]
fn a_task_may_come_from_standard_input() {
    let home = Home::with_demo();
    let command = home.command(["run", "demo", "--prompt-file", "-", "--", "cat"]);
    let ran = finish(command, b"Do it.");
    assert_eq!(ran.done(), "Do it.");
}

#[test]
fn what_was_handed_over_is_confirmed_by_what_follows_it_and_not_shown_again() {
    let home = Home::with_demo();
    home.post("remember the tests");
    let file = task(&home, "Do it.");
    let script = r#"cat >/dev/null
        hook() {
            printf '{"session_id":"s1","prompt_id":"p1","hook_event_name":"%s"%s}' "$1" "$2" |
                CLAUDE_PID=$$ ROOM_INTERVAL=0 room-relay --cli claude
        }
        hook SessionStart ',"source":"startup"'
        hook UserPromptSubmit ',"prompt":"Do it."'
        hook PostToolBatch ',"tool_calls":[{"tool_name":"Bash","tool_use_id":"t1"}]'"#;
    let args = [
        "run",
        "demo",
        "--prompt-file",
        &file,
        "--",
        "sh",
        "-c",
        script,
    ];
    let out = home.room(args).done();
    assert!(!out.contains("remember the tests"), "shown again: {out}");
    let message = home.message("demo/1");
    assert_eq!(message.deliveries.len(), 1);
    assert!(message.deliveries[0].confirmed, "{message:?}");
    assert_eq!(message.deliveries[0].returned_at, None);
}

//! What holds for every verb's output.

use std::process::Command;

use crate::home::{Home, Ran, bin};

/// Runs `room` on a terminal, where this machine has `script` to make one.
fn on_a_terminal(home: &Home, vars: &[(&str, &str)]) -> Option<String> {
    let line = format!("'{}' messages demo", bin("room").display());
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env_clear();
    command
        .env("ROOM_HOME", home.path())
        .env("PATH", crate::home::path());
    command.env("TERM", "xterm").envs(vars.iter().copied());
    let output = command.stdin(std::process::Stdio::null()).output().ok()?;
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn colours_are_for_terminals() {
    let home = Home::with_demo();
    home.post("hello \u{1b}[35m");
    let plain = home.room(["messages", "demo"]).ok();
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    if let Some(text) = on_a_terminal(&home, &[]) {
        assert!(text.contains("\u{1b}[1mdemo/1\u{1b}[0m"), "{text:?}");
        assert!(!text.contains("\u{1b}[35m"), "{text:?}");
    }
    for var in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        if let Some(text) = on_a_terminal(&home, &[var]) {
            assert!(
                text.contains("demo/1") && !text.contains("\u{1b}["),
                "{text:?}"
            );
        }
    }
}

#[test]
fn a_reader_that_leaves_is_no_failure_and_a_full_disk_is_one() {
    let home = Home::with_demo();
    home.post(&"x".repeat(1_000));
    for verb in [
        &["messages", "demo"][..],
        &["rooms"],
        &["show", "demo/1"],
        &["read", "demo"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = home.command(verb).stdout(writer).output().unwrap();
        assert_eq!(Ran::of(&output).ok(), "", "{verb:?}");
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = home.command(verb).stdout(full).output().unwrap();
        let err = Ran::of(&output).fails(1);
        assert!(err.contains("cannot write the answer"), "{verb:?}: {err}");
    }
}

#[test]
fn json_is_one_object_a_line_for_every_verb() {
    let home = Home::with_demo();
    let run = home.start();
    home.post("one\ntwo");
    for args in [
        &["post", "demo", "x"][..],
        &["read", "demo"],
        &["messages", "demo"],
        &["show", "demo/1"],
        &["withdraw", "demo/2"],
        &["rooms"],
        &["create", "demo"],
        &["runs", "--all"],
        &["watch", "demo", "--no-follow"],
        &["prompt", "demo"],
        &["start", "demo"],
        &["end", &run],
        &["daemon", "status"],
        &["install", "claude"],
        &["uninstall", "claude"],
    ] {
        let out = home.room(args.iter().chain(&["--json"])).ok();
        let objects: Vec<serde_json::Value> = crate::home::lines(&out);
        assert!(!objects.is_empty(), "{args:?}");
        assert!(
            objects.iter().all(serde_json::Value::is_object),
            "{args:?}: {out}"
        );
    }
}

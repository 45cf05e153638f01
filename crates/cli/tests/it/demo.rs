//! `room demo`

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::home::{Home, Ran, bin, end_of, lines, until};

/// `room demo` with a temporary directory of its own.
fn demo(home: &Home, room: &Path) -> Command {
    let tmp = home.beside().join("tmp");
    fs::create_dir_all(&tmp).unwrap();
    let mut command = home.command(["demo", "--json"]);
    let path = command
        .get_envs()
        .find(|(k, _)| *k == "PATH")
        .unwrap()
        .1
        .unwrap()
        .to_owned();
    if room != bin("room") {
        command = Command::new(room);
        command
            .args(["demo", "--json"])
            .env_clear()
            .env("PATH", path);
    }
    command
        .env("TMPDIR", &tmp)
        .env("RUN_ID", "outer")
        .env("CLAUDE_CODE_EXECPATH", "/x");
    command
}

#[track_caller]
fn nothing_is_left(home: &Home) {
    let left: Vec<_> = fs::read_dir(home.beside().join("tmp")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// The process of the demonstration's daemon, from the first line.
fn daemon(out: &str) -> Pid {
    let first: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    let text = first["text"].as_str().unwrap();
    let pid = text
        .split("(process ")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap();
    Pid::from_raw(pid.parse().unwrap()).unwrap()
}

#[test]
fn the_main_job_is_shown_and_nothing_is_left() {
    let home = Home::new();
    let ran = Ran::of(&demo(&home, &bin("room")).output().unwrap());
    let out = ran.ok();
    let told: Vec<Value> = lines(&out);
    let by = |who: &str| -> Vec<&str> {
        let all = told.iter().filter(|t| t["who"] == who);
        all.map(|t| t["text"].as_str().unwrap()).collect()
    };
    let hooks = by("hook");
    assert_eq!(hooks.len(), 4, "{hooks:?}");
    assert!(hooks[1].contains("[demo/1 from ana, a person"), "{hooks:?}");
    assert!(
        hooks[1].contains("> please use tabs,\n> and keep the tests green"),
        "{hooks:?}"
    );
    assert!(hooks[2].contains("[demo/2 from ana, a person"), "{hooks:?}");
    let seen = by("person");
    let says = |text: &str| assert!(seen.iter().any(|s| s.contains(text)), "{text}: {seen:?}");
    says("demo/1 is taken: relayed, not confirmed yet");
    says("demo/1 is taken: relayed, confirmed");
    says("demo/2 is taken: gated, confirmed");
    nothing_is_left(&home);
    until("its daemon is gone", || {
        rustix::process::test_kill_process(daemon(&out)).is_err()
    });
    assert!(!home.path().exists());
}

/// The programs, with one of the hooks replaced by a script.
fn with_hook(home: &Home, hook: &str, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let dir = home.beside().join("bin");
    fs::create_dir(&dir).unwrap();
    for name in ["room", "roomd", "room-relay", "stop-gate", "heartbeat"] {
        fs::copy(bin(name), dir.join(name)).unwrap();
    }
    fs::remove_file(dir.join(hook)).unwrap();
    fs::write(dir.join(hook), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(dir.join(hook), fs::Permissions::from_mode(0o755)).unwrap();
    dir.join("room")
}

#[test]
fn a_hook_that_does_not_do_its_work_fails_it() {
    for (hook, script, says) in [
        (
            "room-relay",
            "cat >/dev/null",
            "did not come with the next tool call",
        ),
        (
            "stop-gate",
            "cat >/dev/null",
            "the stop was let through with demo/2 unread",
        ),
        (
            "heartbeat",
            "cat >/dev/null; echo oops >&2",
            "heartbeat failed: oops",
        ),
    ] {
        let home = Home::new();
        let room = with_hook(&home, hook, script);
        let ran = Ran::of(&demo(&home, &room).output().unwrap());
        assert_eq!(ran.code, Some(1), "{hook}: {ran:?}");
        assert!(ran.err.contains(says), "{hook}: {ran:?}");
        nothing_is_left(&home);
    }
}

#[test]
fn an_interrupted_one_leaves_nothing_either() {
    let home = Home::new();
    let room = with_hook(
        &home,
        "room-relay",
        "cat >/dev/null; : > ../called; sleep 10",
    );
    let mut child = demo(&home, &room).spawn().unwrap();
    let tmp = home.beside().join("tmp");
    until("the first hook runs", || tmp.join("called").exists());
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(end_of(&mut child).code(), Some(130));
    fs::remove_file(tmp.join("called")).unwrap();
    nothing_is_left(&home);
}

//! `room run`

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use room_protocol::runfile::ProcessFile;
use room_protocol::{Run, RunState};

use crate::home::{Home, Ran, finish};

/// The only run that ever was.
pub fn only_run(home: &Home) -> Run {
    let mut runs: Vec<Run> = home.json(["runs", "--all"]);
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

/// Runs a shell script in the room.
fn sh(home: &Home, script: &str) -> Ran {
    home.room(["run", "demo", "--", "sh", "-c", script])
}

#[test]
fn the_command_is_told_its_run_and_nothing_of_an_outer_one() {
    let home = Home::named("a home");
    let mut command = home.command(["run", "demo", "--name", "bo", "--", "env"]);
    for name in [
        "CLAUDE_CODE_EXECPATH",
        "CODEX_THREAD_ID",
        "CODEX_SESSION_ID",
        "CODEX_TOOL_CALL_ID",
    ] {
        command.env(name, "outer");
    }
    command
        .env("CODEX_CI", "1")
        .env("CLAUDE_JOB_DIR", "/x")
        .env("KEPT", "yes");
    let out = Ran::of(&command.output().unwrap()).done();
    let run = only_run(&home);
    let has = |line: &str| out.lines().any(|l| l == line);
    assert!(has(&format!("RUN_ID={}", run.id)), "{out}");
    assert!(
        has(&format!("ROOM_HOME={}", home.path().display())),
        "{out}"
    );
    assert!(has("KEPT=yes"), "{out}");
    assert!(!out.contains("CODEX_") && !out.contains("CLAUDE_"), "{out}");
    assert_eq!((run.name.as_str(), run.cli.as_str()), ("bo", "env"));
    assert_eq!((run.state, run.exit_code), (RunState::Ended, Some(0)));
}

#[test]
fn the_noted_process_is_the_command_itself() {
    let home = Home::new();
    let script = "cat \"$ROOM_HOME/runs/$RUN_ID/process.json\"; echo; echo $$";
    let out = sh(&home, script).done();
    let (note, pid) = out.trim().split_once('\n').unwrap();
    let note: ProcessFile = serde_json::from_str(note).unwrap();
    assert_eq!(note.pid.to_string(), pid.trim());
}

#[test]
fn exit_codes_and_streams_pass_through() {
    let home = Home::new();
    let script = "read line; echo \"out $line\"; echo err >&2; exit 42";
    let command = home.command(["run", "demo", "--", "sh", "-c", script]);
    let ran = finish(command, b"in\n");
    assert_eq!((ran.code, ran.out.as_str()), (Some(42), "out in\n"));
    let err: Vec<_> = ran.err.lines().collect();
    assert!(
        err[0].starts_with("room: no hooks are handed to sh,")
            && err[0].ends_with("room read demo"),
        "{err:?}"
    );
    assert_eq!(err[1..], ["err"]);
    assert_eq!(only_run(&home).exit_code, Some(42));
}

#[test]
fn arguments_pass_through_whatever_they_hold() {
    let home = Home::new();
    let args = [
        "run", "demo", "--", "printf", "%s|", "a b", "", "--json", "-x", "é\n'\"$",
    ];
    assert_eq!(home.room(args).done(), "a b||--json|-x|é\n'\"$|");
    // The command's standard output stays its own with --json too.
    let ran = home.room(["--json", "run", "demo", "--", "printf", "x"]);
    assert_eq!((ran.out.as_str(), ran.err.lines().count()), ("x", 1));
}

#[test]
fn a_command_that_cannot_be_started_ends_the_run_at_once() {
    let home = Home::new();
    let ran = home.room(["run", "demo", "--", "no-such-command-at-all"]);
    let err = ran.fails(127);
    assert!(err.contains("cannot start no-such-command-at-all"), "{err}");
    let file = home.beside().join("not a program");
    fs::write(&file, "x").unwrap();
    let err = home
        .room(["run", "demo", "--", file.to_str().unwrap()])
        .fails(126);
    assert!(err.contains("Permission denied"), "{err}");
    let runs: Vec<Run> = home.json(["runs", "--all"]);
    let codes: Vec<_> = runs.iter().map(|r| r.exit_code).collect();
    assert_eq!(codes, [Some(126), Some(127)]);
}

#[test]
fn a_command_that_a_signal_ends_has_the_shells_exit_code() {
    let home = Home::new();
    assert_eq!(sh(&home, "kill -KILL $$").code, Some(137));
    assert_eq!(only_run(&home).exit_code, Some(137));
}

#[test]
fn what_makes_no_sense_opens_no_run() {
    let home = Home::new();
    let task = home.beside().join("task");
    fs::write(&task, "x").unwrap();
    let task = task.to_str().unwrap();
    for (args, code, says) in [
        (&["run", "demo"][..], 2, "required arguments"),
        (&["run", "Demo", "--", "true"], 2, "is not a room name"),
        (
            &["run", "demo", "--git", "x", "--", "true"],
            2,
            "possible values",
        ),
        (
            &["run", "demo", "--prompt-file", "gone", "--", "cat"],
            1,
            "the task gone",
        ),
        (
            &["run", "demo", "--prompt-file", task, "--", "claude"],
            2,
            "claude -p, codex exec",
        ),
        (
            &["run", "demo", "--prompt-file", task, "--", "codex"],
            2,
            "claude -p, codex exec",
        ),
    ] {
        let err = home.room(args).fails(code);
        assert!(err.contains(says), "{args:?}: {err}");
    }
    assert_eq!(home.room(["runs", "--all"]).ok(), "no runs\n");
}

#[test]
fn room_is_found_by_the_command_even_where_no_path_leads_to_it() {
    let home = Home::with_demo();
    let mut command = home.command(["run", "demo", "--", "/bin/sh", "-c", "room post demo hi"]);
    let output = command.env("PATH", "/usr/bin:/bin").output().unwrap();
    assert_eq!(Ran::of(&output).done(), "demo/1\n");
}

/// A program of this name that prints its arguments, one a line, then its standard input.
fn agent(dir: &Path, name: &str) -> String {
    let file = dir.join(name);
    let script = "#!/bin/sh\ncase \"$1\" in --version) echo \"2.1.332 (Claude Code)\"; exit;; esac\n\
                  printf '%s\\n' \"$@\"; echo --stdin--; cat\n";
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn claude_is_handed_a_plugin_and_its_own_arguments_stay() {
    let home = Home::new();
    let claude = agent(home.beside(), "claude");
    let out = home
        .room([
            "run",
            "demo",
            "--",
            &claude,
            "-p",
            "do it",
            "--settings",
            "x",
        ])
        .ok();
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines[0], "--plugin-dir");
    assert_eq!(lines[2..], ["-p", "do it", "--settings", "x", "--stdin--"]);
    let run = only_run(&home);
    assert_eq!((run.cli.as_str(), run.name.as_str()), ("claude", "claude"));
    let plugin = Path::new(lines[1]);
    assert!(
        plugin.starts_with(home.run_dir(run.id.as_str())),
        "{plugin:?}"
    );
    let hooks = fs::read_to_string(plugin.join("hooks/hooks.json")).unwrap();
    let relay = crate::home::bin("room-relay");
    assert!(
        hooks.contains(relay.to_str().unwrap()) && hooks.contains("--launch"),
        "{hooks}"
    );
}

#[test]
fn codex_is_handed_overrides_and_is_told_where_its_own_stand_in_the_way() {
    let home = Home::new();
    let codex = agent(home.beside(), "codex");
    let out = home
        .room(["run", "demo", "--", &codex, "exec", "do it"])
        .ok();
    let lines: Vec<_> = out.lines().collect();
    let outbox = home.run_dir(only_run(&home).id.as_str()).join("outbox");
    assert_eq!(lines[..2], ["--add-dir", outbox.to_str().unwrap()]);
    assert!(outbox.is_dir());
    assert_eq!(lines[2], "-c");
    assert!(lines.iter().any(|l| l.starts_with("hooks.Stop=")), "{out}");
    assert!(lines.iter().any(|l| l.starts_with("hooks.state=")), "{out}");
    assert_eq!(lines[lines.len() - 3..], ["exec", "do it", "--stdin--"]);
    let ran = home.room([
        "run",
        "demo",
        "--",
        &codex,
        "-c",
        "hooks.Stop=[]",
        "exec",
        "x",
    ]);
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.err.contains("no agent-room hook runs on Stop"),
        "{ran:?}"
    );
    assert!(!ran.out.contains("stop-gate"), "{ran:?}");
}

//! `room run`

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use room_protocol::runfile::ProcessFile;
use room_protocol::{Run, RunState};
use rustix::process::{Pid, Signal, kill_process};

use crate::home::{Home, Ran, end_of, until};

/// The only run that ever was.
fn only_run(home: &Home) -> Run {
    let mut runs: Vec<Run> = home.json(["runs", "--all"]);
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

/// Runs a shell script in the room.
fn sh(home: &Home, script: &str) -> Ran {
    home.room(["run", "demo", "--", "sh", "-c", script])
}

/// Starts a shell script in the room and waits until it has made a file.
fn started(home: &Home, script: &str) -> (Child, PathBuf) {
    let ready = home.beside().join("ready");
    let script = format!("{script}\n: > ready; while :; do sleep 0.05; done");
    let child = home
        .command(["run", "demo", "--", "sh", "-c", &script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the script is ready", || ready.exists());
    (child, ready)
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
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
    let out = Ran::of(&command.output().unwrap()).ok();
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
    let out = sh(&home, script).ok();
    let (note, pid) = out.trim().split_once('\n').unwrap();
    let note: ProcessFile = serde_json::from_str(note).unwrap();
    assert_eq!(note.pid.to_string(), pid.trim());
}

#[test]
fn exit_codes_and_streams_pass_through() {
    let home = Home::new();
    let script = "read line; echo \"out $line\"; echo err >&2; exit 42";
    let mut command = home.command(["run", "demo", "--", "sh", "-c", script]);
    let ran = Ran::of(&crate::home::feed(&mut command, b"in\n"));
    let expected = Ran {
        code: Some(42),
        out: "out in\n".to_owned(),
        err: "err\n".to_owned(),
    };
    assert_eq!(ran, expected);
    assert_eq!(only_run(&home).exit_code, Some(42));
}

#[test]
fn arguments_pass_through_whatever_they_hold() {
    let home = Home::new();
    let args = [
        "run", "demo", "--", "printf", "%s|", "a b", "", "--json", "-x", "é\n'\"$",
    ];
    assert_eq!(home.room(args).ok(), "a b||--json|-x|é\n'\"$|");
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
fn signals_to_the_launcher_reach_the_command() {
    for (sent, name) in [
        (Signal::TERM, "TERM"),
        (Signal::HUP, "HUP"),
        (Signal::INT, "INT"),
    ] {
        let home = Home::new();
        let (mut child, _) = started(&home, &format!("trap 'exit 9' {name}"));
        assert_eq!(only_run(&home).state, RunState::Starting);
        signal(&child, sent);
        assert_eq!(end_of(&mut child).code(), Some(9), "{name}");
        assert_eq!(only_run(&home).exit_code, Some(9));
    }
}

/// A terminal is made by `script` (util-linux); a machine without it cannot show this.
#[test]
fn what_a_terminal_sends_reaches_the_command_once() {
    let home = Home::new();
    // Nothing but built-ins: a shell that waits for a child would take two signals for one.
    let script = "n=0; trap 'n=$((n+1))' INT; test -t 0 && echo on-a-terminal; : > ready
                  while test $n = 0; do :; done
                  i=0; while test $i -lt 100000; do i=$((i+1)); done; exit $((5+n))";
    let line = format!(
        "exec '{}' run demo -- sh -c '{}'",
        crate::home::bin("room").display(),
        script.replace('\'', "'\\''")
    );
    let room = home.command([""; 0]);
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env_clear();
    command.envs(
        room.get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command.current_dir(home.beside());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        return;
    };
    let ready = home.beside().join("ready");
    until("the script is ready", || ready.exists());
    child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(6), "{text:?}");
    assert!(text.contains("on-a-terminal"), "{text:?}");
    assert_eq!(only_run(&home).exit_code, Some(6));
}

#[test]
fn the_launcher_waits_for_a_command_that_does_not_end_at_once() {
    let home = Home::new();
    let (mut child, ready) = started(&home, "trap ': > asked' TERM");
    let asked = ready.with_file_name("asked");
    signal(&child, Signal::TERM);
    until("the command was asked to end", || asked.exists());
    assert!(child.try_wait().unwrap().is_none());
    let pid = process(&home);
    kill_process(pid, Signal::KILL).unwrap();
    assert_eq!(end_of(&mut child).code(), Some(137));
}

/// The command's process, as the launcher noted it.
fn process(home: &Home) -> Pid {
    let file = home
        .run_dir(only_run(home).id.as_str())
        .join("process.json");
    let note: ProcessFile = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    Pid::from_raw(i32::try_from(note.pid).unwrap()).unwrap()
}

#[test]
fn a_killed_launcher_leaves_the_command_to_itself() {
    let home = Home::new();
    let (mut child, _) = started(&home, "");
    let pid = process(&home);
    signal(&child, Signal::KILL);
    end_of(&mut child);
    rustix::process::test_kill_process(pid).unwrap();
    assert_eq!(only_run(&home).state, RunState::Starting);
    kill_process(pid, Signal::KILL).unwrap();
}

#[test]
fn the_command_goes_on_without_the_daemon_and_its_run_is_ended_all_the_same() {
    let home = Home::with_demo();
    let (mut child, ready) = started(&home, "trap 'room post demo bye; exit 5' TERM");
    let run = only_run(&home);
    home.kill_daemon();
    signal(&child, Signal::TERM);
    assert_eq!(end_of(&mut child).code(), Some(5));
    assert!(ready.exists());
    // What the command said while there was no daemon went out at its end.
    assert_eq!(home.message("demo/1").body, "bye");
    assert_eq!(home.message("demo/1").author.run, Some(run.id.clone()));
    assert_eq!(home.run(run.id.as_str()).exit_code, Some(5));
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
    assert_eq!(Ran::of(&output).ok(), "demo/1\n");
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

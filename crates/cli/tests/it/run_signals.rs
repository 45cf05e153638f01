//! `room run`: signals, and what becomes of command, launcher and daemon when one of them dies.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use room_protocol::RunState;
use room_protocol::runfile::ProcessFile;
use rustix::process::{Pid, Signal, kill_process};

use crate::home::{Home, end_of, until};
use crate::run::only_run;

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
fn signals_to_the_launcher_reach_the_command() {
    for (sent, name) in [
        (Signal::TERM, "TERM"),
        (Signal::HUP, "HUP"),
        (Signal::USR1, "USR1"),
        (Signal::USR2, "USR2"),
        (Signal::WINCH, "WINCH"),
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

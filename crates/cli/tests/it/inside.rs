//! What a verb is inside a run: which run it is, and what is not open to it.

use std::time::{Duration, Instant};

use room_protocol::{AuthorKind, Message, RunState, Status};
use rustix::process::{Pid, Signal, kill_process};

use crate::home::{Home, Ran};

/// Every way of acting as the run, or of looking as one.
const AS_A_RUN: [&[&str]; 10] = [
    &["post", "demo", "mine"],
    &["read", "demo"],
    &["messages", "demo"],
    &["show", "demo/1"],
    &["withdraw", "demo/1"],
    &["wait", "demo/1", "--timeout", "1"],
    &["watch", "demo", "--no-follow"],
    &["prompt", "demo"],
    &["end"],
    &["end", "demo-x"],
];

#[test]
fn a_run_id_that_names_no_run_of_this_home_is_nobodys() {
    let home = Home::with_demo();
    home.post("one");
    for run in ["demo-x", "not/a/run", "../runs", " "] {
        for args in AS_A_RUN {
            let err = home.inside(run, args).fails(1);
            let place = home.path().to_str().unwrap();
            assert!(
                err.contains("names no run of this home") && err.contains(place),
                "{run:?} {args:?}: {err}"
            );
            assert!(err.contains("correct ROOM_HOME"), "{err}");
        }
        for args in [
            &["rooms"][..],
            &["runs"],
            &["create", "demo"],
            &["daemon", "status"],
            &["--help"],
        ] {
            home.inside(run, args).ok();
        }
    }
    assert_eq!(home.count(), 1);
    assert_ne!(home.message("demo/1").status, Status::Withdrawn);
    // An empty one is none.
    home.inside("", ["read", "demo"]).ok();
    let doctor = home.inside("demo-x", ["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(
        doctor.out.contains("names no run of this home"),
        "{doctor:?}"
    );
}

#[test]
fn a_run_that_has_ended_is_told_so_and_not_how_to_pass_for_a_person() {
    let home = Home::with_demo();
    let run = home.start();
    let elsewhere = home.inside(&run, ["post", "other", "x"]).fails(1);
    home.room(["end", &run]).ok();
    let over = home.inside(&run, ["post", "demo", "x"]).fails(1);
    assert!(over.contains("has ended"), "{over}");
    for err in [elsewhere, over] {
        assert!(!err.contains("unset") && !err.contains("person"), "{err}");
    }
    assert_eq!(home.count(), 0);
}

#[test]
fn a_relative_home_is_used_wrongly_whatever_the_verb() {
    let home = Home::new();
    for args in AS_A_RUN.into_iter().chain([
        &["rooms"][..],
        &["runs"],
        &["doctor"],
        &["demo"],
        &["daemon", "stop"],
        &["install", "claude"],
        &["start", "demo"],
        &["run", "demo", "--", "true"],
    ]) {
        let mut command = home.command(args);
        command.env("ROOM_HOME", "some/where");
        let err = Ran::of(&command.output().unwrap()).fails(2);
        assert!(
            err.contains("ROOM_HOME must be an absolute path") && err.contains("some/where"),
            "{args:?}: {err}"
        );
    }
    let mut command = home.command(["--help"]);
    command.env("ROOM_HOME", "some/where");
    Ran::of(&command.output().unwrap()).ok();
    assert!(!home.beside().join("some").exists() && !home.beside().join(".claude").exists());
}

#[test]
fn what_is_the_operators_is_not_a_runs() {
    let home = Home::with_demo();
    let (run, other) = (home.start(), home.start());
    home.inside(&run, ["post", "demo", "mine"]).ok();
    for (args, says) in [
        ("withdraw demo/1", "a run takes no message back"),
        (&format!("end {other}"), "a run ends no other run"),
        ("end other-2", "a run ends no other run"),
        (
            &format!("prompt demo --run {other}"),
            "a run takes no other run's messages",
        ),
        ("daemon stop", "a run does not stop the daemon"),
    ] {
        let err = home.inside(&run, args.split(' ')).fails(1);
        assert!(err.contains(says), "{args:?}: {err}");
    }
    assert_eq!(home.message("demo/1").author.kind, AuthorKind::Agent);
    assert_ne!(home.message("demo/1").status, Status::Withdrawn);
    assert_eq!(home.run(&other).state, RunState::Starting);
    assert_eq!(home.run(&other).unread, 1);
    // Its own end is its own.
    let name = home.run(&run).name.to_string();
    assert_eq!(home.inside(&run, ["end", &name]).code, Some(0));
    assert_eq!(home.run(&run).state, RunState::Ended);
}

/// A daemon that has been stopped, and goes on when this is dropped.
struct Hung(Pid);

impl Hung {
    fn daemon(home: &Home) -> Self {
        let pid = i32::try_from(home.daemon_pid()).unwrap();
        let pid = Pid::from_raw(pid).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        Self(pid)
    }
}

impl Drop for Hung {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

#[test]
fn a_daemon_that_hangs_holds_no_run_up() {
    let home = Home::with_demo();
    let run = home.start();
    home.inside(&run, ["post", "demo", "one"]).ok();
    let hung = Hung::daemon(&home);
    let most = Duration::from_millis(4_500);
    std::thread::scope(|scope| {
        for (args, code) in [
            ("post demo later", 0),
            ("post demo hello --to other", 75),
            ("read demo", 75),
            ("messages demo", 75),
            ("show demo/1", 75),
            ("wait demo/1", 75),
            ("watch demo", 75),
            ("runs", 75),
            ("rooms", 75),
            ("prompt demo", 75),
            ("end", 75),
        ] {
            let (home, run) = (&home, &run);
            scope.spawn(move || {
                let begun = Instant::now();
                let ran = home.inside(run, args.split(' '));
                let took = begun.elapsed();
                assert_eq!(ran.code, Some(code), "{args:?}: {ran:?}");
                assert!(took < most, "{args:?} took {took:?}");
            });
        }
    });
    drop(hung);
    home.inside(&run, ["post", "demo", "last"]).ok();
    let all: Vec<Message> = home.json(["messages", "demo"]);
    let bodies: Vec<_> = all.iter().map(|m| m.body.as_str()).collect();
    assert_eq!(bodies, ["one", "later", "last"]);
}

/// Found out before it is kept in an outbox, where nobody would be told.
#[test]
fn a_run_answers_and_quotes_within_its_room() {
    let home = Home::with_demo();
    home.room(["create", "other"]).ok();
    home.room(["post", "other", "elsewhere"]).done();
    let run = home.start();
    for reference in ["--reply", "--quote"] {
        let err = home
            .inside(&run, ["post", "demo", "mine", reference, "other/1"])
            .fails(1);
        assert!(err.contains("not in this run's room"), "{err}");
    }
    assert_eq!(home.count(), 0);
}

/// As on a full disk: what cannot be written is said, and no signal ends anything.
#[test]
fn under_a_file_size_limit_a_verb_says_what_it_cannot_write() {
    let home = Home::new();
    let mut command = home.command(["create", "demo"]);
    command.env("ROOM_UNDER_TEST", crate::home::bin("room"));
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", "ulimit -f 0; exec \"$ROOM_UNDER_TEST\" create demo"])
        .env_clear()
        .envs(command.get_envs().filter_map(|(n, v)| Some((n, v?))));
    let ran = Ran::of(&shell.output().unwrap());
    assert!(matches!(ran.code, Some(1 | 75)), "{ran:?}");
    assert!(ran.err.starts_with("room: "), "{ran:?}");
}

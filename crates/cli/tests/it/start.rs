//! `room start` and `room end`

use std::process::Command;

use room_protocol::{Run, RunState};

use crate::home::{Home, bin, lines};

#[test]
fn a_shell_can_eval_what_it_prints() {
    let home = Home::named("a home with 'quotes' and $blanks");
    let script = r#"eval "$("$0" start demo --name bo)" && printf '%s\n' "$RUN_ID" "$ROOM_HOME" && "$0" post demo hi && "$0" end"#;
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script]).arg(bin("room")).env_clear();
    shell.env("ROOM_HOME", home.path());
    let output = shell.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let printed: Vec<_> = text.lines().collect();
    let run = home.run(printed[0]);
    assert_eq!(printed[1], home.path().to_str().unwrap());
    assert_eq!(printed[2], "demo/1");
    assert_eq!(printed[3], format!("{} ended", run.id));
    assert_eq!(run.name.as_str(), "bo");
    assert_eq!(run.state, RunState::Ended);
    assert_eq!(home.message("demo/1").author.run, Some(run.id));
}

#[test]
fn it_prints_exactly_two_lines() {
    let home = Home::new();
    let text = home.room(["start", "demo"]).ok();
    let run: Vec<Run> = home.json(["runs"]);
    let home_path = home.path().display();
    let expected = format!(
        "export RUN_ID={}\nexport ROOM_HOME={home_path}\n",
        run[0].id
    );
    assert_eq!(text, expected);
}

#[test]
fn json_tells_the_home_too() {
    let home = Home::new();
    let started: Vec<serde_json::Value> = home.json(["start", "demo"]);
    let run: Vec<serde_json::Value> = home.json(["runs"]);
    assert_eq!(started[0]["id"], run[0]["id"]);
    assert_eq!(started[0]["home"], home.path().to_str().unwrap());
}

#[test]
fn a_live_runs_name_will_do_where_it_is_the_only_one() {
    let home = Home::new();
    for room in ["demo", "other"] {
        home.room(["start", room, "--name", "Al B"]).ok();
    }
    home.room(["start", "demo", "--name", "bo"]).ok();
    home.room(["post", "demo", "x", "--to", "Al B"]).ok();
    let to = home.message("demo/1").to.unwrap();
    assert_eq!(home.run(to.as_str()).name.as_str(), "Al B");
    let several = home.room(["end", "Al B"]).fails(1);
    assert!(
        several.contains("several live runs are called Al B") && several.contains(to.as_str()),
        "{several}"
    );
    assert!(home.room(["end", "bo"]).ok().ends_with(" ended\n"));
    for none in ["bo", "no such"] {
        let err = home.room(["end", none]).fails(1);
        assert!(err.contains("id or name of a live run"), "{err}");
    }
    // A run may name another, and one in another room is nobody here.
    let al = to.to_string();
    let cy: Vec<Run> = home.json(["start", "demo", "--name", "cy"]);
    home.inside(&al, ["post", "demo", "y", "--to", "cy"]).ok();
    assert_eq!(home.message("demo/2").to.as_ref(), Some(&cy[0].id));
    let other: Vec<Run> = home.json(["start", "other", "--name", "dee"]);
    for from in ["", al.as_str()] {
        let err = home.inside(from, ["post", "demo", "z", "--to", "dee"]);
        assert!(err.fails(1).contains("dee"));
        let id = other[0].id.as_str();
        let err = home
            .inside(from, ["post", "demo", "z", "--to", id])
            .fails(1);
        assert!(err.contains("in the room demo"), "{err}");
    }
}

#[test]
fn a_shell_that_has_ended_its_run_is_told_to_forget_it() {
    let home = Home::new();
    let run = home.start();
    let ran = home.inside(&run, ["end"]);
    assert_eq!((ran.code, ran.out), (Some(0), format!("{run} ended\n")));
    assert!(ran.err.ends_with("unset RUN_ID ROOM_HOME\n"), "{}", ran.err);
}

#[test]
fn a_run_is_opened_as_asked() {
    let home = Home::new();
    let args = [
        "start",
        "demo",
        "--cli",
        "my agent\u{1b}",
        "--git",
        "pushed",
        "--no-history",
    ];
    let out = home.room(args.iter().chain(&["--json"])).ok();
    let run: Run = lines(&out).remove(0);
    assert_eq!(
        (run.cli.as_str(), run.name.as_str()),
        ("my-agent-", "my-agent-")
    );
    let file = std::fs::read(home.run_dir(run.id.as_str()).join("run.json")).unwrap();
    let file: serde_json::Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(file["git"], "pushed");
    assert_eq!(file["history"], false);
    assert_eq!(file["launched"], false);
    let taken = home.room(["start", "demo", "--name", "my-agent-"]).fails(1);
    assert!(taken.contains("my-agent-"), "{taken}");
    for (args, says) in [
        (["start", "Demo"].as_slice(), "is not a room name"),
        (
            &["start", "demo", "--git", "maybe"],
            "possible values: off, clean, pushed",
        ),
        (&["start", "demo", "--name", " x"], "is not a name"),
    ] {
        let err = home.room(args).fails(2);
        assert!(err.contains(says), "{err}");
    }
}

#[test]
fn a_run_ends_once_and_may_be_ended_again() {
    let home = Home::new();
    let run = home.start();
    let ended = home
        .inside(&run, ["end", "--exit-code", "3", "--json"])
        .ok();
    let ended: Run = lines(&ended).remove(0);
    assert_eq!((ended.state, ended.exit_code), (RunState::Ended, Some(3)));
    let again = home.room(["end", &run]).ok();
    assert_eq!(again, format!("{run} ended\n"));
    assert_eq!(home.run(&run).exit_code, Some(3));
    assert!(
        home.room(["end", "demo-none"])
            .fails(1)
            .contains("demo-none")
    );
    assert!(home.room(["end"]).fails(2).contains("which run?"));
}

#[test]
fn the_end_hands_over_what_the_run_still_had_to_say() {
    let home = Home::with_demo();
    let run = home.start();
    home.room(["daemon", "stop"]).ok();
    home.inside(&run, ["post", "demo", "last words"]).ok();
    home.room(["end", &run]).ok();
    assert_eq!(home.message("demo/1").body, "last words");
}

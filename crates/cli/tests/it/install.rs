//! `room install` and `room uninstall`

use std::fs;

use serde_json::Value;

use crate::home::{Home, Ran, bin};

const SETTINGS: &str = "{\r\n\t// mine\r\n\t\"model\": \"opus\",\r\n}\r\n";

#[test]
fn settings_come_back_to_the_byte() {
    let home = Home::new();
    let file = home.beside().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, SETTINGS).unwrap();
    let text = home.room(["install", "claude"]).ok();
    assert!(
        text.contains(&format!("\nadded to {}\n", file.display())),
        "{text}"
    );
    // Its comment and its comma make Claude Code pass over the file: the first thing to know.
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with("WARNING: Claude Code will run none of these hooks: ")
            && first.contains("settings.json")
            && first.contains("a comment or a trailing comma"),
        "{text}"
    );
    assert!(
        text.ends_with("room run ROOM -- claude, or eval \"$(room start ROOM)\" and then claude\n"),
        "{text}"
    );
    assert!(text.contains("as it was before: "), "{text}");
    let wired = fs::read_to_string(&file).unwrap();
    assert!(
        wired.contains(bin("stop-gate").to_str().unwrap()),
        "{wired}"
    );
    let again = home.room(["install", "claude", "--user"]).ok();
    assert!(again.contains("\nalready as wanted:"), "{again}");
    assert_eq!(fs::read_to_string(&file).unwrap(), wired);
    let text = home.room(["uninstall", "claude"]).ok();
    assert!(text.starts_with("restored, to the byte,"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), SETTINGS);
    let text = home.room(["uninstall", "claude"]).ok();
    assert!(text.starts_with("nothing of ours in"), "{text}");
    assert_eq!(
        home.room(["daemon", "status"]).code,
        Some(75),
        "no daemon is needed"
    );
}

#[test]
fn hooks_that_are_switched_off_are_the_first_thing_said() {
    let home = Home::new();
    let file = home.beside().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{\"disableAllHooks\": true}\n").unwrap();
    let text = home.room(["install", "claude"]).ok();
    assert!(text.starts_with("WARNING: "), "{text}");
    assert!(
        text.lines()
            .next()
            .unwrap()
            .contains("\"disableAllHooks\" in "),
        "{text}"
    );
    let report = home.room(["install", "claude", "--json"]).ok();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["switched_off"], file.to_str().unwrap());
    let config = home.beside().join(".codex/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[features]\nhooks = false\n").unwrap();
    let text = home.room(["install", "codex"]).ok();
    assert!(text.starts_with("WARNING: Codex will run none"), "{text}");
}

#[test]
fn without_the_hooks_programs_nothing_is_installed() {
    let home = Home::new();
    let alone = home.beside().join("room");
    fs::copy(bin("room"), &alone).unwrap();
    let mut command = std::process::Command::new(&alone);
    command.args(["install", "claude"]).env_clear();
    command.env("HOME", home.beside());
    let err = Ran::of(&command.output().unwrap()).fails(1);
    assert!(
        err.starts_with("room: nothing was installed: the hooks (room-relay,"),
        "{err}"
    );
    assert!(!home.beside().join(".claude").exists());
}

#[test]
fn a_local_file_is_nobody_elses() {
    let home = Home::new();
    let local = home.beside().join(".claude/settings.local.json");
    let text = home.room(["install", "claude", "--local"]).ok();
    assert!(
        text.starts_with(&format!("made {}\n", local.display())),
        "{text}"
    );
    assert!(!text.contains("commonly shared"), "{text}");
    home.room(["uninstall", "claude", "--local"]).ok();
    assert!(!local.exists());
    let err = home.room(["install", "codex", "--local"]).fails(2);
    assert!(err.contains("--local is for claude"), "{err}");
}

#[test]
fn a_project_has_its_own() {
    let home = Home::new();
    let text = home.room(["install", "claude", "--project"]).ok();
    assert!(
        text.contains("commonly shared") && text.contains("--local"),
        "{text}"
    );
    home.room(["install", "codex", "--project"]).ok();
    // The project and the home are the same directory here.
    assert!(home.beside().join(".claude/settings.json").exists());
    assert!(home.beside().join(".codex/hooks.json").exists());
    home.room(["uninstall", "claude", "--project"]).ok();
    home.room(["uninstall", "codex", "--project"]).ok();
    assert!(!home.beside().join(".claude").exists());
    assert!(!home.beside().join(".codex").exists());
}

#[test]
fn codex_hooks_wait_for_approval_unless_trust_is_given() {
    let home = Home::new();
    let text = home.room(["install", "codex"]).ok();
    assert!(
        text.contains("hooks wait for your approval: start codex"),
        "{text}"
    );
    let report = home.room(["install", "codex", "--trust", "--json"]).ok();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["to_approve"], 0);
    assert_eq!(report["config"]["outcome"], "created");
    home.room(["uninstall", "codex"]).ok();
    assert!(!home.beside().join(".codex").exists());
}

#[test]
fn what_cannot_be_edited_stays_untouched() {
    let home = Home::new();
    let file = home.beside().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{ \"hooks\": [1 }").unwrap();
    let err = home.room(["install", "claude"]).fails(1);
    assert!(
        err.contains("settings.json") && err.contains("nothing was"),
        "{err}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ \"hooks\": [1 }");
    for (args, says) in [
        (
            &["install", "claude", "--trust"][..],
            "--trust is for codex",
        ),
        (&["install", "emacs"], "possible values: claude, codex"),
        (&["install"], "required arguments"),
        (
            &["install", "claude", "--user", "--project"],
            "cannot be used with",
        ),
    ] {
        let err = home.room(args).fails(2);
        assert!(err.contains(says), "{args:?}: {err}");
    }
}

//! `room install` and `room uninstall`

use std::fs;

use serde_json::Value;

use crate::home::{Home, bin};

const SETTINGS: &str = "{\r\n\t// mine\r\n\t\"model\": \"opus\",\r\n}\r\n";

#[test]
fn settings_come_back_to_the_byte() {
    let home = Home::new();
    let file = home.beside().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, SETTINGS).unwrap();
    let text = home.room(["install", "claude"]).ok();
    assert!(
        text.starts_with(&format!("added to {}\n", file.display())),
        "{text}"
    );
    assert!(text.contains("as it was before: "), "{text}");
    let wired = fs::read_to_string(&file).unwrap();
    assert!(
        wired.contains(bin("stop-gate").to_str().unwrap()),
        "{wired}"
    );
    let again = home.room(["install", "claude", "--user"]).ok();
    assert!(again.starts_with("already as wanted:"), "{again}");
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
fn a_project_has_its_own() {
    let home = Home::new();
    home.room(["install", "claude", "--project"]).ok();
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

//! `room doctor`

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::home::{Home, Ran, lines};

/// Findings as (about, level, text).
fn findings(ran: &Ran) -> Vec<(String, String, String)> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    lines::<Value>(&ran.out)
        .iter()
        .map(|f| (word(&f["about"]), word(&f["level"]), word(&f["text"])))
        .collect()
}

/// The doctor, with nobody else's agent CLIs in sight.
fn doctor(home: &Home) -> Ran {
    let mut command = home.command(["doctor", "--json"]);
    command.env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
    Ran::of(&command.output().unwrap())
}

#[test]
fn a_healthy_house() {
    let home = Home::new();
    let ran = doctor(&home);
    let found = findings(&ran);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let good = |about: &str, says: &str| {
        let is =
            |f: &&(String, String, String)| f.0 == about && f.1 == "good" && f.2.contains(says);
        assert!(found.iter().any(|f| is(&f)), "{about} {says}: {found:#?}");
    };
    let dir = crate::home::bin("room");
    let dir = dir.parent().unwrap().to_str().unwrap();
    good("program", &format!("hooks found in {dir}"));
    good("home", "yours alone");
    good("daemon", " µs");
    good("store", "SQLite 3.");
    let claude = found.iter().find(|f| f.0 == "claude").unwrap();
    assert_eq!(claude.1, "note");
    assert!(claude.2.contains("not found in PATH; not installed"));
    good("codex", "/bin/sh -lc, which takes");
    let mut command = home.command(["doctor"]);
    let text = Ran::of(&command.env("PATH", "/usr/bin:/bin").output().unwrap()).ok();
    assert!(text.contains("ok   daemon  version "), "{text}");
}

#[test]
fn what_is_wrong_is_said_and_shows_in_the_exit_code() {
    let home = Home::new();
    home.room(["rooms"]).ok();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let settings = home.beside().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, "{ not json").unwrap();
    let ran = doctor(&home);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let bad: Vec<_> = findings(&ran)
        .into_iter()
        .filter(|f| f.1 == "bad")
        .collect();
    assert!(bad.iter().any(|f| f.2.contains("has mode 0755")), "{bad:?}");
    assert!(bad.iter().any(|f| f.2.contains("settings.json")), "{bad:?}");
    assert_eq!(bad.len(), 2, "{bad:?}");
}

#[test]
fn a_daemon_that_cannot_start_is_a_finding() {
    let home = Home::new();
    fs::create_dir_all(home.path().join("room.db")).unwrap();
    let ran = doctor(&home);
    assert_eq!(ran.code, Some(1));
    let found = findings(&ran);
    let daemon = found.iter().find(|f| f.0 == "daemon").unwrap();
    assert!(
        daemon.1 == "bad" && daemon.2.contains("roomd.log says"),
        "{daemon:?}"
    );
}

#[test]
fn an_installed_hook_that_is_not_approved_is_a_finding() {
    let home = Home::new();
    home.room(["install", "codex"]).ok();
    let ran = doctor(&home);
    assert_eq!(ran.code, Some(1));
    let found = findings(&ran);
    let says = |text: &str| {
        found
            .iter()
            .any(|f| f.0 == "codex" && f.1 == "bad" && f.2.contains(text))
    };
    assert!(says("nothing of it would run"), "{found:#?}");
    // One cause, one line, with what to do.
    assert!(says("all 6 hooks in "), "{found:#?}");
    let unapproved = found.iter().filter(|f| f.2.contains("not approved"));
    let unapproved: Vec<_> = unapproved.collect();
    assert_eq!(unapproved.len(), 1, "{unapproved:?}");
    assert!(unapproved[0].2.contains("room install codex --trust"));
    home.room(["install", "codex", "--trust"]).ok();
    let ran = doctor(&home);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        findings(&ran).iter().any(|f| f.2.contains("wired once")),
        "{ran:?}"
    );
}

#[test]
fn inside_a_run_it_says_so() {
    let home = Home::new();
    let run = home.start();
    let mut command = home.command(["doctor"]);
    command.env("PATH", "/usr/bin:/bin").env("RUN_ID", &run);
    let text = Ran::of(&command.output().unwrap()).ok();
    assert!(
        text.contains("post and read act as other in demo"),
        "{text}"
    );
}

#[test]
fn a_codex_configuration_that_is_no_toml_is_a_finding_with_its_place() {
    let home = Home::new();
    home.room(["install", "codex"]).ok();
    let config = home.beside().join(".codex/config.toml");
    fs::write(&config, "model = \"x\"\nmodel = = 1\n").unwrap();
    let ran = doctor(&home);
    assert_eq!(ran.code, Some(1));
    let found = findings(&ran);
    let place = format!("cannot start: {}: line 2", config.display());
    let is = |f: &&(String, String, String)| f.0 == "codex" && f.1 == "bad" && f.2.contains(&place);
    assert!(found.iter().any(|f| is(&f)), "{found:#?}");
    assert!(
        !found.iter().any(|f| f.2.contains("not approved")),
        "{found:#?}"
    );
}

#[test]
fn without_hooks_no_cli_is_well() {
    let home = Home::new();
    home.room(["rooms"]).ok();
    // `room` by itself, with an agent CLI in sight and no hook.
    let dir = home.beside().join("bin");
    fs::create_dir(&dir).unwrap();
    fs::copy(crate::home::bin("room"), dir.join("room")).unwrap();
    fs::write(dir.join("claude"), "#!/bin/sh\necho 2.1.332\n").unwrap();
    fs::set_permissions(dir.join("claude"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new(dir.join("room"));
    command
        .args(["doctor", "--json"])
        .env_clear()
        .env("HOME", home.beside())
        .env("ROOM_HOME", home.path())
        .env("PATH", format!("{}:/usr/bin:/bin", dir.display()));
    let ran = Ran::of(&command.output().unwrap());
    let found = findings(&ran);
    let level = |about: &str| found.iter().find(|f| f.0 == about).unwrap().1.clone();
    assert_eq!(ran.code, Some(1), "{found:#?}");
    assert_eq!(
        (level("program"), level("claude")),
        ("bad".into(), "bad".into())
    );
    assert_eq!(level("codex"), "note", "it is not there at all");
}

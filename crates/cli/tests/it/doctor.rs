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
    good("program", "hooks found");
    good("home", "yours alone");
    good("daemon", " µs");
    good("store", "SQLite 3.");
    good("claude", "not found in PATH; not installed");
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
    assert!(
        says("not approved") && says("nothing of it would run"),
        "{found:#?}"
    );
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

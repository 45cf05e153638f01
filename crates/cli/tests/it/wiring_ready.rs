//! The ready files in the repository are what the one plan generates, and the plan is
//! the table of the design.

use std::fs;
use std::path::Path;

use room_cli::wiring::plan::{AgentCli, Features, Hook, Version, table};
use room_cli::wiring::ready::files;

/// `UPDATE_READY_FILES=1` writes them anew.
#[test]
fn the_ready_files_are_what_the_plan_says() {
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hooks");
    for (name, text) in files() {
        let path = hooks.join(name);
        if std::env::var_os("UPDATE_READY_FILES").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{name}");
    }
}

fn lines(cli: AgentCli, features: Features) -> Vec<(&'static str, &'static str, u32, bool)> {
    table(cli, features)
        .into_iter()
        .map(|wire| {
            (
                wire.event,
                wire.hook.binary(),
                wire.timeout,
                wire.background,
            )
        })
        .collect()
}

#[test]
fn claude_code_is_wired_as_designed() {
    assert_eq!(
        lines(AgentCli::Claude, Features::default()),
        [
            ("SessionStart", "room-relay", 5, false),
            ("SessionStart", "heartbeat", 5, false),
            ("UserPromptSubmit", "room-relay", 5, false),
            ("PostToolBatch", "room-relay", 5, false),
            ("PostToolUse", "heartbeat", 5, true),
            ("SubagentStart", "heartbeat", 5, false),
            ("SubagentStop", "heartbeat", 5, false),
            ("Stop", "stop-gate", 5, false),
            ("SessionEnd", "heartbeat", 3, false),
        ]
    );
}

#[test]
fn codex_is_wired_as_designed() {
    assert_eq!(
        lines(AgentCli::Codex, Features::default()),
        [
            ("SessionStart", "room-relay", 5, false),
            ("SessionStart", "heartbeat", 5, false),
            ("UserPromptSubmit", "room-relay", 5, false),
            ("PostToolUse", "room-relay", 5, false),
            ("Stop", "stop-gate", 5, false),
            ("SessionEnd", "heartbeat", 3, false),
        ]
    );
}

#[test]
fn older_versions_of_claude_code_get_what_they_know() {
    let of = |text: &str| Features::of(AgentCli::Claude, text.parse().ok());
    assert_eq!(of("2.1.332 (Claude Code)"), Features::default());
    assert_eq!(of("no version at all 2.1"), Features::default());
    let middle = of("2.1.118");
    assert!(middle.post_tool_batch && !middle.exec_form);
    let old = of("2.1.117 (Claude Code)");
    assert!(!old.post_tool_batch && !old.exec_form);
    let relays: Vec<_> = table(AgentCli::Claude, old)
        .into_iter()
        .filter(|wire| wire.hook == Hook::RoomRelay)
        .map(|wire| wire.event)
        .collect();
    assert_eq!(
        relays,
        [
            "SessionStart",
            "UserPromptSubmit",
            "PostToolUse",
            "PostToolUseFailure"
        ]
    );
    assert_eq!("codex-cli 0.171.0".parse(), Ok(Version(0, 171, 0)));
}

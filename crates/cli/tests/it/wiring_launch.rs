//! Per launch: arguments before the user's own, and nothing of the user's is touched.

use std::ffi::OsString;
use std::fs;

use room_cli::wiring::claude_obstacles::obstacles;
use room_cli::wiring::codex_config::{CodexConfig, Trust};
use room_cli::wiring::codex_trust::{Identity, SESSION_FLAGS, key};
use room_cli::wiring::launch_claude;
use room_cli::wiring::launch_codex::{CodexWarning, arguments};
use room_cli::wiring::places::Places;
use room_cli::wiring::plan::Features;
use room_cli::wiring::quote::shell_words;
use serde_json::Value;

use crate::wiring_support::{Place, odd_binaries};

const DIR: &str = "/opt/it's \"my\" $HOME \\ dir";

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

#[test]
fn claude_code_gets_a_plugin_of_its_own() {
    let place = Place::new();
    let dir = place.path("runs/r 1/claude-plugin");
    let args = launch_claude::arguments(&dir, Features::default(), &odd_binaries()).unwrap();
    assert_eq!(args, ["--plugin-dir".into(), dir.clone().into_os_string()]);
    let read = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(dir.join(name)).unwrap()).unwrap()
    };
    assert_eq!(
        read(".claude-plugin/plugin.json")["name"],
        "agent-room-launch"
    );
    let hooks = read("hooks/hooks.json");
    let gate = &hooks["hooks"]["Stop"][0]["hooks"][0];
    assert_eq!(gate["command"], format!("{DIR}/stop-gate"));
    assert_eq!(
        gate["args"],
        serde_json::json!(["--cli", "claude", "--launch"])
    );
    assert_eq!(gate["timeout"], 5);
    let beat = &hooks["hooks"]["PostToolUse"][0]["hooks"][0];
    assert_eq!(
        (&beat["async"], &gate["async"]),
        (&Value::Bool(true), &Value::Null)
    );

    // Again, for an older version: the old one is replaced.
    let old = Features {
        post_tool_batch: false,
        exec_form: false,
    };
    launch_claude::arguments(&dir, old, &odd_binaries()).unwrap();
    let hooks = read("hooks/hooks.json");
    assert_eq!(hooks["hooks"]["PostToolBatch"], Value::Null);
    let gate = &hooks["hooks"]["Stop"][0]["hooks"][0];
    assert_eq!(gate["args"], Value::Null);
    let line = shell_words(gate["command"].as_str().unwrap()).unwrap();
    assert_eq!(
        line,
        [&format!("{DIR}/stop-gate"), "--cli", "claude", "--launch"]
    );
}

#[test]
fn a_plugin_that_cannot_be_written_is_said_with_its_path() {
    let place = Place::new();
    let file = place.put("file", "");
    let error = launch_claude::arguments(&file, Features::default(), &odd_binaries());
    let error = error.unwrap_err().to_string();
    assert!(error.contains(file.to_str().unwrap()), "{error}");
}

/// The overrides as Codex reads them: dotted keys with TOML values, put together.
fn as_config(args: &[OsString]) -> String {
    let mut text = String::new();
    for pair in args.chunks(2) {
        assert_eq!(pair[0], "-c");
        text.push_str(pair[1].to_str().unwrap());
        text.push('\n');
    }
    text
}

#[test]
fn codex_gets_hooks_and_exactly_the_trust_in_them() {
    let launch = arguments(&odd_binaries(), &words(&["exec", "do it"]));
    assert_eq!(launch.warnings, []);
    let text = as_config(&launch.args);
    let config = CodexConfig::read(&text).unwrap();
    let document: toml_edit::DocumentMut = text.parse().unwrap();
    let mut hooks = 0;
    for (event, groups) in document["hooks"].as_table_like().unwrap().iter() {
        if event == "state" {
            continue;
        }
        let group = groups
            .as_array()
            .unwrap()
            .get(0)
            .unwrap()
            .as_inline_table()
            .unwrap();
        for (index, handler) in group["hooks"].as_array().unwrap().iter().enumerate() {
            let handler = handler.as_inline_table().unwrap();
            let command = handler["command"].as_str().unwrap();
            let program = &shell_words(command).unwrap()[0];
            assert!(program.starts_with(DIR), "{program}");
            assert!(command.ends_with(" --cli codex --launch"), "{command}");
            let hash = Identity {
                event,
                matcher: None,
                command,
                timeout: handler["timeout"]
                    .as_integer()
                    .map(|seconds| seconds.unsigned_abs()),
                background: false,
                status_message: None,
            }
            .hash();
            let key = key(SESSION_FLAGS, event, 0, index);
            assert_eq!(config.trust(&key, &hash), Trust::Trusted, "{key}");
            hooks += 1;
        }
    }
    assert_eq!(hooks, 6);
    assert_eq!(text.matches("trusted_hash").count(), 6);
}

#[test]
fn the_users_own_overrides_are_left_and_told_about() {
    let event = |option: &str, event: &str| CodexWarning::EventTaken {
        option: option.to_owned(),
        event: event.to_owned(),
    };
    let all = |option: &str| CodexWarning::AllTaken {
        option: option.to_owned(),
    };
    let off = |option: &str| CodexWarning::HooksOff {
        option: option.to_owned(),
    };
    // What the user passes, what is said, how many of our six hooks are passed.
    let cases: &[(&[&str], &[CodexWarning], usize)] = &[
        (&["exec", "-m", "gpt-5", "-c", "model_x=1"], &[], 6),
        (
            &["-c", "hooks.Stop=[]"],
            &[event("-c hooks.Stop=…", "Stop")],
            5,
        ),
        (
            &["exec", "--config", "hooks.SessionStart = []"],
            &[event("--config hooks.SessionStart=…", "SessionStart")],
            4,
        ),
        (
            &["-chooks.Stop=[]", "-c=hooks.PostToolUse=[]"],
            &[
                event("-c hooks.Stop=…", "Stop"),
                event("-c hooks.PostToolUse=…", "PostToolUse"),
            ],
            4,
        ),
        (
            &["--config=hooks.'Stop'=[]"],
            &[event("--config hooks.'Stop'=…", "Stop")],
            5,
        ),
        (&["-c", "hooks.PreToolUse=[]"], &[], 6),
        (&["-c", "hooks={}"], &[all("-c hooks=…")], 0),
        (
            &["exec", "-c", "hooks.state={}"],
            &[all("-c hooks.state=…")],
            0,
        ),
        (&["--disable", "hooks"], &[off("--disable hooks")], 0),
        (
            &["--disable=codex_hooks"],
            &[off("--disable codex_hooks")],
            0,
        ),
        (
            &["-c", "features.hooks=false"],
            &[off("-c features.hooks=…")],
            0,
        ),
        (&["-c", "features.hooks=true", "--disable", "other"], &[], 6),
        (&["exec", "--", "-c", "hooks={}"], &[], 6),
        (&["exec", "-c"], &[], 6),
    ];
    for (user, warnings, hooks) in cases {
        let launch = arguments(&odd_binaries(), &words(user));
        assert_eq!(launch.warnings, *warnings, "{user:?}");
        let text = as_config(&launch.args);
        assert_eq!(text.matches("trusted_hash").count(), *hooks, "{user:?}");
        assert_eq!(text.matches("timeout").count(), *hooks, "{user:?}");
    }
}

#[test]
fn arguments_that_are_no_text_are_passed_over() {
    use std::os::unix::ffi::OsStringExt;
    let user = vec![OsString::from_vec(b"\xff\xfe".to_vec()), "-c".into()];
    assert_eq!(arguments(&odd_binaries(), &user).warnings, []);
}

#[test]
fn what_switches_claude_codes_hooks_off_is_said_before_the_launch() {
    let place = Place::new();
    let home = place.path("home").into_os_string();
    let places = Places::new(
        |name| (name == "HOME").then(|| home.clone()),
        place.dir.path(),
    );
    let places = places.unwrap();
    let off = place.put("off.json", "{\"disableAllHooks\": true}");
    let off = off.to_str().unwrap();
    let on = place.put("on.json", "{\"disableAllHooks\": false}");
    let on = on.to_str().unwrap();
    let inline = "--settings={\"disableAllHooks\":true}";
    let cases: &[(&[&str], &[&str])] = &[
        (&["-p", "hi", "--settings", on, "--settings"], &[]),
        (&["--bare", "-p"], &["`--bare`"]),
        (
            &["--safe-mode", "--settings", off],
            &["`--safe-mode`", "`--settings`"],
        ),
        (&[inline], &["`--settings`"]),
        (&["-p", "--", "--bare"], &[]),
    ];
    let said = |user: &[&str], safe_mode| -> Vec<String> {
        let found = obstacles(&words(user), safe_mode, &places);
        found.iter().map(ToString::to_string).collect()
    };
    for (user, expected) in cases {
        let said = said(user, false);
        assert_eq!(said.len(), expected.len(), "{user:?}: {said:?}");
        assert!(
            said.iter()
                .zip(*expected)
                .all(|(said, part)| said.contains(part)),
            "{said:?}"
        );
    }
    assert!(said(&[], true)[0].contains("CLAUDE_CODE_SAFE_MODE"));
    let settings = place.put("home/.claude/settings.json", "{\"disableAllHooks\": true}");
    assert!(said(&[], false)[0].contains(settings.to_str().unwrap()));
}

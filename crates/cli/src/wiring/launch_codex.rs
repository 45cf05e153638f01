//! Codex, per launch: hooks and the trust in exactly these hooks as `-c` overrides, no
//! file of the user touched. They add up with the hooks in the user's files.
//!
//! Not with the user's own `-c hooks…`: of two overrides of one key the later counts
//! (seen with 0.171.0), and theirs come after ours. So theirs are left alone, and what
//! they would displace is not passed at all.

use std::ffi::OsString;

use serde::Serialize;
use serde_json::json;
use toml_edit::{Array, InlineTable, Value};

use super::binaries::Binaries;
use super::codex_trust::{Identity, SESSION_FLAGS, key};
use super::plan::{AgentCli, Features, Group, Plan};

/// What to start Codex with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexLaunch {
    /// Arguments that go before the user's own.
    pub args: Vec<OsString>,
    /// What the user's own arguments keep from working.
    pub warnings: Vec<CodexWarning>,
}

/// The user's own arguments and our hooks do not go together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum CodexWarning {
    /// They set one event's hooks.
    #[error(
        "your own `{option}` stays as it is, so no agent-room hook runs on {event} in this launch"
    )]
    EventTaken {
        /// Their override.
        option: String,
        /// Which event.
        event: String,
    },
    /// They set all hooks, or what is trusted: ours would be displaced or skipped.
    #[error(
        "your own `{option}` stays as it is, so no agent-room hook runs in this launch: messages wait until you look with `room read`"
    )]
    AllTaken {
        /// Their override.
        option: String,
    },
    /// They switch hooks off.
    #[error("`{option}` switches Codex's hooks off: messages wait until you look with `room read`")]
    HooksOff {
        /// Their option.
        option: String,
    },
}

/// Makes the arguments. `user_args` are only looked at.
pub fn arguments(binaries: &Binaries, user_args: &[OsString]) -> CodexLaunch {
    let plan = Plan::new(AgentCli::Codex, Features::default(), binaries, true);
    let mut warnings = Vec::new();
    let mut taken = Vec::new();
    let mut none = false;
    for (option, touched) in overrides(user_args) {
        match touched {
            Touched::Event(event) if plan.events.iter().any(|(ours, _)| *ours == event) => {
                taken.push(event.clone());
                warnings.push(CodexWarning::EventTaken { option, event });
            }
            Touched::Event(_) => {}
            Touched::All => {
                none = true;
                warnings.push(CodexWarning::AllTaken { option });
            }
            Touched::Feature => {
                none = true;
                warnings.push(CodexWarning::HooksOff { option });
            }
        }
    }
    let events: Vec<_> = plan
        .events
        .iter()
        .filter(|(event, _)| !taken.iter().any(|taken| taken == event))
        .collect();
    let mut args = Vec::new();
    if !none && !events.is_empty() {
        let mut state = InlineTable::new();
        for (event, group) in events {
            let list: Value = Array::from_iter([group_value(group)]).into();
            args.extend([
                "-c".into(),
                format!("hooks.{event}={}", one_line(list)).into(),
            ]);
            trust(&mut state, event, group);
        }
        let state = one_line(state.into());
        args.extend(["-c".into(), format!("hooks.state={state}").into()]);
    }
    CodexLaunch { args, warnings }
}

fn group_value(group: &Group) -> Value {
    let handlers = group.hooks.iter().map(|handler| {
        let mut table = InlineTable::new();
        table.insert("type", handler.kind.into());
        table.insert("command", basic_string(&handler.command));
        table.insert("timeout", i64::from(handler.timeout).into());
        Value::from(table)
    });
    let mut table = InlineTable::new();
    table.insert("hooks", Array::from_iter(handlers).into());
    table.into()
}

fn trust(state: &mut InlineTable, event: &str, group: &Group) {
    for (index, handler) in group.hooks.iter().enumerate() {
        let hash = Identity {
            event,
            matcher: None,
            command: &handler.command,
            timeout: Some(handler.timeout.into()),
            background: handler.background,
            status_message: None,
        }
        .hash();
        let mut entry = InlineTable::new();
        entry.insert("trusted_hash", hash.into());
        state.insert(key(SESSION_FLAGS, event, 0, index), entry.into());
    }
}

/// A string in the one form that both TOML and JSON know, on one line.
fn basic_string(text: &str) -> Value {
    let repr = json!(text).to_string().replace('\u{7f}', "\\u007f");
    repr.parse().unwrap_or_else(|_| text.into())
}

fn one_line(value: Value) -> String {
    value.decorated("", "").to_string()
}

/// What an argument of the user touches.
enum Touched {
    Event(String),
    All,
    Feature,
}

fn overrides(user_args: &[OsString]) -> Vec<(String, Touched)> {
    let mut found = Vec::new();
    let mut args = user_args
        .iter()
        .map(|arg| arg.to_string_lossy())
        // What follows is no option, whatever it looks like.
        .take_while(|arg| arg != "--");
    while let Some(arg) = args.next() {
        let (option, value) = match arg.as_ref() {
            "-c" | "--config" | "--disable" => {
                let Some(value) = args.next() else { break };
                (arg.to_string(), value.to_string())
            }
            arg => {
                let Some((option, value)) = ["--config=", "--disable=", "-c"]
                    .iter()
                    .find_map(|option| Some((*option, arg.strip_prefix(option)?)))
                else {
                    continue;
                };
                let option = option.trim_end_matches('=');
                (option.to_owned(), value.trim_start_matches('=').to_owned())
            }
        };
        if let Some((key, touched)) = touched(&option, &value) {
            found.push((format!("{option} {key}"), touched));
        }
    }
    found
}

fn touched(option: &str, value: &str) -> Option<(String, Touched)> {
    if option == "--disable" {
        return is_feature(value.trim()).then(|| (value.to_owned(), Touched::Feature));
    }
    let (key, value) = value.split_once('=').unwrap_or((value, ""));
    let path: Vec<&str> = key
        .split('.')
        .map(|part| part.trim().trim_matches(['"', '\'']))
        .collect();
    let touched = match path.as_slice() {
        ["hooks"] | ["hooks", "state", ..] => Touched::All,
        ["hooks", event, ..] => Touched::Event((*event).to_owned()),
        ["features", feature] if is_feature(feature) && value.trim() == "false" => Touched::Feature,
        _ => return None,
    };
    Some((format!("{}=…", key.trim()), touched))
}

/// The feature under its name of today and of before.
fn is_feature(name: &str) -> bool {
    matches!(name, "hooks" | "codex_hooks")
}

//! Stand-in hooks, small shell scripts, for the lab's own checks.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::packages::Cli;
use super::stage::{Stage, write_program};

/// A hook that keeps its payloads and prints what `body` (shell) prints.
pub struct ShellHook {
    script: PathBuf,
    payloads: PathBuf,
}

impl ShellHook {
    /// Writes the script. It finds its payload in `$payload`.
    pub fn write(stage: &Stage, name: &str, body: &str) -> Result<Self> {
        let script = stage.logs().join(format!("{name}.sh"));
        let payloads = stage.logs().join(format!("{name}.payloads"));
        fs::write(&payloads, "")?;
        // One write for each payload, so that parallel hooks do not mix their lines.
        let text = format!(
            "payload=$(cat)\nprintf '%s\\n' \"$payload\" >>'{}'\n{body}\n",
            payloads.display()
        );
        write_program(&script, &text)?;
        Ok(Self { script, payloads })
    }

    /// The payloads so far, one for each time the hook ran.
    pub fn payloads(&self) -> Result<Vec<Value>> {
        let text = fs::read_to_string(&self.payloads)?;
        let lines = text.lines().map(serde_json::from_str);
        Ok(lines.collect::<Result<_, _>>()?)
    }
}

/// The shell that prints `text` as the context for `event`.
pub fn print_context(event: &str, text: &str) -> String {
    let answer = json!({"hookSpecificOutput":
        {"hookEventName": event, "additionalContext": text}});
    format!("printf '%s' '{answer}'")
}

/// The event after tool calls that our relay is wired to.
pub fn after_tools(cli: Cli) -> &'static str {
    match cli {
        Cli::Claude => "PostToolBatch",
        Cli::Codex => "PostToolUse",
    }
}

/// Wires hooks into the private HOME as a user would: one for each event.
pub fn wire(stage: &Stage, hooks: &[(&str, &ShellHook)]) -> Result<()> {
    let mut events = Map::new();
    for (event, hook) in hooks {
        let script = hook.script.display().to_string();
        let handler = match stage.cli {
            Cli::Claude => json!({"type": "command", "command": script, "args": [], "timeout": 10}),
            Cli::Codex => json!({"type": "command", "command": script, "timeout": 10}),
        };
        events.insert((*event).to_owned(), json!([{"hooks": [handler]}]));
    }
    let file = match stage.cli {
        Cli::Claude => stage.home().join(".claude/settings.json"),
        Cli::Codex => stage.home().join(".codex/hooks.json"),
    };
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir)?;
    }
    fs::write(file, json!({"hooks": events}).to_string())?;
    Ok(())
}

//! Recorded payloads, changed where a test needs it.

use serde_json::Value;

/// The session that [`claude`] payloads are of.
pub const SESSION: &str = "6a8471f7-a18e-4ac0-a3ad-8b516fb94e63";

/// A payload as an agent CLI sent it.
fn recorded(path: &str) -> Value {
    let path = format!("{}/tests/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Of Claude Code 2.1.332, all of one session and one prompt.
pub fn claude(file: &str) -> Value {
    recorded(&format!("claude-code-2.1.332/{file}.json"))
        .with("session_id", SESSION)
        .with("prompt_id", "p1")
}

/// Of Codex 0.171.0, all of one session.
pub fn codex(file: &str) -> Value {
    recorded(&format!("codex-0.171.0/{file}.json")).with("session_id", "c1")
}

/// The tool calls of one response; `mark` names the first of them.
pub fn batch(mark: &str) -> Value {
    let mut batch = claude("PostToolBatch");
    batch["tool_calls"][0]["tool_use_id"] = mark.into();
    batch
}

/// A stop of the prompt `p1`: its first one, or a later one of the chain.
pub fn stop(later: bool) -> Value {
    claude("Stop").with("stop_hook_active", later)
}

pub fn prompt(id: &str) -> Value {
    claude("SessionStart")
        .with("hook_event_name", "UserPromptSubmit")
        .with("prompt_id", id)
        .with("prompt", "go on")
        .without("source")
}

pub fn start(source: &str) -> Value {
    claude("SessionStart")
        .with("source", source)
        .without("prompt_id")
}

/// Changes to a payload.
pub trait Change {
    fn with(self, key: &str, value: impl Into<Value>) -> Self;
    fn without(self, key: &str) -> Self;
}

impl Change for Value {
    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self[key] = value.into();
        self
    }

    fn without(mut self, key: &str) -> Self {
        self.as_object_mut().unwrap().remove(key);
        self
    }
}

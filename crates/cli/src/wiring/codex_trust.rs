//! Codex's trust in a hook: a hash over what the hook is, kept under where it stands.
//!
//! Found by trial on 0.171.0: a hook whose hash is not in `hooks.state` is skipped
//! without a word in `codex exec`, and asked about in the TUI.

use serde_json::{Value, json};

use super::hooks_file::Found;
use super::record::sha256;

/// The source of hooks that came with `-c`, as it stands in their keys.
pub const SESSION_FLAGS: &str = "/<session-flags>/config.toml";

/// What identifies a hook to Codex.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity<'a> {
    /// As in the file: `PostToolUse`.
    pub event: &'a str,
    /// The group's matcher.
    pub matcher: Option<&'a str>,
    /// The line for the shell.
    pub command: &'a str,
    /// Seconds, where stated.
    pub timeout: Option<u64>,
    /// Codex does not wait for it.
    pub background: bool,
    /// What the TUI shows meanwhile.
    pub status_message: Option<&'a str>,
}

impl<'a> Identity<'a> {
    /// Of a hook found in a file.
    pub fn of(found: &'a Found) -> Identity<'a> {
        Identity {
            event: &found.event,
            matcher: found.matcher.as_deref(),
            command: &found.command,
            // Codex takes whole seconds only; a fraction is an error of the file.
            timeout: found
                .timeout
                .filter(|seconds| seconds.fract() == 0.0 && *seconds >= 0.0)
                .and_then(|seconds| format!("{seconds:.0}").parse().ok()),
            background: found.background,
            status_message: found.status_message.as_deref(),
        }
    }

    /// The timeout that Codex goes by, in seconds: 600 where none is stated (1 at a
    /// session's end), never less than 1, at a session's end never more than 3.
    pub fn effective_timeout(&self) -> u64 {
        let ends = matches!(self.event, "SessionEnd" | "Interrupt");
        let stated = self.timeout.unwrap_or(if ends { 1 } else { 600 }).max(1);
        if ends { stated.min(3) } else { stated }
    }

    /// `sha256:…` over compact JSON with sorted keys.
    pub fn hash(&self) -> String {
        let mut handler = json!({
            "async": self.background,
            "command": self.command,
            "timeout": self.effective_timeout(),
            "type": "command",
        });
        if let Some(message) = self.status_message {
            handler["statusMessage"] = message.into();
        }
        let mut hook = json!({ "event_name": snake(self.event), "hooks": [handler] });
        if let Some(matcher) = self.matcher.filter(|_| uses_matcher(self.event)) {
            hook["matcher"] = matcher.into();
        }
        format!("sha256:{}", sha256(sorted(&hook).as_bytes()))
    }
}

/// Compact JSON with sorted keys, whatever `serde_json`'s map keeps in this build.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            let parts: Vec<String> = keys
                .into_iter()
                .map(|key| format!("{}:{}", Value::from(key.as_str()), sorted(&map[key])))
                .collect();
            format!("{{{}}}", parts.join(","))
        }
        Value::Array(list) => {
            let parts: Vec<String> = list.iter().map(sorted).collect();
            format!("[{}]", parts.join(","))
        }
        other => other.to_string(),
    }
}

fn uses_matcher(event: &str) -> bool {
    !matches!(event, "UserPromptSubmit" | "Stop")
}

/// `PostToolUse` → `post_tool_use`.
fn snake(event: &str) -> String {
    let mut out = String::with_capacity(event.len() + 4);
    for (index, c) in event.chars().enumerate() {
        if c.is_ascii_uppercase() && index > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Where a hook stands: the key in `hooks.state`. `source` is the file's path as Codex
/// spells it, links in `$CODEX_HOME` resolved, or [`SESSION_FLAGS`].
pub fn key(source: &str, event: &str, group: usize, handler: usize) -> String {
    format!("{source}:{}:{group}:{handler}", snake(event))
}

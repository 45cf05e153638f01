//! Claude Code, as recorded with 2.1.332.

use super::{Dialect, Var, hook_specific};
use crate::payload::Payload;

/// The first version whose Stop hooks may answer with a context instead of an error.
const STOP_CONTEXT_SINCE: [u32; 3] = [2, 1, 163];

pub(crate) struct Claude;

impl Dialect for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn recognises(&self, payload: &Payload, var: Var<'_>) -> bool {
        let transcript = payload.transcript.as_deref().unwrap_or_default();
        payload.prompt_id.is_some()
            || transcript.contains("/.claude/")
            || (var("CLAUDE_PROJECT_DIR").is_some() && version(var).is_some())
    }

    fn chain<'p>(&self, payload: &'p Payload) -> Option<&'p str> {
        payload.prompt_id.as_deref()
    }

    fn process(&self, var: Var<'_>) -> Option<u32> {
        var("CLAUDE_PID")?.to_str()?.parse().ok()
    }

    /// A context holds the stop without an error label and without a note that what it relays has
    /// nobody's authority. Older versions do not know it there and would let the stop go.
    fn hold(&self, event: &str, text: &str, var: Var<'_>) -> String {
        if version(var).is_some_and(|v| v >= STOP_CONTEXT_SINCE) {
            hook_specific(event, text)
        } else {
            serde_json::json!({ "decision": "block", "reason": text }).to_string()
        }
    }
}

/// From `AI_AGENT`, such as `claude-code_2-1-332_harness`.
fn version(var: Var<'_>) -> Option<[u32; 3]> {
    let agent = var("AI_AGENT")?;
    let text = agent.to_str()?.strip_prefix("claude-code_")?;
    let numbers = text.split('_').next()?;
    let mut parts = numbers.splitn(3, ['-', '.']).map(|part| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        part[..digits].parse().ok()
    });
    Some([parts.next()??, parts.next()??, parts.next()??])
}

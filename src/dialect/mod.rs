//! How each agent CLI speaks to its hooks: one file per CLI behind one trait.

mod claude;
mod codex;
mod plain;

use std::ffi::OsString;

use room_protocol::limits::WORD_BYTES;
use room_protocol::{Proof, ProofKind};

use crate::payload::{Payload, digest};

/// Looks up a variable of the environment.
pub(crate) type Var<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// What an event is to the hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A session begins or goes on.
    Start(Start),
    /// A prompt was submitted.
    Prompt,
    /// One tool call ended.
    Tool,
    /// All tool calls of one response ended.
    Batch,
    /// The agent wants to finish.
    Stop,
    /// The session ended.
    End,
    /// Anything else: no more than a sign of life.
    Other,
}

/// How a session begins or goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// A new one.
    New,
    /// An earlier one goes on, with its context.
    Resumed,
    /// The same process goes on with an emptied or another context.
    Emptied,
}

impl Moment {
    /// Whether it comes after a tool call, and so often.
    pub(crate) fn is_after_tool(self) -> bool {
        matches!(self, Self::Tool | Self::Batch)
    }

    /// Whether an agent reads what a hook prints at this moment with its next request.
    pub(crate) fn takes_context(self) -> bool {
        matches!(
            self,
            Self::Start(_) | Self::Prompt | Self::Tool | Self::Batch
        )
    }
}

/// One agent CLI's way of speaking to hooks.
pub(crate) trait Dialect: Sync {
    /// Its name, as in `--cli`.
    fn name(&self) -> &'static str;

    /// Whether payload and environment look like this CLI's.
    fn recognises(&self, payload: &Payload, var: Var<'_>) -> bool;

    /// What an event is.
    fn moment(&self, payload: &Payload) -> Moment {
        common_moment(payload)
    }

    /// What stays the same over all stops of one chain, where the CLI has such a thing.
    fn chain<'p>(&self, payload: &'p Payload) -> Option<&'p str>;

    /// The process id of the CLI that runs this hook, where its environment tells.
    fn process(&self, _var: Var<'_>) -> Option<u32> {
        None
    }

    /// The answer that brings a context to the agent.
    fn context(&self, event: &str, text: &str) -> String {
        hook_specific(event, text)
    }

    /// The answer that holds a stop, with the text that the agent goes on with.
    fn hold(&self, _event: &str, text: &str, _var: Var<'_>) -> String {
        serde_json::json!({ "decision": "block", "reason": text }).to_string()
    }

    /// The bytes that a held stop's text takes where the agent gets it.
    fn held_width(&self, text: &str) -> usize {
        text.len()
    }

    /// The moment as the daemon is told it.
    fn proof(&self, moment: Moment, payload: &Payload) -> Option<Proof> {
        let (kind, mark) = match moment {
            Moment::Start(_) => (ProofKind::Start, payload.source.clone()),
            Moment::Prompt => (ProofKind::Prompt, self.chain(payload).map(str::to_owned)),
            Moment::Tool => (ProofKind::Tool, payload.tool_use_id.clone()),
            Moment::Batch => (ProofKind::Batch, payload.tool_use_id.clone()),
            Moment::Stop => (ProofKind::Stop, Some(self.stop_mark(payload))),
            Moment::End | Moment::Other => return None,
        };
        let mark = mark.unwrap_or_default();
        debug_assert!(mark.len() <= WORD_BYTES);
        Some(Proof { kind, mark })
    }

    /// Tells two stops of one chain apart.
    fn stop_mark(&self, payload: &Payload) -> String {
        let words = payload.last_words.map(u64::to_le_bytes);
        let hash = digest(&[
            self.chain(payload).unwrap_or_default().as_bytes(),
            &[payload.stop_hook_active.map_or(2, u8::from)],
            words.as_ref().map_or(&[][..], |w| w),
        ]);
        format!("{hash:016x}")
    }
}

/// What an event is under the names that most CLIs share.
fn common_moment(payload: &Payload) -> Moment {
    match payload.event.as_deref() {
        Some("SessionStart") => Moment::Start(match payload.source.as_deref() {
            Some("resume") => Start::Resumed,
            Some("clear" | "compact" | "fork") => Start::Emptied,
            _ => Start::New,
        }),
        Some("UserPromptSubmit") => Moment::Prompt,
        Some("PostToolUse" | "PostToolUseFailure") => Moment::Tool,
        Some("PostToolBatch") => Moment::Batch,
        Some("Stop") => Moment::Stop,
        Some("SessionEnd") => Moment::End,
        _ => Moment::Other,
    }
}

/// The form that most CLIs share.
fn hook_specific(event: &str, text: &str) -> String {
    serde_json::json!({
        "hookSpecificOutput": { "hookEventName": event, "additionalContext": text }
    })
    .to_string()
}

const ALL: [&dyn Dialect; 3] = [&codex::Codex, &claude::Claude, &plain::Plain];

/// The dialect that was named, else the one that payload and environment look like; in doubt the
/// plain common form.
pub(crate) fn choose(named: Option<&str>, payload: &Payload, var: Var<'_>) -> &'static dyn Dialect {
    let by_name = |name| ALL.into_iter().find(|d| d.name() == name);
    named
        .and_then(by_name)
        .or_else(|| ALL.into_iter().find(|d| d.recognises(payload, var)))
        .unwrap_or(&plain::Plain)
}

#[cfg(test)]
mod tests;

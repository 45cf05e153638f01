//! A stand-in agent: it does nothing but call the real hooks, with payloads as Claude Code sends them
//! (recorded with 2.1.332).

use std::path::PathBuf;
use std::process::Command;

use room_protocol::RunId;
use serde_json::{Value, json};

use super::stage::Stage;
use crate::failure::{Context, Failure};
use crate::launch::hooks;
use crate::wiring::binaries::Binaries;
use crate::wiring::plan::Hook;

const SESSION: &str = "5f0c2d7e-0000-4000-8000-000000000001";
const PROMPT: &str = "5f0c2d7e-0000-4000-8000-000000000002";

pub(super) struct Agent<'a> {
    stage: &'a Stage,
    run: String,
    binaries: Binaries,
    tools: u32,
    stops: u32,
}

impl<'a> Agent<'a> {
    pub(super) fn new(stage: &'a Stage, run: &RunId) -> Result<Self, Failure> {
        Ok(Self {
            stage,
            run: run.to_string(),
            binaries: hooks::find()?,
            tools: 0,
            stops: 0,
        })
    }

    /// The session starts, and gets its task.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        let start = json!({ "source": "startup" });
        self.call(Hook::RoomRelay, "SessionStart", start.clone())?;
        self.call(Hook::Heartbeat, "SessionStart", start)?;
        let prompt = json!({ "prompt": "do the task" });
        self.call(Hook::RoomRelay, "UserPromptSubmit", prompt)?;
        Ok(())
    }

    /// One response with one tool call; what the hook adds for the model.
    pub(super) fn tool(&mut self, command: &str) -> Result<Option<String>, Failure> {
        self.tools += 1;
        let id = format!("toolu_demo_{}", self.tools);
        let batch = json!({ "tool_calls": [{
            "tool_name": "Bash", "tool_input": { "command": command },
            "tool_use_id": id, "tool_response": "ok",
        }]});
        self.call(Hook::RoomRelay, "PostToolBatch", batch)
    }

    /// It wants to finish; what the gate says to hold it.
    pub(super) fn stop(&mut self) -> Result<Option<String>, Failure> {
        let stop = json!({
            "stop_hook_active": self.stops > 0,
            "last_assistant_message": format!("done ({})", self.tools),
        });
        self.stops += 1;
        self.call(Hook::StopGate, "Stop", stop)
    }

    pub(super) fn end(&mut self) -> Result<(), Failure> {
        let end = json!({ "reason": "other" });
        self.call(Hook::Heartbeat, "SessionEnd", end).map(drop)
    }

    /// Calls a hook as Claude Code does. The text of its answer, if it gives one.
    fn call(&self, hook: Hook, event: &str, more: Value) -> Result<Option<String>, Failure> {
        let mut payload = json!({
            "session_id": SESSION, "prompt_id": PROMPT, "cwd": "/",
            "transcript_path": "/home/dev/.claude/projects/demo/session.jsonl",
            "permission_mode": "bypassPermissions", "hook_event_name": event,
        });
        if let (Some(payload), Value::Object(more)) = (payload.as_object_mut(), more) {
            payload.extend(more);
        }
        let program = PathBuf::from(self.binaries.command(hook));
        let mut command = Command::new(program);
        command
            .args(["--cli", "claude"])
            .env("RUN_ID", &self.run)
            .env("CLAUDE_PID", std::process::id().to_string())
            .env("AI_AGENT", "claude-code_2-1-332_harness");
        let answer = self.stage.output(command, &payload.to_string())?;
        if answer.is_empty() {
            return Ok(None);
        }
        let what = || format!("{} on {event} answered {answer:?}", hook.binary());
        let answer: Value = serde_json::from_str(&answer).or_refuse(what)?;
        let context = &answer["hookSpecificOutput"]["additionalContext"];
        let text = context.as_str().or(answer["reason"].as_str());
        text.map(|text| Some(text.to_owned()))
            .ok_or_else(|| Failure::Refused(what()))
    }
}

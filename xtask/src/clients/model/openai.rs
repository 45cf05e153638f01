//! Answers in the form of the OpenAI Responses API, as Codex 0.171.0 reads it.

use serde_json::{Value, json};

use super::script::{Reply, Tool};
use super::unique;

/// How long a shell call may take before Codex hands back an unfinished one, in
/// milliseconds. A call that yields fires its hook only when it ends.
const YIELD_AFTER_MS: u64 = 30_000;

/// The namespace of Codex's subagent tools.
const AGENTS: &str = "multi_agent_v1";

fn items(request: &Value, reply: &Reply) -> Vec<Value> {
    match reply {
        Reply::Tools(tools) => tools.iter().map(|tool| call(request, tool)).collect(),
        Reply::Say(text) => vec![json!({
            "type": "message", "id": unique("msg_"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]})],
        Reply::Refuse => Vec::new(),
    }
}

fn call(request: &Value, tool: &Tool) -> Value {
    let mut namespace = None;
    let (name, arguments) = match tool {
        Tool::Shell(command) => (
            "exec_command",
            json!({"cmd": command, "yield_time_ms": YIELD_AFTER_MS}),
        ),
        Tool::Agent(prompt) => {
            namespace = Some(AGENTS);
            ("spawn_agent", json!({"message": prompt}))
        }
        Tool::AwaitAgent => {
            namespace = Some(AGENTS);
            ("wait_agent", json!({"targets": [last_agent(request)]}))
        }
        Tool::Named { name, input } => (name.as_str(), input.clone()),
    };
    let mut item = json!({"type": "function_call", "id": unique("fc_"), "call_id": unique("call_"),
           "name": name, "arguments": arguments.to_string(), "status": "completed"});
    if let Some(namespace) = namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

/// The id of the subagent that was spawned last, from the result of the spawning.
fn last_agent(request: &Value) -> Value {
    let items = request["input"].as_array().into_iter().flatten();
    let outputs = items.filter(|item| item["type"] == "function_call_output");
    let mut ids = outputs.filter_map(|item| {
        let output: Value = serde_json::from_str(item["output"].as_str()?).ok()?;
        output.get("agent_id").cloned()
    });
    ids.next_back().unwrap_or(Value::Null)
}

/// The answer as the events of a stream.
pub fn events(request: &Value, reply: &Reply) -> Vec<Value> {
    let items = items(request, reply);
    let response = |status: &str, output: &[Value]| {
        json!({"id": unique("resp_"), "object": "response", "status": status, "output": output,
               "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0},
                         "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0},
                         "total_tokens": 15}})
    };
    let mut events =
        vec![json!({"type": "response.created", "response": response("in_progress", &[])})];
    for (index, item) in items.iter().enumerate() {
        events.extend([
            json!({"type": "response.output_item.added", "output_index": index, "item": item}),
            json!({"type": "response.output_item.done", "output_index": index, "item": item}),
        ]);
    }
    events.push(json!({"type": "response.completed", "response": response("completed", &items)}));
    events
}

/// An error that Codex does not retry.
pub fn refusal() -> Value {
    json!({"error": {"type": "invalid_request_error", "code": "refused",
                     "message": "refused by the script"}})
}

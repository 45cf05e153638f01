//! Answers in the form of the Anthropic Messages API, as Claude Code 2.1.332 reads it.

use serde_json::{Value, json};

use super::script::{Reply, Tool};
use super::unique;

/// The content blocks of a reply, and why the response ends.
fn blocks(reply: &Reply) -> (Vec<Value>, &'static str) {
    match reply {
        Reply::Tools(tools) => (tools.iter().map(tool_use).collect(), "tool_use"),
        Reply::Say(text) => (vec![json!({"type": "text", "text": text})], "end_turn"),
        Reply::Refuse => (Vec::new(), "end_turn"),
    }
}

fn tool_use(tool: &Tool) -> Value {
    let (name, input) = match tool {
        Tool::Shell(command) => (
            "Bash",
            json!({"command": command, "description": "one step"}),
        ),
        Tool::Agent(prompt) => (
            "Agent",
            json!({"description": "one errand", "prompt": prompt,
                   "subagent_type": "general-purpose", "run_in_background": false}),
        ),
        // No such tool: waiting is part of `Agent`.
        Tool::AwaitAgent => ("AwaitAgent", json!({})),
        Tool::Named { name, input } => (name.as_str(), input.clone()),
    };
    json!({"type": "tool_use", "id": unique("toolu_"), "name": name, "input": input})
}

fn envelope(request: &Value) -> Value {
    json!({"id": unique("msg_"), "type": "message", "role": "assistant",
           "model": request["model"], "content": [],
           "stop_reason": null, "stop_sequence": null,
           "usage": {"input_tokens": 10, "output_tokens": 5}})
}

/// The whole answer as one document.
pub fn document(request: &Value, reply: &Reply) -> Value {
    let (content, stop) = blocks(reply);
    let mut message = envelope(request);
    message["content"] = Value::Array(content);
    message["stop_reason"] = json!(stop);
    message
}

/// The answer as the events of a stream.
pub fn events(request: &Value, reply: &Reply) -> Vec<Value> {
    let (content, stop) = blocks(reply);
    let mut events = vec![json!({"type": "message_start", "message": envelope(request)})];
    for (index, mut block) in content.into_iter().enumerate() {
        let delta = if block["type"] == "text" {
            let text = block["text"].take();
            block["text"] = json!("");
            json!({"type": "text_delta", "text": text})
        } else {
            let input = block["input"].take();
            block["input"] = json!({});
            json!({"type": "input_json_delta", "partial_json": input.to_string()})
        };
        events.extend([
            json!({"type": "content_block_start", "index": index, "content_block": block}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]);
    }
    events.extend([
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
               "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ]);
    events
}

/// An error that Claude Code does not retry.
pub fn refusal() -> Value {
    json!({"type": "error",
           "error": {"type": "invalid_request_error", "message": "refused by the script"}})
}

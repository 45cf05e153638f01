//! Recorded requests, and what in them was contributed by hooks.

use std::time::Duration;

use serde_json::{Value, json};

use super::script::Script;

/// Which conversation a request belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversation {
    Main,
    /// A subagent or a nested CLI, by the marker in its prompt.
    Side(String),
    /// A request without tools: titles, summaries and the like. Takes no step.
    Chore,
}

/// One request as the model server got it.
#[derive(Clone, Debug)]
pub struct Record {
    pub take: usize,
    /// Since the server started.
    pub at: Duration,
    pub path: String,
    pub conversation: Conversation,
    pub body: Value,
}

/// Where a text of a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A hook's context or a stop hook's reason.
    Hook,
    /// The user, the CLI itself, or a tool's result.
    Other,
}

/// One text that the model reads.
#[derive(Clone, Debug)]
pub struct Text {
    pub origin: Origin,
    pub text: String,
}

/// What a text has to contain for it to come from a hook, in Claude Code's requests.
/// Each hook's text carries its event's label (HOOK CONTRACTS: measured on 2.1.332).
const CLAUDE_LABELS: [&str; 3] = [
    "hook additional context:",
    "hook blocking error",
    "Stop hook feedback:",
];

impl Record {
    /// One line for the log.
    pub fn to_line(&self) -> String {
        let conversation = match &self.conversation {
            Conversation::Main => "main",
            Conversation::Side(marker) => marker,
            Conversation::Chore => "chore",
        };
        json!({"take": self.take, "at_ms": self.at.as_millis() as u64, "path": self.path,
               "conversation": conversation, "body": self.body})
        .to_string()
    }

    /// Everything that the model reads besides its own words, in order.
    pub fn texts(&self) -> Vec<Text> {
        if self.body["messages"].is_array() {
            claude_texts(&self.body)
        } else {
            codex_texts(&self.body)
        }
    }

    /// The texts that hooks contributed, in order.
    pub fn hook_texts(&self) -> Vec<String> {
        let from_hooks = |t: Text| (t.origin == Origin::Hook).then_some(t.text);
        self.texts().into_iter().filter_map(from_hooks).collect()
    }

    /// How often `needle` occurs in what hooks contributed.
    pub fn count(&self, needle: &str) -> usize {
        let texts = self.hook_texts();
        texts.iter().map(|t| t.matches(needle).count()).sum()
    }

    /// How often `needle` occurs anywhere in what the model reads, the prompt and
    /// tool results included.
    pub fn count_anywhere(&self, needle: &str) -> usize {
        let texts = self.texts();
        texts.iter().map(|t| t.text.matches(needle).count()).sum()
    }
}

/// The requests of one take, in order of arrival.
#[derive(Clone, Debug, Default)]
pub struct Requests(pub Vec<Record>);

impl Requests {
    /// Those of one conversation only.
    pub fn of(&self, conversation: &Conversation) -> Self {
        let of = self.0.iter().filter(|r| &r.conversation == conversation);
        Self(of.cloned().collect())
    }

    /// Those of the main conversation.
    pub fn main(&self) -> Self {
        self.of(&Conversation::Main)
    }

    /// Those of a side conversation, by its marker.
    pub fn side(&self, marker: &str) -> Self {
        self.of(&Conversation::Side(marker.to_owned()))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// How often `needle` stands in hook texts of the last request. The history
    /// is sent whole each time, so this is how often it was shown at all.
    pub fn shown(&self, needle: &str) -> usize {
        self.0.last().map_or(0, |r| r.count(needle))
    }

    /// The first request (counted from 0) with `needle` in a hook's text.
    pub fn first_with(&self, needle: &str) -> Option<usize> {
        self.0.iter().position(|r| r.count(needle) > 0)
    }

    /// Every distinct text that hooks contributed, in the order of the last request.
    pub fn hook_texts(&self) -> Vec<String> {
        self.0.last().map(Record::hook_texts).unwrap_or_default()
    }
}

/// Finds the conversation of a request by the markers of the script in force.
///
/// A subagent's prompt also stands in its parent's history, as the input of a tool
/// call; so only what the user side says at the beginning is looked at.
pub fn conversation_of(body: &Value, script: &Script) -> Conversation {
    if body["tools"].as_array().is_none_or(Vec::is_empty) {
        return Conversation::Chore;
    }
    let opening = opening_prompts(body);
    let side = script
        .sides
        .iter()
        .find(|side| opening.iter().any(|text| text.contains(&side.marker)));
    side.map_or(Conversation::Main, |side| {
        Conversation::Side(side.marker.clone())
    })
}

/// The user's texts before the model's first own turn.
fn opening_prompts(body: &Value) -> Vec<String> {
    let items = body["messages"].as_array().or(body["input"].as_array());
    let mut texts = Vec::new();
    for item in items.into_iter().flatten() {
        let kind = item["type"].as_str().unwrap_or("message");
        if item["role"] == "assistant" || kind != "message" {
            break;
        }
        if item["role"] == "user" {
            texts.extend(content_texts(&item["content"]));
        }
    }
    texts
}

/// The texts in a message's content, whatever its form.
fn content_texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts
            .iter()
            .flat_map(|part| match part["type"].as_str() {
                Some("tool_result") => content_texts(&part["content"]),
                _ => part["text"]
                    .as_str()
                    .map(str::to_owned)
                    .into_iter()
                    .collect(),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Claude Code: `role: "system"` messages between the turns (newer models) or
/// `<system-reminder>` in user content (older ones), each with its event's label.
fn claude_texts(body: &Value) -> Vec<Text> {
    let mut texts = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        if message["role"] == "assistant" {
            continue;
        }
        for text in content_texts(&message["content"]) {
            let labelled = CLAUDE_LABELS.iter().any(|label| text.contains(label));
            let origin = if labelled {
                Origin::Hook
            } else {
                Origin::Other
            };
            texts.push(Text { origin, text });
        }
    }
    texts
}

/// Codex: `developer` messages after the CLI's own ones at the start, and
/// `<hook_prompt …>` user messages for a held stop.
fn codex_texts(body: &Value) -> Vec<Text> {
    let mut texts = Vec::new();
    for (position, item) in body["input"].as_array().into_iter().flatten().enumerate() {
        let role = item["role"].as_str().unwrap_or_default();
        if item["type"] == "function_call_output" {
            let output = content_texts(&item["output"]);
            texts.extend(output.into_iter().map(|text| Text {
                origin: Origin::Other,
                text,
            }));
        }
        if role == "assistant" {
            continue;
        }
        for text in content_texts(&item["content"]) {
            let hook = match role {
                "developer" => position > 0 && !is_codex_own(&text),
                "user" => text.starts_with(HOOK_PROMPT),
                _ => false,
            };
            let origin = if hook { Origin::Hook } else { Origin::Other };
            let text = if text.starts_with(HOOK_PROMPT) {
                hook_prompt(&text)
            } else {
                text
            };
            texts.push(Text { origin, text });
        }
    }
    texts
}

/// How Codex begins what a hook said at a stop.
const HOOK_PROMPT: &str = "<hook_prompt ";

/// What the hook said: without the tag, and with the escapes that Codex puts in undone.
fn hook_prompt(text: &str) -> String {
    let inner = text.split_once('>').map_or(text, |(_, inner)| inner);
    inner
        .replace("</hook_prompt>", "")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}

/// Codex's own developer texts begin with a tag of its own, besides the first one,
/// its base instructions.
fn is_codex_own(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(body: Value) -> Record {
        Record {
            take: 1,
            at: Duration::ZERO,
            path: String::new(),
            conversation: Conversation::Main,
            body,
        }
    }

    #[test]
    fn a_hooks_words_are_told_from_a_tools_in_both_dialects() {
        let claude = record(json!({"messages": [
            {"role": "user", "content": "WORD in the prompt"},
            {"role": "assistant", "content": [{"type": "text", "text": "WORD"}]},
            {"role": "user", "content": [{"type": "tool_result", "content": "WORD"}]},
            {"role": "system", "content": "PostToolBatch hook additional context: WORD"}]}));
        let message = |role: &str, text: &str| {
            json!({"type": "message", "role": role,
                   "content": [{"type": "input_text", "text": text}]})
        };
        let codex = record(json!({"input": [
            message("developer", "base instructions with a WORD"),
            message("developer", "<permissions>WORD"),
            message("user", "WORD in the prompt"),
            {"type": "function_call_output", "call_id": "c", "output": "WORD"},
            message("assistant", "WORD"),
            message("developer", "WORD")]}));
        assert_eq!(
            (claude.count("WORD"), claude.count_anywhere("WORD")),
            (1, 3)
        );
        assert_eq!((codex.count("WORD"), codex.count_anywhere("WORD")), (1, 5));
    }

    #[test]
    fn a_held_stop_is_a_hooks_word() {
        let held = record(
            json!({"input": [{"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "<hook_prompt hook_run_id=\"stop:0\">WORD</hook_prompt>"}]}]}),
        );
        assert_eq!(held.count("WORD"), 1);
    }
}

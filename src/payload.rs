//! What a hook is told on standard input, read as far as it can be read.
//!
//! The fields are those of Claude Code and of Codex; both send an object of one level that matters.
//! Unknown fields, wrong types, a cut end: what was understood up to there stands.

use std::fmt;

use room_protocol::limits::WORD_BYTES;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// The fields that the hooks use. An empty text counts as absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Payload {
    /// An object was read, at least its beginning.
    pub(crate) is_object: bool,
    /// `hook_event_name`.
    pub(crate) event: Option<String>,
    /// `session_id`.
    pub(crate) session: Option<String>,
    /// `prompt_id` (Claude Code): the same over all stops of one chain.
    pub(crate) prompt_id: Option<String>,
    /// `turn_id` (Codex): the same.
    pub(crate) turn_id: Option<String>,
    /// `agent_id`: present only inside a subagent.
    pub(crate) agent_id: Option<String>,
    /// `tool_name`, or that of a batch's first call.
    pub(crate) tool: Option<String>,
    /// `tool_use_id`, or that of a batch's first call.
    pub(crate) tool_use_id: Option<String>,
    /// `source` of a session's start.
    pub(crate) source: Option<String>,
    /// `stop_hook_active`.
    pub(crate) stop_hook_active: Option<bool>,
    /// A digest of `last_assistant_message`.
    pub(crate) last_words: Option<u64>,
    /// `cwd`.
    pub(crate) cwd: Option<String>,
    /// `transcript_path`.
    pub(crate) transcript: Option<String>,
}

impl Payload {
    /// Reads a payload; never fails.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let mut payload = Self::default();
        let text = String::from_utf8_lossy(bytes);
        let mut json = serde_json::Deserializer::from_str(&text);
        // The error tells only where reading stopped; everything before it stands.
        let _ = Object(&mut payload).deserialize(&mut json);
        payload
    }
}

/// A text of the payload, cut to a bound at a character.
fn word(text: &str) -> Option<String> {
    let mut end = text.len().min(WORD_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (end > 0).then(|| text[..end].to_owned())
}

/// FNV-1a, 64 bits: tells two moments apart, guards nothing.
pub(crate) fn digest(parts: &[&[u8]]) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    parts.iter().fold(0xcbf2_9ce4_8422_2325, |hash, part| {
        step(part.iter().fold(hash, |h, b| step(h, *b)), 0xff)
    })
}

struct Object<'p>(&'p mut Payload);

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let payload = self.0;
        payload.is_object = true;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "hook_event_name" => payload.event = map.next_value::<Any>()?.word(),
                "session_id" => payload.session = map.next_value::<Any>()?.word(),
                "prompt_id" => payload.prompt_id = map.next_value::<Any>()?.word(),
                "turn_id" => payload.turn_id = map.next_value::<Any>()?.word(),
                // Whatever it is: its presence marks a subagent.
                "agent_id" => payload.agent_id = map.next_value::<Any>()?.presence(),
                "tool_name" => payload.tool = map.next_value::<Any>()?.word(),
                "tool_use_id" => payload.tool_use_id = map.next_value::<Any>()?.word(),
                "source" => payload.source = map.next_value::<Any>()?.word(),
                "cwd" => payload.cwd = map.next_value::<Any>()?.text(),
                "transcript_path" => payload.transcript = map.next_value::<Any>()?.text(),
                "stop_hook_active" => {
                    payload.stop_hook_active = map.next_value::<Any>()?.flag();
                }
                "last_assistant_message" => {
                    payload.last_words = map
                        .next_value::<Any>()?
                        .text()
                        .map(|text| digest(&[text.as_bytes()]));
                }
                "tool_calls" => map.next_value_seed(Calls(payload))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Any JSON value; what is inside of lists and objects is skipped without recursion.
enum Any {
    Null,
    Flag(bool),
    Text(String),
    Other,
}

impl Any {
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    fn word(self) -> Option<String> {
        word(&self.text()?)
    }

    fn flag(self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    fn presence(self) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Text(text) => word(&text),
            Self::Flag(_) | Self::Other => Some("?".to_owned()),
        }
    }
}

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Any;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Any, E> {
        Ok(Any::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Any, E> {
        Ok(Any::Flag(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Any, E> {
        Ok(Any::Text(value.to_owned()))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Any, E> {
        Ok(Any::Other)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Any, E> {
        Ok(Any::Other)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Any, E> {
        Ok(Any::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Any, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Any::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Any::Other)
    }
}

/// A batch's calls: the first one names the batch.
struct Calls<'p>(&'p mut Payload);

impl<'de> DeserializeSeed<'de> for Calls<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Calls<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tool calls")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut first = Payload::default();
        seq.next_element_seed(Object(&mut first))?;
        self.0.tool = first.tool;
        self.0.tool_use_id = first.tool_use_id;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Payload {
        Payload::read(text.as_bytes())
    }

    #[test]
    fn recorded_payloads_are_understood() {
        let batch = read(include_str!(
            "../tests/fixtures/claude-code-2.1.332/PostToolBatch.json"
        ));
        assert_eq!(batch.event.as_deref(), Some("PostToolBatch"));
        assert_eq!(batch.tool_use_id.as_deref(), Some("toolu_main_0_0"));
        assert_eq!(batch.tool.as_deref(), Some("Bash"));
        assert_eq!(batch.agent_id, None);
        let sub = read(include_str!(
            "../tests/fixtures/codex-0.171.0/PostToolUse-subagent.json"
        ));
        assert!(sub.agent_id.is_some() && sub.turn_id.is_some());
        let stop = read(include_str!(
            "../tests/fixtures/claude-code-2.1.332/Stop.json"
        ));
        assert_eq!(stop.stop_hook_active, Some(false));
        assert!(stop.last_words.is_some() && stop.prompt_id.is_some());
    }

    #[test]
    fn what_cannot_be_understood_costs_only_itself() {
        let odd = read(
            r#"{"session_id":7,"agent_id":{},"cwd":null,"stop_hook_active":"yes",
                "tool_name":[1,{"a":[]}],"hook_event_name":"Stop","unknown":{"agent_id":"x"}}"#,
        );
        assert_eq!(odd.session, None);
        assert_eq!(odd.agent_id.as_deref(), Some("?"));
        assert_eq!(odd.stop_hook_active, None);
        assert_eq!(odd.event.as_deref(), Some("Stop"));
        let cut = read(r#"{"session_id":"s","hook_event_name":"Stop","tool_response":"abc"#);
        assert_eq!((cut.session.as_deref(), cut.is_object), (Some("s"), true));
        for garbage in ["", "hello", "[]", "7", "null"] {
            assert_eq!(read(garbage), Payload::default(), "{garbage:?}");
        }
        let not_text = Payload::read(b"{\"session_id\":\"a\xff\",\"turn_id\":\"t\"}");
        assert_eq!(not_text.turn_id.as_deref(), Some("t"));
    }

    #[test]
    fn depth_and_length_are_survived() {
        let deep = format!(
            r#"{{"session_id":{open}{close},"tool_input":{open}{close},"turn_id":"t"}}"#,
            open = "[".repeat(10_000),
            close = "]".repeat(10_000)
        );
        assert_eq!(read(&deep).turn_id.as_deref(), Some("t"));
        let long = format!(r#"{{"session_id":"{}"}}"#, "é".repeat(10_000));
        assert_eq!(read(&long).session.map(|s| s.len()), Some(WORD_BYTES));
    }
}

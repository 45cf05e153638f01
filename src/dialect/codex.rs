//! Codex, as recorded with 0.171.0. It rejects an answer with any key that it does not know.

use super::{Dialect, Var};
use crate::payload::Payload;

pub(crate) struct Codex;

impl Dialect for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn recognises(&self, payload: &Payload, _var: Var<'_>) -> bool {
        let transcript = payload.transcript.as_deref().unwrap_or_default();
        let file = transcript.rsplit('/').next().unwrap_or_default();
        payload.turn_id.is_some() || file.starts_with("rollout-")
    }

    fn chain<'p>(&self, payload: &'p Payload) -> Option<&'p str> {
        payload.turn_id.as_deref()
    }

    /// Codex puts the text into an element, `<hook_prompt …>`, and escapes it (seen with 0.171.0).
    fn held_width(&self, text: &str) -> usize {
        let width = |b: u8| match b {
            b'<' | b'>' => "&gt;".len(),
            b'&' => "&amp;".len(),
            b'"' | b'\'' => "&quot;".len(),
            _ => 1,
        };
        text.bytes().map(width).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_stop_is_measured_as_codex_escapes_it() {
        assert_eq!(
            Codex.held_width("> a & \"b\" <é>"),
            4 + 3 + 5 + 1 + 6 + 1 + 6 + 1 + 4 + 2 + 4
        );
    }
}

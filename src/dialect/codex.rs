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
}

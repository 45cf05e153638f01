//! The form that most agent CLIs share, for those that are not known by name.

use super::{Dialect, Var};
use crate::payload::Payload;

pub(crate) struct Plain;

impl Dialect for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn recognises(&self, _payload: &Payload, _var: Var<'_>) -> bool {
        true
    }

    fn chain<'p>(&self, payload: &'p Payload) -> Option<&'p str> {
        payload.prompt_id.as_deref().or(payload.turn_id.as_deref())
    }
}

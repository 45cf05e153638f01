//! The form that most agent CLIs share, for those that are not known by name. Some have the same
//! events under names of their own (recorded with Gemini CLI 0.61.0).

use super::{Dialect, Moment, Var, common_moment};
use crate::payload::Payload;

pub(crate) struct Plain;

impl Dialect for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn recognises(&self, _payload: &Payload, _var: Var<'_>) -> bool {
        true
    }

    fn moment(&self, payload: &Payload) -> Moment {
        match payload.event.as_deref() {
            Some("AfterTool") => Moment::Tool,
            Some("BeforeAgent") => Moment::Prompt,
            Some("AfterAgent") => Moment::Stop,
            _ => common_moment(payload),
        }
    }

    fn chain<'p>(&self, payload: &'p Payload) -> Option<&'p str> {
        payload.prompt_id.as_deref().or(payload.turn_id.as_deref())
    }
}

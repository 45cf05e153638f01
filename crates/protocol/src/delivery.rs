//! The ledger's entries, and what proves that a printed context went in.

use serde::{Deserialize, Serialize};

use crate::{RunId, Timestamp};

/// By which way a run was shown a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// In the opening text, at a session's start or in a prompt's composition.
    Opened,
    /// After a tool call or with a person's prompt.
    Relayed,
    /// By the stop gate.
    Gated,
    /// The run read it itself (`room read`).
    Read,
}

impl How {
    /// The word used on the wire and in listings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Relayed => "relayed",
            Self::Gated => "gated",
            Self::Read => "read",
        }
    }
}

/// One entry of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The run that was shown the message.
    pub run: RunId,
    /// By which way.
    pub how: How,
    /// When it was acknowledged.
    pub at: Timestamp,
    /// A later event of the same session proved that the model was sent it; or the run read it itself,
    /// and no hook speaks for it that could prove more.
    pub confirmed: bool,
    /// The session that it was shown in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it went back to the queue, because the run ended before it was confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_at: Option<Timestamp>,
}

/// The kind of moment at which a hook ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProofKind {
    /// A session began, resumed, was cleared or compacted.
    Start,
    /// A prompt was submitted.
    Prompt,
    /// One tool call ended; others of the same response may still run.
    Tool,
    /// All tool calls of one response ended.
    Batch,
    /// The agent wants to finish.
    Stop,
    /// Not a hook's moment (the run's own `room read`, a composed opening).
    Read,
}

/// A moment in a session: its kind, and a mark that is the same for two hooks of one moment and
/// differs between moments (the first tool call's id of a batch, a digest of a stop).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Proof {
    /// What happened.
    pub kind: ProofKind,
    /// Which one of its kind.
    pub mark: String,
}

impl Proof {
    /// Whether this moment, seen in the same session after something was printed at `printed`, can
    /// only have come after a model request that carried what was printed.
    ///
    /// A prompt proves nothing: Codex can end right after its hook without a request. Neither does
    /// another tool call of what may be the same response, nor a second hook of the same moment.
    /// What was composed or read outside of a hook went in with the response that asked for it.
    pub fn confirms(&self, printed: &Proof) -> bool {
        use ProofKind::{Batch, Prompt, Read, Start, Stop, Tool};
        match (self.kind, printed.kind) {
            (Start | Prompt | Read, _) => false,
            (Tool, Tool | Batch) => false,
            (Batch, Tool) => false,
            (Batch, Batch) | (Stop, Stop) => self.mark != printed.mark,
            (Tool | Batch, Start | Prompt | Stop | Read) => true,
            (Stop, Start | Prompt | Tool | Batch | Read) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kind: ProofKind, mark: &str) -> Proof {
        Proof {
            kind,
            mark: mark.to_owned(),
        }
    }

    #[test]
    fn only_what_follows_a_model_request_confirms() {
        use ProofKind::{Batch, Prompt, Start, Stop, Tool};
        let yes = [
            (at(Stop, "b"), at(Batch, "t1")),
            (at(Stop, "b"), at(Start, "")),
            (at(Stop, "b"), at(Stop, "a")),
            (at(Batch, "t2"), at(Batch, "t1")),
            (at(Batch, "t2"), at(Stop, "a")),
            (at(Tool, "t2"), at(Prompt, "p")),
        ];
        for (event, printed) in yes {
            assert!(event.confirms(&printed), "{event:?} after {printed:?}");
        }
        let no = [
            (at(Stop, "a"), at(Stop, "a")),
            (at(Batch, "t1"), at(Batch, "t1")),
            (at(Tool, "t2"), at(Tool, "t1")),
            (at(Batch, "t1"), at(Tool, "t1")),
            (at(Prompt, "p2"), at(Batch, "t1")),
            (at(Start, ""), at(Stop, "a")),
        ];
        for (event, printed) in no {
            assert!(!event.confirms(&printed), "{event:?} after {printed:?}");
        }
    }
}

//! The one renderer: how a room's messages are put before an agent or a person.
//!
//! ```text
//! [Room demo: 2 new messages, relayed by the hook that this run's operator set up. Answer with: …]
//! [demo/12 from ana, a person, 14:02:11 UTC]
//! > please use tabs
//! > and keep the tests green
//! [demo/13 from codex-2, an agent in room api, not a person, 14:02:40 UTC, answers demo/9]
//! > the endpoint is renamed
//! ```
//!
//! Every line that does not begin with `> ` is ours; every line of a body does, whatever Unicode
//! takes for a line break. So no body forges a frame, and no author does: a name that could read as
//! a part of the frame stands in quotation marks. Characters that cannot be seen or that act on a
//! terminal are shown as their code points, see [`visible`].

mod head;
mod line;
mod opening;
mod parts;
mod relay;
#[cfg(test)]
mod tests;
mod visible;

pub use visible::{lines, preview, terminal, visible};

use crate::lane::Waiting;
use crate::{AuthorKind, Message, MessageId, RoomName, RunId};

/// What a text is for. It decides the wording, and whether a conversation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// After a tool call, or with a person's prompt.
    Relay,
    /// The agent is about to finish.
    Gate,
    /// A session or a task begins: the conversation so far.
    Opening,
    /// The same for a run of which it is not known that any hook follows.
    Handover,
    /// The run reads its room itself.
    Read,
}

/// What to render.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The room.
    pub room: &'a RoomName,
    /// The run that is to read it: its own words are marked, and those meant for it only.
    pub run: Option<&'a RunId>,
    /// What for.
    pub purpose: Purpose,
    /// Whether the room is to be explained in a paragraph.
    pub introduce: bool,
    /// What waits, in the order in which it is to be shown.
    pub waiting: &'a [Waiting],
    /// How many wait in all, those above included.
    pub waiting_total: u64,
    /// Messages of the room that do not wait, oldest first; only an opening shows them.
    pub history: &'a [Message],
    /// How many messages the room has in all.
    pub history_total: u64,
    /// The text's greatest length in bytes, normally [`CONTEXT_BYTES`](crate::limits::CONTEXT_BYTES).
    /// From 1,000 on something is always shown; below 4,000 frame lines are short and nothing is
    /// explained.
    pub budget: usize,
}

/// One waiting message that a text shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Which message.
    pub id: MessageId,
    /// Shown up to this byte of its body; `None`: to its end.
    pub offset: Option<u64>,
    /// Whether a person or an agent wrote it.
    pub author_kind: AuthorKind,
}

/// A rendered text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text, without a line break at its end.
    pub text: String,
    /// Exactly what of [`Context::waiting`] it shows, in order: what may be acknowledged.
    pub shown: Vec<Shown>,
    /// How many still wait when that is acknowledged; a message that was begun still waits.
    pub more: u64,
    /// The room was explained.
    pub introduced: bool,
}

/// Renders what waits, and for an opening the conversation so far, within the budget. `None` when
/// there is nothing to show.
///
/// Whole messages only, cut at message boundaries; a message that is too long to be shown whole even
/// alone comes in numbered parts, each alone in its text. For an opening the newest messages that fit
/// are chosen; those that wait and were not chosen, or are too long, stay for later texts.
pub fn context(c: &Context<'_>) -> Option<Rendered> {
    match c.purpose {
        // A message that was begun goes on before anything else.
        Purpose::Opening | Purpose::Handover if !c.waiting.iter().any(relay::begun) => {
            opening::render(c).or_else(|| relay::render(c))
        }
        _ => relay::render(c),
    }
}

/// One whole message in its frame, for a listing of a room: with the day, and marked when it was
/// withdrawn or could not be delivered. Without a line break at its end. `run` is the reading run.
pub fn message(m: &Message, run: Option<&RunId>) -> String {
    let style = line::Style {
        full: true,
        date: true,
        status: true,
    };
    let frame = line::line(m, None, false, run, style);
    format!("{frame}\n{}", line::quoted(&m.body))
}

/// Below this many bytes frame lines are short and nothing is explained.
const FULL_FROM: usize = 4_000;
/// The most that head, frame line and tail take, in bytes, when they tell everything.
const FULL_BYTES: usize = 2_000;
/// The same when they are short.
const SHORT_BYTES: usize = 830;

impl Context<'_> {
    fn style(&self) -> line::Style {
        line::Style {
            full: self.budget >= FULL_FROM,
            date: matches!(self.purpose, Purpose::Opening | Purpose::Handover),
            status: false,
        }
    }

    /// What a part of a body may take. The same for every budget from
    /// [`CONTEXT_BYTES`](crate::limits::CONTEXT_BYTES) on, so that an opening's part boundaries are
    /// those of the relay.
    fn part_space(&self) -> usize {
        let budget = self.budget.min(crate::limits::CONTEXT_BYTES);
        if self.style().full {
            budget - FULL_BYTES
        } else {
            budget.saturating_sub(SHORT_BYTES)
        }
    }

    fn waiting_total(&self) -> u64 {
        self.waiting_total.max(self.waiting.len() as u64)
    }
}

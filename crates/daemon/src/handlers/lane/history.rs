//! What an opening brings of the room's conversation, beside what waits.

use std::collections::HashSet;

use room_protocol::lane::Lease;
use room_protocol::limits::PAGE;
use room_protocol::{Message, Status};
use room_store::MessageQuery;

use crate::fit;
use crate::refusal::Result;
use crate::registry::RunEntry;
use crate::state::Daemon;

/// Adds the newest messages that do not wait for this run, oldest first, as far as the budget goes:
/// which of them and of those that wait are the newest that fit, the renderer says. While more waits
/// than the budget took, what is older than what it took has no place.
pub async fn add(daemon: &Daemon, run: &RunEntry, budget: u32, answer: &mut Lease) -> Result<()> {
    let page = daemon
        .store
        .messages(MessageQuery {
            room: run.room.clone(),
            before: None,
            after: None,
            limit: PAGE,
        })
        .await?;
    answer.history_total = page.total;
    let taken = u64::try_from(answer.messages.len()).unwrap_or(u64::MAX);
    let from = if taken < answer.waiting {
        let numbers = answer.messages.iter().map(|w| w.message.number);
        numbers.min().unwrap_or(u64::MAX)
    } else {
        0
    };
    let waiting: HashSet<_> = answer.messages.iter().map(|w| &w.message.id).collect();
    let mut left = usize::try_from(budget)
        .unwrap_or(usize::MAX)
        .min(room_protocol::limits::REQUEST_BYTES);
    let mut history: Vec<Message> = Vec::new();
    let rest = page
        .messages
        .into_iter()
        .rev()
        .filter(|m| m.number > from)
        .filter(|m| m.status != Status::Withdrawn && !waiting.contains(&m.id));
    let mut fitted = false;
    for message in rest {
        match left.checked_sub(message.body.len()) {
            Some(still) => (left, fitted) = (still, true),
            // The renderer is to know that there is a newest one that is too long; one is enough.
            None if !fitted && history.is_empty() => {}
            None if !fitted => continue,
            None => break,
        }
        history.push(message);
    }
    fit::cut_end(&mut history);
    history.reverse();
    answer.history = history;
    Ok(())
}

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

/// Adds the newest messages that do not wait for this run, oldest first, as far as the budget goes
/// after what waits. While more waits than the budget took, the conversation has no place.
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
    if taken < answer.waiting {
        return Ok(());
    }
    let waiting: HashSet<_> = answer.messages.iter().map(|w| &w.message.id).collect();
    let shown = |w: &room_protocol::lane::Waiting| {
        let offset = usize::try_from(w.offset).unwrap_or(usize::MAX);
        w.message.body.len().saturating_sub(offset)
    };
    let used: usize = answer.messages.iter().map(shown).sum();
    let mut left = usize::try_from(budget)
        .unwrap_or(usize::MAX)
        .min(room_protocol::limits::REQUEST_BYTES)
        .saturating_sub(used);
    let mut history: Vec<Message> = Vec::new();
    let rest = page
        .messages
        .into_iter()
        .rev()
        .filter(|m| m.status != Status::Withdrawn && !waiting.contains(&m.id));
    for message in rest {
        match left.checked_sub(message.body.len()) {
            Some(still) => left = still,
            None => break,
        }
        history.push(message);
    }
    fit::cut_end(&mut history);
    history.reverse();
    answer.history = history;
    Ok(())
}

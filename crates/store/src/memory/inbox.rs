use room_protocol::AuthorKind;

use super::state::{Run, State};
use crate::rules::{self, Admitted, Budget};
use crate::{Inbox, InboxEntry, InboxQuery, Result};

impl State {
    pub fn inbox(&self, query: &InboxQuery) -> Result<Inbox> {
        rules::check_limit(query.limit)?;
        let run = self.run(&query.run)?;
        let waiting = self.waiting(run);
        let entry = |number: u64| InboxEntry {
            offset: offset(run, number, query.session.as_deref()),
            again: self.returned(number),
            message: self.view(number),
        };
        let mut entries: Vec<InboxEntry> = waiting.iter().map(|n| entry(*n)).collect();
        let people = entries
            .iter()
            .filter(|e| e.message.author.kind == AuthorKind::Person)
            .count();
        let in_order = |e: &InboxEntry| (e.offset == 0, e.message.number);
        entries.sort_by_key(in_order);
        if query.newest {
            let begun = entries.partition_point(|e| e.offset > 0);
            entries[begun..].reverse();
        }
        let mut budget = Budget::new(query);
        let mut chosen = Vec::new();
        for entry in entries {
            if chosen.len() == query.limit {
                break;
            }
            match budget.admits(entry.message.body.len() - entry.offset as usize) {
                Admitted::Yes => chosen.push(entry),
                Admitted::No => {}
                Admitted::NoMore => break,
            }
        }
        chosen.sort_by_key(in_order);
        Ok(Inbox {
            entries: chosen,
            waiting: waiting.len() as u64,
            people: people as u64,
        })
    }

    /// Whether an earlier run was shown it and ended before that was proven.
    fn returned(&self, number: u64) -> bool {
        let mut ledger = self.ledger.iter();
        ledger.any(|e| e.number == number && e.returned_at.is_some())
    }
}

/// How much of a message a session was shown.
fn offset(run: &Run, number: u64, session: Option<&str>) -> u64 {
    let mut pieces = run.pieces.iter();
    let piece = pieces.find(|p| p.number == number && p.session.as_deref() == session);
    piece.map_or(0, |p| p.offset)
}

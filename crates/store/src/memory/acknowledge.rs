use room_protocol::{EventKind, How, Proof, RunId, Timestamp};

use super::state::{About, Entry, Piece, State};
use crate::{Acked, Acknowledgement, Result, rules};

impl State {
    pub fn acknowledge(&mut self, ack: &Acknowledgement) -> Result<Acked> {
        let run = self.run_mut(&ack.run)?;
        if ack.introduced && ack.session.is_some() {
            run.record.introduced.clone_from(&ack.session);
        }
        let mut acked = Acked::default();
        for (id, offset) in rules::shown(&ack.items) {
            let run = self.run(&ack.run)?;
            let Some(number) = self.number_of_id(id) else {
                acked.unknown.push(id.clone());
                continue;
            };
            let stored = &self.messages[&number];
            if self.in_ledger(&ack.run, number) {
                acked.settled.push(id.clone());
            } else if !run.ever.contains(&number) {
                acked.refused.push(id.clone());
            } else if let Some(offset) = rules::piece(&stored.message.body, offset) {
                if self.holds(run, stored) {
                    self.keep_piece(ack, number, offset)?;
                    acked.partial.push(id.clone());
                } else {
                    // Withdrawn, or its run is over: no rest waits, and what was shown is not all.
                    acked.settled.push(id.clone());
                }
            } else {
                let shown = Shown {
                    how: ack.how,
                    at: ack.at,
                    session: ack.session.as_deref(),
                    printed: ack.printed.as_ref(),
                    confirmed: ack.confirmed,
                };
                self.take(&ack.run, number, shown)?;
                acked.settled.push(id.clone());
            }
        }
        Ok(acked)
    }

    fn keep_piece(&mut self, ack: &Acknowledgement, number: u64, offset: u64) -> Result<()> {
        let pieces = &mut self.run_mut(&ack.run)?.pieces;
        let mut known = pieces.iter_mut();
        match known.find(|p| p.number == number && p.session == ack.session) {
            Some(piece) => piece.offset = piece.offset.max(offset),
            None => pieces.push(Piece {
                number,
                session: ack.session.clone(),
                offset,
            }),
        }
        Ok(())
    }

    /// Enters a delivery. One that comes unconfirmed after its run's end goes back to the queue at
    /// once, as it would have at the end: nothing can confirm it any more.
    pub fn take(&mut self, run: &RunId, number: u64, shown: Shown<'_>) -> Result<()> {
        let record = self.run(run)?.record.clone();
        let returns = record.ended_at.is_some() && !shown.confirmed;
        self.ledger.push(Entry {
            run: run.clone(),
            number,
            how: shown.how,
            at: shown.at,
            session: shown.session.map(str::to_owned),
            printed: shown.printed.cloned(),
            confirmed: shown.confirmed,
            returned_at: returns.then_some(shown.at),
        });
        let about = |how| About {
            room: &record.room,
            number: Some(number),
            run: Some(run),
            how,
            exit_code: None,
        };
        self.event(shown.at, EventKind::Taken, about(Some(shown.how)));
        if shown.confirmed {
            self.event(shown.at, EventKind::Confirmed, about(None));
        }
        if returns {
            self.event(shown.at, EventKind::Returned, about(None));
        }
        Ok(())
    }
}

/// How a message was shown.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    pub how: How,
    pub at: Timestamp,
    pub session: Option<&'a str>,
    pub printed: Option<&'a Proof>,
    pub confirmed: bool,
}

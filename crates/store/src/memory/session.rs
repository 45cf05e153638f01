use std::collections::BTreeSet;

use room_protocol::{EventKind, How, Proof, RunId, Timestamp};

use super::acknowledge::Shown;
use super::state::{About, State};
use crate::{Result, rules};

impl State {
    pub fn confirm(
        &mut self,
        run: &RunId,
        session: &str,
        proof: &Proof,
        at: Timestamp,
    ) -> Result<u64> {
        let room = self.run(run)?.record.room.clone();
        let mut confirmed = BTreeSet::new();
        for entry in &mut self.ledger {
            let proven = entry.printed.as_ref().is_some_and(|p| proof.confirms(p));
            let stands = !entry.confirmed && entry.returned_at.is_none();
            if entry.run == *run && entry.session.as_deref() == Some(session) && stands && proven {
                entry.confirmed = true;
                confirmed.insert(entry.number);
            }
        }
        for &number in &confirmed {
            let about = About {
                room: &room,
                number: Some(number),
                run: Some(run),
                how: None,
                exit_code: None,
            };
            self.event(at, EventKind::Confirmed, about);
        }
        Ok(confirmed.len() as u64)
    }

    pub fn adopt_session(&mut self, run: &RunId, session: &str, at: Timestamp) -> Result<u64> {
        let record = self.run(run)?.record.clone();
        if record.ended_at.is_some() {
            return Ok(0);
        }
        for entry in &mut self.ledger {
            let stands = !entry.confirmed && entry.returned_at.is_none();
            if entry.run == *run && entry.session.is_none() && stands {
                entry.session = Some(session.to_owned());
            }
        }
        let returned = self.ledger.iter().filter(|e| {
            let stored = &self.messages[&e.number];
            e.returned_at.is_some()
                && e.session.as_deref() == Some(session)
                && stored.message.room == record.room
                && !stored.withdrawn
                && !self.in_ledger(run, e.number)
        });
        let numbers: BTreeSet<u64> = returned.map(|e| e.number).collect();
        let resumed = rules::resumed();
        for &number in &numbers {
            let shown = Shown {
                how: How::Opened,
                at,
                session: Some(session),
                printed: Some(&resumed),
                confirmed: false,
            };
            self.take(run, number, shown)?;
        }
        Ok(numbers.len() as u64)
    }
}

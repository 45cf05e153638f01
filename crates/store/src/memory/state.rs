//! The facts, and the questions that every verb asks of them.

use std::collections::{BTreeMap, BTreeSet};

use room_protocol::{
    Delivery, Event, EventKind, Handle, How, Message, MessageId, Proof, RoomName, RunId, Timestamp,
};

use crate::rules::{self, Facts};
use crate::{NewMessage, Result, RunRecord};

#[derive(Debug, Default)]
pub(super) struct State {
    pub rooms: BTreeMap<RoomName, Timestamp>,
    /// By number.
    pub messages: BTreeMap<u64, Stored>,
    /// In the order in which they opened.
    pub runs: Vec<Run>,
    /// In the order in which the acknowledgements came.
    pub ledger: Vec<Entry>,
    pub events: Vec<Event>,
    pub reserved: u64,
}

#[derive(Debug)]
pub(super) struct Stored {
    pub message: NewMessage,
    pub withdrawn: bool,
}

impl Stored {
    pub fn handle(&self) -> Handle {
        Handle {
            room: self.message.room.clone(),
            number: self.message.number,
        }
    }
}

#[derive(Debug)]
pub(super) struct Run {
    pub record: RunRecord,
    pub floor: u64,
    /// Numbers that were attached to it.
    pub attached: BTreeSet<u64>,
    /// Numbers that were ever in its inbox.
    pub ever: BTreeSet<u64>,
    pub pieces: Vec<Piece>,
}

impl Run {
    pub fn live(&self) -> bool {
        self.record.ended_at.is_none()
    }
}

#[derive(Debug)]
pub(super) struct Piece {
    pub number: u64,
    pub session: Option<String>,
    pub offset: u64,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub run: RunId,
    pub number: u64,
    pub how: How,
    pub at: Timestamp,
    pub session: Option<String>,
    pub printed: Option<Proof>,
    pub confirmed: bool,
    pub returned_at: Option<Timestamp>,
}

impl State {
    pub fn run(&self, id: &RunId) -> Result<&Run> {
        let mut runs = self.runs.iter();
        runs.find(|r| r.record.id == *id)
            .ok_or_else(|| rules::no_run(id))
    }

    pub fn run_mut(&mut self, id: &RunId) -> Result<&mut Run> {
        let mut runs = self.runs.iter_mut();
        runs.find(|r| r.record.id == *id)
            .ok_or_else(|| rules::no_run(id))
    }

    pub fn number_of_id(&self, id: &MessageId) -> Option<u64> {
        let mut all = self.messages.values();
        all.find(|s| s.message.id == *id).map(|s| s.message.number)
    }

    pub fn in_ledger(&self, run: &RunId, number: u64) -> bool {
        let mut ledger = self.ledger.iter();
        ledger.any(|e| e.run == *run && e.number == number)
    }

    /// Whether a delivery of it stands that was not returned.
    pub fn taken(&self, number: u64) -> bool {
        let mut ledger = self.ledger.iter();
        ledger.any(|e| e.number == number && e.returned_at.is_none())
    }

    /// The definition of a run's inbox, held against one message.
    pub fn holds(&self, run: &Run, stored: &Stored) -> bool {
        let message = &stored.message;
        run.live()
            && message.room == run.record.room
            && message.to.as_ref().is_none_or(|to| *to == run.record.id)
            && message.author.run.as_ref() != Some(&run.record.id)
            && !stored.withdrawn
            && (message.number > run.floor || run.attached.contains(&message.number))
            && !self.in_ledger(&run.record.id, message.number)
    }

    /// The numbers that wait for a run.
    pub fn waiting(&self, run: &Run) -> Vec<u64> {
        let all = self.messages.values();
        all.filter(|stored| self.holds(run, stored))
            .map(|stored| stored.message.number)
            .collect()
    }

    /// A message as it goes out. `number` must be in use.
    pub fn view(&self, number: u64) -> Message {
        let stored = &self.messages[&number];
        let mut entries: Vec<&Entry> = self.ledger.iter().filter(|e| e.number == number).collect();
        entries.sort_by_key(|e| e.at);
        let ended = |to: &RunId| self.run(to).is_ok_and(|run| !run.live());
        let facts = Facts {
            withdrawn: stored.withdrawn,
            taken: self.taken(number),
            addressee_ended: stored.message.to.as_ref().is_some_and(ended),
            waits: self.runs.iter().any(|run| self.holds(run, stored)),
        };
        let message = stored.message.clone();
        Message {
            id: message.id,
            room: message.room,
            number,
            handle: stored.handle(),
            author: message.author,
            body: message.body,
            sent_at: message.sent_at,
            to: message.to,
            reply_to: message.reply_to,
            quotes: message.quotes,
            status: rules::status(facts),
            deliveries: entries.into_iter().map(Entry::delivery).collect(),
        }
    }

    pub fn last_cursor(&self) -> u64 {
        self.events.len() as u64
    }

    pub fn event(&mut self, at: Timestamp, kind: EventKind, about: About<'_>) {
        self.events.push(Event {
            cursor: self.events.len() as u64 + 1,
            at,
            kind,
            room: about.room.clone(),
            message: about.number.map(|number| Handle {
                room: about.room.clone(),
                number,
            }),
            run: about.run.cloned(),
            how: about.how,
            exit_code: about.exit_code,
        });
    }
}

/// What an event is about.
pub(super) struct About<'a> {
    pub room: &'a RoomName,
    pub number: Option<u64>,
    pub run: Option<&'a RunId>,
    pub how: Option<How>,
    pub exit_code: Option<i32>,
}

impl Entry {
    fn delivery(&self) -> Delivery {
        Delivery {
            run: self.run.clone(),
            how: self.how,
            at: self.at,
            confirmed: self.confirmed,
            session: self.session.clone(),
            returned_at: self.returned_at,
        }
    }
}

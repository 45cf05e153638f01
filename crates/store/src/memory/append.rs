use room_protocol::{Author, EventKind};

use super::state::{About, State, Stored};
use crate::rules::{self, Said};
use crate::{Appended, NewMessage, Result};

impl State {
    pub fn append_messages(&mut self, messages: Vec<NewMessage>) -> Result<Vec<Appended>> {
        // Everything is looked at before anything is written.
        let mut fresh: Vec<NewMessage> = Vec::new();
        let mut answers = Vec::new();
        for message in messages {
            rules::check_message(&message)?;
            self.room(&message.room)?;
            match self.resent(&fresh, &message)? {
                Some(first) => answers.push((first, false)),
                None => {
                    self.check_unused(&fresh, &message)?;
                    answers.push((message.number, true));
                    fresh.push(message);
                }
            }
        }
        for message in fresh {
            self.write(message);
        }
        let answer = |(number, new): (u64, bool)| match (self.view(number), new) {
            (message, true) => Appended::New(message),
            (message, false) => Appended::Resent(message),
        };
        Ok(answers.into_iter().map(answer).collect())
    }

    /// The number of the message that this one repeats, if its key was used before.
    fn resent(&self, fresh: &[NewMessage], message: &NewMessage) -> Result<Option<u64>> {
        let Some(key) = &message.key else {
            return Ok(None);
        };
        let scope = rules::key_scope(&message.author);
        let stored = self.messages.values().map(|s| &s.message);
        let mut all = stored.chain(fresh);
        let first =
            all.find(|m| m.key.as_ref() == Some(key) && rules::key_scope(&m.author) == scope);
        match first {
            Some(first) if Said::from(first) == Said::from(message) => Ok(Some(first.number)),
            Some(first) => Err(rules::key_used(key, &handle(first))),
            None => Ok(None),
        }
    }

    fn check_unused(&self, fresh: &[NewMessage], message: &NewMessage) -> Result<()> {
        let all = || self.messages.values().map(|s| &s.message).chain(fresh);
        if let Some(other) = all().find(|m| m.id == message.id) {
            return Err(rules::id_used(&message.id, &handle(other)));
        }
        if let Some(other) = all().find(|m| m.number == message.number) {
            return Err(rules::number_used(message.number, &handle(other)));
        }
        Ok(())
    }

    fn write(&mut self, message: NewMessage) {
        let (number, at, room) = (message.number, message.sent_at, message.room.clone());
        self.reserved = self.reserved.max(number);
        let stored = Stored {
            message,
            withdrawn: false,
        };
        self.messages.insert(number, stored);
        for run in &mut self.runs {
            if run.live() && run.record.room == room && number <= run.floor {
                run.attached.insert(number);
            }
        }
        self.note_held(number);
        let about = About {
            room: &room,
            number: Some(number),
            run: None,
            how: None,
            exit_code: None,
        };
        self.event(at, EventKind::Posted, about);
    }

    /// Notes whose inboxes hold a message now.
    fn note_held(&mut self, number: u64) {
        let stored = &self.messages[&number];
        let held = |run| self.holds(run, stored);
        let held: Vec<bool> = self.runs.iter().map(held).collect();
        for (run, held) in self.runs.iter_mut().zip(held) {
            if held {
                run.ever.insert(number);
            }
        }
    }

    pub fn number_of_key(&self, author: &Author, key: &str) -> Option<u64> {
        let scope = rules::key_scope(author);
        let mut all = self.messages.values().map(|s| &s.message);
        all.find(|m| m.key.as_deref() == Some(key) && rules::key_scope(&m.author) == scope)
            .map(|m| m.number)
    }
}

fn handle(message: &NewMessage) -> room_protocol::Handle {
    room_protocol::Handle {
        room: message.room.clone(),
        number: message.number,
    }
}

use room_protocol::{Message, MessageId, RoomName};

use super::state::State;
use crate::{MessageQuery, Page, Result, rules};

impl State {
    pub fn message(&self, room: &RoomName, number: u64) -> Result<Message> {
        match self.messages.get(&number) {
            Some(stored) if stored.message.room == *room => Ok(self.view(number)),
            _ => Err(rules::no_message(&format!("{room}/{number}"))),
        }
    }

    pub fn message_by_id(&self, id: &MessageId) -> Result<Message> {
        let number = self.number_of_id(id);
        number
            .map(|n| self.view(n))
            .ok_or_else(|| rules::no_message(id.as_str()))
    }

    pub fn page(&self, query: &MessageQuery) -> Result<Page> {
        rules::check_limit(query.limit)?;
        let room = self.room(&query.room)?;
        let all = self.messages.values();
        let mut numbers: Vec<u64> = all
            .filter(|s| s.message.room == query.room)
            .map(|s| s.message.number)
            .filter(|n| query.before.is_none_or(|before| *n < before))
            .filter(|n| query.after.is_none_or(|after| *n > after))
            .collect();
        let has_more = numbers.len() > query.limit;
        if query.after.is_some() {
            numbers.truncate(query.limit);
        } else {
            numbers.drain(..numbers.len().saturating_sub(query.limit));
        }
        Ok(Page {
            messages: numbers.into_iter().map(|n| self.view(n)).collect(),
            has_more,
            total: room.messages,
        })
    }
}

use room_protocol::{RoomName, Timestamp};

use super::state::State;
use crate::{Result, RoomRecord, rules};

impl State {
    pub fn create_room(&mut self, name: &RoomName, at: Timestamp) -> Result<(RoomRecord, bool)> {
        let new = !self.rooms.contains_key(name);
        self.rooms.entry(name.clone()).or_insert(at);
        Ok((self.room(name)?, new))
    }

    pub fn room(&self, name: &RoomName) -> Result<RoomRecord> {
        let created_at = *self.rooms.get(name).ok_or_else(|| rules::no_room(name))?;
        let numbers = || {
            let all = self.messages.values();
            all.filter(|s| s.message.room == *name)
                .map(|s| s.message.number)
        };
        Ok(RoomRecord {
            name: name.clone(),
            created_at,
            messages: numbers().count() as u64,
            last_number: numbers().max(),
        })
    }

    pub fn all_rooms(&self) -> Result<Vec<RoomRecord>> {
        self.rooms.keys().map(|name| self.room(name)).collect()
    }
}

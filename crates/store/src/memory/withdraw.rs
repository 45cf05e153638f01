use room_protocol::{EventKind, RoomName, Timestamp};

use super::state::{About, State};
use crate::{Result, Withdrawn};

impl State {
    pub fn withdraw(&mut self, room: &RoomName, number: u64, at: Timestamp) -> Result<Withdrawn> {
        self.message(room, number)?;
        let taken = self.taken(number);
        if let Some(stored) = self.messages.get_mut(&number)
            && !stored.withdrawn
        {
            if taken {
                return Ok(Withdrawn::Taken(self.view(number)));
            }
            stored.withdrawn = true;
            let about = About {
                room,
                number: Some(number),
                run: None,
                how: None,
                exit_code: None,
            };
            self.event(at, EventKind::Withdrawn, about);
        }
        Ok(Withdrawn::Done(self.view(number)))
    }
}

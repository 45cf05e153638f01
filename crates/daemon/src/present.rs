//! The shapes that go over the wire, from records and from memory.

use room_protocol::operator::Room;
use room_protocol::{Run, RunState, Timestamp};
use room_store::{RoomRecord, RunRecord};

use crate::pulse::Pulse;
use crate::registry::{Registry, RunEntry};

/// A live run.
pub fn live_run(run: &RunEntry, unread: u64) -> Run {
    let pulse = run.pulse();
    Run {
        id: run.id.clone(),
        room: run.room.clone(),
        name: run.name.clone(),
        cli: pulse.cli.clone(),
        session: pulse.session.clone(),
        state: pulse.state(Timestamp::now()),
        opened_at: run.opened_at,
        ended_at: None,
        exit_code: None,
        alive_at: pulse.alive_at,
        active_at: pulse.active_at,
        last_tool: pulse.last_tool.clone(),
        unread,
    }
}

/// A run as the store has it.
pub fn stored_run(record: &RunRecord, unread: u64) -> Run {
    let now = Timestamp::now();
    let state = match record.ended_at {
        Some(_) => RunState::Ended,
        None => Pulse::new(record, now).state(now),
    };
    Run {
        id: record.id.clone(),
        room: record.room.clone(),
        name: record.name.clone(),
        cli: record.cli.clone(),
        session: record.session.clone(),
        state,
        opened_at: record.opened_at,
        ended_at: record.ended_at,
        exit_code: record.exit_code,
        alive_at: record.alive_at,
        active_at: record.active_at,
        last_tool: record.last_tool.clone(),
        unread,
    }
}

/// A room.
pub fn room(record: &RoomRecord, registry: &Registry) -> Room {
    let here = registry
        .live()
        .iter()
        .filter(|r| r.room == record.name)
        .count();
    Room {
        name: record.name.clone(),
        created_at: record.created_at,
        messages: record.messages,
        last_number: record.last_number,
        live_runs: u64::try_from(here).unwrap_or(u64::MAX),
    }
}

//! `room rooms`

use room_protocol::Timestamp;
use room_protocol::operator::Rooms;

use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::output::{Cell, Paint};
use crate::view;

/// List rooms
#[derive(Debug, clap::Args)]
pub struct Args {}

pub(super) fn run(_: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let Rooms { rooms } = Operator::connect(ctx)?.get("/v1/rooms")?;
    if ctx.out.json() {
        return rooms.iter().try_for_each(|room| ctx.out.object(room));
    }
    if rooms.is_empty() {
        return ctx.out.line("no rooms yet: room create ROOM makes one");
    }
    let now = Timestamp::now();
    let rows: Vec<Vec<Cell>> = rooms
        .iter()
        .map(|room| {
            vec![
                Cell::painted(Paint::Name, room.name.as_str()),
                room.messages.to_string().into(),
                room.live_runs.to_string().into(),
                view::time(room.created_at, now).into(),
            ]
        })
        .collect();
    ctx.out
        .table(&["ROOM", "MESSAGES", "RUNS", "MADE (UTC)"], &rows)
}

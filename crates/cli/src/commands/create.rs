//! `room create ROOM`

use room_protocol::RoomName;
use room_protocol::operator::{NewRoom, Room};

use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;

/// Make a room
///
/// A room that is there already stays as it is.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The room: 1 to 64 of a-z, 0-9, '.', '_' and '-'
    room: RoomName,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let new = NewRoom {
        name: args.room.clone(),
    };
    let room: Room = Operator::connect(ctx)?.post("/v1/rooms", &new)?;
    ctx.out.either(&room, |room| room.name.to_string())
}

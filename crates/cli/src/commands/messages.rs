//! `room messages ROOM`

use room_protocol::message::MessagePage;
use room_protocol::operator::Runs;
use room_protocol::{Handle, Message, RoomName, Timestamp, frame, limits};

use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::output::{Cell, Paint};
use crate::view::{self, Names};

/// List a room's messages, and who took them
///
/// Oldest first, with how and when they were taken. Consumes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The room
    room: RoomName,

    /// So many messages at most; the newest, where neither --before nor --after says otherwise
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u64).range(1..=limits::PAGE as u64))]
    limit: u64,

    /// Only messages before this one
    #[arg(long, value_name = "HANDLE")]
    before: Option<Handle>,

    /// Only messages after this one, the oldest of them first
    #[arg(long, value_name = "HANDLE")]
    after: Option<Handle>,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let mut path = format!("/v1/rooms/{}/messages?limit={}", args.room, args.limit);
    for (name, handle) in [("before", &args.before), ("after", &args.after)] {
        if let Some(handle) = handle {
            path.push_str(&format!("&{name}={}", in_room(handle, &args.room)?));
        }
    }
    let operator = Operator::connect(ctx)?;
    let page: MessagePage = operator.get(&path)?;
    if ctx.out.json() {
        return page.messages.iter().try_for_each(|m| ctx.out.object(m));
    }
    if page.messages.is_empty() {
        return ctx.out.line(format!("no messages in {}", args.room));
    }
    let Runs { runs } = operator.get(&format!("/v1/runs?room={}", args.room))?;
    print(&page.messages, &Names::of(&runs), ctx)?;
    if page.has_more {
        let shown = page.messages.len();
        let more = format!("{shown} of {} messages", page.total);
        let more = ctx.out.paint(Paint::Faint, &more);
        ctx.out.line(more)?;
    }
    Ok(())
}

/// A handle's number, where it is one of this room's.
fn in_room(handle: &Handle, room: &RoomName) -> Result<u64, Failure> {
    if handle.room == *room {
        Ok(handle.number)
    } else {
        Err(Failure::Usage(format!(
            "{handle} is not a message of {room}"
        )))
    }
}

fn print(messages: &[Message], names: &Names, ctx: &mut Ctx) -> Result<(), Failure> {
    let now = Timestamp::now();
    let rows: Vec<Vec<Cell>> = messages
        .iter()
        .map(|m| {
            vec![
                Cell::painted(Paint::Name, m.handle.to_string()),
                view::status(m.status),
                view::author(&m.author).into(),
                view::time(m.sent_at, now).into(),
                view::deliveries(m, names, now).into(),
                frame::preview(&m.body, view::PREVIEW_CHARS).into(),
            ]
        })
        .collect();
    ctx.out.table(
        &["MESSAGE", "STATUS", "AUTHOR", "SENT (UTC)", "TAKEN BY", ""],
        &rows,
    )
}

//! `room messages ROOM`

use room_protocol::message::MessagePage;
use room_protocol::{Handle, Message, RoomName, Timestamp, frame, limits};

use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::inside::Inside;
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
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true,
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
    let mut window = format!("limit={}", args.limit);
    for (name, handle) in [("before", &args.before), ("after", &args.after)] {
        if let Some(handle) = handle {
            window.push_str(&format!("&{name}={}", in_room(handle, &args.room)?));
        }
    }
    let (page, operator) = page(args, &window, ctx)?;
    if ctx.out.json() {
        return page.messages.iter().try_for_each(|m| ctx.out.object(m));
    }
    if page.messages.is_empty() {
        return ctx.out.line(format!("no messages in {}", args.room));
    }
    let names = match &operator {
        Some(operator) => Names::of_takers(&page.messages, operator)?,
        None => Names::default(),
    };
    print(&page.messages, &names, ctx)?;
    if page.has_more {
        let shown = page.messages.len();
        let more = format!("{shown} of {} messages", page.total);
        let more = ctx.out.paint(Paint::Faint, &more);
        ctx.out.line(more)?;
    }
    Ok(())
}

/// The page, by the operator lane; by the run lane where only that leads to the daemon.
fn page(args: &Args, window: &str, ctx: &Ctx) -> Result<(MessagePage, Option<Operator>), Failure> {
    let inside = Inside::from_env(&ctx.layout)?;
    let unreachable = match Operator::connect(ctx) {
        Ok(operator) => {
            let path = format!("/v1/rooms/{}/messages?{window}", args.room);
            return Ok((operator.get(&path)?, Some(operator)));
        }
        Err(failure) => failure,
    };
    match inside {
        Some(inside) if inside.file().room == args.room => {
            let path = format!("/v1/run/room/messages?{window}");
            let page = inside.client().get(&path);
            Ok((page.map_err(|e| inside.failure(e))?, None))
        }
        _ => Err(unreachable),
    }
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
        &[
            "MESSAGE",
            "STATUS",
            "AUTHOR",
            "SENT (UTC)",
            "TAKEN BY",
            "TEXT",
        ],
        &rows,
    )
}

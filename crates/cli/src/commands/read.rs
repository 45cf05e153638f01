//! `room read ROOM`

use room_protocol::frame::{self, Purpose};
use room_protocol::lane::{Item, Lease};
use room_protocol::message::MessagePage;
use room_protocol::{How, RoomName, limits};

use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::inside::Inside;

/// What the daemon is told that this is for.
const EVENT: &str = "read";
/// How many of a room's newest messages a person is shown.
const NEWEST: usize = 20;

/// Read what is new in a room
///
/// Inside a run (RUN_ID is set): the messages that wait for it, whole, within 8,000 bytes; they count as
/// read. Elsewhere: the room's newest messages, and nothing is consumed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The room
    room: RoomName,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    match Inside::from_env(&ctx.layout)? {
        Some(inside) => {
            inside.expect_room(&args.room)?;
            as_run(&inside, ctx)
        }
        None => as_person(args, ctx),
    }
}

fn as_person(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let path = format!("/v1/rooms/{}/messages?limit={NEWEST}", args.room);
    let page: MessagePage = Operator::connect(ctx)?.get(&path)?;
    if ctx.out.json() {
        return page.messages.iter().try_for_each(|m| ctx.out.object(m));
    }
    if page.messages.is_empty() {
        return ctx.out.line(format!("no messages in {}", args.room));
    }
    for message in &page.messages {
        ctx.out.line(frame::message(message, None))?;
    }
    Ok(())
}

/// What is shown, and what of the inbox that is.
struct Showing {
    lines: Vec<String>,
    items: Vec<Item>,
    introduced: bool,
}

fn as_run(inside: &Inside, ctx: &mut Ctx) -> Result<(), Failure> {
    if !ctx.out.is_read() {
        return Err(Failure::Refused(
            "standard output leads nowhere: nothing was read".to_owned(),
        ));
    }
    let taking = inside.take(limits::CONTEXT_BYTES, false, EVENT)?;
    let lease = &taking.lease;
    let showing = if ctx.out.json() {
        objects(lease, ctx)?
    } else {
        text(lease, inside)
    };
    let Some(showing) = showing else {
        taking.give_back();
        if ctx.out.json() {
            return Ok(());
        }
        return ctx
            .out
            .line(format!("nothing unread in {}", inside.file().room));
    };
    let Showing {
        lines,
        items,
        introduced,
    } = showing;
    taking.show(How::Read, items, introduced, || {
        for line in &lines {
            ctx.out.line(line)?;
        }
        ctx.out.flush()
    })
}

fn text(lease: &Lease, inside: &Inside) -> Option<Showing> {
    let rendered = frame::context(&frame::Context {
        room: &inside.file().room,
        run: Some(&inside.file().run),
        purpose: Purpose::Read,
        introduce: lease.introduce,
        waiting: &lease.messages,
        waiting_total: lease.waiting,
        history: &[],
        history_total: 0,
        budget: limits::CONTEXT_BYTES,
    })?;
    let items = rendered.shown.iter().map(|shown| Item {
        id: shown.id.clone(),
        offset: shown.offset,
    });
    Some(Showing {
        items: items.collect(),
        introduced: rendered.introduced,
        lines: vec![rendered.text],
    })
}

/// Whole messages, as many as the bound of one context takes, and one at least.
fn objects(lease: &Lease, ctx: &Ctx) -> Result<Option<Showing>, Failure> {
    let mut showing = Showing {
        lines: vec![],
        items: vec![],
        introduced: false,
    };
    let mut size = 0;
    for waiting in &lease.messages {
        let line = ctx.out.as_object(&waiting.message)?;
        size += line.len() + 1;
        if size > limits::CONTEXT_BYTES && !showing.lines.is_empty() {
            break;
        }
        showing.lines.push(line);
        showing.items.push(Item {
            id: waiting.message.id.clone(),
            offset: None,
        });
    }
    Ok((!showing.lines.is_empty()).then_some(showing))
}

//! `room show HANDLE`

use room_protocol::{Handle, Message, Timestamp, frame};

use crate::ctx::Ctx;
use crate::daemon::{Operator, message_path};
use crate::failure::Failure;
use crate::output::Paint;
use crate::view::{self, Names};

/// Show one message whole
///
/// With everything known about it. Consumes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The message, such as demo/12
    handle: Handle,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let operator = Operator::connect(ctx)?;
    let message: Message = operator.get(&message_path(&args.handle))?;
    if ctx.out.json() {
        return ctx.out.object(&message);
    }
    let names = Names::of_takers(std::slice::from_ref(&message), &operator)?;
    let now = Timestamp::now();
    ctx.out.line(frame::message(&message, None))?;
    let status = format!("status: {}", message.status);
    let status = ctx.out.paint(Paint::Faint, &status);
    ctx.out.line(status)?;
    for delivery in &message.deliveries {
        let run = names.get(&delivery.run);
        let line = format!("taken by {run}: {}", view::taken(delivery, now));
        let line = ctx.out.paint(Paint::Faint, &line);
        ctx.out.line(line)?;
    }
    Ok(())
}

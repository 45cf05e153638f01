//! `room withdraw HANDLE`

use room_protocol::{Handle, Message};

use crate::ctx::Ctx;
use crate::daemon::{Operator, message_path};
use crate::failure::Failure;

/// Take a message back that nobody was shown yet
///
/// A message that was taken stays (exit code 1).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The message, such as demo/12
    handle: Handle,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let path = format!("{}/withdraw", message_path(&args.handle));
    let message: Message = Operator::connect(ctx)?.post(&path, &serde_json::json!({}))?;
    ctx.out
        .either(&message, |m| format!("{} {}", m.handle, m.status))
}

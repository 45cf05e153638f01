//! `room wait HANDLE`

use std::thread::sleep;
use std::time::{Duration, Instant};

use room_client::Error;
use room_protocol::{Handle, Message, ProblemKind, Status, Timestamp};

use crate::ctx::Ctx;
use crate::daemon::{Operator, is_dying, message_path};
use crate::duration::Length;
use crate::failure::{Failure, REFUSED};
use crate::view::{self, Names};

/// The longest that one question to the daemon waits; a longer wait asks again.
const STEP: Duration = Duration::from_secs(20);
/// What the answer may take longer than the wait that was asked for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Before asking a daemon again that has just gone.
const PAUSE: Duration = Duration::from_millis(50);

/// Wait until a message was taken
///
/// Exit code 0 when it was taken, 1 when it never will be (withdrawn, or its run has ended), 75 when the
/// time is over.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The message, such as demo/12
    handle: Handle,

    /// Wait until it is proven that the model was sent it
    #[arg(long)]
    confirmed: bool,

    /// Wait at most so long, then end with exit code 75: seconds, or with a unit, such as 0.5, 30s,
    /// 5m, 1h; without it as long as it takes
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    timeout: Option<Length>,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let message = settled(args, ctx)?;
    if ctx.out.json() {
        ctx.out.object(&message)?;
    } else {
        let operator = Operator::connect(ctx)?;
        let names = Names::of_takers(std::slice::from_ref(&message), &operator)?;
        let now = Timestamp::now();
        let how = match message.status {
            Status::Taken => view::deliveries(&message, &names, now),
            _ => String::new(),
        };
        let line = format!("{} {} {how}", message.handle, message.status);
        ctx.out.line(line.trim_end())?;
    }
    match message.status {
        Status::Taken => Ok(()),
        _ => Err(Failure::Status(REFUSED)),
    }
}

fn settled(args: &Args, ctx: &Ctx) -> Result<Message, Failure> {
    let operator = Operator::connect(ctx)?;
    let until = args.timeout.as_ref().map(|t| Instant::now() + t.time);
    loop {
        let left = until.map_or(STEP, |u| u.saturating_duration_since(Instant::now()));
        let step = left.min(STEP);
        let path = format!(
            "{}/wait?timeout_ms={}&confirmed={}",
            message_path(&args.handle),
            step.as_millis(),
            args.confirmed
        );
        match operator.get_within(&path, step + PATIENCE) {
            Err(Error::Problem(p)) if p.kind == ProblemKind::Timeout => {}
            Err(error) if is_dying(&error) || error.nobody_listens() => {
                sleep(PAUSE);
                Operator::connect(ctx)?;
                continue;
            }
            answer => return Ok(answer?),
        }
        if left <= STEP
            && let Some(timeout) = &args.timeout
        {
            let what = if args.confirmed { "confirmed" } else { "taken" };
            return Err(Failure::Temporary(format!(
                "{} was not {what} within {}",
                args.handle, timeout.text
            )));
        }
    }
}

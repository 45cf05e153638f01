//! `room end [RUN]`

use room_protocol::RunId;

use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::inside;

/// End a run
///
/// What it was shown and is not confirmed waits for the next run.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run; without it the one that RUN_ID names
    run: Option<RunId>,

    /// How its process ended
    #[arg(long, value_name = "CODE")]
    exit_code: Option<i32>,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let run = match &args.run {
        Some(run) => run.clone(),
        None => inside::run_id().ok_or_else(|| {
            Failure::Usage("which run? Name it, or set RUN_ID (room runs lists them)".to_owned())
        })?,
    };
    let operator = Operator::connect(ctx)?;
    inside::hand_over_outbox(&ctx.layout, &run);
    let run = operator.end_run(&run, args.exit_code)?;
    ctx.out
        .either(&run, |run| format!("{} {}", run.id, run.state))
}

//! `room end [RUN]`

use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::inside::{self, Inside};
use crate::whom;

/// End a run
///
/// What it was shown and is not confirmed waits for the next run. Inside a run only that one can be
/// ended.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run: its id, or the name of a live one; without it the one that RUN_ID names
    run: Option<String>,

    /// How its process ended
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    exit_code: Option<i32>,
}

impl Args {
    /// The run, as it is named.
    pub(super) fn named(&self) -> Option<&str> {
        self.run.as_deref()
    }
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let own = Inside::from_env(&ctx.layout)?.map(|inside| inside.file().run.clone());
    if args.run.is_none() && own.is_none() {
        return Err(Failure::Usage(
            "which run? Name it, or set RUN_ID (room runs lists them)".to_owned(),
        ));
    }
    let operator = Operator::connect(ctx)?;
    // Inside a run nothing but that one was let through.
    let run = match (&own, &args.run) {
        (Some(own), _) => own.clone(),
        (None, named) => whom::find(named.as_deref().unwrap_or_default(), None, &operator)?,
    };
    inside::hand_over_outbox(&ctx.layout, &run);
    let run = operator.end_run(&run, args.exit_code)?;
    ctx.out
        .either(&run, |run| format!("{} {}", run.id, run.state))?;
    if own.is_some() && !ctx.out.json() {
        ctx.out.flush()?;
        crate::note("this shell still names the run that has ended: unset RUN_ID ROOM_HOME");
    }
    Ok(())
}

//! `room daemon [status|stop|run]`

use std::os::unix::process::CommandExt;
use std::process::Command;

use clap::Subcommand;
use room_client::Error;
use room_protocol::Timestamp;
use room_protocol::operator::Health;

use crate::autostart;
use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::{Context, Failure};
use crate::view;

/// Look at, stop or run the daemon
///
/// It is started whenever a verb needs it.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
}

/// What is done with the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub(super) enum Verb {
    /// Say whether it runs; starts nothing (exit code 75 when it does not run)
    Status,
    /// Stop it; what was posted stays
    Stop,
    /// Run it here, in the foreground
    Run,
}

impl Args {
    /// What is asked for.
    pub(super) fn verb(&self) -> Verb {
        self.verb.unwrap_or(Verb::Status)
    }
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    match args.verb() {
        Verb::Status => status(ctx),
        Verb::Stop => stop(ctx),
        Verb::Run => foreground(ctx),
    }
}

fn status(ctx: &mut Ctx) -> Result<(), Failure> {
    let health = Operator::new(&ctx.layout).health()?;
    let socket = ctx.layout.operator_socket();
    ctx.out.either(&health, |h: &Health| {
        let now = Timestamp::now();
        format!(
            "running: version {}, process {}, for {}, live runs {}\nhome {}\nsocket {}\nstore {}",
            h.version,
            h.pid,
            view::ago(now.since(h.started_at)),
            h.live_runs,
            h.home,
            socket.display(),
            h.store
        )
    })
}

fn stop(ctx: &mut Ctx) -> Result<(), Failure> {
    let operator = Operator::new(&ctx.layout);
    let said = match operator.health() {
        Err(error) if error.nobody_listens() => "not running",
        Ok(_) | Err(Error::Problem(_)) => {
            autostart::stop(&operator)?;
            "stopped"
        }
        Err(error) => return Err(error.into()),
    };
    let answer = serde_json::json!({ "daemon": said });
    ctx.out.either(&answer, |_| said.to_owned())
}

fn foreground(ctx: &mut Ctx) -> Result<(), Failure> {
    let own = std::env::current_exe().or_refuse(|| "cannot find my own program".to_owned())?;
    let roomd = autostart::find(&own)?;
    ctx.out.flush()?;
    let error = Command::new(&roomd)
        .env("ROOM_HOME", ctx.layout.home())
        .exec();
    Err(Failure::Refused(format!(
        "cannot start {}: {error}",
        roomd.display()
    )))
}

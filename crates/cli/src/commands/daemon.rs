//! `room daemon [status|stop|run]`

use std::os::unix::process::CommandExt;
use std::process::Command;

use clap::Subcommand;
use room_client::Error;
use room_protocol::Timestamp;
use room_protocol::operator::Health;
use serde::Serialize;

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

/// What `stop --json` prints.
#[derive(Serialize)]
struct Stopped {
    daemon: &'static str,
    /// Runs that go on without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    live_runs: Option<u64>,
}

fn stop(ctx: &mut Ctx) -> Result<(), Failure> {
    let operator = Operator::new(&ctx.layout);
    let live_runs = match operator.health() {
        Err(error) if error.nobody_listens() => {
            let stopped = Stopped {
                daemon: "not running",
                live_runs: None,
            };
            return ctx.out.either(&stopped, |s| s.daemon.to_owned());
        }
        Ok(health) => Some(health.live_runs),
        Err(Error::Problem(_)) => None,
        Err(error) => return Err(error.into()),
    };
    autostart::stop(&operator)?;
    let stopped = Stopped {
        daemon: "stopped",
        live_runs,
    };
    ctx.out.either(&stopped, in_words)
}

fn in_words(stopped: &Stopped) -> String {
    let go_on = match stopped.live_runs {
        None | Some(0) => return stopped.daemon.to_owned(),
        Some(1) => "1 run is live and goes on".to_owned(),
        Some(n) => format!("{n} runs are live and go on"),
    };
    format!(
        "{}; {go_on}: hooks are silent until a daemon is back (the next room command starts one)",
        stopped.daemon
    )
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

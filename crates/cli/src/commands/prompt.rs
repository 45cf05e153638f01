//! `room prompt ROOM`

use std::path::PathBuf;

use room_protocol::message::MessagePage;
use room_protocol::{How, RoomName, RunId, limits};
use serde::Serialize;

use crate::compose::{self, Opening, Parts};
use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::inside::Inside;
use crate::launch::task;

/// Print a room's conversation as an agent's opening text
///
/// For a launcher of your own. With --run, what waits for that run is in it, and what was printed whole
/// counts as shown.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The room
    room: RoomName,

    /// The run that is going to read it
    #[arg(long, value_name = "RUN")]
    run: Option<RunId>,

    /// A file with the task, printed behind the conversation; '-' is standard input
    #[arg(long, value_name = "FILE")]
    task: Option<PathBuf>,
}

impl Args {
    /// The run that is going to read it.
    pub(super) fn run(&self) -> Option<&RunId> {
        self.run.as_ref()
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Composed<'a> {
    text: &'a str,
    shown: Vec<&'a str>,
    more: u64,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let task = args.task.as_deref().map(task::read).transpose()?;
    match &args.run {
        Some(run) => for_run(args, run, task.as_deref(), ctx),
        None => for_anyone(args, task.as_deref(), ctx),
    }
}

fn for_anyone(args: &Args, task: Option<&str>, ctx: &mut Ctx) -> Result<(), Failure> {
    let path = format!("/v1/rooms/{}/messages?limit={}", args.room, limits::PAGE);
    let page: MessagePage = Operator::connect(ctx)?.get(&path)?;
    let opening = compose::opening(&Parts {
        room: &args.room,
        run: None,
        lease: None,
        page: Some(&page),
        task,
        hooks: false,
    })?;
    print(&opening, ctx)
}

fn for_run(args: &Args, run: &RunId, task: Option<&str>, ctx: &mut Ctx) -> Result<(), Failure> {
    // Only so that there is a daemon: all else goes with the run's own credential.
    Operator::connect(ctx)?;
    let inside = Inside::find(&ctx.layout, run)?
        .ok_or_else(|| Failure::Refused(format!("there is no run {run} here")))?;
    inside.expect_room(&args.room)?;
    if !ctx.out.is_read() {
        return Err(Failure::Refused(
            "standard output leads nowhere: nothing was printed".to_owned(),
        ));
    }
    // Whether its launcher wires hooks cannot be known.
    let (taking, opening) = compose::for_run(&inside, task, inside.file().history, false)?;
    let (items, introduced) = (opening.items.clone(), opening.introduced);
    taking.show(How::Opened, items, introduced, || {
        print(&opening, ctx)?;
        ctx.out.flush()
    })
}

fn print(opening: &Opening, ctx: &mut Ctx) -> Result<(), Failure> {
    let composed = Composed {
        text: &opening.text,
        shown: opening.items.iter().map(|i| i.id.as_str()).collect(),
        more: opening.more,
    };
    if !ctx.out.json() && opening.text.is_empty() {
        return Ok(());
    }
    ctx.out.either(&composed, |c| c.text.to_owned())
}

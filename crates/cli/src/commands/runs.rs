//! `room runs [ROOM]`

use room_protocol::operator::Runs;
use room_protocol::{RoomName, Run, Timestamp, frame};

use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::output::{Cell, Paint};
use crate::view;

/// List runs
///
/// Newest first; without --all only those that have not ended.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only runs of this room
    room: Option<RoomName>,

    /// Ended runs too
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let mut query = vec![];
    if let Some(room) = &args.room {
        query.push(format!("room={room}"));
    }
    if !args.all {
        query.push("live=true".to_owned());
    }
    let Runs { runs } = Operator::connect(ctx)?.get(&format!("/v1/runs?{}", query.join("&")))?;
    if ctx.out.json() {
        return runs.iter().try_for_each(|run| ctx.out.object(run));
    }
    if runs.is_empty() {
        return ctx
            .out
            .line(if args.all { "no runs" } else { "no live runs" });
    }
    let now = Timestamp::now();
    let rows: Vec<_> = runs.iter().map(|run| row(run, now)).collect();
    ctx.out.table(
        &[
            "RUN", "ROOM", "NAME", "CLI", "STATE", "ALIVE", "ACTIVE", "TOOL", "UNREAD",
        ],
        &rows,
    )
}

fn row(run: &Run, now: Timestamp) -> Vec<Cell> {
    let state = match run.exit_code {
        Some(code) => Cell::painted(Paint::Faint, format!("{} {code}", run.state)),
        None => view::state(run.state),
    };
    vec![
        Cell::painted(Paint::Name, run.id.as_str()),
        run.room.as_str().into(),
        frame::terminal(run.name.as_str()).into(),
        frame::preview(&run.cli, 16).into(),
        state,
        view::ago(now.since(run.alive_at)).into(),
        view::ago(now.since(run.active_at)).into(),
        run.last_tool
            .as_deref()
            .map_or("-".to_owned(), |tool| frame::preview(tool, 24))
            .into(),
        run.unread.to_string().into(),
    ]
}

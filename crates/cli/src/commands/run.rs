//! `room run ROOM -- CLI ARGS…`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use room_protocol::operator::OpenRun;
use room_protocol::{How, RoomName, Run};

use crate::autostart;
use crate::compose;
use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::inside::{self, Inside};
use crate::launch::alive::Signs;
use crate::launch::child::{self, Launch, Launched};
use crate::launch::program::{self, Program};
use crate::launch::signals::Forwarding;
use crate::launch::{RunOptions, hooks, task};

/// Run an agent CLI in a room
///
/// Terminal, signals and exit code are passed through. Claude Code and Codex are handed the hooks for
/// this launch; any other command only gets RUN_ID and ROOM_HOME, which is said. The command goes on when
/// the daemon does not. Standard output is the command's alone, also with --json; what room run has to say
/// goes to standard error.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The room; made when there is none
    room: RoomName,

    #[command(flatten)]
    options: RunOptions,

    /// A file with the task, handed over on standard input behind the room's conversation (for
    /// claude -p and codex exec)
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<PathBuf>,

    /// The command, such as: claude -p "…"
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Variables by which a CLI shows that it was started by another: a run of its own it is all the same.
const OUTER: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_JOB_DIR",
    "CLAUDE_PID",
    "CODEX_CI",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
    "CODEX_TOOL_CALL_ID",
];

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<ExitCode, Failure> {
    let program = Program::of(&args.command);
    let task = task_of(args, program)?;
    let signals = Forwarding::begin()?;
    let open = OpenRun {
        launched: true,
        // With a task the conversation is in the opening, and the hooks need not bring it again.
        history: args.options.history() && task.is_none(),
        ..args.options.open(&args.room, &program::base(&args.command))
    };
    let operator = Operator::connect(ctx)?;
    if let Some(code) = early(&signals) {
        return Ok(ExitCode::from(code));
    }
    let opened = operator.open_run(&open)?;
    let outcome = launch(args, program, task.as_deref(), &opened.run, &signals, ctx);
    let code = match &outcome {
        Ok(code) => *code,
        Err(failure) => failure.code(),
    };
    end(&opened.run, code, ctx);
    outcome.map(ExitCode::from)
}

fn task_of(args: &Args, program: Program) -> Result<Option<String>, Failure> {
    let Some(path) = &args.prompt_file else {
        return Ok(None);
    };
    if program.is_headless(&args.command) {
        return task::read(path).map(Some);
    }
    Err(Failure::Usage(format!(
        "--prompt-file hands the task over on standard input, which {} reads only without its \
         screen: claude -p, codex exec",
        program::base(&args.command)
    )))
}

/// From the opened run to the command's exit code.
fn launch(
    args: &Args,
    program: Program,
    task: Option<&str>,
    run: &Run,
    signals: &Forwarding,
    ctx: &Ctx,
) -> Result<u8, Failure> {
    let inside = Inside::find(&ctx.layout, &run.id)?
        .ok_or_else(|| Failure::Refused(format!("the daemon made no directory for {}", run.id)))?;
    let dir = inside.dir().path();
    let handed = hooks::with_hooks(program, &args.command, dir)?;
    if let Some(why) = &handed.why_not {
        crate::note(&format!(
            "{why}: messages wait until the run looks with room read {}",
            args.room
        ));
    }
    let start = Start {
        dir,
        command: &handed.command,
        hooks: handed.why_not.is_none(),
        set: &variables(run, ctx),
    };
    if let Some(code) = early(signals) {
        return Ok(code);
    }
    let launched = match task {
        None => start.with(None)?,
        Some(task) => start_with_task(task, args.options.history(), &inside, &start)?,
    };
    signals.to(launched.pid());
    let _alive = Signs::begin(&inside.client());
    launched.wait(signals).map(child::exit_code)
}

/// The exit code of a launcher that was asked to end before it had started anything.
fn early(signals: &Forwarding) -> Option<u8> {
    let signal = signals.early()?;
    Some(128 + u8::try_from(signal).unwrap_or_default())
}

struct Start<'a> {
    dir: &'a Path,
    command: &'a [OsString],
    hooks: bool,
    set: &'a [(&'static str, OsString)],
}

impl Start<'_> {
    fn with(&self, stdin: Option<std::fs::File>) -> Result<Launched, Failure> {
        Launch {
            dir: self.dir,
            command: self.command,
            set: self.set,
            unset: OUTER,
            stdin,
        }
        .spawn()
    }
}

/// Starts the command with conversation and task on its standard input. What the conversation shows
/// whole is acknowledged once the command has started, and only then.
fn start_with_task(
    task: &str,
    history: bool,
    inside: &Inside,
    start: &Start<'_>,
) -> Result<Launched, Failure> {
    let (taking, opening) = compose::for_run(inside, Some(task), history, start.hooks)?;
    let file = task::as_file(&opening.text, start.dir)?;
    let mut launched = None;
    let shown = taking.show(How::Opened, opening.items, opening.introduced, || {
        let child = start.with(Some(file))?;
        let started = child.is_started();
        launched = Some(child);
        // A command that did not start says so itself, and its exit code goes the usual way.
        if started {
            Ok(())
        } else {
            Err(Failure::Closed)
        }
    });
    match launched {
        Some(launched) => Ok(launched),
        None => shown.and(Err(Failure::Refused("nothing was started".to_owned()))),
    }
}

/// What the command is told: its run and its home, and where to find `room` if nothing else does.
fn variables(run: &Run, ctx: &Ctx) -> Vec<(&'static str, OsString)> {
    let mut set = vec![
        ("RUN_ID", run.id.as_str().into()),
        ("ROOM_HOME", ctx.layout.home().into()),
    ];
    set.extend(path_with_room().map(|path| ("PATH", path)));
    set
}

/// `PATH` with our own directory at its end, where no `room` is found in it: the agent is told to
/// answer with `room post`.
fn path_with_room() -> Option<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut dirs: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if dirs.iter().any(|dir| dir.join("room").is_file()) {
        return None;
    }
    dirs.push(std::env::current_exe().ok()?.parent()?.to_owned());
    std::env::join_paths(dirs).ok()
}

/// Hands over what the run still has to say, and ends it. The daemon may have gone meanwhile.
fn end(run: &Run, code: u8, ctx: &Ctx) {
    let ended = autostart::ensure(&ctx.layout).and_then(|operator| {
        inside::hand_over_outbox(&ctx.layout, &run.id);
        operator.end_run(&run.id, Some(code.into()))
    });
    if let Err(failure) = ended {
        crate::note(&format!(
            "the run {} could not be ended, and will show as stale: {}",
            run.id,
            failure.text().unwrap_or_default()
        ));
    }
}

//! The order in which a hook begins: what costs nothing first.
//!
//! Whatever happens, a hook ends with status 0, prints nothing on stderr, and drains its standard
//! input before it ends.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches, Parser};
use room_client::RunDir;
use room_protocol::RunId;
use room_protocol::layout::Layout;
use room_protocol::limits::{AFTER_TOOL_DEADLINE, PAYLOAD_BYTES, TURN_DEADLINE};

use crate::alarm::{self, Deadline};
use crate::dialect;
use crate::job::Job;
use crate::payload::Payload;
use crate::session::{self, Verdict};
use crate::{beat, explain, gate, relay, stdin};

/// Which of the hooks this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// `room-relay`: brings what waits into the agent's context.
    Relay,
    /// `stop-gate`: holds a stop while something is unread.
    Gate,
    /// `heartbeat`: tells that the run lives.
    Beat,
}

/// What the wired command line may say.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
A hook: an agent CLI runs it and writes an event to its standard input. It does nothing without \
RUN_ID in the environment, prints either nothing or one complete JSON answer, prints nothing on \
stderr, and always exits with status 0."
)]
struct Args {
    /// The agent CLI that runs this hook: claude, codex, or plain for the form that most share.
    /// Without it, the CLI is recognised by what it sends
    #[arg(long, value_name = "CLI")]
    cli: Option<String>,
    /// This wiring belongs to one launch; `room doctor` tells it by this from an installed one
    #[arg(long)]
    launch: bool,
    /// Say on stderr, step by step, what would be done and why, and change nothing
    #[arg(long)]
    explain: bool,
}

impl Hook {
    fn name(self) -> &'static str {
        match self {
            Self::Relay => "room-relay",
            Self::Gate => "stop-gate",
            Self::Beat => "heartbeat",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Relay => "Brings a room's waiting messages into a running agent's context",
            Self::Gate => "Holds an agent's stop while messages wait for it",
            Self::Beat => "Tells the room's daemon that a run lives",
        }
    }

    /// The deadline as long as the event is unknown.
    fn deadline(self) -> Duration {
        match self {
            Self::Relay | Self::Beat => AFTER_TOOL_DEADLINE,
            Self::Gate => TURN_DEADLINE,
        }
    }

    fn parse(self) -> Result<Args, clap::Error> {
        let command = Args::command().name(self.name()).about(self.about());
        Args::from_arg_matches(&command.try_get_matches()?)
    }
}

/// Runs a hook.
pub fn run(hook: Hook) -> ExitCode {
    if std::env::args_os().skip(1).any(|arg| is_by_hand(&arg)) {
        by_hand(hook);
    } else {
        let deadline = Deadline::start(hook.deadline());
        if let Some(run) = run_id() {
            alarm::hush();
            quiet_panics();
            work(hook, &run, deadline);
        } else {
            stdin::drain();
        }
    }
    ExitCode::SUCCESS
}

fn run_id() -> Option<RunId> {
    std::env::var_os("RUN_ID")?.to_str()?.parse().ok()
}

fn is_by_hand(arg: &OsStr) -> bool {
    ["--help", "-h", "--version", "-V", "--explain"]
        .iter()
        .any(|known| arg == OsStr::new(known))
}

/// Somebody looks: this answers as a command line does.
fn by_hand(hook: Hook) {
    match hook.parse() {
        Ok(args) => explain::run(hook, args.cli.as_deref()),
        // Printing is all that it is for; nobody is left to tell when it fails.
        Err(answer) => drop(answer.print()),
    }
}

/// The home and, where it was opened here, the run's directory.
pub(crate) fn find(run: &RunId) -> Result<(Layout, RunDir), String> {
    let uid = rustix::process::getuid().as_raw();
    let layout = Layout::from_env(|name| std::env::var_os(name), uid)
        .ok_or("neither ROOM_HOME nor XDG_STATE_HOME nor HOME is an absolute path")?;
    let dir = RunDir::open(&layout.run_dir(run)).map_err(|e| e.to_string())?;
    Ok((layout, dir))
}

/// Puts together what a hook knows; an error says why it is inert.
pub(crate) fn job(
    (layout, dir): (Layout, RunDir),
    run: &RunId,
    cli: Option<&str>,
    payload: Payload,
    deadline: Deadline,
) -> Result<Job, String> {
    let file = dir.run_file().map_err(|e| e.to_string())?;
    if file.run != *run {
        return Err(format!("its run.json is that of {}", file.run));
    }
    let dialect = dialect::choose(cli, &payload, &Job::var);
    let moment = dialect.moment(&payload);
    Ok(Job {
        deadline,
        dir,
        run: file,
        socket: layout.lane_socket(),
        payload,
        dialect,
        moment,
        room_interval: Job::var("ROOM_INTERVAL").map(|v| v.to_string_lossy().into_owned()),
    })
}

fn work(hook: Hook, run: &RunId, deadline: Deadline) {
    let Ok((layout, dir)) = find(run) else {
        return stdin::drain();
    };
    PANIC_LOG.get_or_init(|| dir.path().to_owned());
    let bytes = stdin::read(PAYLOAD_BYTES);
    let payload = Payload::read(&bytes);
    let args = match hook.parse() {
        Ok(args) => args,
        Err(e) => return dir.log(&format!("{}: bad arguments: {e}", hook.name())),
    };
    if !payload.is_object {
        return dir.log(&format!("{}: standard input has no event", hook.name()));
    }
    let found = (layout, dir);
    let Ok(mut job) = job(found, run, args.cli.as_deref(), payload, deadline) else {
        return;
    };
    if hook == Hook::Relay && job.moment.takes_context() && !job.moment.is_after_tool() {
        job.deadline.set(TURN_DEADLINE);
    }
    // A session that is not the run's is not worth a line: a nested agent may make many calls.
    let seen = session::see(&job.dir, &job.run, job.dialect, &job.payload, &Job::var);
    let Ok(seen) = seen else { return };
    if let Verdict::Foreign(_) = seen.verdict(session::bound(&job.dir).as_ref()) {
        return;
    }
    match hook {
        Hook::Relay => relay::run(&job, &seen),
        Hook::Gate => gate::run(&job, &seen),
        Hook::Beat => beat::run(&job, &seen),
    }
}

/// Where a panic is logged.
static PANIC_LOG: OnceLock<PathBuf> = OnceLock::new();

/// A panic is a line in the run's log and status 0: an agent CLI takes anything else for a failure,
/// or for a block.
fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| {
        if let Some(dir) = PANIC_LOG.get().and_then(|path| RunDir::open(path).ok()) {
            dir.log(&format!("a fault of the hook itself: {panic}"));
        }
        alarm::quit()
    }));
}

//! Handing the hooks to the CLI that is about to be started.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use room_protocol::layout::run_files;

use super::program::{self, Program};
use crate::failure::{Context, Failure};
use crate::wiring::binaries::Binaries;
use crate::wiring::claude_obstacles::{SAFE_MODE, obstacles};
use crate::wiring::places::Places;
use crate::wiring::plan::{AgentCli, Features, Hook, Version};
use crate::wiring::probe::{self, Ran};
use crate::wiring::{launch_claude, launch_codex};

/// The plugin's directory within the run's.
const PLUGIN_DIR: &str = "plugin";
/// How long a CLI may take to say its version.
const VERSION_WITHIN: Duration = Duration::from_secs(5);

/// A command line, and why no hooks are handed over with it, where that is so.
pub struct Handed {
    /// The command.
    pub command: Vec<OsString>,
    /// Why it is as the user wrote it.
    pub why_not: Option<String>,
}

/// The command with the hooks handed over: our arguments go before the user's, which stay as they
/// are.
///
/// # Errors
/// When the plugin cannot be written.
pub fn with_hooks(
    program: Program,
    command: &[OsString],
    run_dir: &Path,
) -> Result<Handed, Failure> {
    let without = |why: &str| Handed {
        command: command.to_vec(),
        why_not: Some(why.to_owned()),
    };
    let cli = match program {
        Program::Claude => AgentCli::Claude,
        Program::Codex => AgentCli::Codex,
        Program::Other => {
            return Ok(without(&format!(
                "no hooks are handed to {}, only to a command that is claude or codex itself",
                program::base(command)
            )));
        }
    };
    let binaries = match find() {
        Ok(binaries) => binaries,
        Err(failure) => return Ok(without(failure.text().unwrap_or_default())),
    };
    let ours = match cli {
        AgentCli::Claude => {
            say_obstacles(&command[1..]);
            let features = Features::of(cli, version(&command[0]));
            launch_claude::arguments(&run_dir.join(PLUGIN_DIR), features, &binaries)
                .or_refuse(|| "cannot hand the hooks to Claude Code".to_owned())?
        }
        AgentCli::Codex => {
            let launch = launch_codex::arguments(&binaries, &command[1..]);
            for warning in &launch.warnings {
                crate::note(&warning.to_string());
            }
            // Codex's sandbox lets a tool's command neither connect to a socket nor write into the
            // home; its hooks run outside of it (seen with 0.171.0). Ignored where nothing is writable.
            let outbox = run_dir.join(run_files::OUTBOX);
            [vec!["--add-dir".into(), outbox.into()], launch.args].concat()
        }
    };
    let mut all = vec![command[0].clone()];
    all.extend(ours);
    all.extend_from_slice(&command[1..]);
    Ok(Handed {
        command: all,
        why_not: None,
    })
}

/// Says what will keep Claude Code from running the hooks.
fn say_obstacles(user_args: &[OsString]) {
    let project = std::env::current_dir().unwrap_or_default();
    let safe_mode = std::env::var_os(SAFE_MODE).is_some_and(|value| !value.is_empty());
    if let Some(places) = Places::new(|name| std::env::var_os(name), &project) {
        for obstacle in obstacles(user_args, safe_mode, &places) {
            crate::note(&obstacle.to_string());
        }
    }
}

/// The hooks, beside our own program, else in `PATH`.
///
/// # Errors
/// When they are in neither, or where no configuration can name them.
pub fn find() -> Result<Binaries, Failure> {
    let own = std::env::current_exe().or_refuse(|| "cannot find my own program".to_owned())?;
    let complete = |dir: &PathBuf| Hook::ALL.iter().all(|h| dir.join(h.binary()).is_file());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dir = own
        .parent()
        .map(Path::to_owned)
        .into_iter()
        .chain(std::env::split_paths(&path))
        .filter(|dir| dir.is_absolute())
        .find(complete)
        .ok_or_else(|| {
            Failure::Refused(format!(
                "the hooks (room-relay, stop-gate, heartbeat) are neither beside {} nor in PATH",
                own.display()
            ))
        })?;
    Binaries::in_dir(&dir).or_refuse(|| "cannot hand over the hooks".to_owned())
}

/// The version that a CLI says it has; `None` where it does not say so in time.
pub fn version(program: &OsStr) -> Option<Version> {
    match probe::run(Command::new(program).arg("--version"), VERSION_WITHIN) {
        Ran::Ended { output, .. } => output.parse().ok(),
        Ran::TimedOut | Ran::NotStarted(_) => None,
    }
}

//! Running somebody's program to learn one thing, never for long.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde::Serialize;

/// Bytes of output that are kept.
const MAX_OUTPUT: u64 = 64 * 1024;
/// How long an output that outlives its program is waited for.
const GRACE: Duration = Duration::from_millis(200);

/// What came of running a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ran {
    /// It ended.
    Ended {
        /// It said that all went well.
        ok: bool,
        /// What it printed.
        output: String,
        /// How long it took, in milliseconds.
        millis: u64,
    },
    /// It was still running at the limit, and was ended with all that it had started.
    TimedOut,
    /// It could not be started.
    NotStarted(String),
}

/// Runs a program with nothing on its standard input, for at most `limit`.
pub fn run(command: &mut Command, limit: Duration) -> Ran {
    let start = Instant::now();
    let spawned = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return Ran::NotStarted(error.to_string()),
    };
    let output = read_beside(&mut child);
    let ok = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if start.elapsed() < limit => thread::sleep(Duration::from_millis(1)),
            Ok(None) => {
                end_group(&mut child);
                return Ran::TimedOut;
            }
            Err(error) => return Ran::NotStarted(error.to_string()),
        }
    };
    let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let output = output.recv_timeout(GRACE).unwrap_or_default();
    Ran::Ended {
        ok,
        output: String::from_utf8_lossy(&output).into_owned(),
        millis,
    }
}

fn read_beside(child: &mut Child) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // What was read until an error is still worth having.
            let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        });
    }
    receiver
}

/// The child is unreaped, so the group's number is still its own.
fn end_group(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

/// Whether a file is there, and may be run.
pub fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The program that a name means: as a path, or along `search` (a `PATH`).
pub fn find_program(name: &Path, search: &OsStr) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return is_executable(name).then(|| name.to_owned());
    }
    std::env::split_paths(search)
        .map(|dir| dir.join(name))
        .find(|path| is_executable(path))
}

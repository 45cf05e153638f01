//! Child processes that are always bounded in time, and never left behind.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal};

/// How often a condition that is waited for is looked at.
const POLL: Duration = Duration::from_millis(20);

/// Waits until `ready` gives a value, at most `limit`.
///
/// # Errors
/// When the time is over (the message names `what`), or when `ready` fails.
pub fn wait_for<T>(
    what: &str,
    limit: Duration,
    mut ready: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(value) = ready()? {
            return Ok(value);
        }
        if Instant::now() >= end {
            bail!("waited {limit:?} in vain for {what}");
        }
        thread::sleep(POLL);
    }
}

/// What a finished process left.
#[derive(Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Outcome {
    /// The exit code; a process that a signal ended has 128 and the signal.
    pub fn code(&self) -> i32 {
        use std::os::unix::process::ExitStatusExt as _;
        let signal = || 128 + self.status.signal().unwrap_or_default();
        self.status.code().unwrap_or_else(signal)
    }

    /// The outcome, if the process ended well.
    pub fn success(self) -> Result<Self> {
        if self.status.success() {
            return Ok(self);
        }
        bail!(
            "ended with {}\nstdout: {}\nstderr: {}",
            self.status,
            tail(&self.stdout),
            tail(&self.stderr)
        )
    }
}

fn tail(text: &str) -> &str {
    let mut start = text.len().saturating_sub(2000);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text[start..].trim_end()
}

/// A process in a group of its own, with its output in files.
pub struct Running {
    child: Child,
    name: String,
    stdout: PathBuf,
    stderr: PathBuf,
    started: Instant,
    limit: Duration,
}

impl Running {
    /// Starts `command` with its output in `<logs>/<name>.stdout` and `.stderr`.
    pub fn start(mut command: Command, logs: &Path, name: &str, limit: Duration) -> Result<Self> {
        let stdout = logs.join(format!("{name}.stdout"));
        let stderr = logs.join(format!("{name}.stderr"));
        command
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?)
            .process_group(0);
        let program = command.get_program().to_owned();
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        Ok(Self {
            child,
            name: name.to_owned(),
            stdout,
            stderr,
            started: Instant::now(),
            limit,
        })
    }

    /// Waits for the end, at most the limit that was given at the start; then the
    /// whole group is killed.
    pub fn wait(mut self) -> Result<Outcome> {
        let left = self.limit.saturating_sub(self.started.elapsed());
        let what = format!("the end of {}", self.name);
        let ended = wait_for(&what, left, || Ok(self.child.try_wait()?));
        let took = self.started.elapsed();
        let status = match ended {
            Ok(status) => status,
            Err(late) => {
                self.kill_group();
                self.child.wait()?;
                let stderr = fs::read(&self.stderr).unwrap_or_default();
                let stderr = String::from_utf8_lossy(&stderr);
                return Err(late.context(format!("stderr: {}", tail(&stderr))));
            }
        };
        let read = |path: &Path| -> Result<String> {
            Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
        };
        Ok(Outcome {
            status,
            stdout: read(&self.stdout)?,
            stderr: read(&self.stderr)?,
            took,
        })
    }

    fn kill_group(&self) {
        if let Some(pid) = pid_of(self.child.id()) {
            // Gone already is as good as killed.
            let _gone = rustix::process::kill_process_group(pid, Signal::KILL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.kill_group();
            let _reaped = self.child.wait();
        }
    }
}

/// Runs a short command to its end, with its input from nowhere or from `input`.
pub fn run(mut command: Command, input: Option<&[u8]>, limit: Duration) -> Result<Outcome> {
    let logs = tempfile::tempdir()?;
    match input {
        None => command.stdin(Stdio::null()),
        Some(bytes) => {
            let path = logs.path().join("stdin");
            fs::write(&path, bytes)?;
            command.stdin(File::open(path)?)
        }
    };
    let name = command.get_program().to_string_lossy();
    let name = name.rsplit('/').next().unwrap_or("command").to_owned();
    Running::start(command, logs.path(), &name, limit)?.wait()
}

/// Sends a signal to a process by its id. `false` when there is none.
pub fn signal(pid: u32, signal: Signal) -> bool {
    pid_of(pid).is_some_and(|pid| rustix::process::kill_process(pid, signal).is_ok())
}

fn pid_of(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

/// The live processes whose environment holds `entry` (`NAME=value`).
pub fn with_environment(entry: &str) -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    processes
        .filter_map(|process| {
            let process = process.ok()?;
            let pid = process.file_name().to_str()?.parse::<u32>().ok()?;
            let environ = fs::read(process.path().join("environ")).ok()?;
            let mut entries = environ.split(|byte| *byte == 0);
            entries.any(|e| e == entry.as_bytes()).then_some(pid)
        })
        .collect()
}

/// Those of them whose program is called `name`.
pub fn named_with_environment(name: &str, entry: &str) -> Vec<u32> {
    let is_named = |pid: &u32| {
        let program = fs::read_link(format!("/proc/{pid}/exe"));
        program.is_ok_and(|path| {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            // So the kernel names a program that was replaced meanwhile.
            file.strip_suffix(" (deleted)").unwrap_or(&file) == name
        })
    };
    let mut pids = with_environment(entry);
    pids.retain(is_named);
    pids
}

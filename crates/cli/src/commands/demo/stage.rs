//! A private home with its own daemon, and this very program in it.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use room_protocol::RunId;
use room_protocol::layout::Layout;
use room_protocol::operator::OpenRun;
use room_protocol::runfile::GitPolicy;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use tempfile::TempDir;

use crate::autostart;
use crate::daemon::Operator;
use crate::failure::{Context, Failure};

/// No program of the demonstration takes longer.
const WITHIN: Duration = Duration::from_secs(20);
/// The interval of the demonstration's run: none, so that nobody has to wait for a tool call.
const INTERVAL_MS: u64 = 0;

/// The stage. Cleared away by [`Stage::clear`], and by a signal.
pub(super) struct Stage {
    dir: Arc<TempDir>,
    layout: Layout,
    operator: Operator,
    signals: Handle,
}

impl Stage {
    /// Sets it: a directory of our own, and a daemon in it.
    pub(super) fn set() -> Result<Self, Failure> {
        let dir = tempfile::Builder::new()
            .prefix("agent-room-demo-")
            .tempdir()
            .or_refuse(|| "cannot make a directory for the demonstration".to_owned())?;
        let uid = rustix::process::getuid().as_raw();
        let layout = Layout::new(dir.path().join("home"), uid);
        let dir = Arc::new(dir);
        let signals = clear_on_signal(Arc::clone(&dir), &layout)?;
        let operator = autostart::ensure(&layout)?;
        Ok(Self {
            dir,
            layout,
            operator,
            signals,
        })
    }

    pub(super) fn description(&self) -> Result<String, Failure> {
        let health = self.operator.health()?;
        Ok(format!(
            "a private daemon (process {}, {}) serves {}",
            health.pid, health.store, health.home
        ))
    }

    pub(super) fn open_run(&self, room: &str) -> Result<RunId, Failure> {
        let open = OpenRun {
            room: room.parse().or_refuse(|| "the room".to_owned())?,
            name: None,
            cli: "claude".to_owned(),
            git: GitPolicy::Off,
            history: true,
            interval_ms: Some(INTERVAL_MS),
            launched: false,
        };
        let opened = self.operator.open_run(&open)?;
        Ok(opened.run.id)
    }

    pub(super) fn end_run(&self, run: &RunId) -> Result<(), Failure> {
        self.operator.end_run(run, Some(0)).map(drop)
    }

    /// What `room` prints, run in this home as a person.
    pub(super) fn room(&self, args: &[&str]) -> Result<String, Failure> {
        let own = std::env::current_exe().or_refuse(|| "cannot find my own program".to_owned())?;
        let mut command = Command::new(own);
        command.args(args);
        // It may remark something on standard error.
        let (printed, _) = self.ran(command, "")?;
        Ok(printed.trim_end().to_owned())
    }

    /// What a hook prints, in this home and an environment of its own. It must say nothing on
    /// standard error.
    pub(super) fn output(&self, command: Command, stdin: &str) -> Result<String, Failure> {
        let name = name(&command);
        let (out, err) = self.ran(command, stdin)?;
        if err.is_empty() {
            Ok(out)
        } else {
            Err(Failure::Refused(format!("{name} failed: {err}{out}")))
        }
    }

    /// What a program that succeeds prints, and what it says on standard error.
    fn ran(&self, mut command: Command, stdin: &str) -> Result<(String, String), Failure> {
        let name = name(&command);
        let set = variables(&command);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path())
            .env("ROOM_HOME", self.layout.home())
            .envs(set)
            .current_dir(self.dir.path());
        let (ok, out, err) = finished(command, stdin).or_refuse(|| name.clone())?;
        if ok {
            Ok((out, err))
        } else {
            Err(Failure::Refused(format!("{name} failed: {err}{out}")))
        }
    }

    /// Stops the daemon and removes the directory.
    pub(super) fn clear(self) -> Result<(), Failure> {
        self.signals.close();
        let stopped = autostart::stop(&self.operator);
        let path = self.dir.path().to_owned();
        let removed = std::fs::remove_dir_all(&path).or_refuse(|| path.display().to_string());
        stopped.and(removed)
    }
}

/// A program's base name.
fn name(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name();
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// What the caller has set, which clearing the environment would take away.
fn variables(command: &Command) -> Vec<(OsString, OsString)> {
    command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect()
}

/// Whether a program succeeded, and what it printed; ended when it takes too long.
fn finished(mut command: Command, stdin: &str) -> std::io::Result<(bool, String, String)> {
    use std::io::Write;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut to) = child.stdin.take() {
        to.write_all(stdin.as_bytes())?;
    }
    let until = Instant::now() + WITHIN;
    // What these programs print fits a pipe, so they end without being read.
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > until {
            child.kill()?;
            child.wait()?;
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let (mut out, mut err) = (String::new(), String::new());
    if let Some(mut from) = child.stdout.take() {
        from.read_to_string(&mut out)?;
    }
    if let Some(mut from) = child.stderr.take() {
        from.read_to_string(&mut err)?;
    }
    Ok((status.success(), out, err))
}

/// A demonstration that is interrupted leaves nothing behind either.
#[allow(clippy::exit)] // nothing else can end the story from here
fn clear_on_signal(dir: Arc<TempDir>, layout: &Layout) -> Result<Handle, Failure> {
    let what = || "cannot catch signals".to_owned();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).or_refuse(what)?;
    let handle = signals.handle();
    let operator = Operator::new(layout);
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // What cannot be cleared away now cannot be later.
                let _ = autostart::stop(&operator);
                let _ = std::fs::remove_dir_all(dir.path());
                std::process::exit(128 + signal);
            }
        })
        .or_refuse(what)?;
    Ok(handle)
}

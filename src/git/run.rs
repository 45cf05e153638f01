//! One git command, bounded in time and output.

use std::borrow::Cow;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::leash::Leash;
use super::program::Program;
use super::shadow::Env;

/// What is read of an answer, in bytes.
const OUTPUT_BYTES: usize = 256 * 1024;
/// How often a git that closed its output is looked at.
const LOOK: Duration = Duration::from_micros(200);

/// Switched off for every question, whatever the user's configuration says.
const OVERRIDES: &[&str] = &[
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "submodule.recurse=false",
];

/// How git is asked, and how long.
pub(super) struct Git<'a> {
    program: &'a Program,
    leash: &'a Leash,
    until: Instant,
    /// Where it looks.
    pub(super) env: Option<Env>,
}

/// What a command printed.
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    /// All of it was read.
    pub(super) complete: bool,
}

impl Output {
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

impl<'a> Git<'a> {
    pub(super) fn new(program: &'a Program, leash: &'a Leash, until: Instant) -> Self {
        Self {
            program,
            leash,
            until,
            env: None,
        }
    }

    /// Runs a command to its end; neither it nor what it started is left afterwards. An error says
    /// why there is no answer.
    pub(super) fn run(&self, args: &[&str], stdin: Stdio) -> Result<Output, String> {
        if self.leash.is_cut() || self.left().is_zero() {
            return Err("it took too long".to_owned());
        }
        let mut command = Command::new(&self.program.git);
        command
            .args(OVERRIDES)
            .args(args)
            .stdin(stdin)
            // Never the hook's own: an agent CLI waits for everybody who holds it.
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Nothing is found in the directory that a program happens to run in.
            .current_dir("/")
            .process_group(0);
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"GIT_") {
                command.env_remove(name);
            }
        }
        command
            .env("PATH", &self.program.path)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("LC_ALL", "C");
        for (name, value) in self.env.iter().flatten() {
            command.env(name, value);
        }
        dies_with_us(&mut command);
        let mut child = command.spawn().map_err(|e| format!("git: {e}"))?;
        let pid = Pid::from_child(&child);
        let wanted = self.leash.hold(pid);
        let output = if wanted {
            self.read(&mut child)
        } else {
            Err("it took too long".to_owned())
        };
        if matches!(output, Ok(Output { complete: true, .. })) {
            self.await_end(pid);
        }
        self.leash.kill();
        let status = child.wait().map_err(|e| format!("git: {e}"))?;
        let output = output?;
        if output.complete && !status.success() {
            return Err(format!("git {} failed, {status}", args[0]));
        }
        Ok(output)
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Waits until it has ended by itself, and does not reap it.
    fn await_end(&self, pid: Pid) {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(pid), look), Ok(None)) && !self.left().is_zero() {
            let _ = poll(&mut [], Some(&timespec(LOOK)));
        }
    }

    fn read(&self, child: &mut Child) -> Result<Output, String> {
        let mut stdout = child.stdout.take().ok_or("git has no output")?;
        let mut bytes = Vec::new();
        let mut chunk = [0; 4096];
        let complete = loop {
            if bytes.len() >= OUTPUT_BYTES {
                break false;
            }
            let left = self.left();
            let mut fds = [PollFd::new(&stdout, PollFlags::IN)];
            match poll(&mut fds, Some(&timespec(left))) {
                Ok(0) => return Err("it took too long".to_owned()),
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(e) => return Err(e.to_string()),
            }
            match stdout.read(&mut chunk) {
                Ok(0) => break true,
                Ok(n) => bytes.extend_from_slice(&chunk[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e.to_string()),
            }
        };
        Ok(Output { bytes, complete })
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: time.as_secs().cast_signed(),
        tv_nsec: time.subsec_nanos().into(),
    }
}

/// The hook itself may be killed, or leave on its alarm: then the kernel ends git.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn dies_with_us(command: &mut Command) {
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
    let hook = getpid();
    // SAFETY: between fork and exec the closure makes two system calls, neither allocates nor locks.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // It may have been gone before.
            if getppid() == Some(hook) {
                Ok(())
            } else {
                Err(rustix::io::Errno::CHILD.into())
            }
        });
    }
}

#[cfg(not(target_os = "linux"))]
fn dies_with_us(_command: &mut Command) {}

//! One git command, bounded in time and output.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// What is read of an answer, in bytes.
const OUTPUT_BYTES: usize = 256 * 1024;

/// Switched off for every question, whatever the configuration says.
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

/// Where git is asked, and how long.
pub(super) struct Git<'a> {
    pub(super) cwd: Option<&'a Path>,
    pub(super) until: Instant,
}

/// What a command printed.
pub(super) struct Output {
    pub(super) text: String,
    /// All of it was read.
    pub(super) complete: bool,
}

impl Git<'_> {
    /// Runs a command to its end. An error says why there is no answer; a repository that is none is
    /// one of the reasons.
    pub(super) fn run(&self, args: &[&str]) -> Result<Output, String> {
        let mut command = Command::new("git");
        command
            .args(OVERRIDES)
            .args(args)
            .stdin(Stdio::null())
            // Never the hook's own: an agent CLI waits for everybody who holds it.
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"GIT_") {
                command.env_remove(name);
            }
        }
        command
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("LC_ALL", "C");
        if let Some(cwd) = self.cwd {
            command.current_dir(cwd);
        }
        let mut child = command.spawn().map_err(|e| format!("git: {e}"))?;
        let read = self.read(&mut child);
        if !matches!(read, Ok(Output { complete: true, .. })) {
            let _ = child.kill();
        }
        let status = child.wait().map_err(|e| format!("git: {e}"))?;
        let output = read?;
        if output.complete && !status.success() {
            return Err(format!("git {} failed, {status}", args[0]));
        }
        Ok(output)
    }

    fn read(&self, child: &mut Child) -> Result<Output, String> {
        let mut stdout = child.stdout.take().ok_or("git has no output")?;
        let mut bytes = Vec::new();
        let mut chunk = [0; 4096];
        let complete = loop {
            if bytes.len() >= OUTPUT_BYTES {
                break false;
            }
            let left = self.until.saturating_duration_since(Instant::now());
            let timeout = Timespec {
                tv_sec: 0,
                tv_nsec: i64::from(left.subsec_nanos()),
            };
            let mut fds = [PollFd::new(&stdout, PollFlags::IN)];
            match poll(&mut fds, Some(&timeout)) {
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
        Ok(Output {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            complete,
        })
    }
}

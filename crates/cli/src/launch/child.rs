//! The launched process: a stub of ours that notes its own process id in the run's directory and
//! then becomes the command, so that the id is that of the agent CLI.
//!
//! Whether the command was really started shows in the lock that the stub holds on `process.json`:
//! the kernel lets go of it at the moment when the stub becomes the command, or ends. A stub that
//! could not become it has written so into the file first.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use fs2::FileExt;
use room_protocol::layout::run_files;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, waitid};
use serde::{Deserialize, Serialize};

use super::signals::{Forwarding, in_foreground};
use crate::failure::{Context, Failure};

/// How often the launcher looks for the stub's file.
const LOOK: Duration = Duration::from_millis(2);
/// What of the stub's file is read, in bytes.
const NOTE_BYTES: u64 = 4_096;

/// `process.json` as the stub writes it: [`room_protocol::runfile::ProcessFile`], and why the
/// command could not be started.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Note {
    /// The process id.
    pub pid: u32,
    /// When the process started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ticks: Option<u64>,
    /// Why the command was not started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// What to start.
pub struct Launch<'a> {
    /// The run's directory.
    pub dir: &'a Path,
    /// The program and its arguments.
    pub command: &'a [OsString],
    /// Variables that are set.
    pub set: &'a [(&'static str, OsString)],
    /// Variables that are taken out.
    pub unset: &'a [&'static str],
    /// Standard input, where it is not ours.
    pub stdin: Option<File>,
}

/// A started process.
pub struct Launched {
    child: Child,
    note: PathBuf,
}

impl Launch<'_> {
    /// Starts the stub, in our process group and on our terminal.
    ///
    /// # Errors
    /// When the kernel refuses a process. That the command cannot be started is told by
    /// [`Launched::is_started`].
    pub fn spawn(self) -> Result<Launched, Failure> {
        let own = std::env::current_exe().or_refuse(|| "cannot find my own program".to_owned())?;
        let note = self.dir.join(run_files::PROCESS);
        let mut command = Command::new(own);
        command
            .arg0("room")
            .arg("exec-child")
            .arg(self.dir)
            .arg("--")
            .args(self.command);
        self.unset.iter().for_each(|name| {
            command.env_remove(name);
        });
        command.envs(self.set.iter().map(|(name, value)| (name, value)));
        if let Some(file) = self.stdin {
            command.stdin(Stdio::from(file));
        }
        let child = command
            .spawn()
            .or_refuse(|| "cannot start a process".to_owned())?;
        Ok(Launched { child, note })
    }
}

impl Launched {
    /// Its process id.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits until the stub has become the command (`true`) or has failed to (`false`).
    pub fn is_started(&self) -> bool {
        loop {
            // Asked first: a command may come and go between two looks, and its file stays.
            let over = self.is_over();
            match File::open(&self.note) {
                Ok(file) => return became_command(file),
                Err(e) if e.kind() == ErrorKind::NotFound && !over => std::thread::sleep(LOOK),
                Err(_) => return false,
            }
        }
    }

    fn is_over(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(self.pid()), options), Ok(None))
    }

    /// Waits for the process's end, whatever it is stopped and continued for meanwhile.
    ///
    /// # Errors
    /// When there is no such child, which cannot be.
    pub fn wait(mut self, signals: &Forwarding) -> Result<ExitStatus, Failure> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.pid()), options) {
                Ok(Some(status)) if status.stopped() => stop_too(self.pid()),
                Err(rustix::io::Errno::INTR) => {}
                _ => break,
            }
        }
        signals.to_nobody();
        self.child
            .wait()
            .or_refuse(|| "cannot wait for the command".to_owned())
    }
}

/// The shell's way of an exit code: 128 and the signal's number where a signal ended the process.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok())
        .unwrap_or(u8::MAX)
}

fn became_command(mut file: File) -> bool {
    // Blocks until the stub's own lock is gone.
    if FileExt::lock_shared(&file).is_err() {
        return false;
    }
    let mut text = String::new();
    let read = file.by_ref().take(NOTE_BYTES).read_to_string(&mut text);
    read.is_ok() && serde_json::from_str::<Note>(&text).is_ok_and(|note| note.failed.is_none())
}

/// The child has stopped, as by Ctrl-Z: so do we, or the shell would not get its terminal back. When
/// we are continued, so is the child.
fn stop_too(child: Pid) {
    let stopped = || {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        matches!(waitid(WaitId::Pid(child), options), Ok(Some(s)) if s.stopped())
    };
    // Where the whole job was stopped and has been continued by now, the child's turn comes in a moment.
    std::thread::sleep(Duration::from_millis(20));
    if stopped() && in_foreground() {
        // Cannot fail: we are alive, and may signal ourselves.
        let _ = kill_process(getpid(), Signal::STOP);
        let _ = kill_process(child, Signal::CONT);
    }
    // Takes the stop out of what is waited for; it may be over already.
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
    let _ = waitid(WaitId::Pid(child), options);
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;

    /// What the launcher learns of a stub that writes `note` when it fails, or nothing when it
    /// becomes the command.
    fn learns(failed: Option<&str>) -> bool {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut stub = file.reopen().unwrap();
        FileExt::lock_exclusive(&stub).unwrap();
        stub.write_all(br#"{"pid":7}"#).unwrap();
        std::thread::scope(|scope| {
            let launcher = scope.spawn(|| became_command(file.reopen().unwrap()));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!launcher.is_finished(), "the stub still holds its lock");
            if let Some(failed) = failed {
                stub.rewind().unwrap();
                stub.write_all(failed.as_bytes()).unwrap();
            }
            drop(stub);
            launcher.join().unwrap()
        })
    }

    #[test]
    fn a_command_has_started_when_its_stub_is_gone_without_a_word() {
        assert!(learns(None));
        assert!(!learns(Some(
            r#"{"pid":7,"failed":"No such file or directory"}"#
        )));
    }
}

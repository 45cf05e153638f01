//! The two hidden verbs that become another program.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use fs2::FileExt;
use room_protocol::layout::run_files;
use room_protocol::runfile::ProcessStat;

use crate::failure::{Context, Failure};
use crate::launch::child::Note;

/// The shell's exit code for a program that is not there.
const NOT_FOUND: u8 = 127;
/// The shell's exit code for a program that cannot be started.
const NOT_STARTED: u8 = 126;

/// Arguments of `exec-child`.
#[derive(Debug, clap::Args)]
pub struct ChildArgs {
    /// The run's directory
    dir: PathBuf,

    /// The command
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Arguments of `exec-daemon`.
#[derive(Debug, clap::Args)]
pub struct DaemonArgs {
    /// The daemon
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Notes the own process id, then becomes the command. Returns only when that fails.
pub(super) fn child(args: &ChildArgs) -> Result<ExitCode, Failure> {
    let (mut note, begun) = begin_note(args)?;
    let path = args.dir.join(run_files::PROCESS);
    std::fs::rename(&begun, &path).or_refuse(|| format!("cannot write {}", path.display()))?;
    // Close-on-exec: the lock on `note` goes with the stub.
    let error = exec(&args.command);
    // The launcher learns that nothing was started from the exit code too; this is the surer way.
    let _ = std::fs::remove_file(&path);
    let _ = failed(&mut note, &error);
    crate::note(&format!(
        "cannot start {}: {error}",
        args.command[0].to_string_lossy()
    ));
    Ok(ExitCode::from(match error.kind() {
        ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_STARTED,
    }))
}

/// Leaves session and terminal, then becomes the daemon. Returns only when that fails.
pub(super) fn daemon(args: &DaemonArgs) -> Result<ExitCode, Failure> {
    rustix::process::setsid().or_refuse(|| "cannot leave the terminal's session".to_owned())?;
    let error = exec(&args.command);
    Err(Failure::Refused(format!(
        "cannot start {}: {error}",
        args.command[0].to_string_lossy()
    )))
}

fn exec(command: &[OsString]) -> io::Error {
    Command::new(&command[0]).args(&command[1..]).exec()
}

/// A locked file with our process id, not yet under the name where it is looked for.
fn begin_note(args: &ChildArgs) -> Result<(File, PathBuf), Failure> {
    let begun = args.dir.join(format!("{}.tmp", run_files::PROCESS));
    let what = || format!("cannot write {}", begun.display());
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&begun)
        .or_refuse(what)?;
    FileExt::lock_exclusive(&file).or_refuse(what)?;
    write(&mut file, None).or_refuse(what)?;
    Ok((file, begun))
}

fn failed(file: &mut File, error: &io::Error) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write(file, Some(error.to_string()))
}

/// When this process started; it stays the same when it becomes the command.
fn start_ticks() -> Option<u64> {
    let stat = std::fs::read("/proc/self/stat").ok()?;
    ProcessStat::parse(&String::from_utf8_lossy(&stat)).map(|stat| stat.start_ticks)
}

fn write(file: &mut File, failed: Option<String>) -> io::Result<()> {
    let note = Note {
        pid: std::process::id(),
        start_ticks: start_ticks(),
        failed,
    };
    file.write_all(&serde_json::to_vec(&note)?)
}
